"""One turn of the keeper's event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import selectors


def call_ready(selector: selectors.BaseSelector, timeout: float | None) -> None:
    """Wait until files are ready, and call their callbacks.

    A callback may unregister and close other files. Their callbacks are not called, although their files were ready.
    """
    for key, _events in selector.select(timeout):
        if selector.get_map().get(key.fd) == key:
            key.data()

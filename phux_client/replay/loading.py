"""Load pages of a film in a thread, so that the replay answers keys meanwhile."""

import os
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from phux_client.flows._types import Document
    from phux_client.moments import Place

    Load: TypeAlias = Callable[[Place], Document]
    """Return the page of the film that starts at a place."""


class Loader:
    """Loads one page at a time. Its descriptor is readable when a page has arrived."""

    def __init__(self, load: "Load") -> None:
        self._load = load
        self._pipe, self._writer = os.pipe()
        self._result: Document | BaseException | None = None
        self._wanted: Place | None = None
        self._loading: Place | None = None

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._pipe

    @property
    def is_busy(self) -> bool:
        """Whether a page is being loaded."""
        return self._wanted is not None

    def ask(self, start: "Place") -> None:
        """Load a page, instead of the one asked for before."""
        self._wanted = start
        self._begin()

    def take(self) -> "Document | None":
        """Return the page that has arrived; None if it is no longer wanted.

        Raises:
            PhuxError: The page could not be loaded.
        """
        os.read(self._pipe, 1)
        result, loaded, self._loading = self._result, self._loading, None
        self._result = None
        if loaded is not self._wanted:
            self._begin()
            return None
        self._wanted = None
        if isinstance(result, BaseException):
            raise result
        return result

    def close(self) -> None:
        """Stop. A page that is being loaded is not waited for."""
        if self._loading is None:
            os.close(self._pipe)
            os.close(self._writer)

    def _begin(self) -> None:
        if self._loading is None and self._wanted is not None:
            self._loading = self._wanted
            threading.Thread(target=self._run, args=(self._loading,), daemon=True).start()

    def _run(self, start: "Place") -> None:
        try:
            self._result = self._load(start)
        except BaseException as error:  # noqa: BLE001  the main thread raises it
            self._result = error
        os.write(self._writer, b"x")

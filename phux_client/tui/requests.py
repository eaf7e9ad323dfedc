"""Requests of programs to the user's terminal, which the config file has to allow: notifications and the clipboard."""

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from phux_client.flows._types import Document
    from phux_client.tui.outer import Outer

_PAUSE_S = 0.5
"""The least time between two notifications, so that a program cannot flood the desktop; others are dropped."""


class Requests:
    """Passes the allowed requests to the terminal."""

    def __init__(self, outer: "Outer", settings: "Mapping[str, object]") -> None:
        self._outer = outer
        self._may_notify, self._may_copy = settings["notifications"], settings["clipboard"]
        self._notify_at = 0.0

    def take(self, frame: "Document") -> None:
        """Handle the frame of a request."""
        notice, copied = frame.get("notification"), frame.get("clipboard")
        if notice is not None and self._may_notify and time.monotonic() >= self._notify_at:
            self._notify_at = time.monotonic() + _PAUSE_S
            self._outer.notify(notice["title"], notice["text"])
        if copied is not None and self._may_copy:
            self._outer.set_clipboard_data(copied["data"])

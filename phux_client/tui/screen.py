"""The user's view: panes, prompts, messages and marks, painted when something has changed."""

import time

from phux_client.tui.compose import Composer
from phux_client.tui.paint import Painter
from phux_client.tui.status import status_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from phux_client.flows._types import Document
    from phux_client.tui.app import App
    from phux_client.tui.model import PaneModel
    from phux_client.tui.outer import Outer

_MESSAGE_S = 4.0
_RUNNING_S = 0.4
"""How long a command must run to be marked; marks of short commands would only flicker."""


class Screen:
    """The content of the user's terminal."""

    def __init__(self, app: "App", outer: "Outer", settings: "Mapping[str, object]") -> None:
        self._app = app
        self._outer = outer
        self._settings = settings
        self._painter = Painter()
        self._composer = Composer()
        self._message: tuple[str, float] | None = None
        self._stale = True
        self._minute = -1
        self._places: list[tuple[int, int, int]] = []
        self._running: dict[int, float] = {}

    @property
    def area(self) -> tuple[int, int]:
        """The columns and rows available to a window."""
        cols, rows = self._outer.size
        return cols, rows - 1 if self._settings["status"] and rows > 1 else rows

    @property
    def corner(self) -> tuple[int, int]:
        """The column and row of the window in the upper left corner of the terminal."""
        return self._composer.corner

    def touch(self) -> None:
        """Record that the view has changed."""
        self._stale = True

    def redraw(self) -> None:
        """Redraw everything, even if the terminal's content is unknown."""
        self._painter.forget()
        self._stale = True

    def say(self, text: str) -> None:
        """Show a message for a while, or until a key is pressed."""
        self._message = (text, time.monotonic() + _MESSAGE_S)
        self._stale = True

    def dismiss(self) -> None:
        """Remove the message, if any."""
        if self._message is not None:
            self._message = None
            self._stale = True

    def knows_synchronized(self) -> None:
        """Record that the terminal supports synchronized output."""
        self._painter.synchronized = True

    def due(self) -> list[float]:
        """Return when the view changes by itself: a message expires, a command gets its mark, the clock changes."""
        due = [time.monotonic() + 60 - time.time() % 60]
        due += [since + _RUNNING_S for since in self._running.values()]
        return due if self._message is None else [*due, self._message[1]]

    def keep_time(self, now: float) -> None:
        """Process expired times."""
        if self._message is not None and now >= self._message[1]:
            self._message = None
            self._stale = True
        if int(time.time()) // 60 != self._minute:
            self._minute = int(time.time()) // 60
            self._stale = True
        lasting = [window for window, since in self._running.items() if now >= since + _RUNNING_S]
        for window in lasting:
            self._running[window] = float("inf")  # the command is marked from now on
            self._stale = True

    def take_view(self, view: "Document") -> None:
        """Record since when each window has a running command."""
        now = time.monotonic()
        running = [window["id"] for window in view["windows"] if window["state"] == "running"]
        self._running = {window: self._running.get(window, now) for window in running}
        self._stale = True

    def window_at(self, x: int) -> int | None:
        """Return the window whose name is at a column of the status line."""
        return next((window for start, end, window in self._places if start <= x < end), None)

    def paint(self) -> None:
        """Draw the changes, if the terminal has accepted everything drawn before."""
        app, view = self._app, self._app.model.view
        if not self._stale or self._outer.wants_to_write or view is None:
            return
        self._stale = False
        cols, rows = self._outer.size
        status, status_cursor = None, None
        if self._settings["status"] and rows > 1:
            if app.prompt is not None:
                status, status_cursor = app.prompt.line(cols)
            else:
                message = None if self._message is None else self._message[0]
                status, self._places = status_line(
                    self._settled(view), cols, time.time(), note=app.note(), message=message
                )
        area = rows if status is None else rows - 1
        canvas = self._composer.compose(
            app.model,
            cols,
            rows,
            status=status,
            status_cursor=status_cursor,
            over=app.copying.over_panes(),
            box=None if app.box is None else app.box.overlay(cols, area),
            numbers=app.actions.numbers(),
        )
        self._outer.set_mouse(self._mouse_mode())
        self._outer.set_title(_title(view, app.model.panes))
        self._outer.write(self._painter.paint(canvas))

    def _settled(self, view: "Document") -> "Document":
        """Return the session's view without marks for commands that have just started."""
        windows = [
            {**window, "state": "prompt"} if self._running.get(window["id"], float("inf")) != float("inf") else window
            for window in view["windows"]
        ]
        return {**view, "windows": windows}

    def _mouse_mode(self) -> str:
        if not self._settings["mouse"]:
            return "off"
        return "any" if any(pane.modes["mouse"] == "any" for pane in self._app.model.panes.values()) else "button"


def _title(view: "Document", panes: "dict[int, PaneModel]") -> str:
    """Return the title of the terminal's window: session, window, and the title that the program has set."""
    window = next(window for window in view["windows"] if window["active"])
    pane = panes.get(view["window"]["active_pane"])
    place = f"{view['session']['name']}:{window['index']}:{window['name']}"
    return f"{place} - {pane.title}" if pane is not None and pane.title else place

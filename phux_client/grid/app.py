"""The event loop of a grid: keys, events and frames in, tiles out."""

import selectors
import time

from phux_client.grid.exchange import Exchange
from phux_client.grid.model import GridModel
from phux_client.grid.view import compose
from phux_client.tui.full_screen import FullScreen
from phux_core import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from phux_client.tui.canvas import Canvas
    from phux_client.tui.link import Link
    from phux_client.tui.outer import Outer, Signals

    Visit: TypeAlias = Callable[[int], tuple[str, int]]
    """Show a pane in the terminal until the user comes back; return a message about the end, and the exit code."""

_PAINT_S = 1 / 30
_QUIT = frozenset({"q", "Q", "C-c", "C-d", "Escape"})
_LOST = 1


class Grid(FullScreen):
    """One grid."""

    def __init__(self, socket: str, visit: "Visit", *, outer: "Outer", signals: "Signals") -> None:
        super().__init__(outer, signals)
        self._visit = visit
        self._model = GridModel()
        self._exchange = Exchange(socket, self._model, self.touch, self._use, self._lost)
        self._used: Link | None = None
        self._message = ""
        self._help_shown = False
        self._stale = True
        self._painted_at = 0.0
        self._minute = 0.0

    def run(self) -> None:
        """Show the panes until the user quits, or the server is gone."""
        self._exchange.connect()
        try:
            super().run()
        finally:
            self._used = None  # the selector is closed
            self._exchange.close()

    # The server

    def _use(self, link: "Link | None") -> None:
        if self._used is not None:
            self.selector.unregister(self._used)
        self._used = link
        if link is not None:
            self.selector.register(link, selectors.EVENT_READ, self._exchange.serve)

    def _lost(self, why: str) -> None:
        self.stop(_LOST, why)

    # Time

    def due(self) -> list[float]:
        """Return when something has to be drawn or read."""
        now = time.monotonic()
        due = [now + 60 - time.time() % 60, *self._exchange.due()]
        if self._stale:
            due.append(self._painted_at + _PAINT_S)
        return due if self._model.due is None else [*due, self._model.due]

    def keep_time(self, now: float) -> None:
        """Read what is due, and move tiles."""
        try:
            self._exchange.keep_time(now)
        except errors.PhuxError as error:
            self._lost("the server has stopped" if isinstance(error, errors.NoServerError) else error.message)
        self._stale |= self._model.due is not None and now >= self._model.due
        self._stale |= time.time() // 60 != self._minute
        if self._used is not None:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._used.wants_to_write else 0)
            if self.selector.get_key(self._used).events != events:
                self.selector.modify(self._used, events, self._exchange.serve)

    # Keys

    def press(self, key: str) -> None:
        """Handle a key."""
        self.touch()
        self._message = ""
        helped, self._help_shown = self._help_shown, key == "?" and not self._help_shown
        if helped or self._model.move(key):
            return
        if key in _QUIT:
            self.end()
        elif key == "Tab":
            if not self._model.select_next_needed():
                self._message = "no pane awaits input"
        elif key in {"Enter", "KPEnter"} and self._model.selected is not None:
            self._enter(self._model.selected)
        elif key == "C-z":
            self.suspend()

    def _enter(self, pane: int) -> None:
        """Leave the terminal to a pane's session."""
        self._exchange.close()
        self.outer.restore()
        try:
            self._message, code = self._visit(pane)
        except errors.PhuxError as error:
            self._message, code = error.message, 0
        if code > 128:  # a signal
            self.end(code)
            return
        self.outer.enter()
        self.resized()
        try:
            self._exchange.connect()
        except errors.PhuxError as error:
            self._lost(error.message)

    # Painting

    def touch(self) -> None:
        """Draw the screen again."""
        self._stale = True

    def canvas(self) -> "Canvas | None":
        """Return the screen if it may have changed."""
        now = time.monotonic()
        if not self._stale or now < self._painted_at + _PAINT_S:
            return None
        self._stale, self._painted_at, self._minute = False, now, time.time() // 60
        cols, rows = self.outer.size
        self._model.update(cols, rows - 1 if rows > 1 else rows, now)
        self._exchange.watch(pane.id for pane in self._model.visible)
        problem = self._exchange.problem or self._message
        return compose(self._model, cols, rows, time.time(), problem=problem, help_shown=self._help_shown)

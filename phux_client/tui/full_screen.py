"""The event loop of a program that draws on the whole terminal: keys, signals and time in, painted screens out."""

import os
import selectors
import signal
import time

from phux_client.tui import keyboard as keys
from phux_client.tui.paint import Painter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from phux_client.tui.canvas import Canvas
    from phux_client.tui.outer import Outer, Signals

_READ_SIZE = 65536
_ENDS = frozenset({signal.SIGTERM, signal.SIGHUP, signal.SIGINT})
_GONE = 1
_KNOWS_SYNCHRONIZED = frozenset(f"\x1b[?2026;{answer}$y".encode() for answer in (1, 2, 3))


class FullScreen:
    """A program that draws on the whole terminal. The loop has one thread and blocks only in its selector.

    Attributes:
        code: The exit code, once the loop has ended.
    """

    def __init__(self, outer: "Outer", signals: "Signals") -> None:
        self.code = 0
        self.outer = outer
        self.selector = selectors.DefaultSelector()
        self.selector.register(0, selectors.EVENT_READ, self._read_keys)
        self.selector.register(signals, selectors.EVENT_READ, self._read_signals)
        self._signals = signals
        self._painter = Painter()
        self._keyboard = keys.Keyboard()
        self._keys_due: float | None = None
        self._ended = False

    # For subclasses

    def canvas(self) -> "Canvas | None":
        """Return the screen to draw; None if it has not changed."""
        raise NotImplementedError

    def press(self, key: str) -> None:
        """Handle a key, given its name or its character."""
        raise NotImplementedError

    def due(self) -> list[float]:
        """Return the times at which ``keep_time`` must be called, on the monotonic clock."""
        raise NotImplementedError

    def keep_time(self, now: float) -> None:
        """Process expired times."""
        raise NotImplementedError

    def touch(self) -> None:
        """Record that the screen has to be drawn again."""
        raise NotImplementedError

    # The loop

    def run(self) -> None:
        """Run until ``end``."""
        try:
            while not self._ended:
                # If the terminal has not accepted everything drawn before, the latest screen is drawn later.
                canvas = None if self.outer.wants_to_write else self.canvas()
                if canvas is not None:
                    self.outer.write(self._painter.paint(canvas))
                self._watch_output()
                for key, _mask in self.selector.select(self._timeout()):
                    key.data()
                self._keep_time()
                if self.outer.is_gone:
                    self.end(_GONE)
        finally:
            self.selector.close()

    def end(self, code: int = 0) -> None:
        """Stop after this iteration of the loop."""
        if not self._ended:
            self._ended, self.code = True, code

    def redraw(self) -> None:
        """Draw everything again, because the terminal's content is unknown."""
        self._painter.forget()
        self.touch()

    def suspend(self) -> None:
        """Suspend the process until the shell resumes it."""
        self.outer.suspend()
        self.redraw()

    def _timeout(self) -> float | None:
        due = self.due() + ([] if self._keys_due is None else [self._keys_due])
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _keep_time(self) -> None:
        now = time.monotonic()
        if self._keys_due is not None and now >= self._keys_due:
            self._keys_due = None
            self._take(self._keyboard.flush())
        self.keep_time(now)

    def _watch_output(self) -> None:
        watched = self.outer in self.selector.get_map()
        if self.outer.wants_to_write and not watched:
            self.selector.register(self.outer, selectors.EVENT_WRITE, self.outer.flush)
        elif watched and not self.outer.wants_to_write:
            self.selector.unregister(self.outer)

    def _read_signals(self) -> None:
        for number in sorted(self._signals.read()):
            if number in _ENDS:
                self.end(128 + number)
            elif number == signal.SIGTSTP:
                self.suspend()
            else:
                if number == signal.SIGCONT:
                    self.outer.enter_again()
                self.redraw()

    # Keys

    def _read_keys(self) -> None:
        try:
            data = os.read(0, _READ_SIZE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.end(_GONE)
            return
        self._take(self._keyboard.feed(data))
        wait = self._keyboard.timeout_s
        self._keys_due = None if wait is None else time.monotonic() + wait

    def _take(self, events: "Sequence[keys.Event]") -> None:
        for event in events:
            if isinstance(event, keys.Text):
                for character in event.text:
                    self.press(character)
            elif isinstance(event, keys.KeyPress):
                self.press(event.name)
            elif isinstance(event, keys.Answer) and event.data in _KNOWS_SYNCHRONIZED:
                self._painter.synchronized = True

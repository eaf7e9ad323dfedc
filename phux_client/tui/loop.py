"""The event loop of a program that takes over the terminal: keys, signals and time in, output as the terminal reads it.

The loop has one thread and blocks only in its selector. A screen that the terminal has not accepted is not queued: the
latest one is painted later.
"""

import os
import selectors
import signal
import time

from phux_client.tui import keyboard as keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from phux_client.tui.outer import Outer, Signals

_READ_SIZE = 65536
_ENDS = {signal.SIGTERM: "terminated", signal.SIGHUP: "the terminal hung up", signal.SIGINT: "interrupted"}
_GONE = "the terminal is gone"
_KNOWS_SYNCHRONIZED = frozenset(f"\x1b[?2026;{answer}$y".encode() for answer in (1, 2, 3))


class TerminalLoop:
    """An event loop around a terminal.

    Attributes:
        code: The exit code, once the loop has ended.
        ending: A message about the end, once the loop has ended; None before.
        reads_keys: Whether to read keys now; they wait in the terminal otherwise.
    """

    def __init__(self, outer: "Outer", signals: "Signals") -> None:
        self.code = 0
        self.ending: str | None = None
        self.reads_keys = True
        self.outer = outer
        self.selector = selectors.DefaultSelector()
        self.selector.register(signals, selectors.EVENT_READ, self._read_signals)
        self._signals = signals
        self._keyboard = keys.Keyboard()
        self._keys_due: float | None = None

    # For subclasses

    def paint(self) -> None:
        """Draw what has changed, if the terminal has accepted everything drawn before."""
        raise NotImplementedError

    def take(self, events: "Sequence[keys.Event]") -> None:
        """Handle input."""
        raise NotImplementedError

    def knows_synchronized(self) -> None:
        """Record that the terminal supports synchronized output."""
        raise NotImplementedError

    def due(self) -> list[float]:
        """Return the times at which ``keep_time`` must be called, on the monotonic clock."""
        raise NotImplementedError

    def keep_time(self, now: float) -> None:
        """Process expired times."""
        raise NotImplementedError

    def resized(self) -> None:
        """Draw everything again: the terminal has another size, or its content is unknown."""
        raise NotImplementedError

    def before_wait(self) -> None:
        """Prepare the wait for events."""

    def after_wait(self) -> None:
        """Process what the events have left."""

    # The loop

    def run_loop(self) -> None:
        """Run until ``stop``, and close the selector."""
        try:
            while self.ending is None:
                self.paint()
                self.before_wait()
                self._watch(0, selectors.EVENT_READ, self._read_keys, wanted=self.reads_keys)
                self._watch(self.outer, selectors.EVENT_WRITE, self.outer.flush, wanted=self.outer.wants_to_write)
                for key, _mask in self.selector.select(self._timeout()):
                    key.data()
                self._keep_time()
                self.after_wait()
                if self.outer.is_gone:
                    self.stop(1, _GONE)
        finally:
            self.selector.close()

    def stop(self, code: int, text: str) -> None:
        """Stop after this iteration of the loop."""
        if self.ending is None:
            self.ending, self.code = text, code

    def suspend(self) -> None:
        """Suspend the process until the shell resumes it."""
        self.outer.suspend()
        self.resized()

    def _timeout(self) -> float | None:
        due = self.due() + ([] if self._keys_due is None else [self._keys_due])
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _keep_time(self) -> None:
        now = time.monotonic()
        if self._keys_due is not None and now >= self._keys_due:
            self._keys_due = None
            self._take(self._keyboard.flush())
        self.keep_time(now)

    def _watch(self, stream: "int | Outer", events: int, then: "Callable[[], None]", *, wanted: bool) -> None:
        watched = stream in self.selector.get_map()
        if wanted and not watched:
            self.selector.register(stream, events, then)
        elif watched and not wanted:
            self.selector.unregister(stream)

    def _read_signals(self) -> None:
        for number in sorted(self._signals.read()):
            if number in _ENDS:
                self.stop(128 + number, _ENDS[signal.Signals(number)])
            elif number == signal.SIGTSTP:
                self.suspend()
            else:
                if number == signal.SIGCONT:
                    self.outer.enter_again()
                self.resized()

    def _read_keys(self) -> None:
        try:
            data = os.read(0, _READ_SIZE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.stop(1, _GONE)
            return
        events = self._keyboard.feed(data)
        wait = self._keyboard.timeout_s
        self._keys_due = None if wait is None else time.monotonic() + wait
        self._take(events)

    def _take(self, events: "Sequence[keys.Event]") -> None:
        for event in events:
            if isinstance(event, keys.Answer) and event.data in _KNOWS_SYNCHRONIZED:
                self.knows_synchronized()
        self.take(events)

"""The timers of an event loop, with a clock that a test advances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class FakeTimer:
    def __init__(self, when: float, call: Callable[[], object]) -> None:
        self.when, self.call, self.cancelled = when, call, False

    def cancel(self) -> None:
        self.cancelled = True


class FakeLoop:
    """An event loop that only has timers.

    Attributes:
        now: The time of its clock.
        made: Number of timers that were set.
    """

    def __init__(self, now: float = 0.0) -> None:
        self.now = now
        self.made = 0
        self._timers: list[FakeTimer] = []

    @property
    def pending(self) -> list[FakeTimer]:
        return [timer for timer in self._timers if not timer.cancelled]

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, call: Callable[..., object], *args: Any) -> FakeTimer:
        self.made += 1
        self._timers.append(FakeTimer(when, lambda: call(*args)))
        return self._timers[-1]

    def call_later(self, delay: float, call: Callable[..., object], *args: Any) -> FakeTimer:
        return self.call_at(self.now + delay, call, *args)

    def call_soon(self, call: Callable[..., object], *args: Any) -> FakeTimer:
        return self.call_later(0, call, *args)

    def advance(self, seconds: float) -> None:
        """Advance the clock, and call the timers that become due in their order."""
        end = self.now + seconds
        # The tolerance is for rounding errors in sums of times.
        while due := [timer for timer in self.pending if timer.when <= end + 1e-9]:
            timer = min(due, key=lambda timer: timer.when)
            self.now = max(self.now, timer.when)
            self._timers.remove(timer)
            timer.call()
        self.now = end

"""Keep a pane's state up to date: check it after each activity, and rarely otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_core.server.sync import Waker

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from phux_core.server.kernel.foreground import Foreground
    from phux_core.server.shell.events import State

# These states do not change without output or input.
_RESTING = frozenset({"prompt", "fullscreen", "dead"})
# A check in the middle of a burst sees a transient state; but it must not be postponed forever.
_QUIET_S = 0.02
_LATEST_S = 0.1
# A program may start to wait without writing anything (sleep 5; read x), so other states are checked again, less often
# the longer nothing happens: after a part of the time since the last activity. A program that waits for input rarely
# continues without it.
_SHORTEST_GAP_S, _LONGEST_GAP_S = 0.05, 10.0
_OF_THE_TIME, _OF_THE_TIME_WAITING = 0.2, 1.0


class StateWatch:
    """Keeps the state of one pane up to date.

    Args:
        look: Looks at the shell, processes what happened, and returns the new state and foreground.
        on_change: Called when the state changed, or the process in the foreground or its name.
        may_be_unread: Returns True if something was typed that the program may not have read.

    Attributes:
        is_outdated: Whether there was output or input since the last check.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        look: Callable[[], tuple[State, Foreground | None]],
        on_change: Callable[[State, Foreground | None], None],
        may_be_unread: Callable[[], bool],
    ) -> None:
        self.state: State = "running"
        self.foreground: Foreground | None = None
        self._loop = loop
        self._look = look
        self._on_change = on_change
        self._may_be_unread = may_be_unread
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        # A burst of activity: whether one is on, when it began, and its last activity.
        self.is_outdated = True
        self._touched = False
        self._first_touch = 0.0
        self._last_touch = 0.0
        self._looked = Waker()

    @property
    def front(self) -> tuple[int, str] | None:
        """The process in the foreground, by pid and name."""
        return None if self.foreground is None else (self.foreground.pid, self.foreground.name)

    async def wait_for(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Wait until a condition, evaluated at each check, holds; return False if the timeout expired first."""
        deadline = self._loop.time() + timeout_s
        self.look_now()
        while not condition():
            remaining = deadline - self._loop.time()
            if remaining <= 0:
                return False
            await self._looked.wait(remaining)
        return True

    def touch(self) -> None:
        """Record output or input: check soon, and again later."""
        self._last_touch = self._loop.time()
        self.is_outdated = True
        if not self._touched and not self._closed:
            self._touched = True
            self._first_touch = self._last_touch
            self._set_timer(self._last_touch + _QUIET_S)

    def look_now(self) -> None:
        if self._closed:
            return
        if not self._touched:  # else the check at the end of the burst stays due
            self._stop_timer()
        self._update()

    def look_if_due(self) -> None:
        """Check at once if something happened since the last check."""
        if self._touched:
            self.look_now()

    def settle(self) -> None:
        """Before the state is reported, look again if it is older than typed input or there was no look yet."""
        if self.state != "dead" and (self.foreground is None or self._may_be_unread()):
            self.look_now()

    def close(self) -> None:
        self._closed = True
        self._stop_timer()

    def _set_timer(self, when: float) -> None:
        self._stop_timer()
        self._timer = self._loop.call_at(when, self._on_timer)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_timer(self) -> None:
        self._timer = None
        if self._touched:
            due = min(self._last_touch + _QUIET_S, self._first_touch + _LATEST_S)
            if self._loop.time() < due:
                self._set_timer(due)
                return
            self._touched = False
        self._update()

    def _update(self) -> None:
        self.is_outdated = False
        state, foreground = self._look()
        if self._closed:
            return
        before, self.state = self.state, state
        was, self.foreground = self.front, foreground
        # The listener may touch or close the watch, so the timer comes first.
        if self._timer is None and state not in _RESTING:
            now = self._loop.time()
            share = _OF_THE_TIME if state == "running" else _OF_THE_TIME_WAITING
            self._set_timer(now + max(_SHORTEST_GAP_S, min(_LONGEST_GAP_S, (now - self._last_touch) * share)))
        self._looked.wake_all()
        if state != before or self.front != was:
            self._on_change(state, foreground)

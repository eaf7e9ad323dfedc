"""The run that an earlier service began: it had its pane's turn there, and has it still if its caller comes back."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from phux_core.server.shell.prompt import remaining
from phux_core.server.sync.waker import Alarm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.server.run.record import Run

# How long a caller may take to notice that the service is another one, and to ask again.
_RETURN_S = 1.0


class RestoredRun:
    """What was noted in a pane's journal, if anything, and whether somebody waits for its end.

    Attributes:
        run: It.
    """

    def __init__(self) -> None:
        self.run: Run | None = None
        self._callers = 0
        self._expected_until = 0.0
        self._changed = Alarm()

    def begin(self, run: Run) -> None:
        """Expect its caller to come back."""
        self.run = run
        self._expected_until = time.monotonic() + _RETURN_S
        run.outcome.then(lambda _result: self._changed.ring())

    @property
    def has_turn(self) -> bool:
        """Whether others are to wait for its end; a command that was left to itself is like any other program."""
        if self.run is None or self.run.outcome.is_known:
            return False
        return self._callers > 0 or time.monotonic() < self._expected_until

    @contextlib.contextmanager
    def awaited(self, run: Run) -> Iterator[None]:
        """Count somebody in who waits for a run, if it is this one."""
        counted = run is self.run
        self._callers += counted
        try:
            yield
        finally:
            self._callers -= counted
            self._changed.ring()

    async def wait(self, deadline: float | None) -> None:
        """Wait until it does not have the turn any more, or the time is over."""
        while self.has_turn and (left_s := remaining(deadline)) != 0:
            until = None if self._callers else max(0.0, self._expected_until - time.monotonic())
            await self._changed.wait(min((limit for limit in (left_s, until) if limit is not None), default=None))

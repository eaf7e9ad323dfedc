"""The run that an earlier service started: it holds the pane's lock if its caller asks again."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from phux_core.server.run.prompt import remaining
from phux_core.server.sync.waker import Waker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.server.run.record import Run

# How long a caller may take to notice the restart of the service and ask again.
_RETURN_S = 1.0


class ResumedRun:
    """The run noted in a pane's journal, if any, and whether a caller waits for its end.

    Attributes:
        run: The run.
    """

    def __init__(self) -> None:
        self.run: Run | None = None
        self._callers = 0
        self._expected_until = 0.0
        self._changed = Waker()

    def begin(self, run: Run) -> None:
        """Expect the run's caller to ask again."""
        self.run = run
        self._expected_until = time.monotonic() + _RETURN_S
        run.outcome.then(lambda _result: self._changed.wake_all())

    @property
    def has_lock(self) -> bool:
        """Whether other runs have to wait for its end; without a waiting caller, it is like any other program."""
        if self.run is None or self.run.outcome.is_known:
            return False
        return self._callers > 0 or time.monotonic() < self._expected_until

    @contextlib.contextmanager
    def awaited(self, run: Run) -> Iterator[None]:
        """Count a caller that waits for a run, if it is this one."""
        counted = run is self.run
        self._callers += counted
        try:
            yield
        finally:
            self._callers -= counted
            self._changed.wake_all()

    async def wait(self, deadline: float | None) -> None:
        """Wait until it no longer holds the lock, or the timeout expires."""
        while self.has_lock and (left_s := remaining(deadline)) != 0:
            until = None if self._callers else max(0.0, self._expected_until - time.monotonic())
            await self._changed.wait(min((limit for limit in (left_s, until) if limit is not None), default=None))

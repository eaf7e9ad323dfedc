"""Decide when to restart the service and which panes to leave blank. No I/O.

The first restart is immediate. If the service soon dies again, it is restarted after a delay that doubles up to two
seconds; the delay is reset once a service has been ready for a while. A service is ready when it has reported that
its event loop is running and accepts clients.

A pane that was being rebuilt when a service died is suspected. After two such deaths without a service in between that
rebuilt all panes, the next service leaves the pane blank. Death by an external signal (``kill -9``) says little about
the pane and counts a tenth; but if memory runs out, the kernel sends such a signal, too.
"""

from __future__ import annotations

from phux_core.errors import ServiceRestartingError

EXCEPTION_STATUS = 70
"""The exit status of a service after a fatal exception (EX_SOFTWARE); the log has the traceback."""
FIRST_DELAY_S = 0.05
LONGEST_DELAY_S = 2.0
QUIET_S = 2.0
"""A service that was ready for this many seconds resets the count of deaths in a row."""
ANSWER_AFTER_S = 1.0
"""How long there may be no ready service before the keeper takes connections."""
NOTICE_AFTER_S = 3.0
"""How long clients wait for a ready service before they receive an error."""
_ENOUGH_BLAME = 2.0
_BLAME, _LITTLE_BLAME = 1.0, 0.1


class Restarts:
    """The history of the service's deaths; ``now`` is the time of a monotonic clock.

    Attributes:
        count: Number of deaths since the keeper started.
        in_a_row: Number of deaths since a service was last ready for ``QUIET_S``.
        last: Description of the last death; empty if there was none.
    """

    def __init__(self, now: float) -> None:
        self.count = 0
        self.in_a_row = 0
        self.last = ""
        self._ready_at: float | None = None
        self._unready_since = now
        self._blame: dict[int, float] = {}

    @property
    def is_ready(self) -> bool:
        """Whether a service accepts clients."""
        return self._ready_at is not None

    @property
    def notice_at(self) -> float | None:
        """When clients that wait for the service get an error; None while a service is ready."""
        return None if self.is_ready else self._unready_since + NOTICE_AFTER_S

    @property
    def answer_at(self) -> float | None:
        """When to start taking connections; None while a service is ready."""
        return None if self.is_ready else self._unready_since + ANSWER_AFTER_S

    @property
    def set_aside(self) -> list[int]:
        """The panes that the next service must leave blank."""
        return [pane for pane, blame in self._blame.items() if blame >= _ENOUGH_BLAME]

    def ready(self, now: float) -> None:
        """Record that the service accepts clients."""
        self._ready_at = now

    def rebuilt(self) -> None:
        """Record that the service has rebuilt every pane."""
        self._blame.clear()

    def describe(self, log_path: str | None, silent_s: float = 0.0) -> dict[str, object]:
        """Return the error object that explains why no service answers.

        Args:
            log_path: The server's log; None if that is its terminal.
            silent_s: How long a ready service has not answered.
        """
        if self.is_ready:
            why = f"it has not answered for {silent_s:g} s"
        elif self.in_a_row:
            times = "once" if self.in_a_row == 1 else f"{self.in_a_row} times in a row"
            why = f"it died {times}; the last time, it {self.last}"
        else:
            why = f"it {self.last}" if self.last else "it is still starting"
        where = log_path or "the terminal of `phux server`"
        return {
            "code": ServiceRestartingError.code,
            "message": f"the service is not ready: {why}. See the log: {where}",
            "remedy": ServiceRestartingError.default_remedy,
            "log": log_path,
        }

    def died(self, how: str, now: float, *, rebuilding: int = 0, from_outside: bool = False) -> float:
        """Record that the service died, and return the seconds to wait before the next start.

        Args:
            how: A description, such as "was killed by SIGSEGV".
            rebuilding: The pane that the service was rebuilding; 0 for none.
            from_outside: Whether it was killed by an external signal.
        """
        if self._ready_at is not None:
            self._unready_since = now
            if now - self._ready_at >= QUIET_S:
                self.in_a_row = 0
        self._ready_at = None
        self.last = how
        self.count += 1
        self.in_a_row += 1
        if rebuilding:
            blame = _LITTLE_BLAME if from_outside else _BLAME
            self._blame[rebuilding] = self._blame.get(rebuilding, 0.0) + blame
        if self.in_a_row == 1:
            return 0.0
        return min(LONGEST_DELAY_S, FIRST_DELAY_S * 2.0 ** min(self.in_a_row - 2, 10))

"""The pace of a replay: which moment of a recording to show, as time passes. No I/O, and no clock.

A recording is a series of *cues*, the times of its frames and events. Time between two cues that exceeds a limit is
skipped. Times of cues are in epoch seconds, those of ``tick`` on any monotonic clock.
"""

from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Pacing:
    """The pace of one replay.

    Args:
        start: The time in the recording at which to start.
        now: The current time.
        speed: How many seconds of the recording to play in a second.
        max_idle_s: The longest time between two cues, in seconds of the recording; None for no limit.

    Attributes:
        is_paused: Whether the replay is paused.
        speed: May be changed after a ``tick``.
    """

    def __init__(self, start: float, now: float, *, speed: float = 1.0, max_idle_s: float | None = None) -> None:
        self.is_paused = False
        self.speed = speed
        self._max_idle_s = max_idle_s
        self._cues: deque[float] = deque()
        self._reached = start
        self._since_s = 0.0  # played since the cue that was reached last
        self._now = now

    @property
    def position(self) -> float:
        """The moment that is shown."""
        return self._reached + min(self._since_s, self._cues[0] - self._reached) if self._cues else self._reached

    @property
    def due_s(self) -> float | None:
        """The time until the next cue is due; None while paused, and without a later cue."""
        return None if self.is_paused or not self._cues else max(0.0, self._gap_s - self._since_s) / self.speed

    @property
    def _gap_s(self) -> float:
        gap_s = max(0.0, self._cues[0] - self._reached)
        return gap_s if self._max_idle_s is None else min(gap_s, self._max_idle_s)

    def add(self, cues: "Iterable[float]") -> None:
        """Add later cues, in order."""
        was_waiting = not self._cues
        self._cues += cues
        if was_waiting and self._cues:
            # The time spent waiting for cues must not let the next ones rush by.
            self._since_s = min(self._since_s, self._gap_s)

    def tick(self, now: float) -> int:
        """Let time pass, and return the number of cues that were reached."""
        passed_s, self._now = max(0.0, now - self._now), now
        if self.is_paused:
            return 0
        self._since_s += passed_s * self.speed
        count = 0
        while self._cues and self._since_s >= self._gap_s:
            self._since_s -= self._gap_s
            self._reached = self._cues.popleft()
            count += 1
        return count

    def pause(self, now: float, *, on: bool) -> int:
        """Pause or continue, and return the number of cues that were reached before."""
        count = self.tick(now)
        self.is_paused = on
        return count

    def skip(self) -> int:
        """Go forward to the next cue, and return the number of cues that were reached, 0 or 1."""
        if not self._cues:
            return 0
        self._reached, self._since_s = self._cues.popleft(), 0.0
        return 1

    def restart(self, moment: float) -> None:
        """Forget all cues, and continue at a moment."""
        self._cues.clear()
        self._reached, self._since_s = moment, 0.0

"""Limit the frame rate: at once after a pause, and at most sixty frames a second on average."""

from __future__ import annotations

RATE = 60
"""Frames per second while a pane changes constantly."""
BURST, BURST_S = 4, 0.004
"""After a pause, this many frames may follow at this interval, so that replies to keys are visible at once."""

HURRY_S = 0.001
"""The minimum interval before a frame that a user waits for."""


class Pace:
    """The pace of one pane's frames.

    Attributes:
        next: The earliest time of the next frame; in the past if it may be sent now.
    """

    __slots__ = ("_at", "_credit", "next")

    def __init__(self) -> None:
        self.next = 0.0
        self._credit, self._at = float(BURST), 0.0

    def hurry(self) -> None:
        """Allow the next frame soon: a user waits for it."""
        self.next = min(self.next, self._at + HURRY_S)

    def step(self, now: float) -> None:
        """Record a frame."""
        self._credit = min(BURST, self._credit + (now - self._at) * RATE) - 1
        self._at = now
        self.next = now + (BURST_S if self._credit >= 1 else (1 - self._credit) / RATE)

"""How often something may be shown: at once after quiet, and never more than sixty times a second for long."""

from __future__ import annotations

RATE = 60
"""Pictures a second of what never stops changing."""
BURST, BURST_S = 4, 0.004
"""After quiet, so many may follow each other faster, so that answers to keys are there at once."""

HURRY_S = 0.001
"""How soon a picture may follow another that somebody waits for."""


class Pace:
    """When the next picture may follow.

    Attributes:
        next: The moment; in the past when nothing has to be waited for.
    """

    __slots__ = ("_at", "_credit", "next")

    def __init__(self) -> None:
        self.next = 0.0
        self._credit, self._at = float(BURST), 0.0

    def hurry(self) -> None:
        """Let the next picture follow soon: somebody waits for it."""
        self.next = min(self.next, self._at + HURRY_S)

    def step(self, now: float) -> None:
        """Take note of a picture."""
        self._credit = min(BURST, self._credit + (now - self._at) * RATE) - 1
        self._at = now
        self.next = now + (BURST_S if self._credit >= 1 else (1 - self._credit) / RATE)

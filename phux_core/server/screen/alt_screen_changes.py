"""Find the lines that appeared on the alternate screen, where text is drawn in any order and in several pieces.

As in row_changes.py, each read of a screen is recorded. For a client that refers to one of the latest reads, this
module finds the lines that appeared since, and those that they replaced.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING

from phux_core.width import join_wrapped

if TYPE_CHECKING:
    from phux_core.engine.protocol import Engine, Lines

# Reads that are remembered: those between a snapshot and a wait for changes since.
_LOOKS = 32


class Looks:
    """The lines on one pane's alternate screen at each read; none while the main screen was shown."""

    def __init__(self) -> None:
        self._looks: deque[tuple[int, list[str]]] = deque(maxlen=_LOOKS)

    def add(self, seq: int, lines: list[str]) -> None:
        """Record the lines at a sequence number."""
        if self._looks and self._looks[-1][1] == lines:
            self._looks.pop()
        self._looks.append((seq, lines))

    def first_since(self, seq: int) -> list[str]:
        """Return the lines at a sequence number that is not in the future.

        If there was no read at that moment, the next one is used, so that older lines are never considered new.
        """
        return next(lines for look, lines in self._looks if look >= seq)

    @property
    def latest(self) -> list[str]:
        """The lines at the last read."""
        return self._looks[-1][1]


def lines_shown(engine: Engine, lines: Lines) -> list[str]:
    """Join the rows of the alternate screen to lines; return none while the main screen is shown."""
    if not engine.alt_screen:
        return []
    wrapped = {row for row, goes_on in enumerate(lines.wrapped) if goes_on}
    return [line for line in join_wrapped(lines.text, wrapped, engine.cols) if line]


def difference(before: list[str], now: list[str]) -> dict[str, list[str]]:
    """Return the lines that appeared, and those that disappeared. A line that only moved is neither."""
    came, gone = Counter(now), Counter(before)
    return {"lines": list((came - gone).elements()), "instead_of": list((gone - came).elements())}

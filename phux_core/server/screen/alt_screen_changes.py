"""What appears on the alternate screen, where nothing flows and a text is drawn in any number of pieces.

As with row_changes.py, every screen that is handed out is a look. The latest looks are remembered: a client that
refers to one is told which lines appeared since, and which lines they replaced. Other screens need none of this.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING

from phux_core.width import join_wrapped

if TYPE_CHECKING:
    from phux_core.engine.protocol import Engine, Lines

# Looks that are remembered: those between a snapshot and a wait for what came after it.
_LOOKS = 32


class Looks:
    """What stood on one pane's alternate screen whenever somebody looked; nothing while another was shown."""

    def __init__(self) -> None:
        self._looks: deque[tuple[int, list[str]]] = deque(maxlen=_LOOKS)

    def add(self, seq: int, lines: list[str]) -> None:
        """Take note of what stands there when the program has written so many bytes."""
        if self._looks and self._looks[-1][1] == lines:
            self._looks.pop()
        self._looks.append((seq, lines))

    def first_since(self, seq: int) -> list[str]:
        """Say what stood there at a moment that is not in the future.

        If nobody looked just then it is the first look after it: what was there before is never taken for new.
        """
        return next(lines for look, lines in self._looks if look >= seq)

    @property
    def latest(self) -> list[str]:
        """What stood there at the last look."""
        return self._looks[-1][1]


def lines_shown(engine: Engine, lines: Lines) -> list[str]:
    """Join the rows of the alternate screen to lines; return none while another screen is shown."""
    if not engine.alt_screen:
        return []
    wrapped = {row for row, goes_on in enumerate(lines.wrapped) if goes_on}
    return [line for line in join_wrapped(lines.text, wrapped, engine.cols) if line]


def difference(before: list[str], now: list[str]) -> dict[str, list[str]]:
    """Say which lines came, and which are not there any more. One that only moved is neither."""
    came, gone = Counter(now), Counter(before)
    return {"lines": list((came - gone).elements()), "instead_of": list((gone - came).elements())}

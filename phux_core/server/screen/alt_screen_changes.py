"""What appears on the alternate screen, where nothing flows and a text is drawn in any number of pieces.

As with changes.py, every screen that is handed out is a look. What stood there at the latest of them is remembered, so
that somebody who refers to one is told what came, and what it came in place of. Elsewhere there is nothing to do.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from phux_core.width import join_wrapped

if TYPE_CHECKING:
    from phux_core.engine.protocol import Lines
    from phux_core.server.pane import Pane

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


def look(pane: Pane, lines: Lines) -> None:
    """Take note of a pane's screen as it is."""
    engine = pane.engine
    whole: list[str] = []
    if engine.alt_screen:
        wrapped = {row for row, goes_on in enumerate(lines.wrapped) if goes_on}
        whole = [line for line in join_wrapped(lines.text, wrapped, engine.cols) if line]
    looks_of(pane).add(pane.seq, whole)


def difference(before: list[str], now: list[str]) -> dict[str, list[str]]:
    """Say which lines came, and which are not there any more. One that only moved is neither."""
    came, gone = Counter(now), Counter(before)
    return {"lines": list((came - gone).elements()), "instead_of": list((gone - came).elements())}


_looks: WeakKeyDictionary[Pane, Looks] = WeakKeyDictionary()


def looks_of(pane: Pane) -> Looks:
    """Give a pane's looks. They live as long as the pane, and begin anew with the service."""
    looks = _looks.get(pane)
    if looks is None:
        looks = _looks[pane] = Looks()
    return looks

"""Find the changes of a screen since a sequence number: rows, and lines of the alternate screen.

Nothing is recorded while a program writes: each read of a screen is recorded, and compared with earlier ones. Rows
that only scrolled up count as unchanged. On the alternate screen, text is drawn in any order and in several pieces, so
whole lines are compared there, wherever they are.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Any, NamedTuple

from phux_core.width import join_wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from phux_core.engine.protocol import Engine, Lines

# Reads that are remembered; since an older one, all rows count as changed.
_READS = 512
# Reads of the alternate screen that are remembered: those between a snapshot and a wait for changes since.
_ALT_READS = 32


class Change(NamedTuple):
    """The changes since a sequence number.

    Attributes:
        full: Whether all rows count as changed, because it is too long ago or the size has changed since.
        scrolled: By how many rows the screen has scrolled up.
        rows: The changed rows.
    """

    full: bool
    scrolled: int
    rows: list[int]


class RowClock:
    """The sequence numbers at which each row of a screen was last seen to change."""

    def __init__(self) -> None:
        self._shape: object = None
        self._text: list[str] = []
        self._styles: list[Any] = []
        self._seen_at: list[int] = []
        self._scrolled = 0
        self._looks: deque[tuple[int, int]] = deque(maxlen=_READS)

    def look(self, seq: int, shape: object, text: Sequence[str], styles: Sequence[Any] | None = None) -> None:
        """Record the current screen.

        Only screens of the same shape are compared, and styles only if they were read.
        """
        latest = self._looks[-1][0] if self._looks else -1
        if shape != self._shape:
            self._shape = shape
            self._looks.clear()
            self._text, self._seen_at = list(text), [seq] * len(text)
            self._styles = [None] * len(text) if styles is None else list(styles)
            if seq == latest:
                return  # resized: an earlier read at this sequence number returned another screen
        elif text != self._text or styles is not None:
            self._compare(seq, list(text), styles)
        if seq != latest or not self._looks:
            self._looks.append((seq, self._scrolled))
        else:
            self._looks[-1] = (seq, self._scrolled)

    def since(self, seq: int) -> Change:
        """Return the changes since a sequence number; all rows if it is in the future, and so maybe another pane's."""
        known = bool(self._looks) and seq <= self._looks[-1][0]
        scrolled = next((scrolled for look, scrolled in reversed(self._looks) if known and look <= seq), None)
        if scrolled is None:
            return Change(full=True, scrolled=0, rows=list(range(len(self._text))))
        rows = [row for row, seen_at in enumerate(self._seen_at) if seen_at > seq]
        return Change(full=False, scrolled=min(self._scrolled - scrolled, len(self._text)), rows=rows)

    def _compare(self, seq: int, text: list[str], styles: Sequence[Any] | None) -> None:
        shift = _shift(self._text, text)
        seen_at, known_styles = [], []
        for row, line in enumerate(text):
            old = row + shift
            same = old < len(self._text) and self._text[old] == line
            style = self._styles[old] if same else None
            if styles is not None:
                same = same and style == styles[row]
                style = styles[row]
            seen_at.append(self._seen_at[old] if same else seq)
            known_styles.append(style)
        self._text, self._seen_at, self._styles = text, seen_at, known_styles
        self._scrolled += shift


def _shift(old: list[str], new: list[str]) -> int:
    """Return by how many rows a screen has scrolled up.

    The first new row must occur in the old screen, followed by most of the rows that follow it now; the last row may
    have changed before it scrolled.
    """
    if not new[0] or sum(a == b for a, b in zip(old, new, strict=True)) * 2 > len(new):
        return 0
    for shift in range(1, len(old) - 1):
        if old[shift] == new[0]:
            pairs = [(a, b) for a, b in zip(old[shift:], new, strict=False) if a]
            if sum(a == b for a, b in pairs) >= max(2, len(pairs) - 1):
                return shift
    return 0


class Looks:
    """The lines on one pane's alternate screen at each read; none while the main screen was shown."""

    def __init__(self) -> None:
        self._looks: deque[tuple[int, list[str]]] = deque(maxlen=_ALT_READS)

    def add(self, seq: int, lines: list[str]) -> None:
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

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


class ScreenReads:
    """The latest reads of one pane's screen, and where each row was last seen to change.

    Attributes:
        alt_lines: The lines on the alternate screen at the latest read; none if the main screen was shown.
    """

    def __init__(self) -> None:
        self.alt_lines: list[str] = []
        self._shape: object = None
        self._text: list[str] = []
        self._styles: list[Any] = []
        self._seen_at: list[int] = []
        self._scrolled = 0
        self._reads: deque[tuple[int, int]] = deque(maxlen=_READS)  # how far the screen had scrolled
        self._alt_reads: deque[tuple[int, list[str]]] = deque(maxlen=_ALT_READS)

    def add(self, engine: Engine, seq: int, lines: Lines, styles: Sequence[Any] | None = None) -> None:
        """Record the current screen.

        Only screens of the same size and kind are compared, and styles only if they were read.
        """
        latest = self._reads[-1][0] if self._reads else -1
        shape, text = (engine.cols, engine.rows, engine.alt_screen), lines.text
        self._add_alt_lines(seq, _joined(lines, engine.cols) if engine.alt_screen else [])
        if shape != self._shape:
            self._shape = shape
            self._reads.clear()
            self._text, self._seen_at = list(text), [seq] * len(text)
            self._styles = [None] * len(text) if styles is None else list(styles)
            if seq == latest:
                return  # resized: an earlier read at this sequence number returned another screen
        elif text != self._text or styles is not None:
            self._compare(seq, list(text), styles)
        if seq == latest:
            self._reads.pop()
        self._reads.append((seq, self._scrolled))

    def _add_alt_lines(self, seq: int, lines: list[str]) -> None:
        if self._alt_reads and self.alt_lines == lines:
            self._alt_reads.pop()
        self._alt_reads.append((seq, lines))
        self.alt_lines = lines

    def alt_lines_at(self, seq: int) -> list[str]:
        """Return the lines on the alternate screen at a sequence number that is not in the future.

        If there was no read at that moment, the next one is used, so that older lines are never considered new.
        """
        return next(lines for read, lines in self._alt_reads if read >= seq)

    def since(self, seq: int) -> Change:
        """Return the changes since a sequence number; all rows if it is in the future, and so maybe another pane's."""
        known = bool(self._reads) and seq <= self._reads[-1][0]
        scrolled = next((scrolled for read, scrolled in reversed(self._reads) if known and read <= seq), None)
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


def _joined(lines: Lines, cols: int) -> list[str]:
    """Join the rows of a screen to lines."""
    wrapped = {row for row, goes_on in enumerate(lines.wrapped) if goes_on}
    return [line for line in join_wrapped(lines.text, wrapped, cols) if line]


def difference(before: list[str], now: list[str]) -> dict[str, list[str]]:
    """Return the lines that appeared, and those that disappeared. A line that only moved is neither."""
    came, gone = Counter(now), Counter(before)
    return {"lines": list((came - gone).elements()), "instead_of": list((gone - came).elements())}

"""How many columns a character takes, and text turned into cells.

A row of the pyte engine is one ``str`` in which every character stands for one column. A wide glyph is followed
by ``WIDE``, the place of its right half. Code points of no width cannot stand there at all: ``to_cells`` puts
``ZERO`` in front of each, and the screen takes the pairs out again and keeps them beside the text.

Both markers are surrogates, which no decoder of UTF-8 lets through, so that no program can write them.

Widths go by code point, as in xterm and as libghostty does while mode 2027 (grapheme clusters) is off: a family
emoji of three people joined by ZWJ takes six columns. The tables are wcwidth's, which pyte itself uses, except that
spacing combining marks (Mc) take a column, as terminals draw them.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from wcwidth.table_wide import WIDE_EASTASIAN
from wcwidth.table_zero import ZERO_WIDTH

if TYPE_CHECKING:
    from collections.abc import Mapping

WIDE = "\ud800"
"""Stands in the column of a wide glyph's right half."""

ZERO = "\ud801"
"""In the result of ``to_cells``: the next character has no width."""

_CACHE_LIMIT = 16_384

_Ranges = tuple[tuple[int, int], ...]


def _newest(tables: Mapping[str, _Ranges]) -> _Ranges:
    """The table of the latest Unicode version in ``tables``."""
    return tables[max(tables, key=lambda version: tuple(int(part) for part in version.split(".")))]


_ZERO_RANGES = _newest(ZERO_WIDTH)
_WIDE_RANGES = _newest(WIDE_EASTASIAN)


def _within(code: int, ranges: _Ranges) -> bool:
    low, high = 0, len(ranges)
    while low < high:
        middle = (low + high) // 2
        if code > ranges[middle][1]:
            low = middle + 1
        else:
            high = middle
    return low < len(ranges) and ranges[low][0] <= code


def width(char: str) -> int:
    """Columns that one printable character takes: 0, 1 or 2.

    Example:
        >>> [width(char) for char in ("a", "\u65e5", "\u0301")]
        [1, 2, 0]
    """
    code = ord(char)
    if code < 0x300:
        return 1  # the soft hyphen too: terminals show it
    if _within(code, _ZERO_RANGES):
        return 1 if unicodedata.category(char) == "Mc" else 0
    return 2 if _within(code, _WIDE_RANGES) else 1


class _CellTable(dict[int, str]):
    """Filled as characters are met: a table of all of Unicode would cost more than most panes ever use."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        columns = width(char)
        cell = char if columns == 1 else char + WIDE if columns else ZERO + char
        if len(self) >= _CACHE_LIMIT:
            self.clear()
        self[code] = cell
        return cell


_CELLS = _CellTable()


def to_cells(text: str) -> str:
    """Turn printable text into cells: wide glyphs followed by ``WIDE``, zero-width ones led by ``ZERO``."""
    return text if text.isascii() else text.translate(_CELLS)


def glyphs(cells: str) -> list[tuple[str, bool]]:
    """The glyphs of some cells, each with whether it is wide."""
    following = (*cells[1:], "")
    return [(cell, behind == WIDE) for cell, behind in zip(cells, following, strict=True) if cell != WIDE]

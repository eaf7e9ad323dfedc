"""Text turned into cells.

A row of the pyte engine is one ``str`` in which every character stands for one column. A wide glyph is followed
by ``WIDE``, the place of its right half. Code points of no width cannot stand there at all: ``to_cells`` puts
``ZERO`` in front of each, and the screen takes the pairs out again and keeps them beside the text.

Both markers are surrogates, which no decoder of UTF-8 lets through, so that no program can write them.
"""

from __future__ import annotations

from phux_core.width import character_columns

WIDE = "\ud800"
"""Stands in the column of a wide glyph's right half."""

ZERO = "\ud801"
"""In the result of ``to_cells``: the next character has no width."""

_CACHE_LIMIT = 16_384


class _CellTable(dict[int, str]):
    """Filled as characters are met: a table of all of Unicode would cost more than most panes ever use."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        columns = character_columns(char)
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

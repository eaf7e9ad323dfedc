"""Conversion of text to cells.

A row of the pyte engine is one ``str`` in which every character takes one column. A wide glyph is followed by ``WIDE``,
its right half. Zero-width code points cannot be part of the row: ``to_cells`` puts ``ZERO`` before each, and the screen
removes these pairs and stores them separately.

Both markers are surrogates, which UTF-8 decoders reject, so that no program can write them.
"""

from __future__ import annotations

from phux_core.width import character_columns

WIDE = "\ud800"
"""The right half of a wide glyph."""

ZERO = "\ud801"
"""In the result of ``to_cells``: the next character has zero width."""

_CACHE_LIMIT = 16_384


class _CellTable(dict[int, str]):
    """A table filled on demand: one for all of Unicode would cost more than most panes use."""

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
    """Convert printable text to cells: ``WIDE`` follows wide glyphs, ``ZERO`` precedes zero-width ones."""
    return text if text.isascii() else text.translate(_CELLS)


def glyphs(cells: str) -> list[tuple[str, bool]]:
    """Return the glyphs of some cells, each with True if it is wide."""
    following = (*cells[1:], "")
    return [(cell, next_cell == WIDE) for cell, next_cell in zip(cells, following, strict=True) if cell != WIDE]

"""The cells of a screen, as plain data.

A cell is a glyph and a style. A style is the parameters of the SGR sequence that draws it (``"1;38;5;2"``, empty for
plain), as the server sends them; in a hyperlink, a space and the URI follow. A wide glyph is followed by a cell without
a glyph, its right half. Rows never contain half of a wide glyph: cut them with ``fit``.
"""

import re

from phux_core.printable import CONTROLS
from phux_core.width import character_columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    Cell: TypeAlias = tuple[str, str]
    Row: TypeAlias = list[Cell]
    Run: TypeAlias = tuple[int, int, "str | list[str]", str] | tuple[int, int, "str | list[str]", str, str]
    Cursor: TypeAlias = tuple[int, int, int]
    """The cursor's column and row, from 0, and the DECSCUSR number of its shape; 0 is the terminal's default."""

BLANK: "Cell" = (" ", "")
_CONTROLS = re.compile(f"[{CONTROLS}\t\n\ud800-\udfff]")
_URI = re.compile("[!-~]+")
_ASCII: "dict[str, list[Cell]]" = {}
_MAX_STYLES = 512


class Canvas:
    """A whole screen: rows of ``cols`` cells, and the cursor, or None if it is hidden."""

    __slots__ = ("cols", "cursor", "rows")

    def __init__(self, cols: int, rows: "list[Row]", cursor: "Cursor | None" = None) -> None:
        self.cols = cols
        self.rows = rows
        self.cursor = cursor


def cells_of(text: str, style: str = "") -> "Row":
    """Convert text to cells: controls become question marks, and combining marks join their base character.

    Example:
        >>> cells_of("a語", "1")
        [('a', '1'), ('語', '1'), ('', '1')]
    """
    if text.isascii():
        return list(map(_table(style).__getitem__, text.encode()))
    row: Row = []
    for character in _CONTROLS.sub("?", text):
        width = character_columns(character)
        if not width:
            # A combining mark or a joiner: it belongs to the glyph before it, if there is one.
            if row and character.isprintable():
                at = -2 if not row[-1][0] and len(row) > 1 else -1
                row[at] = (row[at][0] + character, style)
        else:
            row.append((character, style))
            if width == 2:
                row.append(("", style))
    return row


def _table(style: str) -> "list[Cell]":
    """Return the cells of all ASCII characters in one style, so that equal cells are one object."""
    table = _ASCII.get(style)
    if table is None:
        if len(_ASCII) >= _MAX_STYLES:
            _ASCII.clear()
        table = _ASCII[style] = [(_CONTROLS.sub("?", chr(code)), style) for code in range(128)]
        table[32] = BLANK if not style else table[32]
    return table


def row_of(runs: "Sequence[Run]", cols: int) -> "Row":
    """Return a row from the runs that the server sent.

    Args:
        runs: ``[column, width, glyphs, style]`` each, and the URI of a hyperlink; glyphs are a string with one
            character per cell, or a list.
    """
    row: Row = [BLANK] * cols
    for column, width, glyphs, style, *link in runs:
        if link and _URI.fullmatch(link[0]):
            style = f"{style} {link[0]}"  # noqa: PLW2901
        if width == 1 and isinstance(glyphs, str) and glyphs.isascii():
            table = _ASCII.get(style) or _table(style)
            row[column : column + len(glyphs)] = map(table.__getitem__, glyphs.encode())
        elif width == 1:
            row[column : column + len(glyphs)] = [(glyph, style) for glyph in _clean(glyphs)]
        else:
            cells = [cell for glyph in _clean(glyphs) for cell in ((glyph, style), ("", style))]
            row[column : column + len(cells)] = cells
    return row if len(row) == cols else fit(row, cols)


def _clean(glyphs: "str | list[str]") -> "Sequence[str]":
    """Replace control characters, which the terminal would execute, even if the server sent them."""
    if isinstance(glyphs, str):
        return _CONTROLS.sub("?", glyphs)
    return [_CONTROLS.sub("", glyph) or "?" for glyph in glyphs]


def fit(row: "Row", cols: int, first: int = 0) -> "Row":
    """Cut a row at the column ``first``, and cut or pad it to a width; half of a wide glyph becomes a blank."""
    cut = row[first : first + cols]
    if cut and not cut[0][0]:
        cut[0] = (" ", cut[0][1])
    end = first + len(cut)
    if cut and end < len(row) and not row[end][0] and cut[-1][0]:
        cut[-1] = (" ", cut[-1][1])
    return cut + [BLANK] * (cols - len(cut)) if len(cut) < cols else cut


def overlay(row: "Row", cells: "Row", column: int) -> "Row":
    """Return the row with cells drawn over it from a column on; cells that do not fit are cut off."""
    width = len(row)
    if column >= width:
        return row
    shown = fit(cells, min(len(cells), width - column))
    end = column + len(shown)
    return fit(row, column) + shown + (fit(row, width - end, end) if end < width else [])

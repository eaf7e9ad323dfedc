"""One row of cells, and the operations that change it without leaving half a glyph.

A row is one ``str`` of cells (see ``widths``), only as long as the text written: columns after its end are blank in the
default style. Styles are a second ``str`` with one character per cell, the id of its style; it is empty until a style
appears, and missing ids mean the default. Two strings are as small as a row can be in Python, they slice and compare at
memory speed, and unchanged copies of a row share them.

Invariants: no string is longer than the grid is wide; ``styles`` is never longer than ``text``; ``WIDE`` always
follows the glyph it belongs to.
"""

from __future__ import annotations

import re

from phux_core.engine.pyte.widths import WIDE

DEFAULT = "\0"
"""The id of the default style."""

MAX_MARKS = 16
"""Maximum number of zero-width code points on one cell, to bound memory; a family emoji needs six."""

_RUN = re.compile(r"(.)\1*", re.DOTALL)


class Row:
    """A row.

    Attributes:
        text: The cells.
        styles: Style ids of the cells; may be shorter than ``text``.
        marks: Zero-width code points of cells, by column; None if there are none.
        wrapped: Whether the line continues in the next row.
    """

    __slots__ = ("marks", "styles", "text", "wrapped")

    def __init__(
        self, text: str = "", styles: str = "", marks: dict[int, str] | None = None, wrapped: bool = False
    ) -> None:
        self.text = text
        self.styles = styles
        self.marks = marks
        self.wrapped = wrapped

    def shown(self) -> str:
        """Return the row as displayed, without trailing spaces."""
        text = self.text
        marks = self.marks
        if marks:
            pieces: list[str] = []
            before = 0
            for column in sorted(marks):
                pieces += (text[before : column + 1], marks[column])
                before = column + 1
            text = "".join((*pieces, text[before:]))
        if not text.isascii():
            text = text.replace(WIDE, "")
        return text.rstrip(" ")

    def is_blank(self) -> bool:
        """Return whether nothing was written to the row since it was last erased; written spaces count."""
        return not self.text


def paint(styles: str, start: int, count: int, style: str) -> str:
    """Set the style of ``count`` cells from ``start`` on."""
    size = len(styles)
    if size < start:
        if style == DEFAULT:
            return styles
        return styles + DEFAULT * (start - size) + style * count
    if size == start and style == DEFAULT:
        return styles
    return styles[:start] + style * count + styles[start + count :]


def sever(row: Row, column: int, blank: str) -> None:
    """Split the row at ``column``: blank a wide glyph that crosses it, in style ``blank``."""
    text = row.text
    if 0 < column < len(text) and text[column] == WIDE:
        row.text = text[: column - 1] + "  " + text[column + 1 :]
        if row.styles or blank != DEFAULT:
            row.styles = paint(row.styles, column - 1, 2, blank)
        _drop_marks(row, column - 1, column + 1)


def put(row: Row, column: int, cells: str, style: str, blank: str) -> None:
    """Overwrite cells at ``column``; remaining halves of glyphs become blanks of style ``blank``."""
    end = column + len(cells)
    text = row.text
    size = len(text)
    if column >= size:
        row.text = text + " " * (column - size) + cells
    else:
        if not text.isascii():
            sever(row, column, blank)
            sever(row, end, blank)
            text = row.text
        row.text = text[:column] + cells + text[end:]
        if row.marks:
            _drop_marks(row, column, end)
    if row.styles or style != DEFAULT:
        row.styles = paint(row.styles, column, end - column, style)


def erase(row: Row, start: int, end: int, style: str) -> None:
    """Blank columns ``start`` to ``end - 1``, in ``style``."""
    text = row.text
    size = len(text)
    if start < size:
        if not text.isascii():
            sever(row, start, style)
            sever(row, end, style)
            text = row.text
        if row.marks:
            _drop_marks(row, start, end)
        if end >= size:
            row.text = text[:start]
            row.styles = row.styles[:start]
        else:
            row.text = text[:start] + " " * (end - start) + text[end:]
            if row.styles:
                row.styles = paint(row.styles, start, end - start, DEFAULT)
    if style != DEFAULT and end > start:
        row.text = row.text.ljust(end)
        row.styles = paint(row.styles, start, end - start, style)


def insert(row: Row, column: int, count: int, style: str, columns: int) -> None:
    """Shift the cells from ``column`` on to the right; those that leave the grid are lost."""
    if column >= len(row.text):
        if style != DEFAULT:
            erase(row, column, min(column + count, columns), style)
        return
    sever(row, column, style)
    text = row.text
    if row.styles or style != DEFAULT:
        styles = row.styles.ljust(column, DEFAULT)
        row.styles = (styles[:column] + style * count + styles[column:])[:columns]
    if row.marks:
        _move_marks(row, column, count)
    row.text = text[:column] + " " * count + text[column:]
    trim(row, columns, style)


def delete(row: Row, column: int, count: int, style: str, columns: int) -> None:
    """Remove ``count`` cells at ``column``, and blank the columns freed at the end."""
    size = len(row.text)
    if column < size:
        end = column + count
        sever(row, column, style)
        sever(row, end, style)
        row.text = row.text[:column] + row.text[end:]
        row.styles = row.styles[:column] + row.styles[end:]
        if row.marks:
            _drop_marks(row, column, end)
            _move_marks(row, column, -count)
    if style != DEFAULT:
        erase(row, max(columns - count, column), columns, style)


def trim(row: Row, columns: int, blank: str = DEFAULT) -> None:
    """Remove cells beyond the grid."""
    if len(row.text) > columns:
        sever(row, columns, blank)
        row.text = row.text[:columns]
        if row.marks:
            _drop_marks(row, columns, len(row.text) + len(row.marks) + max(row.marks) + 1)
    if len(row.styles) > len(row.text):
        row.styles = row.styles[: len(row.text)]


def add_mark(row: Row, column: int, mark: str) -> None:
    """Add a zero-width code point to the cell at ``column``, unless the cell has ``MAX_MARKS``."""
    if row.text[column] == WIDE:
        column -= 1
    if row.marks is None:
        row.marks = {}
    marks = row.marks.get(column, "")
    if len(marks) < MAX_MARKS:
        row.marks[column] = marks + mark


def runs(styles: str) -> list[tuple[int, int, str]]:
    """Split a string of style ids into runs: start, end, id."""
    return [(match.start(), match.end(), match[1]) for match in _RUN.finditer(styles)]


def _drop_marks(row: Row, start: int, end: int) -> None:
    if row.marks:
        row.marks = {column: mark for column, mark in row.marks.items() if not start <= column < end} or None


def _move_marks(row: Row, start: int, distance: int) -> None:
    if row.marks:
        row.marks = {column + distance if column >= start else column: mark for column, mark in row.marks.items()}

"""The grid of the pyte engine: pyte's screen with rows of text in place of its matrix of cells.

``Screen`` keeps pyte's names, its cursor, margins, tab stops and mode numbers, and inherits the control functions that
pyte implements correctly (those that only move the cursor). Everything that touches cells is reimplemented on ``rows``.
As in pyte, a pending wrap is a cursor in the column after the last.

This module does not handle bytes, escape sequences, replies or the alternate screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyte.modes as mo
from pyte.screens import Cursor, Margins
from pyte.screens import Screen as PyteScreen

from phux_core.engine.pyte import rows as cells_of
from phux_core.engine.pyte.rows import DEFAULT, Row
from phux_core.engine.pyte.widths import WIDE, ZERO, glyphs, to_cells

if TYPE_CHECKING:
    from phux_core.engine.pyte.history import History
    from phux_core.engine.pyte.styles import StyleTable

REVERSE_WRAP = 45 << 5


class Screen(PyteScreen):
    """Rows, a cursor, and the operations on them.

    Attributes:
        history: Receives rows that scroll off the top.
        scrolls_into_history: Whether rows that scroll off the top are kept; the alternate screen has no history.
        style: The id of the current style.
        last: The text drawn last; REP repeats its last glyph.
    """

    columns: int
    lines: int
    cursor: Cursor
    mode: set[int]
    margins: Margins | None
    tabstops: set[int]

    def __init__(self, columns: int, lines: int, styles: StyleTable, history: History) -> None:
        self.styles = styles
        self.rows: list[Row] = [Row() for _ in range(lines)]
        self.history = history
        self.scrolls_into_history = True
        self.style = DEFAULT
        self.last = ""
        self.wraps = True
        self.inserts = False
        self.charmap: dict[int, str] | None = None
        super().__init__(columns, lines)

    # Drawing.

    def draw(self, data: str) -> None:
        """Write printable text at the cursor."""
        cursor = self.cursor
        x = cursor.x
        end = x + len(data)
        if end > self.columns or self.inserts or self.charmap is not None or not data.isascii():
            self._draw_any(data)
            return
        cells_of.put(self.rows[cursor.y], x, data, self.style, self.styles.blank(self.style))
        cursor.x = end
        self.last = data

    def _draw_any(self, data: str) -> None:
        if self.charmap is not None:
            data = data.translate(self.charmap)
        cells = to_cells(data)
        if ZERO not in cells:
            self._draw_cells(cells)
            return
        first, *rest = cells.split(ZERO)
        if first:
            self._draw_cells(first)
        for piece in rest:
            self._draw_mark(piece[0])
            if len(piece) > 1:
                self._draw_cells(piece[1:])

    def _draw_mark(self, mark: str) -> None:
        """Add a zero-width character to the cell before the cursor; drop it if there is no such cell."""
        column = min(self.cursor.x, self.columns) - 1
        row = self.rows[self.cursor.y]
        if 0 <= column < len(row.text):
            cells_of.add_mark(row, column, mark)

    def _draw_cells(self, cells: str) -> None:
        """Write cells, continuing in the next row at the end of one."""
        columns = self.columns
        cursor = self.cursor
        blank = self.styles.blank(self.style)
        self.last = cells
        if columns == 1 and WIDE in cells:
            # No wide glyph fits: replace each with a blank, so that the following text keeps its columns.
            cells = "".join(" " if wide else cell for cell, wide in glyphs(cells))
        while cells:
            x = cursor.x
            if x >= columns:
                if self.wraps:
                    self._wrap()
                    x = 0
                else:
                    x = columns - 1
            room = columns - x
            part = cells[:room]
            if len(cells) > room:
                if cells[room] == WIDE:
                    part = part[:-1]
                if not self.wraps:
                    self._draw_clipped(cells)
                    return
                if not part:
                    # A wide glyph does not fit into the last column: leave it blank, outside of the line.
                    row = self.rows[cursor.y]
                    cells_of.erase(row, x, columns, DEFAULT)
                    row.text = row.text.ljust(x)
                    cursor.x = columns
                    continue
            row = self.rows[cursor.y]
            if self.inserts:
                cells_of.insert(row, x, len(part), blank, columns)
            cells_of.put(row, x, part, self.style, blank)
            cursor.x = x + len(part)
            cells = cells[len(part) :]

    def _draw_clipped(self, cells: str) -> None:
        """Write cells that do not fit while autowrap is off: each excess glyph overwrites the last column."""
        columns = self.columns
        x = self.cursor.x
        blank = self.styles.blank(self.style)
        for glyph, wide in glyphs(cells):
            at = min(x, columns - 1)
            if at + 1 + wide > columns:
                continue  # skip half glyphs
            row = self.rows[self.cursor.y]
            if self.inserts:
                cells_of.insert(row, at, 1 + wide, blank, columns)
            cells_of.put(row, at, glyph + WIDE * wide, self.style, blank)
            x = at + 1 + wide
        self.cursor.x = min(x, columns)

    def _wrap(self) -> None:
        self.rows[self.cursor.y].wrapped = True
        self.index()
        self.cursor.x = 0

    def repeat(self, count: int | None = None) -> None:
        """REP: draw the last glyph again."""
        last = self.last
        if last:
            glyph = last[-2] if last[-1] == WIDE else last[-1]
            charmap, self.charmap = self.charmap, None
            # Limit the work to a screenful and its last row: nine bytes must not produce sixty thousand rows.
            full = self.columns * self.lines
            count = count or 1
            self.draw(glyph * (count if count <= full else full + (count - full) % self.columns))
            self.charmap = charmap

    # Scrolling.

    def new_rows(self, count: int) -> list[Row]:
        """Return blank rows as scrolling inserts them."""
        blank = self.styles.blank(self.style)
        if blank == DEFAULT:
            return [Row() for _ in range(count)]
        text, styles = " " * self.columns, blank * self.columns
        return [Row(text, styles) for _ in range(count)]

    def index(self) -> None:
        """Move down a row, scrolling at the bottom margin."""
        cursor = self.cursor
        if cursor.x >= self.columns:
            cursor.x = self.columns - 1
        if self.margins is None:
            if cursor.y == self.lines - 1:
                rows = self.rows
                if self.scrolls_into_history:
                    self.history.push(rows.pop(0))
                else:
                    del rows[0]
                rows += self.new_rows(1)
            else:
                cursor.y += 1
        elif cursor.y == self.margins.bottom:
            self.scroll_up(1)
        elif cursor.y < self.lines - 1:
            cursor.y += 1

    def reverse_index(self) -> None:
        """Move up a row, scrolling at the top margin."""
        self._settle_column()
        top = self.margins.top if self.margins else 0
        if self.cursor.y == top:
            self.scroll_down(1)
        elif self.cursor.y > 0:
            self.cursor.y -= 1

    def newline(self) -> None:
        """CR LF, the most common control, and NEL."""
        self.cursor.x = 0
        self.index()

    def scroll_up(self, count: int | None = None) -> None:
        """SU. Rows that leave the top of the screen go to the history."""
        top, bottom = self.margins or Margins(0, self.lines - 1)
        count = min(count or 1, bottom - top + 1)
        gone = self.rows[top : top + count]
        del self.rows[top : top + count]
        self.rows[bottom + 1 - count : bottom + 1 - count] = self.new_rows(count)
        if top == 0 and self.scrolls_into_history:
            self.history.extend(gone)

    def scroll_down(self, count: int | None = None) -> None:
        """SD."""
        top, bottom = self.margins or Margins(0, self.lines - 1)
        self._shift_down(top, bottom, count)

    def insert_lines(self, count: int | None = None) -> None:
        """IL."""
        top, bottom = self.margins or Margins(0, self.lines - 1)
        if top <= self.cursor.y <= bottom:
            self._shift_down(self.cursor.y, bottom, count)
            self.cursor.x = 0

    def delete_lines(self, count: int | None = None) -> None:
        """DL."""
        top, bottom = self.margins or Margins(0, self.lines - 1)
        y = self.cursor.y
        if top <= y <= bottom:
            count = min(count or 1, bottom - y + 1)
            del self.rows[y : y + count]
            self.rows[bottom + 1 - count : bottom + 1 - count] = self.new_rows(count)
            if y:
                self.rows[y - 1].wrapped = False
            self.cursor.x = 0

    def _shift_down(self, top: int, bottom: int, count: int | None) -> None:
        count = min(count or 1, bottom - top + 1)
        del self.rows[bottom + 1 - count : bottom + 1]
        self.rows[top:top] = self.new_rows(count)
        # Neither the row above the gap nor the last row kept continues in the next one any longer.
        if top:
            self.rows[top - 1].wrapped = False
        self.rows[bottom].wrapped = False

    # Erasing.

    def erase_in_line(self, how: int = 0, private: bool = False) -> None:  # noqa: ARG002  pyte's signature
        """EL and DECSEL."""
        cursor = self.cursor
        if how > 2 or (how == 0 and cursor.x >= self.columns):
            return  # with a wrap pending, nothing is after the cursor
        if cursor.x >= self.columns:
            cursor.x = self.columns - 1
        row = self.rows[cursor.y]
        start, end = 0 if how else cursor.x, cursor.x + 1 if how == 1 else self.columns
        cells_of.erase(row, start, end, self.styles.blank(self.style))
        if how != 1:
            row.wrapped = False

    def erase_in_display(self, how: int = 0, **_options: bool) -> None:
        """ED and DECSED. 3 clears only the history."""
        y = self.cursor.y
        if how == 0:
            self.erase_in_line(0)
            self._blank_rows(y + 1, self.lines)
        elif how == 1:
            self.erase_in_line(1)
            self._blank_rows(0, y)
        elif how == 2:
            self._settle_column()
            self._blank_rows(0, self.lines)
        elif how == 3 and self.scrolls_into_history:  # the alternate screen must not clear the primary's history
            self.history.clear()

    def _blank_rows(self, first: int, end: int) -> None:
        self.rows[first:end] = self.new_rows(end - first)

    def erase_characters(self, count: int | None = None) -> None:
        """ECH."""
        self._settle_column()
        x = self.cursor.x
        end = min(x + (count or 1), self.columns)
        row = self.rows[self.cursor.y]
        cells_of.erase(row, x, end, self.styles.blank(self.style))
        row.wrapped = False

    def insert_characters(self, count: int | None = None) -> None:
        """ICH."""
        self._settle_column()
        x = self.cursor.x
        count = min(count or 1, self.columns - x)
        row = self.rows[self.cursor.y]
        cells_of.insert(row, x, count, self.styles.blank(self.style), self.columns)

    def delete_characters(self, count: int | None = None) -> None:
        """DCH."""
        self._settle_column()
        x = self.cursor.x
        count = min(count or 1, self.columns - x)
        row = self.rows[self.cursor.y]
        cells_of.delete(row, x, count, self.styles.blank(self.style), self.columns)
        row.wrapped = False

    def alignment_display(self) -> None:
        """DECALN."""
        self.margins = None
        self.mode.discard(mo.DECOM)
        full = "E" * self.columns
        self.rows = [Row(full) for _ in range(self.lines)]
        self.cursor.x = self.cursor.y = 0

    # Cursor movement. pyte implements the rest correctly.

    def _settle_column(self) -> None:
        """Clear a pending wrap."""
        if self.cursor.x >= self.columns:
            self.cursor.x = self.columns - 1

    def cursor_up(self, count: int | None = None) -> None:
        """CUU: stop at the top margin, unless already above it."""
        self._settle_column()
        cursor = self.cursor
        top = self.margins.top if self.margins and cursor.y >= self.margins.top else 0
        cursor.y = max(cursor.y - (count or 1), top)

    def cursor_down(self, count: int | None = None) -> None:
        """CUD: stop at the bottom margin, unless already below it."""
        self._settle_column()
        cursor = self.cursor
        bottom = self.margins.bottom if self.margins and cursor.y <= self.margins.bottom else self.lines - 1
        cursor.y = min(cursor.y + (count or 1), bottom)

    def cursor_back(self, count: int | None = None) -> None:
        """CUB and BS: with reverse wrap (mode 45), continue into the row above if the line wrapped there."""
        cursor = self.cursor
        count = count or 1
        reverse = REVERSE_WRAP in self.mode and self.wraps
        if cursor.x >= self.columns:
            cursor.x = self.columns - 1
            count -= reverse  # clearing the pending wrap is the first step back
        if reverse:
            top = self.margins.top if self.margins and cursor.y >= self.margins.top else 0
            while count > cursor.x and cursor.y > top and self.rows[cursor.y - 1].wrapped:
                count -= cursor.x + 1
                cursor.y -= 1
                cursor.x = self.columns - 1
        cursor.x = max(cursor.x - count, 0)

    def cursor_position(self, line: int | None = None, column: int | None = None) -> None:
        """CUP: within the margins in origin mode, else anywhere."""
        cursor = self.cursor
        x = column - 1 if column else 0
        cursor.x = x if x < self.columns else self.columns - 1
        if self.margins is None:
            y = line - 1 if line else 0
            cursor.y = y if y < self.lines else self.lines - 1
        else:
            self.cursor_to_line_only(line or 1)

    def cursor_to_line(self, line: int | None = None) -> None:
        """VPA."""
        self._settle_column()
        self.cursor_to_line_only(line or 1)

    def cursor_to_line_only(self, line: int) -> None:
        """Move to a 1-based line, counted from the top margin in origin mode, else from the top of the screen."""
        if self.margins is not None and mo.DECOM in self.mode:
            self.cursor.y = min(line - 1 + self.margins.top, self.margins.bottom)
        else:
            self.cursor.y = min(line - 1, self.lines - 1)

    def cursor_down_anywhere(self, count: int | None = None) -> None:
        """VPR: like CUD, but not stopped by margins."""
        self._settle_column()
        self.cursor.y = min(self.cursor.y + (count or 1), self.lines - 1)

    def tab(self, count: int = 1) -> None:
        """HT and CHT."""
        x = self.cursor.x
        last = self.columns - 1
        for _ in range(count or 1):
            if x >= last:
                break
            x += 1
            while x < last and x not in self.tabstops:
                x += 1
            self.cursor.x = x

    def back_tab(self, count: int = 1) -> None:
        """CBT."""
        self._settle_column()
        x = self.cursor.x
        for _ in range(count or 1):
            if not x:
                break
            x -= 1
            while x and x not in self.tabstops:
                x -= 1
        self.cursor.x = x

"""Resize a terminal, reflowing soft-wrapped lines of the primary screen and its history.

The rules are libghostty's. Blank rows below the cursor and the text are dropped first; rows that do not fit leave at
the top. When the screen grows, rows return from the history if the cursor is on the last row; otherwise the new rows
stay empty at the bottom, so that the text at the cursor does not move. The cursor stays on its character, and blanks
before it count as text. The alternate screen is truncated and never reflows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from phux_core.engine.pyte.rows import DEFAULT, Row, trim
from phux_core.engine.pyte.widths import WIDE

if TYPE_CHECKING:
    from phux_core.engine.pyte.terminal import Terminal


class _Point(NamedTuple):
    """A position in a list of rows; a column equal to the width means a pending wrap."""

    x: int
    y: int


def resize(terminal: Terminal, columns: int, lines: int) -> None:
    """Resize a terminal."""
    old_columns, old_lines = terminal.columns, terminal.lines
    if (columns, lines) == (old_columns, old_lines):
        return
    cursor = _Point(terminal.cursor.x, terminal.cursor.y)
    saved = terminal.saved[0]
    primary_cursor = _Point(saved.x, min(saved.y, old_lines - 1)) if terminal.alternate else cursor
    alternate_cursor = cursor if terminal.alternate else _Point(0, old_lines - 1)
    primary, alternate = terminal.rows, terminal.hidden_rows
    if terminal.alternate:
        primary, alternate = alternate, primary

    history = terminal.history.take()
    primary, history, primary_cursor = _fit_primary(
        history, primary, primary_cursor, (old_columns, old_lines), (columns, lines)
    )
    terminal.history.columns = columns
    terminal.history.extend(history)
    alternate, alternate_cursor = _fit_alternate(alternate, alternate_cursor, columns, lines)

    terminal.columns, terminal.lines = columns, lines
    if terminal.alternate:
        terminal.rows, terminal.hidden_rows = alternate, primary
        cursor = alternate_cursor
        terminal.saved[0] = saved._replace(x=primary_cursor.x, y=primary_cursor.y)
    else:
        terminal.rows, terminal.hidden_rows = primary, alternate
        cursor = primary_cursor
    terminal.cursor.x, terminal.cursor.y = min(cursor.x, columns), cursor.y
    terminal.margins = None
    terminal.tabstops = {stop for stop in terminal.tabstops if stop < columns}
    terminal.tabstops.update(stop for stop in range(8, columns, 8) if stop >= old_columns)


def _fit_primary(
    history: list[Row], rows: list[Row], cursor: _Point, old: tuple[int, int], new: tuple[int, int]
) -> tuple[list[Row], list[Row], _Point]:
    """Return the rows of the screen, those of the history, and the cursor's position on the screen."""
    columns, lines = new
    everything = history + rows
    place = _Point(cursor.x, cursor.y + len(history))
    at_bottom = cursor.y == old[1] - 1
    pending = cursor.x >= old[0]
    # Change the height before narrowing, and after widening, so that it always changes at the larger width.
    if columns < old[0]:
        _change_lines(everything, place.y, old[1], lines, at_bottom=at_bottom)
        below = max(lines - 1 - cursor.y, 0)
        everything, place = _change_columns(everything, place, columns, lines, below, pending=pending)
    else:
        if columns > old[0]:
            below = old[1] - 1 - cursor.y
            everything, place = _change_columns(everything, place, columns, old[1], below, pending=pending)
        _change_lines(everything, place.y, old[1], lines, at_bottom=at_bottom)
    first = len(everything) - lines
    return everything[first:], everything[:first], _on_screen(place, first)


def _change_lines(rows: list[Row], cursor_y: int, old_lines: int, lines: int, *, at_bottom: bool) -> None:
    """Drop or add blank rows at the end, so that the last ``lines`` rows are the new screen."""
    for _ in range(old_lines - lines):
        if len(rows) - 1 <= cursor_y or not rows[-1].is_blank():
            return
        rows.pop()
    if lines > old_lines:
        missing = lines - len(rows) if at_bottom else lines - old_lines
        rows += [Row() for _ in range(missing)]


def _change_columns(
    rows: list[Row], cursor: _Point, columns: int, lines: int, below: int, *, pending: bool
) -> tuple[list[Row], _Point]:
    """Reflow all lines, and keep ``below`` rows below the cursor, minus those that reflowed lines need."""
    continued = _continued(rows, cursor.y, lines)
    rows, cursor = _reflow(_used(rows, cursor.y), cursor, columns, pending=pending)
    rows += [Row() for _ in range(lines - len(rows))]
    below -= max(_continued(rows, cursor.y, lines) - continued, 0)
    rows += [Row() for _ in range(below - (len(rows) - 1 - cursor.y))]
    return rows, cursor


def _continued(rows: list[Row], end: int, lines: int) -> int:
    """Count the rows of the screen, up to row ``end``, that continue the row before them."""
    first = len(rows) - lines
    return sum(row.wrapped for row in rows[max(first - 1, 0) : end])


def _fit_alternate(rows: list[Row], cursor: _Point, columns: int, lines: int) -> tuple[list[Row], _Point]:
    rows = _used(rows, cursor.y)
    first = max(0, len(rows) - lines)
    rows = rows[first:]
    for row in rows:
        trim(row, columns)
        row.wrapped = False
    rows += [Row() for _ in range(lines - len(rows))]
    return rows, _on_screen(_Point(min(cursor.x, columns - 1), cursor.y), first)


def _on_screen(place: _Point, first: int) -> _Point:
    """Return a position relative to row ``first``; positions above the screen become its origin."""
    return _Point(place.x, place.y - first) if place.y >= first else _Point(0, 0)


def _used(rows: list[Row], cursor_y: int) -> list[Row]:
    """Return the rows without trailing blank ones; the cursor's row stays."""
    end = len(rows)
    while end > cursor_y + 1 and rows[end - 1].is_blank():
        end -= 1
    return rows[:end]


def _reflow(rows: list[Row], cursor: _Point, columns: int, *, pending: bool) -> tuple[list[Row], _Point]:
    """Reflow all lines; return the rows and the cursor's position in them."""
    flowed: list[Row] = []
    new_cursor = cursor
    start = 0
    count = len(rows)
    while start < count:
        row = rows[start]
        if not row.wrapped and len(row.text) <= columns and start != cursor.y:
            # Most lines in most histories are of this kind: reuse their rows.
            flowed.append(row)
            start += 1
            continue
        end = start + 1
        while rows[end - 1].wrapped and end < count:
            end += 1
        group = rows[start:end]
        offset = None
        if start <= cursor.y < end:
            before = sum(len(part.text) for part in group[: cursor.y - start])
            offset = before + cursor.x - pending
        broken = _break(_join(group, offset or 0), columns)
        if offset is not None:
            x, y = _locate(broken, offset, columns)
            new_cursor = _Point(x + pending, len(flowed) + y)
        broken[-1].wrapped = rows[end - 1].wrapped
        flowed += broken
        start = end
    return flowed, new_cursor


def _join(group: list[Row], least: int) -> Row:
    """Join several rows into one of at least ``least`` cells."""
    text = "".join([row.text for row in group]).ljust(least)
    if any(row.styles for row in group):
        styles = "".join([row.styles.ljust(len(row.text), DEFAULT) for row in group])
    else:
        styles = ""
    marks: dict[int, str] = {}
    before = 0
    for row in group:
        if row.marks:
            marks |= {before + column: mark for column, mark in row.marks.items()}
        before += len(row.text)
    return Row(text, styles, marks or None)


def _break(line: Row, columns: int) -> list[Row]:
    """Split a line into rows of ``columns`` cells."""
    if columns == 1 and WIDE in line.text:
        _narrow(line)
    text = line.text
    size = len(text)
    rows: list[Row] = []
    start = 0
    while start < size or not rows:
        end = start + columns
        if end < size and text[end] == WIDE:
            end -= 1
        row = Row(text[start:end], line.styles[start:end])
        if line.marks:
            row.marks = {at - start: mark for at, mark in line.marks.items() if start <= at < end} or None
        row.wrapped = end < size
        rows.append(row)
        start = end
    return rows


def _narrow(line: Row) -> None:
    """Replace wide glyphs with blanks: none fits into one column."""
    kept = [at for at, cell in enumerate(line.text) if cell != WIDE]
    styles = line.styles.ljust(len(line.text), DEFAULT) if line.styles else ""
    text = line.text
    wide = {at for at in kept if text[at + 1 : at + 2] == WIDE}
    line.text = "".join(" " if at in wide else text[at] for at in kept)
    line.styles = "".join(styles[at] for at in kept) if styles else ""
    line.marks = None


def _locate(rows: list[Row], offset: int, columns: int) -> tuple[int, int]:
    """Return the position of cell ``offset`` in the rows of one line; a cell after a full row adds a row."""
    for y, row in enumerate(rows):
        size = len(row.text)
        if offset < size or (y == len(rows) - 1 and offset < columns):
            return offset, y
        offset -= size
    rows[-1].wrapped = True
    rows.append(Row())
    return min(offset, columns - 1), len(rows) - 1

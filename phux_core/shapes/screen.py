"""A pane's screen."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from phux_core.shapes.tree import Foreground  # noqa: TC001  cattrs looks it up
from phux_core.shapes.vocabulary import (  # noqa: TC001
    Condition,
    CursorShape,
    State,
    UnderlineStyle,
)


@frozen(kw_only=True)
class Cursor:
    """The cursor's position, counted from 0 at the top left corner of the screen.

    Attributes:
        x: Column.
        y: Row.
        visible: Whether the cursor is shown.
    """

    x: int
    y: int
    visible: bool


@frozen(kw_only=True)
class SoftWrap:
    """Rows that continue in the next row; the last row of the scrollback may continue in the first line.

    Attributes:
        lines: Indices into ``lines``.
        scrollback: Indices into ``scrollback``.
    """

    lines: list[int]
    scrollback: list[int]


@frozen(kw_only=True)
class DefaultColor:
    """The terminal's default color.

    Attributes:
        kind: Always ``default``.
    """

    kind: Literal["default"] = "default"


@frozen(kw_only=True)
class PaletteColor:
    """A color of the 256-color palette.

    Attributes:
        kind: Always ``palette``.
        index: 0 to 255.
    """

    kind: Literal["palette"] = "palette"
    index: int


@frozen(kw_only=True)
class RgbColor:
    """A direct (RGB) color.

    Attributes:
        kind: Always ``rgb``.
        r: Red, 0 to 255.
        g: Green, 0 to 255.
        b: Blue, 0 to 255.
    """

    kind: Literal["rgb"] = "rgb"
    r: int
    g: int
    b: int


CellColor = DefaultColor | PaletteColor | RgbColor
"""The color of a cell, distinguished by ``kind``."""


@frozen(kw_only=True)
class CellStyle:
    """The style of a cell.

    Attributes:
        bold: SGR 1.
        faint: SGR 2.
        italic: SGR 3.
        underline: SGR 4 in any style.
        blink: SGR 5.
        inverse: SGR 7.
        invisible: SGR 8.
        strikethrough: SGR 9.
        overline: SGR 53.
        fg: The color of the text.
        bg: The color of the background.
        underline_style: The style of the underline, if it is not a single line (SGR 4:2 to 4:5); absent otherwise.
        underline_color: The color of the underline (SGR 58); absent if it is that of the text.

    Example:
        >>> style = pane.snapshot(cells=True).cells[0].style
        >>> style.bold, style.fg.kind
        (True, 'palette')
    """

    bold: bool
    faint: bool
    italic: bool
    underline: bool
    blink: bool
    inverse: bool
    invisible: bool
    strikethrough: bool
    overline: bool
    fg: CellColor
    bg: CellColor
    underline_style: UnderlineStyle | None = None
    underline_color: CellColor | None = None


@frozen(kw_only=True)
class CellInfo:
    """One cell that has a style or a mark.

    Attributes:
        col: The column; for a wide character, the left one.
        row: The row.
        semantic: The cell's part of a command line, from shell marks (OSC 133); absent for output.
        style: The cell's style.

    Example:
        >>> cell = pane.snapshot(cells=True).cells[0]
        >>> cell.row, cell.col
        (0, 0)
    """

    col: int
    row: int
    semantic: Literal["input", "prompt"] | None = None
    style: CellStyle


@frozen(kw_only=True)
class Region:
    """Adjacent cells of one row, found by their text or style.

    Attributes:
        text: The text in these cells.
        row: The row, counted from 0.
        col: The first column, counted from 0.
        width: The number of columns; a wide character takes two.
        style: The style of the first cell.

    Example:
        >>> pane.run("clear; echo ' OK  Cancel'").exit_code
        0
        >>> button = pane.find("Cancel")
        >>> button.row, button.col, button.width
        (0, 5, 6)
    """

    text: str
    row: int
    col: int
    width: int
    style: CellStyle


@frozen(kw_only=True)
class ChangedRow:
    """A row that changed.

    Attributes:
        row: The row, counted from 0.
        text: The row's new text, without trailing white space.
    """

    row: int
    text: str


@frozen(kw_only=True)
class _Screen:
    """The fields that all documents about a screen share.

    Attributes:
        pane: The pane's id.
        cols: Columns of the screen.
        rows: Rows of the screen.
        cursor: The cursor; null if it is not on the screen.
        cursor_shape: The cursor's shape; absent from servers that do not report it.
        cells: The cells that have a style or a mark, row by row; absent unless requested.
        title: The title; absent until a program sets one.
        seq: The pane's sequence number: the bytes its program has written so far.
        alt_screen: Whether the alternate screen is shown, which full-screen programs use.
        state: The pane's state.
        foreground: The program in the foreground; absent if there is none.
        exit_status: The exit status of a dead pane's program; absent while it is running, or if a signal ended it.
        signal: The name of the signal that ended the program; absent otherwise.
        met: The condition that ended a wait; absent otherwise, or if it timed out.
        met_line: The line that matched, as far as it was written; absent for other conditions.
    """

    pane: int
    cols: int
    rows: int
    cursor: Cursor | None
    cursor_shape: CursorShape | None = None
    cells: list[CellInfo] | None = None
    title: str | None = None
    seq: int
    alt_screen: bool
    state: State
    foreground: Foreground | None = None
    exit_status: int | None = None
    signal: str | None = None
    met: Condition | None = None
    met_line: str | None = None


@frozen(kw_only=True)
class ScreenChanges(_Screen):
    """The changes on a pane's screen since a sequence number.

    Attributes:
        schema_version: Version of this shape.
        since: The sequence number to compare with.
        full: Whether every row is in ``changed`` because the screen at ``since`` is no longer known.
        scrolled: The number of rows the screen scrolled up; rows that only moved are not in ``changed``.
        changed: The rows that changed.
        outcome: How the wait of an ``act`` ended; absent otherwise.

    Example:
        >>> seen = pane.snapshot().seq
        >>> changes = pane.changes(seen)
        >>> changes.full, changes.changed
        (False, [])
    """

    schema_version: Literal[1] = 1
    since: int
    full: bool
    scrolled: int
    changed: list[ChangedRow]
    outcome: Literal["met", "timed_out", "stopped", "ended"] | None = None


@frozen(kw_only=True)
class ScreenState(_Screen):
    """A pane's screen at one moment.

    Attributes:
        schema_version: Version of this shape.
        lines: Every row of the screen from the top, trailing blanks removed.
        scrollback: Rows that scrolled off the top, oldest first; empty unless requested.
        soft_wrap: The rows that continue in the next row.
        at: For a screen of the past, when the output on it was complete (UTC); absent otherwise.

    Example:
        >>> screen = pane.snapshot()
        >>> screen.cols, screen.rows, screen.state
        (80, 24, 'prompt')
    """

    schema_version: Literal[3] = 3
    lines: list[str]
    scrollback: list[str]
    soft_wrap: SoftWrap
    at: str | None = None

    @property
    def text(self) -> str:
        r"""The screen as one string, without trailing blank rows.

        Example:
            >>> screen = pane.snapshot()
            >>> screen.text == "\n".join(screen.lines).rstrip("\n")
            True
        """
        return "\n".join(self.lines).rstrip("\n")

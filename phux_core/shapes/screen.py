"""A pane's screen."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from phux_core.shapes.tree import Foreground  # noqa: TC001  cattrs looks it up
from phux_core.shapes.vocabulary import Condition, State  # noqa: TC001


@frozen(kw_only=True)
class Cursor:
    """Where the cursor is, from the top left corner of the screen, counted from 0.

    Attributes:
        x: Column.
        y: Row.
        visible: Whether the program shows it.
    """

    x: int
    y: int
    visible: bool


@frozen(kw_only=True)
class SoftWrap:
    """Rows that go on in the next row because the line was too long; the last scrollback row goes on in the first line.

    Attributes:
        lines: Indices into ``lines``.
        scrollback: Indices into ``scrollback``.
    """

    lines: list[int]
    scrollback: list[int]


@frozen(kw_only=True)
class DefaultColor:
    """The terminal's own colour.

    Attributes:
        kind: Always ``default``.
    """

    kind: Literal["default"] = "default"


@frozen(kw_only=True)
class PaletteColor:
    """A colour of the 256-colour palette.

    Attributes:
        kind: Always ``palette``.
        index: 0 to 255.
    """

    kind: Literal["palette"] = "palette"
    index: int


@frozen(kw_only=True)
class RgbColor:
    """A direct colour.

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
"""The colour of a cell, distinguished by ``kind``."""


@frozen(kw_only=True)
class CellStyle:
    """How a cell is drawn.

    Attributes:
        bold: SGR 1.
        faint: SGR 2.
        italic: SGR 3.
        underline: SGR 4, of any kind.
        blink: SGR 5.
        inverse: SGR 7.
        invisible: SGR 8.
        strikethrough: SGR 9.
        overline: SGR 53.
        fg: Colour of the text.
        bg: Colour behind it.

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


@frozen(kw_only=True)
class CellInfo:
    """One cell that has a style or a mark.

    Attributes:
        col: Column in the grid; a wide glyph stands at its left one.
        row: Row of the screen.
        semantic: What a shell with marks (OSC 133) said it is; absent for output.
        style: How it is drawn.

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
class ChangedRow:
    """A row that is not what it was.

    Attributes:
        row: Which, counted from 0.
        text: What stands there now, trailing white space removed.
    """

    row: int
    text: str


@frozen(kw_only=True)
class ScreenChanges:
    """What changed on a pane's screen after a moment.

    Attributes:
        schema_version: Version of this shape.
        pane: The pane's number.
        since: The moment: a byte count of the pane.
        seq: The byte count now; the next ``since``.
        full: Whether nothing is known of that moment any more, so that every row counts as changed.
        scrolled: By how many rows the screen has moved up since; rows that only moved are not in ``changed``.
        changed: The rows that are not what they were.
        cols: Columns of the screen.
        rows: Rows of the screen.
        cursor: The cursor; null when it is not on the screen.
        cells: The cells of those rows that have a style or a mark; absent unless asked for.
        title: The title the program set; absent until then.
        alt_screen: Whether the alternate screen is shown.
        state: What the pane does now.
        foreground: The program that has its terminal; absent when there is none.
        exit_status: Of a pane that is dead, the program's exit code.
        signal: The name of the signal that ended it; absent otherwise.
        outcome: Of an ``act``, how its wait ended; absent otherwise.
        met: The condition that held, if one did.
        met_line: The line that was waited for, or stopped at.

    Example:
        >>> seen = pane.snapshot().seq
        >>> changes = pane.changes(seen)
        >>> changes.full, changes.changed
        (False, [])
    """

    schema_version: Literal[1] = 1
    pane: int
    since: int
    seq: int
    full: bool
    scrolled: int
    changed: list[ChangedRow]
    cols: int
    rows: int
    cursor: Cursor | None
    cells: list[CellInfo] | None = None
    title: str | None = None
    alt_screen: bool
    state: State
    foreground: Foreground | None = None
    exit_status: int | None = None
    signal: str | None = None
    outcome: Literal["met", "timed_out", "stopped", "ended"] | None = None
    met: Condition | None = None
    met_line: str | None = None


@frozen(kw_only=True)
class ScreenState:
    """A pane's screen at one moment.

    Attributes:
        schema_version: Version of this shape.
        pane: The pane's number.
        cols: Columns of the grid.
        rows: Rows of the grid.
        cursor: The cursor; null when it is not on the screen.
        lines: Every row of the screen from the top, trailing blanks removed.
        scrollback: Rows that scrolled off, the oldest first; empty unless asked for.
        cells: The cells that have a style or a mark, row by row; absent unless asked for.
        soft_wrap: Which rows go on in the next.
        title: The window title; absent until a program sets one.
        seq: How many bytes the pane's program has written so far.
        alt_screen: Whether the alternate screen is shown, as full-screen programs do.
        state: What the pane does now.
        foreground: The program that has its terminal; absent when there is none.
        exit_status: Of a pane that is dead: the program's exit code; absent while it runs, and when a signal ended it.
        signal: The name of that signal; absent otherwise.
        met: Of a ``wait``, the condition that held first; absent otherwise, and when the time was over.
        met_line: The line that was waited for, or stopped at; absent for other conditions.

    Example:
        >>> screen = pane.snapshot()
        >>> screen.cols, screen.rows, screen.state
        (80, 24, 'prompt')
    """

    schema_version: Literal[3] = 3
    pane: int
    cols: int
    rows: int
    cursor: Cursor | None
    lines: list[str]
    scrollback: list[str]
    cells: list[CellInfo] | None = None
    soft_wrap: SoftWrap
    title: str | None = None
    seq: int
    alt_screen: bool
    state: State
    foreground: Foreground | None = None
    exit_status: int | None = None
    signal: str | None = None
    met: Condition | None = None
    met_line: str | None = None

    @property
    def text(self) -> str:
        r"""The screen as one string, without trailing blank rows.

        Example:
            >>> screen = pane.snapshot()
            >>> screen.text == "\n".join(screen.lines).rstrip("\n")
            True
        """
        return "\n".join(self.lines).rstrip("\n")

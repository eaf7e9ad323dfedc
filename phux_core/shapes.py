"""The JSON contract as attrs classes: what every surface says, whatever language reads it.

The files under schemas/ are generated from these classes (``phux_core.schema``), descriptions included. Two rules
tell what a document looks like:

- a field without a default is always there, and null where its type allows None;
- a field whose default is None is left out when there is nothing to say, and never null.

A shape's ``schema_version`` changes only when a field is removed, renamed or retyped; readers ignore keys they do not
know. The order of the fields is the order in the document.
"""

from __future__ import annotations

from typing import Literal, NewType

from attrs import frozen

PaneId = NewType("PaneId", int)
"""The number of a pane: ``@3`` is 3. Never reused while a server lives."""


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
    """

    col: int
    row: int
    semantic: Literal["input", "prompt"] | None = None
    style: CellStyle


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
        state: Whether the program runs, or has ended.
        exit_status: Of a pane that is dead: the program's exit code; absent while it runs, and when a signal ended it.
    """

    schema_version: Literal[3] = 3
    pane: int
    cols: int
    rows: int
    cursor: Cursor | None
    lines: list[str]
    scrollback: list[str]
    cells: list[CellInfo] | None = None
    soft_wrap: SoftWrap | None = None
    title: str | None = None
    seq: int | None = None
    alt_screen: bool | None = None
    state: Literal["running", "dead"] | None = None
    exit_status: int | None = None

    @property
    def text(self) -> str:
        r"""The screen as one string, without the blank rows at its end.

        Example:
            >>> screen = ScreenState(pane=1, cols=9, rows=3, cursor=None, lines=["$ ls", "a", ""], scrollback=[])
            >>> screen.text
            '$ ls\na'
        """
        return "\n".join(self.lines).rstrip("\n")


@frozen(kw_only=True)
class SessionEntry:
    """A session, in short.

    Attributes:
        name: Its name.
        windows: How many windows it has.
        attached: Whether any client is attached to it.
    """

    name: str
    windows: int
    attached: bool


@frozen(kw_only=True)
class SessionList:
    """What ``phux ls`` tells.

    Attributes:
        schema_version: Version of this shape.
        sessions: The sessions, by name.
    """

    schema_version: Literal[1] = 1
    sessions: list[SessionEntry]


@frozen(kw_only=True)
class RunResult:
    """What a command did.

    Attributes:
        schema_version: Version of this shape.
        command: The command as it was given.
        exit_code: What the shell said of it.
        output: What it wrote.
        duration_ms: How long it took.
        truncated: Whether some of the output was left out.
    """

    schema_version: Literal[1] = 1
    command: str
    exit_code: int
    output: str
    duration_ms: int
    truncated: bool


@frozen(kw_only=True)
class PaneInfo:
    """A pane in the tree.

    Attributes:
        id: Its number; ``@`` and this is its selector.
        index: Its place in the window.
        active: Whether it is the pane of its window that has the focus.
        cols: Columns.
        rows: Rows.
        title: The title its program set; null until then.
        command: The program that was started in it.
        cwd: Where that program is now.
        pid: Its process.
        state: Whether it runs, or has ended.
        exit_status: The program's exit code; null while it runs, and when a signal ended it.
    """

    id: int
    index: int
    active: bool
    cols: int
    rows: int
    title: str | None
    command: str
    cwd: str
    pid: int
    state: Literal["running", "dead"]
    exit_status: int | None


@frozen(kw_only=True)
class WindowInfo:
    """A window in the tree.

    Attributes:
        id: Its number.
        index: Its place in the session.
        name: Its name.
        active: Whether it is the session's current window.
        panes: Its panes.
    """

    id: int
    index: int
    name: str
    active: bool
    panes: list[PaneInfo]


@frozen(kw_only=True)
class SessionInfo:
    """A session in the tree.

    Attributes:
        id: Its number.
        name: Its name.
        created_at: When it was made (UTC).
        attached_clients: How many clients are attached to it.
        windows: Its windows.
    """

    id: int
    name: str
    created_at: str
    attached_clients: int
    windows: list[WindowInfo]


@frozen(kw_only=True)
class Tree:
    """Every session, window and pane of a server.

    Attributes:
        schema_version: Version of this shape.
        focused_session: The most recently focused session; null when there is none.
        focused_pane: The pane that has the focus there; null when there is none.
        sessions: The sessions, in the order they were made.
    """

    schema_version: Literal[1] = 1
    focused_session: str | None
    focused_pane: int | None
    sessions: list[SessionInfo]


@frozen(kw_only=True)
class Status:
    """How a server is.

    Attributes:
        schema_version: Version of this shape.
        version: Its release.
        protocol: The wire protocol it speaks.
        keeper_pid: The process that holds the terminals.
        service_pid: The process that answers.
        service_restarts: How often the service had to be started again.
        engine: The terminal engine, ``ghostty`` or ``pyte``.
        socket: Where it listens.
        log: Its log file; null when it logs to the terminal it was started from.
        uptime_s: Seconds since it started.
        sessions: How many sessions there are.
        windows: How many windows.
        panes: How many panes, dead ones included.
        dead_panes: How many of them have a program that ended.
        clients: How many clients are connected, this one included.
    """

    schema_version: Literal[1] = 1
    version: str
    protocol: str
    keeper_pid: int
    service_pid: int
    service_restarts: int
    engine: str
    socket: str
    log: str | None
    uptime_s: float
    sessions: int
    windows: int
    panes: int
    dead_panes: int
    clients: int


@frozen(kw_only=True)
class ErrorDetail:
    """What went wrong.

    Attributes:
        code: A stable word for programs.
        message: One sentence for people.
    """

    code: str
    message: str


@frozen(kw_only=True)
class Error:
    """The last line on stderr when a verb with ``--json`` fails.

    Attributes:
        schema_version: Version of this shape.
        error: What went wrong.
        remedy: What to do about it; may be empty.
        exit_code: What the verb exits with.
    """

    schema_version: Literal[1] = 1
    error: ErrorDetail
    remedy: str
    exit_code: int


@frozen(kw_only=True)
class Created:
    """What ``phux new --json`` tells.

    Attributes:
        session: The new session's name.
        terminal_id: The number of its pane.
    """

    session: str
    terminal_id: int


@frozen(kw_only=True)
class Sent:
    """What ``phux send-keys --json`` and ``phux paste --json`` tell.

    Attributes:
        schema_version: Version of this shape.
        sent: Always true: what was not typed is an error.
        pane: The selector of the pane that got it.
        bytes: How many bytes were typed.
    """

    schema_version: Literal[1] = 1
    sent: Literal[True] = True
    pane: str
    bytes: int


@frozen(kw_only=True)
class Killed:
    """What ``phux kill --json`` tells.

    Attributes:
        schema_version: Version of this shape.
        killed: How many panes were ended.
    """

    schema_version: Literal[1] = 1
    killed: int


@frozen(kw_only=True)
class Dirty:
    """A pane began to change after a rest.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        seq: The pane's byte count at that moment.
    """

    event: Literal["dirty"] = "dirty"
    terminal: str
    seq: int


@frozen(kw_only=True)
class Idle:
    """A pane came to rest.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        seq: The pane's byte count at that moment.
    """

    event: Literal["idle"] = "idle"
    terminal: str
    seq: int


@frozen(kw_only=True)
class Bell:
    """A program rang the bell.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        seq: The pane's byte count at that moment.
    """

    event: Literal["bell"] = "bell"
    terminal: str
    seq: int


@frozen(kw_only=True)
class TitleChanged:
    """A program set the window title.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        title: The title.
        seq: The pane's byte count at that moment.
    """

    event: Literal["title_changed"] = "title_changed"
    terminal: str
    title: str
    seq: int


@frozen(kw_only=True)
class PaneSpawned:
    """A pane was made, and its program runs.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        seq: The pane's byte count at that moment.
    """

    event: Literal["pane_spawned"] = "pane_spawned"
    terminal: str
    seq: int


@frozen(kw_only=True)
class PaneClosed:
    """A pane's program has ended, and all it wrote has been read.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        exit_status: The program's exit code; null when a signal ended it.
        signal: The name of that signal; absent otherwise.
        seq: The pane's byte count, final now.
    """

    event: Literal["pane_closed"] = "pane_closed"
    terminal: str
    exit_status: int | None
    signal: str | None = None
    seq: int


@frozen(kw_only=True)
class Dropped:
    """Events were lost because the client did not read them in time.

    Attributes:
        event: The event's name.
        count: How many.
    """

    event: Literal["dropped"] = "dropped"
    count: int


Event = Dirty | Idle | Bell | TitleChanged | PaneSpawned | PaneClosed | Dropped
"""Any event. Newer servers may send others; ``phux_client`` skips what it does not know."""

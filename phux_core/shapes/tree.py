"""Sessions, windows and panes."""

from __future__ import annotations

from typing import Literal, NewType

from attrs import frozen

from phux_core.shapes.vocabulary import Direction, State  # noqa: TC001  cattrs looks them up

PaneId = NewType("PaneId", int)
"""The id of a pane: ``@3`` is 3. Never reused while a server is running.

Example:
    >>> phux.pane(PaneId(1)).selector
    '@1'
"""


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

    Example:
        >>> phux.ls().sessions[0].name
        'work'
    """

    schema_version: Literal[1] = 1
    sessions: list[SessionEntry]


@frozen(kw_only=True)
class Foreground:
    """The program that has a pane's terminal.

    Attributes:
        command: Its name.
        pid: Its process.
        cwd: Where it is; null if that cannot be told.

    Example:
        >>> phux.tree().sessions[0].windows[0].panes[0].foreground.command
        'sh'
    """

    command: str
    pid: int
    cwd: str | None


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
        state: What it does now.
        foreground: The program that has its terminal; null when there is none.
        exit_status: The program's exit code; null while it runs, and when a signal ended it.
        signal: The name of that signal; absent otherwise.

    Example:
        >>> info = pane.info()
        >>> info.command, info.state
        ('sh', 'prompt')
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
    state: State
    foreground: Foreground | None
    exit_status: int | None
    signal: str | None = None


@frozen(kw_only=True)
class LayoutSplit:
    """A part of a window that two others share, with a divider of one cell between them.

    Attributes:
        direction: Where the second one is: to the right of the first, or below it.
        ratio: The part of the room that the first one has, between 0 and 1.
        first: A pane, by its number, or a split.
        second: Likewise.

    Example:
        >>> LayoutSplit(direction="right", ratio=0.5, first=1, second=2).direction
        'right'
    """

    direction: Direction
    ratio: float
    first: int | LayoutSplit
    second: int | LayoutSplit


@frozen(kw_only=True)
class WindowInfo:
    """A window in the tree.

    Attributes:
        id: Its number.
        index: Its place in the session.
        name: Its name.
        active: Whether it is the session's current window.
        cols: Columns.
        rows: Rows.
        size_policy: Whose size it has when clients are attached; null for what the server is set to.
        zoomed: The pane that has it to itself for now; null when there is none.
        layout: How its panes share it. A pane whose program ended while others went on has no place in it.
        panes: Its panes, in the order of the layout.

    Example:
        >>> phux.tree().sessions[0].windows[0].name
        'sh'
    """

    id: int
    index: int
    name: str
    active: bool
    cols: int
    rows: int
    size_policy: Literal["smallest", "largest", "latest", "manual"] | None
    zoomed: int | None
    layout: int | LayoutSplit
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

    Example:
        >>> phux.tree().sessions[0].name
        'work'
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

    Example:
        >>> phux.tree().focused_session
        'work'
    """

    schema_version: Literal[1] = 1
    focused_session: str | None
    focused_pane: int | None
    sessions: list[SessionInfo]

"""Sessions, windows and panes."""

from __future__ import annotations

from typing import Literal, NewType

from attrs import frozen

from phux_core.shapes.document import Document
from phux_core.shapes.vocabulary import Direction, State  # noqa: TC001  cattrs looks them up

PaneId = NewType("PaneId", int)
"""The id of a pane: ``@3`` is 3. Never reused while a server is running.

Example:
    >>> phux.pane(PaneId(1)).selector
    '@1'
"""


@frozen(kw_only=True)
class SessionEntry:
    """A session in a list.

    Attributes:
        name: The session's name.
        windows: The number of the session's windows.
        attached: Whether any client is attached to the session.
    """

    name: str
    windows: int
    attached: bool


@frozen(kw_only=True)
class SessionList(Document):
    """The result of ``phux ls --json``.

    Attributes:
        sessions: The sessions, by name.

    Example:
        >>> phux.ls().sessions[0].name
        'work'
    """

    sessions: list[SessionEntry]


@frozen(kw_only=True)
class Foreground:
    """The program in the foreground of a pane.

    Attributes:
        command: The program's name.
        pid: The program's process id.
        cwd: The program's working directory; null if unknown.

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
        id: The pane's id; its selector is ``@`` followed by the id.
        index: The pane's index in the window.
        active: Whether the pane is the focused one of its window.
        cols: Columns.
        rows: Rows.
        title: The title; null until a program sets one.
        command: The program that was started in the pane.
        cwd: The program's working directory.
        pid: The program's process id.
        state: The pane's state.
        foreground: The program in the foreground; null if there is none.
        exit_status: The program's exit status; null while it is running, or if a signal ended it.
        signal: The name of the signal that ended the program; absent otherwise.

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
    """A part of a window that is split in two, with a divider of one cell in between.

    Attributes:
        direction: The side of the second part: to the right of the first, or below it.
        ratio: The share of the first part, between 0 and 1.
        first: The id of a pane, or a split.
        second: The id of a pane, or a split.

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
        id: The window's id.
        index: The window's index in the session.
        name: The window's name.
        active: Whether the window is the session's current one.
        cols: Columns.
        rows: Rows.
        size_policy: How client sizes determine the window's size; null for the server's default.
        zoomed: The pane that is zoomed to fill the window; null if there is none.
        layout: The arrangement of the panes, without dead panes beside living ones.
        panes: The window's panes, in the order of the layout.

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
        id: The session's id.
        name: The session's name.
        created_at: The time at which the session was created (UTC).
        attached_clients: The number of attached clients.
        windows: The session's windows.

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
class Tree(Document):
    """Every session, window and pane of a server.

    Attributes:
        focused_session: The most recently focused session; null if there is none.
        focused_pane: The focused pane of that session; null if there is none.
        sessions: The sessions, in the order of their creation.

    Example:
        >>> phux.tree().focused_session
        'work'
    """

    focused_session: str | None
    focused_pane: int | None
    sessions: list[SessionInfo]


@frozen(kw_only=True)
class HostProblem:
    """Why a host has no tree.

    Attributes:
        code: A stable code for programs, as in an Error document.
        message: One sentence that says what happened.
    """

    code: str
    message: str


@frozen(kw_only=True)
class HostEntry:
    """A host in a HostList.

    Attributes:
        host: The host, as it may be written before a slash and a target; ``local`` is this machine.
        tree: What runs there; null if it could not be read.
        error: Why the tree could not be read; null if it was.
        remedy: One sentence that says what to do about the error; may be empty.
    """

    host: str
    tree: Tree | None
    error: HostProblem | None
    remedy: str


@frozen(kw_only=True)
class HostList(Document):
    """The result of ``phux ls --hosts --json`` and ``phux tree --hosts --json``.

    Attributes:
        hosts: This machine, and the hosts of the config file.
    """

    hosts: list[HostEntry]

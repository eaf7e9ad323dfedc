"""Events that a server pushes to its clients."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from phux_core.shapes.vocabulary import State  # noqa: TC001  cattrs looks it up


@frozen(kw_only=True)
class _Event:
    """Base class of events.

    Attributes:
        event: The event's name.
    """

    event: str


@frozen(kw_only=True)
class _PaneEvent(_Event):
    """Base class of events of one pane.

    Attributes:
        terminal: The pane, as a selector.
        seq: The pane's sequence number at that moment.
    """

    terminal: str
    seq: int


@frozen(kw_only=True)
class Dirty(_PaneEvent):
    """A pane's output resumed after it was idle."""

    event: Literal["dirty"] = "dirty"


@frozen(kw_only=True)
class Idle(_PaneEvent):
    """A pane became idle: its output paused."""

    event: Literal["idle"] = "idle"


@frozen(kw_only=True)
class Bell(_PaneEvent):
    """A program rang the bell."""

    event: Literal["bell"] = "bell"


@frozen(kw_only=True)
class TitleChanged(_PaneEvent):
    """A program set the pane's title.

    Attributes:
        title: The new title.
    """

    event: Literal["title_changed"] = "title_changed"
    title: str


@frozen(kw_only=True)
class PaneSpawned(_PaneEvent):
    """A pane was created, and its program is running."""

    event: Literal["pane_spawned"] = "pane_spawned"


@frozen(kw_only=True)
class PaneClosed(_PaneEvent):
    """A pane's program has exited, and all of its output has been read.

    Attributes:
        exit_status: The program's exit status; null if a signal ended it.
        signal: The name of that signal; absent otherwise.
    """

    event: Literal["pane_closed"] = "pane_closed"
    exit_status: int | None
    signal: str | None = None


@frozen(kw_only=True)
class CommandStarted(_PaneEvent):
    """A pane's shell started a command.

    Attributes:
        command: The command line; null if the shell did not report it.
        command_id: The command's id in the command ledger.
    """

    event: Literal["command_started"] = "command_started"
    command: str | None
    command_id: str


@frozen(kw_only=True)
class CommandFinished(_PaneEvent):
    """A pane's shell finished a command.

    Attributes:
        exit_code: The command's exit status; null if the shell did not report it.
        command_id: The command's id in the command ledger; null if the ledger no longer has it.
        command: The command line; absent if it is unknown.
    """

    event: Literal["command_finished"] = "command_finished"
    exit_code: int | None
    command_id: str | None
    command: str | None = None


@frozen(kw_only=True)
class StateChanged(_PaneEvent):
    """A pane's state changed.

    Attributes:
        state: The new state.
        command: The name of the program in the foreground; null if unknown.
        pid: The program's process id; null if unknown.
    """

    event: Literal["state_changed"] = "state_changed"
    state: State
    command: str | None
    pid: int | None


@frozen(kw_only=True)
class CwdChanged(_PaneEvent):
    """A pane's shell changed its working directory.

    Attributes:
        cwd: The new directory.
    """

    event: Literal["cwd_changed"] = "cwd_changed"
    cwd: str


@frozen(kw_only=True)
class Resized(_PaneEvent):
    """A pane's size changed.

    Attributes:
        cols: The pane's new number of columns.
        rows: The pane's new number of rows.
    """

    event: Literal["resized"] = "resized"
    cols: int
    rows: int


@frozen(kw_only=True)
class Renamed(_Event):
    """A session or window was renamed.

    Attributes:
        what: Whether a session or a window was renamed.
        id: The id of the session or window.
        name: The new name.
    """

    event: Literal["renamed"] = "renamed"
    what: Literal["session", "window"]
    id: int
    name: str


@frozen(kw_only=True)
class SessionAdded(_Event):
    """A session was created.

    Attributes:
        session: The session's id.
        name: The session's name.
    """

    event: Literal["session_added"] = "session_added"
    session: int
    name: str


@frozen(kw_only=True)
class SessionClosed(_Event):
    """A session and all its windows were closed.

    Attributes:
        session: The session's id.
        name: The session's name.
    """

    event: Literal["session_closed"] = "session_closed"
    session: int
    name: str


@frozen(kw_only=True)
class WindowAdded(_Event):
    """A window was created.

    Attributes:
        window: The window's id.
        session: The id of the window's session.
        index: The window's index in the session.
    """

    event: Literal["window_added"] = "window_added"
    window: int
    session: int
    index: int


@frozen(kw_only=True)
class WindowMoved(_Event):
    """A window moved to another index or another session.

    Attributes:
        window: The window's id.
        session: The id of the window's session.
        index: The window's index in the session.
    """

    event: Literal["window_moved"] = "window_moved"
    window: int
    session: int
    index: int


@frozen(kw_only=True)
class WindowClosed(_Event):
    """A window was closed.

    Attributes:
        window: The window's id.
        session: The id of the window's session.
    """

    event: Literal["window_closed"] = "window_closed"
    window: int
    session: int


@frozen(kw_only=True)
class LayoutChanged(_Event):
    """A window's layout changed: panes were added, removed or moved, or its size changed.

    Attributes:
        window: The window's id.
    """

    event: Literal["layout_changed"] = "layout_changed"
    window: int


@frozen(kw_only=True)
class FocusChanged(_Event):
    """A session's focused pane changed, or another session became the most recently focused one.

    Attributes:
        session: The session's id.
        window: The id of the session's current window.
        pane: The id of the session's focused pane.
    """

    event: Literal["focus_changed"] = "focus_changed"
    session: int
    window: int
    pane: int


@frozen(kw_only=True)
class Output(_PaneEvent):
    """The text a pane's program wrote; pushed only to subscriptions that ask for it.

    The text repeats the incomplete line of the previous event, so that a match can span events.

    Attributes:
        text: The lines, with soft wraps joined and escape sequences removed; the last line may be incomplete.
        gap: True if earlier text is no longer available; absent otherwise.
        resume: The sequence number at which the next output event starts; pass it as ``since`` after a reconnection.
        seq: The pane's sequence number after the text.
    """

    event: Literal["output"] = "output"
    text: list[str]
    gap: bool | None = None
    resume: int
    seq: int


@frozen(kw_only=True)
class Dropped(_Event):
    """Events were lost because the client did not read them in time.

    Attributes:
        count: The number of lost events; 0 if unknown, because the service was restarted.
    """

    event: Literal["dropped"] = "dropped"
    count: int


Event = (
    Dirty
    | Idle
    | Bell
    | TitleChanged
    | PaneSpawned
    | PaneClosed
    | CommandStarted
    | CommandFinished
    | StateChanged
    | CwdChanged
    | Resized
    | Renamed
    | SessionAdded
    | SessionClosed
    | WindowAdded
    | WindowMoved
    | WindowClosed
    | LayoutChanged
    | FocusChanged
    | Output
    | Dropped
)
"""Any event. Newer servers may send others; ``phux_client`` skips unknown ones.

Example:
    >>> with phux.watch("work") as events:
    ...     result = pane.run("true")
    ...     event = events.next(timeout_s=10)
    >>> isinstance(event, Event), event.terminal
    (True, '@1')
"""

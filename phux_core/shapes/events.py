"""Events that a server pushes to its clients."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from phux_core.shapes.vocabulary import State  # noqa: TC001  cattrs looks it up


@frozen(kw_only=True)
class Dirty:
    """A pane's output resumed after it was idle.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        seq: The pane's sequence number at that moment.
    """

    event: Literal["dirty"] = "dirty"
    terminal: str
    seq: int


@frozen(kw_only=True)
class Idle:
    """A pane became idle: its output paused.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        seq: The pane's sequence number at that moment.
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
        seq: The pane's sequence number at that moment.
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
        seq: The pane's sequence number at that moment.
    """

    event: Literal["title_changed"] = "title_changed"
    terminal: str
    title: str
    seq: int


@frozen(kw_only=True)
class PaneSpawned:
    """A pane was created, and its program is running.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        seq: The pane's sequence number at that moment.
    """

    event: Literal["pane_spawned"] = "pane_spawned"
    terminal: str
    seq: int


@frozen(kw_only=True)
class PaneClosed:
    """A pane's program has exited, and all of its output has been read.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        exit_status: The program's exit status; null if a signal ended it.
        signal: The name of that signal; absent otherwise.
        seq: The pane's final sequence number.
    """

    event: Literal["pane_closed"] = "pane_closed"
    terminal: str
    exit_status: int | None
    signal: str | None = None
    seq: int


@frozen(kw_only=True)
class CommandStarted:
    """A pane's shell started a command.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        command: The command line; null if the shell did not report it.
        seq: The pane's sequence number at that moment.
    """

    event: Literal["command_started"] = "command_started"
    terminal: str
    command: str | None
    seq: int


@frozen(kw_only=True)
class CommandFinished:
    """A pane's shell finished a command.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        exit_code: Its exit status; null if the shell did not report it.
        seq: The pane's sequence number at that moment.
    """

    event: Literal["command_finished"] = "command_finished"
    terminal: str
    exit_code: int | None
    seq: int


@frozen(kw_only=True)
class StateChanged:
    """A pane's state changed.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        state: The new state.
        command: The name of the program in the foreground; null if unknown.
        pid: That program's process id; null if unknown.
        seq: The pane's sequence number at that moment.
    """

    event: Literal["state_changed"] = "state_changed"
    terminal: str
    state: State
    command: str | None
    pid: int | None
    seq: int


@frozen(kw_only=True)
class CwdChanged:
    """A pane's shell changed its working directory.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        cwd: The new directory.
        seq: The pane's sequence number at that moment.
    """

    event: Literal["cwd_changed"] = "cwd_changed"
    terminal: str
    cwd: str
    seq: int


@frozen(kw_only=True)
class Resized:
    """A pane's size changed.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        cols: Its new number of columns.
        rows: Its new number of rows.
        seq: The pane's sequence number at that moment.
    """

    event: Literal["resized"] = "resized"
    terminal: str
    cols: int
    rows: int
    seq: int


@frozen(kw_only=True)
class Renamed:
    """A session or window was renamed.

    Attributes:
        event: The event's name.
        what: Whether it is a session or a window.
        id: Its id.
        name: Its new name.
    """

    event: Literal["renamed"] = "renamed"
    what: Literal["session", "window"]
    id: int
    name: str


@frozen(kw_only=True)
class SessionAdded:
    """A session was created.

    Attributes:
        event: The event's name.
        session: Its id.
        name: Its name.
    """

    event: Literal["session_added"] = "session_added"
    session: int
    name: str


@frozen(kw_only=True)
class SessionClosed:
    """A session and all its windows were closed.

    Attributes:
        event: The event's name.
        session: Its id.
        name: Its name.
    """

    event: Literal["session_closed"] = "session_closed"
    session: int
    name: str


@frozen(kw_only=True)
class WindowAdded:
    """A window was created.

    Attributes:
        event: The event's name.
        window: Its id.
        session: Its session's id.
        index: Its index in the session.
    """

    event: Literal["window_added"] = "window_added"
    window: int
    session: int
    index: int


@frozen(kw_only=True)
class WindowMoved:
    """A window moved to another index or another session.

    Attributes:
        event: The event's name.
        window: Its id.
        session: Its session's id.
        index: Its index in the session.
    """

    event: Literal["window_moved"] = "window_moved"
    window: int
    session: int
    index: int


@frozen(kw_only=True)
class WindowClosed:
    """A window was closed.

    Attributes:
        event: The event's name.
        window: Its id.
        session: The id of the session it was in.
    """

    event: Literal["window_closed"] = "window_closed"
    window: int
    session: int


@frozen(kw_only=True)
class LayoutChanged:
    """A window's layout changed: panes were added, removed or moved, or its size changed.

    Attributes:
        event: The event's name.
        window: Its id.
    """

    event: Literal["layout_changed"] = "layout_changed"
    window: int


@frozen(kw_only=True)
class FocusChanged:
    """A session's focused pane changed, or another session became the most recently focused one.

    Attributes:
        event: The event's name.
        session: The session's id.
        window: The id of its current window.
        pane: The id of its focused pane.
    """

    event: Literal["focus_changed"] = "focus_changed"
    session: int
    window: int
    pane: int


@frozen(kw_only=True)
class Output:
    """The text a pane's program wrote; pushed only to subscriptions that ask for it.

    It repeats the incomplete line of the previous event, so that text written in pieces can be matched.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        text: The lines, with soft wraps joined and escape sequences removed; the last may be incomplete.
        gap: True if text before it is no longer available; absent otherwise.
        resume: The sequence number at which the next such event starts: the ``since`` to reconnect with.
        seq: The pane's sequence number after the text.
    """

    event: Literal["output"] = "output"
    terminal: str
    text: list[str]
    gap: bool | None = None
    resume: int
    seq: int


@frozen(kw_only=True)
class Dropped:
    """Events were lost because the client did not read them in time.

    Attributes:
        event: The event's name.
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

"""Events that a server pushes to its clients."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from phux_core.shapes.vocabulary import State  # noqa: TC001  cattrs looks it up


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
class CommandStarted:
    """A pane's shell began a command line.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        command: The line; null if the shell could not tell it.
        seq: The pane's byte count at that moment.
    """

    event: Literal["command_started"] = "command_started"
    terminal: str
    command: str | None
    seq: int


@frozen(kw_only=True)
class CommandFinished:
    """A pane's shell is done with a command line.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        exit_code: What the shell says of it; null if it did not say.
        seq: The pane's byte count at that moment.
    """

    event: Literal["command_finished"] = "command_finished"
    terminal: str
    exit_code: int | None
    seq: int


@frozen(kw_only=True)
class StateChanged:
    """What a pane does, or waits for, is another thing than before.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        state: What it is now.
        command: The name of the program in the foreground; null if nobody can tell.
        pid: That program's process; null if nobody can tell.
        seq: The pane's byte count at that moment.
    """

    event: Literal["state_changed"] = "state_changed"
    terminal: str
    state: State
    command: str | None
    pid: int | None
    seq: int


@frozen(kw_only=True)
class CwdChanged:
    """A pane's shell went to another directory.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        cwd: The directory.
        seq: The pane's byte count at that moment.
    """

    event: Literal["cwd_changed"] = "cwd_changed"
    terminal: str
    cwd: str
    seq: int


@frozen(kw_only=True)
class Resized:
    """A pane has another size.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        cols: Its columns now.
        rows: Its rows now.
        seq: The pane's byte count at that moment.
    """

    event: Literal["resized"] = "resized"
    terminal: str
    cols: int
    rows: int
    seq: int


@frozen(kw_only=True)
class Renamed:
    """A session or a window has another name.

    Attributes:
        event: The event's name.
        what: Which of the two.
        id: Its number.
        name: Its name now.
    """

    event: Literal["renamed"] = "renamed"
    what: Literal["session", "window"]
    id: int
    name: str


@frozen(kw_only=True)
class SessionAdded:
    """A session was made.

    Attributes:
        event: The event's name.
        session: Its number.
        name: Its name.
    """

    event: Literal["session_added"] = "session_added"
    session: int
    name: str


@frozen(kw_only=True)
class SessionClosed:
    """A session is gone, and all of its windows are.

    Attributes:
        event: The event's name.
        session: Its number.
        name: Its name.
    """

    event: Literal["session_closed"] = "session_closed"
    session: int
    name: str


@frozen(kw_only=True)
class WindowAdded:
    """A window was made.

    Attributes:
        event: The event's name.
        window: Its number.
        session: Its session's number.
        index: Its place there.
    """

    event: Literal["window_added"] = "window_added"
    window: int
    session: int
    index: int


@frozen(kw_only=True)
class WindowMoved:
    """A window has another index, or is in another session.

    Attributes:
        event: The event's name.
        window: Its number.
        session: Its session's number.
        index: Its place there.
    """

    event: Literal["window_moved"] = "window_moved"
    window: int
    session: int
    index: int


@frozen(kw_only=True)
class WindowClosed:
    """A window is gone.

    Attributes:
        event: The event's name.
        window: Its number.
        session: The number of the session it was in.
    """

    event: Literal["window_closed"] = "window_closed"
    window: int
    session: int


@frozen(kw_only=True)
class LayoutChanged:
    """The panes of a window share it in another way: some came, went or moved, or its size is another.

    Attributes:
        event: The event's name.
        window: Its number.
    """

    event: Literal["layout_changed"] = "layout_changed"
    window: int


@frozen(kw_only=True)
class FocusChanged:
    """Another pane of a session has its focus, or another session is the most recently focused one.

    Attributes:
        event: The event's name.
        session: The session's number.
        window: The number of its current window.
        pane: The number of the pane that has the focus there.
    """

    event: Literal["focus_changed"] = "focus_changed"
    session: int
    window: int
    pane: int


@frozen(kw_only=True)
class Output:
    """What a pane's program wrote, as text; pushed only to those who asked for it.

    It repeats the unfinished line of the previous event, so that text written in pieces can be matched.

    Attributes:
        event: The event's name.
        terminal: The pane, as a selector.
        text: The lines, soft wraps joined and escapes gone; the last may be unfinished.
        gap: True when something before it could not be told any more; absent otherwise.
        resume: The byte count at which the next such event begins, and what to go on from on another connection.
        seq: The pane's byte count behind the text.
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
        count: How many; 0 when nobody could count, because the service died and came back.
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

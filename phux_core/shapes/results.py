"""Results and errors of verbs."""

from __future__ import annotations

from typing import Literal

from attrs import frozen


@frozen(kw_only=True)
class SeqRange:
    """A stretch of a pane's stream of bytes.

    Attributes:
        start: The place of its first byte.
        end: The place behind its last.
    """

    start: int
    end: int


@frozen(kw_only=True)
class RunResult:
    """What a command did.

    Attributes:
        schema_version: Version of this shape.
        command: The command as it was given.
        exit_code: Its exit status, or the shell's if the shell ended with it; 255 if ``exit_known`` is false.
        output: What it wrote, as it stands on a terminal that is long and wide enough.
        duration_ms: How long it took.
        truncated: Whether some of the output was left out.
        omitted_bytes: How much of it, from the middle.
        cwd: Where the shell is now.
        started_at: When it was typed (UTC).
        seq: Where its output stands in the pane's stream.
        interleaved: Whether somebody else typed into the pane meanwhile.
        exit_known: Whether the shell reported the exit status; false, for example, if the command replaced its hooks.
        ends_with_newline: Whether what it wrote ended with a newline; ``output`` leaves out newlines at its end.

    Example:
        >>> result = pane.run("echo hi; false")
        >>> result.output, result.exit_code, result.exit_known
        ('hi', 1, True)
    """

    schema_version: Literal[1] = 1
    command: str
    exit_code: int
    output: str
    duration_ms: int
    truncated: bool
    omitted_bytes: int
    cwd: str
    started_at: str
    seq: SeqRange
    interleaved: bool
    exit_known: bool = True
    ends_with_newline: bool = False


@frozen(kw_only=True)
class EngineNote:
    """A pane in which something went wrong: it has another engine than the server, a blank screen, or missed marks.

    Attributes:
        terminal: The pane, as a selector.
        engine: The engine it has.
        note: What happened.
    """

    terminal: str
    engine: str
    note: str


@frozen(kw_only=True)
class StateCounts:
    """How many panes are in each state.

    Attributes:
        prompt: A shell is at its prompt.
        running: A program is at work.
        awaiting_input: A program waits for a line or a key.
        awaiting_secret: A program waits for a line that is not shown.
        fullscreen: A program has the whole screen.
        dead: The program has ended.
    """

    prompt: int
    running: int
    awaiting_input: int
    awaiting_secret: int
    fullscreen: int
    dead: int


@frozen(kw_only=True)
class LogHole:
    """A part of a pane's stream that is not in its log.

    Attributes:
        terminal: The pane, as a selector.
        start: The place of the first byte that is missing.
        end: The place behind the last; null while it may still grow, or be filled.
        why: What kept it from being written.
    """

    terminal: str
    start: int
    end: int | None
    why: str


@frozen(kw_only=True)
class LogStatus:
    """How the logs of a server are.

    Attributes:
        directory: Where logs are kept; null if none are.
        server: What this life of the server is called there.
        bytes: How large all logs are together, of all servers; null until they were looked at.
        holes: What is missing in the logs of the panes that are there.
        problem: Why panes are not logged, or not completely; absent if nothing is wrong.
    """

    directory: str | None
    server: str
    bytes: int | None
    holes: list[LogHole]
    problem: str | None = None


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
        engine_notes: Panes in which the engine, a restart or shell marks failed, and what happened.
        socket: Where it listens.
        log: Its log file; null when it logs to the terminal it was started from.
        uptime_s: Seconds since it started.
        sessions: How many sessions there are.
        windows: How many windows.
        panes: How many panes, dead ones included.
        dead_panes: How many of them have a program that ended.
        states: How many of them are in each state.
        clients: How many clients are connected, this one included.
        logs: How the logs of its panes are; absent with a server that keeps none.
        system_notes: What the system does not tell the server of programs, and what that means; absent if it tells all.

    Example:
        >>> phux.status().service_restarts
        0
    """

    schema_version: Literal[1] = 1
    version: str
    protocol: str
    keeper_pid: int
    service_pid: int
    service_restarts: int
    engine: str
    engine_notes: list[EngineNote]
    socket: str
    log: str | None
    uptime_s: float
    sessions: int
    windows: int
    panes: int
    dead_panes: int
    states: StateCounts
    clients: int
    logs: LogStatus | None = None
    system_notes: list[str] | None = None


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
class Place:
    """Where a pane is: what verbs that make or arrange something tell with ``--json``.

    Attributes:
        schema_version: Version of this shape.
        session: The name of its session.
        session_id: That session's number.
        window: The index of its window.
        window_id: That window's number.
        window_name: Its name.
        pane: The pane's place in the window.
        terminal_id: The pane's number; ``@`` and this is its selector.
        cols: Its columns.
        rows: Its rows.
        zoomed: Whether it has the window to itself for now.

    Example:
        >>> place = pane.select()
        >>> place.session, place.window, place.pane
        ('work', 0, 0)
    """

    schema_version: Literal[1] = 1
    session: str
    session_id: int
    window: int
    window_id: int
    window_name: str
    pane: int
    terminal_id: int
    cols: int
    rows: int
    zoomed: bool


@frozen(kw_only=True)
class Swapped:
    """What ``phux swap --json`` tells.

    Attributes:
        schema_version: Version of this shape.
        places: Where the two panes are now, or the active panes of the two windows.
    """

    schema_version: Literal[1] = 1
    places: list[Place]


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
class Detached:
    """What ``phux detach --json`` tells.

    Attributes:
        schema_version: Version of this shape.
        detached: How many clients were detached.
    """

    schema_version: Literal[1] = 1
    detached: int


@frozen(kw_only=True)
class Killed:
    """What ``phux kill --json`` tells.

    Attributes:
        schema_version: Version of this shape.
        killed: How many panes were ended.
    """

    schema_version: Literal[1] = 1
    killed: int

"""Results and errors of verbs."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from phux_core.shapes.document import Document


@frozen(kw_only=True)
class SeqRange:
    """A range of sequence numbers of a pane.

    Attributes:
        start: The sequence number of the first byte.
        end: The sequence number after the last byte.
    """

    start: int
    end: int


@frozen(kw_only=True)
class RunResult(Document):
    """The result of a command.

    Attributes:
        command: The command line as given.
        exit_code: The command's exit status, or the shell's if the command ended it; 255 if ``exit_known`` is false.
        output: The command's output, as a terminal of sufficient size shows it.
        duration_ms: The duration of the command in milliseconds.
        truncated: Whether some of the output was left out.
        omitted_bytes: The number of bytes left out of the middle.
        cwd: The shell's working directory after the command.
        started_at: The time at which the command was typed (UTC).
        seq: The sequence numbers of the output.
        interleaved: Whether other input was typed into the pane while the command ran.
        exit_known: Whether the shell reported the exit status; false if, for example, the shell's hooks were changed.
        ends_with_newline: Whether the output ended with a newline; ``output`` omits trailing newlines.
        command_id: The command's id in the ledger, for ``pane.output`` and ``phux output``.

    Example:
        >>> result = pane.run("echo hi; false")
        >>> result.output, result.exit_code, result.exit_known
        ('hi', 1, True)
    """

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
    exit_known: bool
    ends_with_newline: bool
    command_id: str


@frozen(kw_only=True)
class EngineNote:
    """A problem in a pane: it uses another engine than the server, lost its screen, or missed marks.

    Attributes:
        terminal: The pane, as a selector.
        engine: The pane's engine.
        note: The problem.
    """

    terminal: str
    engine: str
    note: str


@frozen(kw_only=True)
class StateCounts:
    """The number of panes in each state.

    Attributes:
        prompt: A shell is at its prompt.
        running: A program is running.
        awaiting_input: A program waits for input.
        awaiting_secret: A program waits for input that is not echoed.
        fullscreen: A full-screen program is running.
        dead: The program has exited.
    """

    prompt: int
    running: int
    awaiting_input: int
    awaiting_secret: int
    fullscreen: int
    dead: int


@frozen(kw_only=True)
class LogStatus:
    """The status of a server's logs.

    Attributes:
        directory: The directory of the logs; null if none are kept.
        server: The name of this server's directory in ``directory``.
        bytes: The total size of all logs of all servers; null until the size is known.
        problem: The reason why panes are not logged, or not completely; absent if there is no problem.
    """

    directory: str | None
    server: str
    bytes: int | None
    problem: str | None = None


@frozen(kw_only=True)
class MemoryStatus:
    """The memory of a server.

    Attributes:
        keeper_bytes: The resident memory of the keeper; null if the system does not report it.
        service_bytes: The resident memory of the service; null if the system does not report it.
        journal_bytes: The output kept in memory for a restart of the service.
        checkpoint_bytes: The checkpoints of terminals at rest.
        engines: The number of terminal engines in memory; the terminals of idle and dead panes rest.
        log_directories: The number of log directories of all servers; null until the number is known.
    """

    keeper_bytes: int | None
    service_bytes: int | None
    journal_bytes: int
    checkpoint_bytes: int
    engines: int
    log_directories: int | None


@frozen(kw_only=True)
class LostPane:
    """A pane that was lost because its server was killed.

    Attributes:
        terminal: The pane, as a selector; its log and its commands can still be read.
        session: The name of its session.
        running: The ids of the commands that were running.
    """

    terminal: str
    session: str
    running: list[str]


@frozen(kw_only=True)
class UncleanEnd:
    """The end of a server that was killed, by the logs that it left.

    Attributes:
        server: The name of that server's directory in the directory of the logs.
        panes: The panes that were lost, except those without a log.
    """

    server: str
    panes: list[LostPane]


@frozen(kw_only=True)
class Status(Document):
    """The status of a server.

    Attributes:
        version: The release that the service runs.
        protocol: The version of the wire protocol.
        keeper_pid: The process id of the keeper.
        keeper_version: The release that the keeper runs since the server started; absent from older servers.
        service_pid: The process id of the service; that of the last one while none is running.
        service_restarts: The number of restarts of the service.
        engine: The terminal engine, ``ghostty`` or ``pyte``.
        engine_notes: Problems with the engine, recovery or shell marks of a pane.
        socket: The path of the server's socket.
        log: The server's log file; null if it logs to its terminal.
        uptime_s: Seconds since the server started.
        sessions: The number of sessions.
        windows: The number of windows.
        panes: The number of panes, including dead ones.
        dead_panes: The number of panes whose program has exited.
        states: The number of panes in each state.
        clients: The number of connected clients, including the one that asks.
        logs: The status of the server's logs.
        problem: Why the keeper answers, which knows no engine, sessions, windows or states; absent if the service does.
        memory: The memory of the server; absent from older servers, and if the keeper answers.
        system_notes: Process information that the system withholds, and the effect; absent if nothing is withheld.
        unclean_end: What was lost with the previous server on this socket; absent if it ended cleanly.

    Example:
        >>> phux.status().service_restarts
        0
    """

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
    problem: str | None = None
    memory: MemoryStatus | None = None
    system_notes: list[str] | None = None
    unclean_end: UncleanEnd | None = None
    keeper_version: str | None = None


@frozen(kw_only=True)
class Upgraded(Document):
    """The result of ``phux upgrade``.

    Attributes:
        replaced: Whether the service was replaced.
        version: The release of the service; that of this client if no server is running.
        previous_version: The release of the service before; null if no server is running.
        keeper_version: The release of the keeper, which runs until the server ends; null if no server is running.

    Example:
        >>> from phux_client import Upgraded, flows
        >>> phux.load(Upgraded, flows.upgrade("/usr/bin/python3")).replaced
        False
    """

    replaced: bool
    version: str
    previous_version: str | None
    keeper_version: str | None


@frozen(kw_only=True)
class ErrorDetail:
    """The code and message of an error.

    Attributes:
        code: A stable code for programs.
        message: One sentence that says what happened.
    """

    code: str
    message: str


@frozen(kw_only=True)
class Error(Document):
    """The last line on stderr when a verb with ``--json`` fails.

    Attributes:
        error: The code and message.
        remedy: The action that fixes the problem; may be empty.
        exit_code: The verb's exit status.
        executed: False if the request had no effect, True if it had some; absent if the error does not say.
    """

    error: ErrorDetail
    remedy: str
    exit_code: int
    executed: bool | None = None


@frozen(kw_only=True)
class Created:
    """The result of ``phux new --json``.

    Attributes:
        session: The new session's name.
        terminal_id: The id of the session's pane.
    """

    session: str
    terminal_id: int


@frozen(kw_only=True)
class Place(Document):
    """The place of a pane: the result of verbs that create or arrange something.

    Attributes:
        session: The name of the pane's session.
        session_id: The id of the pane's session.
        window: The index of the pane's window.
        window_id: The id of the pane's window.
        window_name: The name of the pane's window.
        pane: The pane's index in the window.
        terminal_id: The pane's id; its selector is ``@`` followed by the id.
        cols: The pane's number of columns.
        rows: The pane's number of rows.
        zoomed: Whether the pane is zoomed to fill the window.

    Example:
        >>> place = pane.select()
        >>> place.session, place.window, place.pane
        ('work', 0, 0)
    """

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
class Swapped(Document):
    """The result of ``phux swap --json``.

    Attributes:
        places: The new places of the two panes, or of the active panes of the two windows.
    """

    places: list[Place]


@frozen(kw_only=True)
class Sent(Document):
    """The result of ``phux send-keys --json`` and ``phux paste --json``.

    Attributes:
        sent: Always true; failure is an error.
        pane: The selector of the pane.
        bytes: The number of bytes typed.
    """

    sent: Literal[True] = True
    pane: str
    bytes: int


@frozen(kw_only=True)
class Detached(Document):
    """The result of ``phux detach --json``.

    Attributes:
        detached: The number of clients that were detached.
    """

    detached: int


@frozen(kw_only=True)
class Killed(Document):
    """The result of ``phux kill --json``.

    Attributes:
        killed: The number of panes that were closed; 0 if it is unknown.
        problem: Why the server's service did not answer; absent if it did.
    """

    killed: int
    problem: str | None = None


@frozen(kw_only=True)
class Verb:
    """A verb of the command line.

    Attributes:
        name: The verb.
        summary: Its purpose.
        json: Whether it has the flag ``--json``.
    """

    name: str
    summary: str
    json: bool


@frozen(kw_only=True)
class Capabilities(Document):
    """The result of ``phux --capabilities --json``: the parts of this installation.

    Attributes:
        version: The version of phux.
        verbs: The verbs, in the order of the help.
        schemas: The schemas of documents, as ``phux schema`` lists them.
        conditions: The conditions of a wait.
        states: The states of a pane.
        events: The names of events.
        engines: The terminal engines that can be used.
        shells: The shells with an integration.
        formats: The formats in which a screen can be drawn.
    """

    version: str
    verbs: list[Verb]
    schemas: list[str]
    conditions: list[str]
    states: list[str]
    events: list[str]
    engines: list[str]
    shells: list[str]
    formats: list[str]

"""Logs, commands and their signals, and the checks of ``phux doctor``."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from phux_core.shapes.results import SeqRange  # noqa: TC001  cattrs looks it up
from phux_core.shapes.vocabulary import Signal  # noqa: TC001


@frozen(kw_only=True)
class CommandInfo:
    """A command in the ledger.

    Attributes:
        schema_version: Version of this shape.
        command_id: Its id, never used again by this server: ``3.17`` is the seventeenth of pane 3.
        id: The same; an old name, which goes with the next release.
        pane: The pane it ran in.
        command: The line; null if nobody knows it.
        cwd: Where it was started; null if nobody knows.
        by: Who ran it: somebody ``typed`` it, or a client had it ``run`` or ``start``.
        client: What that client calls itself, or the one through which it was typed; null if that is not known.
        state: ``typed`` until it begins, ``running``, ``finished``, or ``lost`` if nobody saw it begin or end.
        started_at: When (UTC).
        ended_at: When it ended (UTC); null until then.
        exit_code: How; null until then, and if the shell did not say.
        start: Where in the pane's stream its output begins; null until it began.
        end: Where it ends; null until then.

    Example:
        >>> result = pane.run("echo hi")
        >>> command = pane.commands()[-1]
        >>> command.command, command.by, command.exit_code
        ('echo hi', 'run', 0)
    """

    schema_version: Literal[1] = 1
    command_id: str
    id: str
    pane: int
    command: str | None
    cwd: str | None
    by: Literal["typed", "run", "start"]
    client: str | None
    state: Literal["typed", "running", "finished", "lost"]
    started_at: str
    ended_at: str | None
    exit_code: int | None
    start: int | None
    end: int | None


@frozen(kw_only=True)
class CommandList:
    """What ``phux commands --json`` tells.

    Attributes:
        schema_version: Version of this shape.
        commands: The commands, oldest first.
    """

    schema_version: Literal[1] = 1
    commands: list[CommandInfo]


@frozen(kw_only=True)
class LogText:
    r"""A part of what a pane wrote.

    Attributes:
        schema_version: Version of this shape.
        log: Which log it is of; null for a pane that keeps none.
        pane: The pane.
        content: The text.
        returned_lines: How many lines it has.
        total_lines: How many lines are kept, of the log or of the command.
        truncated: Whether there is more than was given.
        omitted: How many lines of what was asked for were left out to stay within the budget.
        first_byte: Where in the pane's stream the part begins.
        next_byte: Where it ends, and the next read goes on.
        eof: Whether nothing was written behind that.
        dropped: Bytes that were asked for and have been let go.
        holes: Parts in between that could not be written.
        command: The command whose output it is; absent otherwise.

    Example:
        >>> result = pane.run("seq 1 9")
        >>> text = pane.output(tail=2)
        >>> text.content, text.omitted
        ('8\n9', 7)
    """

    schema_version: Literal[1] = 1
    log: str | None
    pane: int
    content: str
    returned_lines: int
    total_lines: int
    truncated: bool
    omitted: int
    first_byte: int
    next_byte: int
    eof: bool
    dropped: int
    holes: list[SeqRange]
    command: CommandInfo | None = None


@frozen(kw_only=True)
class LogInfo:
    """A log that is kept.

    Attributes:
        log: Its id, which names it wherever a log is asked for.
        pane: The pane's number on its server.
        session: The session it was in.
        command: The program that was started in it.
        cwd: Where.
        live: Whether it is a pane of the server that was asked, whose program runs.
        started_at: When (UTC).
        ended_at: When it ended (UTC); null until then, and if its server did not live to tell.
        exit_status: Its exit code; null until then, and when a signal ended it.
        signal: The name of that signal.
        bytes: How much is kept.
        first_byte: The place of the first byte that is.
        next_byte: The place behind the last.
        holes: Parts in between that could not be written.

    Example:
        >>> log = phux.log_list()[0]
        >>> log.session, log.live
        ('work', True)
    """

    log: str
    pane: int
    session: str | None
    command: str | None
    cwd: str | None
    live: bool
    started_at: str | None
    ended_at: str | None
    exit_status: int | None
    signal: str | None
    bytes: int
    first_byte: int
    next_byte: int
    holes: list[SeqRange]


@frozen(kw_only=True)
class LogList:
    """What ``phux logs --list --json`` tells.

    Attributes:
        schema_version: Version of this shape.
        logs: The logs, newest server first.
    """

    schema_version: Literal[1] = 1
    logs: list[LogInfo]


@frozen(kw_only=True)
class Match:
    """A line that was found.

    Attributes:
        log: The log it is in.
        pane: The pane that wrote it.
        line: Its number among the lines that are kept, from 1.
        offset: Where in the pane's stream it begins.
        text: The line, without escape sequences.
        before: The lines before it; absent unless asked for.
        after: The lines behind it; absent unless asked for.

    Example:
        >>> result = pane.run("echo needle")
        >>> phux.search("^needle$")[0].pane
        1
    """

    log: str
    pane: int
    line: int
    offset: int
    text: str
    before: list[str] | None = None
    after: list[str] | None = None


@frozen(kw_only=True)
class Matches:
    """What ``phux search --json`` tells.

    Attributes:
        schema_version: Version of this shape.
        matches: The lines, pane by pane.
        truncated: Whether there are more.
    """

    schema_version: Literal[1] = 1
    matches: list[Match]
    truncated: bool


@frozen(kw_only=True)
class Started:
    """What ``phux start --json`` tells: a command that is left to itself.

    Attributes:
        schema_version: Version of this shape.
        command_id: Its id in the ledger.
        command: The same; an old name, which goes with the next release.
        pane: The selector of its pane.
        seq: Where the pane's stream stood before it was typed.

    Example:
        >>> started = pane.start("sleep 0.1")
        >>> phux.wait_command(started.command_id, timeout_s=10).exit_code
        0
    """

    schema_version: Literal[1] = 1
    command_id: str
    command: str
    pane: str
    seq: int


@frozen(kw_only=True)
class Signalled:
    """What ``phux signal --json`` tells.

    Attributes:
        schema_version: Version of this shape.
        pane: The selector of the pane.
        signal: The signal.
        pgid: The process group that got it.
        pid: Its leader, or another process of it.
        command: What that is called.
        through: ``tty`` if the key was typed that the terminal turns into the signal, else ``kill``.

    Example:
        >>> started = pane.start("sleep 100")
        >>> pane.signal("TERM").command
        'sleep'
        >>> pane.wait(state="prompt", timeout_s=10).met
        'state'
    """

    schema_version: Literal[1] = 1
    pane: str
    signal: Signal
    pgid: int
    pid: int
    command: str
    through: Literal["tty", "kill"]


@frozen(kw_only=True)
class Stopped:
    """What ``phux stop --json`` tells.

    Attributes:
        schema_version: Version of this shape.
        pane: The selector of the pane.
        stopped: Whether anything ran.
        signals: What was sent until it had ended.
        command: What the process was called; null if nothing ran.
        duration_ms: How long it took.

    Example:
        >>> started = pane.start("sleep 100")
        >>> pane.stop().signals
        ['INT']
    """

    schema_version: Literal[1] = 1
    pane: str
    stopped: bool
    signals: list[Signal]
    command: str | None
    duration_ms: int


@frozen(kw_only=True)
class Check:
    """One thing that ``phux doctor`` looked at.

    Attributes:
        name: What.
        ok: Whether it is well.
        message: What was found.
        remedy: What to do about it; empty if it is well.
    """

    name: str
    ok: bool
    message: str
    remedy: str


@frozen(kw_only=True)
class Checks:
    """What ``phux doctor --json`` tells.

    Attributes:
        schema_version: Version of this shape.
        ok: Whether all is well.
        checks: What was looked at.
    """

    schema_version: Literal[1] = 1
    ok: bool
    checks: list[Check]

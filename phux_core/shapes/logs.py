"""Logs, commands, signals, and the checks of ``phux doctor``."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from phux_core.shapes.document import Document
from phux_core.shapes.results import SeqRange  # noqa: TC001  cattrs looks it up
from phux_core.shapes.vocabulary import Signal  # noqa: TC001


@frozen(kw_only=True)
class CommandInfo(Document):
    """A command in the ledger.

    Attributes:
        command_id: The command's id, never reused by this server: ``3.17`` is the seventeenth command of pane 3.
        id: The same as ``command_id``; deprecated, to be removed in the next release.
        pane: The pane in which the command ran.
        command: The command line; null if unknown.
        cwd: The directory in which the command started; null if unknown.
        by: The origin of the command: ``typed``, ``run`` or ``start``.
        client: The name of the client that ran or typed the command; null if unknown.
        state: ``typed``, ``running``, ``finished``, or ``lost`` if the command's start or end was not seen.
        started_at: The time at which the command started (UTC).
        ended_at: The time at which the command ended (UTC); null until then.
        exit_code: The command's exit status; null until the command ended, or if the shell did not report it.
        start: The sequence number at which the output starts; null until the command started.
        end: The sequence number at which the output ends; null until then.

    Example:
        >>> result = pane.run("echo hi")
        >>> command = pane.commands()[-1]
        >>> command.command, command.by, command.exit_code
        ('echo hi', 'run', 0)
    """

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
class CommandList(Document):
    """The result of ``phux commands --json``.

    Attributes:
        commands: The commands, oldest first.
    """

    commands: list[CommandInfo]


@frozen(kw_only=True)
class LogText(Document):
    r"""A part of a pane's log.

    Attributes:
        log: The log's id; null if the pane has no log.
        pane: The pane's id.
        content: The text.
        returned_lines: The number of lines in ``content``.
        total_lines: The number of lines kept of the log, or of the command.
        truncated: Whether the log has more than was returned.
        omitted: The number of requested lines that were left out to stay within the limits.
        first_byte: The sequence number at which the part starts.
        next_byte: The sequence number at which the part ends and the next read continues.
        eof: Whether the part ends at the end of the log.
        dropped: The number of requested bytes that are no longer kept.
        holes: Parts that are missing because they could not be written.
        command: The command that wrote the text; absent unless the output of a command was requested.

    Example:
        >>> result = pane.run("seq 1 9")
        >>> text = pane.output(tail=2)
        >>> text.content, text.omitted
        ('8\n9', 7)
    """

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
    """A log on disk.

    Attributes:
        log: The log's id.
        pane: The pane's id on its server.
        session: The pane's session.
        command: The program that was started in the pane.
        cwd: The directory in which the program started.
        live: Whether the pane belongs to this server and its program is running.
        started_at: The time at which the program started (UTC).
        ended_at: The time at which the program ended (UTC); null until then, or if the server died first.
        exit_status: The program's exit status; null until it ended, or if a signal ended it.
        signal: The name of the signal that ended the program; null otherwise.
        bytes: The number of bytes kept.
        first_byte: The sequence number of the first byte kept.
        next_byte: The sequence number after the last byte.
        holes: Parts that are missing because they could not be written.

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
class LogList(Document):
    """The result of ``phux logs --list --json``.

    Attributes:
        logs: The logs, newest server first.
    """

    logs: list[LogInfo]


@frozen(kw_only=True)
class Match:
    """A line that matched a search.

    Attributes:
        log: The log that contains the line.
        pane: The pane that wrote the line.
        line: The number of the line among the lines kept, counted from 1.
        offset: The sequence number at which the line starts.
        text: The line, without escape sequences.
        before: The lines before it; absent unless requested.
        after: The lines after it; absent unless requested.
        at: The time at which the line was written (UTC); null if unknown.
        command_id: The command that wrote the line; null if unknown.

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
    at: str | None = None
    command_id: str | None = None


@frozen(kw_only=True)
class Matches(Document):
    """The result of ``phux search --json``.

    Attributes:
        matches: The matching lines, pane by pane.
        truncated: Whether there are more matches.
    """

    matches: list[Match]
    truncated: bool


@frozen(kw_only=True)
class Started(Document):
    """The result of ``phux start --json``: a command that was started without waiting for it.

    Attributes:
        command_id: The command's id in the ledger.
        command: The same as ``command_id``; deprecated, to be removed in the next release.
        pane: The selector of the command's pane.
        seq: The pane's sequence number before the command was typed.
        start: The sequence number at which the command's output begins; null if the shell did not report it in time.

    Example:
        >>> started = pane.start("sleep 0.1")
        >>> phux.wait_command(started.command_id, timeout_s=10).exit_code
        0
    """

    command_id: str
    command: str
    pane: str
    seq: int
    start: int | None = None


@frozen(kw_only=True)
class Signalled(Document):
    """The result of ``phux signal --json``.

    Attributes:
        pane: The selector of the pane.
        signal: The signal.
        pgid: The process group that received the signal.
        pid: The id of the group's leader, or of another process in it.
        command: The name of that process.
        through: ``tty`` if the terminal's key for the signal was typed, else ``kill``.

    Example:
        >>> started = pane.start("sleep 100")
        >>> pane.signal("TERM").command
        'sleep'
        >>> pane.wait(state="prompt", timeout_s=10).met
        'state'
    """

    pane: str
    signal: Signal
    pgid: int
    pid: int
    command: str
    through: Literal["tty", "kill"]


@frozen(kw_only=True)
class Stopped(Document):
    """The result of ``phux stop --json``.

    Attributes:
        pane: The selector of the pane.
        stopped: Whether a program was running.
        signals: The signals that were sent until the program ended.
        command: The name of the program; null if nothing was running.
        duration_ms: The time until the program ended, in milliseconds.

    Example:
        >>> started = pane.start("sleep 100")
        >>> pane.stop().signals
        ['INT']
    """

    pane: str
    stopped: bool
    signals: list[Signal]
    command: str | None
    duration_ms: int


@frozen(kw_only=True)
class Check:
    """One check of ``phux doctor``.

    Attributes:
        name: The name of the check.
        ok: Whether the check passed.
        message: The finding.
        remedy: The action that fixes the problem; empty if the check passed.
    """

    name: str
    ok: bool
    message: str
    remedy: str


@frozen(kw_only=True)
class Checks(Document):
    """The result of ``phux doctor --json``.

    Attributes:
        ok: Whether all checks passed.
        checks: The checks.
    """

    ok: bool
    checks: list[Check]

"""Logs, the command ledger and processes: a part of the handles of panes and of the server."""

from __future__ import annotations

from phux_client import flows
from phux_client.aio.driver import Driver
from phux_client.deprecation import renamed
from phux_core import errors, shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from typing import Self

    from phux_client.aio.server import Phux


class LogStream:
    r"""The output of a pane as text, for ``async for`` or piece by piece. The stream ends when the program ends.

    Attributes:
        next_byte: The position of the next piece in the pane's output. To continue later, follow from here.

    Example:
        >>> stream = await pane.follow()
        >>> typed = await pane.send_keys("echo hi; exit", "Enter")
        >>> pieces = [piece.content async for piece in stream]
        >>> "hi" in "\n".join(pieces).splitlines()
        True
    """

    def __init__(self, phux: Phux, place: flows.LogPlace, mode: shapes.LogMode) -> None:
        self._phux = phux
        self._place = place
        self._mode = mode

    @property
    def next_byte(self) -> int:
        """The position of the next piece.

        Example:
            >>> (await pane.follow(from_byte=0)).next_byte
            0
        """
        return self._place.next_byte or 0

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> shapes.LogText:
        try:
            return await self.next()
        except errors.PaneClosedError:
            raise StopAsyncIteration from None

    async def next(self, timeout_s: float | None = None) -> shapes.LogText:
        """Wait for the next piece.

        Raises:
            TimedOutError: Nothing was written in time.
            PaneClosedError: The program has ended, and everything was read.
            NoServerError: The server was killed.

        Example:
            >>> stream = await pane.follow()
            >>> typed = await pane.send_keys("echo hi", "Enter")
            >>> (await stream.next(timeout_s=10)).pane
            1
        """
        from phux_core import documents

        document = await self._phux.drive(flows.next_logs(self._place, mode=self._mode, timeout_s=timeout_s))
        if document is not None:
            return documents.load(shapes.LogText, document)
        if self._place.ended:
            raise errors.PaneClosedError("the pane's program has ended, and its whole output was read")
        raise errors.TimedOutError(f"nothing was written within {timeout_s} s")


class PaneLogs:
    """The part of a pane's handle for logs, commands and processes."""

    _phux: Phux
    id: int

    async def logs(
        self,
        *,
        lines: int | None = None,
        from_byte: int | None = None,
        since: int | None = None,
        grep: str | None = None,
        context: int | None = None,
        head: int | None = None,
        tail: int | None = None,
        max_bytes: int | None = None,
        mode: shapes.LogMode = "rendered",
    ) -> shapes.LogText:
        r"""Return the output of the pane from its log: by default the last 500 lines.

        Args:
            lines: Read only the last N lines of the log.
            from_byte: Read from this position, at most ``max_bytes`` (65536); ``next_byte`` of the result is the
                position to continue at.
            since: Read only what was written after this ``seq``.
            grep: Only lines that match this pattern, in the whole log unless ``lines`` is given.
            context: The number of lines to include around each match.
            head: Return only the first N of the lines that were read.
            tail: Return only the last N of the lines that were read.
            max_bytes: The most text to return, 1 MiB by default; longer text is cut in the middle.
            mode: ``rendered`` as on a terminal, ``stripped`` of escape sequences, or ``raw``, where bytes that are not
                UTF-8 become surrogates (encode with ``surrogateescape``).

        Raises:
            NoSuchTargetError: The pane has no log.
            BadRequestError: A pattern is invalid, or a position is after the end.
            LimitError: Reading took too long.

        Example:
            >>> result = await pane.run("seq 1 100")
            >>> (await pane.logs(grep="^9.$", head=2)).content
            '90\n91'
        """
        return await self._phux.logs(
            self.id,
            lines=lines,
            from_byte=from_byte,
            since=since,
            grep=grep,
            context=context,
            head=head,
            tail=tail,
            max_bytes=max_bytes,
            mode=mode,
        )

    async def follow(self, *, from_byte: int | None = None, mode: shapes.LogMode = "rendered") -> LogStream:
        """Follow the pane's output, from now on or from a position, until its program ends.

        Args:
            from_byte: The position to start at; by default, the start of the line being written.
            mode: As for ``logs``. Pieces are whole lines, except in ``raw`` mode.

        Example:
            >>> result = await pane.run("echo hi")
            >>> "hi" in (await (await pane.follow(from_byte=0)).next(timeout_s=10)).content
            True
        """
        place = await self._phux.drive(flows.follow(self._phux.caller, self.id, from_byte=from_byte, mode=mode))
        return LogStream(self._phux, place, mode)

    async def output(
        self,
        command_id: str | None = None,
        *,
        grep: str | None = None,
        context: int | None = None,
        head: int | None = None,
        tail: int | None = None,
        max_bytes: int | None = None,
        mode: shapes.LogMode = "rendered",
        command: str | None = None,
    ) -> shapes.LogText:
        """Return a command's output.

        Args:
            command_id: The command's id; by default, the pane's latest command.
            grep: Only lines that match this pattern.
            context: The number of lines to include around each match.
            head: The first N lines.
            tail: The last N lines.
            max_bytes: The most text to return, 1 MiB by default; longer text is cut in the middle.
            mode: As for ``logs``.
            command: The old name of ``command_id``.

        Raises:
            NoSuchTargetError: There is no such command.

        Example:
            >>> result = await pane.run("seq 1 100")
            >>> (await pane.output(tail=1)).content
            '100'
        """
        flow = flows.output(
            self._phux.caller,
            command_id if command is None else renamed("command", "command_id", command),
            self.id,
            grep=grep,
            context=context,
            head=head,
            tail=tail,
            max_bytes=max_bytes,
            mode=mode,
        )
        return await self._phux.load(shapes.LogText, flow)

    async def commands(self) -> list[shapes.CommandInfo]:
        """Return the pane's command ledger, oldest first.

        Example:
            >>> result = await pane.run("true")
            >>> (await pane.commands())[-1].state
            'finished'
        """
        return await self._phux.commands(self.id)

    async def start(self, command: str | Sequence[str], *, queue: bool = False) -> shapes.Started:
        """Start a command at the pane's prompt, without waiting for its end.

        Args:
            command: A shell line, or a list of words that reach the program unchanged.
            queue: If another program is in the foreground, wait for the prompt instead of raising.

        Raises:
            BusyError: Another program is in the foreground; the message names it.
            PaneClosedError: The pane's program has ended.

        Example:
            >>> started = await pane.start("sleep 0.1; echo done")
            >>> (await phux.wait_command(started.command_id, timeout_s=10)).state
            'finished'
        """
        flow = flows.start(self._phux.caller, self.id, command, queue=queue)
        return await self._phux.load(shapes.Started, flow)

    async def signal(self, name: shapes.Signal = "INT", *, shell: bool = False) -> shapes.Signalled:
        """Send a signal to the pane's foreground process group.

        Args:
            name: INT, TERM, HUP, KILL, QUIT, TSTP, CONT, USR1 or USR2.
            shell: Allow a signal to the shell itself.

        Raises:
            RefusedError: Only the shell is in the foreground, or the process belongs to another user.
            PaneClosedError: The pane's program has ended.

        Example:
            >>> started = await pane.start("sleep 100")
            >>> (await pane.signal("KILL")).through
            'kill'
        """
        flow = flows.signal(self._phux.caller, self.id, name, shell=shell)
        return await self._phux.load(shapes.Signalled, flow)

    async def stop(self, *, grace_s: float | None = None) -> shapes.Stopped:
        """Stop the command that runs in the pane's shell: INT, then TERM, then KILL, until the prompt is back.

        Args:
            grace_s: The time to wait after each signal, 2 s by default.

        Raises:
            TimedOutError: The command did not end.

        Example:
            >>> started = await pane.start("sleep 100")
            >>> (await pane.stop()).stopped
            True
        """
        return await self._phux.load(shapes.Stopped, flows.stop(self._phux.caller, self.id, grace_s=grace_s))

    async def set_history_limit(self, rows: int) -> None:
        """Set the number of rows of scrollback to keep, from 0 to 1,000,000. Takes effect at once.

        Example:
            >>> await pane.set_history_limit(50_000)
        """
        await self._phux.drive(flows.history_limit(self._phux.caller, self.id, rows))


class ServerLogs(Driver):
    """The part of a server's handle for logs and commands."""

    async def logs(
        self,
        target: str | int,
        *,
        lines: int | None = None,
        from_byte: int | None = None,
        since: int | None = None,
        grep: str | None = None,
        context: int | None = None,
        head: int | None = None,
        tail: int | None = None,
        max_bytes: int | None = None,
        mode: shapes.LogMode = "rendered",
    ) -> shapes.LogText:
        """Return the log of a pane, by a selector, a pane's id or the log's id; see ``Pane.logs``.

        This also works for panes that are gone, and for panes of earlier servers.

        Example:
            >>> result = await pane.run("echo hi")
            >>> gone = await pane.kill()
            >>> (await phux.logs("@1", grep="^hi$")).content
            'hi'
        """
        flow = flows.logs(
            self.caller,
            target,
            lines=lines,
            from_byte=from_byte,
            since=since,
            grep=grep,
            context=context,
            head=head,
            tail=tail,
            max_bytes=max_bytes,
            mode=mode,
        )
        return await self.load(shapes.LogText, flow)

    async def log_list(self) -> list[shapes.LogInfo]:
        """Return the list of stored logs, newest server first.

        Example:
            >>> [log.session for log in await phux.log_list()]
            ['work']
        """
        return (await self.load(shapes.LogList, flows.log_list())).logs

    async def search(
        self,
        pattern: str,
        *,
        session: str | None = None,
        everywhere: bool = False,
        since: datetime | str | float | None = None,
        until: datetime | str | float | None = None,
        failed: bool = False,
        exit_code: int | None = None,
        context: int = 0,
        max_matches: int | None = None,
    ) -> list[shapes.Match]:
        """Search the logs of all panes, line by line, without escape sequences.

        Args:
            pattern: A pattern of Python's ``re``.
            session: Search only the panes of this session.
            everywhere: Also search logs of panes that are gone, and of earlier servers.
            since: Search only lines written from this time on: a datetime, epoch seconds, or text such as
                ``yesterday``, ``2h`` (ago) or ``2026-05-01T12:00``.
            until: Search only lines written before this time.
            failed: Search only the output of commands that ended with another exit status than 0.
            exit_code: Search only the output of commands that ended with this exit status.
            context: The number of lines to include around each match.
            max_matches: The most matches to return, 1000 by default.

        Raises:
            BadRequestError: The pattern is invalid.
            LimitError: The search took too long.

        Example:
            >>> result = await pane.run("echo needle in a haystack")
            >>> [match.text for match in await phux.search("^needle")]
            ['needle in a haystack']
        """
        flow = flows.search(
            self.caller,
            pattern,
            session=session,
            everywhere=everywhere,
            since=since,
            until=until,
            failed=failed,
            exit_code=exit_code,
            context=context,
            max_matches=max_matches,
        )
        return (await self.load(shapes.Matches, flow)).matches

    async def commands(
        self,
        target: str | int | None = None,
        *,
        everywhere: bool = False,
        since: datetime | str | float | None = None,
        until: datetime | str | float | None = None,
        failed: bool = False,
        exit_code: int | None = None,
        grep: str | None = None,
        max_commands: int | None = None,
    ) -> list[shapes.CommandInfo]:
        """Return the command ledger of a pane, or of all panes, oldest first.

        Args:
            target: A selector, a pane's id or a log's id; all panes by default.
            everywhere: Also return commands of panes that are gone, and of earlier servers.
            since: Return only commands that started from this time on, as in ``search``.
            until: Return only commands that started before this time.
            failed: Return only commands that ended with another exit status than 0.
            exit_code: Return only commands that ended with this exit status.
            grep: Return only commands whose line matches this pattern of Python's ``re``.
            max_commands: Return only the newest commands.

        Example:
            >>> result = await pane.run("true")
            >>> [command.command for command in await phux.commands()]
            ['true']
        """
        flow = flows.commands(
            self.caller,
            target,
            everywhere=everywhere,
            since=since,
            until=until,
            failed=failed,
            exit_code=exit_code,
            grep=grep,
            max_commands=max_commands,
        )
        return (await self.load(shapes.CommandList, flow)).commands

    async def wait_command(
        self,
        command_id: str = "",
        *,
        timeout_s: float | None = None,
        until_waiting: bool = False,
        command: str | None = None,
    ) -> shapes.CommandInfo:
        """Wait until a command ends, and return its entry in the ledger.

        Args:
            command_id: The command's id.
            timeout_s: The time limit; None for no limit.
            until_waiting: Raise WaitingError as soon as the command waits for a person, as ``pane.run`` does.
            command: The old name of ``command_id``.

        Raises:
            TimedOutError: The timeout expired; the command keeps running.
            WaitingError: The command waits for a person (``until_waiting``).
            NoSuchTargetError, BadRequestError: There is no such command.

        Example:
            >>> started = await pane.start("false")
            >>> (await phux.wait_command(started.command_id, timeout_s=10)).exit_code
            1
        """
        if command is not None:
            command_id = renamed("command", "command_id", command)
        flow = flows.wait_command(command_id, timeout_s=timeout_s, until_waiting=until_waiting)
        return await self.load(shapes.CommandInfo, flow)

"""What a pane wrote and what ran in it, and the same of a whole server: a part of the handles."""

from __future__ import annotations

from phux_client import flows
from phux_client.aio.driver import Driver
from phux_client.deprecation import renamed
from phux_core import errors, shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from phux_client.aio.server import Phux


class LogStream:
    r"""What a pane writes, as text and as it comes: for ``async for``, or piece by piece. Ends with the pane.

    Attributes:
        next_byte: Where in the pane's stream the next piece begins: begin there again after a pause, and nothing is
            missed.

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
        """Where the next piece begins.

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
            TimedOutError: None came in time.
            PaneClosedError: There will be none: the program has ended.

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
            raise errors.PaneClosedError("there is no more: the pane's program has ended")
        raise errors.TimedOutError(f"nothing was written within {timeout_s} s")


class PaneLogs:
    """What a pane wrote, and what runs in it."""

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
        r"""Read what it wrote, from its log: the last 500 lines unless told otherwise.

        Args:
            lines: The last so many lines.
            from_byte: From this place in its stream on, at most ``max_bytes`` (65536) of it; ``next_byte`` of the
                result is where to go on.
            since: Everything from this place on, a ``seq``.
            grep: Only lines that match this pattern, of all that is kept unless ``lines`` is given.
            context: Lines around each that matches.
            head: The first so many lines.
            tail: The last so many.
            max_bytes: How much text to give, 1 MiB when omitted; more is left out in the middle.
            mode: ``rendered`` as written, ``stripped`` of escape sequences, or ``raw``, in which bytes that are no
                UTF-8 are surrogates (encode with ``surrogateescape``).

        Raises:
            NoSuchTargetError: It has no log.
            BadRequestError: A pattern that is none, or a place behind the end.
            LimitError: It took too long.

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
        """Read what it writes from now on, or from a place in its stream, until its program has ended.

        Args:
            from_byte: Where to begin; with the line that is written now when omitted.
            mode: As for ``logs``; whole lines come unless it is ``raw``.

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
        """Read what a command wrote: its latest, or the one of an id.

        Args:
            command_id: The command's id.
            grep: Only lines that match this pattern.
            context: Lines around each that matches.
            head: The first so many lines.
            tail: The last so many.
            max_bytes: How much text to give, 1 MiB when omitted; more is left out in the middle.
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
        """Read the ledger of what ran in it, oldest first.

        Example:
            >>> result = await pane.run("true")
            >>> (await pane.commands())[-1].state
            'finished'
        """
        return await self._phux.commands(self.id)

    async def start(self, command: str | Sequence[str], *, queue: bool = False) -> shapes.Started:
        """Type a command at its prompt, and leave it to itself.

        Args:
            command: A shell line, or words that the shell is to see exactly so.
            queue: Wait for the prompt if another program has the terminal, instead of refusing.

        Raises:
            BusyError: Another program has the terminal; the message names it.
            PaneClosedError: The pane's program has ended.

        Example:
            >>> started = await pane.start("sleep 0.1; echo done")
            >>> (await phux.wait_command(started.command_id, timeout_s=10)).state
            'finished'
        """
        flow = flows.start(self._phux.caller, self.id, command, queue=queue)
        return await self._phux.load(shapes.Started, flow)

    async def signal(self, name: shapes.Signal = "INT", *, shell: bool = False) -> shapes.Signalled:
        """Send a signal to the processes that have its terminal.

        Args:
            name: INT, TERM, HUP, KILL, QUIT, TSTP, CONT, USR1 or USR2.
            shell: Whether it may hit the shell itself.

        Raises:
            RefusedError: Only the shell is there, or it is somebody else's process.
            PaneClosedError: The pane's program has ended.

        Example:
            >>> started = await pane.start("sleep 100")
            >>> (await pane.signal("KILL")).through
            'kill'
        """
        flow = flows.signal(self._phux.caller, self.id, name, shell=shell)
        return await self._phux.load(shapes.Signalled, flow)

    async def stop(self, *, grace_s: float | None = None) -> shapes.Stopped:
        """End what runs in its shell: INT, then TERM, then KILL, until the prompt is back.

        Args:
            grace_s: How long to wait after each, 2 s when omitted.

        Raises:
            TimedOutError: It does not end.

        Example:
            >>> started = await pane.start("sleep 100")
            >>> (await pane.stop()).stopped
            True
        """
        return await self._phux.load(shapes.Stopped, flows.stop(self._phux.caller, self.id, grace_s=grace_s))

    async def set_history_limit(self, rows: int) -> None:
        """Change how many rows of history it keeps, from 0 to 1,000,000, at once.

        Example:
            >>> await pane.set_history_limit(50_000)
        """
        await self._phux.drive(flows.history_limit(self._phux.caller, self.id, rows))


class ServerLogs(Driver):
    """What the panes of a server wrote, and what ran in them."""

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
        """Read a log by a selector, a pane's number or the log's id; see ``Pane.logs``.

        Works for panes that are gone, and for those of earlier servers.

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
        """List the logs that are kept, newest server first.

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
        context: int = 0,
        max_matches: int | None = None,
    ) -> list[shapes.Match]:
        """Look for a pattern in what all panes wrote, escape sequences left out.

        Args:
            pattern: What for, as Python's ``re`` reads it; line by line.
            session: Only in the panes of this session.
            everywhere: Also in logs of panes that are gone, and of earlier servers.
            context: Lines around each match to tell, too.
            max_matches: How many to tell, 1000 when omitted.

        Raises:
            BadRequestError: The pattern is none.
            LimitError: It took too long.

        Example:
            >>> result = await pane.run("echo needle in a haystack")
            >>> [match.text for match in await phux.search("^needle")]
            ['needle in a haystack']
        """
        flow = flows.search(
            self.caller, pattern, session=session, everywhere=everywhere, context=context, max_matches=max_matches
        )
        return (await self.load(shapes.Matches, flow)).matches

    async def commands(self, target: str | int | None = None) -> list[shapes.CommandInfo]:
        """Read the ledger: of all panes, or of one, oldest first.

        Args:
            target: A selector, a pane's number or a log's id.

        Example:
            >>> result = await pane.run("true")
            >>> [command.command for command in await phux.commands()]
            ['true']
        """
        return (await self.load(shapes.CommandList, flows.commands(self.caller, target))).commands

    async def wait_command(
        self, command_id: str = "", *, timeout_s: float | None = None, command: str | None = None
    ) -> shapes.CommandInfo:
        """Wait until a command has ended.

        Args:
            command_id: Its id.
            timeout_s: Give up after this long.
            command: The old name of ``command_id``.

        Raises:
            TimedOutError: The time was over; the command goes on.
            NoSuchTargetError, BadRequestError: There is no such command.

        Example:
            >>> started = await pane.start("false")
            >>> (await phux.wait_command(started.command_id, timeout_s=10)).exit_code
            1
        """
        if command is not None:
            command_id = renamed("command", "command_id", command)
        return await self.load(shapes.CommandInfo, flows.wait_command(command_id, timeout_s=timeout_s))

"""The verb `fleet`: a live table on terminals, and lines of JSON otherwise."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import anyio
import attrs

from phux_cli.connection import CLIENT
from phux_cli.output import as_json as to_json
from phux_cli.output import fit, stream
from phux_cli.usage import timed_out
from phux_client.fleets import fleet
from phux_core.errors import PhuxError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

    from phux_client.aio import Phux
    from phux_client.fleets import Fleet
    from phux_core.shapes import RunResult, SessionList

_REDRAW_S = 0.2
_LONGEST_LINE = 500


@attrs.define
class Row:
    """What the table shows of a host.

    Attributes:
        state: One or two words.
        text: The last line of output, or an error.
        ended: When the host's work ended; None while it goes on.
        ok: Whether it succeeded.
    """

    state: str = "connecting"
    text: str = ""
    ended: float | None = None
    ok: bool = False


class Board:
    """The results of a fleet: a table that is redrawn, or a line of JSON per result.

    Args:
        hosts: The hosts, in the order of the table.
        live: Draw a table.
    """

    def __init__(self, hosts: Sequence[str], *, live: bool) -> None:
        self.rows = {host: Row() for host in hosts}
        self._live = live
        self._began = time.monotonic()
        self._drawn = 0

    def change(self, host: str, state: str, text: str | None = None) -> None:
        """Show what a host is doing."""
        row = self.rows[host]
        row.state = state
        if text is not None:
            row.text = text[:_LONGEST_LINE]

    def end(self, host: str, state: str, text: str, *, ok: bool) -> None:
        """Show that a host's work ended."""
        self.change(host, state, text)
        self.rows[host].ended = time.monotonic()
        self.rows[host].ok = ok

    def report(self, host: str, result: attrs.AttrsInstance | None = None, error: PhuxError | None = None) -> None:
        """Print a result as JSON, unless there is a table; show an error in the table.

        Args:
            result: The document, as an instance of its shape.
        """
        if error is not None:
            self.end(host, "error", error.message.removeprefix(f"{host}: "), ok=False)
        if not self._live:
            problem = None if error is None else {"code": error.code, "message": error.message}
            document = None if result is None else attrs.asdict(result)
            remedy = "" if error is None else error.remedy
            stream(to_json({"host": host, "result": document, "error": problem, "remedy": remedy}) + "\n")

    async def keep_drawn(self) -> None:
        """Redraw the table until this is cancelled."""
        while self._live:
            self.draw(os.get_terminal_size(1).lines - 1)
            await anyio.sleep(_REDRAW_S)

    def draw(self, height: int | None = None) -> None:
        """Draw the table over the last one, cut to a height."""
        if not self._live:
            return
        lines = table(self.rows, time.monotonic(), self._began, height)
        up = f"\x1b[{self._drawn}F" if self._drawn else ""
        sys.stdout.write(up + "\x1b[J" + "".join(f"{fit(line)}\n" for line in lines))
        sys.stdout.flush()
        self._drawn = len(lines)


def table(rows: Mapping[str, Row], now: float, began: float, height: int | None = None) -> list[str]:
    """Return the lines of a table, and a line that counts the hosts.

    Args:
        height: The largest number of lines; finished hosts are left out first.
    """
    ended = sum(row.ended is not None for row in rows.values())
    failed = sum(row.ended is not None and not row.ok for row in rows.values())
    total = f"{ended} of {len(rows)} hosts done, {failed} failed, {now - began:.0f} s"
    shown = list(rows)
    if height is not None and len(rows) > height - 1:
        first = sorted(rows, key=lambda host: (rows[host].ended is not None, rows[host].ok))
        kept = set(first[: max(0, height - 2)])
        shown = [host for host in rows if host in kept]
    hidden = len(rows) - len(shown)
    width = max(map(len, shown), default=0)
    states = max((len(rows[host].state) for host in shown), default=0)
    lines = [_line(host, rows[host], width, states, now, began) for host in shown]
    return [*lines, *([f"… and {hidden} more"] if hidden else []), total]


def _line(host: str, row: Row, width: int, states: int, now: float, began: float) -> str:
    spent = (now if row.ended is None else row.ended) - began
    return f"{host:<{width}}  {row.state:<{states}}  {spent:5.0f} s  {row.text}".rstrip()


def run(hosts: Sequence[str], command: str | Sequence[str], timeout_s: float | None, *, as_json: bool) -> int:
    """Run a command on every host; return the exit code."""

    async def work(some: Fleet, board: Board) -> int:
        async def run_one(host: str, phux: Phux) -> RunResult:
            board.change(host, "running")
            async with await phux.new_session() as session:
                output = session.pane.stream(command, timeout_s=timeout_s)
                async for chunk in output:
                    board.change(host, "running", _last_line(chunk))
                result = output.result
            known = result.exit_known
            state = f"exit {result.exit_code}" if known else "no exit code"
            board.end(host, state, _last_line(result.output), ok=known and result.exit_code == 0)
            return result

        await _on_each(some, board, run_one)
        return 0 if all(row.ok for row in board.rows.values()) else 1

    return _with_board(hosts, work, start=True, as_json=as_json)


def ls(hosts: Sequence[str], *, as_json: bool) -> int:
    """List the sessions of every host; return the exit code."""

    async def work(some: Fleet, board: Board) -> int:
        async def list_one(host: str, phux: Phux) -> SessionList:
            found = await phux.ls()
            names = ", ".join(sorted(session.name for session in found.sessions))
            count = len(found.sessions)
            board.end(host, f"{count} session{'' if count == 1 else 's'}", names, ok=True)
            return found

        await _on_each(some, board, list_one)
        return 0

    return _with_board(hosts, work, as_json=as_json)


def watch(hosts: Sequence[str], timeout_s: float | None, *, as_json: bool) -> int:
    """Show the events of every host until the timeout expires; return the exit code if all servers end."""

    async def work(some: Fleet, board: Board) -> int:
        counts = dict.fromkeys(some.hosts, 0)
        with anyio.move_on_after(timeout_s) as scope:
            async with some.watch() as events:
                for host, row in board.rows.items():
                    if row.ended is None:
                        board.change(host, "watching")
                async for result in events:
                    board.report(result.host, result.value, result.error)
                    if result.value is not None:
                        counts[result.host] += 1
                        count = counts[result.host]
                        where = getattr(result.value, "terminal", "server")
                        words = f"{where} {result.value.event}"
                        board.change(result.host, f"{count} event{'' if count == 1 else 's'}", words)
        if scope.cancelled_caught and timeout_s is not None:
            raise timed_out(timeout_s)
        return 1

    return _with_board(hosts, work, as_json=as_json)


async def _on_each(some: Fleet, board: Board, function: Callable[[str, Phux], Awaitable[attrs.AttrsInstance]]) -> None:
    """Call a function for each host, and report each result as soon as it is there."""

    async def call(host: str) -> None:
        try:
            board.report(host, await function(host, await some.connect(host)))
        except PhuxError as error:
            board.report(host, error=error)

    async with anyio.create_task_group() as group:
        for host in some.hosts:
            group.start_soon(call, host)


def _with_board(
    hosts: Sequence[str], work: Callable[[Fleet, Board], Awaitable[int]], *, start: bool = False, as_json: bool
) -> int:
    board = Board(hosts, live=not as_json and os.isatty(1))

    async def main() -> int:
        code = 1
        async with fleet(hosts, start=start, client=CLIENT) as some, anyio.create_task_group() as drawing:
            drawing.start_soon(board.keep_drawn)
            try:
                code = await work(some, board)
            finally:
                drawing.cancel_scope.cancel()
                board.draw()
        return code

    return _unwrapped(main)


def _unwrapped(main: Callable[[], Awaitable[int]]) -> int:
    """Run a coroutine, and raise its error without the groups around it."""
    try:
        return anyio.run(main)
    except BaseExceptionGroup as group:
        raise next(_leaves(group)) from None


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _last_line(text: str) -> str:
    return text.rstrip("\n").rpartition("\n")[2]

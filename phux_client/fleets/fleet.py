"""``fleet``, and the handle of several hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import anyio

from phux_client import flows
from phux_client.connection import DEFAULT_TIMEOUT_S
from phux_client.fleets.mapping import Mapping
from phux_client.fleets.members import MOST_LOGINS, Member, find_addresses
from phux_client.fleets.results import HostEvents, HostResult, ItemResults
from phux_client.fleets.schedule import Schedule
from phux_core import errors

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from types import TracebackType
    from typing import Any, Self

    from phux_client.aio import Phux, Session
    from phux_client.fleets.background import BackgroundStream
    from phux_core.shapes import Event, RunResult

Item = TypeVar("Item")
Value = TypeVar("Value")

_MOST_EVENTS = 64


class Fleet:
    """The servers of several hosts, as opened by ``fleet``.

    A host that fails gives an error, and the others continue. Each host is connected when it is first used.

    Attributes:
        hosts: The hosts, in the order in which they were given.

    Example:
        >>> async with phux_client.fleet(["local"]) as fleet:
        ...     [(result.host, result.value.output) for result in await fleet.run_all("echo hi")]
        [('local', 'hi')]
    """

    def __init__(self, hosts: Sequence[str], *, start: bool, timeout_s: float, client: str | None) -> None:
        addresses = find_addresses(hosts)
        self.hosts = list(addresses)
        logins = anyio.Semaphore(MOST_LOGINS)
        self._members = [
            Member(name, address, start=start, timeout_s=timeout_s, client=client, logins=logins)
            for name, address in addresses.items()
        ]
        self._streams: set[BackgroundStream[Any]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Cancel what still runs, and close all connections. The servers and their sessions keep running.

        Example:
            >>> await fleet.aclose()
        """
        for stream in list(self._streams):
            await stream.aclose()
        for member in self._members:
            member.close()

    async def connect(self, host: str) -> Phux:
        """Return the client of one host. The fleet closes it at its end.

        Args:
            host: One of ``hosts``.

        Raises:
            BadHostError: The host is not in the fleet.

        Example:
            >>> (await (await fleet.connect("local")).status()).sessions
            1
        """
        for member in self._members:
            if member.name == host:
                return await member.phux()
        raise errors.BadHostError(f"the host {host[:80]!r} is not in the fleet", remedy="use one of its hosts")

    async def each(self, function: Callable[[Phux], Awaitable[Value]]) -> list[HostResult[Value]]:
        """Call an async function with the client of each host, on all hosts at once.

        Args:
            function: It gets a connected ``Phux``. A ``PhuxError`` that it raises is the error of its host; other
                exceptions cancel the calls for all hosts, and the first one is raised.

        Returns:
            One result per host, in the order of ``hosts``.

        Example:
            >>> [result.value.sessions for result in await fleet.each(lambda phux: phux.status())]
            [1]
        """
        results: dict[str, HostResult[Value]] = {}
        failure: Exception | None = None

        async def ask(member: Member) -> None:
            nonlocal failure
            try:
                value = await function(await member.phux())
                results[member.name] = HostResult(host=member.name, value=value)
            except errors.PhuxError as error:
                results[member.name] = HostResult(host=member.name, error=error)
                if isinstance(error, errors.NoServerError):
                    member.close()  # the next use may start a server
            except Exception as error:  # noqa: BLE001 - raised below, without the task group around it
                failure = error
                group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            for member in self._members:
                group.start_soon(ask, member)
        if failure is not None:
            raise failure
        return [results[name] for name in self.hosts]

    async def sessions(self) -> list[HostResult[list[Session]]]:
        """Return the sessions of each host, as live handles.

        Example:
            >>> [session.name for result in await fleet.sessions() for session in result.value or []]
            ['work']
        """
        return await self.each(lambda phux: phux.sessions())

    async def run_all(
        self,
        command: str | Sequence[str],
        *,
        timeout_s: float | None = flows.RUN_TIMEOUT_S,
        cwd: str | None = None,
        max_bytes: int | None = None,
    ) -> list[HostResult[RunResult]]:
        """Run a command on every host at once, each in a new session, which is killed afterwards.

        Args:
            command: A shell line, or a list of words that reach the program unchanged.
            timeout_s: The time limit for each command; None or 0 for no limit. It is killed when the limit expires.
            cwd: The working directory, which must exist on every host.
            max_bytes: The largest output to return per host, 1 MiB by default; longer output is cut in the middle.

        Example:
            >>> [result.value.exit_code for result in await fleet.run_all("exit 3")]
            [3]
        """

        async def run(phux: Phux) -> RunResult:
            async with await phux.new_session(cwd=cwd) as session:
                return await session.pane.run(command, timeout_s=timeout_s, max_bytes=max_bytes)

        return await self.each(run)

    def watch(self) -> HostEvents:
        """Subscribe to the events of every host.

        Example:
            >>> async with fleet.watch() as events:
            ...     results = await fleet.run_all("true")
            ...     async for result in events:
            ...         if result.value.event == "session_closed":
            ...             break
            >>> result.host
            'local'
        """
        ready = anyio.Event()
        waiting = set(self.hosts)

        def is_ready(name: str) -> None:
            waiting.discard(name)
            if not waiting:
                ready.set()

        async def watch_one(member: Member, send: Callable[[HostResult[Event]], Awaitable[None]]) -> None:
            try:
                phux = await member.phux()
                async with phux.watch() as events:
                    is_ready(member.name)
                    while True:
                        await send(HostResult(host=member.name, value=await events.next()))
            except errors.PhuxError as error:
                is_ready(member.name)
                await send(HostResult(host=member.name, error=error))

        async def work(send: Callable[[HostResult[Event]], Awaitable[None]]) -> None:
            async with anyio.create_task_group() as group:
                for member in self._members:
                    group.start_soon(watch_one, member, send)

        return HostEvents(work, _MOST_EVENTS, self._streams, ready)

    def map(
        self,
        task: Callable[[Phux, Item], Awaitable[Value]],
        items: Iterable[Item],
        *,
        per_host: int = 8,
        retries: int = 1,
    ) -> ItemResults[Item, Value]:
        """Run ``await task(phux, item)`` for every item, wherever there is room.

        Results are yielded as they arrive, one per item. If a host is lost, it is not used again, and its items begin
        again on other hosts. An exception that a task raises for another reason is the result of its item.

        Args:
            task: An async function of the client of a host and of an item. It may begin more than once with an item
                if hosts are lost.
            items: The items, which are read one at a time, when there is room.
            per_host: The number of tasks that run on a host at the same time.
            retries: How often an item begins again after its host was lost.

        Raises:
            BadRequestError: ``per_host`` is less than 1, or ``retries`` less than 0.

        Example:
            >>> async def size(phux, path):
            ...     async with await phux.new_session() as session:
            ...         return (await session.pane.run(["wc", "-c", path])).output.split()[0]
            >>> [result.value async for result in fleet.map(size, ["/dev/null"])]
            ['0']
        """
        if per_host < 1 or retries < 0:
            raise errors.BadRequestError(
                f"per_host={per_host} and retries={retries} are out of range",
                remedy="use at least 1 for per_host, and at least 0 for retries",
            )
        work = Mapping(self._members, task, Schedule(items, retries), per_host)
        return ItemResults(work.run, per_host * len(self._members), self._streams)


def fleet(
    hosts: Sequence[str], *, start: bool = False, timeout_s: float = DEFAULT_TIMEOUT_S, client: str | None = None
) -> Fleet:
    """Use the servers of several hosts together.

    Nothing is connected until it is used, so a host that cannot be reached is no error here.

    Args:
        hosts: The hosts, as ``connect(host=...)`` takes them: ``HOST``, ``USER@HOST:PORT``, an alias of ssh's config,
            ``ssh://HOST``, or ``local``; or the absolute path of a socket on this machine.
        start: Start a server on hosts where none is running.
        timeout_s: The time limit for one request, including connecting.
        client: The name of this program in the command ledger.

    Raises:
        BadHostError: A host is invalid or given twice, or there is none.

    Example:
        >>> async with phux_client.fleet(["local"]) as fleet:
        ...     fleet.hosts
        ['local']
    """
    return Fleet(hosts, start=start, timeout_s=timeout_s, client=client)

"""The async client: typed, live handles over the flows. Runs under asyncio and trio."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Self

import anyio

from phux_client import flows
from phux_client.blocking import DEFAULT_TIMEOUT_S
from phux_client.link import Link
from phux_core import documents, errors, paths, shapes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from phux_client.flows._kinds import Flow, Result

__all__ = ["EventStream", "Pane", "Phux", "Session", "connect", "embedded"]


class Phux:
    """A server, as the async client sees it. Made by ``connect`` and ``embedded``.

    Calls may run side by side on one ``Phux``, from any number of tasks.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._caller = flows.Caller(os.getcwd(), os.environ, link.path)

    @property
    def socket(self) -> str:
        """The path of the server's socket."""
        return self._link.path

    @property
    def caller(self) -> flows.Caller:
        """What verbs know of this process."""
        return self._caller

    async def drive(self, flow: Flow[Result]) -> Result:
        """Carry out a flow and return what it returns, documents as they are.

        Raises:
            PhuxError: The flow, the server or the connection failed.
        """
        answer: Any = None
        failure: errors.PhuxError | None = None
        subscriptions: list[int] = []
        try:
            while True:
                try:
                    step = flow.send(answer) if failure is None else flow.throw(failure)
                except StopIteration as stop:
                    result: Result = stop.value
                    return result
                answer, failure = None, None
                try:
                    if isinstance(step, flows.Request):
                        answer = await self._link.request(step.call, step.params)
                        if step.call == "subscribe":
                            subscriptions.append(answer["subscription"])
                    else:
                        answer = await self._link.next_event(step.subscription, step.timeout_s)
                except errors.PhuxError as error:
                    failure = error
        finally:
            # A flow that is cancelled cannot ask any more; nobody reads what it subscribed to.
            for number in subscriptions:
                await self._link.unsubscribe(number)

    async def ls(self) -> shapes.SessionList:
        """List the sessions, in short.

        Example:
            >>> [session.name for session in (await phux.ls()).sessions]
            ['work']
        """
        return documents.load(shapes.SessionList, await self.drive(flows.ls()))

    async def tree(self) -> shapes.Tree:
        """Read every session, window and pane.

        Example:
            >>> (await phux.tree()).sessions[0].windows[0].panes[0].state
            'running'
        """
        return documents.load(shapes.Tree, await self.drive(flows.tree()))

    async def status(self) -> shapes.Status:
        """Read how the server is.

        Example:
            >>> (await phux.status()).sessions
            1
        """
        return documents.load(shapes.Status, await self.drive(flows.status()))

    async def sessions(self) -> list[Session]:
        """List the sessions as live handles, in the order they were made.

        Example:
            >>> [session.name for session in await phux.sessions()]
            ['work']
        """
        return [
            Session(self, session.id, session.name, session.windows[0].panes[0].id)
            for session in (await self.tree()).sessions
        ]

    async def new_session(
        self,
        name: str | None = None,
        *,
        cwd: str | None = None,
        command: Sequence[str] | None = None,
        env: Mapping[str, str] | None = None,
        size: tuple[int, int] | None = None,
    ) -> Session:
        """Make a session with one pane, and start a program in it.

        Args:
            name: Its name; the smallest free number when omitted.
            cwd: Where the program starts; the caller's directory when omitted.
            command: Program and arguments; the user's shell when omitted.
            env: Variables on top of the caller's.
            size: Columns and rows; 80 by 24 when omitted.

        Raises:
            NameInUseError, BadNameError, BadCwdError, BadSizeError, CannotExecuteError: Nothing was made.

        Example:
            >>> (await phux.new_session("build", command=["sh"], size=(120, 40))).name
            'build'
        """
        made = await self.drive(flows.new(self._caller, name, cwd=cwd, command=command, env=env, size=size))
        return Session(self, made["session_id"], made["session"], made["pane_id"])

    async def pane(self, target: str | int) -> Pane:
        """Find a pane by a selector or its number.

        Raises:
            BadSelectorError, NoSuchTargetError: There is none.

        Example:
            >>> (await phux.pane("work:0.0")).selector
            '@1'
        """
        if isinstance(target, int):
            target = f"@{target}"
        return Pane(self, (await self.drive(flows.find_pane(target, self._caller)))["id"])

    async def kill(self, target: str) -> int:
        """End what a selector names: a session, a window or a pane.

        Returns:
            How many panes were ended.

        Example:
            >>> await phux.kill("work")
            1
        """
        return int((await self.drive(flows.kill(self._caller, target)))["killed"])

    async def kill_server(self) -> None:
        """End every program and the server; returns when it is gone.

        Example:
            >>> await phux.kill_server()
        """
        await self.drive(flows.kill_server())
        await self._link.wait_closed()

    @asynccontextmanager
    async def events(self, target: str | int | None = None) -> AsyncIterator[EventStream]:
        """Subscribe to events: one pane's, or all of the server's.

        Nothing that happens inside the block is missed; what a slow reader loses is told by a ``Dropped`` event.

        Example:
            >>> async with phux.events("work") as events:
            ...     await pane.send_keys("echo hi", "Enter")
            ...     (await events.next()).event
            'dirty'
        """
        pane = None if target is None else (await self.pane(target)).id
        reply = await self._link.request("subscribe", {} if pane is None else {"pane": pane})
        try:
            yield EventStream(self._link, reply["subscription"])
        finally:
            await self._link.unsubscribe(reply["subscription"])


class EventStream:
    """Events as they happen, for ``async for`` or one at a time."""

    def __init__(self, link: Link, subscription: int) -> None:
        self._link = link
        self._subscription = subscription

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> shapes.Event:
        return await self.next()

    async def next(self, timeout_s: float | None = None) -> shapes.Event:
        """Wait for the next event.

        Raises:
            TimedOutError: None came in time.
            DisconnectedError: The server went away.
        """
        while True:
            document = await self._link.next_event(self._subscription, timeout_s)
            if document is None:
                raise errors.TimedOutError(f"no event came within {timeout_s} s")
            event = documents.load_event(document)
            if event is not None:
                return event


class Session:
    """A session, as a live handle.

    Attributes:
        id: Its number.
        name: Its name when the handle was made.
    """

    def __init__(self, phux: Phux, id: int, name: str, first_pane: int) -> None:  # noqa: A002
        self._phux = phux
        self.id = id
        self.name = name
        self._first_pane = first_pane

    def __repr__(self) -> str:
        return f"<Session {self.id} {self.name!r}>"

    @property
    def pane(self) -> Pane:
        """Its first pane.

        Example:
            >>> session.pane.selector
            '@1'
        """
        return Pane(self._phux, self._first_pane)

    async def kill(self) -> int:
        """End it.

        Returns:
            How many panes were ended.

        Example:
            >>> await session.kill()
            1
        """
        return await self._phux.kill(self.name)


class Pane:
    """A pane, as a live handle. Reading and typing never attach and never resize.

    Attributes:
        id: Its number.
    """

    def __init__(self, phux: Phux, id: int) -> None:  # noqa: A002
        self._phux = phux
        self.id = id

    def __repr__(self) -> str:
        return f"<Pane @{self.id}>"

    @property
    def selector(self) -> str:
        """The selector that names it wherever a TARGET is taken.

        Example:
            >>> pane.selector
            '@1'
        """
        return f"@{self.id}"

    async def snapshot(self, *, scrollback: int | None = None, cells: bool = False) -> shapes.ScreenState:
        """Read its screen.

        Args:
            scrollback: History rows: None none, 0 all, N the newest N.
            cells: Whether to add the cells that have a style or a mark.

        Example:
            >>> (await pane.snapshot()).cols
            80
        """
        flow = flows.snapshot(self._phux.caller, self.id, scrollback=scrollback, cells=cells)
        return documents.load(shapes.ScreenState, await self._phux.drive(flow))

    async def send_keys(self, *words: str, literal: bool = False) -> int:
        """Type words: names of keys (``Enter``, ``C-c``) as keys, all else as text; all of it or nothing.

        Args:
            words: As tmux's send-keys takes them.
            literal: Take every word as text.

        Returns:
            How many bytes were typed.

        Raises:
            PaneClosedError, InputTooLongError, InputBlockedError: The program did not get it.

        Example:
            >>> await pane.send_keys("echo hello", "Enter") > 0
            True
        """
        flow = flows.send_keys(self._phux.caller, self.id, words, literal=literal)
        return int((await self._phux.drive(flow))["bytes"])

    async def paste(self, text: str) -> int:
        """Paste text, in brackets if the program asked for them.

        Returns:
            How many bytes were typed.

        Example:
            >>> await pane.paste("two words") > 0
            True
        """
        return int((await self._phux.drive(flows.paste(self._phux.caller, self.id, text)))["bytes"])

    async def wait(
        self,
        *,
        until: str | None = None,
        exit: bool = False,  # noqa: A002
        idle_ms: int | None = None,
        timeout_s: float | None = None,
    ) -> shapes.ScreenState:
        """Wait until a visible line contains a text, the program has ended, or the pane has come to rest.

        Args:
            until: A text to see.
            exit: Wait for the program's end.
            idle_ms: Wait for this long a rest; 500 when no other condition is given.
            timeout_s: Give up after this long.

        Returns:
            The screen at that moment.

        Raises:
            TimedOutError: The time was over first.

        Example:
            >>> (await pane.wait(idle_ms=100)).state
            'running'
        """
        outcome = await self._phux.drive(
            flows.wait(self._phux.caller, self.id, until=until, exit=exit, idle_ms=idle_ms, timeout_s=timeout_s)
        )
        if outcome.met is None:
            raise errors.TimedOutError(f"{self.selector} did not get there within {timeout_s:g} s")
        return documents.load(shapes.ScreenState, outcome.screen)

    async def info(self) -> shapes.PaneInfo:
        """Read its place in the tree.

        Example:
            >>> (await pane.info()).active
            True
        """
        found = await self._phux.drive(flows.find_pane(self.selector, self._phux.caller))
        return documents.load(shapes.PaneInfo, found)

    async def kill(self) -> int:
        """End its program and forget it.

        Returns:
            How many panes were ended.

        Example:
            >>> await pane.kill()
            1
        """
        return int((await self._phux.drive(flows.kill(self._phux.caller, self.id)))["killed"])


@asynccontextmanager
async def connect(
    socket: str | None = None, *, start: bool = False, timeout_s: float = DEFAULT_TIMEOUT_S
) -> AsyncIterator[Phux]:
    """Connect to the server of this user.

    Args:
        socket: The socket's path; PHUX_SOCKET, then the default, when omitted.
        start: Start a server when none runs.
        timeout_s: How long one request may take, connecting included.

    Raises:
        NoServerError: None runs, and ``start`` is false.
        StartFailedError: One was started and did not come up.

    Example:
        >>> async with connect() as phux:
        ...     len(await phux.sessions())
        1
    """
    path = paths.socket_path(socket)
    async with _unwrapped_task_group() as tasks:
        phux = Phux(Link(path, tasks, timeout_s))
        try:
            try:
                await phux.drive(flows.status())
            except errors.NoServerError:
                if not start:
                    raise
                from phux_client.starting import start_server

                await anyio.to_thread.run_sync(start_server, path)
                await phux.drive(flows.status())
            yield phux
        finally:
            tasks.cancel_scope.cancel()


@asynccontextmanager
async def embedded(*, engine: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S) -> AsyncIterator[Phux]:
    """Run a private server that is gone at exit: for tests and one-shot agents.

    Args:
        engine: ``ghostty`` or ``pyte``; chosen when omitted.
        timeout_s: How long one request may take.

    Example:
        >>> async with embedded() as private:
        ...     (await private.new_session("once")).name
        'once'
    """
    from phux_client.embedding import EmbeddedServer

    server = await anyio.to_thread.run_sync(lambda: EmbeddedServer(engine=engine))
    try:
        async with connect(server.socket, timeout_s=timeout_s) as phux:
            yield phux
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(server.close)


@asynccontextmanager
async def _unwrapped_task_group() -> AsyncIterator[anyio.abc.TaskGroup]:
    """Open a task group whose body's own exception comes out as it is, not wrapped into a group.

    The only other task is the reader, which never raises, so a group would hold just that one exception.
    """
    caught: BaseException | None = None
    async with anyio.create_task_group() as tasks:
        try:
            yield tasks
        except Exception as error:  # noqa: BLE001
            caught = error
            tasks.cancel_scope.cancel()
    if caught is not None:
        raise caught

"""The server, as the async client sees it."""

from __future__ import annotations

from contextlib import asynccontextmanager

from phux_client import flows
from phux_client.aio.backend import Opening, in_thread, private_server
from phux_client.aio.handles import EventStream, Pane
from phux_client.aio.logs import ServerLogs
from phux_client.aio.sessions import Session, Window
from phux_client.connection import DEFAULT_TIMEOUT_S
from phux_core import errors, shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager


class Phux(ServerLogs):
    """A server, as the async client sees it. Made by ``connect`` and ``embedded``.

    Calls may run side by side on one ``Phux``, from any number of tasks.

    Example:
        >>> async with connect() as phux:
        ...     build = await phux.new_session("build", command=["sh"])
        ...     result = await build.pane.run("echo hi")
        >>> result.output
        'hi'
    """

    async def ls(self) -> shapes.SessionList:
        """List the sessions, in short.

        Example:
            >>> [session.name for session in (await phux.ls()).sessions]
            ['work']
        """
        return await self.load(shapes.SessionList, flows.ls())

    async def tree(self, target: str | None = None) -> shapes.Tree:
        """Read sessions, windows and panes.

        Args:
            target: Only what this selector names, and what that is in; everything when omitted.

        Example:
            >>> (await phux.tree()).sessions[0].windows[0].panes[0].state
            'prompt'
        """
        return await self.load(shapes.Tree, flows.tree(self.caller, target))

    async def status(self) -> shapes.Status:
        """Read how the server is.

        Example:
            >>> (await phux.status()).sessions
            1
        """
        return await self.load(shapes.Status, flows.status())

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
        window_name: str | None = None,
        cwd: str | None = None,
        command: Sequence[str] | None = None,
        env: Mapping[str, str] | None = None,
        size: tuple[int, int] | None = None,
        shell: str | None = None,
        login: bool = False,
        log: bool | None = None,
        history: bool | None = None,
    ) -> Session:
        """Make a session with one pane, and start a program in it.

        Args:
            name: Its name; the smallest free number when omitted.
            window_name: Its window's name; the program's when omitted.
            cwd: Where the program starts; the caller's directory when omitted.
            command: Program and arguments; the user's shell when omitted.
            env: Variables on top of the caller's.
            size: Columns and rows; 80 by 24 when omitted.
            shell: The shell to start when there is no command; the one that SHELL names when omitted.
            login: Whether it starts as a login shell.
            log: Whether what its panes write is kept on disk; as the server's config says when omitted.
            history: Whether its shells read and write the user's history file; when omitted, yes, but not in a private
                server (``embedded``). Windows and panes added to the session do the same.

        Raises:
            NameInUseError, BadNameError, BadCwdError, BadSizeError, CannotExecuteError: Nothing was made.

        Example:
            >>> (await phux.new_session("build", command=["sh"], size=(120, 40))).name
            'build'
        """
        flow = flows.new(
            self.caller,
            name,
            window_name=window_name,
            cwd=cwd,
            command=command,
            env=env,
            size=size,
            shell=shell,
            login=login,
            log=log,
            history=history,
        )
        made = await self.drive(flow)
        return Session(self, made["session_id"], made["session"], made["pane_id"])

    async def session(self, target: str) -> Session:
        """Find a session by a selector; of a window or a pane, the one it is in.

        Raises:
            BadSelectorError, NoSuchTargetError: There is none.

        Example:
            >>> (await phux.session("=")).name
            'work'
        """
        found = await self.drive(flows.find_session(target, self.caller))
        return Session(self, found["id"], found["name"], found["windows"][0]["panes"][0]["id"])

    async def window(self, target: str) -> Window:
        """Find a window by a selector; of a session the current one, of a pane the one it is in.

        Raises:
            BadSelectorError, NoSuchTargetError: There is none.

        Example:
            >>> (await phux.window("work:0")).name
            'sh'
        """
        found = await self.drive(flows.find_window(target, self.caller))
        return Window(self, found["id"], found["name"], found["panes"][0]["id"])

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
        return Pane(self, (await self.drive(flows.find_pane(target, self.caller)))["id"])

    async def detach(self, target: str | None = None) -> int:
        """End what terminals show of a session (`phux attach`), or of all sessions; the programs go on.

        Args:
            target: The session, or what is in it; every session when omitted.

        Returns:
            How many clients were detached.

        Example:
            >>> await phux.detach("work")
            0
        """
        return int((await self.drive(flows.detach(self.caller, target, everywhere=target is None)))["detached"])

    async def kill(self, target: str) -> int:
        """End what a selector names: a session, a window or a pane.

        Returns:
            How many panes were ended.

        Example:
            >>> await phux.kill("work")
            1
        """
        return int((await self.drive(flows.kill(self.caller, target)))["killed"])

    async def kill_server(self) -> None:
        """End every program and the server; return when it is gone.

        A server whose service does not answer is ended by its keeper.

        Example:
            >>> await phux.kill_server()
        """
        from phux_client.ending import ANSWER_S, end_keeper

        try:
            await self.drive(flows.kill_server(ANSWER_S))
        except errors.NoServerError:
            raise
        except errors.TransportError:
            await in_thread(end_keeper, self.socket)
        await self._link.wait_closed()

    @asynccontextmanager
    async def watch(
        self,
        target: str | int | None = None,
        *,
        output: bool = False,
        since: int | None = None,
        output_only: bool = False,
    ) -> AsyncIterator[EventStream]:
        """Subscribe to events: one pane's, or all of the server's.

        Nothing that happens inside the block is missed without a word: what a slow reader loses is told by a
        ``Dropped`` event, and so is a gap because the service died and came back (with a count of 0, for nobody
        counted).

        Args:
            target: Which pane; the whole server when omitted.
            output: Also tell what the pane writes, as ``Output`` events.
            since: Where in the pane's stream to begin with that, a ``seq``; now when omitted.
            output_only: Leave out prompts, and the echo of what is typed.

        Example:
            >>> async with phux.watch("work") as events:
            ...     typed = await pane.send_keys("echo hi", "Enter")
            ...     async for event in events:
            ...         if event.event == "dirty":
            ...             break
            >>> event.terminal
            '@1'
        """
        pane = None if target is None else (await self.pane(target)).id
        stream = EventStream(self, pane, output=output, since=since, output_only=output_only)
        await stream.subscribe()
        try:
            yield stream
        finally:
            self._link.unsubscribe(stream.subscription)


def connect(
    socket: str | None = None, *, start: bool = False, timeout_s: float = DEFAULT_TIMEOUT_S, client: str | None = None
) -> AbstractAsyncContextManager[Phux]:
    """Connect to the server of this user.

    Args:
        socket: The socket's path; PHUX_SOCKET, then the default, when omitted.
        start: Start a server when none runs.
        timeout_s: How long one request may take, connecting included.
        client: What this program is called in the ledger of commands, such as ``my-tool/1.0``.

    Raises:
        NoServerError: None runs, and ``start`` is false.
        StartFailedError: One was started and did not come up.

    Example:
        >>> async with connect() as phux:
        ...     len(await phux.sessions())
        1
    """
    return Opening(_open(Phux(socket, timeout_s=timeout_s, client=client), start=start))


async def _open(phux: Phux, *, start: bool) -> Phux:
    try:
        try:
            await phux.drive(flows.status())
        except (errors.NoServerError, errors.DisconnectedError):  # none, or one that is just ending
            if not start:
                raise
            from phux_client.starting import start_server

            # A server that nobody waits for any more ends by itself.
            await in_thread(start_server, phux.socket)
            await phux.drive(flows.status())
    except BaseException:
        phux.close()
        raise
    return phux


@asynccontextmanager
async def embedded(
    *, engine: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S, client: str | None = None
) -> AsyncIterator[Phux]:
    """Run a private server that is gone at exit: for tests and one-shot agents.

    Args:
        engine: ``ghostty`` or ``pyte``; chosen when omitted.
        timeout_s: How long one request may take.
        client: What this program is called in the ledger of commands.

    Example:
        >>> async with embedded() as private:
        ...     (await private.new_session("once")).name
        'once'
    """
    async with (
        private_server(engine) as server,
        connect(server.socket, timeout_s=timeout_s, client=client) as phux,
    ):
        yield phux

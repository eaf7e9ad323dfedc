"""``connect`` and ``embedded``, and the live handle of a server."""

from __future__ import annotations

from contextlib import asynccontextmanager

from phux_client import flows
from phux_client.aio.backend import Opening, in_thread, private_server
from phux_client.aio.handles import EventStream, Pane
from phux_client.aio.logs import ServerLogs
from phux_client.aio.screens import ServerScreens
from phux_client.aio.sessions import Session, Window
from phux_client.connection import DEFAULT_TIMEOUT_S
from phux_client.deprecation import renamed
from phux_core import errors, hosts, shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager


class Phux(ServerLogs, ServerScreens):
    """A live handle of a server, as opened by ``connect`` and ``embedded``.

    Calls may run concurrently on one ``Phux``, from any number of tasks.

    Example:
        >>> async with connect() as phux:
        ...     build = await phux.new_session("build", command=["sh"])
        ...     result = await build.pane.run("echo hi")
        >>> result.output
        'hi'
    """

    async def ls(self) -> shapes.SessionList:
        """Return a short list of the sessions.

        Example:
            >>> [session.name for session in (await phux.ls()).sessions]
            ['work']
        """
        return await self.load(shapes.SessionList, flows.ls())

    async def tree(self, target: str | None = None) -> shapes.Tree:
        """Return the tree of sessions, windows and panes.

        Args:
            target: Return only the session, window or pane that this selector names, in its window and session.

        Example:
            >>> (await phux.tree()).sessions[0].windows[0].panes[0].state
            'prompt'
        """
        return await self.load(shapes.Tree, flows.tree(self.caller, target))

    async def status(self) -> shapes.Status:
        """Return the server's status.

        Example:
            >>> (await phux.status()).sessions
            1
        """
        return await self.load(shapes.Status, flows.status())

    async def sessions(self) -> list[Session]:
        """Return the sessions as live handles, in order of creation.

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
        """Create a session with one pane, and start a program in it.

        Args:
            name: The session's name; by default, the lowest free number.
            window_name: The name of the session's window; by default, the program's name.
            cwd: The working directory; by default, that of the caller.
            command: The program and its arguments; the user's shell by default.
            env: Variables to set on top of the caller's environment.
            size: Columns and rows; 80 by 24 by default.
            shell: The shell to start if there is no command; by default, the config file's, or else ``$SHELL``.
            login: Start the shell as a login shell.
            log: Keep the output of the session's panes on disk; the server's config has the default.
            history: Let the session's shells read and write the user's history file. By default they do, except in a
                private server (``embedded``). The same applies to windows and panes added to the session.

        Raises:
            NameInUseError, BadNameError, BadCwdError, BadSizeError, CannotExecuteError: No session was created.

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
        """Return the session that a selector names, or that contains the window or pane it names.

        Raises:
            BadSelectorError, NoSuchTargetError: The selector is invalid, or matches nothing.

        Example:
            >>> (await phux.session("=")).name
            'work'
        """
        found = (await self.drive(flows.find(target, self.caller))).session
        return Session(self, found["id"], found["name"], found["windows"][0]["panes"][0]["id"])

    async def window(self, target: str) -> Window:
        """Return the window that a selector names, the current window of a session, or the window around a pane.

        Raises:
            BadSelectorError, NoSuchTargetError: The selector is invalid, or matches nothing.

        Example:
            >>> (await phux.window("work:0")).name
            'sh'
        """
        found = (await self.drive(flows.find(target, self.caller))).window
        return Window(self, found["id"], found["name"], found["panes"][0]["id"])

    async def pane(self, target: str | int) -> Pane:
        """Return the pane that a selector names, or the pane with an id.

        Raises:
            BadSelectorError, NoSuchTargetError: The selector is invalid, or matches nothing.

        Example:
            >>> (await phux.pane("work:0.0")).selector
            '@1'
        """
        return Pane(self, (await self.drive(flows.find_pane(target, self.caller)))["id"])

    async def detach(self, target: str | None = None) -> int:
        """Detach all clients (`phux attach`) from a session, or from every session. Programs keep running.

        Args:
            target: The session, or a window or pane in it; every session by default.

        Returns:
            The number of clients detached.

        Example:
            >>> await phux.detach("work")
            0
        """
        return int((await self.drive(flows.detach(self.caller, target, everywhere=target is None)))["detached"])

    async def kill(self, target: str) -> int:
        """Kill the session, window or pane that a selector names.

        Returns:
            The number of panes killed.

        Example:
            >>> await phux.kill("work")
            1
        """
        return int((await self.drive(flows.kill(self.caller, target)))["killed"])

    async def kill_server(self) -> None:
        """Kill every program, and stop the server. Return when it is gone.

        If the service does not answer, send SIGTERM to its keeper.

        Example:
            >>> await phux.kill_server()
        """
        from phux_client.ending import ANSWER_S, end_keeper

        try:
            await self.drive(flows.kill_server(ANSWER_S))
        except errors.NoServerError:
            raise
        except errors.TransportError:
            if hosts.is_remote(self.socket):
                raise
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
        """Subscribe to the events of a pane, or of the whole server.

        A ``Dropped`` event reports every gap: events that a slow reader lost, or, with a count of 0, events that were
        lost because the service restarted.

        Args:
            target: The pane; the whole server by default.
            output: Also report the pane's output, as ``Output`` events.
            since: The ``seq`` at which ``Output`` events begin; now by default.
            output_only: Leave out prompts and the echo of input.

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

    def events(self, target: str | int | None = None) -> AbstractAsyncContextManager[EventStream]:
        """Subscribe to events, under the old name of ``watch``.

        Args:
            target: The pane; the whole server by default.

        Example:
            >>> async with phux.watch("work") as events:
            ...     typed = await pane.send_keys("echo hi", "Enter")
            ...     event = await events.next()
            >>> event.terminal == pane.selector
            True
        """
        return renamed("events", "watch", self.watch(target))


def connect(
    socket: str | None = None,
    *,
    start: bool = False,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    client: str | None = None,
    host: str | None = None,
) -> AbstractAsyncContextManager[Phux]:
    """Connect to the user's server.

    Args:
        socket: The socket's path; by default ``$PHUX_SOCKET``, or else the user's default path.
        start: Start a server if none is running.
        timeout_s: The time limit for one request, including connecting.
        client: The name of this program in the command ledger, such as ``my-tool/1.0``.
        host: The machine of the server, as ssh reaches it: ``HOST``, ``USER@HOST:PORT``, or an alias of ssh's config;
            ``local`` for this machine. By default ``$PHUX_HOST``, or else this machine. See docs/hosts.md.

    Raises:
        NoServerError: No server is running, and ``start`` is false.
        StartFailedError: A server was started, but did not become ready.
        HostError: The host cannot be reached, or has no phux; the message says why.

    Example:
        >>> async with connect() as phux:
        ...     len(await phux.sessions())
        1
    """
    return Opening(_open(Phux(socket, timeout_s=timeout_s, client=client, host=host), start=start))


async def _open(phux: Phux, *, start: bool) -> Phux:
    try:
        try:
            await phux.drive(flows.status())
        except (errors.NoServerError, errors.DisconnectedError):  # no server, or one that is shutting down
            if not start:
                raise
            from phux_client.starting import start_server

            # If this call is cancelled, the new server ends by itself because it has no session.
            phux.started = await in_thread(start_server, phux.socket)
            await phux.drive(flows.status())
    except BaseException:
        phux.close()
        raise
    return phux


@asynccontextmanager
async def embedded(
    *, engine: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S, client: str | None = None
) -> AsyncIterator[Phux]:
    """Run a private server that ends with the block, for tests and one-shot agents.

    Args:
        engine: ``ghostty`` or ``pyte``; by default ``$PHUX_ENGINE``, or else ghostty if it can be used.
        timeout_s: The time limit for one request.
        client: The name of this program in the command ledger.

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

"""The server, as the blocking client sees it. Import-light."""

import contextlib
import os
import time
from _thread import _local  # threading.local, without importing threading

from phux_client import flows
from phux_client.blocking.handles import EventStream, Pane
from phux_client.blocking.link import BlockingLink
from phux_client.blocking.logs import ServerLogs
from phux_client.connection import Attempts
from phux_core import errors, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Any, Self

    from phux_client.blocking.sessions import Session, Window
    from phux_client.flows._kinds import Document, Flow, Result
    from phux_core import shapes

DEFAULT_TIMEOUT_S = 30.0
"""How long one request may take, connecting and handshake included."""


class Phux(ServerLogs):
    """A server, as the blocking client sees it. Made by ``connect`` and ``embedded``.

    Any number of threads may use one ``Phux``; each gets a connection of its own.

    Args:
        socket: The socket's path; found as everywhere else when omitted.
        timeout_s: How long one request may take.
        client: What this program is called in the ledger.

    Example:
        >>> with connect() as phux:
        ...     build = phux.new_session("build", command=["sh"])
        ...     result = build.pane.run("echo hi")
        >>> result.output
        'hi'
    """

    def __init__(
        self, socket: str | None = None, *, timeout_s: float = DEFAULT_TIMEOUT_S, client: str | None = None
    ) -> None:
        self._path = paths.socket_path(socket)
        self._timeout_s = timeout_s
        self._client = client
        self._caller = flows.Caller(None, os.environ, self._path)
        # A connection for each thread: two that read from one would take each other's replies.
        self._threads = _local()
        self._links: list[BlockingLink] = []

    @property
    def _link(self) -> BlockingLink | None:
        link: BlockingLink | None = getattr(self._threads, "link", None)
        return link

    @property
    def socket(self) -> str:
        """The path of the server's socket.

        Example:
            >>> phux.socket.endswith("phux.sock")
            True
        """
        return self._path

    @property
    def caller(self) -> flows.Caller:
        """What verbs know of this process.

        Example:
            >>> phux.caller.pane is None  # it runs in no pane of this server
            True
        """
        return self._caller

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: "TracebackType | None"
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection. The server and its sessions go on.

        Example:
            >>> phux.close()
        """
        for link in self._links:
            link.close()
        self._links.clear()
        self._threads = _local()

    def _drop_link(self) -> None:
        """Close this thread's connection."""
        if self._link is not None:
            self._link.close()
            self._links.remove(self._link)
            self._threads.link = None

    def drive(self, flow: "Flow[Result]") -> "Result":
        """Carry out a flow and return what it returns, documents as they are.

        Raises:
            PhuxError: The flow, the server or the connection failed.

        Example:
            >>> from phux_client import flows
            >>> (phux.drive(flows.ls()))["schema_version"]
            1
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
                    answer = self._carry_out(step)
                    if isinstance(step, flows.Request) and step.call == "subscribe":
                        subscriptions.append(answer["subscription"])
                except errors.PhuxError as error:
                    failure = error
        finally:
            for number in subscriptions:
                self._unsubscribe(number)

    def _unsubscribe(self, number: int) -> None:
        if self._link is not None:
            self._link.unsubscribe(number)

    def _carry_out(self, step: "flows.Request | flows.NextEvent") -> "Any":
        if isinstance(step, flows.Request):
            return self.request(step)
        if self._link is None or not self._link.protocol.has_subscription(step.subscription):
            raise errors.DisconnectedError("the connection that had the subscription is gone")
        deadline = None if step.timeout_s is None else time.monotonic() + step.timeout_s
        return self._link.next_event(step.subscription, deadline)

    def request(self, request: flows.Request) -> "Document":
        """Ask one thing of the server, in the words of the wire.

        Example:
            >>> from phux_client import flows
            >>> phux.request(flows.Request("status"))["sessions"]
            1
        """
        attempts = Attempts(request.call, request.params, request.time_allowed_s(self._timeout_s))
        while True:
            try:
                return self._connected(attempts.deadline).request(request.call, attempts.begin(), attempts.deadline)
            except TimeoutError:
                raise attempts.timed_out() from None
            except errors.PhuxError as error:
                pause_s = attempts.pause_s(error)
            if time.monotonic() + pause_s > attempts.deadline:
                raise attempts.timed_out()
            time.sleep(pause_s)

    def _connected(self, deadline: float) -> BlockingLink:
        """Return this thread's connection, made anew if the last one broke."""
        link = self._link
        if link is not None and not link.is_usable:
            self._drop_link()
            link = None
        if link is None:
            link = self._threads.link = BlockingLink(self._path, deadline, self._client)
            self._links.append(link)
        return link

    # The surface

    def ls(self) -> "shapes.SessionList":
        """List the sessions, in short.

        Example:
            >>> [session.name for session in phux.ls().sessions]
            ['work']
        """
        from phux_core import documents, shapes

        return documents.load(shapes.SessionList, self.drive(flows.ls()))

    def tree(self, target: str | None = None) -> "shapes.Tree":
        """Read sessions, windows and panes.

        Args:
            target: Only what this selector names, and what that is in; everything when omitted.

        Example:
            >>> phux.tree().sessions[0].windows[0].panes[0].state
            'prompt'
        """
        from phux_core import documents, shapes

        return documents.load(shapes.Tree, self.drive(flows.tree(self._caller, target)))

    def status(self) -> "shapes.Status":
        """Read how the server is.

        Example:
            >>> phux.status().sessions
            1
        """
        from phux_core import documents, shapes

        return documents.load(shapes.Status, self.drive(flows.status()))

    def sessions(self) -> "list[Session]":
        """List the sessions as live handles, in the order they were made.

        Example:
            >>> [session.name for session in phux.sessions()]
            ['work']
        """
        from phux_client.blocking.sessions import Session

        return [
            Session(self, session.id, session.name, session.windows[0].panes[0].id) for session in self.tree().sessions
        ]

    def new_session(
        self,
        name: str | None = None,
        *,
        window_name: str | None = None,
        cwd: str | None = None,
        command: "Sequence[str] | None" = None,
        env: "Mapping[str, str] | None" = None,
        size: tuple[int, int] | None = None,
        shell: str | None = None,
        login: bool = False,
        log: bool | None = None,
        history: bool | None = None,
    ) -> "Session":
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
            >>> phux.new_session("build", command=["sh"], size=(120, 40)).name
            'build'
        """
        from phux_client.blocking.sessions import Session

        flow = flows.new(
            self._caller,
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
        made = self.drive(flow)
        return Session(self, made["session_id"], made["session"], made["pane_id"])

    def session(self, target: str) -> "Session":
        """Find a session by a selector; of a window or a pane, the one it is in.

        Raises:
            BadSelectorError, NoSuchTargetError: There is none.

        Example:
            >>> phux.session("=").name
            'work'
        """
        from phux_client.blocking.sessions import Session

        found = self.drive(flows.find_session(target, self._caller))
        return Session(self, found["id"], found["name"], found["windows"][0]["panes"][0]["id"])

    def window(self, target: str) -> "Window":
        """Find a window by a selector; of a session the current one, of a pane the one it is in.

        Raises:
            BadSelectorError, NoSuchTargetError: There is none.

        Example:
            >>> phux.window("work:0").name
            'sh'
        """
        from phux_client.blocking.sessions import Window

        found = self.drive(flows.find_window(target, self._caller))
        return Window(self, found["id"], found["name"], found["panes"][0]["id"])

    def pane(self, target: "str | int") -> Pane:
        """Find a pane by a selector or its number.

        Raises:
            BadSelectorError, NoSuchTargetError: There is none.

        Example:
            >>> phux.pane("work:0.0").selector
            '@1'
        """
        if isinstance(target, int):
            target = f"@{target}"
        return Pane(self, self.drive(flows.find_pane(target, self._caller))["id"])

    def detach(self, target: str | None = None) -> int:
        """End what terminals show of a session (`phux attach`), or of all sessions; the programs go on.

        Args:
            target: The session, or what is in it; every session when omitted.

        Returns:
            How many clients were detached.

        Example:
            >>> phux.detach("work")
            0
        """
        return int(self.drive(flows.detach(self._caller, target, everywhere=target is None))["detached"])

    def kill(self, target: str) -> int:
        """End what a selector names: a session, a window or a pane.

        Returns:
            How many panes were ended.

        Example:
            >>> phux.kill("work")
            1
        """
        return int(self.drive(flows.kill(self._caller, target))["killed"])

    def kill_server(self) -> None:
        """End every program and the server; return when it is gone.

        A server whose service does not answer is ended by its keeper.

        Example:
            >>> phux.kill_server()
        """
        from phux_client.ending import ANSWER_S, end_keeper

        try:
            self.drive(flows.kill_server(ANSWER_S))
        except errors.NoServerError:
            raise
        except errors.TransportError:
            end_keeper(self._path)
        if self._link is not None:
            self._link.wait_closed(time.monotonic() + self._timeout_s)
        self.close()

    @contextlib.contextmanager
    def watch(
        self,
        target: "str | int | None" = None,
        *,
        output: bool = False,
        since: int | None = None,
        output_only: bool = False,
    ) -> "Iterator[EventStream]":
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
            >>> with phux.watch("work") as events:
            ...     typed = pane.send_keys("echo hi", "Enter")
            ...     for event in events:
            ...         if event.event == "dirty":
            ...             break
            >>> event.terminal
            '@1'
        """
        pane = None if target is None else self.pane(target).id
        stream = EventStream(self, pane, output=output, since=since, output_only=output_only)
        stream.subscribe()
        try:
            yield stream
        finally:
            self._unsubscribe(stream.subscription)


def connect(
    socket: str | None = None, *, start: bool = False, timeout_s: float = DEFAULT_TIMEOUT_S, client: str | None = None
) -> Phux:
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
        >>> with connect() as phux:
        ...     len(phux.sessions())
        1
    """
    phux = Phux(socket, timeout_s=timeout_s, client=client)
    try:
        try:
            phux.drive(flows.status())
        except (errors.NoServerError, errors.DisconnectedError):  # none, or one that is just ending
            if not start:
                raise
            from phux_client.starting import start_server

            start_server(phux.socket)
            phux.drive(flows.status())
    except BaseException:
        phux.close()
        raise
    return phux


@contextlib.contextmanager
def embedded(
    *, engine: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S, client: str | None = None
) -> "Iterator[Phux]":
    """Run a private server that is gone at exit: for tests and one-shot agents.

    Args:
        engine: ``ghostty`` or ``pyte``; chosen when omitted.
        timeout_s: How long one request may take.
        client: What this program is called in the ledger of commands.

    Example:
        >>> with embedded() as private:
        ...     private.new_session("once").name
        'once'
    """
    from phux_client.embedding import EmbeddedServer

    with (
        EmbeddedServer(engine=engine) as server,
        Phux(server.socket, timeout_s=timeout_s, client=client) as phux,
    ):
        yield phux

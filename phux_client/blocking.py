"""The client over plain sockets, without await: the same surface as ``phux_client``, light to import.

    with phux_client.blocking.connect() as phux:
        pane = phux.new_session("work").pane
        pane.send_keys("make test", "Enter")

Shapes (attrs) are imported only when a method returns one; the CLI, which prints documents as they are, uses
``Phux.drive`` and never pays for them.
"""

import contextlib
import os
import socket as socket_module
import time

from phux_client import flows
from phux_client.event_buffer import EventBuffer
from phux_core import errors, paths, wire
from phux_core.calls import CALLS
from phux_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Any, Self

    from phux_client.flows._kinds import Document, Flow, Result
    from phux_core import shapes

__all__ = ["DEFAULT_TIMEOUT_S", "Pane", "Phux", "Session", "connect", "embedded"]

DEFAULT_TIMEOUT_S = 30.0
"""How long one request may take, connecting and handshake included."""
_RECEIVE_SIZE = 256 * 1024
_RETRY_S = 0.01


class _Link:
    """One connection: frames in, frames out, against an absolute deadline."""

    def __init__(self, path: str, deadline: float) -> None:
        self._decoder = wire.Decoder(max_header=wire.MAX_REPLY_HEADER, max_payload=wire.MAX_REPLY_PAYLOAD)
        self._frames: list[Document] = []
        self._events: dict[int, EventBuffer] = {}
        self._sock = _open_socket(path, deadline)
        # Sent with the first request, answered with its reply: the handshake costs no round trip of its own.
        self._unsent = wire.encode({"hello": {"protocol": list(wire.PROTOCOL), "client": f"phux_client/{__version__}"}})
        self._greeted = False
        self._next_id = 1

    def request(self, call: str, params: "Mapping[str, object]", deadline: float) -> "Document":
        """Ask, and wait for the reply; events that come first are put aside."""
        request_id = self._next_id
        self._next_id += 1
        self._send(wire.encode({"id": request_id, "call": call, "params": dict(params)}), deadline)
        while True:
            frame = self._next_frame(deadline)
            if "event" in frame:
                self._keep_event(frame)
            elif frame.get("id") == request_id:
                if "error" in frame:
                    raise errors.from_wire(frame["error"])
                reply: Document = frame["ok"]
                if call == "subscribe":
                    self._events.setdefault(reply["subscription"], EventBuffer())
                return reply

    def next_event(self, subscription: int, deadline: float) -> "Document | None":
        """Wait for an event of one subscription.

        Returns:
            The event; None when the time is over.
        """
        events = self._events[subscription]
        while not events:
            try:
                frame = self._next_frame(deadline)
            except errors.TimedOutError:
                return None
            if "event" in frame:
                self._keep_event(frame)
        return events.take()

    def has_subscription(self, number: int) -> bool:
        """Tell whether a subscription was made on this connection."""
        return number in self._events

    def forget_subscription(self, number: int) -> None:
        """Drop the events of a subscription that has ended."""
        self._events.pop(number, None)

    def is_stale(self) -> bool:
        """Tell whether the server has closed this connection while nobody looked."""
        try:
            self._sock.setblocking(False)
            return self._sock.recv(1, socket_module.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def wait_closed(self, deadline: float) -> None:
        """Wait until the server has closed the connection."""
        with contextlib.suppress(errors.DisconnectedError):
            while True:
                self._next_frame(deadline)

    def close(self) -> None:
        """Close the connection."""
        self._sock.close()

    def _keep_event(self, frame: "Document") -> None:
        self._events.setdefault(frame["subscription"], EventBuffer()).put(frame["event"])

    def _send(self, data: bytes, deadline: float) -> None:
        data, self._unsent = self._unsent + data, b""
        try:
            self._sock.settimeout(_remaining(deadline))
            self._sock.sendall(data)
        except TimeoutError:
            raise _timed_out() from None
        except OSError as error:
            # The server may have said why before it hung up; reading finds out.
            if not isinstance(error, (BrokenPipeError, ConnectionResetError)):
                raise errors.DisconnectedError(f"the connection failed: {error.strerror}") from error

    def _next_frame(self, deadline: float) -> "Document":
        while not self._frames:
            try:
                self._sock.settimeout(_remaining(deadline))
                data = self._sock.recv(_RECEIVE_SIZE)
            except TimeoutError:
                raise _timed_out() from None
            except OSError as error:
                raise errors.DisconnectedError(f"the connection failed: {error.strerror}") from error
            if not data:
                raise errors.DisconnectedError("the server closed the connection")
            self._frames.extend(header for header, _payload in self._decoder.feed(data))
        frame = self._frames.pop(0)
        if "error" in frame and "id" not in frame:
            raise errors.from_wire(frame["error"])
        if not self._greeted:
            check_greeting(frame)
            self._greeted = True
            return self._next_frame(deadline)
        return frame


class Phux:
    """A server, as the blocking client sees it. Made by ``connect`` and ``embedded``.

    Args:
        socket: The socket's path; found as everywhere else when omitted.
        timeout_s: How long one request may take.
    """

    def __init__(self, socket: str | None = None, *, timeout_s: float = DEFAULT_TIMEOUT_S) -> None:
        self._path = paths.socket_path(socket)
        self._timeout_s = timeout_s
        self._caller = flows.Caller(os.getcwd(), os.environ, self._path)
        self._link: _Link | None = None

    @property
    def socket(self) -> str:
        """The path of the server's socket."""
        return self._path

    @property
    def caller(self) -> flows.Caller:
        """What verbs know of this process."""
        return self._caller

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: "TracebackType | None"
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection. The server and its sessions go on."""
        if self._link is not None:
            self._link.close()
            self._link = None

    def drive(self, flow: "Flow[Result]") -> "Result":
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
                    answer = self._carry_out(step)
                    if isinstance(step, flows.Request) and step.call == "subscribe":
                        subscriptions.append(answer["subscription"])
                except errors.PhuxError as error:
                    failure = error
        finally:
            for number in subscriptions:
                self._unsubscribe(number)

    def _unsubscribe(self, number: int) -> None:
        if self._link is not None and self._link.has_subscription(number):
            with contextlib.suppress(errors.PhuxError):
                self._request(flows.Request("unsubscribe", subscription=number))
            if self._link is not None:
                self._link.forget_subscription(number)

    def _carry_out(self, step: "flows.Request | flows.NextEvent") -> "Any":
        if isinstance(step, flows.Request):
            return self._request(step)
        if self._link is None or not self._link.has_subscription(step.subscription):
            raise errors.DisconnectedError("the connection that had the subscription is gone")
        timeout_s = self._timeout_s if step.timeout_s is None else step.timeout_s
        try:
            return self._link.next_event(step.subscription, time.monotonic() + timeout_s)
        except errors.DisconnectedError:
            self.close()
            raise

    def _request(self, request: flows.Request) -> "Document":
        deadline = time.monotonic() + self._timeout_s
        # A service that died is back at once, and nothing was lost with it: what only reads is asked again.
        attempts = 2 if CALLS[request.call].repeatable else 1
        while True:
            attempts -= 1
            if self._link is not None and self._link.is_stale():
                self.close()
            if self._link is None:
                self._link = _Link(self._path, deadline)
            try:
                return self._link.request(request.call, request.params, deadline)
            except errors.DisconnectedError:
                self.close()
                if not attempts:
                    raise
            except (errors.TransportError, errors.ProtocolError):
                self.close()  # a late reply must not be taken for the next one's
                raise

    # The surface

    def ls(self) -> "shapes.SessionList":
        """List the sessions, in short.

        Example:
            >>> [session.name for session in phux.ls().sessions]
            ['work']
        """
        from phux_core import documents, shapes

        return documents.load(shapes.SessionList, self.drive(flows.ls()))

    def tree(self) -> "shapes.Tree":
        """Read every session, window and pane.

        Example:
            >>> phux.tree().sessions[0].windows[0].panes[0].state
            'running'
        """
        from phux_core import documents, shapes

        return documents.load(shapes.Tree, self.drive(flows.tree()))

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
        return [
            Session(self, session.id, session.name, session.windows[0].panes[0].id) for session in self.tree().sessions
        ]

    def new_session(
        self,
        name: str | None = None,
        *,
        cwd: str | None = None,
        command: "Sequence[str] | None" = None,
        env: "Mapping[str, str] | None" = None,
        size: tuple[int, int] | None = None,
    ) -> "Session":
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
            >>> phux.new_session("build", command=["sh"], size=(120, 40)).name
            'build'
        """
        made = self.drive(flows.new(self._caller, name, cwd=cwd, command=command, env=env, size=size))
        return Session(self, made["session_id"], made["session"], made["pane_id"])

    def pane(self, target: "str | int") -> "Pane":
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
        """End every program and the server; returns when it is gone.

        Example:
            >>> phux.kill_server()
        """
        deadline = time.monotonic() + self._timeout_s
        self.drive(flows.kill_server())
        if self._link is not None:
            self._link.wait_closed(deadline)
        self.close()


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
    def pane(self) -> "Pane":
        """Its first pane.

        Example:
            >>> session.pane.selector
            '@1'
        """
        return Pane(self._phux, self._first_pane)

    def kill(self) -> int:
        """End it.

        Returns:
            How many panes were ended.

        Example:
            >>> session.kill()
            1
        """
        return self._phux.kill(self.name)


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

    def snapshot(self, *, scrollback: int | None = None, cells: bool = False) -> "shapes.ScreenState":
        """Read its screen.

        Args:
            scrollback: History rows: None none, 0 all, N the newest N.
            cells: Whether to add the cells that have a style or a mark.

        Example:
            >>> pane.snapshot().cols
            80
        """
        from phux_core import documents, shapes

        flow = flows.snapshot(self._phux.caller, self.id, scrollback=scrollback, cells=cells)
        return documents.load(shapes.ScreenState, self._phux.drive(flow))

    def send_keys(self, *words: str, literal: bool = False) -> int:
        """Type words: names of keys (``Enter``, ``C-c``) as keys, all else as text; all of it or nothing.

        Args:
            words: As tmux's send-keys takes them.
            literal: Take every word as text.

        Returns:
            How many bytes were typed.

        Raises:
            PaneClosedError, InputTooLongError, InputBlockedError: The program did not get it.

        Example:
            >>> pane.send_keys("echo hello", "Enter") > 0
            True
        """
        flow = flows.send_keys(self._phux.caller, self.id, words, literal=literal)
        return int(self._phux.drive(flow)["bytes"])

    def paste(self, text: str) -> int:
        """Paste text, in brackets if the program asked for them.

        Returns:
            How many bytes were typed.

        Example:
            >>> pane.paste("two words") > 0
            True
        """
        return int(self._phux.drive(flows.paste(self._phux.caller, self.id, text))["bytes"])

    def wait(
        self,
        *,
        until: str | None = None,
        exit: bool = False,  # noqa: A002
        idle_ms: int | None = None,
        timeout_s: float | None = None,
    ) -> "shapes.ScreenState":
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
            >>> pane.wait(idle_ms=100).state
            'running'
        """
        from phux_core import documents, shapes

        outcome = self._phux.drive(
            flows.wait(self._phux.caller, self.id, until=until, exit=exit, idle_ms=idle_ms, timeout_s=timeout_s)
        )
        if outcome.met is None:
            raise errors.TimedOutError(f"{self.selector} did not get there within {timeout_s:g} s")
        return documents.load(shapes.ScreenState, outcome.screen)

    def info(self) -> "shapes.PaneInfo":
        """Read its place in the tree.

        Example:
            >>> pane.info().active
            True
        """
        from phux_core import documents, shapes

        found = self._phux.drive(flows.find_pane(self.selector, self._phux.caller))
        return documents.load(shapes.PaneInfo, found)

    def kill(self) -> int:
        """End its program and forget it.

        Returns:
            How many panes were ended.

        Example:
            >>> pane.kill()
            1
        """
        return int(self._phux.drive(flows.kill(self._phux.caller, self.id))["killed"])


def connect(socket: str | None = None, *, start: bool = False, timeout_s: float = DEFAULT_TIMEOUT_S) -> Phux:
    """Connect to the server of this user.

    Args:
        socket: The socket's path; PHUX_SOCKET, then the default, when omitted.
        start: Start a server when none runs.
        timeout_s: How long one request may take, connecting included.

    Raises:
        NoServerError: None runs, and ``start`` is false.
        StartFailedError: One was started and did not come up.

    Example:
        >>> with connect() as phux:
        ...     len(phux.sessions())
        1
    """
    phux = Phux(socket, timeout_s=timeout_s)
    try:
        phux.drive(flows.status())
    except errors.NoServerError:
        if not start:
            raise
        from phux_client.starting import start_server

        start_server(phux.socket)
        phux.drive(flows.status())
    return phux


@contextlib.contextmanager
def embedded(*, engine: str | None = None, timeout_s: float = DEFAULT_TIMEOUT_S) -> "Iterator[Phux]":
    """Run a private server that is gone at exit: for tests and one-shot agents.

    Args:
        engine: ``ghostty`` or ``pyte``; chosen when omitted.
        timeout_s: How long one request may take.

    Example:
        >>> with embedded() as private:
        ...     private.new_session("once").name
        'once'
    """
    from phux_client.embedding import EmbeddedServer

    with EmbeddedServer(engine=engine) as server, Phux(server.socket, timeout_s=timeout_s) as phux:
        yield phux


def check_greeting(frame: "Document") -> None:
    """Check the server's hello.

    Raises:
        ProtocolError: It is none.
        VersionError: It speaks another protocol.
    """
    hello = frame.get("hello")
    if not isinstance(hello, dict):
        raise errors.ProtocolError("the server did not say hello")
    theirs = hello.get("protocol")
    if not isinstance(theirs, list) or not theirs or theirs[0] != wire.PROTOCOL[0]:
        raise errors.VersionError(f"the server speaks protocol {theirs}, this client {list(wire.PROTOCOL)}")


def check_socket(path: str) -> None:
    """Check before connecting that the socket's directory is ours and private.

    Raises:
        NoServerError: It does not even exist.
        UnsafePathError: It cannot be trusted.
    """
    try:
        paths.check_private_directory(path)
    except FileNotFoundError:
        raise no_server(path) from None


def no_server(path: str) -> errors.NoServerError:
    """Make the error for a socket that nobody listens on."""
    return errors.NoServerError(f"no server is running on {path}")


def _open_socket(path: str, deadline: float) -> socket_module.socket:
    check_socket(path)
    while True:
        sock = socket_module.socket(socket_module.AF_UNIX, socket_module.SOCK_STREAM)
        try:
            sock.settimeout(_remaining(deadline))
            sock.connect(path)
            return sock
        except (FileNotFoundError, ConnectionRefusedError):
            sock.close()
            raise no_server(path) from None
        except BlockingIOError:
            # The queue of connections is full: many clients at once, or a service that is just being started.
            sock.close()
            time.sleep(_RETRY_S)
        except TimeoutError:
            sock.close()
            raise _timed_out() from None
        except OSError as error:
            sock.close()
            raise errors.TransportError(f"{path} cannot be connected to: {error.strerror}") from error


def _remaining(deadline: float) -> float:
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise TimeoutError
    return remaining


def _timed_out() -> errors.TimedOutError:
    return errors.TimedOutError("the server did not answer in time")

"""The socket to the server: check its directory, connect, and move bytes without blocking. Import-light.

This is the only place that opens connections. To a server on another machine, the socket leads to an ssh process
(``phux_client.remote``).
"""

import contextlib
import os
import select
import socket as socket_module
import stat
import time

from phux_core import errors, hosts, paths, wire
from phux_core.peer import peer_uid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.connection import Arrival, ClientConnection
    from phux_client.preamble import Preamble

_RETRY_S = 0.01
# Linux reports a half-closed stream as POLLRDHUP; other systems only report POLLHUP, which needs no request.
_HUNG_UP = getattr(select, "POLLRDHUP", 0)


class ServerSocket(socket_module.socket):
    """A stream to a server.

    Attributes:
        preamble: What precedes the stream; None for a server on this machine.
    """

    preamble: "Preamble | None" = None

    def why_closed(self) -> errors.PhuxError:
        """Return the error for a stream that the other side closed."""
        return errors.DisconnectedError("the server closed the connection")


def try_connect(path: str) -> ServerSocket | None:
    """Connect without blocking, and check that the server is this user's before anything is sent.

    Args:
        path: The address of the server. If it is remote, failures to connect end the stream, and raise nothing here.

    Returns:
        The socket, non-blocking; None if the backlog is full, because of many clients or a service that is starting.
    """
    if hosts.is_remote(path):
        from phux_client.remote.stream import open_stream

        return open_stream(path)
    try:
        paths.check_private_directory(path)
    except FileNotFoundError:
        raise _no_server(path) from None
    sock = ServerSocket(socket_module.AF_UNIX, socket_module.SOCK_STREAM)
    try:
        sock.setblocking(False)
        sock.connect(path)
    except BlockingIOError:
        sock.close()
        return None
    except (FileNotFoundError, ConnectionRefusedError):
        sock.close()
        raise _no_server(path) from None
    except OSError as error:
        sock.close()
        raise errors.TransportError(f"cannot connect to {path}: {error.strerror}") from error
    if peer_uid(sock) != os.getuid():
        sock.close()
        raise errors.UnsafePathError(
            f"the server on {path} belongs to another user", remedy="choose another path with --socket or PHUX_SOCKET"
        )
    return sock


def _no_server(path: str) -> errors.NoServerError:
    if os.path.lexists(path) and not stat.S_ISSOCK(os.lstat(path).st_mode):
        return errors.NoServerError(
            f"no server is running on {path}, which is not a socket", remedy="choose another path with --socket"
        )
    return errors.NoServerError(f"no server is running on {path}")


def connect(path: str, deadline: float) -> ServerSocket:
    """Connect, waiting for a place in the backlog; raise TimeoutError after the deadline."""
    while True:
        sock = try_connect(path)
        if sock is not None:
            return sock
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(_RETRY_S)


def is_hung_up(sock: socket_module.socket) -> bool:
    """Return whether the server has closed a connection, even if there is data left to read."""
    poll = select.poll()
    poll.register(sock.fileno(), _HUNG_UP)
    return bool(poll.poll(0))


def send_now(sock: socket_module.socket, connection: "ClientConnection") -> None:
    """Send as much as the kernel accepts without blocking."""
    # A broken connection is detected when reading, so the server's last message is not lost.
    with contextlib.suppress(OSError):
        while outgoing := connection.outgoing:
            connection.sent(sock.send(outgoing))


def receive_now(sock: ServerSocket, connection: "ClientConnection") -> "list[Arrival]":
    """Receive available bytes and return the items in them."""
    try:
        data = sock.recv(wire.RECEIVE_SIZE)
    except BlockingIOError:
        return []
    except OSError as error:
        connection.lose(errors.DisconnectedError(f"the connection failed: {error.strerror}"))
        return []
    if not data:
        connection.lose(sock.why_closed())
    return connection.receive(data)

"""The socket to the server: check its directory, connect, and move bytes without blocking. Import-light."""

import contextlib
import os
import select
import socket as socket_module
import stat
import time

from phux_core import errors, paths, wire
from phux_core.peer import peer_uid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.connection import Arrival, ClientConnection

_RETRY_S = 0.01
# Linux reports a half-closed stream as POLLRDHUP; other systems only report POLLHUP, which needs no request.
_HUNG_UP = getattr(select, "POLLRDHUP", 0)


def try_connect(path: str) -> socket_module.socket | None:
    """Connect without blocking, and check that the server is this user's before anything is sent.

    Returns:
        The socket, non-blocking; None if the backlog is full, because of many clients or a service that is starting.
    """
    try:
        paths.check_private_directory(path)
    except FileNotFoundError:
        raise _no_server(path) from None
    sock = socket_module.socket(socket_module.AF_UNIX, socket_module.SOCK_STREAM)
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


def connect(path: str, deadline: float) -> socket_module.socket:
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


def receive_now(sock: socket_module.socket, connection: "ClientConnection") -> "list[Arrival]":
    """Receive available bytes and return the items in them."""
    try:
        data = sock.recv(wire.RECEIVE_SIZE)
    except BlockingIOError:
        return []
    except OSError as error:
        connection.lose(errors.DisconnectedError(f"the connection failed: {error.strerror}"))
        return []
    return connection.receive(data)

"""I/O of the blocking client: wait for the socket, and keep one connection per thread.

The module defines the same names as ``phux_client.aio.backend``. Import-light, because the CLI imports this module.
"""

import contextlib
import select
import socket as socket_module
import time
from _thread import _local  # threading.local, without importing threading

from phux_client.connection import ClientConnection
from phux_client.unix_socket import ServerSocket, is_hung_up, receive_now, send_now
from phux_core import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from phux_client.connection import Key
    from phux_client.embedding import EmbeddedServer

    Argument = TypeVar("Argument")
    Result = TypeVar("Result")

sleep = time.sleep


class Stream:
    """One thread's connected socket and its protocol state."""

    def __init__(self, sock: ServerSocket, client: str | None) -> None:
        self.protocol = ClientConnection(client, sock.preamble)
        self._sock = sock
        self._poll = select.poll()

    @property
    def is_usable(self) -> bool:
        """Whether the connection is open; false once the server has closed it, even if there is data left to read."""
        return self.protocol.failure is None and not is_hung_up(self._sock)

    def send_now(self) -> None:
        """Send as much as possible without blocking."""
        send_now(self._sock, self.protocol)

    def wait_for(self, key: "Key", is_here: "Callable[[], bool]", deadline: float | None) -> bool:  # noqa: ARG002
        """Send and receive until an item has arrived or the connection has ended. Return False after the deadline."""
        self.send_now()
        while not is_here() and self.protocol.failure is None:
            left_ms = None if deadline is None else max(0.0, (deadline - time.monotonic()) * 1000)
            has_more_to_send = bool(self.protocol.outgoing)
            self._poll.register(self._sock, select.POLLIN | (select.POLLOUT if has_more_to_send else 0))
            if not self._poll.poll(left_ms):
                return False
            if has_more_to_send:
                self.send_now()
            receive_now(self._sock, self.protocol)
        return True

    def lose(self, failure: errors.PhuxError) -> None:
        """End the connection; waiting threads raise the error ``failure``."""
        self.protocol.lose(failure)
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket_module.SHUT_RDWR)  # wakes the thread that waits for the socket
        self._sock.close()

    def leave(self) -> None:
        """Discard a broken connection."""
        self._sock.close()


class Slot(_local):
    """The connection in use: one per thread, because two threads would take each other's replies."""

    stream: Stream | None = None


def despite_cancellation(action: "Callable[[], object]") -> None:
    """Run an action."""
    action()


def in_thread(function: "Callable[[Argument], Result]", argument: "Argument") -> "Result":
    """Call a blocking function."""
    return function(argument)


def private_server(engine: str | None) -> "EmbeddedServer":
    """Run a private server until the block ends."""
    from phux_client.embedding import EmbeddedServer

    return EmbeddedServer(engine=engine)

"""What clients are told that come while no service is ready: one frame with an error, and the end of the connection.

The frame is the connection-level error of docs/wire.md. The connection is held open for a moment after it, so that a
client which is still sending its hello finds the frame and not a broken pipe. No client is waited for: a frame that
is not read stays in the kernel's buffer, and both the number of connections held and the time are bounded.
"""

from __future__ import annotations

import contextlib
import errno
import selectors
import socket
import time
from functools import partial
from typing import TYPE_CHECKING

from phux_core import wire

if TYPE_CHECKING:
    from collections.abc import Callable

HOLD_S = 1.0
MOST_HELD = 64
_READ_SIZE = 64 * 1024
# Without descriptors to accept with, the socket stays readable.
_ACCEPT_AGAIN_S = 0.5


class Notices:
    """Answers the connections that wait on the listening socket, while it is on.

    Args:
        selector: Where to wait for them; its keys' data are called when they are ready.
        listener: The listening socket, which the service shares and which does not block.
        describe: Makes the error object to send.
        is_unwanted: Asked before each connection is taken: a service that got ready meanwhile is to have it.
    """

    def __init__(
        self,
        selector: selectors.BaseSelector,
        listener: socket.socket,
        describe: Callable[[], dict[str, object]],
        is_unwanted: Callable[[], bool],
    ) -> None:
        self._selector = selector
        self._listener = listener
        self._describe = describe
        self._is_unwanted = is_unwanted
        self._on = False
        self._again_at: float | None = None
        self._held: dict[socket.socket, float] = {}

    @property
    def is_on(self) -> bool:
        """Whether they are answered, or will be once there are descriptors again."""
        return self._on or self._again_at is not None

    @property
    def next_deadline(self) -> float | None:
        """When ``look_after`` has something to do."""
        moments = [*self._held.values(), *([] if self._again_at is None else [self._again_at])]
        return min(moments, default=None)

    def turn_on(self) -> None:
        """Start to answer waiting connections."""
        if not self.is_on:
            self._on = True
            self._selector.register(self._listener, selectors.EVENT_READ, self._accept)

    def turn_off(self) -> None:
        """Leave new connections to the service."""
        self._again_at = None
        if self._on:
            self._on = False
            self._selector.unregister(self._listener)

    def look_after(self, now: float) -> None:
        """Let go the connections that were held long enough."""
        for sock in [sock for sock, until in self._held.items() if until <= now]:
            self._let_go(sock)
        if self._again_at is not None and self._again_at <= now:
            self._again_at = None

    def close(self) -> None:
        """Let everything go."""
        self.turn_off()
        for sock in list(self._held):
            self._let_go(sock)

    def _accept(self) -> None:
        if self._is_unwanted():
            return
        try:
            sock, _address = self._listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError as error:
            if error.errno in {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}:
                self.turn_off()
                self._again_at = time.monotonic() + _ACCEPT_AGAIN_S
            return
        sock.setblocking(False)
        with contextlib.suppress(OSError):  # it is gone
            sock.send(wire.encode({"error": self._describe()}))  # far less than an empty buffer takes
            sock.shutdown(socket.SHUT_WR)
        while len(self._held) >= MOST_HELD:
            self._let_go(next(iter(self._held)))
        self._held[sock] = time.monotonic() + HOLD_S
        self._selector.register(sock, selectors.EVENT_READ, partial(self._drain, sock))

    def _drain(self, sock: socket.socket) -> None:
        """Throw away what a client sends; one that has read its frame hangs up."""
        if sock not in self._held:
            return
        try:
            ended = not sock.recv(_READ_SIZE)
        except BlockingIOError:
            return
        except OSError:
            ended = True
        if ended:
            self._let_go(sock)

    def _let_go(self, sock: socket.socket) -> None:
        del self._held[sock]
        self._selector.unregister(sock)
        sock.close()

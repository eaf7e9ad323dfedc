"""Replies to clients that connect while no service is ready: one error frame, then the connection is closed.

The frame is the connection-level error of docs/wire.md. The connection stays open briefly after it, so that a client
that is still sending its hello receives the frame instead of a broken pipe. The keeper never waits for a client: an
unread frame stays in the kernel's buffer, and the number of open connections and their lifetime are bounded.
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
# If accept() fails for lack of descriptors, the socket stays readable, so wait before the next attempt.
_ACCEPT_AGAIN_S = 0.5


class Notices:
    """Replies to the connections that wait on the listening socket, while replies are turned on.

    Args:
        selector: The event loop's selector; the data of its keys are callbacks.
        listener: The listening socket, non-blocking and shared with the service.
        describe: Returns the error object to send.
        is_service_ready: Called before each accept: a ready service should accept the connection instead.
    """

    def __init__(
        self,
        selector: selectors.BaseSelector,
        listener: socket.socket,
        describe: Callable[[], dict[str, object]],
        is_service_ready: Callable[[], bool],
    ) -> None:
        self._selector = selector
        self._listener = listener
        self._describe = describe
        self._is_service_ready = is_service_ready
        self._on = False
        self._again_at: float | None = None
        self._held: dict[socket.socket, float] = {}

    @property
    def is_on(self) -> bool:
        """Whether connections are answered now, or will be once descriptors are available again."""
        return self._on or self._again_at is not None

    @property
    def next_deadline(self) -> float | None:
        """When to call ``close_expired`` next; None if no connection is open and no pause in progress."""
        moments = [*self._held.values(), *([] if self._again_at is None else [self._again_at])]
        return min(moments, default=None)

    def turn_on(self) -> None:
        """Start replying to new connections."""
        if not self.is_on:
            self._on = True
            self._selector.register(self._listener, selectors.EVENT_READ, self._accept)

    def turn_off(self) -> None:
        """Stop replying, and leave new connections to the service."""
        self._again_at = None
        if self._on:
            self._on = False
            self._selector.unregister(self._listener)

    def close_expired(self, now: float) -> None:
        """Close the connections whose time has expired, and end the pause after a failed ``accept``."""
        for sock in [sock for sock, until in self._held.items() if until <= now]:
            self._close(sock)
        if self._again_at is not None and self._again_at <= now:
            self._again_at = None

    def close(self) -> None:
        """Stop replying, and close all connections."""
        self.turn_off()
        for sock in list(self._held):
            self._close(sock)

    def _accept(self) -> None:
        if self._is_service_ready():
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
        with contextlib.suppress(OSError):  # the client has disconnected
            sock.send(wire.encode({"error": self._describe()}))  # fits into the empty socket buffer
            sock.shutdown(socket.SHUT_WR)
        while len(self._held) >= MOST_HELD:
            self._close(next(iter(self._held)))
        self._held[sock] = time.monotonic() + HOLD_S
        self._selector.register(sock, selectors.EVENT_READ, partial(self._drain, sock))

    def _drain(self, sock: socket.socket) -> None:
        """Discard a client's data; a client that has read the frame disconnects."""
        if sock not in self._held:
            return
        try:
            ended = not sock.recv(_READ_SIZE)
        except BlockingIOError:
            return
        except OSError:
            ended = True
        if ended:
            self._close(sock)

    def _close(self, sock: socket.socket) -> None:
        del self._held[sock]
        self._selector.unregister(sock)
        sock.close()

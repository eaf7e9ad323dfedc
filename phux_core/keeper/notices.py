"""Connections that clients make while no service answers.

The keeper itself answers `status` and `kill_server`, if a client sends one of them together with its hello. Every other
connection waits until a service can take it. If that takes too long, the client gets an error instead: one frame, the
connection-level error of docs/wire.md. The keeper never waits for a client: frames stay in the kernel's buffer, and the
number of open connections is bounded.
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
from phux_core.errors import ProtocolError
from phux_core.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

CALL_S = 1.0
"""How long a client may take to send a call that the keeper answers, before it gets the error."""
MOST_WAITING = 64
_READ_SIZE = 64 * 1024
# If accept() fails for lack of descriptors, the socket stays readable, so wait before the next attempt.
_ACCEPT_AGAIN_S = 0.5
_HELLO: dict[str, object] = {
    "hello": {"protocol": list(wire.PROTOCOL), "server": f"phux/{__version__}", "capabilities": []}
}


class Notices:
    """Takes the connections that wait on the listening socket, while turned on.

    Args:
        selector: The event loop's selector; the data of its keys are callbacks.
        listener: The listening socket, non-blocking and shared with the service.
        describe: Returns the error object for clients.
        notice_at: Returns when clients that wait get the error; None while they should wait.
        is_service_ready: Returns whether a service answers; if so, that service accepts the connection instead.
        answer: Returns the result of a call, or None if only a service can execute it.
        pass_on: Passes a connection to the service, unread.
    """

    def __init__(
        self,
        selector: selectors.BaseSelector,
        listener: socket.socket,
        describe: Callable[[], dict[str, object]],
        notice_at: Callable[[], float | None],
        is_service_ready: Callable[[], bool],
        answer: Callable[[object], dict[str, object] | None],
        pass_on: Callable[[socket.socket], None],
    ) -> None:
        self._selector = selector
        self._listener = listener
        self._describe = describe
        self._notice_at = notice_at
        self._is_service_ready = is_service_ready
        self._answer = answer
        self._pass_on = pass_on
        self._on = False
        self._again_at: float | None = None
        self._waiting: dict[socket.socket, float] = {}  # with the earliest time of the error

    @property
    def is_on(self) -> bool:
        """Whether connections are taken now, or will be once descriptors are available again."""
        return self._on or self._again_at is not None

    @property
    def next_deadline(self) -> float | None:
        """When to call ``expire`` next; None if there is nothing to wait for."""
        moments = [] if self._again_at is None else [self._again_at]
        notice_at = self._notice_at()
        if self._waiting and notice_at is not None:
            moments.append(max(notice_at, min(self._waiting.values())))
        return min(moments, default=None)

    def turn_on(self) -> None:
        """Start taking connections."""
        if not self.is_on:
            self._on = True
            self._selector.register(self._listener, selectors.EVENT_READ, self._accept)

    def turn_off(self) -> None:
        """Stop taking connections, because a service answers, and pass it those that wait."""
        self._stop()
        for sock in [*self._waiting]:
            self._forget(sock)
            self._pass_on(sock)

    def _stop(self) -> None:
        self._again_at = None
        if self._on:
            self._on = False
            self._selector.unregister(self._listener)

    def expire(self, now: float) -> None:
        """Send the error to the clients that have waited long enough, and end the pause after a failed ``accept``."""
        if self._is_notice_due(now):
            for sock in [sock for sock, at in self._waiting.items() if at <= now]:
                self._finish(sock)
        if self._again_at is not None and self._again_at <= now:
            self._again_at = None

    def _is_notice_due(self, now: float) -> bool:
        notice_at = self._notice_at()
        return notice_at is not None and notice_at <= now

    def close(self) -> None:
        """Stop, and close all connections."""
        self._stop()
        for sock in [*self._waiting]:
            self._close(sock)

    def _accept(self) -> None:
        if self._is_service_ready():
            return
        if len(self._waiting) >= MOST_WAITING:
            if not self._is_notice_due(time.monotonic()):
                self._pause()
                return
            self._finish(next(iter(self._waiting)))
        try:
            sock, _address = self._listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError as error:
            if error.errno in {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}:
                self._pause()
            return
        sock.setblocking(False)
        self._waiting[sock] = time.monotonic() + CALL_S
        self._selector.register(sock, selectors.EVENT_READ, partial(self._read_call, sock))

    def _pause(self) -> None:
        self._stop()
        self._again_at = time.monotonic() + _ACCEPT_AGAIN_S

    def _read_call(self, sock: socket.socket) -> None:
        """Answer a client's first call; if only a service can do it, leave it unread and let the client wait."""
        try:
            data = sock.recv(_READ_SIZE, socket.MSG_PEEK)
        except OSError:
            data = b""
        if not data:
            self._close(sock)
            return
        request = _first_request(data)
        result = self._answer(request.get("call"))
        if result is None:
            self._selector.unregister(sock)
            self._waiting[sock] = 0.0
        else:
            self._finish(sock, _HELLO, {"id": request.get("id"), "ok": result})

    def _finish(self, sock: socket.socket, *frames: dict[str, object]) -> None:
        """Send a client its last frames and the error, which ends the connection."""
        error: dict[str, object] = {"error": self._describe()}
        with contextlib.suppress(OSError):  # the client has disconnected
            sock.send(b"".join(wire.encode(frame) for frame in [*frames, error]))  # fits into the empty socket buffer
        self._close(sock)

    def _forget(self, sock: socket.socket) -> None:
        del self._waiting[sock]
        with contextlib.suppress(KeyError):  # its call was read
            self._selector.unregister(sock)

    def _close(self, sock: socket.socket) -> None:
        self._forget(sock)
        with contextlib.suppress(OSError):
            sock.recv(_READ_SIZE)  # unread data would turn the end of the connection into an error
        sock.close()


def _first_request(data: bytes) -> wire.Header:
    """Return the request after the hello; empty if it has not arrived, or is invalid."""
    try:
        frames = list(wire.Decoder(max_header=_READ_SIZE, max_payload=_READ_SIZE).feed(data))
    except ProtocolError:
        return {}
    return frames[1][0] if len(frames) > 1 else {}

"""Messages with file descriptors over the socketpair between keeper and service.

A message is a wire frame whose header says how many descriptors belong to it. The channel never blocks: what
cannot be sent yet waits in a queue, and whoever owns the loop asks ``wants_write``.
"""

from __future__ import annotations

import os
import select
import socket
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from phux_core import wire
from phux_core.errors import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Sequence

_RECEIVE_SIZE = 256 * 1024
_MAX_DESCRIPTORS = 64
# Both ends are ours, so this bound only catches a bug; a checkpoint of a full scrollback must fit.
_MAX_FRAME = 512 * 1024 * 1024


class ChannelClosedError(Exception):
    """The other side is gone."""


class Message(NamedTuple):
    """One message: its header, the bytes behind it and the descriptors that came along (now ours)."""

    header: wire.Header
    payload: bytes
    fds: list[int]


class Channel:
    """One end of the socketpair.

    Args:
        sock: The socket; the channel owns it from now on.
    """

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._outgoing: deque[tuple[memoryview, Sequence[int]]] = deque()
        self._decoder = wire.Decoder(max_header=_MAX_FRAME, max_payload=_MAX_FRAME)
        self._fds: deque[int] = deque()

    def fileno(self) -> int:
        """Give the descriptor to wait on."""
        return self._sock.fileno()

    @property
    def wants_write(self) -> bool:
        """Whether something waits to be sent."""
        return bool(self._outgoing)

    def send(self, header: wire.Header, payload: bytes = b"", fds: Sequence[int] = ()) -> None:
        """Queue a message and send what can be sent now. The descriptors are sent as copies.

        Raises:
            ChannelClosedError: The other side is gone.
        """
        frame = wire.encode({**header, "fds": len(fds)}, payload)
        self._outgoing.append((memoryview(frame), tuple(os.dup(fd) for fd in fds)))
        self.flush()

    def flush(self) -> None:
        """Send what can be sent now.

        Raises:
            ChannelClosedError: The other side is gone.
        """
        while self._outgoing:
            data, fds = self._outgoing[0]
            try:
                sent = socket.send_fds(self._sock, [data], list(fds)) if fds else self._sock.send(data)
            except BlockingIOError:
                return
            except OSError as error:
                raise ChannelClosedError(str(error)) from error
            for fd in fds:
                os.close(fd)
            if sent == len(data):
                self._outgoing.popleft()
            else:
                self._outgoing[0] = (data[sent:], ())

    def receive(self) -> list[Message]:
        """Take what has arrived.

        Raises:
            ChannelClosedError: The other side is gone, or sent what is no message.
        """
        messages: list[Message] = []
        while True:
            try:
                data, fds, _flags, _address = socket.recv_fds(self._sock, _RECEIVE_SIZE, _MAX_DESCRIPTORS)
            except BlockingIOError:
                return messages
            except OSError as error:
                if messages:
                    return messages  # sent before the other side died; the next call finds the end again
                raise ChannelClosedError(str(error)) from error
            for fd in fds:
                os.set_inheritable(fd, False)
            self._fds += fds
            if not data:
                if messages:
                    return messages  # the next call finds the end again
                raise ChannelClosedError("the other side closed the channel")
            try:
                for header, payload in self._decoder.feed(data):
                    count = header.pop("fds", 0)
                    if not isinstance(count, int) or not 0 <= count <= len(self._fds) or "op" not in header:
                        raise ProtocolError("a message has no operation, or not the descriptors it speaks of")
                    messages.append(Message(header, payload, [self._fds.popleft() for _ in range(count)]))
            except ProtocolError as error:
                raise ChannelClosedError(error.message) from error

    def wait(self, *, writing: bool = False, timeout_s: float | None = None) -> None:
        """Wait until there is something to receive, or until something can be sent."""
        poll = select.poll()  # unlike select.select, it takes descriptors beyond 1023
        poll.register(self._sock, select.POLLOUT if writing else select.POLLIN)
        poll.poll(None if timeout_s is None else timeout_s * 1000)

    def close(self) -> None:
        """Close the socket and every descriptor that was not handed over."""
        self._sock.close()
        for _data, fds in self._outgoing:
            for fd in fds:
                os.close(fd)
        self._outgoing.clear()
        while self._fds:
            os.close(self._fds.popleft())

"""Messages with file descriptors over the socketpair between keeper and service.

A message is a wire frame whose header gives the number of its descriptors. The channel never blocks: unsent data waits
in a queue, and the event loop checks ``wants_write``.
"""

from __future__ import annotations

import errno
import os
import select
import socket
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from phux_core import wire
from phux_core.errors import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

FORMAT = 1
"""The version of everything that a keeper and its service share: messages, stored bytes, journals, the feed mark.

A service takes over only from a keeper with the same version. An added message or key does not change it.
"""
_RECEIVE_SIZE = 256 * 1024
_MAX_DESCRIPTORS = 64
# We control both ends, so this limit only catches bugs; a checkpoint of a full scrollback must fit.
_MAX_FRAME = 512 * 1024 * 1024
# The socket is full, the other side has yet to receive descriptors sent before, or the kernel has no memory.
_TEMPORARY = {errno.EAGAIN, errno.ETOOMANYREFS, errno.ENOBUFS, errno.ENOMEM}


class ChannelClosedError(Exception):
    """The other side has closed the channel."""


class Message(NamedTuple):
    """One message: its header, its payload and its descriptors, which the receiver owns."""

    header: wire.Header
    payload: bytes
    fds: list[int]


class Channel:
    """One end of the socketpair, which it owns."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._current: tuple[memoryview, Sequence[int]] | None = None
        self._queue: deque[Iterator[Message]] = deque()
        self._decoder = wire.Decoder(max_header=_MAX_FRAME, max_payload=_MAX_FRAME)
        self._fds: deque[int] = deque()

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._sock.fileno()

    @property
    def wants_write(self) -> bool:
        """Whether data is queued for sending."""
        return self._current is not None

    def send(self, header: wire.Header, payload: bytes = b"", fds: Sequence[int] = ()) -> None:
        """Queue a message and ``flush``. Descriptors must stay open until they are sent."""
        self.send_all([Message(header, payload, list(fds))])

    def send_all(self, messages: Iterable[Message]) -> None:
        """Queue messages and ``flush``. Each is encoded when those before it are sent, so only one needs memory."""
        self._queue.append(iter(messages))
        self.flush()

    def flush(self) -> None:
        """Send as much queued data as possible without blocking.

        Raises:
            ChannelClosedError: The other side has closed the channel.
        """
        while self._encode_next():
            assert self._current is not None
            data, fds = self._current
            try:
                sent = socket.send_fds(self._sock, [data], list(fds)) if fds else self._sock.send(data)
            except OSError as error:
                if error.errno in _TEMPORARY:
                    return
                raise ChannelClosedError(str(error)) from error
            self._current = None if sent == len(data) else (data[sent:], ())

    def _encode_next(self) -> bool:
        """Encode the next message, unless one is being sent; return False if there is none."""
        while self._current is None and self._queue:
            message = next(self._queue[0], None)
            if message is None:
                self._queue.popleft()
            else:
                data = wire.encode({**message.header, "fds": len(message.fds)}, message.payload)
                self._current = memoryview(data), message.fds
        return self._current is not None

    def receive(self) -> list[Message]:
        """Return the messages that have arrived.

        Raises:
            ChannelClosedError: The other side has closed the channel, or sent an invalid message.
        """
        messages: list[Message] = []
        while True:
            try:
                data, fds, flags, _address = socket.recv_fds(self._sock, _RECEIVE_SIZE, _MAX_DESCRIPTORS)
            except OSError as error:
                if messages or error.errno in _TEMPORARY:
                    return messages  # of a side that has died; the next call raises
                raise ChannelClosedError(str(error)) from error
            for fd in fds:
                os.set_inheritable(fd, False)
            self._fds += fds
            if flags & socket.MSG_CTRUNC:
                raise ChannelClosedError("descriptors were lost, because this process has too many open files")
            if not data:
                if messages:
                    return messages  # the next call raises
                raise ChannelClosedError("the other side closed the channel")
            try:
                for header, payload in self._decoder.feed(data):
                    count = header.pop("fds", 0)
                    if not isinstance(count, int) or not 0 <= count <= len(self._fds) or "op" not in header:
                        raise ProtocolError("a message has no operation, or too few descriptors")
                    messages.append(Message(header, payload, [self._fds.popleft() for _ in range(count)]))
            except ProtocolError as error:
                raise ChannelClosedError(error.message) from error

    def wait(self, *, writing: bool = False, timeout_s: float | None = None) -> None:
        """Wait until the socket is readable, or writable if ``writing`` is set."""
        poll = select.poll()  # unlike select.select, it accepts descriptors above 1023
        poll.register(self._sock, select.POLLOUT if writing else select.POLLIN)
        poll.poll(None if timeout_s is None else timeout_s * 1000)

    def close(self) -> None:
        """Close the socket, and the descriptors that were received and not delivered."""
        self._sock.close()
        self._current = None
        self._queue.clear()
        while self._fds:
            os.close(self._fds.popleft())

"""Read stdin and write stdout in an event loop, without changing their flags, which other processes may share.

Only ``Output.finish`` blocks the loop. No buffer grows without bound if the caller pauses the input while the output is
full.
"""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING

from phux_mcp.jsonrpc import Lines

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

# One read returns few enough requests that their replies, of about 25 KB each, need little memory.
_READ_SIZE = 8 * 1024
# A writable pipe accepts this much without blocking.
_WRITE_SIZE = select.PIPE_BUF
_MAX_UNREAD = 8 * 1024 * 1024


class Input:
    """Lines from a descriptor, as they arrive after ``resume``.

    Args:
        fd: The descriptor: a pipe, a socket, a terminal or a file.
        on_line: Called with each line; None stands for one that was too long.
        on_end: Called once, at the end of the stream.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        fd: int,
        on_line: Callable[[bytes | None], None],
        on_end: Callable[[], None],
    ) -> None:
        self._loop = loop
        self._fd = fd
        self._on_line = on_line
        self._on_end = on_end
        self._lines = Lines()
        self._reading = False
        self._ended = False
        self._next_read: asyncio.Handle | None = None  # of a file

    def resume(self) -> None:
        """Start reading."""
        if self._reading or self._ended:
            return
        self._reading = True
        try:
            self._loop.add_reader(self._fd, self._read)
        except PermissionError:  # a file is always readable, and cannot be watched
            self._next_read = self._loop.call_soon(self._read)

    def pause(self) -> None:
        """Stop reading."""
        self._reading = False
        self._loop.remove_reader(self._fd)
        if self._next_read is not None:
            self._next_read.cancel()

    def _read(self) -> None:
        try:
            data = os.read(self._fd, _READ_SIZE)
        except BlockingIOError:
            return
        except OSError:  # a terminal that was hung up
            data = b""
        for line in self._lines.feed(data) if data else self._lines.close():
            self._on_line(line)
        if not data:
            self.pause()
            self._ended = True
            self._on_end()
        elif self._next_read is not None and self._reading:
            self._next_read = self._loop.call_soon(self._read)


class Output:
    """Write bytes to a descriptor, in order.

    Args:
        on_full: Called with the new value whenever ``is_full`` changes.
        on_broken: Called when the host has closed the pipe.

    Attributes:
        is_full: Whether too many bytes are unsent because the host does not read them.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, fd: int, on_full: Callable[[bool], None], on_broken: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._fd = fd
        self._on_full = on_full
        self._on_broken = on_broken
        self._unsent = bytearray()
        self._waiting = False
        self.is_full = False
        self._broken = False
        self._poll = select.poll()
        self._poll.register(fd, select.POLLOUT)

    def write(self, data: bytes) -> None:
        """Send bytes, now or as soon as the host reads."""
        if self._broken:
            return
        self._unsent += data
        if self._waiting:
            self._update_full()
        else:
            self._flush()

    def finish(self, timeout_s: float) -> None:
        """Send the remaining bytes while the host reads them. Blocks."""
        while self._unsent and not self._broken and self._poll.poll(timeout_s * 1000):
            self._write_once()

    def _flush(self) -> None:
        while self._unsent and not self._broken and self._poll.poll(0):
            self._write_once()
        waiting = bool(self._unsent) and not self._broken
        if waiting != self._waiting:
            self._waiting = waiting
            if waiting:
                self._loop.add_writer(self._fd, self._flush)
            else:
                self._loop.remove_writer(self._fd)
        self._update_full()

    def _update_full(self) -> None:
        full = len(self._unsent) > (_MAX_UNREAD // 2 if self.is_full else _MAX_UNREAD)
        if full != self.is_full:
            self.is_full = full
            self._on_full(full)

    def _write_once(self) -> None:
        try:
            written = os.write(self._fd, self._unsent[:_WRITE_SIZE])
        except BlockingIOError:
            return
        except OSError:
            self._broken = True
            self._unsent.clear()
            self._on_broken()
            return
        del self._unsent[:written]

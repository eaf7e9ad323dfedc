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
    from collections.abc import Callable, Iterator

_READ_SIZE = 256 * 1024
# One read may return thousands of short requests. After this many, let their calls run.
_LINES_AT_ONCE = 64
# A writable pipe accepts this much without blocking.
_WRITE_SIZE = select.PIPE_BUF
_MAX_UNREAD = 8 * 1024 * 1024


class Input:
    """Lines from a descriptor, as they arrive.

    Args:
        loop: The event loop.
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
        self._arrived: Iterator[bytes | None] = iter(())  # lines that were read but not processed
        self._reading = False  # True between resume() and pause()
        self._listening = False  # whether the loop watches the descriptor
        self._ended = False
        self._is_file = False

    def resume(self) -> None:
        """Start processing lines."""
        if not self._reading and not self._ended:
            self._reading = True
            self._loop.call_soon(self._take_lines)

    def pause(self) -> None:
        """Stop processing lines, even those already read."""
        self._reading = False
        self._stop_listening()

    def _take_lines(self) -> None:
        """Process the lines that were read, then wait for more."""
        for count, line in enumerate(self._arrived, 1):
            self._on_line(line)
            if not self._reading:
                return
            if count == _LINES_AT_ONCE:
                self._stop_listening()
                self._loop.call_soon(self._take_lines)
                return
        if self._reading:
            self._listen()

    def _listen(self) -> None:
        if self._listening:
            return
        self._listening = True
        if not self._is_file:
            try:
                self._loop.add_reader(self._fd, self._read)
                return
            except PermissionError:  # a file is always readable, and cannot be watched
                self._is_file = True
        self._loop.call_soon(self._read)

    def _stop_listening(self) -> None:
        if self._listening and not self._is_file:
            self._listening = False
            self._loop.remove_reader(self._fd)

    def _read(self) -> None:
        self._listening = not self._is_file
        if not self._reading:
            return
        try:
            data = os.read(self._fd, _READ_SIZE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:  # a terminal that was hung up
            data = b""
        self._arrived = self._lines.feed(data) if data else self._last_lines()
        self._take_lines()

    def _last_lines(self) -> Iterator[bytes | None]:
        yield from self._lines.close()
        self.pause()
        self._ended = True
        self._on_end()


class Output:
    """Write bytes to a descriptor, in order.

    Args:
        loop: The event loop.
        fd: The descriptor.
        on_full: Called with the new value whenever ``is_full`` changes.
        on_broken: Called when the host has closed the pipe.

    Attributes:
        is_full: Whether too many bytes are unsent because the host does not read them.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        fd: int,
        on_full: Callable[[bool], None],
        on_broken: Callable[[], None],
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
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self._broken = True
            self._unsent.clear()
            self._on_broken()
            return
        del self._unsent[:written]

"""What a pane's program wrote since the last checkpoint: memory that the service writes and the keeper holds.

The service reads the PTY straight into it and then moves a counter; behind the counter there are only zeros, so that
what was read and not yet counted can be told. A service that dies at any moment, by any cause, has lost nothing: the
next one restores the checkpoint and feeds what stands here. No file, no system call, no disk to be full. Pages that
were never written to take no memory.
"""

from __future__ import annotations

import mmap
import os
import struct
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 16 * 1024 * 1024
"""Bytes of output a journal holds before a checkpoint has to make room: at full speed, a few times a second."""
MAX_READ = 256 * 1024
"""Bytes one read takes at the most."""
NOTE_SIZE = 1000
"""Bytes that can be noted beside the output."""
UNKEPT_SIZE = 32 * 1024
"""Bytes that can be set down here on their way to the keeper."""
_COUNTS = struct.Struct("=QQ")
_LENGTH = struct.Struct("=I")
# What was read begins behind the counts and the note, in the same page of memory.
_NOTE = _COUNTS.size
_START = _NOTE + _LENGTH.size + NOTE_SIZE
_END = _START + SIZE
_UNKEPT = _END
_UNKEPT_START = _UNKEPT + _LENGTH.size
_WHOLE = _UNKEPT_START + UNKEPT_SIZE
# What is remembered of the time before the last checkpoint, for those who read the stream as text.
_REMEMBERED = 64 * 1024


def shared_memory(name: str, size: int) -> int:
    """Make memory that can be handed to another process.

    Returns:
        A descriptor for it.
    """
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create(name)
    else:  # macOS: a file that is gone as soon as it is open
        fd, path = tempfile.mkstemp()
        os.unlink(path)
    os.ftruncate(fd, size)
    return fd


def create() -> int:
    """Make an empty journal; the keeper's part.

    Returns:
        The descriptor to hold.
    """
    return shared_memory("phux-journal", _WHOLE)


def checkpoint_key(pane: int) -> str:
    """Name the blob that is a pane's checkpoint."""
    return f"checkpoint:{pane}"


def ledger_key(pane: int) -> str:
    """Name the blob that is the ledger of a pane's commands."""
    return f"ledger:{pane}"


class Journal:
    """A journal as the service sees it.

    Args:
        fd: The memory; closed at once, the mapping is enough.
    """

    def __init__(self, fd: int) -> None:
        self._map = mmap.mmap(fd, _WHOLE)
        self._view = memoryview(self._map)
        self._before = b""
        # Read, not looked at through the mapping: that would give memory to pages that nobody has written to.
        self._base, self._length = _COUNTS.unpack(os.pread(fd, _COUNTS.size, 0))
        (self._unkept_size,) = _LENGTH.unpack(os.pread(fd, _LENGTH.size, _UNKEPT))
        self._count_uncounted(fd)
        os.close(fd)

    def _count_uncounted(self, fd: int) -> None:
        """Count what a service had read when it died, before it could count it. Behind that there are only zeros."""
        uncounted = len(os.pread(fd, min(MAX_READ, self.room), _START + self._length).rstrip(b"\0"))
        if uncounted:
            self._length += uncounted
            _COUNTS.pack_into(self._map, 0, self._base, self._length)

    @property
    def position(self) -> int:
        """Where the journal ends in the pane's stream."""
        return int(self._base + self._length)

    @property
    def base(self) -> int:
        """Where in the pane's stream the journal begins: what came before stands in the checkpoint only."""
        return int(self._base)

    @property
    def oldest(self) -> int:
        """Where in the pane's stream begins what can still be read: a little before the base, in the same service."""
        return self.base - len(self._before)

    @property
    def room(self) -> int:
        """Bytes that can still be taken."""
        return int(SIZE - self._length)

    def take(self, read_into: Callable[[memoryview], int], most: int) -> int:
        """Let a reader write behind the end of the journal, which has room for it, at most ``MAX_READ`` bytes.

        Returns:
            How many bytes the reader said it wrote.
        """
        start = _START + self._length
        count = read_into(self._view[start : start + most])
        self._length += count
        _COUNTS.pack_into(self._map, 0, self._base, self._length)
        return count

    def since(self, position: int, most: int = SIZE) -> bytes:
        """Give what stands behind a place in the stream, ``oldest`` or later, at most so many bytes."""
        if position < self._base:
            before = self._before[position - self.oldest :][:most]
            return before + self.since(self.base, most - len(before))
        if position >= self.position:
            return b""
        start = _START + position - self._base
        return bytes(self._view[start : min(start + most, _START + self._length)])

    def content(self) -> bytes:
        """Give everything since the last checkpoint."""
        return self.since(self._base)

    @property
    def note(self) -> bytes:
        """What was noted last; empty if nothing was, or if the note was being changed when its writer died."""
        (size,) = _LENGTH.unpack_from(self._map, _NOTE)
        start = _NOTE + _LENGTH.size
        return bytes(self._view[start : start + size])

    @note.setter
    def note(self, data: bytes) -> None:
        if len(data) > NOTE_SIZE:
            raise ValueError(f"a note of {len(data)} bytes does not fit into {NOTE_SIZE}")
        start = _NOTE + _LENGTH.size
        _LENGTH.pack_into(self._map, _NOTE, 0)
        self._view[start : start + len(data)] = data
        _LENGTH.pack_into(self._map, _NOTE, len(data))

    @property
    def unkept(self) -> bytes:
        """What is on its way to the keeper, and arrives even if its sender dies first."""
        return bytes(self._view[_UNKEPT_START : _UNKEPT_START + self._unkept_size]) if self._unkept_size else b""

    def add_unkept(self, data: bytes) -> bool:
        """Set something down until the keeper has it.

        Returns:
            Whether there was room.
        """
        size = self._unkept_size + len(data)
        if size > UNKEPT_SIZE:
            return False
        self._view[_UNKEPT_START + self._unkept_size : _UNKEPT_START + size] = data
        self._count_unkept(size)
        return True

    def forget_unkept(self) -> None:
        """Let go what the keeper has."""
        if self._unkept_size:
            self._count_unkept(0)

    def _count_unkept(self, size: int) -> None:
        self._unkept_size = size
        _LENGTH.pack_into(self._map, _UNKEPT, size)

    def restart(self) -> None:
        """Begin anew behind what stands here: a checkpoint has it."""
        self._before = self.since(max(self.oldest, self.position - _REMEMBERED))
        used, self._length = self._length, 0
        self._base += used
        _COUNTS.pack_into(self._map, 0, self._base, 0)
        self._clear(_START + used)

    def _clear(self, end: int) -> None:
        """Fill what held output with zeros, giving the memory back where the system can."""
        page = mmap.PAGESIZE
        if hasattr(mmap, "MADV_REMOVE"):
            last = _END // page * page
            self._view[_START:page] = bytes(page - _START)
            self._map.madvise(mmap.MADV_REMOVE, page, last - page)
            if end > last:
                self._view[last:_END] = bytes(_END - last)
        else:
            self._view[_START:end] = bytes(end - _START)

    def close(self) -> None:
        """Let the memory go; the keeper's hold on it is another matter."""
        self._base, self._length, self._before = self.position, 0, b""
        self._view.release()
        self._map.close()

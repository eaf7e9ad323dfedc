"""A pane's output since the last checkpoint, in memory that the service writes and the keeper holds.

The service reads the PTY directly into it and then advances a counter. After the counter there are only zeros, so
bytes that were read and not yet counted can be detected. A service that dies at any moment, for any reason, loses
nothing: the next one restores the checkpoint and feeds the journal. This needs no file and no disk space, and pages
that were never written to use no memory.
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
"""Bytes of output before a checkpoint is needed: a few times a second at full speed."""
MAX_READ = 256 * 1024
"""Maximum bytes of one read."""
NOTE_SIZE = 1000
"""Maximum bytes of the note stored beside the output."""
OUTBOX_SIZE = 32 * 1024
"""Maximum bytes stored here until the keeper has received them."""
_COUNTS = struct.Struct("=QQ")
_LENGTH = struct.Struct("=I")
# The output begins after the counts and the note, in the same page of memory.
_NOTE = _COUNTS.size
_START = _NOTE + _LENGTH.size + NOTE_SIZE
_END = _START + SIZE
_OUTBOX = _END
_OUTBOX_START = _OUTBOX + _LENGTH.size
_WHOLE = _OUTBOX_START + OUTBOX_SIZE
# Bytes before the last checkpoint that stay readable, for readers of the stream as text.
_REMEMBERED = 64 * 1024


def shared_memory(name: str, size: int) -> int:
    """Create memory that can be passed to another process, and return its descriptor."""
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create(name)
    else:  # macOS: an unlinked file
        fd, path = tempfile.mkstemp()
        os.unlink(path)
    os.ftruncate(fd, size)
    return fd


def create() -> int:
    """Create an empty journal in the keeper, and return its descriptor."""
    return shared_memory("phux-journal", _WHOLE)


def checkpoint_key(pane: int) -> str:
    """Return the key of the blob that holds a pane's checkpoint."""
    return f"checkpoint:{pane}"


def ledger_key(pane: int) -> str:
    """Return the key of the blob that holds a pane's command ledger."""
    return f"ledger:{pane}"


class Journal:
    """A journal, mapped into the service; ``fd`` is closed once it is mapped."""

    def __init__(self, fd: int) -> None:
        self._map = mmap.mmap(fd, _WHOLE)
        self._view = memoryview(self._map)
        self._before = b""
        # Use pread, because an access through the mapping would allocate pages that were never written to.
        self._base, self._length = _COUNTS.unpack(os.pread(fd, _COUNTS.size, 0))
        (self._outbox_size,) = _LENGTH.unpack(os.pread(fd, _LENGTH.size, _OUTBOX))
        self._count_uncounted(fd)
        os.close(fd)

    def _count_uncounted(self, fd: int) -> None:
        """Count bytes that a service had read, but not yet counted, when it died. Only zeros follow them."""
        uncounted = len(os.pread(fd, min(MAX_READ, self.room), _START + self._length).rstrip(b"\0"))
        if uncounted:
            self._length += uncounted
            _COUNTS.pack_into(self._map, 0, self._base, self._length)

    @property
    def position(self) -> int:
        """The end of the journal in the pane's stream."""
        return int(self._base + self._length)

    @property
    def base(self) -> int:
        """The start of the journal in the pane's stream; only the checkpoint covers earlier output."""
        return int(self._base)

    @property
    def oldest(self) -> int:
        """The first position of the pane's stream that is readable: a little before the base, in the same service."""
        return self.base - len(self._before)

    @property
    def room(self) -> int:
        """Free bytes."""
        return int(SIZE - self._length)

    def take(self, read_into: Callable[[memoryview], int], most: int) -> int:
        """Let a reader append up to ``most`` bytes, within ``room`` and ``MAX_READ``; return their number."""
        start = _START + self._length
        count = read_into(self._view[start : start + most])
        self._length += count
        _COUNTS.pack_into(self._map, 0, self._base, self._length)
        return count

    def since(self, position: int, most: int = SIZE) -> bytes:
        """Return up to ``most`` bytes from a position in the stream, which is ``oldest`` or later."""
        if position < self._base:
            before = self._before[position - self.oldest :][:most]
            return before + self.since(self.base, most - len(before))
        if position >= self.position:
            return b""
        start = _START + position - self._base
        return bytes(self._view[start : min(start + most, _START + self._length)])

    @property
    def note(self) -> bytes:
        """The last note; empty if there is none, or if its writer died while changing it."""
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
    def outbox(self) -> bytes:
        """Data that the keeper has not yet confirmed; it survives a crash of the service."""
        return bytes(self._view[_OUTBOX_START : _OUTBOX_START + self._outbox_size]) if self._outbox_size else b""

    def add_to_outbox(self, data: bytes) -> bool:
        """Store data until the keeper has received it; return False if there is no room."""
        size = self._outbox_size + len(data)
        if size > OUTBOX_SIZE:
            return False
        self._view[_OUTBOX_START + self._outbox_size : _OUTBOX_START + size] = data
        self._set_outbox_size(size)
        return True

    def clear_outbox(self) -> None:
        """Discard the data that the keeper has received."""
        if self._outbox_size:
            self._set_outbox_size(0)

    def _set_outbox_size(self, size: int) -> None:
        self._outbox_size = size
        _LENGTH.pack_into(self._map, _OUTBOX, size)

    def restart(self) -> None:
        """Empty the journal, because a checkpoint covers its content."""
        self._before = self.since(max(self.oldest, self.position - _REMEMBERED))
        used, self._length = self._length, 0
        self._base += used
        _COUNTS.pack_into(self._map, 0, self._base, 0)
        self._clear(_START + used)

    def _clear(self, end: int) -> None:
        """Fill the output area with zeros, and free its memory where the system supports it."""
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
        """Unmap the memory; the keeper still holds it."""
        self._base, self._length, self._before = self.position, 0, b""
        self._view.release()
        self._map.close()

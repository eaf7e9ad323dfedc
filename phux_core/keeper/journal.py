"""A pane's output since the last checkpoint, in memory that the service writes and the keeper holds.

The service reads the PTY directly into this memory and then advances a counter. Before each read it fills the space
with a pattern, so the next service finds bytes that were read and not yet counted when this service died: they end
where the pattern is intact. Thus a service that dies at any moment, for any reason, loses nothing: the next service
restores the checkpoint and feeds the journal. This needs no file and no disk space, and pages that were never written
to use no memory.

The pattern consists of bytes that UTF-8 never contains, so no text is lost, and no NUL. In other data, the last byte of
a read may equal the pattern: of random bytes, one in 256 deaths during a read loses one byte. Every other pattern would
lose another byte: the kernel writes nothing but the data, and bytes that equal the pattern do not change memory. All
exact ways read 4 KB at a time, which excludes ``fread`` (docs/decisions/0006).
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
NOTE_SIZE = 992
"""Maximum bytes of the note and the summary stored beside the output."""
TYPED_SIZE = 768
"""Bytes for the progress of typed input."""
OUTBOX_SIZE = 32 * 1024 - TYPED_SIZE
"""Maximum bytes stored here until the keeper has received them."""
# A native integer is stored at once, so a service that is killed leaves its old or its new value.
_COUNTS = struct.Struct("@QQ")
_LENGTH = struct.Struct("@I")
# The output begins after the counts, the note, the summary and the limit, in the same page of memory. The note grows
# from the start of its space, the summary from the end. The limit is the end of the space of the current read; bytes
# from the end of the output up to it may be uncounted.
_NOTE = _COUNTS.size
_SUMMARY = _NOTE + _LENGTH.size + NOTE_SIZE
_LIMIT = _SUMMARY + _LENGTH.size
_START = _LIMIT + _LENGTH.size
_END = _START + SIZE
_OUTBOX = _END
_TYPED = _OUTBOX + _LENGTH.size
_OUTBOX_START = _TYPED + TYPED_SIZE
_WHOLE = _OUTBOX_START + OUTBOX_SIZE
# The fill of the space for a read. The bytes differ so that no run of equal bytes looks like it.
_PATTERN = memoryview(bytes([0xC1, 0xF9]) * (MAX_READ // 2 + 1))
# Bytes before the last checkpoint that stay readable, for readers of the stream as text.
_REMEMBERED = 64 * 1024
# No pane writes this much; positions above it are invalid.
_LAST_BASE = 2**62


def shared_memory(name: str, size: int) -> int:
    """Create memory that can be passed to another process, and return its descriptor."""
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create(name)
    else:  # macOS: an unlinked file
        fd, path = tempfile.mkstemp()
        os.unlink(path)
    try:
        os.ftruncate(fd, size)
    except OSError:
        os.close(fd)
        raise
    return fd


def create() -> int:
    """Create an empty journal in the keeper, and return its descriptor."""
    return shared_memory("phux-journal", _WHOLE)


def blob_key(what: str, pane: int) -> str:
    """Return the key of a blob: a pane's checkpoint, its ledger, or its record while it is being created."""
    return f"{what}:{pane}"


class Journal:
    """A journal, mapped into the service; ``fd`` is closed once it is mapped.

    Attributes:
        typed: The memory for the progress of typed input.
        is_damaged: Whether the counts of an earlier service were invalid, so that its output is lost.
    """

    def __init__(self, fd: int) -> None:
        try:
            self._map = mmap.mmap(fd, _WHOLE)
        except OSError:
            os.close(fd)
            raise
        self._view = memoryview(self._map)
        self.typed = self._view[_TYPED:_OUTBOX_START]
        self._before = b""
        # Use pread, because an access through the mapping would allocate pages that were never written to.
        self._base, self._length = _COUNTS.unpack(os.pread(fd, _COUNTS.size, 0))
        self.is_damaged = self._length > SIZE or self._base > _LAST_BASE
        if self.is_damaged:  # a native fault of an earlier service may have written anywhere
            self._base, self._length = self._base if self._base <= _LAST_BASE else 0, 0
            self._count(0)
        (size,) = _LENGTH.unpack(os.pread(fd, _LENGTH.size, _OUTBOX))
        self._outbox_size = size if size <= OUTBOX_SIZE else 0
        (limit,) = _LENGTH.unpack(os.pread(fd, _LENGTH.size, _LIMIT))
        if self._length < limit <= min(self._length + MAX_READ, SIZE):
            self._count(self._uncounted(os.pread(fd, limit - self._length, _START + self._length)))
        os.close(fd)

    def _uncounted(self, space: bytes) -> int:
        """Return how many bytes of the space were read, and not counted."""
        pattern = self._pattern(len(space))
        return next((size for size in range(len(space), 0, -1) if space[size - 1] != pattern[size - 1]), 0)

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
    def size(self) -> int:
        """The number of bytes in the journal."""
        return int(self._length)

    @property
    def room(self) -> int:
        """Free bytes."""
        return int(SIZE - self._length)

    def take(self, read_into: Callable[[memoryview], int], most: int) -> int:
        """Let a reader append up to ``most`` bytes, at most ``room`` and ``MAX_READ``; return their number."""
        start = _START + self._length
        space = self._view[start : start + most]
        space[:] = self._pattern(most)
        _LENGTH.pack_into(self._map, _LIMIT, self._length + most)
        count = read_into(space)
        self._count(count)
        return count

    def _pattern(self, size: int) -> memoryview:
        """Return the fill of the free space; a byte depends only on its place, so the part after a read stays valid."""
        odd = self._length % 2
        return _PATTERN[odd : odd + size]

    def _count(self, size: int) -> None:
        """Add bytes that were read to the output."""
        self._length += size
        _COUNTS.pack_into(self._map, 0, self._base, self._length)
        _LENGTH.pack_into(self._map, _LIMIT, self._length)

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
        return bytes(self._view[start : start + size]) if size <= NOTE_SIZE else b""

    @note.setter
    def note(self, data: bytes) -> None:
        if len(data) > NOTE_SIZE:
            raise ValueError(f"the note has {len(data)} bytes; at most {NOTE_SIZE} are allowed")
        if len(data) + len(self.summary) > NOTE_SIZE:
            self.summary = b""
        start = _NOTE + _LENGTH.size
        _LENGTH.pack_into(self._map, _NOTE, 0)
        self._view[start : start + len(data)] = data
        _LENGTH.pack_into(self._map, _NOTE, len(data))

    @property
    def summary(self) -> bytes:
        """Properties of the terminal that can be used before it is rebuilt; empty if there was no room."""
        (size,) = _LENGTH.unpack_from(self._map, _SUMMARY)
        return bytes(self._view[_SUMMARY - size : _SUMMARY]) if size <= NOTE_SIZE else b""

    @summary.setter
    def summary(self, data: bytes) -> None:
        _LENGTH.pack_into(self._map, _SUMMARY, 0)
        if len(self.note) + len(data) <= NOTE_SIZE:
            self._view[_SUMMARY - len(data) : _SUMMARY] = data
            _LENGTH.pack_into(self._map, _SUMMARY, len(data))

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

    def free_rest(self) -> None:
        """Free the memory after the output, which the last read filled with the pattern."""
        page = mmap.PAGESIZE
        first = -(-(_START + self._length) // page) * page
        last = min(first + MAX_READ, _END // page * page)
        _LENGTH.pack_into(self._map, _LIMIT, self._length)  # else what is freed would look uncounted
        if hasattr(mmap, "MADV_REMOVE") and first < last:
            self._map.madvise(mmap.MADV_REMOVE, first, last - first)

    def restart(self) -> None:
        """Empty the journal, because a checkpoint covers its content."""
        self._before = self.since(max(self.oldest, self.position - _REMEMBERED))
        _LENGTH.pack_into(self._map, _LIMIT, 0)  # first, else all output would look uncounted
        self._base, self._length = self.position, 0
        self._count(0)
        if hasattr(mmap, "MADV_REMOVE"):  # free the memory
            page = mmap.PAGESIZE
            self._map.madvise(mmap.MADV_REMOVE, page, _END // page * page - page)

    def close(self) -> None:
        """Unmap the memory; the keeper still holds it."""
        self._base, self._length, self._before = self.position, 0, b""
        self.typed.release()
        self._view.release()
        self._map.close()

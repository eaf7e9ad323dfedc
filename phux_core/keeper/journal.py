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
_HEADER = struct.Struct("=QQ")


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
    return shared_memory("phux-journal", _HEADER.size + SIZE)


def checkpoint_key(pane: int) -> str:
    """Name the blob that is a pane's checkpoint."""
    return f"checkpoint:{pane}"


class Journal:
    """A journal as the service sees it.

    Args:
        fd: The memory; closed at once, the mapping is enough.
    """

    def __init__(self, fd: int) -> None:
        self._map = mmap.mmap(fd, _HEADER.size + SIZE)
        self._view = memoryview(self._map)
        self._base, self._length = _HEADER.unpack_from(self._map)
        self._count_uncounted(fd)
        os.close(fd)

    def _count_uncounted(self, fd: int) -> None:
        """Count what a service had read when it died, before it could count it. Behind that there are only zeros."""
        # Read, not looked at through the mapping: that would give memory to pages that nobody has written to.
        self._length += len(os.pread(fd, MAX_READ, _HEADER.size + self._length).rstrip(b"\0"))
        _HEADER.pack_into(self._map, 0, self._base, self._length)

    @property
    def position(self) -> int:
        """Where the journal ends in the pane's stream."""
        return int(self._base + self._length)

    @property
    def room(self) -> int:
        """Bytes that can still be taken."""
        return int(SIZE - self._length)

    def take(self, read_into: Callable[[memoryview], int], most: int) -> int:
        """Let a reader write behind the end of the journal, which has room for it, at most ``MAX_READ`` bytes.

        Returns:
            How many bytes the reader said it wrote.
        """
        start = _HEADER.size + self._length
        count = read_into(self._view[start : start + most])
        self._length += count
        _HEADER.pack_into(self._map, 0, self._base, self._length)
        return count

    def since(self, position: int, most: int = SIZE) -> bytes:
        """Give what stands behind a place in the stream, at most so many bytes."""
        start = _HEADER.size + position - self._base
        return bytes(self._view[start : min(start + most, _HEADER.size + self._length)])

    def content(self) -> bytes:
        """Give everything since the last checkpoint."""
        return self.since(self._base)

    def restart(self) -> None:
        """Begin anew behind what stands here: a checkpoint has it."""
        self._base += self._length
        self._length = 0
        _HEADER.pack_into(self._map, 0, self._base, 0)
        self._clear()

    def _clear(self) -> None:
        """Fill everything but the header with zeros, giving the memory back where the system can."""
        page = mmap.PAGESIZE
        if hasattr(mmap, "MADV_REMOVE"):
            self._view[_HEADER.size : page] = bytes(page - _HEADER.size)
            self._map.madvise(mmap.MADV_REMOVE, page, len(self._map) // page * page - page)
            self._view[len(self._map) // page * page :] = bytes(len(self._map) % page)
        else:
            self._view[_HEADER.size :] = bytes(SIZE)

    def close(self) -> None:
        """Let the memory go; the keeper's hold on it is another matter."""
        self._view.release()
        self._map.close()

"""Append to a log: segments of equal size, of which the oldest is removed when the log reaches its limit.

This module knows nothing of panes and journals. The caller gives the offset of the bytes in the stream; an offset after
the end starts a new segment, and the gap before it is a hole, which the names of the segments show.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time

from phux_core.logs import places
from phux_core.logs.stored import Stored, line_counts

DEFAULT_PANE_BYTES = 64 * 1024 * 1024
"""Default maximum bytes of a pane's log."""
_SEGMENTS = 16
_LARGEST_SEGMENT = 4 * 1024 * 1024
_SMALLEST_SEGMENT = 4 * 1024
# From this size on, the file of line counts is rewritten without removed segments.
_LONG_COUNTS = 256 * 1024
# How often to check whether the file was deleted or changed.
_CHECK_S = 1.0


class LogWriter:
    """The writer of a log of at most ``most`` bytes; ``end`` is the offset after the last byte written."""

    def __init__(self, root: str, log: places.LogId, most: int = DEFAULT_PANE_BYTES) -> None:
        self._root = root
        self._log = log
        self.most = max(most, _SEGMENTS * _SMALLEST_SEGMENT)
        self._segment_size = min(_LARGEST_SEGMENT, self.most // _SEGMENTS)
        self._fd = -1
        self._offset = 0
        self._room = 0
        self._lines: int | None = 0
        self._finished: list[tuple[int, int]] = []  # offsets and sizes
        self._checked_at = 0.0
        self.end = 0

    @property
    def first(self) -> int:
        """The offset of the first stored byte."""
        return self._finished[0][0] if self._finished else self._offset

    def resume(self) -> None:
        """Continue where an earlier writer stopped; raise OSError if the log cannot be read."""
        with contextlib.suppress(FileNotFoundError), Stored.open(self._root, self._log) as stored:
            self._finished = stored.segments
            self.end = stored.end
            if self._finished and self._finished[-1][1] < self._segment_size:
                offset, size = self._finished.pop()
                self._lines = None  # counting them would take too long with many panes
                self._open(offset, self._segment_size - size)

    def write(self, place: int, data: bytes) -> int:
        """Write bytes at an offset in the stream, which is at or after the end.

        Returns:
            The number of bytes written; fewer than given if the segment is full, so call again for the rest.

        Raises:
            OSError: Nothing was written: the disk is full, the directory is missing or unsafe, or a file was deleted.
        """
        if self._fd >= 0 and time.monotonic() >= self._checked_at + _CHECK_S:
            self.check_file()
        if self._fd < 0 or place != self.end or not self._room:
            self._rotate(place)
        if len(data) > self._room:
            data = data[: self._room]
        count = os.write(self._fd, data)
        if not count:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self._lines is not None:
            self._lines += data.count(b"\n", 0, count)
        self._room -= count
        self.end += count
        return count

    def close(self) -> None:
        """Close the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def check_file(self) -> None:
        """Check that the current segment was not deleted, replaced or truncated.

        Raises:
            OSError: It was, or its directory. ``end`` is now the start of the segment: the caller can write it again.
        """
        self._checked_at = time.monotonic()
        try:
            with places.log_directory(self._root, self._log) as directory:
                found = os.stat(places.segment_name(self._offset), dir_fd=directory, follow_symlinks=False)
            intact = stat.S_ISREG(found.st_mode) and found.st_size == self.end - self._offset
            intact = intact and (self._fd < 0 or os.path.samestat(found, os.fstat(self._fd)))
        except FileNotFoundError:
            intact = self._fd < 0 and self.end == self._offset
        except OSError as error:
            if error.errno in {errno.EMFILE, errno.ENFILE}:
                return  # it cannot be checked now
            self.close()
            self.end = self._offset
            raise
        if not intact:
            self.close()
            self.end = self._offset
            raise FileNotFoundError(errno.ENOENT, "the file of the log was deleted or changed")

    def _open(self, offset: int, room: int, *, flags: int = 0) -> None:
        with places.log_directory(self._root, self._log, create=True) as directory:
            flags |= os.O_WRONLY | os.O_CREAT | os.O_APPEND
            self._fd = places.open_file(places.segment_name(offset), flags, dir_fd=directory)
        self._offset, self._room = offset, room

    def _rotate(self, place: int) -> None:
        """Start a new segment, and remove the oldest ones if the log exceeds its limit."""
        if self._fd >= 0:
            self._finish()
        self._open(place, self._segment_size, flags=os.O_TRUNC)  # a file that was changed may be there
        self.end, self._lines = place, 0
        held = sum(size for _offset, size in self._finished) + self._segment_size
        with contextlib.suppress(OSError), places.log_directory(self._root, self._log) as directory:
            while self._finished and held > self.most:
                offset, size = self._finished.pop(0)
                held -= size
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(places.segment_name(offset), dir_fd=directory)

    def _finish(self) -> None:
        """Close the segment and record its line count."""
        self.close()
        self._finished.append((self._offset, self.end - self._offset))
        if self._lines is None:
            return
        # Without the count, readers count the lines themselves.
        with contextlib.suppress(OSError), places.log_directory(self._root, self._log) as directory:
            fd = places.open_file(places.LINES, os.O_WRONLY | os.O_CREAT | os.O_APPEND, dir_fd=directory)
            with os.fdopen(fd, "wb") as file:
                file.write(b"%d %d\n" % (self._offset, self._lines))
                is_long = os.fstat(fd).st_size > _LONG_COUNTS
            if is_long:
                self._forget_counts(directory)

    def _forget_counts(self, directory: int) -> None:
        """Drop the counts of removed segments."""
        counts = line_counts(places.read_file(places.LINES, 2 * _LONG_COUNTS, dir_fd=directory))
        kept = [b"%d %d\n" % count for count in counts.items() if count[0] >= self._finished[0][0]]
        places.replace_file(places.LINES, b"".join(kept), dir_fd=directory)

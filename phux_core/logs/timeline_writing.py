"""Write the timeline of a log: append entries, add checkpoints, and remove what is older than the log or its limit.

The timeline may have an eighth of the size of its log, and its checkpoints half of it. Those before the first byte of
the log are removed, and if there are too many, those that are close to others.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from phux_core.logs import places
from phux_core.logs.timeline import FILE_BYTES, Timeline, checkpoint_name, checkpoint_offset, file_name, file_number

if TYPE_CHECKING:
    from phux_core.logs.timeline import Entry

_SHARE, _SCREEN_SHARE = 8, 2
_LEAST_FILES = _LEAST_SCREENS = 2


class TimelineWriter:
    """The writer of the timeline of a log of at most ``most`` bytes."""

    def __init__(self, root: str, log: places.LogId, most: int) -> None:
        self._root, self._log = root, log
        self._most_screen_bytes = most // _SCREEN_SHARE
        self._most_files = max(_LEAST_FILES, most // _SHARE // FILE_BYTES)
        self._fd = -1
        self._room = 0

    def resume(self) -> list[Entry]:
        """Return the latest entries of an earlier writer; raise OSError if the files cannot be read."""
        with contextlib.suppress(FileNotFoundError), places.log_directory(self._root, self._log) as directory:
            return Timeline(directory).latest
        return []

    def write(self, line: bytes) -> None:
        """Append an entry; raise OSError if that is not possible."""
        if self._fd < 0:
            self._open_last()
        if self._room < len(line):
            self._next_file()
        self._room -= len(line)
        if os.write(self._fd, line) != len(line):
            self.close()  # the rest of the line is lost, so the next entry is in a new file

    def add_checkpoint(self, offset: int, data: bytes, first: int) -> None:
        """Store a checkpoint, and remove those before the first byte of the log; raise OSError if that is impossible.

        May be called in any thread.
        """
        with places.log_directory(self._root, self._log) as directory:
            places.replace_file(checkpoint_name(offset), data, dir_fd=directory)
            sizes: dict[int, int] = {}
            for name in os.listdir(directory):
                place = checkpoint_offset(name)
                if place is not None and place < first:
                    os.unlink(name, dir_fd=directory)
                elif place is not None:
                    sizes[place] = os.stat(name, dir_fd=directory, follow_symlinks=False).st_size
            while sum(sizes.values()) > self._most_screen_bytes and len(sizes) > _LEAST_SCREENS:
                offsets = sorted(sizes)
                triples = zip(offsets, offsets[1:], offsets[2:], strict=False)
                _distance, closest = min((after - before, place) for before, place, after in triples)
                os.unlink(checkpoint_name(closest), dir_fd=directory)
                del sizes[closest]

    def close_deleted(self) -> None:
        """Close the file if it was deleted, so that the next entry begins a new one."""
        if self._fd >= 0 and not os.fstat(self._fd).st_nlink:
            self.close()

    def close(self) -> None:
        """Close the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _open_last(self) -> None:
        """Open the last file, unless there is none or its last line is incomplete."""
        self._room = 0
        with places.log_directory(self._root, self._log, create=True) as directory:
            number = max(filter(None, map(file_number, os.listdir(directory))), default=0)
            if number:
                with contextlib.suppress(OSError):  # a file that is not ours; the next one has another name
                    self._fd = places.open_file(file_name(number), os.O_RDWR | os.O_APPEND, dir_fd=directory)
                    size = os.fstat(self._fd).st_size
                    if not size or os.pread(self._fd, 1, size - 1) == b"\n":
                        self._room = FILE_BYTES - size

    def _next_file(self) -> None:
        """Start a new file, and remove the oldest ones if there are too many."""
        self.close()
        with places.log_directory(self._root, self._log, create=True) as directory:
            numbers = sorted(filter(None, map(file_number, os.listdir(directory))))
            number = numbers[-1] + 1 if numbers else 1
            self._fd = places.open_file(file_name(number), os.O_WRONLY | os.O_CREAT | os.O_APPEND, dir_fd=directory)
            self._room = FILE_BYTES
            for old in numbers[: max(0, len(numbers) + 1 - self._most_files)]:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(file_name(old), dir_fd=directory)

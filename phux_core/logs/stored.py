"""One log on disk: its segments, holes and lines. The cost of a read depends on its length, not on that of the log."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from typing import TYPE_CHECKING, Self

from phux_core.logs import places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.logs.places import LogId

_BLOCK = 64 * 1024
_MOST_COUNTS = 64 * 1024 * 1024
_COUNTS = re.compile(rb"^(\d{1,20}) (\d{1,20})$", re.MULTILINE)


def line_counts(data: bytes) -> dict[int, int]:
    """Parse the file of line counts, by segment; skip damaged lines."""
    return {int(match[1]): int(match[2]) for match in _COUNTS.finditer(data)}


class Stored:
    """A log open for reading. A writer may append to it and remove its oldest segments at the same time.

    A segment that is not a regular file, or cannot be read, is a hole. Bytes of a segment that lie after the start of
    the next segment are ignored.

    Args:
        directory: A descriptor of the log's directory; the object takes ownership of the descriptor.
        unwritten: The offset and the bytes of the end of the stream, which are not in the files.

    Attributes:
        segments: The offset and size of each segment, in order.
    """

    def __init__(self, directory: int, unwritten: tuple[int, bytes] | None = None) -> None:
        self.directory = directory
        self.segments: list[tuple[int, int]] = []
        self._counts: dict[int, int] | None = None
        self._unwritten: dict[int, bytes] = {}
        for name in os.listdir(directory):
            offset = places.segment_offset(name)
            if offset is not None:
                with contextlib.suppress(FileNotFoundError):
                    found = os.stat(name, dir_fd=directory, follow_symlinks=False)
                    # An empty segment is part of a hole.
                    if found.st_size and stat.S_ISREG(found.st_mode):
                        self.segments.append((offset, found.st_size))
        self.segments.sort()
        following = [offset for offset, _size in self.segments[1:]]
        self.segments[:-1] = [
            (offset, min(size, end - offset)) for (offset, size), end in zip(self.segments, following, strict=False)
        ]
        if unwritten is not None:
            start, data = unwritten
            data = data[max(0, self.end - start) :]
            if data:
                start = max(start, self.end)
                self.segments.append((start, len(data)))
                self._unwritten[start] = data

    @classmethod
    def open(cls, root: str, log: LogId, unwritten: tuple[int, bytes] | None = None) -> Self:
        """Open a log; raise OSError if it does not exist, or its directory is unsafe."""
        return cls(places.open_log(root, log), unwritten)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.directory)

    @property
    def first(self) -> int:
        """The offset of the first stored byte."""
        return self.segments[0][0] if self.segments else 0

    @property
    def end(self) -> int:
        """The offset after the last byte."""
        return sum(self.segments[-1]) if self.segments else 0

    def holes(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the holes in a part of the stream."""
        for (offset, size), (following, _size) in zip(self.segments, self.segments[1:], strict=False):
            if offset + size < following and offset + size < end and following > start:
                yield max(start, offset + size), min(end, following)

    def read(self, start: int, most: int) -> tuple[int, bytes]:
        """Read up to ``most`` bytes from an offset, stopping at the next hole.

        Returns:
            The offset of the bytes, which is later than ``start`` if that is in a hole or was removed, and the bytes.
        """
        parts: list[bytes] = []
        place = start
        for offset, size in self.segments:
            if offset + size <= place:
                continue
            if most <= 0:
                break
            if offset > place:
                if parts:
                    break
                start = place = offset
            part = self._pread(offset, place - offset, min(most, offset + size - place))
            if not part:
                if parts:
                    break
                continue  # it was just removed
            parts.append(part)
            place += len(part)
            most -= len(part)
            if place < offset + size:
                break
        return start, b"".join(parts)

    def pieces(self, start: int, end: int, size: int, longest_line: int) -> Iterator[tuple[int, bytes]]:
        """Yield a part of the stream in pieces of about ``size`` bytes that end at a line break, with their offsets.

        A piece ends elsewhere only at the end of the part, at a hole, and in a line of ``longest_line`` bytes.
        """
        place = start
        rest = b""
        while place < end:
            at, data = self.read(place, min(size, end - place))
            data = data[: max(0, end - at)]
            if not data:
                break
            if at > place and rest:
                yield place - len(rest), rest
                rest = b""
            place = at + len(data)
            data = rest + data
            cut = data.rfind(b"\n") + 1
            if place >= end or (not cut and len(data) >= longest_line):
                cut = len(data)
            if cut:
                yield place - len(data), data[:cut]
            rest = data[cut:]
        if rest:
            yield place - len(rest), rest

    def lost_end(self) -> int | None:
        """Return the offset where the stream ended if the log lacks its end; None otherwise."""
        end: int = places.read_meta(self.directory).get("end", 0)
        return end if end > self.end else None

    def _pread(self, offset: int, at: int, count: int) -> bytes:
        if offset in self._unwritten:
            return self._unwritten[offset][at : at + count]
        parts = []
        try:
            fd = places.open_file(places.segment_name(offset), os.O_RDONLY, dir_fd=self.directory)
            try:
                while count > 0:
                    part = os.pread(fd, count, at)
                    if not part:
                        break
                    parts.append(part)
                    at += len(part)
                    count -= len(part)
            finally:
                os.close(fd)
        except OSError:  # it was just removed, or cannot be read
            self.segments = [segment for segment in self.segments if segment[0] != offset]
            return b""
        return b"".join(parts)

    # Lines

    def lines_of(self, offset: int, size: int) -> int:
        """Return the number of line breaks in a segment: as recorded by its writer, else by reading it."""
        if self._counts is None:
            self._counts = line_counts(places.read_file(places.LINES, _MOST_COUNTS, dir_fd=self.directory))
        known = self._counts.get(offset) if (offset, size) not in self.segments[-1:] else None
        return self._pread(offset, 0, size).count(b"\n") if known is None else known

    def count_lines(self, start: int, end: int) -> int:
        """Return the number of lines in a part of the stream, including an unfinished one."""
        if start >= end:
            return 0
        count = 0
        for offset, size in self.segments:
            low, high = max(start, offset), min(end, offset + size)
            if low < high:
                whole = (low, high) == (offset, offset + size)
                part = b"" if whole else self._pread(offset, low - offset, high - low)
                count += self.lines_of(offset, size) if whole else part.count(b"\n")
        _start, last = self._read_before(end, 1)
        return count + (last != b"\n")

    def start_of_last_lines(self, count: int, low: int, end: int, most: int) -> int:
        """Return the offset where the last ``count`` lines before ``end`` begin, reading backwards.

        Stops at ``low``, and after ``most`` bytes.
        """
        low = max(low, end - most)
        if count <= 0:
            return end
        place, wanted = end, count
        while place > low:
            start, block = self._read_before(place, min(_BLOCK, place - low))
            if not block:
                break
            found = block.count(b"\n")
            if place == end and block.endswith(b"\n"):
                found -= 1  # it ends the last line
                block = block[:-1]
            if found >= wanted:
                cut = len(block)
                for _ in range(wanted):
                    cut = block.rfind(b"\n", 0, cut)
                return start + cut + 1
            wanted -= found
            place = start
        return max(place, low)

    def end_of_line(self, place: int, most: int) -> int | None:
        """Return the offset after the line at ``place``; None if it is more than ``most`` bytes away."""
        start, data = self.read(place, most)
        end = data.find(b"\n") + 1
        return start + end if end else None

    def _read_before(self, end: int, most: int) -> tuple[int, bytes]:
        """Read the bytes right before an offset, from one segment."""
        for offset, size in reversed(self.segments):
            if offset < end:
                high = min(end, offset + size)
                low = max(offset, high - most)
                return low, self._pread(offset, low - offset, high - low)
        return 0, b""


def open_with(root: str, log: LogId, unwritten: tuple[int, bytes] | None) -> Stored:
    """Open a log; if that is impossible, return only the output that no file has, or raise OSError without any."""
    try:
        return Stored.open(root, log, unwritten)
    except OSError:
        if unwritten is None:
            raise
        return Held(*unwritten)


class Held(Stored):
    """A part of a stream in memory, with the interface of a log."""

    def __init__(self, offset: int, data: bytes) -> None:
        self.segments = [(offset, len(data))] if data else []
        self._unwritten = {offset: data}
        self._counts = {}

    def __exit__(self, *_: object) -> None:
        pass

    def lost_end(self) -> int | None:
        """Return None."""
        return None

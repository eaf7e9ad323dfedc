"""Keep the first and the last lines of a text within a byte budget."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

# How much the last lines may exceed the budget before they are trimmed.
_SLACK_LINES = 1000
_SLACK_CHARACTERS = 64 * 1024


class Cut(NamedTuple):
    """Lines within a budget.

    Attributes:
        returned: Number of lines in ``content``, without the notes about omissions.
        cut: Whether a line was shortened.
    """

    content: str
    returned: int
    omitted: int
    cut: bool


def cut(
    lines: Iterable[str],
    *,
    head: int | None,
    tail: int | None,
    max_bytes: int,
    skipped: int = 0,
    after: Iterable[str] = (),
) -> Cut:
    """Keep the first ``head`` and the last ``tail`` lines within a byte budget; a note replaces omitted lines.

    If both are None, only the budget limits the number of lines. The input may have a gap of ``skipped`` lines before
    the lines in ``after``.
    """
    ends = _Ends(head, tail, max_bytes)
    ends.take(lines)
    if skipped:
        ends.skip(skipped)
        ends.take(after)
    shortened = ends.fit()
    notes = [f"[phux: {ends.dropped} lines left out]"] if ends.dropped and ends.first and ends.last else []
    content = "\n".join([*ends.first, *notes, *ends.last])
    return Cut(content, len(ends.first) + len(ends.last), ends.dropped, shortened)


class _Ends:
    """The first and the last lines of a stream; holds little more than can be returned."""

    def __init__(self, head: int | None, tail: int | None, max_bytes: int) -> None:
        everything = None if head is None and tail is None else 0
        self._head = everything if head is None else head
        self._tail = everything if tail is None else tail
        self._max_bytes = max_bytes
        self._filling_first = True
        self.first: list[str] = []
        self.last: list[str] = []
        self.dropped = 0

    def take(self, lines: Iterable[str]) -> None:
        """Append lines."""
        coming = iter(lines)
        if self._filling_first:
            room = self._max_bytes
            for line in coming:
                room -= _size(line)
                alone = not self.first and self._tail == 0  # shortened if it is too long
                if len(self.first) == self._head or (room < 0 and not alone):
                    coming = itertools.chain([line], coming)
                    self._filling_first = False
                    break
                self.first.append(line)
        if self._tail == 0:
            self.dropped += sum(1 for _ in coming)
            return
        most_lines = None if self._tail is None else 2 * self._tail + _SLACK_LINES
        grown = 0
        for line in coming:
            self.last.append(line)
            grown += len(line) + 1
            if grown > self._max_bytes + _SLACK_CHARACTERS or len(self.last) == most_lines:
                self._trim()
                grown = 0
        self._trim()

    def skip(self, count: int) -> None:
        """Record that the next ``count`` lines are omitted."""
        self._filling_first = False
        self.dropped += len(self.last) + count
        self.last.clear()

    def fit(self) -> bool:
        """Drop lines that exceed the budget; return True if a single line was too long and had to be shortened."""
        sizes = sum(map(_size, self.first)), sum(map(_size, self.last))
        if sum(sizes) <= self._max_bytes:
            return False
        half = self._max_bytes // 2
        room_first = max(half, self._max_bytes - sizes[1])
        room_last = self._max_bytes - min(room_first, sizes[0])
        fit_first, fit_last = _count_fitting(self.first, room_first), _count_fitting(reversed(self.last), room_last)
        self.dropped += len(self.first) - fit_first + len(self.last) - fit_last
        long = None if fit_last else self.last[-1] if self.last else None if fit_first else self.first[0]
        del self.first[fit_first:]
        del self.last[: len(self.last) - fit_last]
        if long is None:
            return False
        self.last.append(_shorten(long, room_last))
        self.dropped -= 1
        return True

    def _trim(self) -> None:
        count = len(self.last) if self._tail is None else min(self._tail, len(self.last))
        count = min(count, max(1, _count_fitting(reversed(self.last), self._max_bytes)))
        self.dropped += len(self.last) - count
        del self.last[: len(self.last) - count]


def _size(line: str) -> int:
    return (len(line) if line.isascii() else len(line.encode("utf-8", "surrogateescape"))) + 1


def _count_fitting(lines: Iterable[str], room: int) -> int:
    """Return how many of the lines fit."""
    count = 0
    for line in lines:
        room -= _size(line)
        if room < 0:
            break
        count += 1
    return count


def _shorten(line: str, max_bytes: int) -> str:
    """Replace the middle of a line with a note."""
    data = line.encode("utf-8", "surrogateescape")
    left, right = data[: max_bytes // 2], data[len(data) - (max_bytes - max_bytes // 2) :]
    note = f"[phux: {len(data) - len(left) - len(right)} bytes left out]"
    return "".join((left.decode("utf-8", "ignore"), note, right.decode("utf-8", "ignore")))

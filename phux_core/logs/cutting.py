"""Lines within a budget: the first, the last, and no more bytes than there may be."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

# What the last lines may grow by before those that cannot be shown are let go.
_SLACK_LINES = 1000
_SLACK_CHARACTERS = 64 * 1024


class Cut(NamedTuple):
    """Lines within a budget.

    Attributes:
        content: The text.
        returned: How many lines it has, notes of ours not counted.
        omitted: How many lines were left out.
        cut: Whether a line was cut.
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
    """Keep the first and the last lines, and no more bytes than there may be; a note stands where something is gone.

    Args:
        lines: The lines; those before a gap if there is one.
        head: How many of the first.
        tail: How many of the last; all of them when neither is said.
        max_bytes: How many bytes of both together.
        skipped: How many lines the gap has.
        after: Those behind it.
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
    """The first and the last of any number of lines; holds hardly more of them than can be shown.

    Attributes:
        first: The first ones.
        last: The last ones.
        dropped: How many were between them.
    """

    def __init__(self, head: int | None, tail: int | None, most: int) -> None:
        everything = None if head is None and tail is None else 0
        self._head = everything if head is None else head
        self._tail = everything if tail is None else tail
        self._most = most
        self._at_first = True
        self.first: list[str] = []
        self.last: list[str] = []
        self.dropped = 0

    def take(self, lines: Iterable[str]) -> None:
        """Take lines, which come behind those that were taken before."""
        coming = iter(lines)
        if self._at_first:
            room = self._most
            for line in coming:
                room -= _size(line)
                alone = not self.first and self._tail == 0  # if it is too long, it is cut
                if len(self.first) == self._head or (room < 0 and not alone):
                    coming = itertools.chain([line], coming)
                    self._at_first = False
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
            if grown > self._most + _SLACK_CHARACTERS or len(self.last) == most_lines:
                self._let_go()
                grown = 0
        self._let_go()

    def skip(self, count: int) -> None:
        """Take note that so many lines follow, which nobody will see."""
        self._at_first = False
        self.dropped += len(self.last) + count
        self.last.clear()

    def fit(self) -> bool:
        """Let go what is more than fits; of a single line that is too long, its ends are kept.

        Returns:
            Whether a line was cut.
        """
        sizes = sum(map(_size, self.first)), sum(map(_size, self.last))
        if sum(sizes) <= self._most:
            return False
        half = self._most // 2
        room_first = max(half, self._most - sizes[1])
        room_last = self._most - min(room_first, sizes[0])
        fit_first, fit_last = _how_many(self.first, room_first), _how_many(reversed(self.last), room_last)
        self.dropped += len(self.first) - fit_first + len(self.last) - fit_last
        long = None if fit_last else self.last[-1] if self.last else None if fit_first else self.first[0]
        del self.first[fit_first:]
        del self.last[: len(self.last) - fit_last]
        if long is None:
            return False
        self.last.append(_shorten(long, room_last))
        self.dropped -= 1
        return True

    def _let_go(self) -> None:
        count = len(self.last) if self._tail is None else min(self._tail, len(self.last))
        count = min(count, max(1, _how_many(reversed(self.last), self._most)))
        self.dropped += len(self.last) - count
        del self.last[: len(self.last) - count]


def _size(line: str) -> int:
    return (len(line) if line.isascii() else len(line.encode("utf-8", "surrogateescape"))) + 1


def _how_many(lines: Iterable[str], room: int) -> int:
    """Tell how many of some lines fit."""
    count = 0
    for line in lines:
        room -= _size(line)
        if room < 0:
            break
        count += 1
    return count


def _shorten(line: str, most: int) -> str:
    """Keep the ends of a line."""
    data = line.encode("utf-8", "surrogateescape")
    left, right = data[: most // 2], data[len(data) - (most - most // 2) :]
    note = f"[phux: {len(data) - len(left) - len(right)} bytes left out]"
    return "".join((left.decode("utf-8", "ignore"), note, right.decode("utf-8", "ignore")))

"""Keep the first and the last lines of a text within a byte budget."""

from __future__ import annotations

import sys
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


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
    """Keep the first ``head`` and the last ``tail`` lines within a byte budget; a note replaces the lines between them.

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
    """The first and the last lines of a stream; keeps little more than it can return."""

    def __init__(self, head: int | None, tail: int | None, max_bytes: int) -> None:
        unlimited = sys.maxsize if head is None and tail is None else 0
        self._head = unlimited if head is None else head
        self._tail = unlimited if tail is None else tail
        self._max_bytes = max_bytes
        self._is_filling_first = True
        self._first_size = self._last_size = 0
        self.first: list[str] = []
        self.last: deque[str] = deque()
        self.dropped = 0

    def take(self, lines: Iterable[str]) -> None:
        """Append lines."""
        for line in lines:
            if self._is_filling_first:
                size = _size(line)
                is_alone = not self.first and self._tail == 0  # shortened if it is too long
                fits = self._first_size + size <= self._max_bytes or is_alone
                if fits and len(self.first) < self._head:
                    self.first.append(line)
                    self._first_size += size
                    continue
                self._is_filling_first = False
            if not self._tail:
                self.dropped += 1
                continue
            self.last.append(line)
            self._last_size += _size(line)
            while len(self.last) > self._tail or (self._last_size > self._max_bytes and len(self.last) > 1):
                self._last_size -= _size(self.last.popleft())
                self.dropped += 1

    def skip(self, count: int) -> None:
        """Record that the next ``count`` lines are omitted."""
        self._is_filling_first = False
        self.dropped += len(self.last) + count
        self.last.clear()
        self._last_size = 0

    def fit(self) -> bool:
        """Drop lines that exceed the budget; return True if a single line was too long and had to be shortened."""
        if self._first_size + self._last_size <= self._max_bytes:
            return False
        room_first = max(self._max_bytes // 2, self._max_bytes - self._last_size)
        room_last = self._max_bytes - min(room_first, self._first_size)
        fit_first, fit_last = _count_fitting(self.first, room_first), _count_fitting(reversed(self.last), room_last)
        self.dropped += len(self.first) - fit_first + len(self.last) - fit_last
        long = None if fit_last else self.last[-1] if self.last else None if fit_first else self.first[0]
        del self.first[fit_first:]
        self.last = deque(self.last, maxlen=fit_last)
        if long is None:
            return False
        self.last = deque([_shorten(long, room_last)])
        self.dropped -= 1
        return True


def _size(line: str) -> int:
    return (len(line) if line.isascii() else len(line.encode("utf-8", "surrogateescape"))) + 1


def _count_fitting(lines: Iterable[str], room: int) -> int:
    """Return the number of lines that fit."""
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

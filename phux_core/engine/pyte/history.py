"""Scrollback: rows that left the top of the primary screen, and text that never was on it.

A program that floods its terminal writes thousands of rows nobody will look at. Such text is kept here as it was
written, ``Deferred``, and made into rows when somebody reads that far back, or never. What is known of it meanwhile
is how many lines it has, and a line is at least one row: enough to drop what the limit makes unreachable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.engine.pyte.rows import Row

# Dropping rows from the front of a list moves all the others: do it by the thousand.
_SLACK = 1024
# How much deferred text is kept for each row of the limit, counted in cells, before it is made into rows after all.
# Text of lines that wrap, or with an SGR to every cell, can be far longer than what its rows need.
_CELLS_A_ROW = 4
_CHARS_A_ROW = 64


class Deferred(NamedTuple):
    """Lines of text and SGR, none of them looked at.

    Attributes:
        text: What was written; it began in column 0 of a blank row and ends with CR LF.
        lines: How many line ends it has.
        style: The style that was current at its beginning.
    """

    text: str
    lines: int
    style: str


class History:
    """The scrollback of one terminal.

    Attributes:
        limit: How many rows may be read.
        columns: The width of the rows.
    """

    __slots__ = ("_chars", "_deferred", "_expand", "_items", "_least", "columns", "limit")

    def __init__(self, limit: int, columns: int, expand: Callable[[Deferred, int], list[Row]]) -> None:
        """Make an empty history.

        Args:
            limit: How many rows may be read.
            columns: The width of the rows.
            expand: Makes the rows that deferred text comes to, at a width.
        """
        self.limit = limit
        self.columns = columns
        self._expand = expand
        self._items: list[Row | Deferred] = []
        self._least = 0  # rows that are there at the least: exact but for deferred lines that wrap
        self._deferred = 0  # items that are no rows yet
        self._chars = 0  # of their text

    def push(self, row: Row) -> None:
        """Add the row that just left the screen."""
        self._items.append(row)
        self._least += 1
        if self._least > self.limit + _SLACK:
            self._drop()

    def extend(self, rows: list[Row]) -> None:
        """Add rows, oldest first."""
        self._items += rows
        self._least += len(rows)
        if self._least > self.limit + _SLACK:
            self._drop()

    def defer(self, deferred: Deferred) -> None:
        """Add text that would have scrolled off the screen."""
        if not self.limit:
            return
        self._items.append(deferred)
        self._least += deferred.lines
        self._chars += len(deferred.text)
        self._deferred += 1
        if self._least > self.limit + _SLACK:
            self._drop()
        if self._chars > self.limit * (self.columns * _CELLS_A_ROW + _CHARS_A_ROW):
            self._settle(self.limit)
            self._drop()

    def clear(self) -> None:
        """Forget everything."""
        self._items.clear()
        self._least = self._deferred = self._chars = 0

    def set_limit(self, limit: int) -> None:
        """Change the limit; rows beyond it are gone at once."""
        self.limit = limit
        self._drop()

    def __len__(self) -> int:
        """How many rows can be read."""
        if self._least >= self.limit:
            return self.limit
        self._settle(self.limit)
        return min(self._least, self.limit)

    def newest(self, count: int) -> list[Row]:
        """The newest rows, at most ``count`` of them and oldest first. They belong to the history: change none."""
        count = min(count, self.limit)
        if count <= 0:
            return []
        self._settle(count)
        return self._items[-count:]  # type: ignore[return-value]  # _settle left only rows there

    def take(self) -> list[Row]:
        """All rows, which are no longer here afterwards."""
        rows = self.newest(self.limit)
        self.clear()
        return rows

    def items(self) -> list[Row | Deferred]:
        """What is kept, as it is kept, for checkpoints and for counting styles."""
        self._drop()
        return self._items

    def load(self, items: list[Row | Deferred]) -> None:
        """Take what ``items`` gave."""
        self._items = items
        self._least = sum(item.lines if isinstance(item, Deferred) else 1 for item in items)
        deferred = [item for item in items if isinstance(item, Deferred)]
        self._deferred = len(deferred)
        self._chars = sum(len(item.text) for item in deferred)

    def _drop(self) -> None:
        """Let go of what is beyond the limit for certain."""
        items = self._items
        surplus = self._least - self.limit
        index = 0
        while surplus > 0 and index < len(items):
            item = items[index]
            if isinstance(item, Deferred):
                if item.lines > surplus:
                    break
                surplus -= item.lines
                self._forget(item)
            else:
                surplus -= 1
                self._least -= 1
            index += 1
        del items[:index]

    def _settle(self, count: int) -> None:
        """See to it that the newest ``count`` rows are rows, or that all are."""
        items = self._items
        index = len(items)
        found = 0
        while self._deferred and index and found < count:
            index -= 1
            item = items[index]
            if isinstance(item, Deferred):
                rows = self._expand(item, self.columns)
                items[index : index + 1] = rows
                self._forget(item)
                self._least += len(rows)
                found += len(rows)
            else:
                found += 1
        if found >= self.limit and index:
            # The newest rows are all that can ever be read: what is older may go.
            del items[:index]
            self._least = found
            self._deferred = self._chars = 0

    def _forget(self, item: Deferred) -> None:
        self._least -= item.lines
        self._chars -= len(item.text)
        self._deferred -= 1

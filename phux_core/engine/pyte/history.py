"""Scrollback: rows that left the top of the primary screen, and text that was never drawn.

A program that floods its terminal writes thousands of rows that are never read. Such text is kept unparsed, as
``Deferred``, and turned into rows only when read. Until then only its number of lines is known. A line is at least one
row, which suffices to drop text beyond the limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.engine.pyte.rows import Row

# Removing rows from the front of a list moves all others: do it in batches.
_SLACK = 1024
# Cells of deferred text kept per row of the limit before it is turned into rows. Text with long lines, or with an SGR
# for every cell, can be far larger than its rows.
_CELLS_A_ROW = 4
_CHARS_A_ROW = 64


class Deferred(NamedTuple):
    """Unparsed lines of text and SGR.

    Attributes:
        text: The text; it starts in column 0 of a blank row and ends with CR LF.
        lines: Number of line ends.
        style: The style at its beginning.
    """

    text: str
    lines: int
    style: str


class History:
    """The scrollback of one terminal.

    Args:
        limit: Maximum number of rows that can be read.
        columns: The width of the rows.
        expand: Returns the rows of deferred text at a width.
    """

    __slots__ = ("_chars", "_expand", "_items", "_least", "columns", "limit")

    def __init__(self, limit: int, columns: int, expand: Callable[[Deferred, int], list[Row]]) -> None:
        self.limit = limit
        self.columns = columns
        self._expand = expand
        self._items: list[Row | Deferred] = []
        self._least = 0  # lower bound of the number of rows: exact except for deferred lines that wrap
        self._chars = 0  # length of deferred text

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
        """Add text that would have scrolled off the screen, unparsed."""
        if not self.limit:
            return
        self._items.append(deferred)
        self._least += deferred.lines
        self._chars += len(deferred.text)
        if self._least > self.limit + _SLACK:
            self._drop()
        if self._chars > self.limit * (self.columns * _CELLS_A_ROW + _CHARS_A_ROW):
            self._settle(self.limit)
            self._drop()

    def clear(self) -> None:
        """Remove everything."""
        self._items.clear()
        self._least = self._chars = 0

    def set_limit(self, limit: int) -> None:
        """Change the limit; rows beyond it are dropped at once."""
        self.limit = limit
        self._drop()

    def __len__(self) -> int:
        """Return the number of rows that can be read."""
        if self._least >= self.limit:
            return self.limit
        self._settle(self.limit)
        return min(self._least, self.limit)

    def newest(self, count: int) -> list[Row]:
        """Return the newest ``count`` rows, oldest first. The caller must not change them."""
        count = min(count, self.limit)
        if count <= 0:
            return []
        self._settle(count)
        return self._items[-count:]  # type: ignore[return-value]  # _settle left only rows there

    def take(self) -> list[Row]:
        """Remove and return all rows."""
        rows = self.newest(self.limit)
        self.clear()
        return rows

    def items(self) -> list[Row | Deferred]:
        """Return the rows and deferred items, for checkpoints and for counting styles."""
        self._drop()
        return self._items

    def load(self, items: list[Row | Deferred]) -> None:
        """Restore the content from the result of ``items``."""
        self._items = items
        self._least = sum(item.lines if isinstance(item, Deferred) else 1 for item in items)
        self._chars = sum(len(item.text) for item in items if isinstance(item, Deferred))

    def _drop(self) -> None:
        """Drop rows and deferred text that are certainly beyond the limit."""
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
        """Turn deferred text into rows until the newest ``count`` items are rows, or all are."""
        items = self._items
        index = len(items)
        found = 0
        while self._chars and index and found < count:
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
            # Only the newest rows can be read: drop the older ones.
            del items[:index]
            self._least = found
            self._chars = 0

    def _forget(self, item: Deferred) -> None:
        self._least -= item.lines
        self._chars -= len(item.text)

"""Which item of ``fleet.map`` runs next, without I/O."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

Item = TypeVar("Item")


class Job(Generic[Item]):
    """An item, and how often its task began."""

    __slots__ = ("attempts", "error", "host", "index", "item")

    def __init__(self, index: int, item: Item) -> None:
        self.index = index
        self.item = item
        self.attempts = 0
        self.host: str | None = None
        self.error: Exception | None = None


class Schedule(Generic[Item]):
    """The items that wait, and the number of those that run. Items are read one at a time, when there is room.

    Args:
        retries: How often an item begins again after its host was lost.
    """

    def __init__(self, items: Iterable[Item], retries: int) -> None:
        self._items = enumerate(items)
        self._retries = retries
        self._again: deque[Job[Item]] = deque()  # at most those that ran when their host was lost
        self._running = 0
        self._is_read = False

    @property
    def is_over(self) -> bool:
        """Whether no item waits or runs."""
        return self._is_read and not self._again and not self._running

    def take(self) -> Job[Item] | None:
        """Return the next item, which runs from now on; None if no item waits."""
        job = self._again.popleft() if self._again else self._read()
        if job is not None:
            self._running += 1
        return job

    def _read(self) -> Job[Item] | None:
        if not self._is_read:
            for index, item in self._items:
                return Job(index, item)
            self._is_read = True
        return None

    def finish(self) -> None:
        """Record that an item ended."""
        self._running -= 1

    def move(self, job: Job[Item], error: Exception) -> bool:
        """Record that an item's host was lost; return whether the item runs again."""
        self._running -= 1
        job.error = error
        if job.attempts > self._retries:
            return False
        self._again.append(job)
        return True

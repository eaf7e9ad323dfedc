"""The pane that the service is feeding: eight bytes that the keeper can still read after the service died.

A panic in a native engine kills the whole service, and rebuilding a pane can crash every service that tries. The mark
is written to shared memory without a system call. The keeper reads it to learn the affected pane, so that the
next service can use the other engine for the pane, or leave the pane blank.
"""

from __future__ import annotations

import mmap
from typing import NamedTuple

from phux_core.keeper.journal import shared_memory

_SIZE = 8


class Marked(NamedTuple):
    """The value of the mark.

    Attributes:
        pane: The pane being fed or rebuilt; 0 for none.
        step: 0, except while panes are restored or rebuilt: then a number that changes as long as there is progress.
    """

    pane: int
    step: int


class FeedMark:
    """A ``Marked`` in memory shared by two processes; owns the memory's descriptor."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.cell = memoryview(mmap.mmap(fd, _SIZE)).cast("I")

    @classmethod
    def create(cls) -> FeedMark:
        """Create a mark in new shared memory."""
        return cls(shared_memory("phux-feed-mark", _SIZE))

    def read(self) -> Marked:
        """Return the mark."""
        return Marked(self.cell[0], self.cell[1])

    def take(self) -> Marked:
        """Return the mark and clear it."""
        marked = self.read()
        self.cell[0] = self.cell[1] = 0
        return marked

"""Which pane the service is at: eight bytes that it writes and the keeper can still read when it is dead.

A native engine that panics takes the whole service along, and rebuilding a pane can end each service that tries. The
mark, a store into shared memory and no system call, tells the keeper which pane it was, so that the next service can
give it the other engine, or leave it blank.
"""

from __future__ import annotations

import mmap
from typing import NamedTuple

from phux_core.keeper.journal import shared_memory

_SIZE = 8


class Marked(NamedTuple):
    """What the mark says.

    Attributes:
        pane: The pane that is being fed or rebuilt; 0 for none.
        step: 0 while clients are served. While panes are rebuilt, a number that changes as long as that gets on.
    """

    pane: int
    step: int


class FeedMark:
    """Two numbers in memory that two processes share, see ``Marked``.

    Args:
        fd: The memory; ours from now on.
    """

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.cell = memoryview(mmap.mmap(fd, _SIZE)).cast("I")

    @classmethod
    def create(cls) -> FeedMark:
        """Make new memory."""
        return cls(shared_memory("phux-feed-mark", _SIZE))

    def read(self) -> Marked:
        """Read the mark."""
        return Marked(self.cell[0], self.cell[1])

    def take(self) -> Marked:
        """Read the mark and clear it."""
        marked = self.read()
        self.cell[0] = self.cell[1] = 0
        return marked

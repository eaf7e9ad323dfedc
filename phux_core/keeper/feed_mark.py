"""Which pane is being fed: eight bytes that the service writes and the keeper can still read when it is dead.

A native engine that panics takes the whole service along. The mark, a store into shared memory and no system call,
tells the keeper whose bytes did it, so that the next service can give that pane the other engine.
"""

from __future__ import annotations

import mmap

from phux_core.keeper.journal import shared_memory

_SIZE = 8


class FeedMark:
    """A number in memory that two processes share; 0 means that nobody is being fed.

    Args:
        fd: The memory; ours from now on.
    """

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.cell = memoryview(mmap.mmap(fd, _SIZE)).cast("Q")

    @classmethod
    def create(cls) -> FeedMark:
        """Make new memory."""
        return cls(shared_memory("phux-feed-mark", _SIZE))

    def take(self) -> int:
        """Read the number and clear it."""
        pane = self.cell[0]
        self.cell[0] = 0
        return pane

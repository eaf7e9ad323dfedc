"""The lock of a pane: one caller at a time runs a command, or acts and looks."""

from __future__ import annotations

import asyncio


class PaneLock(asyncio.Lock):
    """A lock that can also be acquired without waiting."""

    def try_acquire(self) -> bool:
        """Return True if the lock was acquired: it was free, and nothing waited for it."""
        acquiring = self.acquire()
        try:
            acquiring.send(None)
        except StopIteration:
            return True
        acquiring.close()
        return False

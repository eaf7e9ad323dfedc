"""Whose turn it is."""

from __future__ import annotations

import asyncio


class Turn(asyncio.Lock):
    """A lock that can also be had without waiting, by those who could not wait."""

    def take(self) -> bool:
        """Have it if nobody has it or waits for it.

        Returns:
            Whether it is had now.
        """
        acquiring = self.acquire()
        try:
            acquiring.send(None)
        except StopIteration:
            return True
        acquiring.close()
        return False

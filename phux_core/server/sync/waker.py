"""Waking those who wait for something to happen."""

from __future__ import annotations

import asyncio


class Alarm:
    """Wakes whoever waits when it rings.

    It remembers nothing: look whether there is anything to wait for, and wait, without giving up the loop in between.
    Unlike an event of asyncio it takes next to no memory while nobody waits, and every pane has a few.
    """

    __slots__ = ("_waiters",)

    def __init__(self) -> None:
        self._waiters: list[asyncio.Future[None]] = []

    def ring(self) -> None:
        """Wake everybody."""
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            _wake(waiter)

    async def wait(self, timeout_s: float | None) -> None:
        """Wait until it rings, or the time is over; None for ever."""
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = loop.create_future()
        timer = None if timeout_s is None else loop.call_later(timeout_s, _wake, waiter)
        self._waiters.append(waiter)
        try:
            await waiter
        finally:
            if timer is not None:
                timer.cancel()
            if waiter in self._waiters:
                self._waiters.remove(waiter)


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)

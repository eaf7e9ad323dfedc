"""Wake the coroutines that wait for something to happen."""

from __future__ import annotations

import asyncio


class Waker:
    """Wakes all its waiters.

    It remembers nothing: check the condition and wait, with no ``await`` in between. Unlike ``asyncio.Event`` it takes
    almost no memory while nothing waits, and every pane has a few.
    """

    __slots__ = ("_waiters",)

    def __init__(self) -> None:
        self._waiters: list[asyncio.Future[None]] = []

    @property
    def is_awaited(self) -> bool:
        """Whether anything waits."""
        return bool(self._waiters)

    def wake_all(self) -> None:
        """Wake all waiters."""
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            _wake(waiter)

    async def wait(self, timeout_s: float | None) -> None:
        """Wait for ``wake_all`` or the timeout; None waits forever."""
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

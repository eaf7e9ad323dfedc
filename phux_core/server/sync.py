"""Small synchronization primitives: a waker and a promise."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from phux_core.errors import DisconnectedError

if TYPE_CHECKING:
    from collections.abc import Callable

    Listener = Callable[[dict[str, Any] | Exception], object]


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
        return bool(self._waiters)

    def wake_all(self) -> None:
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


def try_acquire(lock: asyncio.Lock) -> bool:
    """Acquire a lock if nothing has to be waited for; return whether it was acquired."""
    acquiring = lock.acquire()
    try:
        acquiring.send(None)
    except StopIteration:
        return True
    acquiring.close()
    return False


class Promise:
    """A result or an error that is set once. Any number of callers may wait for it, and give up waiting.

    Unlike an ``asyncio.Future``, it passes the result on at once, not in the next iteration of the loop, knows whether
    a caller waits, and does not log an error for which no caller waited.
    """

    __slots__ = ("_known", "_listeners", "_result")

    def __init__(self) -> None:
        self._result: dict[str, Any] | Exception | None = None
        self._listeners: list[Listener] = []
        self._known = Waker()

    @property
    def is_awaited(self) -> bool:
        return self._known.is_awaited

    def set(self, result: dict[str, Any] | Exception) -> None:
        """Set the result; later results are ignored."""
        if self._result is None:
            self._result = result
            for listener in self._listeners:
                listener(result)
            self._known.wake_all()

    def cancel(self) -> None:
        """Set an error, because the caller has gone."""
        self.set(DisconnectedError("the request was cancelled"))

    def then(self, listener: Listener) -> None:
        """Call a listener when the result is set, in the order of these calls; it must not raise."""
        self._listeners.append(listener)

    def forget(self, listener: Listener) -> None:
        self._listeners.remove(listener)

    async def wait(self, timeout_s: float | None) -> dict[str, Any] | None:
        """Wait for the result, and return or raise it; return None if the timeout expired."""
        if self._result is None:
            await self._known.wait(timeout_s)
        if isinstance(self._result, Exception):
            raise self._result
        return self._result

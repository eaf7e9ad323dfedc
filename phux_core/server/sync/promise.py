"""A result that is known later."""

from __future__ import annotations

from typing import Any

from phux_core.server.sync.waker import Waker


class Promise:
    """A result or an error that is set once. Any number of callers may wait for it, and give up waiting.

    Unlike an ``asyncio.Future``, it knows whether a caller waits, and does not log an error that nobody asked for.
    """

    __slots__ = ("_known", "_result")

    def __init__(self) -> None:
        self._result: dict[str, Any] | Exception | None = None
        self._known = Waker()

    @property
    def is_awaited(self) -> bool:
        """Whether any caller waits for the result."""
        return self._known.is_awaited

    def set(self, result: dict[str, Any] | Exception) -> None:
        """Set the result; later results are ignored."""
        if self._result is None:
            self._result = result
            self._known.wake_all()

    async def wait(self, timeout_s: float | None) -> dict[str, Any] | None:
        """Wait for the result, and return or raise it; return None if the timeout expired."""
        if self._result is None:
            await self._known.wait(timeout_s)
        if isinstance(self._result, Exception):
            raise self._result
        return self._result

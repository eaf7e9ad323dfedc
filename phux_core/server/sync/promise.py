"""A result that is known later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_core.server.sync.waker import Waker

if TYPE_CHECKING:
    from collections.abc import Callable

    Listener = Callable[["dict[str, Any] | Exception"], None]


class Promise:
    """A result or an error that is set once. Any number of callers may wait for it, and give up waiting.

    Unlike ``asyncio.Future`` it calls its listeners at once when it is set, not in the next iteration of the loop.
    """

    __slots__ = ("_known", "_listeners", "_result")

    def __init__(self) -> None:
        self._result: dict[str, Any] | Exception | None = None
        self._known = Waker()
        self._listeners: list[Listener] = []

    @property
    def is_awaited(self) -> bool:
        """Whether any caller waits for the result."""
        return self._known.is_awaited

    def set(self, result: dict[str, Any] | Exception) -> None:
        """Set the result; later results are ignored."""
        if self._result is None:
            self._result = result
            listeners, self._listeners = self._listeners, []
            for listener in listeners:
                listener(result)
            self._known.wake_all()

    def then(self, listener: Listener) -> None:
        """Add a listener, called at once if the result is set. Listeners are called in order and must not raise."""
        if self._result is None:
            self._listeners.append(listener)
        else:
            listener(self._result)

    def forget(self, listener: Listener) -> None:
        """Remove a listener."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    async def wait(self, timeout_s: float | None) -> dict[str, Any] | None:
        """Wait for the result, and return or raise it; return None if the timeout expired."""
        if self._result is None:
            await self._known.wait(timeout_s)
        if isinstance(self._result, Exception):
            raise self._result
        return self._result

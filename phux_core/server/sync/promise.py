"""What something comes to that takes a while, for those who wait and for those who are to be told at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_core.server.sync.waker import Alarm

if TYPE_CHECKING:
    from collections.abc import Callable

    Listener = Callable[["dict[str, Any] | Exception"], None]


class Outcome:
    """A result, or an error, that is known once and then stands: any number may wait for it, and give up waiting.

    Unlike a future of asyncio it tells listeners in the moment it is set, without a turn of the loop in between.
    """

    __slots__ = ("_known", "_listeners", "_result")

    def __init__(self) -> None:
        self._result: dict[str, Any] | Exception | None = None
        self._known = Alarm()
        self._listeners: list[Listener] = []

    @property
    def is_known(self) -> bool:
        """Whether there is anything to wait for no more."""
        return self._result is not None

    def set(self, result: dict[str, Any] | Exception) -> None:
        """Tell everybody; what was told before stands."""
        if self._result is None:
            self._result = result
            listeners, self._listeners = self._listeners, []
            for listener in listeners:
                listener(result)
            self._known.ring()

    def then(self, listener: Listener) -> None:
        """Have somebody told, in the order of asking; at once if it is known already. A listener must not raise."""
        if self._result is None:
            self._listeners.append(listener)
        else:
            listener(self._result)

    def forget(self, listener: Listener) -> None:
        """Do not tell somebody who was to be told."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    async def wait(self, timeout_s: float | None) -> dict[str, Any] | None:
        """Wait for it.

        Returns:
            The result; None when the time was over.

        Raises:
            Exception: What it failed with.
        """
        if self._result is None:
            await self._known.wait(timeout_s)
        if isinstance(self._result, Exception):
            raise self._result
        return self._result

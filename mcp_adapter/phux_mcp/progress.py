"""The progress of a call, for hosts that sent a progress token."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

_FIRST_S = 0.25
_LONGEST_S = 5.0


class Progress:
    """Reports the progress of a call, if its request has a token."""

    def __init__(self, notify: Callable[[str, dict[str, Any]], None], token: object, *, with_message: bool) -> None:
        valid = isinstance(token, (str, int)) and not isinstance(token, bool)
        self._notify = notify
        self._token = token if valid else None
        self._with_message = with_message
        self._last = 0.0

    def end(self) -> None:
        """Stop reporting, because the call was answered."""
        self._token = None

    def report(self, value: float, total: float | None, message: str) -> None:
        """Report the progress if it has increased."""
        if self._token is None or value <= self._last:
            return
        self._last = value
        params: dict[str, Any] = {"progressToken": self._token, "progress": value}
        if total:
            params["total"] = total
        if self._with_message:
            params["message"] = message
        self._notify("notifications/progress", params)

    @contextlib.asynccontextmanager
    async def ticking(self, total: float | None, message: Callable[[], Awaitable[str]]) -> AsyncIterator[None]:
        """Report the elapsed seconds regularly inside the block."""
        if self._token is None:
            yield
            return
        ticker = asyncio.get_running_loop().create_task(self._tick(total, message))
        try:
            yield
        finally:
            ticker.cancel()
            await asyncio.wait([ticker])

    async def _tick(self, total: float | None, message: Callable[[], Awaitable[str]]) -> None:
        began = time.monotonic()
        pause = _FIRST_S
        while True:
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_S)
            text = await message()
            self.report(round(time.monotonic() - began, 3), total, text)

"""Progress of a call, for hosts that asked for it by giving a token."""

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
    """Where a call tells how it goes on. Without a token it tells nothing.

    Args:
        notify: Sends a notification.
        token: What the host gave.
        with_message: Whether the revision has messages in it.
    """

    def __init__(self, notify: Callable[[str, dict[str, Any]], None], token: object, *, with_message: bool) -> None:
        valid = isinstance(token, (str, int)) and not isinstance(token, bool)
        self._notify = notify
        self._token = token if valid else None
        self._with_message = with_message
        self._last = 0.0

    @property
    def is_wanted(self) -> bool:
        """Whether anybody listens."""
        return self._token is not None

    def end(self) -> None:
        """Tell nothing any more: the call is answered."""
        self._token = None

    def tell(self, value: float, total: float | None, message: str) -> None:
        """Tell how far it is; what is not farther than before is not told."""
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
        """Tell every now and then, inside the block, how many seconds have passed."""
        if not self.is_wanted:
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
            self.tell(round(time.monotonic() - began, 3), total, text)

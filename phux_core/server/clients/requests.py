"""Pending requests of one client."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from phux_core.calls import CALLS

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable

    Reply = Callable[[int, str, "dict[str, Any] | Exception"], None]

MAX_IN_FLIGHT = 256
"""Pending requests of one client at which the server stops reading from it."""


class Requests:
    """Pending requests of one client.

    Args:
        reply: Replies to a request, given its id and its call.
        on_room: Called when more requests are accepted again.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, reply: Reply, on_room: Callable[[], None]) -> None:
        self._loop = loop
        self._reply = reply
        self._on_room = on_room
        self._tasks: set[asyncio.Task[None]] = set()
        self._can_be_cancelled: dict[int, asyncio.Task[None]] = {}

    @property
    def count(self) -> int:
        """The number of pending requests."""
        return len(self._tasks)

    @property
    def are_full(self) -> bool:
        """Whether no more requests are accepted."""
        return self.count >= MAX_IN_FLIGHT

    def add(self, request_id: int, call: str, answer: Awaitable[dict[str, Any]]) -> None:
        """Reply to a request when its result is known."""
        task = self._loop.create_task(self._finish(request_id, call, answer))
        self._tasks.add(task)
        if CALLS[call].cancellable:
            self._can_be_cancelled[request_id] = task
        task.add_done_callback(partial(self._task_done, request_id))

    def cancel(self, request_id: int) -> None:
        """Cancel a pending request, if possible. It gets no reply then."""
        task = self._can_be_cancelled.get(request_id)
        if task is not None:
            task.cancel()

    def cancel_all(self) -> None:
        """Cancel every request that can be cancelled."""
        for task in self._can_be_cancelled.values():
            task.cancel()

    async def _finish(self, request_id: int, call: str, answer: Awaitable[dict[str, Any]]) -> None:
        try:
            result: dict[str, Any] | Exception = await answer
        except Exception as error:  # noqa: BLE001
            result = error
        self._reply(request_id, call, result)

    def _task_done(self, request_id: int, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._can_be_cancelled.pop(request_id, None)
        if self.count == MAX_IN_FLIGHT - 1:
            self._on_room()

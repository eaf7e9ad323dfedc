"""Pending requests of one client."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from phux_core.calls import CALLS
from phux_core.errors import DisconnectedError
from phux_core.server.sync.promise import Promise

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable

    from phux_core.server.sync.promise import Listener

    Reply = Callable[[int, str, "dict[str, Any] | Exception"], None]

MAX_IN_FLIGHT = 256
"""Pending requests of one client at which the server stops reading from it."""


class Requests:
    """Pending requests of one client.

    Args:
        reply: Replies to a request, given its id and its call.
        on_room: Called when more requests are accepted again.

    Attributes:
        count: The number of pending requests.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, reply: Reply, on_room: Callable[[], None]) -> None:
        self._loop = loop
        self._reply = reply
        self._on_room = on_room
        self.count = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._can_be_cancelled: dict[int, Callable[[], None]] = {}

    @property
    def are_full(self) -> bool:
        """Whether no more requests are accepted."""
        return self.count >= MAX_IN_FLIGHT

    def add(self, request_id: int, call: str, answer: Promise | Awaitable[dict[str, Any]]) -> None:
        """Reply to a request when its result is known."""
        stop: Callable[[], object]
        if isinstance(answer, Promise):
            promise = answer
            stop = partial(promise.set, DisconnectedError("the caller has given it up"))  # for others that wait for it
        else:
            promise = Promise()
            task = self._loop.create_task(_settle(promise, answer))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            stop = task.cancel
        self.count += 1
        finish = partial(self._finish, request_id, call)
        if CALLS[call].cancellable:
            self._can_be_cancelled[request_id] = partial(self._give_up, promise, finish, stop)
        promise.then(finish)

    def cancel(self, request_id: int) -> None:
        """Cancel a pending request, if possible. It gets no reply then."""
        give_up = self._can_be_cancelled.pop(request_id, None)
        if give_up is not None:
            give_up()

    def cancel_all(self) -> None:
        """Cancel every request that can be cancelled."""
        for request_id in list(self._can_be_cancelled):
            self.cancel(request_id)

    def _finish(self, request_id: int, call: str, result: dict[str, Any] | Exception) -> None:
        self._can_be_cancelled.pop(request_id, None)
        self._reply(request_id, call, result)
        self._removed()

    def _give_up(self, promise: Promise, finish: Listener, stop: Callable[[], object]) -> None:
        promise.forget(finish)
        stop()
        self._removed()

    def _removed(self) -> None:
        self.count -= 1
        if self.count == MAX_IN_FLIGHT - 1:
            self._on_room()


async def _settle(promise: Promise, answer: Awaitable[dict[str, Any]]) -> None:
    try:
        promise.set(await answer)
    except Exception as error:  # noqa: BLE001
        promise.set(error)

"""Pending requests of one client: those that run as a task, and those that a promise answers."""

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
        loop: The event loop.
        reply: Replies to a request, given its id and its call.
        on_room: Called when more requests are accepted again.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, reply: Reply, on_room: Callable[[], None]) -> None:
        self._loop = loop
        self._reply = reply
        self._on_room = on_room
        self._tasks: set[asyncio.Task[None]] = set()
        self._promised = 0  # pending replies of promises
        self._can_be_cancelled: dict[int, Callable[[], object]] = {}

    @property
    def count(self) -> int:
        """The number of pending requests."""
        return len(self._tasks) + self._promised

    @property
    def are_full(self) -> bool:
        """Whether no more requests are accepted."""
        return self.count >= MAX_IN_FLIGHT

    def add(self, request_id: int, call: str, answer: Promise | Awaitable[dict[str, Any]]) -> None:
        """Reply to a request when its result is known."""
        cancellable = CALLS[call].cancellable
        if isinstance(answer, Promise):
            self._promised += 1
            keep = partial(self._keep_promise, request_id, call)
            if cancellable:
                self._can_be_cancelled[request_id] = partial(self._break_promise, request_id, answer, keep)
            answer.then(keep)
            return
        task = self._loop.create_task(self._finish(request_id, call, answer))
        self._tasks.add(task)
        if cancellable:
            self._can_be_cancelled[request_id] = task.cancel
        task.add_done_callback(partial(self._task_done, request_id))

    def cancel(self, request_id: int) -> None:
        """Cancel a pending request, if possible. It gets no reply then."""
        give_up = self._can_be_cancelled.get(request_id)
        if give_up is not None:
            give_up()

    def cancel_all(self) -> None:
        """Cancel every request that can be cancelled."""
        for give_up in list(self._can_be_cancelled.values()):
            give_up()

    async def _finish(self, request_id: int, call: str, answer: Awaitable[dict[str, Any]]) -> None:
        try:
            result: dict[str, Any] | Exception = await answer
        except Exception as error:  # noqa: BLE001
            result = error
        self._reply(request_id, call, result)

    def _task_done(self, request_id: int, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._can_be_cancelled.pop(request_id, None)
        self._removed()

    def _keep_promise(self, request_id: int, call: str, result: dict[str, Any] | Exception) -> None:
        self._promised -= 1
        self._can_be_cancelled.pop(request_id, None)
        self._reply(request_id, call, result)
        self._removed()

    def _break_promise(self, request_id: int, outcome: Promise, keep: Listener) -> None:
        outcome.forget(keep)
        self._promised -= 1
        del self._can_be_cancelled[request_id]
        outcome.set(DisconnectedError("the caller has given it up"))  # notifies others that wait for it
        self._removed()

    def _removed(self) -> None:
        if self.count == MAX_IN_FLIGHT - 1:
            self._on_room()

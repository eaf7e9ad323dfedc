"""One connected client: its name, its pending requests, and everything sent to it.

A client that does not read costs a bounded amount of memory: it loses events, and is dropped eventually.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_core import wire
from phux_core.calls import CALLS
from phux_core.errors import DisconnectedError, InternalError, LimitError, PhuxError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

HIGH_WATER = 1024 * 1024
"""Unsent bytes above which a client is considered slow."""
MOST_UNSENT = wire.MAX_REPLY_HEADER + 64 * 1024 * 1024
"""Unsent bytes at which a client is dropped: the largest possible reply, and room for frames sent meanwhile."""
MAX_REQUESTS = 256
"""Pending requests of one client at which the server stops reading from it."""
MOST_LARGE_REPLIES = 2
"""Maximum number of large replies prepared at the same time for one client."""

_log = logging.getLogger("phux.connection")

Result = dict[str, Any]
if TYPE_CHECKING:
    Answer = Result | Awaitable[Result]
    """The return value of a call: its result, or an awaitable of it."""


class Connection:
    """One connected client.

    Args:
        on_room: Called when the client may have more pending requests again.

    Attributes:
        client: The name from its hello, or None.
    """

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, on_room: Callable[[], None]
    ) -> None:
        self.client: str | None = None
        self._loop = loop
        self._on_room = on_room
        self._tasks: set[asyncio.Task[None]] = set()
        self._can_be_cancelled: dict[int, asyncio.Task[None]] = {}
        self._transport: asyncio.Transport | None = transport
        transport.set_write_buffer_limits(high=HIGH_WATER)
        self._reads = asyncio.Event()  # set unless the client is slow, and once it has disconnected
        self._reads.set()
        self._large_replies = asyncio.Semaphore(MOST_LARGE_REPLIES)
        self._dropped: dict[int, int] = {}

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    @property
    def is_slow(self) -> bool:
        """Whether the client does not read its frames."""
        return self._transport is not None and not self._reads.is_set()

    @property
    def may_request(self) -> bool:
        """Whether the client's next request is accepted."""
        return self.is_open and not self.is_slow and len(self._tasks) < MAX_REQUESTS

    # Requests

    def reply_later(self, request_id: int, call: str, answer: Awaitable[Result]) -> None:
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

    async def _finish(self, request_id: int, call: str, answer: Awaitable[Result]) -> None:
        try:
            result: Result | Exception = await answer
        except Exception as error:  # noqa: BLE001
            result = error
        self.reply(request_id, call, result)

    def _task_done(self, request_id: int, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._can_be_cancelled.pop(request_id, None)
        if len(self._tasks) == MAX_REQUESTS - 1:
            self._on_room()

    @contextlib.asynccontextmanager
    async def large_reply(self) -> AsyncIterator[None]:
        """Prepare a large reply inside this block: few at a time, and none while the client does not read.

        Requests that arrive together are all accepted before the first reply is written. Without this limit, all their
        replies would be kept for a client that reads none.

        Raises:
            DisconnectedError: The client has disconnected.
        """
        async with self._large_replies:
            await self._reads.wait()
            if not self.is_open:
                raise DisconnectedError("the client has disconnected")
            yield

    # Sending

    def push_event(self, subscription: int, event: dict[str, Any]) -> None:
        """Send an event, or count it as lost if the client is slow."""
        if self.is_slow:
            self._dropped[subscription] = self._dropped.get(subscription, 0) + 1
        else:
            self.push({"event": event, "subscription": subscription})

    def push(self, header: dict[str, Any]) -> None:
        """Send a frame, whether the client reads or not; the caller is responsible for limits."""
        self._write(wire.encode(header))

    def reply(self, request_id: int, call: object, result: Result | Exception) -> None:
        try:
            if isinstance(result, Exception):
                raise result
            frame = wire.encode({"id": request_id, "ok": result})
            if len(frame) > wire.MAX_REPLY_HEADER:
                raise LimitError(f"the answer has {len(frame)} bytes, and {wire.MAX_REPLY_HEADER} fit into a frame")
        except PhuxError as error:
            frame = wire.encode({"id": request_id, "error": error_document(error)})
        except Exception:  # noqa: BLE001  a bug in phux
            _log.exception("the call %r failed", call)
            problem = InternalError(f"the server failed at the call {call!r}")
            frame = wire.encode({"id": request_id, "error": error_document(problem)})
        self._write(frame)

    def pause(self) -> None:
        """Stop sending events to a client that does not read."""
        self._reads.clear()

    def resume(self) -> None:
        """Resume, and report how many events were lost."""
        self._reads.set()
        dropped, self._dropped = self._dropped, {}
        for subscription, count in dropped.items():
            self.push_event(subscription, {"event": "dropped", "count": count})

    def lost(self) -> None:
        """Cancel requests that only wait; the others are completed, so that nothing is left half done."""
        self._transport = None
        for task in self._can_be_cancelled.values():
            task.cancel()
        self._reads.set()

    def close(self) -> None:
        """Close after everything written so far is sent."""
        if self._transport is not None:
            self._transport.close()

    def _write(self, frame: bytes) -> None:
        if self._transport is None:
            return
        if self._transport.get_write_buffer_size() > MOST_UNSENT:
            _log.warning("a client was dropped: it left %d MiB of replies unread", MOST_UNSENT // 2**20)
            self._transport.abort()
        else:
            self._transport.write(frame)


def error_document(error: PhuxError) -> dict[str, str]:
    """Return the ``error`` field of a frame."""
    return {"code": error.code, "message": error.message, "remedy": error.remedy}

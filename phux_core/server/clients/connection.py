"""One connected client: its name, its pending requests, and everything sent to it.

A client that does not read costs a bounded amount of memory: it loses events, and is dropped eventually.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, Any

from phux_core import wire
from phux_core.errors import DisconnectedError, InternalError, LimitError, PhuxError
from phux_core.server.clients.requests import Requests

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

HIGH_WATER = 1024 * 1024
"""Unsent bytes above which a client is considered slow."""
MOST_UNSENT = wire.MAX_REPLY_HEADER + 64 * 1024 * 1024
"""Unsent bytes at which a client is dropped: the largest possible reply, and room for frames sent meanwhile."""
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
        self.requests = Requests(loop, self.reply, on_room)
        self._transport: asyncio.Transport | None = transport
        transport.set_write_buffer_limits(high=HIGH_WATER)
        self._reads = asyncio.Event()  # set unless the client is slow, and once it has disconnected
        self._reads.set()
        self._large_replies = asyncio.Semaphore(MOST_LARGE_REPLIES)
        self._dropped: dict[int, int] = {}

    @property
    def is_open(self) -> bool:
        """Whether the client is still connected."""
        return self._transport is not None and not self._transport.is_closing()

    @property
    def is_slow(self) -> bool:
        """Whether the client does not read its frames."""
        return self._transport is not None and not self._reads.is_set()

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
        """Reply to a request."""
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
        self.requests.cancel_all()
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

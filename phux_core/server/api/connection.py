"""One client: handshake, frames, bounds. What the calls do is dispatch's business.

Nothing a client sends or fails to read can hurt anybody else: frames are bounded, a client that breaks the rules
is told so and cut off, one that does not read is no longer listened to and loses events, never memory of ours.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast

from phux_core import wire
from phux_core.calls import CALLS
from phux_core.errors import DisconnectedError, InternalError, LimitError, PhuxError, ProtocolError, VersionError
from phux_core.server.sync.promise import Promise

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from phux_core.server.sync.promise import Listener

HANDSHAKE_S = 10.0
"""How long a client may take to say hello."""
MAX_IN_FLIGHT = 256
"""Requests of one client that may be unanswered before we stop reading from it."""
TURN_S = 0.002
"""How long one client's requests are worked on before others get their turn."""
LAST_WORDS_S = 5.0
"""How long a client that was cut off may take to read why."""
HIGH_WATER = 1024 * 1024
"""Unsent bytes above which a client counts as slow."""
MOST_UNSENT = wire.MAX_REPLY_HEADER + 64 * 1024 * 1024
"""Unsent bytes at which a client is dropped: the largest reply there can be, and what may be added meanwhile."""
MOST_LARGE_REPLIES = 2
"""Large replies of one client that are prepared at the same time."""

_MAX_REQUEST_ID = 2**53
_LONGEST_NAME = 100
_log = logging.getLogger("phux.connection")

Result = dict[str, Any]
if TYPE_CHECKING:
    Answer = Result | Promise | Awaitable[Result]
    """What a call gives: its result, or what will tell it."""


class Host(Protocol):
    """What a connection needs of the service."""

    @property
    def room(self) -> bytearray:
        """Where to receive into; no connection keeps anything there."""

    def greet(self) -> dict[str, Any]:
        """What the server says of itself in the handshake."""

    def handle(self, connection: Connection, call: object, params: object) -> Answer:
        """Carry out a call, at once or in a while."""

    def connected(self, connection: Connection) -> None:
        """Take note of a client."""

    def disconnected(self, connection: Connection) -> None:
        """Take note that a client is gone."""

    def resumed(self, connection: Connection) -> None:
        """Take note that a client which was slow reads again."""


class Connection(asyncio.BufferedProtocol):
    """The server's side of one connection."""

    def __init__(self, host: Host, loop: asyncio.AbstractEventLoop) -> None:
        self._host = host
        self._loop = loop
        self._decoder = wire.Decoder(max_header=wire.MAX_REQUEST_HEADER, max_payload=wire.MAX_REQUEST_PAYLOAD)
        self._transport: asyncio.Transport | None = None
        self.client: str | None = None
        self._greeted = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._promised = 0  # replies that an Promise will bring
        self._can_be_cancelled: dict[int, Callable[[], object]] = {}
        self._slow = False
        self._reads = asyncio.Event()  # set unless the client is slow, and once it is gone
        self._reads.set()
        self._large_replies = asyncio.Semaphore(MOST_LARGE_REPLIES)
        self._dropped: dict[int, int] = {}
        self._handshake_timer: asyncio.TimerHandle | None = None
        self._last_words_timer: asyncio.TimerHandle | None = None
        self._turn_scheduled = False

    # asyncio calls these

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin; the client has a while to say hello."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=HIGH_WATER)
        self._handshake_timer = self._loop.call_later(HANDSHAKE_S, self._handshake_overdue)
        self._host.connected(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """End. A call that only waits is cancelled; every other one is completed, so that nothing is left half done."""
        self._transport = None
        for timer in (self._handshake_timer, self._last_words_timer):
            if timer is not None:
                timer.cancel()
        for give_up in list(self._can_be_cancelled.values()):
            give_up()
        self._reads.set()
        self._host.disconnected(self)

    def get_buffer(self, sizehint: int) -> bytearray:  # noqa: ARG002
        """Give the room to receive into: the same for all, for what is received is taken at once."""
        return self._host.room

    def buffer_updated(self, nbytes: int) -> None:
        """Take bytes from the client."""
        self._decoder.push(memoryview(self._host.room)[:nbytes])
        if not self._turn_scheduled:
            self._work()

    def pause_writing(self) -> None:
        """Stop listening to a client that does not read: it gets no new replies to ignore."""
        self._slow = True
        self._reads.clear()
        self._update_reading()

    def resume_writing(self) -> None:
        """Go on, telling how many events were lost."""
        self._slow = False
        self._reads.set()
        dropped, self._dropped = self._dropped, {}
        for subscription, count in dropped.items():
            self.push_event(subscription, {"event": "dropped", "count": count})
        self._host.resumed(self)
        self._schedule_work()

    # The service calls these

    @property
    def is_open(self) -> bool:
        """Whether the client is still there."""
        return self._transport is not None and not self._transport.is_closing()

    @property
    def is_slow(self) -> bool:
        """Whether the client does not read what is sent."""
        return self._slow

    @contextlib.asynccontextmanager
    async def large_reply(self) -> AsyncIterator[None]:
        """Prepare a large reply inside this block: few at a time, and none while the client does not read.

        Requests that arrived together are all accepted before the first reply is written. Without this, the replies
        to all of them would be kept for a client that reads none.

        Raises:
            DisconnectedError: The client is gone.
        """
        async with self._large_replies:
            await self._reads.wait()
            if not self.is_open:
                raise DisconnectedError("the caller is gone")
            yield

    def push_event(self, subscription: int, event: dict[str, Any]) -> None:
        """Send an event, or count it as lost if the client is slow."""
        if self._slow:
            self._dropped[subscription] = self._dropped.get(subscription, 0) + 1
        else:
            self._send({"event": event, "subscription": subscription})

    def cancel(self, request_id: int) -> None:
        """Give a request up, if it is one that can be, and is not answered yet. It is not answered then."""
        give_up = self._can_be_cancelled.get(request_id)
        if give_up is not None:
            give_up()

    def push(self, header: dict[str, Any]) -> None:
        """Send something that was not asked for, whether the client reads or not; the sender sees to bounds."""
        self._send(header)

    def close(self) -> None:
        """Close after what was written so far is sent."""
        if self._transport is not None:
            self._transport.close()

    # Frames

    def _work(self) -> None:
        """Carry out requests that have arrived, as long as the client may have more, and not longer than a turn."""
        self._turn_scheduled = False
        deadline = self._loop.time() + TURN_S
        try:
            while self._may_work():
                frame = self._decoder.next_frame()
                if frame is None:
                    break
                self._on_frame(frame[0])
                if self._loop.time() > deadline:
                    self._schedule_work()
                    break
        except ProtocolError as error:
            self._cut_off(error)
        self._update_reading()

    def _may_work(self) -> bool:
        return self.is_open and not self._slow and len(self._tasks) + self._promised < MAX_IN_FLIGHT

    def _schedule_work(self) -> None:
        if not self._turn_scheduled:
            self._turn_scheduled = True
            self._loop.call_soon(self._work)

    def _on_frame(self, header: wire.Header) -> None:
        if not self._greeted:
            self._on_hello(header)
            return
        request_id = header.get("id")
        if not isinstance(request_id, int) or isinstance(request_id, bool) or not 0 <= request_id < _MAX_REQUEST_ID:
            raise ProtocolError("a request has no id, or one that is not a number from 0 to 2^53 - 1")
        try:
            outcome = self._host.handle(self, header.get("call"), header.get("params"))
        except Exception as error:  # noqa: BLE001  whatever it is, it ends this request and nothing else
            self._answer(request_id, header, error)
        else:
            if isinstance(outcome, dict):
                self._answer(request_id, header, outcome)
            elif isinstance(outcome, Promise):
                self._promised += 1
                keep = partial(self._keep_promise, request_id, header)
                if CALLS[str(header["call"])].cancellable:
                    self._can_be_cancelled[request_id] = partial(self._break_promise, request_id, outcome, keep)
                outcome.then(keep)
            else:
                task = self._loop.create_task(self._finish(request_id, header, outcome))
                self._tasks.add(task)
                task.add_done_callback(self._task_done)
                if CALLS[str(header["call"])].cancellable:
                    self._can_be_cancelled[request_id] = task.cancel
                    task.add_done_callback(lambda _task: self._can_be_cancelled.pop(request_id, None))

    def _on_hello(self, header: wire.Header) -> None:
        hello = header.get("hello")
        if not isinstance(hello, dict):
            raise ProtocolError("the first frame must be a hello")
        protocol = hello.get("protocol")
        if not (isinstance(protocol, list) and len(protocol) == 2 and all(type(part) is int for part in protocol)):
            raise ProtocolError("the hello has no `protocol` of the form [major, minor]")
        if protocol[0] != wire.PROTOCOL[0]:
            raise VersionError(
                f"the client speaks protocol {protocol[0]}.{protocol[1]}, "
                f"this server {wire.PROTOCOL[0]}.{wire.PROTOCOL[1]}"
            )
        if self._handshake_timer is not None:
            self._handshake_timer.cancel()
        client = hello.get("client")
        if isinstance(client, str):  # a name, and nothing that a terminal would act on
            self.client = "".join(filter(str.isprintable, client))[:_LONGEST_NAME] or None
        self._greeted = True
        self._send({"hello": self._host.greet()})

    async def _finish(self, request_id: int, header: wire.Header, outcome: Awaitable[Result]) -> None:
        try:
            result: Result | Exception = await outcome
        except Exception as error:  # noqa: BLE001
            result = error
        self._answer(request_id, header, result)

    def _task_done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._go_on()

    def _keep_promise(self, request_id: int, header: wire.Header, result: Result | Exception) -> None:
        self._promised -= 1
        self._can_be_cancelled.pop(request_id, None)
        self._answer(request_id, header, result)
        self._go_on()

    def _break_promise(self, request_id: int, outcome: Promise, keep: Listener) -> None:
        outcome.forget(keep)
        self._promised -= 1
        del self._can_be_cancelled[request_id]
        outcome.set(DisconnectedError("the caller has given it up"))  # whoever else had to do with it hears that
        self._go_on()

    def _go_on(self) -> None:
        """Take up work again that waited for a request to be answered."""
        if len(self._tasks) + self._promised == MAX_IN_FLIGHT - 1:
            self._schedule_work()

    def _answer(self, request_id: int, header: wire.Header, result: Result | Exception) -> None:
        try:
            if isinstance(result, Exception):
                raise result
            self._reply(request_id, result)
        except PhuxError as error:
            self._reply_error(request_id, error)
        except Exception:  # noqa: BLE001  a bug of ours
            _log.exception("the call %r failed", header.get("call"))
            self._reply_error(request_id, InternalError(f"the server failed at the call {header.get('call')!r}"))

    def _reply(self, request_id: int, result: Result) -> None:
        frame = wire.encode({"id": request_id, "ok": result})
        if len(frame) > wire.MAX_REPLY_HEADER:
            self._reply_error(
                request_id,
                LimitError(f"the answer has {len(frame)} bytes, and {wire.MAX_REPLY_HEADER} fit into a frame"),
            )
        else:
            self._write(frame)

    def _reply_error(self, request_id: int, error: PhuxError) -> None:
        self._send({"id": request_id, "error": _error(error)})

    def _send(self, header: dict[str, Any]) -> None:
        self._write(wire.encode(header))

    def _write(self, frame: bytes) -> None:
        if self._transport is None:
            return
        if self._transport.get_write_buffer_size() > MOST_UNSENT:
            _log.warning("a client was dropped: it left %d MiB of replies unread", MOST_UNSENT // 2**20)
            self._transport.abort()
        else:
            self._transport.write(frame)

    def _cut_off(self, error: ProtocolError) -> None:
        self._send({"error": _error(error)})
        self.close()
        if self._transport is not None:
            self._last_words_timer = self._loop.call_later(LAST_WORDS_S, self._transport.abort)

    def _handshake_overdue(self) -> None:
        self._cut_off(ProtocolError(f"no hello came within {HANDSHAKE_S:.0f} s"))

    def _update_reading(self) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        # While frames wait for their turn, more of them would only pile up.
        if self._may_work() and not self._turn_scheduled:
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()


def _error(error: PhuxError) -> dict[str, str]:
    return {"code": error.code, "message": error.message, "remedy": error.remedy}

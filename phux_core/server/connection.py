"""The connected clients: the frames they send, their pending requests, and everything sent to them.

No client can harm another. Frames are bounded, requests are processed in turns, and a client that violates the protocol
gets an error and is disconnected. A client that does not read costs a bounded amount of memory: it loses events, and is
dropped eventually.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from phux_core import wire
from phux_core.calls import CALLS
from phux_core.compact_json import to_bytes
from phux_core.errors import (
    DisconnectedError,
    InternalError,
    LimitError,
    PhuxError,
    ProtocolError,
    VersionError,
)
from phux_core.peer import peer_uid
from phux_core.server import admission
from phux_core.server.sync import Promise
from phux_core.system_limits import limit_error
from phux_core.version import __version__

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

HANDSHAKE_S = 10.0
"""How long a client may take to say hello."""
TURN_S = 0.002
"""How long one client's requests are processed before others get their turn."""
ERROR_S = 5.0
"""How long a disconnected client may take to read the error."""
HIGH_WATER = 1024 * 1024
"""Unsent bytes above which a client is considered slow."""
MOST_UNSENT = wire.MAX_REPLY_HEADER + 64 * 1024 * 1024
"""Unsent bytes at which a client is dropped: the largest possible reply, and room for frames sent meanwhile."""
MAX_REQUESTS = 256
"""Pending requests of one client at which the server stops reading from it."""
MOST_LARGE_REPLIES = 2
"""Maximum number of large replies prepared at the same time for one client."""
_ACCEPT_AGAIN_S = 1.0

_MAX_REQUEST_ID = 2**53
_LONGEST_NAME = 100
# The receive buffer of all connections: each consumes its data at once.
_RECEIVED = bytearray(wire.RECEIVE_SIZE)
_log = logging.getLogger("phux.connection")

Result = dict[str, Any]
if TYPE_CHECKING:
    Answer = Result | Awaitable[Result] | Promise
    """The return value of a call: its result, or an awaitable or promise of it."""


class Connection(asyncio.BufferedProtocol):
    """One connected client.

    Attributes:
        client: The name from its hello, or None.
    """

    _transport: asyncio.Transport
    _timer: asyncio.TimerHandle  # until the hello, and after a violation of the protocol

    def __init__(self, clients: Clients) -> None:
        self.client: str | None = None
        self._clients, self._loop = clients, clients.loop
        self._decoder = wire.Decoder(max_header=wire.MAX_REQUEST_HEADER, max_payload=wire.MAX_REQUEST_PAYLOAD)
        self._frames: deque[wire.Header | ProtocolError] = deque()  # received, not yet processed
        self._requests: dict[int, wire.Header] = {}  # those among the frames, by their ids
        self._greeted = False
        self._turn_scheduled = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._can_be_cancelled: dict[int, asyncio.Task[None] | Promise] = {}
        self._reads = asyncio.Event()  # set unless the client is slow, and once it has disconnected
        self._reads.set()
        self._large_replies = asyncio.Semaphore(MOST_LARGE_REPLIES)
        self._dropped: dict[int, int] = {}

    @property
    def is_open(self) -> bool:
        return not self._transport.is_closing()

    @property
    def is_slow(self) -> bool:
        """Whether the client does not read its frames."""
        return not self._reads.is_set()

    # Called by asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=HIGH_WATER)
        self._timer = self._loop.call_later(HANDSHAKE_S, self._handshake_overdue)
        self._clients.connected(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """Cancel requests that only wait; the others are completed, so that nothing is left half done."""
        self._timer.cancel()
        for request_id in [*self._can_be_cancelled]:
            self.cancel(request_id)
        self._reads.set()
        self._clients.disconnected(self)

    def get_buffer(self, sizehint: int) -> bytearray:  # noqa: ARG002
        return _RECEIVED

    def buffer_updated(self, nbytes: int) -> None:
        self._decoder.push(memoryview(_RECEIVED)[:nbytes])
        try:
            while (frame := self._decoder.next_frame()) is not None:
                self._receive(frame[0])
        except ProtocolError as error:
            self._frames.append(error)
        if not self._turn_scheduled:
            self._work()

    def pause_writing(self) -> None:
        """Stop sending events to a client that does not read, and stop reading from it."""
        self._reads.clear()
        self._update_reading()

    def resume_writing(self) -> None:
        """Resume, and report how many events were lost."""
        self._reads.set()
        dropped, self._dropped = self._dropped, {}
        for subscription, count in dropped.items():
            self.push_event(subscription, {"event": "dropped", "count": count})
        self._clients.on_resume(self)
        self._schedule_work()

    # Requests

    def _work(self) -> None:
        """Process requests until none is left, the client has too many pending, or its turn ends."""
        self._turn_scheduled = False
        deadline = self._loop.time() + TURN_S
        try:
            while self._may_request and self._frames:
                frame = self._frames.popleft()
                if isinstance(frame, ProtocolError):
                    raise frame
                self._on_frame(frame)
                if self._loop.time() > deadline:
                    self._schedule_work()
                    break
            if not self._frames:
                self._requests.clear()
        except ProtocolError as error:
            self._cut_off(error)
        self._update_reading()

    def _receive(self, header: wire.Header) -> None:
        """Queue a frame; a request that a frame after it cancels is dropped, such as one sent to a frozen service."""
        params = header.get("params")
        cancelled = params.get("request") if header.get("call") == "cancel" and isinstance(params, dict) else None
        if isinstance(cancelled, int) and (unwanted := self._requests.pop(cancelled, None)) is not None:
            unwanted["is_unwanted"] = True
        if isinstance(number := header.get("id"), int):
            self._requests[number] = header
        self._frames.append(header)

    @property
    def _may_request(self) -> bool:
        return self.is_open and not self.is_slow and len(self._tasks) < MAX_REQUESTS

    def _schedule_work(self) -> None:
        if not self._turn_scheduled:
            self._turn_scheduled = True
            self._loop.call_soon(self._work)

    def _on_frame(self, header: wire.Header) -> None:
        if not self._greeted:
            self._on_hello(header)
            return
        request_id, call = header.get("id"), header.get("call")
        if not isinstance(request_id, int) or isinstance(request_id, bool) or not 0 <= request_id < _MAX_REQUEST_ID:
            raise ProtocolError("a request has no id, or one that is not a number from 0 to 2^53 - 1")
        if "is_unwanted" in header:
            return
        try:
            answer = self._clients.execute(self, call, header.get("params"), header.get("key"))
        except Exception as error:  # noqa: BLE001  an error ends only this request
            self._reply(request_id, call, error)
            return
        if isinstance(answer, dict):
            self._reply(request_id, call, answer)
            return
        if isinstance(answer, Promise):
            self._can_be_cancelled[request_id] = answer
            answer.then(partial(self._keep_promise, request_id, str(call)))
            return
        task = self._loop.create_task(self._finish(request_id, str(call), answer))
        self._tasks.add(task)
        if CALLS[str(call)].cancellable:
            self._can_be_cancelled[request_id] = task
        task.add_done_callback(partial(self._task_done, request_id))

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
        self._timer.cancel()
        client = hello.get("client")
        if isinstance(client, str):  # a name without control characters
            self.client = "".join(filter(str.isprintable, client))[:_LONGEST_NAME] or None
        self._greeted = True
        self.push(
            {"hello": {"protocol": list(wire.PROTOCOL), "server": f"phux/{__version__}", "capabilities": ["events"]}}
        )

    def _cut_off(self, error: ProtocolError) -> None:
        self.push({"error": error_document(error)})
        self.close()
        self._timer.cancel()
        self._timer = self._loop.call_later(ERROR_S, self._transport.abort)

    def _handshake_overdue(self) -> None:
        self._cut_off(ProtocolError(f"no hello came within {HANDSHAKE_S:.0f} s"))

    def _update_reading(self) -> None:
        if not self.is_open:
            return
        # While frames wait for their turn, more of them would only accumulate.
        if self._may_request and not self._turn_scheduled:
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()

    def cancel(self, request_id: int) -> None:
        """Cancel a pending request, if possible. It gets no reply then."""
        pending = self._can_be_cancelled.pop(request_id, None)
        if pending is not None:
            pending.cancel()

    def _keep_promise(self, request_id: int, call: str, result: Result | Exception) -> None:
        if self._can_be_cancelled.pop(request_id, None) is not None:
            self._reply(request_id, call, result)

    async def _finish(self, request_id: int, call: str, answer: Awaitable[Result]) -> None:
        try:
            result: Result | Exception = await answer
        except Exception as error:  # noqa: BLE001
            result = error
        self._reply(request_id, call, result)

    def _task_done(self, request_id: int, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._can_be_cancelled.pop(request_id, None)
        if len(self._tasks) == MAX_REQUESTS - 1:
            self._schedule_work()

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
        self.push_encoded(subscription, to_bytes(event))

    def push_encoded(self, subscription: int, event: bytes) -> None:
        """Send an event that is already JSON, or count it as lost if the client is slow."""
        if self.is_slow:
            self._dropped[subscription] = self._dropped.get(subscription, 0) + 1
        else:
            self._write(wire.frame(b'{"event":%b,"subscription":%d}' % (event, subscription)))

    def push(self, header: dict[str, Any]) -> None:
        """Send a frame, whether the client reads or not; the caller is responsible for limits."""
        self._write(wire.encode(header))

    def _reply(self, request_id: int, call: object, result: Result | Exception) -> None:
        try:
            if isinstance(result, Exception):
                raise result
            frame = wire.encode({"id": request_id, "ok": result})
            if len(frame) > wire.MAX_REPLY_HEADER:
                raise LimitError(f"the answer has {len(frame)} bytes, and {wire.MAX_REPLY_HEADER} fit into a frame")
        except PhuxError as error:
            frame = wire.encode({"id": request_id, "error": error_document(error)})
        except Exception as error:  # noqa: BLE001  a lack of resources, or a bug in phux
            problem: PhuxError | None = limit_error(getattr(error, "errno", None), str(error))
            if problem is None:
                _log.exception("the call %r failed", call)
                problem = InternalError(f"the server failed at the call {call!r}")
            frame = wire.encode({"id": request_id, "error": error_document(problem)})
        self._write(frame)

    def close(self) -> None:
        """Close after everything written so far is sent."""
        self._transport.close()

    def _write(self, frame: bytes) -> None:
        if not self.is_open:
            return
        if self._transport.get_write_buffer_size() > MOST_UNSENT:
            _log.warning("a client was dropped: it left %d MiB of replies unread", MOST_UNSENT // 2**20)
            self._transport.abort()
        else:
            self._transport.write(frame)


class Clients:
    """The connected clients of a service, and the socket on which they arrive.

    Args:
        dispatch: Executes a call of a client, given its name, its parameters and the request's key.
        on_leave: Called when a client has disconnected.
        on_resume: Called when a client that was slow reads again.

    Attributes:
        connections: The clients.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        dispatch: Callable[[Connection, object, object, object], Answer],
        on_leave: Callable[[Connection], None],
        on_resume: Callable[[Connection], None],
    ) -> None:
        self.loop, self.on_resume = loop, on_resume
        self.connections: set[Connection] = set()
        self._dispatch, self._on_leave = dispatch, on_leave
        self._surplus: set[Connection] = set()
        self._accepting: set[asyncio.Task[object]] = set()
        self._listener: socket.socket | None = None
        self._most = 0  # at the newest connection

    def listen(self, fd: int) -> None:
        """Accept clients on a socket, instead of an earlier one."""
        self.stop_listening()
        self._listener = socket.socket(fileno=fd)
        self._listener.setblocking(False)
        self._accept_again()

    def stop_listening(self) -> None:
        """Accept no more clients: they must find no server, and start one."""
        if self._listener is not None:
            self.loop.remove_reader(self._listener)
            self._listener.close()
            self._listener = None

    def _accept_again(self) -> None:
        if self._listener is not None:
            self.loop.add_reader(self._listener, self._accept, self._listener)

    def _accept(self, listener: socket.socket) -> None:
        try:
            sock, _address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return  # the client has disconnected already
        except OSError as error:
            _log.warning("cannot accept clients: %s", error)
            self.loop.remove_reader(listener)  # out of descriptors, but still readable: retry later
            self.loop.call_later(_ACCEPT_AGAIN_S, self._accept_again)
            return
        self.admit(sock)

    def admit(self, sock: socket.socket) -> None:
        """Serve a new connection."""
        sock.setblocking(False)
        if peer_uid(sock) != os.getuid():
            sock.close()
            return
        others = len(self.connections) + len(self._accepting)
        self._most = admission.most_clients(others, sock.fileno())
        if others >= self._most + admission.RESERVED:
            with contextlib.suppress(OSError):
                sock.send(wire.encode({"error": error_document(admission.too_many_clients(self._most))}))
            sock.close()
            return
        task = self.loop.create_task(self.loop.connect_accepted_socket(partial(Connection, self), sock))
        self._accepting.add(task)
        task.add_done_callback(self._accepting.discard)

    def connected(self, connection: Connection) -> None:
        if self._listener is None:
            connection.close()
        if len(self.connections) >= self._most:
            self._surplus.add(connection)
        self.connections.add(connection)

    def disconnected(self, connection: Connection) -> None:
        self.connections.discard(connection)
        self._surplus.discard(connection)
        self._on_leave(connection)

    def execute(self, connection: Connection, call: object, params: object, key: object) -> Answer:
        is_surplus = connection in self._surplus and len(self.connections) > self._most
        if is_surplus and call not in admission.RESERVED_FOR:
            raise admission.too_many_clients(self._most)
        return self._dispatch(connection, call, params, key)


def error_document(error: PhuxError) -> dict[str, object]:
    """Return the ``error`` field of a frame."""
    executed = {} if error.executed is None else {"executed": error.executed}
    return {"code": error.code, "message": error.message, "remedy": error.remedy, **executed}

"""The reading side of a connection: handshake, frames, and requests passed to the service.

No client can harm another: frames are bounded, requests are processed in turns, and a client that violates the protocol
gets an error and is disconnected.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from phux_core import calls, wire
from phux_core.errors import ProtocolError, VersionError
from phux_core.server.api import attach_calls, event_calls, log_calls, new_calls, pane_calls, process_calls, tree_calls
from phux_core.server.api.handlers import HANDLERS
from phux_core.server.connection import Connection, error_document
from phux_core.version import __version__

if TYPE_CHECKING:
    from phux_core.server.connection import Answer
    from phux_core.server.service import Service

TOPICS = (attach_calls, event_calls, log_calls, new_calls, pane_calls, process_calls, tree_calls)
"""The modules with handlers; importing them registers the handlers."""

if missing := calls.CALLS.keys() - HANDLERS.keys():
    raise TypeError(f"these calls have no handler: {', '.join(sorted(missing))}")

HANDSHAKE_S = 10.0
"""How long a client may take to say hello."""
TURN_S = 0.002
"""How long one client's requests are processed before others get their turn."""
LAST_WORDS_S = 5.0
"""How long a disconnected client may take to read the error."""

_MAX_REQUEST_ID = 2**53
_LONGEST_NAME = 100


class Reader(asyncio.BufferedProtocol):
    """Reads the frames of one client."""

    connection: Connection
    _transport: asyncio.Transport
    _timer: asyncio.TimerHandle  # until the hello, and after a violation of the protocol

    def __init__(self, service: Service) -> None:
        self._service = service
        self._loop = service.loop
        self._decoder = wire.Decoder(max_header=wire.MAX_REQUEST_HEADER, max_payload=wire.MAX_REQUEST_PAYLOAD)
        self._greeted = False
        self._turn_scheduled = False

    # Called by asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self.connection = Connection(self._transport, self._loop, self._schedule_work)
        self._timer = self._loop.call_later(HANDSHAKE_S, self._handshake_overdue)
        self._service.connected(self.connection)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._timer.cancel()
        self.connection.lost()
        self._service.disconnected(self.connection)

    def get_buffer(self, sizehint: int) -> bytearray:  # noqa: ARG002
        """Return the receive buffer, shared by all connections because data is consumed at once."""
        return self._service.room

    def buffer_updated(self, nbytes: int) -> None:
        self._decoder.push(memoryview(self._service.room)[:nbytes])
        if not self._turn_scheduled:
            self._work()

    def pause_writing(self) -> None:
        """Stop reading from a client that does not read its replies."""
        self.connection.pause()
        self._update_reading()

    def resume_writing(self) -> None:
        self.connection.resume()
        self._service.resumed(self.connection)
        self._schedule_work()

    # Frames

    def _work(self) -> None:
        """Process requests until none is left, the client has too many pending, or its turn ends."""
        self._turn_scheduled = False
        deadline = self._loop.time() + TURN_S
        try:
            while self.connection.may_request:
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
        try:
            answer = dispatch(self._service, self.connection, call, header.get("params"))
        except Exception as error:  # noqa: BLE001  an error ends only this request
            self.connection.reply(request_id, call, error)
            return
        if isinstance(answer, dict):
            self.connection.reply(request_id, call, answer)
        else:
            self.connection.reply_later(request_id, str(call), answer)

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
            self.connection.client = "".join(filter(str.isprintable, client))[:_LONGEST_NAME] or None
        self._greeted = True
        self.connection.push(
            {"hello": {"protocol": list(wire.PROTOCOL), "server": f"phux/{__version__}", "capabilities": ["events"]}}
        )

    def _cut_off(self, error: ProtocolError) -> None:
        self.connection.push({"error": error_document(error)})
        self.connection.close()
        self._timer.cancel()
        self._timer = self._loop.call_later(LAST_WORDS_S, self._transport.abort)

    def _handshake_overdue(self) -> None:
        self._cut_off(ProtocolError(f"no hello came within {HANDSHAKE_S:.0f} s"))

    def _update_reading(self) -> None:
        if not self.connection.is_open:
            return
        # While frames wait for their turn, more of them would only accumulate.
        if self.connection.may_request and not self._turn_scheduled:
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()


def dispatch(service: Service, connection: Connection, name: object, params: object) -> Answer:
    """Check a call against the registry, and execute it, immediately or asynchronously."""
    service.turns.note_activity()
    call, values = calls.check(name, params)
    service.attachments.check_allowed(connection, call.name)
    for param, default in call.defaults.items():
        if values[param] is None:
            values[param] = default
    return HANDLERS[call.name](service, connection, values)

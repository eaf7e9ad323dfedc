"""One async connection: many requests at once, events beside them, under asyncio and trio.

Knows frames and deadlines; knows no verb. When the connection breaks it is made anew by the next request, and a
request that only reads is asked again: a service that died is back at once.
"""

from __future__ import annotations

import select
from typing import TYPE_CHECKING

import anyio
import anyio.abc

from phux_client.event_buffer import EventBuffer
from phux_client.greeting import check_greeting, check_socket, encode_request, hello, no_server, timed_out
from phux_core import errors, wire
from phux_core.calls import CALLS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from phux_client.flows._kinds import Document

_RETRY_S = 0.01
_LAST_WORD_S = 1.0
# Linux tells a half-closed stream as POLLRDHUP; elsewhere POLLHUP, which is always reported, has to do.
_HUNG_UP = getattr(select, "POLLRDHUP", 0)


class _Pending:
    __slots__ = ("arrived", "frame")

    def __init__(self) -> None:
        self.arrived = anyio.Event()
        self.frame: Document | None = None


class _Connection:
    """One life of the connection."""

    def __init__(self, stream: anyio.abc.SocketStream) -> None:
        self.stream = stream
        self.open = True
        self.pending: dict[int, _Pending] = {}
        self.events: dict[int, EventBuffer] = {}
        self.ending: dict[int, int] = {}  # by request, the subscription that ends with its reply
        self.abandoned: set[int] = set()  # requests to subscribe that were given up
        self.event_arrived = anyio.Event()
        self.failure: errors.PhuxError = errors.DisconnectedError("the server closed the connection")
        self._send_lock = anyio.Lock()
        self._hang_up = select.poll()
        self._hang_up.register(stream.extra(anyio.abc.SocketAttribute.raw_socket).fileno(), _HUNG_UP)

    def is_usable(self) -> bool:
        """Tell whether the server still holds its end, also before the reader has found out."""
        return self.open and not self._hang_up.poll(0)

    async def send(self, frame: bytes) -> None:
        """Send a whole frame."""
        async with self._send_lock:
            try:
                await self.stream.send(frame)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
                pass  # the reader finds out, and knows what the server said last
            except BaseException:
                # Cancelled in the middle of a frame: what follows would not be understood any more.
                self.open = False
                await anyio.aclose_forcefully(self.stream)
                raise

    async def read(self) -> None:
        """Take what arrives to whom it belongs, until the connection ends."""
        decoder = wire.Decoder(max_header=wire.MAX_REPLY_HEADER, max_payload=wire.MAX_REPLY_PAYLOAD)
        greeted = False
        try:
            while True:
                data = await self.stream.receive(wire.RECEIVE_SIZE)
                for frame, _payload in decoder.feed(data):
                    if not greeted and "error" not in frame:
                        check_greeting(frame)
                        greeted = True
                    else:
                        self._on_frame(frame)
                        await self._end_abandoned(frame)
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            pass
        except errors.PhuxError as error:
            self.failure = error
        finally:
            self.open = False
            for pending in self.pending.values():
                pending.arrived.set()
            self.event_arrived.set()
            with anyio.CancelScope(shield=True):
                await anyio.aclose_forcefully(self.stream)

    async def _end_abandoned(self, frame: Document) -> None:
        """End a subscription that came when nobody wanted it any more."""
        if frame.get("id") in self.abandoned:
            self.abandoned.discard(frame["id"])
            if "ok" in frame:
                await self.send(
                    encode_request(frame["id"], "unsubscribe", {"subscription": frame["ok"]["subscription"]})
                )

    def _on_frame(self, frame: Document) -> None:
        if "event" in frame:
            self.events.setdefault(frame["subscription"], EventBuffer()).put(frame["event"])
            self.event_arrived.set()
            self.event_arrived = anyio.Event()
        elif "id" in frame:
            self.events.pop(self.ending.pop(frame["id"], -1), None)
            pending = self.pending.get(frame["id"])
            if pending is not None:  # else its caller was cancelled
                pending.frame = frame
                pending.arrived.set()
        elif "error" in frame:
            raise errors.from_wire(frame["error"])


class Link:
    """The way to a server.

    Args:
        path: The socket.
        tasks: Where the reader runs; its owner cancels it at the end.
        timeout_s: How long one request may take, connecting and handshake included.
        client: What the program calls itself.
    """

    def __init__(self, path: str, tasks: anyio.abc.TaskGroup, timeout_s: float, client: str | None = None) -> None:
        self.path = path
        self._hello = hello(client)
        self._tasks = tasks
        self._timeout_s = timeout_s
        self._connection: _Connection | None = None
        self._connecting = anyio.Lock()
        self._next_id = 1

    async def request(self, call: str, params: Mapping[str, object], *, patience_s: float = 0.0) -> Document:
        """Ask, and wait for the reply, so many seconds longer than usual.

        Raises:
            PhuxError: The server said no, or did not say anything in time.
        """
        try:
            with anyio.fail_after(self._timeout_s + patience_s):
                return await self._request(call, params, attempts=2 if CALLS[call].repeatable else 1)
        except TimeoutError:
            raise timed_out() from None

    async def _request(self, call: str, params: Mapping[str, object], *, attempts: int) -> Document:
        request_id = self._next_id
        self._next_id += 1
        frame_bytes = encode_request(request_id, call, params)
        connection = await self._connected()
        pending = connection.pending[request_id] = _Pending()
        try:
            await connection.send(frame_bytes)
            if connection.open or pending.frame is None:
                await pending.arrived.wait()
        except anyio.get_cancelled_exc_class():
            if CALLS[call].cancellable:
                await self._give_up(connection, call, request_id, pending.frame)
            raise
        finally:
            del connection.pending[request_id]
        frame = pending.frame
        if frame is None:
            if attempts > 1 and isinstance(connection.failure, errors.DisconnectedError):
                return await self._request(call, params, attempts=attempts - 1)
            raise connection.failure
        if "error" in frame:
            raise errors.from_wire(frame["error"])
        reply: Document = frame["ok"]
        if call == "subscribe":
            connection.events.setdefault(reply["subscription"], EventBuffer())
        return reply

    async def _give_up(self, connection: _Connection, call: str, request_id: int, reply: Document | None) -> None:
        """Tell the server that nobody waits for an answer any more; even while being cancelled."""
        last_word = ("cancel", {"request": request_id})
        if call == "subscribe":
            if reply is None:
                connection.abandoned.add(request_id)  # the reply may be on its way
            elif "ok" in reply:
                # It came in the very moment in which it was given up.
                last_word = ("unsubscribe", {"subscription": reply["ok"]["subscription"]})
        number = self._next_id
        self._next_id += 1
        if connection.open:
            with anyio.move_on_after(_LAST_WORD_S, shield=True):
                await connection.send(encode_request(number, *last_word))

    async def next_event(self, subscription: int, timeout_s: float | None) -> Document | None:
        """Wait for an event of one subscription.

        Returns:
            The event; None when the time is over.

        Raises:
            DisconnectedError: The connection broke, and the subscription with it.
        """
        connection = self._connection
        events = None if connection is None else connection.events.get(subscription)
        if connection is None or events is None:
            raise errors.DisconnectedError("the connection that had the subscription is gone")
        with anyio.move_on_after(timeout_s):
            while not events:
                if not connection.open or connection is not self._connection:
                    raise connection.failure
                await connection.event_arrived.wait()
        return events.take() if events else None

    async def unsubscribe(self, subscription: int) -> None:
        """End a subscription, if the connection that had it is still there; even while being cancelled."""
        connection = self._connection
        if connection is None or not connection.open or subscription not in connection.events:
            return
        request_id = self._next_id
        self._next_id += 1
        connection.ending[request_id] = subscription
        with anyio.move_on_after(_LAST_WORD_S, shield=True):
            # The reply is not waited for: it says nothing but that no more events will come.
            await connection.send(encode_request(request_id, "unsubscribe", {"subscription": subscription}))

    async def wait_closed(self) -> None:
        """Wait until the server has closed the connection, as long as a request may take."""
        with anyio.move_on_after(self._timeout_s):
            while self._connection is not None and self._connection.open:
                await self._connection.event_arrived.wait()

    async def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            await anyio.aclose_forcefully(self._connection.stream)

    async def _connected(self) -> _Connection:
        if self._connection is not None and self._connection.is_usable():
            return self._connection
        async with self._connecting:
            if self._connection is not None and self._connection.is_usable():
                return self._connection
            connection = _Connection(await self._open_stream())
            try:
                await connection.send(self._hello)
            except BaseException:  # cancelled before anybody owns the stream
                await anyio.aclose_forcefully(connection.stream)
                raise
            self._tasks.start_soon(connection.read)
            self._connection = connection
            return connection

    async def _open_stream(self) -> anyio.abc.SocketStream:
        check_socket(self.path)
        while True:
            try:
                return await anyio.connect_unix(self.path)
            except (FileNotFoundError, ConnectionRefusedError):
                raise no_server(self.path) from None
            except BlockingIOError:
                # The queue of connections is full: many clients at once, or a service just being started.
                await anyio.sleep(_RETRY_S)
            except OSError as error:
                raise errors.TransportError(f"{self.path} cannot be connected to: {error.strerror}") from error

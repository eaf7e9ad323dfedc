"""The async client's way to a server: any number of tasks share one connection, under asyncio and trio.

There is no background task. Whichever task waits for a reply or an event reads the socket for all of them, and hands
that role on when it is done. So the client puts no task group and no cancel scope around its user's code: it can be
opened in one task and closed in another.
"""

from __future__ import annotations

import contextlib
import socket as socket_module
from typing import TYPE_CHECKING

import anyio

from phux_client.connection import Attempts, ClientConnection
from phux_client.unix_socket import is_hung_up, receive_now, send_now, try_connect
from phux_core import errors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from phux_client.connection import Key
    from phux_client.flows._kinds import Document, Request

_RETRY_S = 0.01


class _Stream:
    """One connected socket and its protocol state."""

    def __init__(self, sock: socket_module.socket, client: str | None) -> None:
        self.protocol = ClientConnection(client)
        self._sock = sock
        self._is_reading = False
        self._is_writing = False
        self._waiting: dict[Key, list[anyio.Event]] = {}

    @property
    def is_usable(self) -> bool:
        """Whether the server still holds its end, even if nobody has read so yet."""
        return self.protocol.failure is None and not is_hung_up(self._sock)

    @property
    def is_busy(self) -> bool:
        """Whether a task reads or writes."""
        return self._is_reading or self._is_writing

    def send_now(self) -> None:
        """Send what the kernel takes at once."""
        send_now(self._sock, self.protocol)

    async def wait_for(self, key: Key, is_here: Callable[[], bool]) -> None:
        """Wait until something has arrived or the connection has ended; read if no other task does."""
        await self._send_all()
        while not is_here() and self.protocol.failure is None:
            if self._is_reading:
                await self._wait_for_reader(key)
            else:
                await self._read_until(is_here)

    async def _send_all(self) -> None:
        self.send_now()
        if not self.protocol.outgoing or self._is_writing:
            return
        self._is_writing = True
        try:
            # Read meanwhile: a server whose replies to us are not read does not read from us either.
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._read_meanwhile)
                while self.protocol.outgoing and self.protocol.failure is None:
                    await anyio.wait_writable(self._sock)
                    self.send_now()
                tasks.cancel_scope.cancel()
        except BaseException:
            # Other tasks rely on this one to send their frames as well.
            self.lose(errors.DisconnectedError("a call was cancelled while its request was being sent"))
            raise
        finally:
            self._is_writing = False
            self._close_if_over()

    async def _read_meanwhile(self) -> None:
        if not self._is_reading:
            await self._read_until(lambda: False)

    async def _wait_for_reader(self, key: Key) -> None:
        event = anyio.Event()
        self._waiting.setdefault(key, []).append(event)
        try:
            await event.wait()
        finally:
            self._waiting[key].remove(event)
            if not self._waiting[key]:
                del self._waiting[key]
            if not self._is_reading:
                self._hand_on()

    async def _read_until(self, is_here: Callable[[], bool]) -> None:
        self._is_reading = True
        try:
            while not is_here() and self.protocol.failure is None:
                await anyio.wait_readable(self._sock)
                self._receive()
        finally:
            self._is_reading = False
            self._hand_on()
            self._close_if_over()

    def _receive(self) -> None:
        for arrival in receive_now(self._sock, self.protocol):
            if arrival[0] != "push":
                for event in self._waiting.get(arrival, ()):
                    event.set()
        self.send_now()  # the end of subscriptions that nobody wants
        if self.protocol.failure is not None:
            self._wake_all()

    def _hand_on(self) -> None:
        """Wake one waiting task, which reads from now on."""
        for events in self._waiting.values():
            events[0].set()
            return

    def _wake_all(self) -> None:
        for events in self._waiting.values():
            for event in events:
                event.set()

    def lose(self, failure: errors.PhuxError) -> None:
        """End the connection; tasks that wait for something get this error."""
        self.protocol.lose(failure)
        self._wake_all()
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket_module.SHUT_RDWR)  # which wakes a task that reads or writes
        self._close_if_over()

    def _close_if_over(self) -> None:
        if self.protocol.failure is not None and not self.is_busy:
            self._sock.close()


class Link:
    """The way to a server, connected when first needed and again after the service died.

    Args:
        path: The socket.
        timeout_s: How long one request may take, connecting and handshake included.
        client: The name of the program.
    """

    def __init__(self, path: str, timeout_s: float, client: str | None = None) -> None:
        self.path = path
        self._timeout_s = timeout_s
        self._client = client
        self._stream: _Stream | None = None
        self._is_closed = False

    async def request(self, request: Request) -> Document:
        """Send a request and return its reply.

        Raises:
            PhuxError: The reply is an error, there was none in time, or the connection failed.
        """
        timeout_s = request.time_allowed_s(self._timeout_s)
        attempts = Attempts(request.call, request.params, timeout_s)
        try:
            with anyio.fail_after(timeout_s):
                while True:
                    try:
                        return await self._request(request.call, attempts.begin())
                    except errors.PhuxError as error:
                        pause_s = attempts.pause_s(error)
                    await anyio.sleep(pause_s)
        except TimeoutError:
            raise attempts.timed_out() from None

    async def _request(self, call: str, params: Mapping[str, object]) -> Document:
        stream = await self._connected()
        protocol = stream.protocol
        request_id = protocol.request(call, params)
        try:
            await stream.wait_for(("reply", request_id), lambda: protocol.has_reply(request_id))
        except BaseException:
            protocol.abandon(request_id)
            stream.send_now()
            raise
        return protocol.take_reply(request_id)

    async def next_event(self, subscription: int, timeout_s: float | None) -> Document | None:
        """Wait for an event of one subscription.

        Returns:
            The event; None when the timeout expired.

        Raises:
            DisconnectedError: The connection broke, and the subscription with it.
        """
        stream = self._stream
        if stream is None or not stream.protocol.has_subscription(subscription):
            raise errors.DisconnectedError("the connection that had the subscription is gone")
        protocol = stream.protocol
        with anyio.move_on_after(timeout_s):
            await stream.wait_for(("event", subscription), lambda: protocol.has_event(subscription))
        return protocol.take_event(subscription)

    def unsubscribe(self, subscription: int) -> None:
        """End a subscription, if the connection that had it is still there."""
        if self._stream is not None and self._stream.protocol.failure is None:
            self._stream.protocol.unsubscribe(subscription)
            self._stream.send_now()

    async def wait_closed(self) -> None:
        """Wait until the server has closed the connection, as long as a request may take."""
        if self._stream is not None:
            with anyio.move_on_after(self._timeout_s):
                await self._stream.wait_for(("reply", -1), lambda: False)

    def close(self) -> None:
        """Close the connection."""
        self._is_closed = True
        if self._stream is not None:
            self._stream.lose(errors.DisconnectedError("this client was closed"))

    def _leave_stream(self) -> None:
        """Let go of a connection that broke. A task that still reads there takes what is left, and closes it."""
        stream, self._stream = self._stream, None
        if stream is not None and not stream.is_busy:
            stream.lose(errors.DisconnectedError("the server closed the connection"))

    async def _connected(self) -> _Stream:
        while True:
            if self._is_closed:
                raise errors.TransportError("this client was closed", remedy="connect again")
            if self._stream is not None and self._stream.is_usable:
                return self._stream
            self._leave_stream()
            sock = try_connect(self.path)
            if sock is not None:
                self._stream = _Stream(sock, self._client)
                return self._stream
            await anyio.sleep(_RETRY_S)

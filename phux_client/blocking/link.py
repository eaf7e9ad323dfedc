# Generated from phux_client/aio/link.py by tools/generate_blocking.py: change that file, not this one.
"""The blocking client's connection to a server, opened when first needed, and opened again when it breaks."""

from __future__ import annotations

import time

from phux_client.blocking.backend import Slot, Stream, sleep
from phux_client.connection import Attempts
from phux_client.unix_socket import try_connect
from phux_core import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._kinds import Request
    from phux_client.flows._types import Document

_RETRY_S = 0.01


class Link:
    """A connection to a server, which is opened again if it breaks.

    Args:
        timeout_s: The time limit for one request, including connecting and the handshake.
    """

    def __init__(self, path: str, timeout_s: float, client: str | None = None) -> None:
        self.path = path
        self._timeout_s = timeout_s
        self._client = client
        self._slot = Slot()
        self._streams: list[Stream] = []
        self._is_closed = False
        self._was_up = False

    def request(self, request: Request) -> Document:
        """Send a request and return its reply; send it again if the connection breaks and repeating it is safe."""
        attempts = Attempts(request.call, request.params, request.time_allowed_s(self._timeout_s))
        while True:
            try:
                stream = self._connected(attempts.deadline)
            except TimeoutError:
                raise attempts.timed_out() from None
            request_id = self._exchange(stream, request.call, attempts)
            failure = stream.protocol.failure
            if failure is None or stream.protocol.has_reply(request_id):
                self._was_up = True
                return stream.protocol.take_reply(request_id)
            pause_s = attempts.lost(failure, sent=stream.protocol.was_sent(request_id), was_up=self._was_up)
            if time.monotonic() + pause_s > attempts.deadline:
                raise attempts.timed_out()
            sleep(pause_s)

    def _exchange(self, stream: Stream, call: str, attempts: Attempts) -> int:
        """Send a request, and return its number when its reply has arrived or the connection has ended."""
        protocol = stream.protocol
        request_id = protocol.request(call, attempts.begin(), attempts.key)
        try:
            if not stream.wait_for(("reply", request_id), lambda: protocol.has_reply(request_id), attempts.deadline):
                raise attempts.timed_out(sent=protocol.was_sent(request_id))
        except BaseException:  # also a cancellation, and KeyboardInterrupt
            protocol.abandon(request_id)
            stream.send_now()
            raise
        return request_id

    def next_event(self, subscription: int, timeout_s: float | None) -> Document | None:
        """Wait for an event of one subscription; return None when the timeout expires.

        Raises:
            DisconnectedError: The connection broke, and the subscription with it.
        """
        stream = self._slot.stream
        if stream is None or not stream.protocol.has_subscription(subscription):
            raise errors.DisconnectedError("the connection of this subscription is gone")
        protocol = stream.protocol
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        stream.wait_for(("event", subscription), lambda: protocol.has_event(subscription), deadline)
        return protocol.take_event(subscription)

    def unsubscribe(self, subscription: int) -> None:
        """End a subscription, if its connection still exists."""
        stream = self._slot.stream
        if stream is not None and stream.protocol.failure is None:
            stream.protocol.unsubscribe(subscription)
            stream.send_now()

    def wait_closed(self) -> None:
        """Wait until the server closes the connection, for as long as a request may take."""
        stream = self._slot.stream
        if stream is not None:
            stream.wait_for(("reply", -1), lambda: False, time.monotonic() + self._timeout_s)

    def close(self) -> None:
        """Close the connection."""
        self._is_closed = True
        for stream in self._streams:
            stream.lose(errors.DisconnectedError("this client was closed"))

    def _connected(self, deadline: float) -> Stream:
        """Return the connection; connect if there is none, or if it broke. Raise TimeoutError after the deadline."""
        while True:
            if self._is_closed:
                raise errors.TransportError("this client was closed", remedy="connect again")
            stream = self._slot.stream
            if stream is not None and stream.is_usable:
                return stream
            if stream is not None:
                self._slot.stream = None
                self._streams.remove(stream)
                stream.leave()
            sock = try_connect(self.path)
            if sock is not None:
                stream = self._slot.stream = Stream(sock, self._client)
                self._streams.append(stream)
                return stream
            if time.monotonic() > deadline:
                raise TimeoutError
            sleep(_RETRY_S)

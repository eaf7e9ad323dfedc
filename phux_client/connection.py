"""The protocol state of one connection to a server, without I/O.

Received bytes go in through ``receive``; bytes to send come out of ``outgoing``. A connection keeps replies until their
callers take them, and events until their subscribers take them. The async client, the blocking client and attach each
drive a connection over a socket.

Import-light, because the CLI imports this module.
"""

import os
import time

from phux_client.event_buffer import EventBuffer
from phux_core import calls, errors, kinds, wire
from phux_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Literal, TypeAlias

    from phux_client.flows._types import Document
    from phux_client.preamble import Preamble

    Key: TypeAlias = tuple[Literal["reply", "event"], int]
    """The reply to a request, or an event of a subscription."""
    Arrival: TypeAlias = Key | tuple[Literal["push"], Document]
    """A received item; a push is a frame of an attachment (docs/wire.md)."""

DEFAULT_TIMEOUT_S = 30.0
"""The time limit for one request, including connecting and the handshake."""
_LIBRARY = f"phux_client/{__version__}"
"""The client name to send if the program gives none."""
# A request that crashes the service must not be repeated forever.
_MOST_QUICK_LOSSES = 15
_QUICK_S = 1.0
# How long to wait for a service that keeps dying. Ten restarts in a row take less.
_LONGEST_RESTART_S = 7.0
_FIRST_PAUSE_S = 0.01
_LONGEST_PAUSE_S = 0.25
_LONGEST_HOST_PAUSE_S = 5.0


class ClientConnection:
    """One connection, from the first byte to the last.

    Args:
        preamble: What precedes the server's stream. Nothing is sent before it has arrived.

    Attributes:
        failure: Why the connection ended; None while it is usable.
    """

    def __init__(self, client: str | None = None, preamble: "Preamble | None" = None) -> None:
        self.failure: errors.PhuxError | None = None
        self._preamble = preamble
        self._decoder = wire.Decoder(max_header=wire.MAX_REPLY_HEADER, max_payload=wire.MAX_REPLY_PAYLOAD)
        self._greeted = False
        self._server = ""
        self._next_id = 1
        # Request numbers and frames, oldest first; the handshake has number 0. The first frame may be partly sent.
        self._unsent: list[tuple[int, bytes]] = [(0, _hello(_LIBRARY if client is None else client))]
        self._partly_sent = False
        self._calls: dict[int, str] = {}
        self._replies: dict[int, Document] = {}
        self._events: dict[int, EventBuffer] = {}
        self._ending: dict[int, int] = {}  # by request to unsubscribe: its subscription
        self._abandoned: set[int] = set()  # requests to subscribe whose callers were cancelled

    # Sending

    @property
    def outgoing(self) -> bytes:
        """The bytes to send."""
        if self._preamble is not None and self._preamble.word is None:
            return b""
        return b"".join(data for _id, data in self._unsent)

    def sent(self, count: int) -> None:
        """Remove the first ``count`` bytes, which were sent."""
        while count > 0:
            request_id, data = self._unsent[0]
            if count < len(data):
                self._unsent[0] = (request_id, data[count:])
                self._partly_sent = True
                return
            count -= len(data)
            del self._unsent[0]
            self._partly_sent = False

    def never_sent(self) -> set[int]:
        """Return the numbers of unsent requests; a partly sent request is not among them."""
        waiting = self._unsent[1:] if self._partly_sent else self._unsent
        return {request_id for request_id, _data in waiting}

    def was_sent(self, request_id: int) -> bool:
        """Return whether a request was sent completely, so that the server may have received it."""
        return all(request_id != unsent for unsent, _data in self._unsent)

    def request(self, call: str, params: "Mapping[str, object]", key: str | None = None) -> int:
        """Queue a request, and return its number, which ``take_reply`` accepts."""
        request_id = self._queue(call, params, key)
        self._calls[request_id] = call
        return request_id

    def unsubscribe(self, subscription: int) -> None:
        """Queue a request to end a subscription, and drop its events. The caller need not wait for the reply."""
        if self.has_subscription(subscription):
            request_id = self._queue("unsubscribe", {"subscription": subscription})
            self._ending[request_id] = subscription

    def pending(self, call: str) -> list[int]:
        """Return the numbers of the unanswered requests of a call."""
        return [request_id for request_id, name in self._calls.items() if name == call]

    def abandon(self, request_id: int) -> None:
        """Abandon a request whose caller gave up: drop it if it was not sent, or else cancel it if possible."""
        call = self._calls.pop(request_id, None)
        reply = self._replies.pop(request_id, None)
        if call is None or self.failure is not None:
            return
        if request_id in self.never_sent():
            self._unsent = [entry for entry in self._unsent if entry[0] != request_id]
        elif call == "subscribe" and reply is not None:
            self._end_unwanted(reply)
        else:
            if call == "subscribe":
                self._abandoned.add(request_id)
            self._queue("cancel", {"request": request_id})

    def _queue(self, call: str, params: "Mapping[str, object]", key: str | None = None) -> int:
        request_id = self._next_id
        self._unsent.append((request_id, _encode(request_id, call, params, key)))
        self._next_id += 1
        return request_id

    # Receiving

    def receive(self, data: bytes) -> "list[Arrival]":
        """Return the items in received bytes; no bytes mean that the server closed the connection.

        Bytes that break the protocol set ``failure``.
        """
        if not data:
            self.lose(errors.DisconnectedError("the server closed the connection"))
        arrived: list[Arrival] = []
        try:
            if self._preamble is not None:
                data = self._preamble.feed(data)
            for frame, _payload in self._decoder.feed(data):
                arrived += self._take(frame)
        except errors.PhuxError as error:
            self.lose(error)
        except (KeyError, TypeError, AttributeError) as error:
            self.lose(errors.ProtocolError(f"the server sent a malformed frame: {error!r:.80}"))
        return arrived

    def lose(self, failure: errors.PhuxError) -> None:
        """Record that the connection ended, and why."""
        if self.failure is None:
            self.failure = failure

    def _take(self, frame: "Document") -> "Iterator[Arrival]":
        if "error" in frame and "id" not in frame:
            error = errors.from_wire(frame["error"])
            if self._preamble is not None:
                error.message = f"{self._preamble.host}: {error.message}"
                if isinstance(error, errors.NoServerError):  # `phux server` is about this machine
                    error.remedy = f"start one with `phux --host {self._preamble.host} new`"
            raise error
        if not self._greeted:
            self._server = _check_hello(frame)
            self._greeted = True
        elif "event" in frame:
            subscription = _subscription_in(frame)
            if not isinstance(frame["event"], dict):
                raise TypeError(frame["event"])
            # The first events may arrive before the reply that names their subscription.
            self._events.setdefault(subscription, EventBuffer()).put(frame["event"])
            yield "event", subscription
        elif "id" not in frame:
            yield "push", frame
        else:
            yield from self._take_reply(frame["id"], frame)

    def _take_reply(self, request_id: int, frame: "Document") -> "Iterator[Key]":
        if request_id in self._abandoned:
            self._abandoned.discard(request_id)
            self._end_unwanted(frame)
        elif request_id in self._ending:
            self._events.pop(self._ending.pop(request_id), None)
        elif request_id in self._calls:
            if "ok" not in frame and not isinstance(frame["error"], dict):
                raise TypeError(frame["error"])
            if self._calls[request_id] == "subscribe" and "ok" in frame:
                self._events.setdefault(_subscription_in(frame["ok"]), EventBuffer())
            self._replies[request_id] = frame
            yield "reply", request_id

    def _end_unwanted(self, reply: "Document") -> None:
        """End a subscription whose caller was cancelled before the reply arrived."""
        if "ok" in reply:
            subscription = _subscription_in(reply["ok"])
            self._events.setdefault(subscription, EventBuffer())
            self.unsubscribe(subscription)

    # Received items

    def has_reply(self, request_id: int) -> bool:
        """Return whether the reply to a request has arrived."""
        return request_id in self._replies

    def take_reply(self, request_id: int) -> "Document":
        """Remove and return the reply to a request; raise if it is an error, or if the connection ended first."""
        self._calls.pop(request_id, None)
        frame = self._replies.pop(request_id, None)
        if frame is None:
            raise self.failure or errors.DisconnectedError("the reply has not arrived")
        if "error" in frame:
            error = errors.from_wire(frame["error"])
            if self._server and isinstance(error, errors.BadRequestError):
                error.message += f"; {self._server}"
            raise error
        reply: Document = frame["ok"]
        return reply

    def has_subscription(self, subscription: int) -> bool:
        """Return whether a subscription of this connection is active."""
        return subscription in self._events and subscription not in self._ending.values()

    def has_event(self, subscription: int) -> bool:
        """Return whether a subscription has an event to take."""
        return bool(self._events.get(subscription))

    def take_event(self, subscription: int) -> "Document | None":
        """Remove and return the oldest event of a subscription, or None; raise if the connection has ended."""
        if self.has_event(subscription):
            return self._events[subscription].take()
        if self.failure is not None:
            raise self.failure
        return None


def _subscription_in(document: "Document") -> int:
    """Return the subscription that an event or a reply names; raise TypeError if it is none."""
    subscription: int = document["subscription"]
    if not kinds.ID.fits(subscription):
        raise TypeError(subscription)
    return subscription


def _hello(client: str) -> bytes:
    return wire.encode({"hello": {"protocol": list(wire.PROTOCOL), "client": client}})


def _check_hello(frame: "Document") -> str:
    """Check that the server's first frame is a hello with a protocol version that we understand.

    Returns:
        The versions of the server and this client; empty if their protocols are the same.
    """
    hello = frame.get("hello")
    if not isinstance(hello, dict):
        raise errors.ProtocolError("the handshake failed: the server's first frame is not a hello")
    theirs = hello.get("protocol")
    if theirs == list(wire.PROTOCOL):
        return ""
    versions = (
        f"the server is {str(hello.get('server'))[:80]} with protocol {str(theirs)[:40]}, and this client is "
        f"{_LIBRARY} with protocol {list(wire.PROTOCOL)}"
    )
    major, minor = wire.PROTOCOL
    match theirs:
        case [int(their_major), int(their_minor), *_] if their_major == major and abs(their_minor - minor) <= 1:
            return versions
    raise errors.VersionError(versions)


def _encode(request_id: int, call: str, params: "Mapping[str, object]", key: str | None) -> bytes:
    """Check a request as the server would, and return its frame."""
    checked = calls.check(call, dict(params))[1]
    given = {name: value for name, value in checked.items() if value is not None}
    header = {"id": request_id, "call": call, "params": given}
    frame = wire.encode(header if key is None else header | {"key": key})
    if len(frame) > wire.MAX_REQUEST_HEADER:
        raise errors.LimitError(
            f"the request has {len(frame)} bytes, and a frame holds at most {wire.MAX_REQUEST_HEADER}",
            remedy="send the data in several requests",
        )
    return frame


class Attempts:
    """Decide whether, when and with which parameters to send one request again.

    A service that died restarts within moments, and a host that was reached before may be reached again. A request that
    reached no service is always sent again. A request that may have reached a service is sent again if repeating it is
    harmless, or if the server recognizes it by its key. Only connections that break within a second count against the
    limit, so a call survives any number of restarts.

    Args:
        timeout_s: The time limit for all attempts.

    Attributes:
        key: The key of the request; None if its call needs none.
    """

    def __init__(self, call: str, params: "Mapping[str, object]", timeout_s: float) -> None:
        self.key = os.urandom(8).hex() if calls.CALLS[call].keyed else None
        self._repeatable = calls.CALLS[call].repeatable or self.key is not None
        self._params = params
        self._began = self._attempt_began = time.monotonic()
        self.deadline = self._began + timeout_s
        self._quick_losses = 0
        self._was_sent = False
        self._restarting: errors.PhuxError | None = None
        self._restarting_since = 0.0
        self._unreached = 0

    def begin(self) -> "Mapping[str, object]":
        """Return the parameters for the next attempt; a timeout among them is reduced to the remaining time."""
        self._attempt_began = time.monotonic()
        timeout_ms = self._params.get("timeout_ms")
        if not isinstance(timeout_ms, int):
            return self._params
        spent_ms = int((self._attempt_began - self._began) * 1000)
        return {**self._params, "timeout_ms": min(timeout_ms, max(1, timeout_ms - spent_ms))}

    def lost(self, failure: errors.PhuxError, *, sent: bool, was_up: bool = False) -> float:
        """Return how long to wait before the next attempt; raise the failure if the request must not be sent again.

        Args:
            failure: Why the connection ended.
            sent: Whether the service may have received the request.
            was_up: Whether an earlier connection worked, so that a host that cannot be reached may come back.
        """
        if was_up and isinstance(failure, errors.HostError) and failure.is_transient:
            self._report_once(failure)
            self._unreached += 1
            return min(_LONGEST_PAUSE_S * 2.0 ** (self._unreached - 1), _LONGEST_HOST_PAUSE_S)
        if failure.code == "service_restarting":  # the keeper answered: no service received the request
            self._report_once(failure)
            if time.monotonic() - self._restarting_since > _LONGEST_RESTART_S:
                raise self._with_fate(failure)
            return _LONGEST_PAUSE_S
        self._was_sent |= sent
        self._restarting = None  # a service is running again
        if time.monotonic() - self._attempt_began >= _QUICK_S:
            self._quick_losses = 0
        self._quick_losses += 1
        if (
            not isinstance(failure, errors.DisconnectedError)
            or (sent and not self._repeatable)
            or self._quick_losses > _MOST_QUICK_LOSSES
        ):
            raise self._with_fate(failure)
        return min(_FIRST_PAUSE_S * 2.0 ** (self._quick_losses - 1), _LONGEST_PAUSE_S)

    def timed_out(self, *, sent: bool = False) -> errors.PhuxError:
        """Return the error for a request that was not answered by the deadline."""
        self._was_sent |= sent
        return self._with_fate(self._restarting or errors.TimedOutError("the server did not answer in time"))

    def _with_fate(self, failure: errors.PhuxError) -> errors.PhuxError:
        if not self._was_sent:
            failure.executed = False
            if isinstance(failure, errors.DisconnectedError):
                failure.remedy = "repeat the request: it was not executed"
        return failure

    def _report_once(self, failure: errors.PhuxError) -> None:
        if self._restarting is None:
            self._restarting_since = time.monotonic()
            import logging

            # Without a handler, logging prints the warning to stderr, so users see why the call takes long.
            logging.getLogger("phux").warning("phux: %s; waiting for it", failure.message)
        self._restarting = failure

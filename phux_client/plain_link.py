"""One blocking connection: frames in, frames out, against an absolute deadline. Import-light."""

import contextlib
import select
import socket as socket_module
import time

from phux_client.event_buffer import EventBuffer
from phux_client.greeting import check_greeting, check_socket, encode_request, hello, no_server, timed_out
from phux_core import errors, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from phux_client.flows._kinds import Document

_RETRY_S = 0.01
# Linux tells a half-closed stream as POLLRDHUP; elsewhere POLLHUP, which is always reported, has to do.
_HUNG_UP = getattr(select, "POLLRDHUP", 0)


class PlainLink:
    """One connection: frames in, frames out, against an absolute deadline.

    Args:
        path: The socket.
        deadline: When connecting takes too long.
        client: What the program calls itself.
    """

    def __init__(self, path: str, deadline: float, client: str | None = None) -> None:
        self._decoder = wire.Decoder(max_header=wire.MAX_REPLY_HEADER, max_payload=wire.MAX_REPLY_PAYLOAD)
        self._frames: list[Document] = []
        self._events: dict[int, EventBuffer] = {}
        self._ending: dict[object, int] = {}
        self._sock = _open_socket(path, deadline)
        # Sent with the first request, answered with its reply: the handshake costs no round trip of its own.
        self._unsent = hello(client)
        self._greeted = False
        self._next_id = 1

    def request(self, call: str, params: "Mapping[str, object]", deadline: float) -> "Document":
        """Ask, and wait for the reply; events that come first are put aside."""
        request_id = self._next_id
        self._next_id += 1
        self._send(encode_request(request_id, call, params), deadline)
        while True:
            frame = self._next_frame(deadline)
            if "event" in frame:
                self._keep_event(frame)
            elif frame.get("id") == request_id:
                if "error" in frame:
                    raise errors.from_wire(frame["error"])
                reply: Document = frame["ok"]
                if call == "subscribe":
                    self._events.setdefault(reply["subscription"], EventBuffer())
                return reply

    def next_event(self, subscription: int, deadline: float | None) -> "Document | None":
        """Wait for an event of one subscription.

        Returns:
            The event; None when the time is over.
        """
        events = self._events[subscription]
        while not events:
            try:
                frame = self._next_frame(deadline)
            except errors.TimedOutError:
                return None
            if "event" in frame:
                self._keep_event(frame)
        return events.take()

    def has_subscription(self, number: int) -> bool:
        """Tell whether a subscription was made on this connection."""
        return number in self._events

    def unsubscribe(self, number: int, deadline: float) -> None:
        """End a subscription. The reply is not waited for: it says nothing but that no more events will come."""
        request_id = self._next_id
        self._next_id += 1
        self._ending[request_id] = number
        self._send(encode_request(request_id, "unsubscribe", {"subscription": number}), deadline)

    def is_stale(self) -> bool:
        """Tell whether the server has closed this connection while nobody looked, whatever is left to read."""
        poll = select.poll()
        poll.register(self._sock.fileno(), _HUNG_UP)
        return bool(poll.poll(0))

    def wait_closed(self, deadline: float) -> None:
        """Wait until the server has closed the connection."""
        with contextlib.suppress(errors.DisconnectedError):
            while True:
                self._next_frame(deadline)

    def close(self) -> None:
        """Close the connection."""
        self._sock.close()

    def _keep_event(self, frame: "Document") -> None:
        self._events.setdefault(frame["subscription"], EventBuffer()).put(frame["event"])

    def _send(self, data: bytes, deadline: float) -> None:
        data, self._unsent = self._unsent + data, b""
        try:
            self._sock.settimeout(_remaining(deadline))
            self._sock.sendall(data)
        except TimeoutError:
            raise timed_out() from None
        except OSError as error:
            # The server may have said why before it hung up; reading finds out.
            if not isinstance(error, (BrokenPipeError, ConnectionResetError)):
                raise errors.DisconnectedError(f"the connection failed: {error.strerror}") from error

    def _next_frame(self, deadline: float | None) -> "Document":
        while not self._frames:
            try:
                self._sock.settimeout(_remaining(deadline))
                data = self._sock.recv(wire.RECEIVE_SIZE)
            except TimeoutError:
                raise timed_out() from None
            except OSError as error:
                raise errors.DisconnectedError(f"the connection failed: {error.strerror}") from error
            if not data:
                raise errors.DisconnectedError("the server closed the connection")
            self._frames.extend(header for header, _payload in self._decoder.feed(data))
        frame = self._frames.pop(0)
        if "error" in frame and "id" not in frame:
            raise errors.from_wire(frame["error"])
        if not self._greeted:
            check_greeting(frame)
            self._greeted = True
            return self._next_frame(deadline)
        if frame.get("id") in self._ending:
            self._events.pop(self._ending.pop(frame["id"]), None)
        return frame


def _open_socket(path: str, deadline: float) -> socket_module.socket:
    check_socket(path)
    while True:
        sock = socket_module.socket(socket_module.AF_UNIX, socket_module.SOCK_STREAM)
        try:
            sock.settimeout(_remaining(deadline))
            sock.connect(path)
            return sock
        except (FileNotFoundError, ConnectionRefusedError):
            sock.close()
            raise no_server(path) from None
        except BlockingIOError:
            # The queue of connections is full: many clients at once, or a service that is just being started.
            sock.close()
            time.sleep(_RETRY_S)
        except TimeoutError:
            sock.close()
            raise timed_out() from None
        except OSError as error:
            sock.close()
            raise errors.TransportError(f"{path} cannot be connected to: {error.strerror}") from error


def _remaining(deadline: float | None) -> float | None:
    if deadline is None:
        return None
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise TimeoutError
    return remaining

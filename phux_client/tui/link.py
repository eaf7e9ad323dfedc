"""The connection of an attached client: requests with callbacks, and pushed frames.

The connection never blocks: it keeps bytes that it cannot write yet. ``conversation`` reconnects.
"""

from phux_client.connection import ClientConnection
from phux_client.unix_socket import receive_now, send_now, try_connect
from phux_core import errors
from phux_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_client.flows._types import Document

    OnReply = Callable[[Document], None]
    OnError = Callable[[errors.PhuxError], None]

MAX_UNSENT = 4 * 1024 * 1024
"""The most unsent bytes; a server that lets more accumulate is treated as disconnected."""
# In the command ledger, this name distinguishes commands that a person typed from those of programs.
_CLIENT = f"phux-attach/{__version__}"


class Link:
    """One connection to the server, opened by the constructor.

    Args:
        on_push: Called with each frame of an attachment.
        on_event: Called with each event of a subscription.
    """

    def __init__(
        self, path: str, on_push: "Callable[[Document], None]", on_event: "Callable[[Document], None] | None" = None
    ) -> None:
        sock = try_connect(path)
        if sock is None:
            raise errors.TransportError(f"cannot connect to {path}: too many clients are connecting")
        self._sock = sock
        self._protocol = ClientConnection(_CLIENT, sock.preamble)
        self._on_push = on_push
        self._on_event = on_event
        self._callbacks: dict[int, tuple[OnReply | None, OnError | None]] = {}

    def fileno(self) -> int:
        """Return the socket's descriptor, so that ``selectors`` can watch it."""
        return self._sock.fileno()

    @property
    def wants_to_write(self) -> bool:
        """Whether there are bytes to send."""
        return bool(self._protocol.outgoing)

    def ask(
        self, call: str, on_reply: "OnReply | None", on_error: "OnError | None", key: str | None, /, **params: object
    ) -> None:
        """Send a request, with a key if it may be repeated.

        Raises:
            DisconnectedError: The server has stopped reading requests.
            PhuxError: The request is invalid.
        """
        if len(self._protocol.outgoing) > MAX_UNSENT:
            raise errors.DisconnectedError("the server has stopped reading requests")
        number = self._protocol.request(call, {name: value for name, value in params.items() if value is not None}, key)
        self._callbacks[number] = (on_reply, on_error)
        self.write()

    def write(self) -> None:
        """Send as much as possible without blocking."""
        send_now(self._sock, self._protocol)

    def cancel(self, call: str) -> None:
        """Cancel the requests of a call that the service has not begun, and ignore the replies to the others."""
        for number in self._protocol.pending(call):
            del self._callbacks[number]
            self._protocol.abandon(number)
        self.write()

    def read(self) -> bool:
        """Receive available bytes, and call the callbacks; raise the error that ended the connection, if any.

        Returns:
            Whether a reply or a push has arrived.
        """
        arrivals = receive_now(self._sock, self._protocol)
        for arrival in arrivals:
            if arrival[0] == "push":
                self._on_push(arrival[1])
            elif arrival[0] == "reply":
                self._call_back(arrival[1])
            elif self._on_event is not None and (event := self._protocol.take_event(arrival[1])) is not None:
                self._on_event(event)
        if self._protocol.failure is not None:
            raise self._protocol.failure
        return bool(arrivals)

    def _call_back(self, number: int) -> None:
        on_reply, on_error = self._callbacks.pop(number)
        try:
            reply = self._protocol.take_reply(number)
        except errors.PhuxError as error:
            if on_error is not None:
                on_error(error)
        else:
            if on_reply is not None:
                on_reply(reply)

    def close(self) -> None:
        """Close the connection."""
        self._sock.close()

"""The connection of an attached client: requests that are not waited for, and what the server pushes.

Never blocks: what cannot be written now is kept, and replies find the function that was given with the request. It does
not connect again by itself; ``app`` does.
"""

import contextlib
import socket as socket_module

from phux_client.greeting import check_greeting, check_socket, encode_request, hello, no_server
from phux_core import errors, wire
from phux_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_client.flows._kinds import Document

    OnReply = Callable[[Document], None]
    OnError = Callable[[errors.PhuxError], None]

MAX_UNSENT = 4 * 1024 * 1024
"""Bytes that may wait to be sent; a server that takes none for so long is as good as gone."""
# By this name the ledger knows what a person typed from what a program did.
_CLIENT = f"phux-attach/{__version__}"


class Link:
    """One connection, made at once.

    Args:
        path: The server's socket.
        on_push: Called with what comes without having been asked for.

    Raises:
        NoServerError: Nobody listens.
        UnsafePathError: The socket cannot be trusted.
        TransportError: It cannot be connected to now.
    """

    def __init__(self, path: str, on_push: "Callable[[Document], None]") -> None:
        check_socket(path)
        self._sock = socket_module.socket(socket_module.AF_UNIX, socket_module.SOCK_STREAM)
        try:
            self._sock.setblocking(False)
            self._sock.connect(path)
        except (FileNotFoundError, ConnectionRefusedError):
            self._sock.close()
            raise no_server(path) from None
        except OSError as error:  # also BlockingIOError: very many want to connect
            self._sock.close()
            raise errors.TransportError(f"{path} cannot be connected to: {error.strerror}") from error
        self._decoder = wire.Decoder(max_header=wire.MAX_REPLY_HEADER, max_payload=wire.MAX_REPLY_PAYLOAD)
        self._on_push = on_push
        self._unsent = [(0, hello(_CLIENT))]
        self._greeted = False
        self._next_id = 1
        self._waiting: dict[object, tuple[OnReply | None, OnError | None]] = {}

    def fileno(self) -> int:
        """Give the descriptor, for a selector."""
        return self._sock.fileno()

    @property
    def wants_to_write(self) -> bool:
        """Whether something waits to be sent."""
        return bool(self._unsent)

    @property
    def in_flight(self) -> int:
        """How many requests have no reply yet."""
        return len(self._waiting)

    def ask(
        self, call: str, on_reply: "OnReply | None" = None, on_error: "OnError | None" = None, /, **params: object
    ) -> int:
        """Send a request.

        Args:
            call: What to ask.
            on_reply: Called with the reply's document.
            on_error: Called with the error, if that is the reply.
            params: With what; what is None is left out.

        Returns:
            Its number.

        Raises:
            DisconnectedError: The server takes nothing any more.
            PhuxError: The request makes no sense.
        """
        given = {name: value for name, value in params.items() if value is not None}
        number = self._next_id
        frame = encode_request(number, call, given)
        if sum(len(data) for _number, data in self._unsent) + len(frame) > MAX_UNSENT:
            raise errors.DisconnectedError("the server does not take what is sent")
        self._waiting[number] = (on_reply, on_error)
        self._next_id += 1
        self._unsent.append((number, frame))
        self.write()
        return number

    def write(self) -> None:
        """Send what can be sent now."""
        # A connection that broke is noticed when it is read, together with what was said before.
        with contextlib.suppress(OSError):
            while self._unsent:
                number, data = self._unsent[0]
                sent = self._sock.send(data)
                if sent == len(data):
                    del self._unsent[0]
                else:
                    self._unsent[0] = (-number, data[sent:])

    def never_sent(self) -> set[int]:
        """Give the numbers of requests of which not a byte was sent."""
        return {number for number, _data in self._unsent}

    def read(self) -> None:
        """Take what has come, and call whoever waits for it.

        Raises:
            DisconnectedError: The server is gone.
            PhuxError: It said why it goes, or what it says makes no sense.
        """
        try:
            data = self._sock.recv(wire.RECEIVE_SIZE)
        except BlockingIOError:
            return
        except OSError as error:
            raise errors.DisconnectedError(f"the connection failed: {error.strerror}") from error
        if not data:
            raise errors.DisconnectedError("the server closed the connection")
        for frame, _payload in self._decoder.feed(data):
            self._take(frame)

    def _take(self, frame: "Document") -> None:
        if not self._greeted and "error" not in frame:
            check_greeting(frame)
            self._greeted = True
            return
        if "id" not in frame:
            if "error" in frame:
                raise errors.from_wire(frame["error"])
            self._on_push(frame)
            return
        on_reply, on_error = self._waiting.pop(frame["id"], (None, None))
        if "error" in frame:
            if on_error is not None:
                on_error(errors.from_wire(frame["error"]))
        elif on_reply is not None:
            on_reply(frame["ok"])

    def close(self) -> None:
        """Close the connection."""
        self._sock.close()

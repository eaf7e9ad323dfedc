"""The blocking client's connection: one thread, one socket, absolute deadlines. Import-light."""

import select
import time

from phux_client.connection import ClientConnection
from phux_client.unix_socket import connect, is_hung_up, receive_now, send_now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from phux_client.flows._kinds import Document


class BlockingLink:
    """One connection of one thread.

    Args:
        path: The socket.
        deadline: When to give up connecting.
        client: The name of the program.
    """

    def __init__(self, path: str, deadline: float, client: str | None = None) -> None:
        self._sock = connect(path, deadline)
        self.protocol = ClientConnection(client)
        self._poll = select.poll()

    @property
    def is_usable(self) -> bool:
        """Whether the server still holds its end, even if nobody has read so yet."""
        return self.protocol.failure is None and not is_hung_up(self._sock)

    def request(self, call: str, params: "Mapping[str, object]", deadline: float) -> "Document":
        """Send a request and return its reply.

        Raises:
            TimeoutError: There was none in time.
            PhuxError: The reply is an error, or the connection failed.
        """
        protocol = self.protocol
        request_id = protocol.request(call, params)
        try:
            if not self._wait_for(lambda: protocol.has_reply(request_id), deadline):
                raise TimeoutError
        except BaseException:  # KeyboardInterrupt too
            protocol.abandon(request_id)
            send_now(self._sock, self.protocol)
            raise
        return protocol.take_reply(request_id)

    def next_event(self, subscription: int, deadline: float | None) -> "Document | None":
        """Wait for an event of one subscription.

        Returns:
            The event; None when the deadline passed.

        Raises:
            PhuxError: The connection failed.
        """
        protocol = self.protocol
        self._wait_for(lambda: protocol.has_event(subscription), deadline)
        return protocol.take_event(subscription)

    def unsubscribe(self, subscription: int) -> None:
        """End a subscription."""
        self.protocol.unsubscribe(subscription)
        send_now(self._sock, self.protocol)

    def wait_closed(self, deadline: float) -> None:
        """Wait until the server has closed the connection."""
        self._wait_for(lambda: False, deadline)

    def close(self) -> None:
        """Close the connection."""
        self._sock.close()

    def _wait_for(self, is_here: "Callable[[], bool]", deadline: float | None) -> bool:
        """Send and receive until something is here, or the connection has ended.

        Returns:
            False when the deadline passed first.
        """
        protocol = self.protocol
        send_now(self._sock, self.protocol)
        while not is_here() and protocol.failure is None:
            left_ms = None if deadline is None else max(0.0, (deadline - time.monotonic()) * 1000)
            self._poll.register(self._sock, select.POLLIN | (select.POLLOUT if protocol.outgoing else 0))
            if not self._poll.poll(left_ms):
                return False
            send_now(self._sock, self.protocol)
            receive_now(self._sock, protocol)
        return True

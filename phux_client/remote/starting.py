"""Start a server on another machine."""

import time

from phux_client.blocking.backend import Stream
from phux_client.connection import DEFAULT_TIMEOUT_S
from phux_client.remote.stream import LOGIN_S, open_stream
from phux_core import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document


def start_remotely(address: str) -> "Document | None":
    """Start a server at a remote address unless one runs; return its Status document, or None if one was running.

    Raises:
        StartFailedError, HostError: The server did not become ready, or the host cannot be reached.
    """
    sock = open_stream(address, start=True)
    stream = Stream(sock, None)
    try:
        status = stream.protocol.request("status", {})
        deadline = time.monotonic() + LOGIN_S + DEFAULT_TIMEOUT_S
        if not stream.wait_for(("reply", status), lambda: stream.protocol.has_reply(status), deadline):
            raise errors.StartFailedError("the started server does not answer", remedy="look at its log on the host")
        document = stream.protocol.take_reply(status)
        return document if sock.preamble.word == "started" else None
    finally:
        stream.lose(errors.DisconnectedError("this client was closed"))

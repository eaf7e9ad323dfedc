"""The handshake, shared by both clients, and checks before and after it.

Import-light: it is on the CLI's path.
"""

import os
import stat

from phux_core import calls, errors, paths, wire
from phux_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from phux_client.flows._types import Document

LIBRARY = f"phux_client/{__version__}"
"""The default name of a program."""


def hello(client: str | None) -> bytes:
    """Return the client's first frame.

    Args:
        client: The name of the program, such as ``my-tool/1.0``.
    """
    return wire.encode({"hello": {"protocol": list(wire.PROTOCOL), "client": LIBRARY if client is None else client}})


def check_greeting(frame: "Document") -> None:
    """Check the server's hello.

    Raises:
        ProtocolError: It is not a hello.
        VersionError: The server uses another protocol version.
    """
    hello = frame.get("hello")
    if not isinstance(hello, dict):
        raise errors.ProtocolError("the server's first frame is not a hello")
    theirs = hello.get("protocol")
    if not isinstance(theirs, list) or not theirs or theirs[0] != wire.PROTOCOL[0]:
        raise errors.VersionError(f"the server uses protocol {theirs}, this client {list(wire.PROTOCOL)}")


def check_socket(path: str) -> None:
    """Check that the socket's directory is ours and private, before connecting.

    Raises:
        NoServerError: It does not exist.
        UnsafePathError: It cannot be trusted.
    """
    try:
        paths.check_private_directory(path)
    except FileNotFoundError:
        raise no_server(path) from None


def no_server(path: str) -> errors.NoServerError:
    """Return the error for a socket on which no server listens."""
    if os.path.lexists(path) and not stat.S_ISSOCK(os.lstat(path).st_mode):
        return errors.NoServerError(
            f"no server is running on {path}, which is not a socket", remedy="choose another path with --socket"
        )
    return errors.NoServerError(f"no server is running on {path}")


def encode_request(request_id: int, call: str, params: "Mapping[str, object]") -> bytes:
    """Return a request's frame, checked as the server would check it.

    Raises:
        BadRequestError: A parameter is of the wrong type or out of range.
        LimitError: It is larger than a frame may be.
    """
    checked = calls.check(call, dict(params))[1]
    given = {name: value for name, value in checked.items() if value is not None}
    frame = wire.encode({"id": request_id, "call": call, "params": given})
    if len(frame) > wire.MAX_REQUEST_HEADER:
        raise errors.LimitError(
            f"the request has {len(frame)} bytes, and a frame holds at most {wire.MAX_REQUEST_HEADER}",
            remedy="send it in pieces",
        )
    return frame

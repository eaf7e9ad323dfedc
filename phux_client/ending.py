"""End a server whose service does not answer: SIGTERM makes its keeper end everything. Import-light."""

import os
import signal
import socket as socket_module
import struct
import sys
import time

from phux_client import unix_socket
from phux_core import errors

ANSWER_S = 3.0
"""The time limit for the service to end the server itself."""
_END_S = 10.0
_POLL_S = 0.01
# macOS: SOL_LOCAL and LOCAL_PEERPID of <sys/un.h>; Python does not name them.
_SOL_LOCAL = 0
_LOCAL_PEERPID = 2


def end_keeper(path: str) -> None:
    """Send SIGTERM to the keeper that listens on a socket, and wait until it is gone. Do nothing if there is none."""
    deadline = time.monotonic() + _END_S
    try:
        sock = unix_socket.connect(path, deadline)
    except errors.NoServerError:
        return
    except TimeoutError:
        raise errors.TimedOutError(f"cannot connect to {path}, so the server's keeper cannot be found") from None
    with sock:
        pid = _listener_pid(sock)
    if pid <= 0:
        raise errors.TimedOutError(
            "the service does not answer, and the keeper runs in another PID namespace, so it cannot be ended here",
            remedy="run `phux kill --server` where the server was started",
        )
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        pass
    except PermissionError as error:
        raise errors.TransportError(f"cannot end the keeper, process {pid}: {error.strerror}") from error
    while time.monotonic() < deadline:
        try:
            unix_socket.connect(path, deadline).close()
        except errors.NoServerError:
            return
        except TimeoutError:
            break
        time.sleep(_POLL_S)
    raise errors.TimedOutError(f"the keeper, process {pid}, did not end", remedy=f"kill -9 {pid}")


def _listener_pid(sock: socket_module.socket) -> int:
    """Return the id of the process that called listen() for a connection: the keeper."""
    if sys.platform == "linux":
        pid, _uid, _gid = struct.unpack("iII", sock.getsockopt(socket_module.SOL_SOCKET, socket_module.SO_PEERCRED, 12))
    else:
        (pid,) = struct.unpack("i", sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID, 4))
    return int(pid)

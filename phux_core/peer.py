"""Identify the peer of a Unix socket."""

from __future__ import annotations

import socket
import struct
import sys

# macOS: SOL_LOCAL and LOCAL_PEERCRED of <sys/un.h>, missing in Python.
_SOL_LOCAL = 0
_LOCAL_PEERCRED = 1
_XUCRED_SIZE = 76


def peer_uid(sock: socket.socket) -> int | None:
    """Return the user id of the peer; None if the kernel does not report it."""
    try:
        if sys.platform == "linux":
            _pid, uid, _gid = struct.unpack("iII", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        else:
            _version, uid = struct.unpack_from("=II", sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_SIZE))
    except (OSError, struct.error):
        return None
    return int(uid)

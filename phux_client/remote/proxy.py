"""The end of a connection on the host: join stdin and stdout to the server's socket. Import-light."""

import contextlib
import os
import socket as socket_module
import sys
import time
from _thread import start_new_thread

from phux_client import unix_socket
from phux_client.preamble import preamble
from phux_core import errors, wire

_CONNECT_S = 10.0


def serve(path: str, nonce: str, *, start: bool) -> int:
    """Write the preamble, and copy bytes in both directions until one side ends; return the exit code.

    An error is written as the last frame of a server would be, so that every client shows it.
    """
    word = "ok"
    try:
        if start:
            from phux_client.starting import start_server

            word = "ok" if start_server(path) is None else "started"
        sock = unix_socket.connect(path, time.monotonic() + _CONNECT_S)
    except errors.PhuxError as error:
        document = {"code": error.code, "message": error.message, "remedy": error.remedy}
        _write(preamble(nonce, word) + wire.encode({"error": document}))
        return error.exit_code
    except TimeoutError:
        document = {"code": "timed_out", "message": f"cannot connect to {path} within {_CONNECT_S:g} s"}
        _write(preamble(nonce, word) + wire.encode({"error": document}))
        return 1
    with sock, contextlib.suppress(OSError):  # the other machine may close the connection at any time
        sock.setblocking(True)
        _write(preamble(nonce, word))
        # From here on, nobody reads stderr.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
        start_new_thread(_send, (sock,))
        while data := sock.recv(wire.RECEIVE_SIZE):
            _write(data)
    return 0


def _send(sock: socket_module.socket) -> None:
    with contextlib.suppress(OSError):
        while data := os.read(sys.stdin.fileno(), wire.RECEIVE_SIZE):
            sock.sendall(data)
        sock.shutdown(socket_module.SHUT_WR)


def _write(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(sys.stdout.fileno(), view) :]

"""A client that can send valid and invalid frames, and uses only a socket and JSON."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from typing import Any, Self

HELLO = {"hello": {"protocol": [1, 0], "client": "test"}}


def frame(header: Any, payload: bytes = b"") -> bytes:
    """Return one frame; a header of type bytes is used unchanged."""
    body = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(body).to_bytes(4, "big") + len(payload).to_bytes(4, "big") + body + payload


class RawClient:
    """A connection to a server.

    Args:
        path: The server's socket.
        greet: Whether to do the handshake.
        timeout_s: How long to wait for a frame.
    """

    def __init__(self, path: str, *, greet: bool = True, timeout_s: float = 10) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.events: list[dict[str, Any]] = []
        self._buffer = bytearray()
        self._next_id = 0
        try:
            self.sock.connect(path)  # with a timeout, connecting fails while many other clients connect
            self.sock.settimeout(timeout_s)
            if greet:
                self.send(HELLO)
                greeting = self.receive()
                assert greeting is not None
                assert "hello" in greeting
        except BaseException:
            self.sock.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.sock.close()

    def send(self, header: Any, payload: bytes = b"") -> None:
        self.send_bytes(frame(header, payload))

    def send_bytes(self, data: bytes) -> None:
        """Send bytes, even if the server has closed the connection."""
        # The test can still read the error that the server sent before closing the connection.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.sock.sendall(data)

    def receive(self) -> dict[str, Any] | None:
        """Return the next frame's header, or None if the server has closed the connection."""
        while True:
            if len(self._buffer) >= 8:
                header_end = 8 + int.from_bytes(self._buffer[:4], "big")
                end = header_end + int.from_bytes(self._buffer[4:8], "big")
                if len(self._buffer) >= end:
                    header: dict[str, Any] = json.loads(bytes(self._buffer[8:header_end]))
                    del self._buffer[:end]
                    return header
            try:
                data = self.sock.recv(1 << 18)
            except ConnectionResetError:
                data = b""
            if not data:
                assert not self._buffer, f"the last frame is incomplete: {bytes(self._buffer[:80])!r}"
                return None
            self._buffer += data

    def everything(self) -> list[dict[str, Any]]:
        """Return all frames until the server closes the connection."""
        frames = []
        while (received := self.receive()) is not None:
            frames.append(received)
        return frames

    def reply(self, request_id: int) -> dict[str, Any]:
        """Return the reply to a request, and append events to ``events``."""
        while True:
            received = self.receive()
            assert received is not None, "the server closed the connection"
            if "event" in received or "attachment" in received:
                self.events.append(received)
            else:
                assert received.get("id") == request_id, received
                return received

    def ask(self, call: str, *, key: str | None = None, **params: Any) -> dict[str, Any]:
        """Send a request, and return its reply, which may be an error."""
        self._next_id += 1
        keyed = {} if key is None else {"key": key}
        self.send({"id": self._next_id, "call": call, "params": params, **keyed})
        return self.reply(self._next_id)

    def get(self, call: str, **params: Any) -> dict[str, Any]:
        """Send a request that must succeed, and return its result."""
        reply = self.ask(call, **params)
        assert "ok" in reply, reply
        result: dict[str, Any] = reply["ok"]
        return result

    def see(self, pane: int, text: str, *, within_s: float = 10) -> dict[str, Any]:
        """Take snapshots of a pane until one shows the text, and return that one."""
        deadline = time.monotonic() + within_s
        while True:
            screen = self.get("snapshot", pane=pane)
            if any(text in line for line in screen["lines"]):
                return screen
            assert time.monotonic() < deadline, f"{text!r} was not shown: {screen['lines']}"
            time.sleep(0.01)

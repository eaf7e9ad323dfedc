"""The live view in a real browser, and as a raw WebSocket."""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import socket
import subprocess
from typing import TYPE_CHECKING, Any, Self

from websockets.sync.client import ClientConnection, connect

from servers import BIN, clean_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

CHROMIUM = shutil.which("chromium")


class Web:
    """A running ``phux web``.

    Attributes:
        urls: The URL of each level.
        pid: Its process id.
    """

    def __init__(self, phux_socket: str, *flags: str, env: dict[str, str] | None = None) -> None:
        self._process = subprocess.Popen(
            [BIN / "phux", "web", "--json", "--bind", "127.0.0.1:0", "--socket", phux_socket, *flags],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=clean_environment() | (env or {}),
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, self._process.communicate()
        self.urls: dict[str, str] = json.loads(line)
        self.pid = self._process.pid
        self.origin, _hash, self.token = next(iter(self.urls.values())).partition("/#")
        self.host = self.origin.partition("://")[2]

    def close(self, number: int = signal.SIGINT) -> None:
        """End it, and check that it ends normally and has reported no error."""
        self._process.send_signal(number)
        _out, problems = self._process.communicate(timeout=20)
        assert (self._process.returncode, problems) == (0, ""), (self._process.returncode, problems)

    def live(self, token: str | None = None, **more: Any) -> Live:
        """Connect a WebSocket, and send the token."""
        return Live(self, self.token if token is None else token, **more)


@contextlib.contextmanager
def web_server(phux_socket: str, *flags: str, env: dict[str, str] | None = None) -> Iterator[Web]:
    """Run ``phux web`` for as long as the block lasts."""
    web = Web(phux_socket, *flags, env=env)
    try:
        yield web
    finally:
        web.close()


class Live:
    """A WebSocket to ``phux web``, as the page uses it."""

    def __init__(
        self, web: Web, token: str, *, origin: str | None = None, host: str | None = None, **more: Any
    ) -> None:
        chosen: Any = web.origin if origin is None else origin or None
        address, port = web.host.split(":")
        uri = f"ws://{host or web.host}/live"
        self._stack = contextlib.ExitStack()
        sock = self._stack.enter_context(socket.create_connection((address, int(port)), timeout=10))
        opening = connect(uri, sock=sock, origin=chosen, max_size=None, **more)
        self.socket: ClientConnection = self._stack.enter_context(opening)
        self.frames: dict[int, list[dict[str, Any]]] = {}
        self.panes: dict[int, dict[str, Any]] = {}
        self.order: list[int] = []
        self.server: str | None = None
        self.replies: dict[int, dict[str, Any]] = {}
        self.hello: dict[str, Any] = {}
        self._next = 1
        self.send(token=token)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._stack.close()

    def send(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def receive(self, timeout_s: float = 10) -> dict[str, Any]:
        """Receive one message, and remember what it says."""
        message: dict[str, Any] = json.loads(self.socket.recv(timeout=timeout_s))
        if "frame" in message:
            self.frames.setdefault(message["frame"], []).append(message)
        elif "panes" in message:
            self.panes |= {pane["id"]: pane for pane in message["panes"]}
            self.order = message["order"]
        elif "reply" in message:
            self.replies[message["reply"]] = message
        elif "server" in message:
            self.server = message["server"]
        elif "hello" in message:
            self.hello = message["hello"]
        return message

    def until(self, probe: Any) -> Any:
        """Receive messages until the probe returns a true value."""
        while not (found := probe()):
            self.receive()
        return found

    def quiet(self, within_s: float = 0.7) -> None:
        """Receive messages until none arrives for a while."""
        with contextlib.suppress(TimeoutError):
            while True:
                self.receive(within_s)

    def ask(self, what: str, **params: Any) -> dict[str, Any]:
        """Send a request, and return its reply."""
        number = self._next
        self._next += 1
        self.send(ask=number, do=what, **params)
        reply: dict[str, Any] = self.until(lambda: self.replies.pop(number, None))
        return reply

"""The web application: the page, and one WebSocket for each browser."""

from __future__ import annotations

import contextlib
import json
import os
import socket as socket_module
from typing import TYPE_CHECKING

import anyio
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from phux_client.aio import Phux
from phux_client.web.access import HEADERS, Gate, Level, Tokens
from phux_client.web.browser import Browser
from phux_core.version import __version__

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BROWSERS = 16
TOKEN_S = 10.0
"""How long a browser may take to send its token."""
# Why a connection was closed, as numbers that the page knows.
WRONG_TOKEN, TOO_MANY = 4401, 4429
_CLIENT = f"phux-web/{__version__}"
"""The client name in the command ledger."""
_STATIC = os.path.join(os.path.dirname(__file__), "static")


class Live:
    """The web application.

    Args:
        phux_socket: The socket of the phux server.
    """

    def __init__(self, phux_socket: str, tokens: Tokens, gate: Gate) -> None:
        self._phux_socket = phux_socket
        self._tokens = tokens
        self._gate = gate
        self._browsers = 0
        routes = [WebSocketRoute("/live", self._serve), Mount("/", StaticFiles(directory=_STATIC, html=True))]
        self._app: ASGIApp = Starlette(routes=routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, if its Host is ours, with the security headers."""
        host = _header(scope, b"host")
        if scope["type"] == "websocket" and not self._gate.allows_origin(_header(scope, b"origin"), host):
            await WebSocket(scope, receive, send).close()
            return
        app = self._app
        if scope["type"] == "http" and not self._gate.allows_host(host):
            app = PlainTextResponse("this name is not one of this server", status_code=421)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await app(scope, receive, send_with_headers)

    async def _serve(self, opened: WebSocket) -> None:
        websocket = _Texts(opened.scope, opened.receive, opened.send)
        await websocket.accept()
        with contextlib.suppress(WebSocketDisconnect, TimeoutError, OSError, RuntimeError):
            level = await self._authenticate(websocket)
            if level is None:
                await websocket.close(WRONG_TOKEN, "the token is wrong")
            elif self._browsers >= MOST_BROWSERS:
                await websocket.close(TOO_MANY, f"{MOST_BROWSERS} browsers are connected, which is the maximum")
            else:
                self._browsers += 1
                try:
                    await self._serve_browser(websocket, level)
                finally:
                    self._browsers -= 1

    async def _authenticate(self, websocket: WebSocket) -> Level | None:
        """Read the token, which is the first message: unlike a cookie, no other page can send it."""
        with anyio.fail_after(TOKEN_S):
            text = await websocket.receive_text()
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return self._tokens.level(message.get("token") if isinstance(message, dict) else None)

    async def _serve_browser(self, websocket: WebSocket, level: Level) -> None:
        hello = {"version": __version__, "control": level == "control", "host": socket_module.gethostname()}
        await websocket.send_text(json.dumps({"hello": hello | {"socket": self._phux_socket}}))
        async with Phux(self._phux_socket, client=_CLIENT) as phux:
            try:
                await Browser(websocket, phux, level).serve()
            except* (WebSocketDisconnect, TimeoutError, OSError):
                pass  # the browser has gone, or does not read


class _Texts(WebSocket):
    """A WebSocket whose messages are texts; a binary message is read as an empty one."""

    async def receive_text(self) -> str:
        message = await self.receive()
        self._raise_on_disconnect(message)
        return str(message.get("text") or "")


def _header(scope: Scope, name: bytes) -> str | None:
    found = [value for key, value in scope.get("headers", ()) if key == name]
    return found[0].decode("latin-1") if len(found) == 1 else None

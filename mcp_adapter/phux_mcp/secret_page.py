"""A page on this machine on which a person types one secret, which goes to the program and never to the host."""

from __future__ import annotations

import asyncio
import contextlib
import html
import secrets
import urllib.parse
from typing import TYPE_CHECKING

from phux_client.web.access import HEADERS, Gate
from phux_core.errors import PhuxError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_OPEN_S = 600.0
_REQUEST_S = 10.0
_LARGEST = 16 * 1024
_HEADERS = HEADERS | {
    "content-security-policy": (
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>phux: {title}</title>
<meta name="viewport" content="width=device-width">
<style>body{{font:1.1rem system-ui;max-width:34rem;margin:4rem auto;padding:0 1rem}}input,button{{font:inherit}}</style>
<h1>{title}</h1>{body}</html>"""
_FORM = """<p>{question}</p><form method="post"><input type="password" name="secret" autocomplete="off" autofocus
aria-label="Secret"> <button>Send</button></form><p>It goes to that program only, and is not stored.</p>"""


class SecretPage:
    """A page for one secret, which closes once the secret was sent, and after ten minutes.

    Args:
        question: The program that asks, and its pane.
        deliver: Types the secret; raises PhuxError if the program no longer waits for it.
    """

    def __init__(self, question: str, deliver: Callable[[str], Awaitable[None]]) -> None:
        self._question = question
        self._deliver = deliver
        self._path = f"/{secrets.token_urlsafe(32)}"
        self._gate = Gate(is_secure=False)
        self._server: asyncio.Server | None = None
        self._expiry: asyncio.TimerHandle | None = None

    @property
    def is_open(self) -> bool:
        """Whether a secret can still be sent."""
        return self._server is not None

    async def open(self) -> str:
        """Begin to serve the page on a free port of the loopback interface, and return its URL."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=_LARGEST)
        self._expiry = asyncio.get_running_loop().call_later(_OPEN_S, self.close)
        port = self._server.sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}{self._path}"

    def close(self) -> None:
        """Stop serving the page."""
        if self._server is not None:
            self._server.close()
            self._server = None
        if self._expiry is not None:
            self._expiry.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, TimeoutError, ValueError, asyncio.IncompleteReadError):
            async with asyncio.timeout(_REQUEST_S):
                status, title, body = await self._answer(reader)
                writer.write(_response(status, title, body))
                await writer.drain()
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> tuple[str, str, str]:
        """Read a request; return the status, the title and the content of the answer."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *rest = head.split("\r\n")
        method, path, _version = first.split(" ")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
        host = headers.get("host")
        known = secrets.compare_digest(path.encode(), self._path.encode())
        if not known or not self.is_open or not self._gate.allows_host(host):
            return "404 Not Found", "This page no longer exists", ""
        if method == "GET":
            return "200 OK", "A program asks for a secret", _FORM.format(question=html.escape(self._question))
        if method != "POST" or not self._gate.allows_origin(headers.get("origin"), host):
            return "403 Forbidden", "Open the page itself", ""
        size = int(headers.get("content-length", "0"))
        if not 0 <= size <= _LARGEST:
            return "413 Content Too Large", "The secret is too long", ""
        form = urllib.parse.parse_qs((await reader.readexactly(size)).decode(), keep_blank_values=True)
        try:
            await self._deliver(form["secret"][0])
        except (PhuxError, KeyError) as error:
            problem = error.message if isinstance(error, PhuxError) else "the form is incomplete"
            return "409 Conflict", "The secret was not sent", f"<p>{html.escape(problem)}</p>"
        self.close()
        return "200 OK", "The secret was sent", "<p>You can close this page.</p>"


def _response(status: str, title: str, body: str) -> bytes:
    content = _PAGE.format(title=html.escape(title), body=body).encode()
    headers = _HEADERS | {"content-type": "text/html; charset=utf-8", "content-length": str(len(content))}
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers.items()), "connection: close"]
    return "\r\n".join([*lines, "", ""]).encode() + content

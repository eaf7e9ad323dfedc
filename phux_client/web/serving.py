"""Bind the address, print the URLs, and run the web server until a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import os
import shutil
import signal
import socket as socket_module
import ssl
import tempfile
import threading
import webbrowser
from typing import TYPE_CHECKING

import uvicorn

from phux_client.web import DEFAULT_BIND
from phux_client.web.access import Gate, Tokens, check_reach, parse_bind
from phux_client.web.app import Live
from phux_core.errors import BadRequestError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MOST_CONNECTIONS = 128
_LARGEST_MESSAGE = 2 * 1024 * 1024
"""The largest message of a browser, in bytes: a paste of a mebibyte, the most that phux types, as JSON."""
_LARGEST_HEADERS = 16 * 1024


def serve(
    phux_socket: str,
    announce: Callable[[dict[str, str]], None],
    *,
    bind: str | None = None,
    read_only: bool = False,
    allow_remote: bool = False,
    tls_cert: str | None = None,
    tls_key: str | None = None,
    open_page: bool = False,
) -> None:
    """Serve the live view until SIGINT or SIGTERM.

    Args:
        phux_socket: The socket of the phux server, which need not be running yet.
        announce: Called with the URL of each level, when the address is bound.
        bind: ADDRESS:PORT; by default ``DEFAULT_BIND``, or another port if that one is taken.
        read_only: Make only the URL that allows to watch.
        allow_remote: Allow an address that other machines can reach, with TLS.
        tls_cert: The file of the certificate.
        tls_key: The file of its key.
        open_page: Open the page in a browser.

    Raises:
        BadRequestError: The address or the TLS files cannot be used.
        RefusedError: The address is in use.
    """
    if (tls_cert is None) != (tls_key is None):
        raise BadRequestError("TLS needs a certificate and its key", remedy="pass both --tls-cert and --tls-key")
    address, port = parse_bind(bind or DEFAULT_BIND)
    check_reach(address, port, allow_remote=allow_remote, has_tls=tls_cert is not None)
    if tls_cert is not None:
        _check_tls(tls_cert, tls_key)
    listener = _listen(address, port, may_change=bind is None)
    tokens = Tokens(read_only=read_only)
    scheme = "http" if tls_cert is None else "https"
    host, bound_port = listener.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = socket_module.gethostname()
    place = f"[{host}]:{bound_port}" if ":" in host else f"{host}:{bound_port}"
    # Browsers never send what follows the #, so the token is in no log and no Referer.
    urls: dict[str, str] = {level: f"{scheme}://{place}/#{token}" for level, token in tokens.by_level.items()}
    app = Live(phux_socket, tokens, Gate(is_secure=tls_cert is not None))
    with contextlib.closing(listener), contextlib.ExitStack() as opened:

        def on_ready() -> None:
            announce(urls)
            if open_page:
                opened.enter_context(_opened(next(iter(urls.values()))))

        asyncio.run(_server(app, tls_cert, tls_key, on_ready).serve(sockets=[listener]))


def _listen(address: str, port: int, *, may_change: bool) -> socket_module.socket:
    listener = socket_module.socket(socket_module.AF_INET6 if ":" in address else socket_module.AF_INET)
    try:
        listener.setsockopt(socket_module.SOL_SOCKET, socket_module.SO_REUSEADDR, 1)
        try:
            listener.bind((address, port))
        except OSError as error:
            if not may_change or error.errno != errno.EADDRINUSE:
                raise
            listener.bind((address, 0))
        listener.listen()
    except OSError as error:
        listener.close()
        raise RefusedError(
            f"cannot bind {address}, port {port}: {error.strerror}", remedy="pass another address or port with --bind"
        ) from None
    return listener


def _check_tls(cert: str, key: str | None) -> None:
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(cert, key, password=lambda: "")
    except (OSError, ValueError) as error:  # SSLError is an OSError
        raise BadRequestError(
            f"the TLS files cannot be used: {error}", remedy="pass a certificate and its key without password, as PEM"
        ) from None


class _Server(uvicorn.Server):
    """A web server that ends normally after a signal; uvicorn's own one raises the signal again.

    Args:
        on_ready: Called once requests and signals are handled.
    """

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket_module.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.handle_exit, number, None)
        yield


def _server(app: Live, cert: str | None, key: str | None, on_ready: Callable[[], None]) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        http="h11",
        ws="websockets-sansio",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws_max_size=_LARGEST_MESSAGE,
        h11_max_incomplete_event_size=_LARGEST_HEADERS,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=1,
        ssl_certfile=cert,
        ssl_keyfile=key,
    )
    return _Server(config, on_ready)


@contextlib.contextmanager
def _opened(url: str) -> Iterator[None]:
    """Open a page in the browser, through a private file: the arguments of a browser can be read by other users."""
    directory = tempfile.mkdtemp(prefix="phux-web-")
    try:
        page = os.path.join(directory, "open.html")
        with open(os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write('<!doctype html><meta name="referrer" content="no-referrer">')
            file.write(f'<meta http-equiv="refresh" content="0; url={url}"><a href="{url}">phux</a>\n')
        # A browser for terminals runs until its user leaves it.
        threading.Thread(target=webbrowser.open, args=[f"file://{page}"], daemon=True).start()
        yield
    finally:
        shutil.rmtree(directory, ignore_errors=True)

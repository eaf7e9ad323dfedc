"""Connections to phux servers: one for each socket, made on demand and again when broken."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from phux_core.version import __version__

if TYPE_CHECKING:
    from phux_client import Phux


class Links:
    """The connections of one adapter. Call ``close`` at the end.

    Args:
        start: Whether tools start a server if none is running; None for the default of the revision.
        socket: The path of the socket for calls that name none; by default, the library's default.

    Attributes:
        host: The name of the host, if it was reported.
        start: As given.
    """

    def __init__(self, *, start: bool | None = None, socket: str | None = None) -> None:
        self.host: str | None = None
        self.start = start
        self._socket = socket
        self._known: dict[str | None, Phux] = {}

    async def phux(self, socket: str | None = None, *, start: bool = False) -> Phux:
        """Return the client of a server, without sending a request; with ``start``, make sure that the server runs."""
        if socket in self._known and not start:
            return self._known[socket]
        # Imported late, because a host's first requests do not need it.
        from phux_client.aio import Phux
        from phux_core import hosts

        path = hosts.server_address(socket or self._socket)
        if start:
            from phux_client.starting import is_live, start_server

            if hosts.is_remote(path) or not is_live(path):
                await asyncio.to_thread(start_server, path)
        if socket not in self._known:
            client = f"phux-mcp/{__version__}" + (f" {self.host}" if self.host else "")
            self._known[socket] = Phux(path, client=client)
        return self._known[socket]

    async def close(self) -> None:
        """Close all connections."""
        for phux in self._known.values():
            phux.close()

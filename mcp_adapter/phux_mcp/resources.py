"""Resources: sessions, screens and logs, to read or subscribe to by URI."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from typing import TYPE_CHECKING

from phux_client import flows
from phux_core.errors import BadSelectorError, NoServerError, NoSuchTargetError, PhuxError
from phux_core.printable import escaped, printable
from phux_mcp.answers import explain
from phux_mcp.budget import BYTES
from phux_mcp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RpcError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from phux_client import Phux
    from phux_client.flows import Document
    from phux_core import shapes
    from phux_mcp.links import Links
    from phux_mcp.revisions import Revision

_SESSIONS = "phux://sessions"
_OF_A_PANE = re.compile(r"phux://pane/(\d{1,10})/(screen|log)")
# Events that change the list of sessions, or a pane's screen.
_TREE_EVENTS = frozenset(("pane_spawned", "pane_closed", "renamed", "state_changed", "resized", "dropped"))
_PANE_EVENTS = frozenset(("dirty", "idle", "pane_closed", "resized", "title_changed", "dropped"))
_TRY_AGAIN_S = 1.0
# The shortest time between notifications, and the interval for a pane that writes continuously.
_PAUSE_S = 0.2
_WHILE_BUSY_S = 1.0


def templates() -> list[Document]:
    """Return the resource templates."""
    described = {
        "screen": "The text on a pane's screen. The id is a number: 3 for @3.",
        "log": "The latest output of a pane, as text.",
    }
    return [
        {
            "uriTemplate": f"phux://pane/{{id}}/{what}",
            "name": what,
            "title": f"{what.capitalize()} of a pane",
            "description": text,
            "mimeType": "text/plain",
        }
        for what, text in described.items()
    ]


async def listing(links: Links) -> list[Document]:
    """Return the resources: the sessions, and every pane's screen and log; without a server, only the sessions."""
    found: list[Document] = [
        {
            "uri": _SESSIONS,
            "name": "sessions",
            "title": "Sessions, windows and panes",
            "description": "Every session, window and pane, as a Tree document.",
            "mimeType": "application/json",
        }
    ]
    try:
        tree = await (await links.phux()).drive(flows.tree())
    except PhuxError:
        return found
    for session in tree["sessions"]:
        for window in session["windows"]:
            for pane in window["panes"]:
                where = f"{session['name']}:{window['index']}.{pane['index']}"
                found += [
                    {
                        "uri": f"phux://pane/{pane['id']}/{what}",
                        "name": f"@{pane['id']} {what}",
                        "title": f"{what.capitalize()} of {where} ({pane['command']})",
                        "mimeType": "text/plain",
                    }
                    for what in ("screen", "log")
                ]
    return found


class Resource:
    """A resource that can be read and followed."""

    def __init__(self, uri: str, phux: Phux, pane: int | None, what: str) -> None:
        self.uri = uri
        self._phux = phux
        self._pane = pane
        self._what = what

    async def read(self) -> Document:
        """Return the resource's content."""
        if self._what == "sessions":
            tree = escaped(json.dumps(await self._phux.drive(flows.tree()), ensure_ascii=False))
            return {"uri": self.uri, "mimeType": "application/json", "text": tree}
        if self._what == "log":
            text = (await self._phux.drive(flows.logs(self._phux.caller, self._pane, max_bytes=BYTES)))["content"]
        else:
            screen = await self._phux.drive(flows.snapshot(self._phux.caller, self._pane))
            text = "\n".join(screen["lines"]).rstrip("\n")
        return {"uri": self.uri, "mimeType": "text/plain", "text": printable(text)}

    async def follow(self, on_change: Callable[[], None]) -> None:
        """Report changes until the resource is gone; if the server is gone, wait for it to return.

        Raises:
            PhuxError: The resource is gone.
        """
        while True:
            with contextlib.suppress(NoServerError):
                async with self._phux.watch(self._pane) as events:
                    await self._report(events, on_change)
                    return
            await asyncio.sleep(_TRY_AGAIN_S)

    async def _seq(self) -> int:
        """Return the sequence number of a pane; 0 if the pane is gone, or for the list of sessions."""
        if self._pane is None:
            return 0
        try:
            return int((await self._phux.drive(flows.snapshot(self._phux.caller, self._pane)))["seq"])
        except PhuxError:
            return 0

    async def _report(self, events: AsyncIterator[shapes.Event], on_change: Callable[[], None]) -> None:
        """Report changes at a limited rate, but always the last one; the host then reads the whole resource."""
        relevant = _TREE_EVENTS if self._pane is None else _PANE_EVENTS
        changed = asyncio.Event()
        # A pane reports when it starts and stops writing, and nothing in between; it may already be writing.
        busy, seq = self._pane is not None, await self._seq()

        async def report() -> None:
            nonlocal busy, seq
            while True:
                try:
                    await asyncio.wait_for(changed.wait(), _WHILE_BUSY_S if busy else None)
                except TimeoutError:
                    before, seq = seq, await self._seq()
                    if seq == before:
                        busy = False
                        continue
                changed.clear()
                on_change()
                await asyncio.sleep(_PAUSE_S)

        reporter = asyncio.get_running_loop().create_task(report())
        try:
            async for event in events:
                if event.event in relevant:
                    busy = event.event == "dirty" or (busy and event.event != "idle")
                    changed.set()
        finally:
            reporter.cancel()
            await asyncio.wait([reporter])
        if changed.is_set():
            on_change()


async def find(links: Links, uri: object, revision: Revision) -> Resource:
    """Return a resource by its URI."""
    if not isinstance(uri, str):
        raise RpcError(INVALID_PARAMS, "`uri` must be a string")
    match = _OF_A_PANE.fullmatch(uri)
    try:
        phux = await links.phux()
        if uri == _SESSIONS:
            return Resource(uri, phux, None, "sessions")
        if match is not None:
            pane = await phux.drive(flows.find_pane(f"@{match[1]}", phux.caller))
            return Resource(uri, phux, pane["id"], match[2])
    except PhuxError as error:
        raise _translate(error, uri, revision) from error
    raise _not_found(uri, revision)


async def read(links: Links, uri: object, revision: Revision) -> Document:
    """Return the content of a resource."""
    resource = await find(links, uri, revision)
    try:
        return await resource.read()
    except PhuxError as error:
        raise _translate(error, resource.uri, revision) from error


def _translate(error: PhuxError, uri: str, revision: Revision) -> RpcError:
    """Return a JSON-RPC error, the only way in which a resource can fail."""
    if isinstance(error, (NoSuchTargetError, BadSelectorError)):
        return _not_found(uri, revision)
    return RpcError(INTERNAL_ERROR, explain(error))


def _not_found(uri: str, revision: Revision) -> RpcError:
    return RpcError(revision.not_found, f"there is no resource {uri!r:.200}", data={"uri": uri})

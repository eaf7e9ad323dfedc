"""Resources: sessions, screens and logs, to read or subscribe to by URI."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from typing import TYPE_CHECKING

from phux_client import flows
from phux_core.errors import BadRequestError, BadSelectorError, NoServerError, NoSuchTargetError, PhuxError
from phux_core.printable import escaped, printable
from phux_mcp.answers import explain
from phux_mcp.budget import BYTES
from phux_mcp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, RpcError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from phux_client import Phux
    from phux_client.flows import Document, Flow
    from phux_core import shapes
    from phux_mcp.links import Links
    from phux_mcp.revisions import Revision

_SESSIONS = "phux://sessions"
_COMMAND = re.compile(r"phux://command/((?:[A-Za-z0-9-]{1,60}/)?\d{1,10}\.\d{1,10})")
_OF_A_PANE = re.compile(r"phux://pane/(\d{1,10})/(screen|log)")
# Events that change the list of sessions, or a pane's screen.
_TREE_EVENTS = frozenset(("pane_spawned", "pane_closed", "renamed", "state_changed", "resized", "dropped"))
_PANE_EVENTS = frozenset(("dirty", "idle", "pane_closed", "resized", "title_changed", "dropped"))
# Events that change the list of resources.
_LIST_EVENTS = _TREE_EVENTS - {"state_changed", "resized"} | {"session_added", "session_closed", "window_closed"}
_MOST_OUTPUT = 4 * 1024 * 1024
_TRY_AGAIN_S = 1.0
# The shortest time between notifications, and the interval for a pane that writes continuously.
_PAUSE_S = 0.2
_WHILE_BUSY_S = 1.0


def templates() -> list[Document]:
    """Return the resource templates."""
    described = {
        "phux://pane/{id}/screen": "The text on a pane's screen. The id is a number: 3 for @3.",
        "phux://pane/{id}/log": "The latest output of a pane, as text.",
        "phux://command/{id}": "The whole output of a command, as text. phux_commands lists the ids.",
    }
    titles = {"screen": "Screen of a pane", "log": "Log of a pane", "command": "Output of a command"}
    return [
        {"uriTemplate": uri, "name": name, "title": title, "description": text, "mimeType": "text/plain"}
        for (uri, text), (name, title) in zip(described.items(), titles.items(), strict=True)
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

    def __init__(self, uri: str, phux: Phux, pane: int | None, what: str, command_id: str = "") -> None:
        self.uri = uri
        self._phux = phux
        self._pane = pane
        self._what = what
        self._command_id = command_id

    async def read(self) -> Document:
        """Return the resource's content."""
        if self._what == "sessions":
            tree = escaped(json.dumps(await self._phux.drive(flows.tree()), ensure_ascii=False))
            return {"uri": self.uri, "mimeType": "application/json", "text": tree}
        if self._what == "command":
            text = (await self._output())["content"]
        elif self._what == "log":
            text = (await self._phux.drive(flows.logs(self._phux.caller, self._pane, max_bytes=BYTES)))["content"]
        else:
            screen = await self._phux.drive(flows.snapshot(self._phux.caller, self._pane))
            text = "\n".join(screen["lines"]).rstrip("\n")
        return {"uri": self.uri, "mimeType": "text/plain", "text": printable(text)}

    async def _output(self) -> Document:
        def flow() -> Flow[Document]:
            return flows.output(self._phux.caller, self._command_id, max_bytes=_MOST_OUTPUT)

        try:
            return await self._phux.drive(flow())
        except NoServerError:
            from phux_client import stored_logs

            return await asyncio.to_thread(stored_logs.drive, flow())

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


async def follow_list(links: Links, on_change: Callable[[], None], ready: asyncio.Event) -> None:
    """Report changes of the list of resources until cancelled, also that a server appeared or is gone.

    Args:
        links: The connections.
        on_change: Called after a change.
        ready: Is set as soon as later changes will be reported.
    """
    phux = await links.phux()
    async with _limited(on_change) as changed:
        while True:
            with contextlib.suppress(PhuxError):
                async with phux.watch(None) as events:
                    if ready.is_set():
                        changed()
                    ready.set()
                    async for event in events:
                        if event.event in _LIST_EVENTS:
                            changed()
            if ready.is_set():
                changed()
            ready.set()
            while not await _is_there(phux):  # noqa: ASYNC110  no event tells of a server that starts
                await asyncio.sleep(_TRY_AGAIN_S)


@contextlib.asynccontextmanager
async def _limited(on_change: Callable[[], None]) -> AsyncIterator[Callable[[], None]]:
    """Yield a function that reports a change at a limited rate, but always the last one."""
    changed = asyncio.Event()

    async def report() -> None:
        while True:
            await changed.wait()
            changed.clear()
            on_change()
            await asyncio.sleep(_PAUSE_S)

    reporter = asyncio.get_running_loop().create_task(report())
    try:
        yield changed.set
    finally:
        reporter.cancel()
        await asyncio.wait([reporter])


async def _is_there(phux: Phux) -> bool:
    try:
        await phux.drive(flows.tree())
    except PhuxError:
        return False
    return True


async def find(links: Links, uri: object, revision: Revision) -> Resource:
    """Return a resource by its URI."""
    if not isinstance(uri, str):
        raise RpcError(INVALID_PARAMS, "`uri` must be a string")
    match, command = _OF_A_PANE.fullmatch(uri), _COMMAND.fullmatch(uri)
    try:
        phux = await links.phux()
        if command is not None:
            number = int(command[1].rpartition(".")[0].rpartition("/")[2])
            resource = Resource(uri, phux, number, "command", command[1])
            await resource.read()  # it must exist
            return resource
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
    if isinstance(error, (NoSuchTargetError, BadSelectorError, BadRequestError)):
        return _not_found(uri, revision)
    return RpcError(INTERNAL_ERROR, explain(error))


def _not_found(uri: str, revision: Revision) -> RpcError:
    return RpcError(revision.not_found, f"there is no resource {uri!r:.200}", data={"uri": uri})

"""The conversation with one browser, over one WebSocket and one connection to the phux server.

The first message of the browser is its token (``app``). Then it sends:

    {"show": [1, 2], "open": 3}    the panes it shows as tiles, and the one in full size or null
    {"drawn": [1, 2]}              it has drawn the last frames of these panes
    {"ask": 7, "do": "type", ...}  a request (``asking``); requests to type are executed in order

It receives:

    {"hello": {...}}                          once
    {"server": "up", "message": ""}           the phux server: ``up``, ``restarting`` or ``gone``
    {"panes": [...], "order": [...]}          the panes that changed, and the ids of all panes by attention
    {"frame": 1, ...}                         a frame of the wire protocol
    {"reply": 7, "ok": ...}                   or ``error``, with a message and a remedy
    {"bell": 1}
"""

from __future__ import annotations

import json
import math
import time
from typing import TYPE_CHECKING, Literal, Protocol

import anyio
import attrs

from phux_client.flows import NextEvent, Request
from phux_client.overview import Overview, OverviewPane
from phux_client.web.asking import flow_for
from phux_client.web.tiles import Tiles
from phux_core.errors import BadRequestError, DisconnectedError, LimitError, NoServerError, NoSuchTargetError, PhuxError
from phux_core.printable import printable

if TYPE_CHECKING:
    from phux_client.aio import Phux
    from phux_client.flows._types import Document, Flow
    from phux_client.web.access import Level

    ServerState = Literal["up", "restarting", "gone"]

MOST_TILES = 2000
MOST_ASKED = 16
"""The most requests of one browser that may be unanswered."""
MOST_TYPED = 8 * 1024 * 1024
"""The most bytes of requests to type of one browser that may wait."""
SEND_S = 30.0
"""How long a browser may take to receive a message before it is disconnected."""
_OVERVIEW_S = 0.1
_SETTLE_S = 0.05
_RETRY_S = 0.5


class Socket(Protocol):
    """The WebSocket of a browser."""

    async def send_text(self, data: str) -> None:
        """Send a message."""

    async def receive_text(self) -> str:
        """Wait for a message."""


class Browser:
    """One browser that has shown a valid token."""

    def __init__(self, socket: Socket, phux: Phux, level: Level) -> None:
        self._socket, self._phux, self._level = socket, phux, level
        self._overview = Overview()
        self._sent: dict[int, OverviewPane] = {}
        self._sent_order: list[int] = []
        self._overview_at: float | None = None
        self._notes: list[Document] = []
        self._tiles = Tiles()
        self._wake = anyio.Event()
        self._sending = anyio.Lock()
        self._asked = self._typed = 0
        self._state: ServerState | None = None

    async def serve(self) -> None:
        """Serve the browser until it disconnects, which raises WebSocketDisconnect."""
        put, typed = anyio.create_memory_object_stream[tuple[int, "Document"]](math.inf)
        async with put, typed, anyio.create_task_group() as tasks:
            tasks.start_soon(self._follow)
            tasks.start_soon(self._push)
            tasks.start_soon(self._type, typed)
            while True:
                text = await self._socket.receive_text()
                message = self._parse(text)
                if not isinstance(message.get("ask"), int):
                    self._take(message)
                elif message.get("do") == "type":
                    if self._typed + len(text) > MOST_TYPED:
                        await self._fail(message, LimitError("the program does not read its input, and too much waits"))
                    else:
                        self._typed += len(text)
                        put.send_nowait((len(text), message))
                elif self._asked >= MOST_ASKED:
                    await self._fail(message, LimitError("too many requests at once"))
                else:
                    self._asked += 1
                    tasks.start_soon(self._answer, message)

    @staticmethod
    def _parse(text: str) -> Document:
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        return message if isinstance(message, dict) else {}

    def _take(self, message: Document) -> None:
        shown, opened = _ids(message.get("show")), _ids([message.get("open")])
        if "show" in message:
            self._tiles.show(shown, opened[0] if opened else None)
        self._tiles.drawn(_ids(message.get("drawn")))
        self._wake.set()

    # Requests

    async def _type(self, typed: anyio.abc.ObjectReceiveStream[tuple[int, Document]]) -> None:
        async for size, message in typed:
            self._asked += 1
            await self._answer(message)
            self._typed -= size
            self._tiles.typed(time.monotonic())
            self._wake.set()

    async def _answer(self, message: Document) -> None:
        try:
            reply = await self._phux.drive(flow_for(message, self._level))
        except PhuxError as error:
            await self._fail(message, error)
        except (KeyError, TypeError, ValueError):
            await self._fail(message, BadRequestError("the parameters of this request are wrong"))
        else:
            await self._send({"reply": message.get("ask"), "ok": reply})
        finally:
            self._asked -= 1

    async def _fail(self, message: Document, error: PhuxError) -> None:
        document = {"code": error.code, "message": printable(error.message), "remedy": printable(error.remedy)}
        await self._send({"reply": message.get("ask"), "error": document})

    # The overview

    async def _follow(self) -> None:
        """Keep the overview up to date; wait for a server that is restarting or not running."""
        while True:
            try:
                await self._phux.drive(self._overview_flow())
            except DisconnectedError:
                self._report("restarting")
            except PhuxError as error:
                known = isinstance(error, NoServerError)  # the page says what to do
                self._report("gone", "" if known else f"{error.message}. {error.remedy}")
                await anyio.sleep(_RETRY_S)

    def _overview_flow(self) -> Flow[None]:
        subscription = (yield Request("subscribe"))["subscription"]
        self._overview.take_tree((yield Request("tree")))
        self._overview.take_commands((yield Request("commands"))["commands"])
        self._report("up")
        self._tiles.renew()
        self._overview_changed()
        tree_at: float | None = None  # when to read the tree again
        while True:
            event = yield NextEvent(subscription, None if tree_at is None else max(0.0, tree_at - time.monotonic()))
            if event is not None:
                self._take_event(event)
                if self._overview.take_event(event) and tree_at is None:
                    tree_at = time.monotonic() + _SETTLE_S  # the events of one change follow each other
                if event["event"] == "dropped":
                    self._overview.take_commands((yield Request("commands"))["commands"])
                    self._tiles.renew()
            if tree_at is not None and time.monotonic() >= tree_at:
                tree_at = None
                self._overview.take_tree((yield Request("tree")))
            self._overview_changed()

    def _take_event(self, event: Document) -> None:
        if "terminal" not in event:
            return
        pane = int(event["terminal"][1:])
        if event["event"] in {"dirty", "resized", "pane_closed"}:
            self._tiles.touch(pane)
            self._wake.set()
        elif event["event"] == "bell" and len(self._notes) < MOST_ASKED:
            self._notes.append({"bell": pane})
            self._wake.set()

    def _report(self, state: ServerState, message: str = "") -> None:
        if state != self._state:
            self._state = state
            self._notes.append({"server": state, "message": printable(message)})
            self._wake.set()

    def _overview_changed(self) -> None:
        if self._overview_at is None:
            self._overview_at = time.monotonic() + _OVERVIEW_S
            self._wake.set()

    # Sending

    async def _push(self) -> None:
        """Send what is due, one message after the other."""
        while True:
            self._wake = anyio.Event()
            notes, self._notes = self._notes, []
            for note in notes:
                await self._send(note)
            now = time.monotonic()
            if self._overview_at is not None and self._overview_at <= now:
                self._overview_at = None
                await self._send_overview()
            due = self._tiles.take(now) if self._state == "up" else None
            if due is not None:
                await self._send_frame(*due)
            else:
                await self._wait()

    async def _wait(self) -> None:
        tiles_at = self._tiles.next_at() if self._state == "up" else None
        due = [at for at in (tiles_at, self._overview_at) if at is not None]
        with anyio.move_on_after(max(0.0, min(due) - time.monotonic()) if due else None):
            await self._wake.wait()

    async def _send_overview(self) -> None:
        panes = self._overview.by_attention()
        order = [pane.id for pane in panes]
        changed = [_shown(pane) for pane in panes if self._sent.get(pane.id) != pane]
        if changed or order != self._sent_order:
            self._sent, self._sent_order = {pane.id: pane for pane in panes}, order
            await self._send({"panes": changed, "order": order})

    async def _send_frame(self, pane: int, version: int | None) -> None:
        try:
            frame = await self._phux.request(Request("frame", pane=pane, version=version))
        except NoSuchTargetError:
            self._tiles.forget(pane)
        except PhuxError:  # the overview reports it, and reads everything again later
            self._tiles.touch(pane)
            await anyio.sleep(_RETRY_S)
        else:
            if self._tiles.read(pane, frame, time.monotonic()):
                frame["title"] = printable(frame["title"])
                await self._send({"frame": pane, **frame})

    async def _send(self, message: Document) -> None:
        text = json.dumps(message, separators=(",", ":"))
        async with self._sending:
            with anyio.fail_after(SEND_S):
                await self._socket.send_text(text)


def _ids(value: object) -> list[int]:
    if not isinstance(value, list):
        return []
    return [one for one in value[:MOST_TILES] if isinstance(one, int) and not isinstance(one, bool)]


def _shown(pane: OverviewPane) -> Document:
    document = attrs.asdict(pane)
    texts = {name: printable(value) for name, value in document.items() if isinstance(value, str)}
    return document | texts | {"attention": pane.attention}

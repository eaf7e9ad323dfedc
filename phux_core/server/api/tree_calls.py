"""Calls that arrange, rename and kill sessions, windows and panes, and the server."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from phux_core.errors import BadRequestError, NoSuchTargetError
from phux_core.selector import check_name
from phux_core.server.api.handlers import handles
from phux_core.server.api.new_calls import check_name_is_free, clear_name
from phux_core.server.documents import tree_document
from phux_core.server.tree.arranger import Arranger

if TYPE_CHECKING:
    from phux_core.layout import Direction
    from phux_core.server.connection import Answer, Result
    from phux_core.server.receipts import Receipt
    from phux_core.server.service import Service

_KILL_WAIT_S = 3.0
# How long a status waits for the logs of the previous server, so that the client that started this one can report them.
_EXAMINE_S = 3.0

handles("select", part="arranger")(Arranger.select)
handles("resize", part="arranger")(Arranger.resize_pane)
handles("push_divider", part="arranger")(Arranger.push_divider)
handles("resize_window", part="arranger")(Arranger.resize_window)
handles("move_divider", part="arranger")(Arranger.move_divider)
handles("zoom", part="arranger")(Arranger.zoom)
handles("layout", part="arranger")(Arranger.apply_preset)
handles("move_window", part="arranger")(Arranger.move_window)


@handles("status")
def status(service: Service) -> Answer:
    return service.status_document() if service.logs.examining.done() else _first_status(service)


async def _first_status(service: Service) -> Result:
    await asyncio.wait([service.logs.examining], timeout=_EXAMINE_S)
    return service.status_document()


@handles("tree")
def tree(service: Service) -> Result:
    for pane in list(service.panes.values()):
        pane.watch.settle()
    return tree_document(service.tree, service.panes, service.attachments.counts())


@handles("move_pane")
def move_pane(
    service: Service,
    pane: int,
    target: int | None,
    direction: Direction | None,
    cells: int | None,
    percent: int | None,
    session: int | None,
    index: int | None,
) -> Result:
    if target is not None and direction is not None and session is None:
        return service.arranger.move_pane(pane, target, direction, cells, percent)
    if session is not None and target is None and direction is None:
        return service.arranger.break_pane(pane, session, index)
    raise BadRequestError("it is not clear where the pane goes", remedy="send target and direction, or session")


@handles("swap")
def swap(service: Service, scope: str, id_: int, other: int) -> Result:
    if scope == "session":
        raise BadRequestError("sessions have no places that they could change", remedy="name windows or panes")
    exchange = service.arranger.swap_panes if scope == "pane" else service.arranger.swap_windows
    return {"places": exchange(id_, other)}


@handles("rename")
def rename(service: Service, scope: str, id_: int, name: str) -> Result:
    if scope == "window":
        _session, window = service.tree.window(id_)
        check_name("window", name)
        window.name, window.named = name, True
    elif scope == "session":
        session = service.tree.session(id_)
        if name != session.name:
            check_name_is_free(service, name)
            clear_name(service, name)
        session.name = name
        for record in session.panes():
            service.panes[record.id].log.update(session=name)
    else:
        raise NoSuchTargetError("a pane has no name", remedy="rename its window or its session")
    service.tree_changed()
    service.events.emit("renamed", what=scope, id=id_, name=name)
    return service.arranger.place_of(scope, id_)


@handles("kill")
async def kill(service: Service, scope: str, id_: int, receipt: Receipt) -> Result:
    try:
        records = service.tree.panes_of(scope, id_)
    except NoSuchTargetError:
        if receipt.progress is None:
            raise
        return receipt.progress
    reply = receipt.progress or {"killed": len(records)}
    receipt.record_progress(reply)
    running = [record.id for record in records if not record.dead]
    ended = [service.panes[pane_id].ended for pane_id in running]
    service.arranger.expect_to_leave(running)
    for pane_id in running:
        service.keeper.end(pane_id)
    if ended:
        # A program that hangs in the kernel survives even SIGKILL; remove its pane all the same.
        await asyncio.wait(ended, timeout=_KILL_WAIT_S)
    service.remove_panes([record.id for record in records])
    service.tree_changed()
    return reply


@handles("kill_server")
def kill_server(service: Service) -> Result:
    # After the reply is sent: the shutdown closes the connection.
    service.loop.call_soon(service.shutdown, "a client asked for it")
    return {}

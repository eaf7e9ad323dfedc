"""Calls that create, arrange, rename and kill sessions, windows and panes, and the server."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from phux_core.errors import BadRequestError, NoSuchTargetError
from phux_core.selector import check_window_name
from phux_core.server.api.handlers import handles
from phux_core.server.tree.arranger import Arranger
from phux_core.server.tree.records import WindowRecord
from phux_core.server.tree.spawner import Maker, Program

if TYPE_CHECKING:
    from phux_core.layout import Direction
    from phux_core.server.api.connection import Result
    from phux_core.server.api.handlers import Server

_KILL_WAIT_S = 3.0

handles("new_session", part="spawner", collect=Program)(Maker.new_session)
handles("new_window", part="spawner", collect=Program)(Maker.new_window)
handles("split", part="spawner", collect=Program)(Maker.split)
handles("select", part="arranger")(Arranger.select)
handles("resize", part="arranger")(Arranger.resize_pane)
handles("push_divider", part="arranger")(Arranger.push_divider)
handles("resize_window", part="arranger")(Arranger.resize_window)
handles("move_divider", part="arranger")(Arranger.move_divider)
handles("zoom", part="arranger")(Arranger.zoom)
handles("layout", part="arranger")(Arranger.apply_preset)
handles("move_window", part="arranger")(Arranger.move_window)


@handles("status")
def status(server: Server) -> Result:
    return server.status_document()


@handles("tree")
def tree(server: Server) -> Result:
    return server.tree_document()


@handles("move_pane")
def move_pane(
    server: Server,
    pane: int,
    target: int | None,
    direction: Direction | None,
    cells: int | None,
    percent: int | None,
    session: int | None,
    index: int | None,
) -> Result:
    if target is not None and direction is not None and session is None:
        return server.arranger.move_pane(pane, target, direction, cells, percent)
    if session is not None and target is None and direction is None:
        return server.arranger.break_pane(pane, session, index)
    raise BadRequestError("it is not clear where the pane goes", remedy="send target and direction, or session")


@handles("swap")
def swap(server: Server, scope: str, id_: int, other: int) -> Result:
    if scope == "session":
        raise BadRequestError("sessions have no places that they could change", remedy="name windows or panes")
    exchange = server.arranger.swap_panes if scope == "pane" else server.arranger.swap_windows
    return {"places": exchange(id_, other)}


@handles("rename")
def rename(server: Server, scope: str, id_: int, name: str) -> Result:
    named = server.tree.session_or_window(scope, id_)
    if named is None:
        raise NoSuchTargetError(f"there is no {scope} with the id {id_} that can have a name")
    if scope == "window":
        check_window_name(name)
    elif name != named.name:
        server.spawner.check_name_is_free(name)
        server.spawner.clear_name(name)
    named.name = name
    if isinstance(named, WindowRecord):
        named.named = True
    else:
        for record in server.tree.panes_of(scope, id_):
            server.panes[record.id].log.update(session=name)
    server.tree_changed()
    server.events.emit("renamed", what=scope, id=id_, name=name)
    return server.arranger.place_of(scope, id_)


@handles("kill")
async def kill(server: Server, scope: str, id_: int) -> Result:
    records = server.tree.panes_of(scope, id_)
    if not records:
        raise NoSuchTargetError(f"there is no {scope} with the id {id_}")
    running = [record.id for record in records if not record.dead]
    ended = [server.when_dead(pane_id) for pane_id in running]
    server.arranger.expect_to_leave(running)
    for pane_id in running:
        server.keeper.end(pane_id)
    if ended:
        # A program that hangs in the kernel survives even SIGKILL; remove its pane all the same.
        await asyncio.wait(ended, timeout=_KILL_WAIT_S)
    server.remove_panes([record.id for record in records])
    server.tree_changed()
    return {"killed": len(records)}


@handles("kill_server")
def kill_server(server: Server) -> Result:
    # After the reply is sent: the shutdown closes the connection.
    server.loop.call_soon(server.shutdown, "a client asked for it")
    return {}

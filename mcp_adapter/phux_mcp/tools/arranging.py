"""Tools that create, arrange and kill sessions, windows and panes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core.calls import CALLS
from phux_core.errors import BadRequestError
from phux_core.kinds import BOOLEAN, TEXT, Param, whole
from phux_mcp.arguments import ARGV
from phux_mcp.catalog import document
from phux_mcp.own_panes import refuse_own
from phux_mcp.tools.registry import ANY_TARGET, TARGET, shared, tool

if TYPE_CHECKING:
    from phux_client.flows import Document
    from phux_mcp.calling import Call


def _place() -> Document:
    """Return the schema of a place, with few fields because four tools include it."""
    schema = document("place")
    names = ("session", "window", "window_name", "pane", "terminal_id", "cols", "rows", "zoomed")
    return {**schema, "properties": {name: schema["properties"][name] for name in names}, "required": ["terminal_id"]}


_NEW, _SPLIT, _PUSH = (CALLS[name].params for name in ("new_session", "split", "push_divider"))
_COLS, _ROWS = (param.but(kind=whole(1, 1000)) for param in shared(CALLS["resize"].params, "cols rows"))
_DETAILS = "session_id window_id"


@tool(
    "phux_new",
    "Create a session",
    _NEW["name"].but(required=True),
    _NEW["command"].but(kind=ARGV),
    _NEW["cwd"].but(required=False, omitted=""),
    output=lambda: document("created"),
    seed="name command cwd",
    runs_programs=True,
)
async def new(call: Call, name: str, **program: Any) -> Document:
    """Create a named session on the running server, without attaching. The server must already be running."""
    # Commands of a model do not belong in the user's history file.
    made = await call.drive(flows.new, name, history=False, **program)
    return {"session": made["session"], "terminal_id": made["pane_id"]}


@tool(
    "phux_split",
    "Split a pane, or create a window",
    TARGET.but(required=True),
    _SPLIT["direction"].but(required=False, omitted="right"),
    Param("size", TEXT, "columns or rows of the new pane, or a share such as 30%", omitted="half"),
    Param("window", BOOLEAN, "create a window instead"),
    CALLS["new_window"].params["name"],
    _SPLIT["command"],
    _SPLIT["cwd"].but(omitted=""),
    _SPLIT["select"],
    output=_place,
    details=_DETAILS,
    runs_programs=True,
)
async def split(
    call: Call,
    target: str,
    direction: str | None = None,
    size: str | None = None,
    window: bool = False,
    name: str | None = None,
    **program: Any,
) -> Document:
    """Split a pane in two and start a program in the new one, or with `window` create a window in the session."""
    if window:
        if direction is not None or size is not None:
            raise BadRequestError("a window has no direction or size", remedy="leave them out, or leave out `window`")
        return await call.drive(flows.new_window, target, name=name, **program)
    if name is not None:
        raise BadRequestError("a pane has no name", remedy="leave out `name`, or set `window` to create a window")
    return await call.drive(flows.split, target, direction or "right", size=size, **program)


@tool("phux_select", "Focus a session, window or pane", ANY_TARGET, output=_place, details=_DETAILS, idempotent=True)
async def select(call: Call, target: str) -> Document:
    """Give a session, window or pane the focus; attached clients then show it."""
    return await call.drive(flows.select, target)


@tool(
    "phux_rename",
    "Rename a session or window",
    ANY_TARGET,
    CALLS["rename"].params["name"],
    output=_place,
    details=_DETAILS,
)
async def rename(call: Call, target: str, name: str) -> Document:
    """Rename a session or a window."""
    return await call.drive(flows.rename, target, name)


@tool(
    "phux_resize",
    "Resize or zoom a pane",
    ANY_TARGET,
    _COLS,
    _ROWS,
    _PUSH["side"].but(doc="the direction to move the pane's divider in", required=False),
    _PUSH["by"].but(doc="the number of cells to move the divider by", kind=whole(1, 1000), required=False),
    CALLS["zoom"].params["on"].but(name="zoom", doc="give the pane the whole window", omitted=""),
    output=_place,
    details=_DETAILS,
)
async def resize(call: Call, target: str, zoom: bool | None = None, **sizes: Any) -> Document:
    """Set the size of a pane or window, move a pane's divider, or zoom a pane. Programs receive their new size."""
    if zoom is None:
        return await call.drive(flows.resize, target, **sizes)
    if sizes:
        raise BadRequestError("`zoom` cannot be combined with a size", remedy="send `zoom` alone")
    return await call.drive(flows.zoom, target, zoom)


@tool(
    "phux_kill", "Kill a session, window or pane", ANY_TARGET, safety="destructive", output=lambda: document("killed")
)
async def kill(call: Call, target: str) -> Document:
    """End the programs of a session, a window or a pane, and remove it. Refused for the pane this host runs in."""
    phux = await call.phux()
    found = await phux.drive(flows.find(target, phux.caller))
    refuse_own("kill", found.scope, found.node, phux.caller.pane)
    return await call.drive(flows.kill, (found.scope, found.node["id"]))

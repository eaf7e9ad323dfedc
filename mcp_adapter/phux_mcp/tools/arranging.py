"""Tools that create, arrange and kill sessions, windows and panes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core import selector
from phux_core.calls import CALLS
from phux_core.errors import BadRequestError
from phux_core.kinds import BOOLEAN, TEXT, Param, list_of, whole
from phux_mcp.answers import Answer
from phux_mcp.catalog import Tool, document
from phux_mcp.own_panes import refuse_own
from phux_mcp.tools.params import ANY_TARGET, SOCKET, TARGET, connect, shared

if TYPE_CHECKING:
    from phux_mcp.methods import Call

    Arguments = dict[str, Any]


async def new(call: Call, arguments: Arguments) -> Answer:
    """Create a session."""
    phux = await connect(call, arguments)
    # Commands of a model do not belong in the user's history file.
    flow = flows.new(
        phux.caller, arguments["name"], cwd=arguments.get("cwd"), command=arguments.get("command"), history=False
    )
    made = await phux.drive(flow)
    return Answer({"session": made["session"], "terminal_id": made["pane_id"]})


async def split(call: Call, arguments: Arguments) -> Answer:
    """Create a pane next to another one, or a window."""
    phux = await connect(call, arguments)
    options = {name: arguments[name] for name in ("cwd", "command", "select") if name in arguments}
    target, size = arguments["target"], arguments.get("size")
    if arguments.get("window"):
        if "direction" in arguments or size is not None:
            raise BadRequestError(
                "a window has no direction and no size", remedy="leave them out, or leave out `window`"
            )
        flow = flows.new_window(phux.caller, target, name=arguments.get("name"), **options)
    elif "name" in arguments:
        raise BadRequestError("a pane has no name", remedy="leave `name` out, or set `window` to make a window")
    else:
        share = int(size) if size is not None and size.isdecimal() else size
        flow = flows.split(phux.caller, target, arguments.get("direction", "right"), size=share, **options)
    return Answer(await phux.drive(flow))


async def select(call: Call, arguments: Arguments) -> Answer:
    """Give the focus to a session, a window or a pane."""
    phux = await connect(call, arguments)
    return Answer(await phux.drive(flows.select(phux.caller, arguments["target"])))


async def rename(call: Call, arguments: Arguments) -> Answer:
    """Rename a session or a window."""
    phux = await connect(call, arguments)
    return Answer(await phux.drive(flows.rename(phux.caller, arguments["target"], arguments["name"])))


async def resize(call: Call, arguments: Arguments) -> Answer:
    """Resize a pane or a window, or zoom a pane."""
    phux = await connect(call, arguments)
    target = arguments["target"]
    sizes = {name: arguments[name] for name in ("cols", "rows", "side", "by") if name in arguments}
    if "zoom" in arguments:
        if sizes:
            raise BadRequestError("zooming and resizing are two things", remedy="send `zoom` alone")
        return Answer(await phux.drive(flows.zoom(phux.caller, target, arguments["zoom"])))
    return Answer(await phux.drive(flows.resize(phux.caller, target, **sizes)))


async def kill(call: Call, arguments: Arguments) -> Answer:
    """Kill a session, a window or a pane, but never the one in which the host runs."""
    phux = await connect(call, arguments)
    tree = await phux.drive(flows.tree())
    scope, node = selector.resolve_object(tree, arguments["target"], phux.caller.pane)
    refuse_own(scope, node, phux.caller.pane, "killed")
    return Answer(await phux.drive(flows.kill(phux.caller, (scope, node["id"]))))


def _place() -> dict[str, Any]:
    """Return the schema of a place, limited to what a model needs because four tools include it."""
    schema = document("place")
    names = ("session", "window", "window_name", "pane", "terminal_id", "cols", "rows", "zoomed")
    return {**schema, "properties": {name: schema["properties"][name] for name in names}, "required": ["terminal_id"]}


_NEW, _SPLIT = CALLS["new_session"].params, CALLS["split"].params
_COLS, _ROWS = (param.but(kind=whole(1, 1000)) for param in shared(CALLS["resize"].params, "cols", "rows"))

TOOLS = (
    Tool(
        "phux_new",
        "Make a session",
        "Make a named session on the running server, without attaching. The server must already be running.",
        new,
        params=(
            _NEW["name"].but(required=True),
            _NEW["command"].but(kind=list_of(TEXT, "a list of strings")),
            _NEW["cwd"].but(required=False, omitted=""),
            SOCKET,
        ),
        seed=("name", "command", "cwd", "socket"),
        output=lambda: document("created"),
    ),
    Tool(
        "phux_split",
        "Split a pane, or make a window",
        "Split a pane in two and start a program in the new one, or with `window` make a new window in the session.",
        split,
        params=(
            TARGET.but(required=True),
            _SPLIT["direction"].but(required=False, default="right"),
            Param("size", TEXT, "columns or rows of the new pane, or a share such as 30%", omitted="half"),
            Param("window", BOOLEAN, "make a window instead"),
            CALLS["new_window"].params["name"],
            *shared(_SPLIT, "command", "cwd", "select"),
            SOCKET,
        ),
        output=_place,
    ),
    Tool(
        "phux_select",
        "Give the focus",
        "Give a session, window or pane the focus; people who look at it see it.",
        select,
        params=(ANY_TARGET, SOCKET),
        output=_place,
        idempotent=True,
    ),
    Tool(
        "phux_rename",
        "Rename a session or window",
        "Rename a session or a window.",
        rename,
        params=(ANY_TARGET, CALLS["rename"].params["name"], SOCKET),
        output=_place,
    ),
    Tool(
        "phux_resize",
        "Resize",
        "Set the size of a pane or window, move a pane's divider, or zoom a pane. Programs are told their new size.",
        resize,
        params=(
            ANY_TARGET,
            _COLS,
            _ROWS,
            CALLS["push_divider"].params["side"].but(required=False),
            CALLS["push_divider"].params["by"].but(kind=whole(1, 1000), required=False),
            CALLS["zoom"].params["on"].but(name="zoom", omitted=""),
            SOCKET,
        ),
        output=_place,
    ),
    Tool(
        "phux_kill",
        "End a session, window or pane",
        "End the programs of a session, a window or a pane, and forget it. The host's own pane is refused.",
        kill,
        safety="destructive",
        params=(ANY_TARGET, SOCKET),
        output=lambda: document("killed"),
    ),
)

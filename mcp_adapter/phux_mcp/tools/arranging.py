"""Tools that make, arrange and end sessions, windows and panes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core import selector
from phux_core.errors import BadRequestError
from phux_mcp.answers import Answer
from phux_mcp.catalog import Tool, document
from phux_mcp.own_panes import refuse_own
from phux_mcp.tools.params import ANY_TARGET, SOCKET, TARGET, connect, count, flag, text, words

if TYPE_CHECKING:
    from phux_mcp.methods import Call

    Arguments = dict[str, Any]


async def new(call: Call, arguments: Arguments) -> Answer:
    """Make a session."""
    phux = await connect(call, arguments)
    # What a model runs is no part of the person's history.
    flow = flows.new(
        phux.caller, arguments["name"], cwd=arguments.get("cwd"), command=arguments.get("command"), history=False
    )
    made = await phux.drive(flow)
    return Answer({"session": made["session"], "terminal_id": made["pane_id"]})


async def split(call: Call, arguments: Arguments) -> Answer:
    """Make a pane beside another one, or a window."""
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
    """Give something the focus."""
    phux = await connect(call, arguments)
    return Answer(await phux.drive(flows.select(phux.caller, arguments["target"])))


async def rename(call: Call, arguments: Arguments) -> Answer:
    """Give a session or a window another name."""
    phux = await connect(call, arguments)
    return Answer(await phux.drive(flows.rename(phux.caller, arguments["target"], arguments["name"])))


async def resize(call: Call, arguments: Arguments) -> Answer:
    """Change a size, or zoom."""
    phux = await connect(call, arguments)
    target = arguments["target"]
    sizes = {name: arguments[name] for name in ("cols", "rows", "side", "by") if name in arguments}
    if "zoom" in arguments:
        if sizes:
            raise BadRequestError("zooming and resizing are two things", remedy="send `zoom` alone")
        return Answer(await phux.drive(flows.zoom(phux.caller, target, arguments["zoom"])))
    return Answer(await phux.drive(flows.resize(phux.caller, target, **sizes)))


async def kill(call: Call, arguments: Arguments) -> Answer:
    """End a session, a window or a pane, but never the one the host lives in."""
    phux = await connect(call, arguments)
    tree = await phux.drive(flows.tree())
    scope, node = selector.resolve_object(tree, arguments["target"], phux.caller.pane)
    refuse_own(scope, node, phux.caller.pane, "killed")
    return Answer(await phux.drive(flows.kill_by_id(scope, node["id"])))


def _place() -> dict[str, Any]:
    """Make the schema of a place; four tools have it, so it has what a model needs."""
    schema = document("place")
    names = ("session", "window", "window_name", "pane", "terminal_id", "cols", "rows", "zoomed")
    return {**schema, "properties": {name: schema["properties"][name] for name in names}, "required": ["terminal_id"]}


TOOLS = (
    Tool(
        "phux_new",
        "Make a session",
        "Make a named session on the running server, without attaching. The server must already be running.",
        new,
        properties={
            "name": text("Name for the new session. A name already in use is rejected."),
            "command": words("Initial command (argv). Omit or pass [] for the default shell."),
            "cwd": text("Working directory of its program."),
            "socket": SOCKET,
        },
        required=("name",),
        seed=("name", "command", "cwd", "socket"),
        output=lambda: document("created"),
    ),
    Tool(
        "phux_split",
        "Split a pane, or make a window",
        "Split a pane in two and start a program in the new one, or with `window` make a new window in the session.",
        split,
        properties={
            "target": TARGET,
            "direction": {
                "type": "string",
                "enum": ["right", "down"],
                "description": "Where it goes, right when omitted.",
            },
            "size": text("Columns or rows it gets, or a part such as 30%; half when omitted."),
            "window": flag("Make a window instead."),
            "name": text("The window's name."),
            "command": words("Program and arguments; the shell when omitted."),
            "cwd": text("Where it starts; where the target is when omitted."),
            "select": flag("Give it the focus."),
            "socket": SOCKET,
        },
        required=("target",),
        output=_place,
    ),
    Tool(
        "phux_select",
        "Give the focus",
        "Give a session, window or pane the focus; people who look at it see it.",
        select,
        properties={"target": ANY_TARGET, "socket": SOCKET},
        required=("target",),
        output=_place,
        idempotent=True,
    ),
    Tool(
        "phux_rename",
        "Rename a session or window",
        "Give a session or a window another name.",
        rename,
        properties={"target": ANY_TARGET, "name": text("The new name."), "socket": SOCKET},
        required=("target", "name"),
        output=_place,
    ),
    Tool(
        "phux_resize",
        "Resize",
        "Set the size of a pane or window, move a pane's divider, or zoom a pane. Programs are told their new size.",
        resize,
        properties={
            "target": ANY_TARGET,
            "cols": count("Columns.", minimum=1, maximum=1000),
            "rows": count("Rows.", minimum=1, maximum=1000),
            "side": {
                "type": "string",
                "enum": ["left", "right", "up", "down"],
                "description": "Which way to move the divider.",
            },
            "by": count("By how many cells.", minimum=1, maximum=1000),
            "zoom": flag("Whether the pane has the whole window for now."),
            "socket": SOCKET,
        },
        required=("target",),
        output=_place,
    ),
    Tool(
        "phux_kill",
        "End a session, window or pane",
        "End the programs of a session, a window or a pane, and forget it. The host's own pane is refused.",
        kill,
        safety="destructive",
        properties={"target": ANY_TARGET, "socket": SOCKET},
        required=("target",),
        output=lambda: document("killed"),
    ),
)

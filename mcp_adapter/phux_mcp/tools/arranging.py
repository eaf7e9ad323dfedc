"""Tools that make, arrange and end sessions, windows and panes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core import selector
from phux_mcp.answers import Answer
from phux_mcp.catalog import Tool, document
from phux_mcp.own_panes import refuse_own
from phux_mcp.tools.params import ANY_TARGET, SOCKET, connect, text, words

if TYPE_CHECKING:
    from phux_mcp.methods import Call

    Arguments = dict[str, Any]


async def new(call: Call, arguments: Arguments) -> Answer:
    """Make a session."""
    phux = await connect(call, arguments)
    flow = flows.new(phux.caller, arguments["name"], cwd=arguments.get("cwd"), command=arguments.get("command"))
    made = await phux.drive(flow)
    return Answer({"session": made["session"], "terminal_id": made["pane_id"]})


async def kill(call: Call, arguments: Arguments) -> Answer:
    """End a session, a window or a pane, but never the one the host lives in."""
    phux = await connect(call, arguments)
    tree = await phux.drive(flows.tree())
    scope, node = selector.resolve_object(tree, arguments["target"], phux.caller.pane)
    refuse_own(scope, node, phux.caller.pane, "killed")
    return Answer(await phux.drive(flows.kill_by_id(scope, node["id"])))


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

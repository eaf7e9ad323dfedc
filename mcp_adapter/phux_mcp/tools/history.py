"""Tools that read the output and commands of panes, even of panes that are gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core.calls import CALLS
from phux_core.errors import BadRequestError
from phux_core.kinds import TEXT, Param, whole
from phux_mcp.answers import LONGEST_MATCH, Answer, clipped
from phux_mcp.budget import Budget
from phux_mcp.catalog import Tool, document
from phux_mcp.tools.params import HINT, MAX_BYTES, SOCKET, connect, shared

if TYPE_CHECKING:
    from phux_mcp.methods import Call

    Arguments = dict[str, Any]
    Document = dict[str, Any]

_QUERY = ("lines", "from_byte", "since", "grep", "context", "head", "tail")
_MATCHES = 50
_COMMANDS = 20


async def logs(call: Call, arguments: Arguments) -> Answer:
    """Return the output of a pane or of a command."""
    phux = await connect(call, arguments)
    query = {name: arguments[name] for name in _QUERY if name in arguments}
    command, target = arguments.get("command_id"), arguments.get("target")
    if command is not None and (
        wrong := [name for name in ("lines", "from_byte", "since", "target") if name in arguments]
    ):
        raise BadRequestError(f"`{wrong[0]}` is of a pane's log, not of a command's output", remedy="leave it out")

    async def read(max_bytes: int) -> Document:
        more = {**query, "max_bytes": max_bytes}
        if command is not None:
            return await phux.drive(flows.output(phux.caller, command, **more))
        return await phux.drive(flows.logs(phux.caller, target, **more))

    found = await Budget(arguments.get("max_bytes")).read(read)
    if found["truncated"] or found["omitted"]:
        place = found["next_byte" if "from_byte" in arguments else "first_byte"]
        where = "" if command is None else f"with target @{found['pane']} instead, "
        found["hint"] = f"{where}from_byte {place} reads on from there, piece by piece; grep, head and tail choose"
    return Answer(found)


async def search(call: Call, arguments: Arguments) -> Answer:
    """Search the logs of all panes."""
    phux = await connect(call, arguments)
    flow = flows.search(
        phux.caller,
        arguments["pattern"],
        session=arguments.get("session"),
        everywhere=arguments.get("everywhere", False),
        context=arguments.get("context", 0),
        max_matches=arguments.get("max_matches", _MATCHES),
    )
    found = await phux.drive(flow)
    matches = found["matches"]

    def build(count: int) -> Document:
        if count == len(matches) and not found["truncated"]:
            return found
        hint = "a narrower pattern, a session, less context or a larger max_matches finds the rest"
        return {**found, "matches": matches[:count], "truncated": True, "hint": hint}

    return Answer(Budget().fill(len(matches), build))


async def commands(call: Call, arguments: Arguments) -> Answer:
    """Return the newest entries of the command ledger."""
    phux = await connect(call, arguments)
    found = await phux.drive(flows.commands(phux.caller, arguments.get("target")))
    entries = [
        entry if entry["command"] is None else {**entry, "command": clipped(entry["command"], LONGEST_MATCH)}
        for entry in found["commands"]
    ]

    def build(count: int) -> Document:
        if count == len(entries):
            return {**found, "commands": entries}
        hint = "a larger max_commands, or a target, tells older ones"
        kept = entries[len(entries) - count :]
        return {**found, "commands": kept, "omitted": len(entries) - count, "hint": hint}

    return Answer(Budget().fill(min(len(entries), arguments.get("max_commands", _COMMANDS)), build))


_ANY_PANE = Param("target", TEXT, "the pane, also one that is gone; or a log's id")

TOOLS = (
    Tool(
        "phux_logs",
        "Read what a pane wrote",
        "Read what a pane wrote, escape sequences applied: its last 500 lines by default, or with `command_id` "
        "one command's output. Logs outlive panes.",
        logs,
        safety="read-only",
        params=(
            _ANY_PANE,
            Param("command_id", TEXT, "instead, a command's id, from phux_commands or a detached phux_run"),
            *shared(CALLS["logs"].params, *_QUERY),
            MAX_BYTES,
            SOCKET,
        ),
        output=lambda: {**document("log-text", more=HINT), "required": ["content", "truncated", "next_byte"]},
        renamed={"command": "command_id"},
    ),
    Tool(
        "phux_search",
        "Search all logs",
        "Search what all panes wrote, or those of one session, for a Python regex.",
        search,
        safety="read-only",
        params=(
            CALLS["search"].params["pattern"],
            CALLS["search"].params["session"].but(kind=TEXT),
            *shared(CALLS["search"].params, "everywhere", "context"),
            CALLS["search"].params["max_matches"].but(kind=whole(1, 1000), default=_MATCHES),
            SOCKET,
        ),
        output=lambda: document("matches", more=HINT),
    ),
    Tool(
        "phux_commands",
        "List what ran",
        "List commands that ran in a pane, or in all: id, exit code, times, directory; newest last.",
        commands,
        safety="read-only",
        params=(
            _ANY_PANE,
            Param("max_commands", whole(1, 1000), "the most commands to return", default=_COMMANDS),
            SOCKET,
        ),
        output=lambda: document("command-list", more={**HINT, "omitted": {"type": "integer"}}),
    ),
)

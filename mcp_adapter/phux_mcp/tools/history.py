"""Tools that read the output and commands of panes, even of panes that are gone."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from phux_client import flows, stored_logs
from phux_core.calls import CALLS
from phux_core.errors import BadRequestError
from phux_core.kinds import TEXT, Param, whole
from phux_mcp.answers import LONGEST_MATCH, clipped
from phux_mcp.arguments import SELECTOR
from phux_mcp.budget import Budget
from phux_mcp.catalog import HINT, INTEGER, document
from phux_mcp.tools.registry import MAX_BYTES, shared, tool

if TYPE_CHECKING:
    from phux_client.flows import Document
    from phux_mcp.calling import Call

_ANY_PANE = Param("target", SELECTOR, "the pane, even a closed one, or a log's id")
_SEARCH = CALLS["search"].params
_SELECTION = (
    Param("since", TEXT, "only from this time on: 2026-05-01T12:00, yesterday, 2h (ago)"),
    Param("until", TEXT, "only before this time"),
    _SEARCH["failed"].but(doc="only of commands with a non-zero exit code"),
    _SEARCH["exit_code"].but(doc="only of commands with this exit code"),
)


@tool(
    "phux_logs",
    "Read the output of a pane",
    _ANY_PANE,
    Param("command_id", TEXT, "instead of `target`: a command's id"),
    *shared(CALLS["logs"].params, "lines since"),
    CALLS["logs"].params["from_byte"].but(doc="the sequence number to start at"),
    *shared(CALLS["logs"].params, "grep context head tail"),
    MAX_BYTES,
    safety="read-only",
    output=lambda: {**document("log-text", more=HINT), "required": ["content", "truncated", "next_byte"]},
    renamed={"command": "command_id"},
    details="log target command_id id cwd by client started_at ended_at start end",
)
async def logs(
    call: Call, target: str | None = None, command_id: str | None = None, max_bytes: int | None = None, **query: Any
) -> Document:
    """Read the output of a pane as a terminal shows it, by default the last 500 lines.

    With `command_id`, read the output of one command. Logs outlive panes.
    """
    if command_id is not None:
        for name, value in (query | {"target": target}).items():
            if value is not None and name in {"lines", "from_byte", "since", "target"}:
                raise BadRequestError(f"`{name}` cannot be combined with `command_id`", remedy="leave one of them out")

    async def read(most: int) -> Document:
        if command_id is not None:
            return await call.read(flows.output, command_id, **query, max_bytes=most)
        return await call.read(flows.logs, target, **query, max_bytes=most)

    found = await Budget(max_bytes).read(read)
    if found["truncated"] or found["omitted"]:
        place = found["next_byte" if "from_byte" in query else "first_byte"]
        where = "" if command_id is None else f"with target @{found['pane']} instead, "
        found["hint"] = f"{where}from_byte {place} reads from that position; grep, head and tail select lines"
    return found


@tool(
    "phux_search",
    "Search all logs",
    _SEARCH["pattern"],
    _SEARCH["session"].but(kind=TEXT),
    *shared(_SEARCH, "everywhere"),
    *_SELECTION,
    *shared(_SEARCH, "context"),
    _SEARCH["max_matches"].but(kind=whole(1, 1000), default=50),
    safety="read-only",
    output=lambda: document("matches", more=HINT),
    details="offset log",
)
async def search(call: Call, **query: Any) -> Document:
    """Search the output of panes for a Python regex, with the time and the command of each match."""
    of_stored = {name: value for name, value in query.items() if name != "everywhere"}
    found = await call.read(flows.search, **query, stored=partial(stored_logs.search, **of_stored))
    matches = found["matches"]

    def build(count: int) -> Document:
        if count == len(matches) and not found["truncated"]:
            return found
        hint = "use a narrower pattern, a session, less context or a larger max_matches to get the rest"
        return {**found, "matches": matches[:count], "truncated": True, "hint": hint}

    return Budget().fill(len(matches), build)


@tool(
    "phux_commands",
    "List commands",
    _ANY_PANE,
    CALLS["commands"].params["everywhere"],
    *_SELECTION,
    CALLS["commands"].params["grep"].but(doc="only command lines that match this Python regex"),
    Param("max_commands", whole(1, 1000), "the most commands to return", default=20),
    safety="read-only",
    output=lambda: document("command-list", more={**HINT, "omitted": INTEGER}),
    details="id target client ended_at start end",
)
async def commands(call: Call, max_commands: int, target: str | None = None, **query: Any) -> Document:
    """List the commands that ran in a pane, or in all panes: id, exit code, times, directory; newest last."""
    found = await call.read(flows.commands, target, **query)
    entries = [
        entry if entry["command"] is None else {**entry, "command": clipped(entry["command"], LONGEST_MATCH)}
        for entry in found["commands"]
    ]

    def build(count: int) -> Document:
        if count == len(entries):
            return {**found, "commands": entries}
        hint = "use a larger max_commands or narrower filters to get older commands"
        kept = entries[len(entries) - count :]
        return {**found, "commands": kept, "omitted": len(entries) - count, "hint": hint}

    return Budget().fill(min(len(entries), max_commands), build)

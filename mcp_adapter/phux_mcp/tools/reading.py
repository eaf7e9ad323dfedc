"""Tools that only read: they have no effect on a pane."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_client.flows.reading import session_list
from phux_core import selector
from phux_core.calls import CALLS
from phux_core.conditions import CONDITIONS
from phux_core.errors import BadRequestError
from phux_core.kinds import TEXT, Param, list_of, one_of, whole
from phux_mcp.answers import LONGEST_MATCH, Answer, clipped, pretty
from phux_mcp.budget import TOKENS, Budget, tokens
from phux_mcp.catalog import document
from phux_mcp.tools.registry import HINT, MAX_BYTES, TARGET, TIMEOUT, WHOLE_NUMBER, shared, tool
from phux_mcp.tools.screens import within

if TYPE_CHECKING:
    from phux_client import Phux
    from phux_mcp.methods import Call

    Arguments = dict[str, Any]
    Document = dict[str, Any]

_MAX_EVENTS = 1000


def _watch_schema() -> Document:
    event = {
        "type": "object",
        "properties": {"event": {"type": "string"}, "terminal": {"type": "string"}},
        "required": ["event"],
    }
    properties: Document = {
        "events": {"type": "array", "items": event},
        "count": {"type": "integer"},
        "outcome": {"enum": ["max_events", "timed_out", "ended", "full"]},
    }
    return {"type": "object", "properties": properties | HINT, "required": list(properties)}


def _wait_schema() -> Document:
    string = {"type": "string"}
    properties = {
        "outcome": {"enum": ["met", "timed_out", "stopped"]},
        "polls": {"type": "integer"},
        "pane": string,
        "seq": {"type": "integer"},
        "state": string,
        "screen_tail": {"type": "array", "items": string},
    }
    more = {"condition": string, "line": string}
    return {"type": "object", "properties": properties | more, "required": list(properties)}


def _screen_schema() -> Document:
    """Return the schema of a screen, or of what changed on it."""
    changes = document("screen-changes")["properties"]
    more = {name: changes[name] for name in ("changed", "since", "scrolled", "full")}
    schema = document("screen-state", more={**more, **_MORE})
    for name in ("met", "met_line"):  # a snapshot has no condition to meet
        del schema["properties"][name]
    only_whole = {"lines", "scrollback", "soft_wrap"}
    return {**schema, "required": [name for name in schema["required"] if name not in only_whole]}


def changes_schema() -> Document:
    """Return the schema of what changed on a screen."""
    return document("screen-changes", more=_MORE)


_OMITTED: Document = {"omitted": {"type": "integer"}, **HINT}
_MORE: Document = {
    "state": {"type": "string"},  # the server instructions list the states
    "highlights": {"type": "array", "items": {"type": "object"}},
    "omitted": {"type": "object"},
}
_SNAPSHOT = CALLS["snapshot"].params


@tool(
    "phux_ls",
    "List sessions",
    MAX_BYTES,
    safety="read-only",
    output=lambda: document("session-list", deep=True, more=_OMITTED),
    seed="",
)
async def ls(call: Call, phux: Phux, arguments: Arguments) -> Answer:
    """List the sessions of the running phux server."""
    tree = await phux.drive(flows.tree())
    listed = session_list(tree)
    by_name = {session["name"]: session for session in tree["sessions"]}
    raw = [
        {
            "name": session["name"],
            "window_count": session["windows"],
            "attached_client_count": by_name[session["name"]]["attached_clients"],
        }
        for session in listed["sessions"]
    ]
    if call.revision.seed:
        return Answer(listed, pretty({"sessions": raw}))
    text = _sessions_that_fit({"sessions": raw}, arguments)
    kept = listed["sessions"][: len(text["sessions"])]
    return Answer({**listed, **text, "sessions": kept}, pretty(text))


@tool(
    "phux_tree",
    "List sessions, windows and panes",
    Param("session", TEXT, "only this session"),
    MAX_BYTES,
    safety="read-only",
    output=lambda: document("tree", more=_OMITTED),
)
async def tree(_call: Call, phux: Phux, arguments: Arguments) -> Document:
    """List every session, window and pane: size, title, program, directory and state."""
    tree = await phux.drive(flows.tree())
    if "session" in arguments:
        scope, session = selector.resolve_object(tree, arguments["session"], phux.caller.pane)
        if scope != "session":
            raise BadRequestError(
                f"{arguments['session']!r:.80} is not a session", remedy="send a session's name; phux_ls lists them"
            )
        tree["sessions"] = [session]
    return _sessions_that_fit(tree, arguments)


def _sessions_that_fit(found: Document, arguments: Arguments) -> Document:
    sessions = found["sessions"]

    def build(count: int) -> Document:
        if count == len(sessions):
            return found
        hint = "use a larger max_bytes to get the others, or pass session to phux_tree to get one"
        return {**found, "sessions": sessions[:count], "omitted": len(sessions) - count, "hint": hint}

    return Budget(arguments.get("max_bytes")).fill(len(sessions), build)


@tool(
    "phux_snapshot",
    "Read a screen",
    TARGET,
    _SNAPSHOT["scrollback"].but(kind=WHOLE_NUMBER),
    _SNAPSHOT["cells"].but(doc="add the styled cells, and `highlights`: styled runs of text"),
    _SNAPSHOT["since"],
    MAX_BYTES,
    safety="read-only",
    output=_screen_schema,
    seed="target scrollback cells",
)
async def snapshot(call: Call, phux: Phux, arguments: Arguments) -> Document:
    """Read a pane's screen as structured data. Has no side effects: it does not attach or resize."""
    target, cells = arguments.get("target"), arguments.get("cells", False)
    if "since" in arguments:
        screen = await phux.drive(flows.changes(phux.caller, target, arguments["since"], cells=cells))
    else:
        flow = flows.snapshot(phux.caller, target, scrollback=arguments.get("scrollback"), cells=cells)
        screen = await phux.drive(flow)
    return screen if call.revision.seed else within(screen, Budget(arguments.get("max_bytes")))


@tool(
    "phux_wait",
    "Wait for a pane",
    TARGET,
    *shared(CONDITIONS, "until", "regex", "gone", "state", "stop"),
    CONDITIONS["idle_ms"].but(kind=WHOLE_NUMBER),
    *shared(CONDITIONS, "since", "output_only"),
    TIMEOUT,
    safety="read-only",
    output=_wait_schema,
    seed="target until idle_ms timeout_secs",
)
async def wait(call: Call, phux: Phux, arguments: Arguments) -> Document:
    """Wait until one of the conditions holds; without a condition, until nothing was written for 500 ms.

    `until` and `regex` take precedence over `idle_ms`.
    """
    until, regex = arguments.get("until"), arguments.get("regex")
    others = {name: arguments[name] for name in ("state", "stop", "since", "gone") if name in arguments}
    # A condition on text takes precedence over idleness, which occurs whenever a program pauses.
    idle_ms = None if until is not None or regex is not None else arguments.get("idle_ms")
    timeout_s = arguments.get("timeout_secs")
    wanted = flows.Conditions(
        until=until, regex=regex, idle_ms=idle_ms, output_only=arguments.get("output_only", False), **others
    )
    flow = flows.wait(phux.caller, arguments.get("target"), wanted, timeout_s=timeout_s)
    began = time.monotonic()

    async def message() -> str:
        return f"waited {time.monotonic() - began:.0f} s so far"

    async with call.progress.ticking(timeout_s, message):
        outcome = await phux.drive(flow)
    result: Document = {
        "outcome": "timed_out" if outcome.met is None else "stopped" if outcome.met == "stop" else "met",
        "polls": outcome.looks,
    }
    if call.revision.seed:
        return result
    screen = outcome.screen
    found = {"condition": outcome.met, "line": outcome.line and clipped(outcome.line, LONGEST_MATCH)}
    result |= {name: value for name, value in found.items() if value is not None}
    result |= {"pane": f"@{screen['pane']}", "seq": outcome.seq, "state": screen["state"], "screen_tail": tail(screen)}
    return result


def tail(screen: Document, rows: int = 8) -> list[str]:
    """Return the last rows of a screen, not counting blank rows at its end."""
    lines: list[str] = screen["lines"]
    end = next((row for row in range(len(lines), 0, -1) if lines[row - 1]), 0)
    return [clipped(line) for line in lines[max(0, end - rows) : end]]


class _Enough(Exception):  # noqa: N818  it ends a watch and is not an error
    """A watch has collected the requested number of events, or as many as fit in the result."""


@tool(
    "phux_watch",
    "Collect events",
    TARGET.but(omitted="the whole server"),
    Param("events", list_of(one_of(*flows.EVENTS), "a list of event names", least=1), "only these events"),
    Param("max_events", whole(1, _MAX_EVENTS), "maximum number of events", default=20),
    TIMEOUT.but(default=30, omitted=""),
    safety="read-only",
    output=_watch_schema,
)
async def watch(call: Call, phux: Phux, arguments: Arguments) -> Document:
    """Collect events of a pane or of the server, up to max_events or timeout_secs."""
    wanted = arguments.get("events")
    most, timeout_s = arguments.get("max_events", 20), arguments.get("timeout_secs", 30)
    events: list[Document] = []
    room = TOKENS

    def take(event: Document) -> None:
        nonlocal room
        if wanted and event["event"] not in wanted:
            return
        room -= tokens(pretty([event]))
        if room < 0:
            raise _Enough
        events.append(event)
        call.progress.report(len(events), most, event["event"])
        if len(events) >= most:
            raise _Enough

    try:
        outcome = await phux.drive(flows.watch(phux.caller, arguments.get("target"), take, timeout_s=timeout_s))
    except _Enough:
        outcome = "max_events" if room >= 0 else "full"
    result = {"events": events, "count": len(events), "outcome": outcome}
    if outcome == "full":
        result["hint"] = "the result is full; filter with `events`, or call again for later events"
    return result

"""Tools that only read: they have no effect on a pane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_client import flows
from phux_client.flows.reading import session_list
from phux_core.calls import CALLS
from phux_core.errors import BadRequestError
from phux_core.kinds import BOOLEAN, TEXT, Kind, Param, list_of, one_of, whole
from phux_mcp.answers import Answer, compact
from phux_mcp.budget import TOKENS, Budget, tokens
from phux_mcp.catalog import HINT, INTEGER, STRING, an_object, document
from phux_mcp.targets import tree_with_targets
from phux_mcp.tools.registry import MAX_BYTES, TARGET, TIMEOUT, WHOLE_NUMBER, tool
from phux_mcp.tools.screens import within

if TYPE_CHECKING:
    from phux_client.flows import Document
    from phux_mcp.calling import Call


def _watch_schema() -> Document:
    event = an_object({"event": STRING}, terminal=STRING)
    outcome = {"enum": ["max_events", "timed_out", "ended", "full"]}
    return an_object({"events": {"type": "array", "items": event}, "count": INTEGER, "outcome": outcome}, **HINT)


def _screen_schema() -> Document:
    """Return the schema of a screen, or of its changes."""
    changes = document("screen-changes")["properties"]
    more = {name: changes[name] for name in ("changed", "since", "scrolled", "full")}
    schema = document("screen-state", more={**more, **_MORE})
    for name in ("met", "met_line", "cursor_shape", "at"):  # a snapshot of now has no condition to meet
        del schema["properties"][name]
    only_whole = {"lines", "scrollback", "soft_wrap"}
    return {**schema, "required": [name for name in schema["required"] if name not in only_whole]}


def changes_schema() -> Document:
    """Return the schema of the changes of a screen."""
    schema = document("screen-changes", more=_MORE)
    del schema["properties"]["cursor_shape"]
    return schema


_OMITTED: Document = {"omitted": INTEGER, **HINT}
_MORE: Document = {
    "state": STRING,  # the server instructions list the states
    "highlights": {"type": "array", "items": {"type": "object"}},
    "omitted": {"type": "object"},
}
_SNAPSHOT = CALLS["snapshot"].params
HIGHLIGHTS = Param("highlights", BOOLEAN, "add styled text, such as the selected entry of a menu")
CELLS = Param("cells", BOOLEAN, "add highlights, and for programs the styled cells")
_EVENT = one_of(*flows.EVENTS)
# Without all their names, which take many tokens; an error lists them.
_EVENTS = list_of(Kind(_EVENT.words, _EVENT.fits, STRING), f"a list of {', '.join(flows.EVENTS)}", least=1)


@tool(
    "phux_ls",
    "List sessions",
    MAX_BYTES,
    safety="read-only",
    output=lambda: document("session-list", deep=True, more=_OMITTED),
    seed="",
)
async def ls(call: Call, max_bytes: int | None = None) -> Document:
    """List the sessions."""
    tree = await call.drive(flows.tree)
    listed = session_list(tree)
    if call.revision.seed:
        clients = {session["name"]: session["attached_clients"] for session in tree["sessions"]}
        sessions = [
            {"name": one["name"], "window_count": one["windows"], "attached_client_count": clients[one["name"]]}
            for one in listed["sessions"]
        ]
        return {"sessions": sessions}
    return _sessions_that_fit(listed, max_bytes)


@tool(
    "phux_tree",
    "List sessions, windows and panes",
    Param("session", TEXT, "only this session"),
    MAX_BYTES,
    safety="read-only",
    output=lambda: document("tree", more={**_OMITTED, "focused_pane": {"anyOf": [STRING, {"type": "null"}]}}),
    details="id created_at size_policy title pid",
)
async def tree(call: Call, session: str | None = None, max_bytes: int | None = None) -> Document:
    """List every session, window and pane: size, title, program, directory and state."""
    if session is None:
        return _sessions_that_fit(tree_with_targets(await call.drive(flows.tree)), max_bytes)
    phux = await call.phux()
    found = await phux.drive(flows.find(session, phux.caller))
    if found.scope != "session":
        raise BadRequestError(f"{session!r:.80} is not a session", remedy="phux_ls lists the sessions")
    return _sessions_that_fit(tree_with_targets({**found.tree, "sessions": [found.node]}), max_bytes)


def _sessions_that_fit(found: Document, max_bytes: int | None) -> Document:
    sessions = found["sessions"]

    def build(count: int) -> Document:
        if count == len(sessions):
            return found
        hint = "use a larger max_bytes to get the others, or pass session to phux_tree to get one"
        return {**found, "sessions": sessions[:count], "omitted": len(sessions) - count, "hint": hint}

    return Budget(max_bytes).fill(len(sessions), build)


@tool(
    "phux_snapshot",
    "Read a screen",
    TARGET,
    _SNAPSHOT["scrollback"].but(kind=WHOLE_NUMBER),
    HIGHLIGHTS,
    CELLS,
    _SNAPSHOT["since"],
    Param("image", BOOLEAN, "add a PNG image"),
    MAX_BYTES,
    safety="read-only",
    output=_screen_schema,
    seed="target scrollback cells",
    details="cols rows title",
)
async def snapshot(
    call: Call,
    target: str | None = None,
    since: int | None = None,
    max_bytes: int | None = None,
    cells: bool = False,
    highlights: bool = False,
    image: bool = False,
    scrollback: int | None = None,
) -> Answer:
    """Read a pane's screen."""
    if since is not None:
        screen = await call.drive(flows.changes, target, since, cells=cells or highlights)
    else:
        screen = await call.drive(flows.snapshot, target, scrollback=scrollback, cells=cells or highlights)
    if call.revision.seed:
        return Answer(screen)
    picture = await call.drive(flows.screenshot, target, "png") if image else None
    return Answer(within(screen, Budget(max_bytes), cells=cells), image=picture if isinstance(picture, bytes) else None)


class _Enough(Exception):  # noqa: N818  it ends a watch and is not an error
    """A watch has collected the requested number of events, or as many as fit in the result."""


@tool(
    "phux_watch",
    "Collect events",
    TARGET.but(omitted="the whole server"),
    Param("events", _EVENTS, "only these events, such as command_finished, state_changed or bell"),
    Param("max_events", whole(1, 1000), "maximum number of events", default=20),
    TIMEOUT.but(default=30, omitted=""),
    safety="read-only",
    output=_watch_schema,
)
async def watch(
    call: Call, max_events: int, timeout_secs: float, target: str | None = None, events: list[str] | None = None
) -> Document:
    """Collect events of a pane or of the server, up to max_events or timeout_secs."""
    taken: list[Document] = []
    room = TOKENS

    def take(event: Document) -> None:
        nonlocal room
        if events and event["event"] not in events:
            return
        room -= tokens(compact([event]))
        if room < 0:
            raise _Enough
        taken.append(event)
        call.progress.report(len(taken), max_events, event["event"])
        if len(taken) >= max_events:
            raise _Enough

    try:
        outcome = await call.drive(flows.watch, target, take, timeout_s=timeout_secs)
    except _Enough:
        outcome = "max_events" if room >= 0 else "full"
    result = {"events": taken, "count": len(taken), "outcome": outcome}
    if outcome == "full":
        result["hint"] = "the result is full; filter with `events`, or call again for later events"
    return result

"""``attach`` and ``detach``: find the session to attach to, and detach clients."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows.target import DEFAULT_TARGET, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document, Flow


def latest() -> "Flow[int | None]":
    """Return the id of the session to attach to by default; None if no program runs in any session.

    This is the focused session if a program runs in it, or else the newest session in which one runs.
    """
    tree = yield Request("tree")
    alive = [
        session
        for session in tree["sessions"]
        if any(pane["state"] != "dead" for window in session["windows"] for pane in window["panes"])
    ]
    focused = [session for session in alive if session["name"] == tree["focused_session"]]
    return (focused or alive)[-1]["id"] if alive else None


def go_to(caller: Caller, target: str, *, select: bool = True) -> "Flow[int]":
    """Return the id of the session that a selector names; with ``select``, focus the named window or pane in it."""
    found = yield from find(target, caller)
    if select and found.scope != "session":
        yield Request("select", scope=found.scope, id=found.node["id"])
    return int(found.session["id"])


def detach(caller: Caller, target: str | None = None, *, everywhere: bool = False) -> "Flow[Document]":
    """Detach all clients from a session, or from every session, and return a Detached document."""
    session = None
    if not everywhere:
        if target is None:
            target = DEFAULT_TARGET if caller.pane is None else f"@{caller.pane}"
        session = (yield from find(target, caller)).session["id"]
    reply = yield Request("detach", session=session)
    return {"schema_version": 1, "detached": reply["detached"]}

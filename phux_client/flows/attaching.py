"""``attach`` and ``detach``: find the session to attach to, and detach clients."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows.target import DEFAULT_TARGET, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document, Flow


def latest() -> "Flow[int | None]":
    """Find the default session to attach to: the focused one, or another in which a program runs.

    Returns:
        A flow that returns its id, or None if no program runs.
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
    """Find the session that a selector names, and focus the selected window or pane in it.

    Args:
        caller: The calling process.
        target: A selector.
        select: Whether to change the focus.

    Returns:
        A flow that returns the session's id.
    """
    found = yield from find(target, caller)
    if select and found.scope != "session":
        yield Request("select", scope=found.scope, id=found.node["id"])
    return int(found.session["id"])


def detach(caller: Caller, target: str | None = None, *, everywhere: bool = False) -> "Flow[Document]":
    """Detach all clients from the session that a selector names, or from all sessions.

    Args:
        caller: The calling process.
        target: A selector; by default the session of the caller's pane, or else the focused one.
        everywhere: Detach from every session instead.

    Returns:
        A flow that returns a Detached document.
    """
    session = None
    if not everywhere:
        if target is None:
            target = DEFAULT_TARGET if caller.pane is None else f"@{caller.pane}"
        session = (yield from find(target, caller)).session["id"]
    reply = yield Request("detach", session=session)
    return {"schema_version": 1, "detached": reply["detached"]}

"""``status`` and ``tree``: the state of the server."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows.target import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document, Flow


def status() -> "Flow[Document]":
    """Return the server's status, as a Status document."""
    document: Document = yield Request("status")
    return document


def tree(caller: Caller | None = None, target: str | None = None) -> "Flow[Document]":
    """Return a Tree document: of everything, or of what a selector names and the window and session around it."""
    if caller is None or target is None:
        document: Document = yield Request("tree")
        return document
    found = yield from find(target, caller)
    whole = found.tree["sessions"]
    sessions = [{**session, "windows": windows} for session in whole if (windows := _windows_of(session, found.node))]
    return {**found.tree, "sessions": sessions}


def _windows_of(session: "Document", node: "Document") -> "list[Document]":
    """Return the parts of a session's windows that are a node, are in it, or contain it."""
    windows = []
    for window in session["windows"]:
        panes = [pane for pane in window["panes"] if any(node is each for each in (session, window, pane))]
        if panes:
            windows.append({**window, "panes": panes})
    return windows

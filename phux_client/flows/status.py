"""``status`` and ``tree``: what the server says of itself."""

from phux_client.flows._kinds import Caller, Request
from phux_core import selector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document, Flow


def status() -> "Flow[Document]":
    """Tell how the server is, as a Status document."""
    document: Document = yield Request("status")
    return document


def tree(caller: Caller | None = None, target: str | None = None) -> "Flow[Document]":
    """Tell sessions, windows and panes as a Tree document: all, or what a selector names and what that is in."""
    if target is not None:
        selector.parse(target)
    document: Document = yield Request("tree")
    if target is None:
        return document
    _scope, node = selector.resolve_object(document, target, caller.pane if caller else None)
    sessions = [
        {**session, "windows": windows} for session in document["sessions"] if (windows := _windows_of(session, node))
    ]
    return {**document, "sessions": sessions}


def _windows_of(session: "Document", node: "Document") -> "list[Document]":
    """List what of a session's windows is a node, is in it, or has it inside."""
    windows = []
    for window in session["windows"]:
        panes = [pane for pane in window["panes"] if any(node is each for each in (session, window, pane))]
        if panes:
            windows.append({**window, "panes": panes})
    return windows

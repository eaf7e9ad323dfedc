"""``status``, ``tree``, ``ls``, ``snapshot`` and ``changes``: the state of the server and of a pane's screen."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows.target import find, pane_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from phux_client.flows._types import Document, Flow
    from phux_core.shapes import PictureFormat, ThemeName


_OPTIONAL = ("title", "alt_screen", "state", "cursor_shape", "foreground", "exit_status", "signal")


def status(limit_s: float | None = None) -> "Flow[Document]":
    """Return the server's status, as a Status document.

    Args:
        limit_s: The time limit for the reply; the client's by default.
    """
    document: Document = yield Request("status", 0.0, limit_s)
    return document


def ls() -> "Flow[Document]":
    """Return a short list of the sessions by name, as a SessionList document."""
    return session_list((yield Request("tree")))


def session_list(tree: "Document") -> "Document":
    """Return a SessionList document from a Tree document."""
    sessions = [
        {
            "name": session["name"],
            "windows": len(session["windows"]),
            "attached": session["attached_clients"] > 0,
        }
        for session in tree["sessions"]
    ]
    return {"schema_version": 1, "sessions": sorted(sessions, key=lambda session: str(session["name"]))}


def tree(caller: Caller | None = None, target: str | None = None) -> "Flow[Document]":
    """Return a Tree document of everything, or of one session, window or pane with the window and session around it."""
    if caller is None or target is None:
        document: Document = yield Request("tree")
        return document
    found = yield from find(target, caller)
    whole = found.tree["sessions"]
    sessions = [{**session, "windows": windows} for session in whole if (windows := _windows_of(session, found.node))]
    return {**found.tree, "sessions": sessions}


def _windows_of(session: "Document", node: "Document") -> "list[Document]":
    """Return a session's windows, reduced to a node of the tree, its descendants and its ancestors."""
    windows = []
    for window in session["windows"]:
        panes = [pane for pane in window["panes"] if any(node is each for each in (session, window, pane))]
        if panes:
            windows.append({**window, "panes": panes})
    return windows


def snapshot(
    caller: Caller,
    target: "str | int | None" = None,
    *,
    scrollback: int | None = None,
    cells: bool = False,
    at: "int | str | datetime | None" = None,
) -> "Flow[Document]":
    """Return a pane's screen, without attaching or resizing; with ``at``, as it was at that moment."""
    if at is not None:
        from phux_client.flows.past_reading import past_screen

        return (yield from past_screen(caller, target, at, scrollback=scrollback, cells=cells))
    number = yield from pane_id(target, caller)
    screen = yield Request("snapshot", pane=number, scrollback=scrollback, cells=cells)
    return screen_document(screen)


def screenshot(
    caller: Caller,
    target: "str | int | None" = None,
    picture: "PictureFormat" = "svg",
    *,
    theme: "ThemeName" = "dark",
    scrollback: int | None = None,
    at: "int | str | datetime | None" = None,
) -> "Flow[str | bytes]":
    """Return a picture of a pane's screen."""
    from phux_client.pictures import check_picture, draw

    check_picture(picture, theme)  # before anything is sent
    screen = yield from snapshot(caller, target, scrollback=scrollback, cells=True, at=at)
    return draw(screen, picture, theme)


def changes(caller: Caller, target: "str | int | None", since: int, *, cells: bool = False) -> "Flow[Document]":
    """Return the rows of a pane's screen that changed after a sequence number, as a ScreenChanges document."""
    number = yield from pane_id(target, caller)
    screen = yield Request("snapshot", pane=number, cells=cells, since=since)
    return changes_document(screen, since)


def changes_document(screen: "Document", since: int) -> "Document":
    """Return a ScreenChanges document from the server's reply."""
    changed = screen["changes"]
    whole = screen_document(screen)
    document = {"schema_version": 1, "pane": whole["pane"], "since": since, "seq": whole["seq"]}
    document |= {"full": changed["full"], "scrolled": changed["scrolled"]}
    document["changed"] = [{"row": row, "text": whole["lines"][row]} for row in changed["rows"]]
    if "cells" in whole:
        rows = set(changed["rows"])
        whole["cells"] = [cell for cell in whole["cells"] if cell["row"] in rows]
    names = ("cols", "rows", "cursor", "cells", *_OPTIONAL)
    return document | {name: whole[name] for name in names if name in whole}


def screen_document(screen: "Document") -> "Document":
    """Return a ScreenState document from the server's reply."""
    document = {
        "schema_version": 3,
        "pane": screen["pane"],
        "cols": screen["cols"],
        "rows": screen["rows"],
        "cursor": screen["cursor"],
        "lines": screen["lines"],
        "scrollback": screen["scrollback"],
    }
    if "cells" in screen:
        document["cells"] = _expand(screen["cells"])
    for name in ("soft_wrap", "seq", *_OPTIONAL):
        if screen.get(name) is not None:
            document[name] = screen[name]
    return document


def _expand(cells: "Document") -> "list[Document]":
    styles = cells["styles"]
    expanded = []
    for row, first, count, width, style, semantic in cells["runs"]:
        for col in range(first, first + count * width, width):
            cell = {"col": col, "row": row}
            if semantic is not None:
                cell["semantic"] = semantic
            cell["style"] = styles[style]
            expanded.append(cell)
    return expanded

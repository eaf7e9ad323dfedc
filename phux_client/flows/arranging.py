"""``select``, ``rename``, ``resize``, ``zoom``, ``layout``, ``move`` and ``swap``.

All except ``swap`` return a Place document.
"""

from phux_client.flows._documents import place
from phux_client.flows._kinds import Caller, Request
from phux_client.flows.making import share
from phux_client.flows.target import Found, pane_id, refer, window_id
from phux_core import selector
from phux_core.errors import BadRequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document, Flow
    from phux_client.flows.target import Target


def select(caller: Caller, target: "Target") -> "Flow[Document]":
    """Give the focus to a session, a window or a pane, and to the window and session around it."""
    scope, id_ = yield from refer(target, caller)
    return place((yield Request("select", scope=scope, id=id_)))


def rename(caller: Caller, target: "Target", name: str) -> "Flow[Document]":
    """Rename a session or a window."""
    scope, id_ = yield from refer(target, caller)
    if scope == "pane":
        raise BadRequestError("a pane has no name", remedy="name a session, or a window such as NAME:0")
    selector.check_name(scope, name)
    return place((yield Request("rename", scope=scope, id=id_, name=name)))


def zoom(caller: Caller, target: "Target", on: bool | None = None) -> "Flow[Document]":
    """Zoom a pane, or end the zoom; toggle by default."""
    pane = yield from pane_id(target, caller)
    return place((yield Request("zoom", pane=pane, on=on)))


def layout(caller: Caller, target: "Target", name: str) -> "Flow[Document]":
    """Apply a named layout to the panes of a window."""
    window = yield from window_id(target, caller)
    return place((yield Request("layout", window=window, name=name)))


def resize(
    caller: Caller,
    target: "Target",
    cols: int | None = None,
    rows: int | None = None,
    *,
    side: str | None = None,
    by: int | None = None,
    policy: str | None = None,
) -> "Flow[Document]":
    """Resize a pane, or the window that a session or window selector names."""
    if (side is None) != (by is None) or (side is None) == ((cols, rows, policy) == (None, None, None)):
        raise BadRequestError(
            "the size is missing or ambiguous", remedy="give columns or rows, or a side and a number of cells"
        )
    if side is not None:
        pane = yield from pane_id(target, caller)
        return place((yield Request("push_divider", pane=pane, side=side, by=by)))
    scope, id_ = yield from refer(target, caller)
    if scope == "pane" and policy is None:
        return place((yield Request("resize", pane=id_, cols=cols, rows=rows)))
    window = yield from window_id((scope, id_), caller)
    return place((yield Request("resize_window", window=window, cols=cols, rows=rows, policy=policy)))


def move_divider(window: int, path: "list[str]", by: int) -> "Flow[Document]":
    """Move one divider of a window."""
    return place((yield Request("move_divider", window=window, path=path, by=by)))


def move(
    caller: Caller, target: "Target", dest: "Target", direction: str = "right", *, size: "int | str | None" = None
) -> "Flow[Document]":
    """Move a pane or a window.

    A window moves to a session, or to a free index in a session (``NAME:N``). A pane moves next to another pane, or
    to the active pane of a window. If the destination is a session or a free index, the pane gets a window of its own.
    """
    shared = share(size)
    for text in (target, dest):
        if isinstance(text, str):
            selector.parse(text)
    tree: Document = yield Request("tree")
    found = Found(tree, target, caller)
    if found.scope == "session":
        raise BadRequestError("a session cannot be moved", remedy="name a window, such as NAME:0, or a pane")
    free = selector.resolve_index(tree, dest) if isinstance(dest, str) else None
    there = Found(tree, dest if free is None else ("session", free[0]["id"]), caller)
    index = None if free is None else free[1]
    if found.scope == "window":
        if there.scope == "pane":
            raise BadRequestError(
                "a window cannot be moved next to a pane", remedy="name a session, or a free index such as NAME:5"
            )
        index = there.node["index"] if there.scope == "window" else index
        request = Request("move_window", window=found.node["id"], session=there.session["id"], index=index)
    elif there.scope == "session":
        request = Request("move_pane", pane=found.node["id"], session=there.node["id"], index=index)
    else:
        beside = there.pane["id"]
        request = Request("move_pane", pane=found.node["id"], target=beside, direction=direction, **shared)
    return place((yield request))


def swap(caller: Caller, one: "Target", other: "Target") -> "Flow[Document]":
    """Swap two panes or two windows, and return a Swapped document."""
    scope, id_ = yield from refer(one, caller)
    other_scope, other_id = yield from refer(other, caller)
    if scope != other_scope or scope == "session":
        raise BadRequestError(
            f"a {scope} and a {other_scope} cannot be swapped", remedy="name two panes, or two windows"
        )
    reply = yield Request("swap", scope=scope, id=id_, other=other_id)
    return {"schema_version": 1, "places": [place(each) for each in reply["places"]]}

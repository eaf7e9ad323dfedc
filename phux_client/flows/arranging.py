"""Verbs that arrange what is there: ``select``, ``rename``, ``resize``, ``zoom``, ``layout``, ``move`` and ``swap``."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows._program import place, share
from phux_client.flows.target import narrow_to_pane, refer, resolve, window_id
from phux_core import selector
from phux_core.errors import BadRequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document, Flow
    from phux_client.flows.target import Target


def select(caller: Caller, target: "Target") -> "Flow[Document]":
    """Give a session, a window or a pane the focus, and with it what it is in.

    Returns:
        A flow that gives a Place document.
    """
    scope, id_ = yield from refer(target, caller)
    return place((yield Request("select", scope=scope, id=id_)))


def rename(caller: Caller, target: "Target", name: str) -> "Flow[Document]":
    """Give a session or a window another name.

    Returns:
        A flow that gives a Place document.
    """
    scope, id_ = yield from refer(target, caller)
    if scope == "pane":
        raise BadRequestError("a pane has no name", remedy="name a session, or a window such as NAME:0")
    (selector.check_session_name if scope == "session" else selector.check_window_name)(name)
    return place((yield Request("rename", scope=scope, id=id_, name=name)))


def zoom(caller: Caller, target: "Target", on: bool | None = None) -> "Flow[Document]":
    """Give a pane the whole window for a while, or end that; turn it over when not told which.

    Returns:
        A flow that gives a Place document.
    """
    pane = yield from narrow_to_pane(target, caller)
    return place((yield Request("zoom", pane=pane, on=on)))


def layout(caller: Caller, target: "Target", name: str) -> "Flow[Document]":
    """Lay the panes of a window out in a known way.

    Returns:
        A flow that gives a Place document.
    """
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
    """Change the size of a pane, or of the window that a session or window selector means.

    Args:
        caller: Who asks.
        target: What is to have another size.
        cols: Columns.
        rows: Rows.
        side: Or where to move the pane's divider on that axis: ``left``, ``right``, ``up`` or ``down``.
        by: By how many cells.
        policy: Whose size the window has from now on: ``smallest``, ``largest``, ``latest``, ``manual`` or ``default``.

    Returns:
        A flow that gives a Place document.
    """
    if (side is None) != (by is None) or (side is None) == ((cols, rows, policy) == (None, None, None)):
        raise BadRequestError(
            "it is not clear which size is meant", remedy="give columns or rows, or a side and by how much"
        )
    if side is not None:
        pane = yield from narrow_to_pane(target, caller)
        return place((yield Request("push_divider", pane=pane, side=side, by=by)))
    scope, id_ = yield from refer(target, caller)
    if scope == "pane" and policy is None:
        return place((yield Request("resize", pane=id_, cols=cols, rows=rows)))
    window = yield from window_id((scope, id_), caller)
    return place((yield Request("resize_window", window=window, cols=cols, rows=rows, policy=policy)))


def move_divider(window: int, path: "list[str]", by: int) -> "Flow[Document]":
    """Move one divider of a window.

    Args:
        window: The window's number.
        path: The way down its layout to the split.
        by: How many cells to the right or down; negative for back.
    """
    return place((yield Request("move_divider", window=window, path=path, by=by)))


def move(
    caller: Caller, target: "Target", dest: "Target", direction: str = "right", *, size: "int | str | None" = None
) -> "Flow[Document]":
    """Put a pane or a window somewhere else.

    A window goes into a session, or to an index of one (``NAME:N``) that is free. A pane goes beside another pane or
    beside the active one of a window; into a session, or to a free index of one, it goes as a window of its own.

    Args:
        caller: Who asks.
        target: The pane or window.
        dest: Where it goes.
        direction: On which side of another pane: ``right`` or ``down``.
        size: How much of that pane it gets there, as ``split`` takes it.

    Returns:
        A flow that gives a Place document.
    """
    shared = share(size)
    for text in (target, dest):
        if isinstance(text, str):
            selector.parse(text)
    tree: Document = yield Request("tree")
    scope, node = resolve(tree, target, caller)
    if scope == "session":
        raise BadRequestError("a session cannot be moved", remedy="name a window, such as NAME:0, or a pane")
    index = None
    if isinstance(dest, str) and (free := selector.resolve_index(tree, dest)) is not None:
        where, there, index = "session", *free
    else:
        where, there = resolve(tree, dest, caller)
    if scope == "window":
        if where == "pane":
            raise BadRequestError("a window cannot be put beside a pane", remedy="name a session, or an index of one")
        if where == "window":
            session, index = selector.parents(tree, there["panes"][0])[0], there["index"]
        else:
            session = there
        return place((yield Request("move_window", window=node["id"], session=session["id"], index=index)))
    if where == "session":
        return place((yield Request("move_pane", pane=node["id"], session=there["id"], index=index)))
    beside = selector.narrow(tree, where, there)["id"]
    return place((yield Request("move_pane", pane=node["id"], target=beside, direction=direction, **shared)))


def swap(caller: Caller, one: "Target", other: "Target") -> "Flow[Document]":
    """Let two panes or two windows change places.

    Returns:
        A flow that gives a Swapped document.
    """
    scope, id_ = yield from refer(one, caller)
    other_scope, other_id = yield from refer(other, caller)
    if scope != other_scope or scope == "session":
        raise BadRequestError(
            f"a {scope} and a {other_scope} cannot change places", remedy="name two panes, or two windows"
        )
    reply = yield Request("swap", scope=scope, id=id_, other=other_id)
    return {"schema_version": 1, "places": [place(each) for each in reply["places"]]}

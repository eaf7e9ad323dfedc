"""``move`` and ``swap``: which pane and which window is where."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows._program import place, share
from phux_client.flows.target import refer, resolve
from phux_core import selector
from phux_core.errors import BadRequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._kinds import Document, Flow
    from phux_client.flows.target import Target


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

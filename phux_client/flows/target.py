"""From a selector to a pane, a window or a session, against one tree."""

from phux_client.flows._kinds import Caller, Request
from phux_core import selector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from phux_client.flows._types import Document, Flow

    Ref: TypeAlias = tuple[str, int]  # "session", "window" or "pane", and its number
    Target: TypeAlias = str | int | Ref  # a selector, a pane's number, or exactly that

DEFAULT_TARGET = "="


def find_pane(target: str, caller: Caller) -> "Flow[Document]":
    """Find the one pane that a selector means.

    Returns:
        The pane's part of the Tree document.
    """
    selector.parse(target)  # a malformed one is refused before anything is asked
    tree = yield Request("tree")
    return selector.resolve_pane(tree, target, caller.pane)


def find_object(target: str, caller: Caller) -> "Flow[tuple[str, Document]]":
    """Find what a selector names as a whole: a session, a window or a pane."""
    selector.parse(target)
    tree = yield Request("tree")
    return selector.resolve_object(tree, target, caller.pane)


def find_session(target: str, caller: Caller) -> "Flow[Document]":
    """Find the session that a selector names, or that what it names is in."""
    selector.parse(target)
    tree: Document = yield Request("tree")
    scope, node = selector.resolve_object(tree, target, caller.pane)
    return node if scope == "session" else selector.parents(tree, selector.narrow(tree, scope, node))[0]


def find_window(target: str, caller: Caller) -> "Flow[Document]":
    """Find the window that a selector names or that the pane is in; of a session, the current one."""
    selector.parse(target)
    tree: Document = yield Request("tree")
    scope, node = selector.resolve_object(tree, target, caller.pane)
    return node if scope == "window" else selector.parents(tree, selector.narrow(tree, scope, node))[1]


def find_by_id(scope: str, id_: int) -> "Flow[Document]":
    """Find the session, window or pane of this number, whatever its name is now."""
    tree: Document = yield Request("tree")
    return selector.node_by_id(tree, scope, id_)


def pane_id(target: "str | int", caller: Caller) -> "Flow[int]":
    """Find the number of a pane; one that is a number already costs nothing."""
    if isinstance(target, int):
        return target
    if target.startswith("@"):
        number = selector.parse(target).pane_id
        assert number is not None
        return number
    pane = yield from find_pane(target, caller)
    return int(pane["id"])


def refer(target: "Target", caller: Caller) -> "Flow[Ref]":
    """Find what a target names as a whole; what is exact already costs nothing."""
    if isinstance(target, int):
        return "pane", target
    if isinstance(target, tuple):
        return target
    if target.startswith("@"):
        return "pane", (yield from pane_id(target, caller))
    scope, node = yield from find_object(target, caller)
    return scope, int(node["id"])


def resolve(tree: "Document", target: "Target", caller: Caller) -> "tuple[str, Document]":
    """Find what a target names as a whole in a tree that is there already."""
    if isinstance(target, str):
        return selector.resolve_object(tree, target, caller.pane)
    scope, id_ = ("pane", target) if isinstance(target, int) else target
    return scope, selector.node_by_id(tree, scope, id_)


def narrow_to_pane(target: "Target", caller: Caller) -> "Flow[int]":
    """Find the one pane that a target means, also one that is exact."""
    if not isinstance(target, tuple):
        return (yield from pane_id(target, caller))
    if target[0] == "pane":
        return target[1]
    tree: Document = yield Request("tree")
    return int(selector.narrow(tree, *resolve(tree, target, caller))["id"])


def window_id(target: "Target", caller: Caller) -> "Flow[int]":
    """Find the window that a target names or is in; of a session, the current one."""
    if isinstance(target, tuple) and target[0] == "window":
        return target[1]
    if isinstance(target, str):
        selector.parse(target)
    tree: Document = yield Request("tree")
    scope, node = resolve(tree, target, caller)
    if scope == "window":
        return int(node["id"])
    return int(selector.parents(tree, selector.narrow(tree, scope, node))[1]["id"])

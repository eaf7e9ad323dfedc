"""Resolve selectors to panes, windows and sessions, in one tree."""

from phux_client.flows._kinds import Caller, Request
from phux_core import selector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from phux_client.flows._types import Document, Flow

    Ref: TypeAlias = tuple[str, int]  # "session", "window" or "pane", and its id
    Target: TypeAlias = str | int | Ref  # a selector, a pane id, or a kind and an id

DEFAULT_TARGET = "="


def find_pane(target: str, caller: Caller) -> "Flow[Document]":
    """Find the pane that a selector names.

    Returns:
        The pane's part of the Tree document.
    """
    selector.parse(target)  # reject a malformed selector before any request
    tree = yield Request("tree")
    return selector.resolve_pane(tree, target, caller.pane)


def find_object(target: str, caller: Caller) -> "Flow[tuple[str, Document]]":
    """Find the session, window or pane that a selector names."""
    selector.parse(target)
    tree = yield Request("tree")
    return selector.resolve_object(tree, target, caller.pane)


def find_session(target: str, caller: Caller) -> "Flow[Document]":
    """Find the session that a selector names, or that contains what it names."""
    selector.parse(target)
    tree: Document = yield Request("tree")
    scope, node = selector.resolve_object(tree, target, caller.pane)
    return node if scope == "session" else selector.parents(tree, selector.narrow(tree, scope, node))[0]


def find_window(target: str, caller: Caller) -> "Flow[Document]":
    """Find the window that a selector names, or that contains the pane it names; of a session, the current one."""
    selector.parse(target)
    tree: Document = yield Request("tree")
    scope, node = selector.resolve_object(tree, target, caller.pane)
    return node if scope == "window" else selector.parents(tree, selector.narrow(tree, scope, node))[1]


def find_by_id(scope: str, id_: int) -> "Flow[Document]":
    """Find the session, window or pane with this id, whatever its current name."""
    tree: Document = yield Request("tree")
    return selector.node_by_id(tree, scope, id_)


def pane_id(target: "str | int", caller: Caller) -> "Flow[int]":
    """Return the id of a pane; a target that is an id needs no request."""
    if isinstance(target, int):
        return target
    if target.startswith("@"):
        number = selector.parse(target).pane_id
        assert number is not None
        return number
    pane = yield from find_pane(target, caller)
    return int(pane["id"])


def refer(target: "Target", caller: Caller) -> "Flow[Ref]":
    """Find the session, window or pane that a target names; a kind and an id need no request."""
    if isinstance(target, int):
        return "pane", target
    if isinstance(target, tuple):
        return target
    if target.startswith("@"):
        return "pane", (yield from pane_id(target, caller))
    scope, node = yield from find_object(target, caller)
    return scope, int(node["id"])


def resolve(tree: "Document", target: "Target", caller: Caller) -> "tuple[str, Document]":
    """Find the session, window or pane that a target names in a given tree."""
    if isinstance(target, str):
        return selector.resolve_object(tree, target, caller.pane)
    scope, id_ = ("pane", target) if isinstance(target, int) else target
    return scope, selector.node_by_id(tree, scope, id_)


def narrow_to_pane(target: "Target", caller: Caller) -> "Flow[int]":
    """Find the pane that a target names, including a kind and an id."""
    if not isinstance(target, tuple):
        return (yield from pane_id(target, caller))
    if target[0] == "pane":
        return target[1]
    tree: Document = yield Request("tree")
    return int(selector.narrow(tree, *resolve(tree, target, caller))["id"])


def window_id(target: "Target", caller: Caller) -> "Flow[int]":
    """Find the window that a target names, or that contains it; of a session, the current one."""
    if isinstance(target, tuple) and target[0] == "window":
        return target[1]
    if isinstance(target, str):
        selector.parse(target)
    tree: Document = yield Request("tree")
    scope, node = resolve(tree, target, caller)
    if scope == "window":
        return int(node["id"])
    return int(selector.parents(tree, selector.narrow(tree, scope, node))[1]["id"])

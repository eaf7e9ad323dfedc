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


class Found:
    """A session, window or pane in a tree.

    Attributes:
        scope: ``session``, ``window`` or ``pane``.
        node: The part of the tree that describes the session, window or pane.
    """

    __slots__ = ("node", "scope", "tree")

    def __init__(self, tree: "Document", target: "Target", caller: Caller) -> None:
        self.tree = tree
        if isinstance(target, str):
            self.scope, self.node = selector.resolve_object(tree, target, caller.pane)
        else:
            self.scope, id_ = ("pane", target) if isinstance(target, int) else target
            self.node = selector.node_by_id(tree, self.scope, id_)

    @property
    def pane(self) -> "Document":
        """The pane itself, or the active pane of the window or session."""
        return selector.narrow(self.tree, self.scope, self.node)

    @property
    def window(self) -> "Document":
        """The window itself, the window around the pane, or the current window of the session."""
        return self.node if self.scope == "window" else selector.parents(self.tree, self.pane)[1]

    @property
    def session(self) -> "Document":
        """The session itself, or the session around the window or pane."""
        return self.node if self.scope == "session" else selector.parents(self.tree, self.pane)[0]


def find(target: "Target", caller: Caller) -> "Flow[Found]":
    """Find the session, window or pane that a target names."""
    if isinstance(target, str):
        selector.parse(target)  # reject a malformed selector before any request
    tree = yield Request("tree")
    return Found(tree, target, caller)


def find_node(target: "Target", caller: Caller) -> "Flow[Document]":
    """Find the session, window or pane that a target names, and return its part of the Tree document."""
    return (yield from find(target, caller)).node


def find_pane(target: "Target", caller: Caller) -> "Flow[Document]":
    """Find the pane that a target names, and return its part of the Tree document."""
    return (yield from find(target, caller)).pane


def pane_id(target: "Target | None", caller: Caller) -> "Flow[int]":
    """Return the id of a pane, by default the focused session's active pane; an id as the target needs no request."""
    given = DEFAULT_TARGET if target is None else target
    scope, id_ = _id_of(given) or ("", 0)
    return id_ if scope == "pane" else int((yield from find_pane(given, caller))["id"])


def refer(target: "Target", caller: Caller) -> "Flow[Ref]":
    """Return the kind and id of a session, window or pane; an id as the target needs no request."""
    known = _id_of(target)
    if known is not None:
        return known
    found = yield from find(target, caller)
    return found.scope, int(found.node["id"])


def _id_of(target: "Target") -> "Ref | None":
    """Return the kind and id in a target, or None if it is a selector that only a tree resolves."""
    if isinstance(target, str):
        id_ = selector.parse(target).pane_id
        return None if id_ is None else ("pane", id_)
    return ("pane", target) if isinstance(target, int) else target


def window_id(target: "Target", caller: Caller) -> "Flow[int]":
    """Return the id of the window that a target names or is in; for a session, of its current window."""
    if isinstance(target, tuple) and target[0] == "window":
        return target[1]
    return int((yield from find(target, caller)).window["id"])

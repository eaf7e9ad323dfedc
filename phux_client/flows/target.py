"""From a selector to a pane, a window or a session, against one tree."""

from phux_client.flows._kinds import Caller, Request
from phux_core import selector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._kinds import Document, Flow

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

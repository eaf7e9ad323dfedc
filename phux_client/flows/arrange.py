"""``select``, ``rename``, ``zoom`` and ``layout``: what has the focus, what it is called, how it is shown."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows._program import place
from phux_client.flows.target import narrow_to_pane, refer, window_id
from phux_core.errors import BadRequestError
from phux_core.selector import check_session_name, check_window_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._kinds import Document, Flow
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
    (check_session_name if scope == "session" else check_window_name)(name)
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

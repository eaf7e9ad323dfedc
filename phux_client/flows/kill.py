"""``kill``: end a session, a window, a pane, or the server."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows.target import find_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document, Flow


def kill(caller: Caller, target: str) -> "Flow[Document]":
    """End what a selector names, as a whole; returns when it has ended."""
    scope, node = yield from find_object(target, caller)
    return (yield from kill_by_id(scope, node["id"]))


def kill_by_id(scope: str, id_: int) -> "Flow[Document]":
    """End the session, window or pane of this number, whatever its name is now."""
    reply = yield Request("kill", scope=scope, id=id_)
    return {"schema_version": 1, "killed": reply["killed"]}


def kill_server(limit_s: float | None = None) -> "Flow[None]":
    """End every program and the server. The driver then waits for the connection to close.

    Args:
        limit_s: How long the service may take to answer; as long as usual when omitted.
    """
    request = Request("kill_server")
    request.limit_s = limit_s
    yield request

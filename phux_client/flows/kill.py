"""``kill``: end a session, a window, a pane, or the server."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows.target import find_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document, Flow


def kill(caller: Caller, target: str) -> "Flow[Document]":
    """Kill the session, window or pane that a selector names, and wait until it has ended."""
    scope, node = yield from find_object(target, caller)
    return (yield from kill_by_id(scope, node["id"]))


def kill_by_id(scope: str, id_: int) -> "Flow[Document]":
    """Kill the session, window or pane with this id, whatever its current name."""
    reply = yield Request("kill", scope=scope, id=id_)
    return {"schema_version": 1, "killed": reply["killed"]}


def kill_server(limit_s: float | None = None) -> "Flow[None]":
    """Kill every program and the server. The driver then waits for the connection to close.

    Args:
        limit_s: The time limit for the service's reply; the client's by default.
    """
    request = Request("kill_server")
    request.limit_s = limit_s
    yield request

"""``kill``: end a session, a window, a pane, or the server."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows.target import refer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document, Flow
    from phux_client.flows.target import Target


def kill(caller: Caller, target: "Target") -> "Flow[Document]":
    """Kill the session, window or pane that a target names, and wait until it has ended."""
    scope, id_ = yield from refer(target, caller)
    reply = yield Request("kill", scope=scope, id=id_)
    return {"schema_version": 1, "killed": reply["killed"]}


def kill_server(limit_s: float | None = None) -> "Flow[None]":
    """Kill every program and the server. The driver then waits for the connection to close.

    Args:
        limit_s: The time limit for the service's reply; the client's by default.
    """
    yield Request("kill_server", 0.0, limit_s)

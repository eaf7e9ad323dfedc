"""``kill``: end a session, a window, a pane, or the server."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows.target import find_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._kinds import Document, Flow


def kill(caller: Caller, target: "str | int") -> "Flow[Document]":
    """End what a selector names, as a whole; returns when it has ended."""
    if isinstance(target, int):
        scope, id_ = "pane", target
    else:
        scope, node = yield from find_object(target, caller)
        id_ = node["id"]
    reply = yield Request("kill", scope=scope, id=id_)
    return {"schema_version": 1, "killed": reply["killed"]}


def kill_server() -> "Flow[None]":
    """End every program and the server. The driver then waits for the connection to close."""
    yield Request("kill_server")

"""``start``, ``signal``, ``stop``, ``history-limit`` and ``kill``: control programs, and end them."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows.running import command_params, new_run_id
from phux_client.flows.target import pane_id, refer
from phux_core.errors import NoSuchTargetError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from phux_client.flows._types import Document, Flow
    from phux_client.flows.target import Ref, Target

_STEPS = 8
_START_S = 10.0
_QUEUE_S = 1_000_000.0
_GRACE_S = 2.0


def start(
    caller: Caller, target: "str | int", command: "str | Sequence[str]", *, queue: bool = False
) -> "Flow[Document]":
    """Start a command at a pane's prompt, and return a Started document without waiting for its end."""
    params = command_params(command)
    number = yield from pane_id(target, caller)
    patience_s = _QUEUE_S if queue else _START_S
    reply = yield Request("start", patience_s, pane=number, id=new_run_id(), queue=queue, **params)
    return {
        "schema_version": 1,
        "command_id": reply["command"],
        "command": reply["command"],
        "pane": f"@{number}",
        "seq": reply["seq"],
        "start": reply.get("start"),  # absent from older servers
    }


def signal(caller: Caller, target: "str | int", name: str = "INT", *, shell: bool = False) -> "Flow[Document]":
    """Send a signal to a pane's foreground process group, and return a Signalled document."""
    number = yield from pane_id(target, caller)
    plain = name.upper().removeprefix("SIG")
    reply = yield Request("signal", pane=number, signal=plain, shell=shell)
    return {"schema_version": 1, "pane": f"@{number}", **reply}


def stop(caller: Caller, target: "str | int", *, grace_s: float | None = None) -> "Flow[Document]":
    """Stop the command that runs in a pane's shell: INT, then TERM, then KILL, until the prompt is back.

    Returns:
        A flow that returns a Stopped document.
    """
    number = yield from pane_id(target, caller)
    grace_s = _GRACE_S if grace_s is None else grace_s
    reply = yield Request("stop", _STEPS * grace_s, pane=number, grace_ms=round(grace_s * 1000))
    return {"schema_version": 1, "pane": f"@{number}", **reply}


def history_limit(caller: Caller, target: "str | int", rows: int) -> "Flow[None]":
    """Set the number of rows of scrollback that a pane keeps."""
    number = yield from pane_id(target, caller)
    yield Request("history_limit", pane=number, rows=rows)


def kill(caller: Caller, *targets: "Target") -> "Flow[Document]":
    """Kill the sessions, windows or panes that the targets name, and wait until they have ended."""
    nodes: dict[Ref, None] = {}
    for target in targets:  # all of them before any is killed, in case one does not exist
        nodes[(yield from refer(target, caller))] = None
    killed = 0
    for scope, id_ in nodes:
        try:
            reply = yield Request("kill", scope=scope, id=id_)
        except NoSuchTargetError:  # part of a target that was just killed
            if not killed:
                raise
        else:
            killed += reply["killed"]
    return {"schema_version": 1, "killed": killed}


def kill_server(limit_s: float | None = None) -> "Flow[None]":
    """Kill every program and the server. Its connections close afterwards.

    Args:
        limit_s: The time limit for the service's reply, if it is shorter than the client's time limit.
    """
    yield Request("kill_server", 0.0, limit_s)

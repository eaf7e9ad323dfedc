"""Every verb once, as a generator of requests and replies that does no I/O.

A flow yields a ``Request``, a ``NextEvent``, or a ``Deadline`` for the steps that follow, is sent the result, and
returns a plain JSON document. The async client, the blocking client, the CLI and the MCP adapter all run these flows;
errors of the server are raised at the ``yield``. Import-light: it is on the CLI's path, so modules that only a few
verbs need are imported on first use.
"""

from phux_client.flows._conditions import Conditions
from phux_client.flows._kinds import Caller, Deadline, NextEvent, Request
from phux_client.flows.kill import kill, kill_server
from phux_client.flows.ls import ls
from phux_client.flows.new import new
from phux_client.flows.run import DEFAULT_TIMEOUT_S as RUN_TIMEOUT_S
from phux_client.flows.run import leave_run, run
from phux_client.flows.send_keys import paste, send_keys
from phux_client.flows.snapshot import changes, snapshot
from phux_client.flows.status import status, tree
from phux_client.flows.target import find, find_node, find_pane
from phux_client.flows.wait import next_event, wait
from phux_client.flows.watch import EVENTS, watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import *
    from phux_client.flows.acting import *
    from phux_client.flows.arranging import *
    from phux_client.flows.attaching import *
    from phux_client.flows.log_reading import *
    from phux_client.flows.making import *
    from phux_client.flows.processes import *

_LATER = {
    **dict.fromkeys(("Document", "Flow", "Step"), "_types"),
    **dict.fromkeys(("ACT_TIMEOUT_S", "act"), "acting"),
    **dict.fromkeys(("layout", "move", "move_divider", "rename", "resize", "select", "swap", "zoom"), "arranging"),
    **dict.fromkeys(("detach", "go_to", "latest"), "attaching"),
    **dict.fromkeys(("LogPlace", "commands", "follow", "log_list", "logs", "next_logs", "output"), "log_reading"),
    **dict.fromkeys(("search", "wait_command"), "log_reading"),
    **dict.fromkeys(("new_window", "split"), "making"),
    **dict.fromkeys(("history_limit", "signal", "start", "stop"), "processes"),
}

__all__ = [
    "ACT_TIMEOUT_S",
    "EVENTS",
    "RUN_TIMEOUT_S",
    "Caller",
    "Conditions",
    "Deadline",
    "Document",
    "Flow",
    "LogPlace",
    "NextEvent",
    "Request",
    "Step",
    "act",
    "changes",
    "commands",
    "detach",
    "find",
    "find_node",
    "find_pane",
    "follow",
    "go_to",
    "history_limit",
    "kill",
    "kill_server",
    "latest",
    "layout",
    "leave_run",
    "log_list",
    "logs",
    "ls",
    "move",
    "move_divider",
    "new",
    "new_window",
    "next_event",
    "next_logs",
    "output",
    "paste",
    "rename",
    "resize",
    "run",
    "search",
    "select",
    "send_keys",
    "signal",
    "snapshot",
    "split",
    "start",
    "status",
    "stop",
    "swap",
    "tree",
    "wait",
    "wait_command",
    "watch",
    "zoom",
]


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = value
    return value

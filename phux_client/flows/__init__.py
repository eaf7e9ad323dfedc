"""Every verb once, as a generator of requests and replies that does no I/O.

A flow yields a ``Request`` (or a ``NextEvent``), is sent what came back, and returns a plain JSON document. The
async client, the blocking client, the CLI and the MCP adapter all drive these same flows; errors of the server
arrive as exceptions at the ``yield``. Import-light: it is on the CLI's path.
"""

from phux_client.flows._kinds import Caller, NextEvent, Request
from phux_client.flows.arrange import layout, rename, select, zoom
from phux_client.flows.detach import detach, go_to
from phux_client.flows.kill import kill, kill_by_id, kill_server
from phux_client.flows.ls import ls
from phux_client.flows.move import move, swap
from phux_client.flows.new import new
from phux_client.flows.new_window import new_window
from phux_client.flows.resize import move_divider, resize
from phux_client.flows.run import DEFAULT_TIMEOUT_S as RUN_TIMEOUT_S
from phux_client.flows.run import run
from phux_client.flows.send_keys import paste, send_keys
from phux_client.flows.snapshot import snapshot
from phux_client.flows.split import split
from phux_client.flows.status import status, tree
from phux_client.flows.target import find_by_id, find_pane, find_session, find_window
from phux_client.flows.wait import next_event, wait
from phux_client.flows.watch import EVENTS, watch

__all__ = [
    "EVENTS",
    "RUN_TIMEOUT_S",
    "Caller",
    "NextEvent",
    "Request",
    "detach",
    "find_by_id",
    "find_pane",
    "find_session",
    "find_window",
    "go_to",
    "kill",
    "kill_by_id",
    "kill_server",
    "layout",
    "ls",
    "move",
    "move_divider",
    "new",
    "new_window",
    "next_event",
    "paste",
    "rename",
    "resize",
    "run",
    "select",
    "send_keys",
    "snapshot",
    "split",
    "status",
    "swap",
    "tree",
    "wait",
    "watch",
    "zoom",
]

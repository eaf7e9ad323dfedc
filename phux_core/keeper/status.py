"""The part of a server's status that the keeper knows; it answers for a service that does not."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from phux_core import wire
from phux_core.version import __version__

if TYPE_CHECKING:
    from phux_core.keeper.restarts import Restarts

_STATES = ("prompt", "running", "awaiting_input", "awaiting_secret", "fullscreen", "dead")


def status_document(
    restarts: Restarts,
    *,
    service_pid: int,
    socket: str,
    log: str | None,
    uptime_s: float,
    panes: list[bool],
    problem: str,
) -> dict[str, object]:
    """Return a Status document; ``panes`` says of each program whether it ended, ``problem`` why no service answers."""
    return {
        "schema_version": 1,
        "version": __version__,
        "protocol": f"{wire.PROTOCOL[0]}.{wire.PROTOCOL[1]}",
        "keeper_pid": os.getpid(),
        "keeper_version": __version__,
        "service_pid": service_pid,
        "service_restarts": restarts.count,
        "engine": "",
        "engine_notes": [],
        "socket": socket,
        "log": log,
        "uptime_s": round(uptime_s, 3),
        "sessions": 0,
        "windows": 0,
        "panes": len(panes),
        "dead_panes": sum(panes),
        "states": dict.fromkeys(_STATES, 0),
        "clients": 0,
        "problem": problem,
    }

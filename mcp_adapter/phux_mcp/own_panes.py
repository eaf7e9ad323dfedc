"""Protect the pane in which the host runs from its own calls."""

from __future__ import annotations

import os
from typing import Any

from phux_core import procfs
from phux_core.errors import RefusedError

_DEEPEST = 64


def refuse_own(action: str, scope: str, node: dict[str, Any], here: int | None) -> None:
    """Raise if the host runs in a session, window or pane that a call would end.

    Args:
        here: The pane in which this process runs, according to its environment.
    """
    windows = node["windows"] if scope == "session" else [node]
    panes = [node] if scope == "pane" else [pane for window in windows for pane in window["panes"]]
    ancestors = _ancestors()
    for pane in panes:
        # Hosts may change our environment, but not our ancestors.
        if pane["id"] == here or pane["pid"] in ancestors:
            raise RefusedError(
                f"cannot {action} @{pane['id']}: this host runs in it",
                remedy="choose another target, or do it from another terminal",
            )


def _ancestors() -> set[int]:
    """Return the ancestors of this process; without /proc, only its parent."""
    found = {os.getppid()}
    pid = os.getppid()
    for _ in range(_DEEPEST if procfs.is_usable() else 0):
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                pid = int(file.read().rpartition(b")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            break
        if pid <= 1 or pid in found:
            break
        found.add(pid)
    return found

"""The pane that this host runs in, which must not be ended by its own hand."""

from __future__ import annotations

import os
from typing import Any

from phux_core import procfs
from phux_core.errors import RefusedError

_DEEPEST = 64


def refuse_own(scope: str, node: dict[str, Any], here: int | None, what: str) -> None:
    """Refuse what would end the host.

    Args:
        scope: What the node is: a session, a window or a pane.
        node: That part of the tree.
        here: The pane this process runs in, if its environment says so.
        what: What was to be done to it.

    Raises:
        RefusedError: The host runs in there.
    """
    windows = node["windows"] if scope == "session" else [node]
    panes = [node] if scope == "pane" else [pane for window in windows for pane in window["panes"]]
    ancestors = _ancestors()
    for pane in panes:
        # Hosts may start us with an environment of their own; whose child we are cannot be made to look otherwise.
        if pane["id"] == here or pane["pid"] in ancestors:
            raise RefusedError(
                f"this host runs in @{pane['id']}, which is not {what} from inside it",
                remedy="name something else, or do it from another terminal",
            )


def _ancestors() -> set[int]:
    """List the processes that this one descends from; where /proc is missing, only its parent."""
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

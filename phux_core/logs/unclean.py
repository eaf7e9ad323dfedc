"""The panes that the previous server on a socket lost because its keeper was killed, as their logs show.

The description of such a log has no end. It gets one when it is reported, together with the name of the reporting
server: that server reports it after each restart of its service, and later servers do not.
"""

from __future__ import annotations

import contextlib
import json
import os
from itertools import groupby
from typing import TYPE_CHECKING, Any

from phux_core.logs import ledger, places

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def report_unclean_end(root: str, server: str, socket: str) -> dict[str, Any] | None:
    """Return the panes that the newest earlier server on a socket lost, and record that ``server`` reported them.

    Return None if there is no earlier server, or it ended all of its panes.
    """
    for earlier, found in groupby(places.logs(root), lambda log: log.server):
        if earlier == server or _may_live(earlier, server):
            continue
        described = _described(root, found, socket)
        first = next(described, None)
        if first is not None:
            lost = [_lost(root, log, meta) for log, meta in (first, *described) if _take(root, log, meta, server)]
            return {"server": earlier, "panes": lost} if lost else None
    return None


def _may_live(earlier: str, server: str) -> bool:
    # In a container, keepers often have the same process id.
    return places.keeper_pid(earlier) != places.keeper_pid(server) and places.server_lives(earlier)


def _described(root: str, found: Iterable[places.LogId], socket: str) -> Iterator[tuple[places.LogId, dict[str, Any]]]:
    """Yield the logs with their descriptions; nothing if their server had another socket."""
    for log in found:
        with contextlib.suppress(OSError), places.log_directory(root, log) as directory:
            meta = places.read_meta(directory)
            if meta.get("socket", socket) != socket:
                return
            if "socket" in meta:
                yield log, meta


def _take(root: str, log: places.LogId, meta: dict[str, Any], server: str) -> bool:
    """Return whether a pane was lost and is to be reported by a server, and record that."""
    if meta.get("ended_at") is not None:
        return meta.get("reported_by") == server
    with contextlib.suppress(OSError), places.log_directory(root, log) as directory:  # else it is reported again
        written_at = max(os.stat(name, dir_fd=directory).st_mtime for name in os.listdir(directory))
        data = json.dumps(meta | {"ended_at": written_at, "reported_by": server}).encode()
        places.replace_file(places.META, data, dir_fd=directory)
    return True


def _lost(root: str, log: places.LogId, meta: dict[str, Any]) -> dict[str, Any]:
    commands = b""
    with contextlib.suppress(OSError), places.log_directory(root, log) as directory:
        commands = places.read_file(places.COMMANDS, ledger.MOST_FILE_BYTES, dir_fd=directory)
    running = [entry.id for entry in ledger.load(commands) if entry.ended_at is None and not entry.lost]
    return {"terminal": f"@{log.pane}", "session": meta.get("session", ""), "running": running}

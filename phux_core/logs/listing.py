"""List logs and their command ledgers."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from phux_core.errors import NoSuchTargetError
from phux_core.logs import ledger, places, sizes
from phux_core.logs.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from phux_core.logs.sizes import Size

_FROM_META = ("session", "command", "cwd", "started_at", "ended_at", "exit_status", "signal")


def list_logs(root: str, server: str | None, live: Sequence[int]) -> list[dict[str, Any]]:
    """List all logs, newest server first; ``live`` are the live panes of the running server."""
    return [entry for log in places.logs(root) if (entry := _describe(root, log, server, live)) is not None]


def _describe(root: str, log: places.LogId, server: str | None, live: Sequence[int]) -> dict[str, Any] | None:
    try:
        stored = Stored.open(root, log)
    except OSError:
        return None
    with stored:
        meta = places.read_meta(stored.directory)
        return {
            "log": str(log),
            "pane": log.pane,
            "live": log.server == server and log.pane in live,
            **{name: meta.get(name) for name in _FROM_META},
            "bytes": sum(size for _offset, size in stored.segments),
            "first_byte": stored.first,
            "next_byte": stored.end,
            "holes": [{"start": start, "end": end} for start, end in _holes(stored)],
        }


def _holes(stored: Stored) -> Iterator[tuple[int, int]]:
    yield from stored.holes(0, stored.end)
    lost = stored.lost_end()
    if lost is not None:
        yield stored.end, lost


def stored_commands(root: str, log: places.LogId) -> Iterator[dict[str, Any]]:
    """Yield the entries in the ledger of a stored log."""
    try:
        with places.log_directory(root, log) as directory:
            data = places.read_file(places.COMMANDS, ledger.MOST_FILE_BYTES, dir_fd=directory)
            over = places.read_meta(directory).get("ended_at") is not None or not places.server_lives(log.server)
    except OSError:
        return
    for entry in ledger.load(data):
        # The end of a command that was running when its server was killed will never be recorded.
        entry.lost = entry.lost or (over and entry.ended_at is None)
        yield entry.to_document(log.server)


def stored_command(root: str, log: places.LogId, number: int) -> dict[str, Any]:
    """Return one entry in the ledger of a stored log.

    Raises:
        NoSuchTargetError: There is no such command.
    """
    for entry in stored_commands(root, log):
        if entry["id"] == f"{log.pane}.{number}":
            return entry
    raise NoSuchTargetError(f"there is no command {number} in the log {log}", remedy="`phux commands` lists them")


def newest_commands(root: str) -> list[dict[str, Any]]:
    """Return the commands of all panes of the newest server, oldest first."""
    logs = list(places.logs(root))
    found = [entry for log in logs if log.server == logs[0].server for entry in stored_commands(root, log)]
    return sorted(found, key=lambda entry: entry["started_at"])


def stored_sizes(root: str, log: places.LogId) -> list[Size]:
    """Return the sizes of the terminal in which a log was recorded; 80x24 if unknown."""
    meta: dict[str, Any] = {}
    with contextlib.suppress(OSError), places.log_directory(root, log) as directory:
        meta = places.read_meta(directory)
    return sizes.load(meta)

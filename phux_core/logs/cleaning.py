"""Limits on all logs: their total size, and the age of logs whose pane has ended.

Several servers may clean the same directory concurrently, so files that are already gone are ignored. The newest
segment of a pane that may still be written to is never removed.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import NamedTuple

from phux_core.logs import places

DEFAULT_TOTAL_BYTES = 2 * 1024 * 1024 * 1024
DEFAULT_KEEP_DAYS = 7.0
_DAY_S = 86400


class _Segment(NamedTuple):
    written_at: float
    log: places.LogId
    name: str
    size: int


class _Found(NamedTuple):
    log: places.LogId
    ended_at: float | None
    segments: list[_Segment]
    beside: int  # bytes of its other files, which are removed only with the log


def clean(root: str, *, most: int, keep_days: float, server: str | None, live: frozenset[int]) -> int:
    """Remove expired logs, then the oldest segments until the total size is within its limit.

    Args:
        root: The directory of all logs.
        most: Maximum total bytes.
        keep_days: How long to keep the log of a pane after its end.
        server: The calling server.
        live: Its live panes.

    Returns:
        The total bytes that remain.
    """
    now = time.time()
    lives: dict[str, bool] = {}
    segments: list[_Segment] = []
    total = 0
    for log in list(places.logs(root)):
        if log.server == server:
            alive = log.pane in live
        else:
            alive = lives.setdefault(log.server, places.server_lives(log.server))
        found = _look(root, log, alive=alive)
        if found is None:
            continue
        if found.ended_at is not None and found.ended_at + keep_days * _DAY_S < now:
            _remove(root, log)
            continue
        total += sum(segment.size for segment in found.segments) + found.beside
        segments += found.segments[:-1] if found.ended_at is None else found.segments
    for segment in sorted(segments):
        if total <= most:
            break
        with contextlib.suppress(OSError), places.log_directory(root, segment.log) as directory:
            os.unlink(segment.name, dir_fd=directory)
        total -= segment.size
    return total


def _look(root: str, log: places.LogId, *, alive: bool) -> _Found | None:
    try:
        directory = places.open_log(root, log)
    except OSError:
        return None
    try:
        segments = []
        beside = 0
        newest = os.fstat(directory).st_mtime
        for name in sorted(os.listdir(directory)):
            with contextlib.suppress(FileNotFoundError):
                found = os.stat(name, dir_fd=directory, follow_symlinks=False)
                if places.segment_offset(name) is None:
                    beside += found.st_size
                else:
                    segments.append(_Segment(found.st_mtime, log, name, found.st_size))
                    newest = max(newest, found.st_mtime)
        ended = places.read_meta(directory).get("ended_at")
        if ended is None and not alive:
            ended = newest  # its server was killed
        return _Found(log, ended, segments, beside)
    finally:
        os.close(directory)


def _remove(root: str, log: places.LogId) -> None:
    """Remove a log, and its server's directory if it is then empty."""
    with contextlib.suppress(OSError):
        with places.log_directory(root, log) as directory:
            for name in os.listdir(directory):
                with contextlib.suppress(OSError):
                    os.unlink(name, dir_fd=directory)
        above = places.open_directory(root, log.server)
        try:
            os.rmdir(f"pane-{log.pane}", dir_fd=above)
        finally:
            os.close(above)
        os.rmdir(os.path.join(root, log.server))

"""Limits on all logs: their total size, their number, and the age of logs whose pane has ended.

Several servers may clean the same directory concurrently, so files that are already gone are ignored. The newest
segment of a pane that may still be written to is never removed.
"""

from __future__ import annotations

import contextlib
import os
from typing import NamedTuple

from phux_core.logs import places

DEFAULT_TOTAL_BYTES = 2 * 1024 * 1024 * 1024
DEFAULT_KEEP_DAYS = 7.0
MOST_LOGS = 2000
"""The most logs that are kept, not counting those of live panes; each is a directory that every cleaning inspects."""
_DAY_S = 86400


class _Segment(NamedTuple):
    written_at: float
    log: places.LogId
    name: str
    size: int


class Kept(NamedTuple):
    """The size and the number of all logs."""

    total_bytes: int
    logs: int


class _Found(NamedTuple):
    ended_at: float | None
    segments: list[_Segment]
    other_bytes: int  # of files that are removed only with the log


def clean(root: str, *, most: int, keep_days: float, now: float, server: str | None, live: frozenset[int]) -> Kept:
    """Remove expired logs and the oldest above ``MOST_LOGS``, then the oldest segments above ``most`` bytes.

    Args:
        root: The directory of all logs.
        most: Maximum total bytes.
        keep_days: How long to keep the log of a pane after its end.
        now: The date, which must not have jumped ahead, because logs would expire too early.
        server: The name of the calling server.
        live: The calling server's live panes.

    Returns:
        The size and the number of the logs that remain.
    """
    lives: dict[str, bool] = {}
    kept: dict[places.LogId, _Found] = {}
    for log in list(places.logs(root)):
        if log.server == server:
            is_alive = log.pane in live
        else:
            is_alive = lives.setdefault(log.server, places.server_lives(log.server))
        try:
            found = _inspect(root, log, is_alive=is_alive)
        except OSError:
            continue
        if found.ended_at is not None and found.ended_at + keep_days * _DAY_S < now:
            _remove(root, log)
        else:
            kept[log] = found
    ended = sorted((found.ended_at, log) for log, found in kept.items() if found.ended_at is not None)
    for _ended_at, log in ended[: max(0, len(ended) - MOST_LOGS)]:
        _remove(root, log)
        del kept[log]
    segments: list[_Segment] = []
    total = 0
    for found in kept.values():
        total += sum(segment.size for segment in found.segments) + found.other_bytes
        segments += found.segments[:-1] if found.ended_at is None else found.segments
    for segment in sorted(segments):
        if total <= most:
            break
        with contextlib.suppress(OSError), places.log_directory(root, segment.log) as directory:
            os.unlink(segment.name, dir_fd=directory)
        total -= segment.size
    return Kept(total, len(kept))


def _inspect(root: str, log: places.LogId, *, is_alive: bool) -> _Found:
    segments = []
    other_bytes = 0
    with places.log_directory(root, log) as directory:
        changed_at = os.fstat(directory).st_mtime
        for name in sorted(os.listdir(directory)):
            with contextlib.suppress(FileNotFoundError):
                found = os.stat(name, dir_fd=directory, follow_symlinks=False)
                if places.segment_offset(name) is None:
                    other_bytes += found.st_size
                else:
                    segments.append(_Segment(found.st_mtime, log, name, found.st_size))
                    changed_at = max(changed_at, found.st_mtime)
        ended_at = places.read_meta(directory).get("ended_at")
    if ended_at is None and not is_alive:
        ended_at = changed_at  # its server was killed
    return _Found(ended_at, segments, other_bytes)


def _remove(root: str, log: places.LogId) -> None:
    """Remove a log, and its server's directory if it is then empty."""
    with contextlib.suppress(OSError):
        with places.log_directory(root, log) as directory:
            for name in os.listdir(directory):
                with contextlib.suppress(OSError):
                    os.unlink(name, dir_fd=directory)
        os.rmdir(os.path.join(root, log.server, f"pane-{log.pane}"))
        os.rmdir(os.path.join(root, log.server))

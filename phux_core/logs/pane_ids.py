"""Pane ids, unique among a user's servers: a counter beside the logs, see docs/decisions/0025-pane-ids.md."""

from __future__ import annotations

import contextlib
import fcntl
import os

from phux_core.logs import places

_NAME = "next-pane"
_MOST_DIGITS = 10
_LARGEST = 4_000_000_000


def take(root: str, least: int) -> int:
    """Reserve and return a pane id of at least ``least`` that was never used with these logs.

    Return ``least`` if there are no logs (``root`` is empty), or the counter cannot be read or written.
    """
    if root:
        with contextlib.suppress(OSError):  # full or read-only disk: ids are still unique within this server
            directory = places.open_directory(root, create=True)
            try:
                fd = places.open_file(_NAME, os.O_RDWR | os.O_CREAT, dir_fd=directory)
            finally:
                os.close(directory)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX)
                taken = max(least, _next_id(fd, root))
                if taken >= _LARGEST:
                    return least
                os.pwrite(fd, b"%010d\n" % (taken + 1), 0)
                return taken
            finally:
                os.close(fd)
    return least


def _next_id(fd: int, root: str) -> int:
    """Read the counter; if it is new or damaged, continue after the highest id in the logs."""
    text = os.pread(fd, _MOST_DIGITS + 1, 0).strip()
    if text.isdigit() and len(text) <= _MOST_DIGITS:
        return int(text)
    return max((log.pane + 1 for log in places.logs(root)), default=1)

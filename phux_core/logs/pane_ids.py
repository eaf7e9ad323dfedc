"""Pane ids that no other server of this user gives: a counter beside the logs, see docs/decisions/0023-pane-ids.md."""

from __future__ import annotations

import contextlib
import fcntl
import os

_NAME = "next-pane"
_MOST_DIGITS = 10
_LARGEST = 4_000_000_000


def take(root: str, least: int) -> int:
    """Return a pane id that was never used with these logs, and keep others from using it.

    Args:
        root: The directory of all logs; empty if there is none.
        least: The smallest id the caller may use.
    """
    if root:
        with contextlib.suppress(OSError):  # a full or read-only disk: the ids of this server are still its own
            os.makedirs(root, 0o700, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
            fd = os.open(os.path.join(root, _NAME), flags, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX)
                text = os.pread(fd, _MOST_DIGITS + 1, 0).strip()
                known = int(text) if text.isdigit() and len(text) <= _MOST_DIGITS else 0
                taken = max(least, known) if known < _LARGEST else least
                os.pwrite(fd, b"%010d\n" % (taken + 1), 0)
                return taken
            finally:
                os.close(fd)
    return least

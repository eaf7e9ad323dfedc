"""Errors for the resources of the system: descriptors, processes, memory, disk space, terminals."""

from __future__ import annotations

import errno

from phux_core.errors import LimitError

_LIMITS = {
    errno.EMFILE: ("the server has too many open files", "raise the limit (ulimit -Hn) before the server starts"),
    errno.ENFILE: ("the system has too many open files", "raise fs.file-max"),
    errno.EAGAIN: ("no more processes are allowed", "raise the limit (ulimit -u, or pids.max of the cgroup)"),
    errno.ENOMEM: ("the system has too little memory", "end other programs"),
    errno.ENOBUFS: ("the system has too little memory", "end other programs"),
    errno.ENOSPC: ("the disk is full, or no pseudo-terminal is left", "free disk space, or raise kernel.pty.max"),
}


def limit_error(number: int | None, message: str) -> LimitError | None:
    """Return the error for the number of a system error; None if it concerns no limit."""
    if number not in _LIMITS:
        return None
    limit, remedy = _LIMITS[number]
    return LimitError(f"{limit}: {message}", remedy=f"kill some panes, or {remedy}")

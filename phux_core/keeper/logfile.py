"""The server's log: a private file that receives stderr of the keeper and the service."""

from __future__ import annotations

import contextlib
import os
import sys
import time

from phux_core import files

_MAX_BYTES = 1024 * 1024


def redirect_to_log(path: str) -> None:
    """Send stdout and stderr to a private log file, appending."""
    fd = files.open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(fd, 1)
    os.dup2(fd, 2)
    os.close(fd)


def log(text: str) -> None:
    """Write a line to the log."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    # A full disk must not crash the keeper.
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{stamp} keeper[{os.getpid()}]: {text}\n")
        sys.stderr.flush()


def is_log(path: str) -> bool:
    """Return True if stderr is redirected to this file, by ``redirect_to_log`` or by the process that started us."""
    try:
        return os.path.samestat(os.fstat(2), os.stat(path))
    except OSError:
        return False


def trim_log(path: str | None) -> None:
    """Start a new log if the old one is too long. Called before each restart, because restarts make it grow."""
    if path is None:
        return
    with contextlib.suppress(OSError):
        if os.fstat(2).st_size > _MAX_BYTES:
            os.replace(path, f"{path}.old")
            redirect_to_log(path)

"""Make the Nth system call of a kind fail in a private server's keeper or service.

Python imports this module at startup, because its directory is in PYTHONPATH. The calls of private servers are patched
in their template process, from which keepers and services are forked. What to fail is in a file that the test maps, see
``fault_points``.
"""

from __future__ import annotations

import errno
import mmap
import os
import socket
import stat
import sys
import threading
from typing import Any

# The template forks itself once, then keepers; a keeper forks its services.
_ROLES = {2: 0, 3: 1}
KINDS = ("open", "write", "dup", "recvmsg", "sendmsg", "fork", "mmap", "memfd", "pty", "accept", "socketpair", "thread")
_depth = 0
_lock = threading.Lock()


def _install(path: str) -> None:
    with open(path, "r+b") as file:
        cells = memoryview(mmap.mmap(file.fileno(), 32)).cast("Q")

    def is_due(kind: str) -> bool:
        """Count a call, and return whether it must fail."""
        if cells[2] == 0 or _ROLES.get(_depth) != cells[0] or KINDS[cells[1]] != kind:
            return False
        with _lock:
            cells[3] += 1
            return bool(cells[3] == cells[2])

    def patch(owner: Any, name: str, kind: str, number: int) -> None:
        real = getattr(owner, name)

        def failing(*args: Any, **kwargs: Any) -> Any:
            if is_due(kind):
                raise OSError(number, os.strerror(number))
            return real(*args, **kwargs)

        setattr(owner, name, failing)

    def patch_write(name: str) -> None:
        real = getattr(os, name)

        def failing(fd: int, *args: Any) -> Any:
            if is_due("write"):
                # A terminal is never out of space, but it may be full.
                number = errno.ENOSPC if stat.S_ISREG(os.fstat(fd).st_mode) else errno.EAGAIN
                raise OSError(number, os.strerror(number))
            return real(fd, *args)

        setattr(os, name, failing)

    class Map(mmap.mmap):
        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            if is_due("mmap"):
                raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
            return super().__new__(cls, *args, **kwargs)

    start_thread = threading.Thread.start

    def start(self: threading.Thread) -> None:
        if is_due("thread"):
            raise RuntimeError("can't start new thread")
        start_thread(self)

    for name in ("write", "pwrite"):
        patch_write(name)
    patch(os, "open", "open", errno.EMFILE)
    patch(sys.modules["builtins"], "open", "open", errno.EMFILE)
    patch(os, "dup", "dup", errno.EMFILE)
    patch(socket.socket, "recvmsg", "recvmsg", errno.ENOMEM)
    patch(socket.socket, "sendmsg", "sendmsg", errno.ENOBUFS)
    patch(socket.socket, "accept", "accept", errno.EMFILE)
    patch(os, "fork", "fork", errno.EAGAIN)
    patch(os, "posix_spawn", "fork", errno.EAGAIN)
    patch(sys.modules["_posixsubprocess"], "fork_exec", "fork", errno.EAGAIN)
    patch(os, "memfd_create", "memfd", errno.EMFILE)
    patch(os, "openpty", "pty", errno.ENOSPC)
    patch(socket, "socketpair", "socketpair", errno.EMFILE)
    mmap.mmap = Map  # type: ignore[misc]
    threading.Thread.start = start  # type: ignore[method-assign]


def _forked() -> None:
    global _depth
    _depth += 1


if "phux_core.server.template" in sys.orig_argv and "PHUX_FAULTS" in os.environ:
    import _posixsubprocess  # noqa: F401

    os.register_at_fork(after_in_child=_forked)
    _install(os.environ["PHUX_FAULTS"])

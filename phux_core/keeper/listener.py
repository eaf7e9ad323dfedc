"""The listening socket: at most one server listens on a path, and replaces only a socket without a server."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import socket
import stat

from phux_core import files, paths
from phux_core.errors import PhuxError, RefusedError, UnsafePathError
from phux_core.keeper.logfile import log, redirect_to_log

# A client that finds the backlog full must try again. The kernel reduces the number to its own limit.
_BACKLOG = 4096


class Listener:
    """A bound, listening socket and its file, in a directory checked by ``paths.ensure_private_directory``.

    Raises:
        RefusedError: A server is already listening there.
        UnsafePathError: The path exists and is not a stale socket, or it cannot be bound.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.sock, self._identity = _bind(path)
        self._problem = ""

    @property
    def is_bound(self) -> bool:
        """Whether the path still leads to this socket."""
        return self._identity is not None and _identity_of(self.path) == self._identity

    def bind_if_deleted(self, log_path: str | None) -> bool:
        """Replace the socket's file and the log, if they were deleted: logind does this at logout, for example.

        Returns:
            Whether ``sock`` is another socket now.
        """
        if self.is_bound:
            return False
        try:
            self._bind_again()
        except (PhuxError, OSError) as error:
            if str(error) != self._problem:
                log(f"the socket {self.path} was deleted, and cannot be bound again: {error}")
            self._problem = str(error)
            return False
        self._problem = ""
        if log_path is not None:
            with contextlib.suppress(OSError):
                redirect_to_log(log_path)
        log(f"the socket {self.path} was deleted and bound again")
        return True

    def _bind_again(self) -> None:
        """Bind the path, which was deleted, to a new socket with the same descriptor."""
        paths.ensure_private_directory(self.path)
        lock = take_lock(self.path, wait=False)
        try:
            sock, self._identity = _bind(self.path)
        finally:
            os.close(lock)
        with sock:
            os.dup2(sock.fileno(), self.sock.fileno(), inheritable=False)

    def close(self) -> None:
        """Stop listening, and unlink the file if it is still ours."""
        with contextlib.suppress(OSError):
            if self.is_bound:  # else another server may have bound the path in the meantime
                os.unlink(self.path)
        self._identity = None  # inode numbers are reused: a second call could unlink another server's socket
        self.sock.close()


def _bind(path: str) -> tuple[socket.socket, tuple[int, int] | None]:
    """Bind a listening socket, and return it with the identity of its file."""
    _remove_stale(path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    old_umask = os.umask(0o177)
    try:
        sock.bind(path)
    except OSError as error:
        sock.close()
        raise UnsafePathError(
            f"cannot bind the socket {path}: {error.strerror}",
            remedy="choose another path with --socket",
        ) from error
    finally:
        os.umask(old_umask)
    sock.listen(_BACKLOG)
    sock.setblocking(False)
    return sock, _identity_of(path)


def _identity_of(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def take_lock(socket_path: str, *, wait: bool = True) -> int:
    """Lock a socket path, so that no other server can start on it, and return a descriptor.

    Closing the descriptor releases the lock.

    Raises:
        BlockingIOError: Another process has the lock, and ``wait`` is False.
    """
    fd = files.open_regular(paths.lock_path(socket_path), os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        raise
    return fd


def _remove_stale(path: str) -> None:
    """Remove a socket that no server is listening on."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(path)
        except FileNotFoundError:
            return
        except OSError as error:
            # Only a refused connection proves that the socket is stale. A full backlog or a slow server does not.
            if error.errno != errno.ECONNREFUSED:
                raise UnsafePathError(
                    f"cannot tell whether a server is listening on {path}: {error.strerror or error}",
                    remedy="remove the socket, or choose another path with --socket",
                ) from error
        else:
            raise RefusedError(
                f"a server is already listening on {path}", remedy="use it, or end it with `phux kill --server`"
            )
    if not stat.S_ISSOCK(os.lstat(path).st_mode):
        raise UnsafePathError(f"{path} exists and is not a socket", remedy="choose another path with --socket")
    os.unlink(path)

"""The listening socket: at most one server listens on a path, and replaces only a socket without a server."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import socket
import stat

from phux_core import files, paths
from phux_core.errors import RefusedError, UnsafePathError

_BACKLOG = 128


class Listener:
    """A bound, listening socket and its file, in a directory checked by ``paths.ensure_private_directory``.

    Raises:
        RefusedError: A server is already listening there.
        UnsafePathError: The path exists and is not a stale socket, or it cannot be bound.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        _remove_stale(path)
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        old_umask = os.umask(0o177)
        try:
            self.sock.bind(path)
        except OSError as error:
            self.sock.close()
            raise UnsafePathError(
                f"cannot bind the socket {path}: {error.strerror}",
                remedy="choose another path with --socket",
            ) from error
        finally:
            os.umask(old_umask)
        found = os.lstat(path)
        self._identity: tuple[int, int] | None = (found.st_dev, found.st_ino)
        self.sock.listen(_BACKLOG)
        self.sock.setblocking(False)

    def close(self) -> None:
        """Stop listening, and unlink the file if it is still ours."""
        with contextlib.suppress(OSError):
            found = os.lstat(self.path)
            # Another server may have bound the path in the meantime; leave its socket alone.
            if (found.st_dev, found.st_ino) == self._identity:
                os.unlink(self.path)
        self._identity = None  # inode numbers are reused: a second call could unlink another server's socket
        self.sock.close()


def take_lock(socket_path: str) -> int:
    """Lock a socket path, so that no other server can start on it, and return a descriptor.

    Blocks until the lock is acquired. Closing the descriptor releases the lock.
    """
    fd = files.open_regular(paths.lock_path(socket_path), os.O_RDWR | os.O_CREAT)
    fcntl.flock(fd, fcntl.LOCK_EX)
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

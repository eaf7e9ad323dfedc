"""Locations and names of logs, and checks of their directories.

Each directory is opened relative to its parent and checked: it must be ours, private and not a symbolic link.
Existing permissions are never changed.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
import stat
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from phux_core import files, procfs
from phux_core.kinds import COUNT, MOMENT, TEXT, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

META = "meta.json"
LINES = "lines"
COMMANDS = "commands"
_SEGMENT = re.compile(r"(\d{20})\.log")
_SERVER = re.compile(r"\d{8}T\d{6}Z-\d+-[0-9a-f]{4}")
_PANE = re.compile(r"pane-(\d{1,10})")
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_META = 256 * 1024
_META_KINDS = {
    **dict.fromkeys(("session", "command", "cwd", "signal", "socket", "reported_by"), TEXT),
    **dict.fromkeys(("cols", "rows"), whole(1, 1000)),
    **dict.fromkeys(("started_at", "ended_at"), MOMENT),
    **dict.fromkeys(("end", "exit_status"), COUNT),
}


class LogId(NamedTuple):
    """The id of a log: the name of the server instance, see ``server_name``, and the pane's id."""

    server: str
    pane: int

    def __str__(self) -> str:
        return f"{self.server}/{self.pane}"

    @classmethod
    def parse(cls, text: str) -> LogId | None:
        """Parse the output of ``str``; return None if the text is not a log id."""
        server, slash, pane = text.partition("/")
        if not slash or not _SERVER.fullmatch(server) or not pane.isdecimal() or len(pane) > 10:
            return None
        return cls(server, int(pane))


def server_name(socket: str, started_at: float, keeper_pid: int) -> str:
    """Return a unique name for a server instance, from its start time, process id and socket.

    Example:
        >>> server_name("/run/phux.sock", 0.0, 7)
        '19700101T000000Z-7-554d'
    """
    digest = hashlib.sha256(f"{socket}\0{started_at!r}\0{keeper_pid}".encode("utf-8", "surrogateescape")).hexdigest()
    return f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(started_at))}-{keeper_pid}-{digest[:4]}"


def segment_name(offset: int) -> str:
    """Return the file name of the segment that begins at an offset."""
    return f"{offset:020}.log"


def segment_offset(name: str) -> int | None:
    """Return the offset in a segment's file name; None for other files."""
    match = _SEGMENT.fullmatch(name)
    return int(match[1]) if match else None


class UnsafeDirectoryError(OSError):
    """A directory belongs to another user, is accessible to others, or can be replaced by them."""


def open_directory(path: str, *names: str, create: bool = False) -> int:
    """Open a directory and return its descriptor; ``path``, each of ``names`` below it and all parents are checked.

    Raises:
        UnsafeDirectoryError: A component belongs to another user or is accessible to others, or they can replace it.
        OSError: A component does not exist, is not a directory, is a link, or cannot be created.
    """
    _check_ancestors(path)
    if create:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)
    fd = os.open(path, _DIRECTORY)
    try:
        _check(fd, path)
        for name in names:
            if create:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(name, 0o700, dir_fd=fd)
            inner = os.open(name, _DIRECTORY, dir_fd=fd)
            os.close(fd)
            fd = inner
            _check(fd, name)
    except BaseException:
        os.close(fd)
        raise
    return fd


def open_log(root: str, log: LogId, *, create: bool = False) -> int:
    """Open the directory of a log."""
    return open_directory(root, log.server, f"pane-{log.pane}", create=create)


@contextlib.contextmanager
def log_directory(root: str, log: LogId, *, create: bool = False) -> Iterator[int]:
    """Open the directory of a log while a block runs."""
    directory = open_log(root, log, create=create)
    try:
        yield directory
    finally:
        os.close(directory)


@functools.cache  # errors are not cached, and only root and we can make a safe path unsafe
def _check_ancestors(path: str) -> None:
    if unsafe := files.unsafe_ancestor(path):
        raise UnsafeDirectoryError(f"other users can replace {path}: {unsafe}")


def _check(fd: int, name: str) -> None:
    found = os.fstat(fd)
    if found.st_uid != os.getuid():
        raise UnsafeDirectoryError(f"{name} belongs to uid {found.st_uid}, not to uid {os.getuid()}")
    if found.st_mode & 0o077:
        raise UnsafeDirectoryError(f"{name} is open to others (mode {stat.S_IMODE(found.st_mode):04o}, need 0700)")


def open_file(name: str, flags: int, *, dir_fd: int) -> int:
    """Open a file of a log, see ``files.open_regular``."""
    return files.open_regular(name, flags, dir_fd=dir_fd)


def read_file(name: str, most: int, *, dir_fd: int) -> bytes:
    """Return up to ``most`` bytes of a log's file; empty if it cannot be read."""
    with contextlib.suppress(OSError), os.fdopen(open_file(name, os.O_RDONLY, dir_fd=dir_fd), "rb") as file:
        return file.read(most)
    return b""


def replace_file(name: str, data: bytes, *, dir_fd: int) -> None:
    """Replace a file atomically."""
    part = f"{name}.part"
    fd = open_file(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, dir_fd=dir_fd)
    with os.fdopen(fd, "wb") as file:
        file.write(data)
    os.rename(part, name, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)


def read_meta(dir_fd: int) -> dict[str, Any]:
    """Return the metadata of a log's pane, without damaged and missing values."""
    with contextlib.suppress(ValueError, RecursionError):
        found = json.loads(read_file(META, _MOST_META, dir_fd=dir_fd))
        if isinstance(found, dict):
            known = _META_KINDS
            return {name: value for name, value in found.items() if name not in known or known[name].fits(value)}
    return {}


def logs(root: str) -> Iterator[LogId]:
    """Yield all logs, newest server first, ordered by pane."""
    for server in sorted(_names(root), reverse=True):
        if _SERVER.fullmatch(server):
            matches = (_PANE.fullmatch(name) for name in _names(os.path.join(root, server)))
            yield from (LogId(server, pane) for pane in sorted(int(match[1]) for match in matches if match))


def find_log(root: str, pane: int, server: str | None) -> LogId | None:
    """Return a pane's log: that of the given server, else of the newest server with such a pane."""
    found = [log for log in logs(root) if log.pane == pane]
    return next((log for log in found if log.server == server), found[0] if found else None)


def _names(path: str) -> list[str]:
    try:
        return os.listdir(path)
    except OSError:
        return []


def keeper_pid(server: str) -> int:
    """Return the process id of a server's keeper."""
    return int(server.split("-")[1])


def server_lives(server: str) -> bool:
    """Return whether a server may still be running, judging by its keeper's process."""
    pid = keeper_pid(server)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    if not procfs.is_usable():
        return True
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return b"phux_core.keeper" in file.read(4096)
    except OSError:
        return True

"""Where logs are, what they are called, and whether their directories may be trusted.

Every directory is opened from the one above it and checked: ours, closed to everybody else, no link. Nothing that
exists is ever changed to be so.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import stat
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from phux_core import procfs

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


class LogId(NamedTuple):
    """Which log.

    Attributes:
        server: The name of the server's life it is of.
        pane: The pane's number there.
    """

    server: str
    pane: int

    def __str__(self) -> str:
        return f"{self.server}/{self.pane}"

    @classmethod
    def parse(cls, text: str) -> LogId | None:
        """Read what ``str`` gives; None if it is something else."""
        server, slash, pane = text.partition("/")
        if not slash or not _SERVER.fullmatch(server) or not pane.isdecimal() or len(pane) > 10:
            return None
        return cls(server, int(pane))


def server_name(socket: str, started_at: float, keeper_pid: int) -> str:
    """Name one life of a server, as no other is named: by its beginning, its process and its socket.

    Example:
        >>> server_name("/run/phux.sock", 0.0, 7)
        '19700101T000000Z-7-554d'
    """
    digest = hashlib.sha256(f"{socket}\0{started_at!r}\0{keeper_pid}".encode("utf-8", "surrogateescape")).hexdigest()
    return f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime(started_at))}-{keeper_pid}-{digest[:4]}"


def keeper_of(server: str) -> int:
    """Tell the process that a server's name speaks of."""
    return int(server.split("-")[1])


def segment_name(offset: int) -> str:
    """Name the segment that begins at a place in the stream."""
    return f"{offset:020}.log"


def segment_offset(name: str) -> int | None:
    """Tell where a segment begins; None if this is no segment."""
    match = _SEGMENT.fullmatch(name)
    return int(match[1]) if match else None


class UnsafeDirectoryError(OSError):
    """A directory that is not ours alone."""


def open_directory(path: str, *names: str, create: bool = False) -> int:
    """Open a directory below another, checking each on the way from ``path`` on.

    Args:
        path: A directory that is checked itself, too; those above it are the user's business.
        names: Which one below it.
        create: Whether to make what is missing.

    Returns:
        A descriptor.

    Raises:
        UnsafeDirectoryError: One of them belongs to somebody else or is open to others.
        OSError: It is not there, is no directory, is a link, or cannot be made.
    """
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


def _check(fd: int, name: str) -> None:
    found = os.fstat(fd)
    if found.st_uid != os.getuid():
        raise UnsafeDirectoryError(f"{name} belongs to uid {found.st_uid}, not to us")
    if found.st_mode & 0o077:
        raise UnsafeDirectoryError(f"{name} is open to others (mode {stat.S_IMODE(found.st_mode):04o}, need 0700)")


def open_file(name: str, flags: int, *, dir_fd: int) -> int:
    """Open a file of a log: private, and never through a link."""
    return os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=dir_fd)


def read_file(name: str, most: int, *, dir_fd: int) -> bytes:
    """Read a small file of a log; empty if it is not there."""
    try:
        fd = open_file(name, os.O_RDONLY, dir_fd=dir_fd)
    except FileNotFoundError:
        return b""
    with os.fdopen(fd, "rb") as file:
        return file.read(most)


def replace_file(name: str, data: bytes, *, dir_fd: int) -> None:
    """Write a file anew, whole or not at all."""
    part = f"{name}.part"
    fd = open_file(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, dir_fd=dir_fd)
    with os.fdopen(fd, "wb") as file:
        file.write(data)
    os.rename(part, name, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)


def read_meta(dir_fd: int) -> dict[str, Any]:
    """Read what is known of a log's pane; empty if nothing is."""
    with contextlib.suppress(OSError, ValueError):
        found = json.loads(read_file(META, _MOST_META, dir_fd=dir_fd))
        if isinstance(found, dict):
            return found
    return {}


def logs(root: str) -> Iterator[LogId]:
    """Go through all logs, newest server first, panes in their order."""
    for server in sorted(_names(root), reverse=True):
        if _SERVER.fullmatch(server):
            matches = (_PANE.fullmatch(name) for name in _names(os.path.join(root, server)))
            yield from (LogId(server, pane) for pane in sorted(int(match[1]) for match in matches if match))


def find_log(root: str, pane: int, server: str | None) -> LogId | None:
    """Find a pane's log: of the server that is asked, else of the newest earlier one that had such a pane."""
    found = [log for log in logs(root) if log.pane == pane]
    return next((log for log in found if log.server == server), found[0] if found else None)


def _names(path: str) -> list[str]:
    try:
        return os.listdir(path)
    except OSError:
        return []


def server_lives(server: str) -> bool:
    """Tell whether a server may still live, because its keeper's process does."""
    pid = keeper_of(server)
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

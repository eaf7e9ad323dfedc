"""Files that a shell sources, one set per run, in a private directory next to the socket."""

from __future__ import annotations

import contextlib
import os
import resource
import secrets
from typing import TYPE_CHECKING

from phux_core.errors import RefusedError

if TYPE_CHECKING:
    from phux_core.keeper.journal import Journal

# Shells put their own and saved descriptors here or above.
_FIRST_OWN = 10
# A run's files, and the descriptors that its redirections replace. fish also sets a title before each command.
_NEEDED = 4
_NEEDED_BY_FISH = 8
# Counting open descriptors takes as long as a trivial command, so it is skipped if the limit is high.
_PLENTY = 64
_LONGEST_MESSAGE = 4096


class SourceFiles:
    """The files of one run, in a directory."""

    def __init__(self, directory: str) -> None:
        self.paths: list[str] = []
        self._directory = directory

    def add(self, text: str, name: str | None = None) -> str:
        """Write a text into a file, and return its path.

        Raises:
            RefusedError: The file cannot be written. Earlier ones are removed.
        """
        path = os.path.join(self._directory, name or new_name())
        try:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            self.paths.append(path)
            with os.fdopen(fd, "wb") as file:
                file.write(f"{text}\n".encode("utf-8", "surrogateescape"))
        except OSError as error:
            remove(self.paths)
            raise RefusedError(
                f"the command cannot be written to a file in {self._directory}: {error.strerror}",
                remedy="free some space there, or write the command on one line",
            ) from error
        return path


def new_name() -> str:
    """Return a name for a file of a run."""
    return f"r{secrets.token_hex(3)}"


def check_descriptors(pid: int, shell: str | None = None) -> None:
    """Refuse to run a command in a shell that has too few file descriptors left.

    Our hooks and reading a file need some. dash silently loses its standard output if it cannot save it for a
    redirection; bash and zsh do not mark the end of the command.
    """
    try:
        limit, _hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        if limit == resource.RLIM_INFINITY or limit > _PLENTY:
            return
        used = sum(1 for name in os.listdir(f"/proc/{pid}/fd") if int(name) >= _FIRST_OWN)
    except OSError:
        return  # unknown
    if limit - _FIRST_OWN - used < (_NEEDED_BY_FISH if shell == "fish" else _NEEDED):
        raise RefusedError(
            f"the shell has too few file descriptors left to run a command: its limit is {limit}",
            remedy="raise the limit (ulimit -n), or use another shell",
        )


def could_not_be_opened(files: list[str], journal: Journal, start: int, end: int) -> bool:
    """Return whether the only output is the shell's error that it cannot open one of these files, or has no alias."""
    line = (
        journal.since(start, end - start).strip() if journal.base <= start <= end <= start + _LONGEST_MESSAGE else b""
    )
    # mksh also names files that it has opened, followed by a line number.
    names = [os.path.basename(path).encode() for path in files]
    # Only a name is the typed line, which `set -v` shows.
    return b"\n" not in line and any(name in line != name and name + b"[" not in line for name in names)


def not_opened(pane: int) -> RefusedError:
    """Return the error for a command that its shell did not execute because it could not open the file."""
    return RefusedError(
        f"the shell in @{pane} could not open the file with the command, and did not execute it",
        remedy="look at the screen for its message; it may have no file descriptors left (ulimit -n)",
    )


def remove(files: list[str]) -> None:
    for path in files:
        with contextlib.suppress(OSError):
            os.unlink(path)
    files.clear()

"""Files that a shell sources, one set per run, in a private directory next to the socket."""

from __future__ import annotations

import contextlib
import os
import resource
import secrets

from phux_core.errors import RefusedError

# Shells put their own and saved descriptors here or above.
_FIRST_OWN = 10
# A run's files, and the descriptors that its redirections replace.
_NEEDED = 4


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


def check_descriptors(pid: int) -> None:
    """Refuse to make a shell read a file if it has too few file descriptors left.

    dash silently loses its standard output if it cannot save it for a redirection.
    """
    try:
        limit, _hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        if limit == resource.RLIM_INFINITY:
            return
        used = sum(1 for name in os.listdir(f"/proc/{pid}/fd") if int(name) >= _FIRST_OWN)
    except OSError:
        return  # unknown
    if limit - _FIRST_OWN - used < _NEEDED:
        raise RefusedError(
            f"the shell has too few file descriptors left to run a command: its limit is {limit}",
            remedy="raise the limit (ulimit -n), or use another shell",
        )


def remove(files: list[str]) -> None:
    for path in files:
        with contextlib.suppress(OSError):
            os.unlink(path)
    files.clear()

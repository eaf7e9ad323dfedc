"""Files that a shell sources, one set per run, in a private directory next to the socket."""

from __future__ import annotations

import contextlib
import os
import resource
import secrets
from typing import TYPE_CHECKING

from phux_core.errors import RefusedError
from phux_core.server.run import command_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from phux_core.keeper.journal import Journal

# Shells put their own and saved descriptors here or above.
_FIRST_OWN = 10
# A run's files, and the descriptors that its redirections replace. fish also sets a title before each command.
_NEEDED = 4
_NEEDED_BY_FISH = 8
# Counting open descriptors takes as long as a trivial command, so it is skipped if the limit is high.
_PLENTY = 64
_LONGEST_MESSAGE = 4096


def write(
    directory: str,
    command: str,
    shell: str,
    nonce: str | None,
    *,
    broken: bool = False,
    closed: bool = True,
    before: str = "",
    program: Sequence[str] = (),
) -> tuple[str, list[str]]:
    """Write a command into a file, with marks for its start and end if the shell has none.

    Args:
        directory: The directory of the files.
        command: The command.
        shell: The kind of shell that executes it.
        nonce: The nonce of the marks; None if the shell marks its commands itself.
        broken: Whether the shell cannot parse the command.
        closed: Whether a line after the command would not become a part of it.
        before: Lines to execute before a broken command.
        program: The command that starts another process of the shell, which then reports the error.

    Returns:
        The line that makes the shell execute it, and the files.

    Raises:
        RefusedError: The files cannot be written.
    """
    files: list[str] = []
    try:
        if program:
            text = command_text.report_error(command, program)
            if before:
                text = f"{command_text.eval_text(before, shell)}; {text}"
            if nonce is not None:
                text = command_text.wrapper(text, shell, nonce)
            path = _write(directory, f"{text}\n", files)
        elif nonce is None:
            # Otherwise the shell would name the file in its messages.
            text = f"{command}\n" if command.endswith("\\") else command
            if shell == "posix":
                text = command_text.eval_text(text, shell, broken=broken)
            path = _write(directory, f"{text}\n", files)
        else:
            text = command if broken or not closed else command_text.with_status(command, shell)
            if shell == "ksh" and text != command:
                text += "\n"  # after `set -v`, ksh shows the text that it evals, without a newline
            if text.endswith("\\"):
                text += "\n"  # as if typed, the line continues
            if shell in {"zsh", "ksh"} or (shell == "posix" and "return" not in command):
                inner = command_text.eval_text(text, shell, broken=broken)
            else:
                if shell == "posix":  # `return` would end the file that marks the end
                    text = command_text.eval_text(text, shell, broken=broken)
                path = _write(directory, f"{text}\n", files)
                inner = command_text.source_line(path, shell, broken=broken).strip()
                if shell in command_text.POSIX:
                    inner = f"command {inner}"  # else dash and others abandon the whole line at a syntax error
            path = _write(directory, command_text.wrapper(inner, shell, nonce), files)
            broken = broken and shell == "bash"  # see source_line; other shells can parse this file
    except OSError as error:
        remove(files)
        raise RefusedError(
            f"the command cannot be written to a file in {directory}: {error.strerror}",
            remedy="free some space there, or write the command on one line",
        ) from error
    return command_text.source_line(path, shell, broken=broken), files


def check_descriptors(pid: int, shell: str | None = None) -> None:
    """Refuse to run a command in a shell that has too few file descriptors left.

    Our hooks and reading a file need some. dash silently loses its standard output if it cannot save it for a
    redirection; bash and zsh do not mark the end of the command.

    Raises:
        RefusedError: It has too few.
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
    """Return whether the only output is the shell's error that it cannot open one of these files."""
    line = (
        journal.since(start, end - start).strip() if journal.base <= start <= end <= start + _LONGEST_MESSAGE else b""
    )
    # mksh also names files that it has opened, followed by a line number.
    return b"\n" not in line and any(name in line and name + b"[" not in line for name in map(os.fsencode, files))


def not_opened(pane: int) -> RefusedError:
    """Return the error for a command that its shell did not execute because it could not open the file."""
    return RefusedError(
        f"the shell in @{pane} could not open the file with the command, and did not execute it",
        remedy="look at the screen for its message; it may have no file descriptors left (ulimit -n)",
    )


def remove(files: list[str]) -> None:
    """Remove a run's files."""
    for path in files:
        with contextlib.suppress(OSError):
            os.unlink(path)
    files.clear()


def _write(directory: str, text: str, files: list[str]) -> str:
    path = os.path.join(directory, f"r{secrets.token_hex(3)}")
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    files.append(path)
    with os.fdopen(fd, "wb") as file:
        file.write(text.encode("utf-8", "surrogateescape"))
    return path

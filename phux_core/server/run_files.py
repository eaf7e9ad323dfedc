"""Files that a shell is given to source, beside the socket and ours alone, each for one run."""

from __future__ import annotations

import contextlib
import os
import secrets

from phux_core.errors import RefusedError
from phux_core.server import run_lines


def write(
    directory: str, command: str, shell: str, nonce: str | None, *, broken: bool = False, closed: bool = True
) -> tuple[str, list[str]]:
    """Write a command into a file, with what marks its begin and end if the shell does not.

    Args:
        directory: Where.
        command: The command.
        shell: The kind of shell that is to execute it.
        nonce: What the marks carry; None if the shell marks its commands itself.
        broken: Whether the shell cannot read the command.
        closed: Whether a line that follows the command would not become a part of it.

    Returns:
        The line that has the shell execute it, and the files.

    Raises:
        RefusedError: They cannot be written.
    """
    files: list[str] = []
    try:
        if nonce is None:
            path = _write(directory, f"{command}\n", files)
        else:
            text = command if broken or not closed else run_lines.with_status(command, shell)
            if shell == "ksh" and text != command:
                text += "\n"  # after `set -v`, ksh shows what it evals and ends no line behind it
            if text.endswith("\\"):
                text += "\n"  # as where it was typed, the line goes on
            if shell in {"zsh", "ksh"}:
                inner = run_lines.eval_text(text, shell, broken=broken)
            else:
                if shell == "posix":
                    text = run_lines.eval_text(text, shell, broken=broken)
                path = _write(directory, f"{text}\n", files)  # in a file of its own, for `return` ends that
                inner = run_lines.source_line(path, shell, broken=broken).strip()
                if shell in run_lines.POSIX:
                    inner = f"command {inner}"  # else dash and its like would give the whole line up at a syntax error
            path = _write(directory, run_lines.wrapper(inner, shell, nonce), files)
            broken = broken and shell == "bash"  # see source_line; the others can read this file
    except OSError as error:
        remove(files)
        raise RefusedError(
            f"the command cannot be written to a file in {directory}: {error.strerror}",
            remedy="make room there, or run it in a simpler form, on one line",
        ) from error
    return run_lines.source_line(path, shell, broken=broken), files


def remove(files: list[str]) -> None:
    """Remove what was written for a run."""
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

"""Ask a shell whether a command line is complete."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
from typing import NamedTuple

from phux_core import procfs

_DEADLINE_S = 2.0
# Each takes two processes.
_MOST_PREFIXES = 100
# At the end of a file zsh accepts these; at a prompt it asks for more.
_DANGLING = re.compile(r"(?<!\\)(?:\\\\)*(?:&&|\|\|)\s*\Z")


class Verdict(NamedTuple):
    """A shell's verdict on a command: can it parse it from a file, and would its prompt ask for no more."""

    readable: bool
    closed: bool


def program_of(shell_pid: int, shell: str) -> list[str]:
    """Return the command that starts another process of a shell, with the applet's name for a multi-call binary."""
    path: str | None = None
    if procfs.is_usable():
        with contextlib.suppress(OSError):
            path = os.readlink(f"/proc/{shell_pid}/exe")
    path = path or shutil.which("sh" if shell == "posix" else shell)
    if path is None:
        return []
    return [path, "sh"] if os.path.basename(path).startswith("busybox") else [path]


async def judge(command: str, shell_pid: int, shell: str) -> Verdict:
    """Make a shell's program parse a command without executing it; if that fails, the verdict is negative."""
    program = program_of(shell_pid, shell)
    if not program:
        return Verdict(readable=False, closed=False)
    if shell == "fish":
        # fish ignores -c if it must not execute.
        readable = await _reads(program, ["--no-config", "-n"], command)
        return Verdict(readable, readable)
    only_read = ["-f", "-n"] if shell == "zsh" else ["-n"]
    # Shells often accept open constructs at the end of a file (a here-document, a zsh loop without a body), but not
    # before a closing brace, which would become part of them.
    strictly = [*only_read, "-o", "no_short_loops"] if shell == "zsh" else only_read
    alone = f"{command}\n:" if shell == "zsh" else command  # zsh fails after `! true`, even if it only parses
    readable, closed = await asyncio.gather(
        _reads(program, [*only_read, "-c", alone]), _reads(program, [*strictly, "-c", f"{{\n:\n{command}\n}}\n"])
    )
    return Verdict(readable, readable and closed and not _DANGLING.search(command))


async def split_at_error(command: str, shell_pid: int, shell: str) -> tuple[str, str] | None:
    """Split a broken command into the lines that the shell would execute and the rest, with its line numbers.

    Returns:
        None if the error is not in the last lines of a long command.
    """
    lines = command.split("\n")
    last = len(lines) - 1
    for count in range(last, max(0, last - _MOST_PREFIXES), -1):
        before = "\n".join(lines[:count])
        if (await judge(before, shell_pid, shell)).closed:
            return before, "\n" * count + "\n".join(lines[count:])
    return ("", command) if last <= _MOST_PREFIXES else None


async def _reads(program: list[str], options: list[str], given: str | None = None) -> bool:
    """Return whether a shell can parse its input, given in the options or on stdin."""
    try:
        process = await asyncio.create_subprocess_exec(
            *program,
            *options,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except (OSError, ValueError):
        return False
    try:
        async with asyncio.timeout(_DEADLINE_S):
            await process.communicate(None if given is None else given.encode("utf-8", "surrogateescape"))
            return process.returncode == 0
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        return False

"""Whether a command line leaves something open, asked of the shell that is to take it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
from typing import NamedTuple

from phux_core import procfs

_DEADLINE_S = 2.0
# At the end of what it reads, zsh forgives these; at a prompt it asks for more.
_DANGLING = re.compile(r"(?:&&|\|\|)\s*\Z")


class Verdict(NamedTuple):
    """What a shell says of a command.

    Attributes:
        readable: Whether it can read it, from a file.
        closed: Whether it would not ask for more at its prompt.
    """

    readable: bool
    closed: bool


def program_of(shell_pid: int, shell: str) -> list[str]:
    """Find what starts another process of a shell: its program, and for one of many programs its name."""
    path: str | None = None
    if procfs.is_usable():
        with contextlib.suppress(OSError):
            path = os.readlink(f"/proc/{shell_pid}/exe")
    path = path or shutil.which("sh" if shell == "posix" else shell)
    if path is None:
        return []
    return [path, "sh"] if os.path.basename(path).startswith("busybox") else [path]


async def judge(command: str, shell_pid: int, shell: str) -> Verdict:
    """Ask a shell's own program to read a command and not to execute it; one that cannot be asked says no."""
    program = program_of(shell_pid, shell)
    if not program:
        return Verdict(readable=False, closed=False)
    if shell == "fish":
        # It does not look at -c when it is not to execute.
        readable = await _reads(program, ["--no-config", "-n"], command)
        return Verdict(readable, readable)
    only_read = ["-f", "-n"] if shell == "zsh" else ["-n"]
    # What is open where a file ends is often forgiven (a here-document, a loop of zsh without a body), but not where a
    # brace is still to come, which would become a part of it.
    strictly = [*only_read, "-o", "no_short_loops"] if shell == "zsh" else only_read
    alone = f"{command}\n:" if shell == "zsh" else command  # zsh fails after `! true`, also if it only reads
    readable, closed = await asyncio.gather(
        _reads(program, [*only_read, "-c", alone]), _reads(program, [*strictly, "-c", f"{{\n:\n{command}\n}}\n"])
    )
    return Verdict(readable, readable and closed and not _DANGLING.search(command))


async def _reads(program: list[str], options: list[str], given: str | None = None) -> bool:
    """Tell whether a shell takes what it is to read, among its options or as its input."""
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

"""Whether a command line leaves something open, asked of the shell that is to take it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil

_DEADLINE_S = 2.0


async def is_complete(command: str, shell_pid: int, shell: str) -> bool:
    """Ask a shell's own program to read a command and not to execute it.

    Returns:
        Whether it took it; false also if it could not be asked.
    """
    try:
        program: str | None = os.readlink(f"/proc/{shell_pid}/exe")
    except OSError:
        program = shutil.which(shell)
    if program is None:
        return False
    # fish does not look at -c when it is not to execute.
    options = {"zsh": ["-f", "-n", "-c", command], "fish": ["--no-config", "-n"]}.get(shell, ["-n", "-c", command])
    # busybox is many programs, and is told by its name which one.
    name = "sh" if os.path.basename(program).startswith("busybox") else program
    try:
        process = await asyncio.create_subprocess_exec(
            name,
            *options,
            executable=program,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except (OSError, ValueError):
        return False
    try:
        async with asyncio.timeout(_DEADLINE_S):
            await process.communicate(command.encode("utf-8", "surrogateescape") if shell == "fish" else None)
            return process.returncode == 0
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        return False

"""Decide how a run's command is typed: as it is, through a file that the shell sources, or with marks around it."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import TYPE_CHECKING, NamedTuple

from phux_core.server.run import command_text, source_files
from phux_core.server.run.syntax import Verdict, judge, program_of, split_at_error
from phux_core.server.shell.marks import may_end_marks

if TYPE_CHECKING:
    from phux_core.server.run.record import RunRequest
    from phux_core.server.shell.tracker import Ready


class Plan(NamedTuple):
    """How a command is typed.

    Attributes:
        line: The line to type.
        command: The command.
        shell: The kind of shell that reads it.
        nonce: The nonce of its own marks; None if the shell marks its commands itself.
        files: The files written for it.
    """

    line: str
    command: str
    shell: str
    nonce: str | None
    files: list[str]


def plan_as_it_is(request: RunRequest, ready: Ready) -> Plan | None:
    """Plan to type a command as it is, if that is certainly possible.

    Args:
        request: The request.
        ready: The program that reads it.
    """
    marked_shell = ready.shell
    if marked_shell is None:
        return None
    command = _line(request, marked_shell)
    if marked_shell == "posix" and may_end_marks(command):
        return None
    return Plan(command, command, marked_shell, None, []) if command_text.is_surely_complete(command) else None


async def make_plan(request: RunRequest, ready: Ready, remote_shell: str | None, directory: str) -> Plan:
    """Decide how to type a command, after asking the shell whether it is complete, and write the files needed.

    Args:
        request: The request.
        ready: The program that reads it.
        remote_shell: The kind of the remote shell, if the program is not a shell itself.
        directory: A directory for files that the shell sources.
    """
    plan = plan_as_it_is(request, ready)
    if plan is not None:
        return plan
    foreground, marked_shell = ready
    shell = marked_shell or foreground.shell or remote_shell or "posix"
    command = _line(request, shell)
    if marked_shell == "posix":
        shell = _family(foreground.pid)
        if may_end_marks(command):
            marked_shell = None
    nonce = None if marked_shell else secrets.token_hex(4)
    if not marked_shell and (foreground.shell is None or not foreground.same_root):
        return Plan(command_text.inline(command, nonce or "", shell), command, shell, nonce, [])
    sure = command_text.is_surely_complete(command)
    verdict = Verdict(readable=True, closed=True) if sure else await judge(command, foreground.pid, shell)
    if marked_shell and verdict.closed and command_text.may_be_typed(command, shell):
        return Plan(command, command, shell, None, [])
    if nonce is not None:
        source_files.check_descriptors(foreground.pid, shell)
    group = command_text.group(command) if marked_shell and shell in command_text.POSIX and verdict.closed else None
    if group is not None:
        return Plan(group, command, shell, None, [])
    if shell == "posix":
        shell = _family(foreground.pid)
    before, rest = "", command
    program: list[str] = []
    # Lines before the error are typed in a shell with marks; otherwise its messages would say `eval`.
    splits = nonce is not None or "\n" not in command or command_text.group(command) is not None
    if not verdict.readable and shell in ({"posix", "ksh"} if marked_shell else command_text.POSIX) and splits:
        program = program_of(foreground.pid, shell)
        before, rest = await split_at_error(command, foreground.pid, shell)
    line, files = source_files.write(
        directory,
        rest,
        shell,
        nonce,
        broken=not verdict.readable,
        closed=verdict.closed,
        before=before if nonce else "",
        program=program,
    )
    if before and not nonce:
        line = f"{command_text.group(before) or ':'}; {line.strip()}"
    return Plan(line, command, shell, nonce, files)


def _family(pid: int) -> str:
    """Distinguish ksh93, descendants of pdksh, and bash from other POSIX shells, by the program's name."""
    with contextlib.suppress(OSError):
        name = os.path.basename(os.readlink(f"/proc/{pid}/exe"))
        if name.startswith(("mksh", "lksh", "oksh", "pdksh")):
            return "mksh"
        if name.startswith("ksh"):
            return "ksh"
        if name.startswith("bash"):
            return "bash"
    return "posix"


def _line(request: RunRequest, shell: str) -> str:
    return command_text.quote(request.words, shell) if request.words else request.command or ""

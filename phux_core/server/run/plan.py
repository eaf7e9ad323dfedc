"""Decide how a run's command is typed: as it is, through a file that the shell sources, or with marks around it."""

from __future__ import annotations

import contextlib
import os
import secrets
from typing import TYPE_CHECKING, NamedTuple

from phux_core.server.run import command_text, source_files
from phux_core.server.run.source_files import SourceFiles
from phux_core.server.run.syntax import Verdict, judge, program_of, split_at_error
from phux_core.server.shell.marks import executes_nothing, may_end_marks

if TYPE_CHECKING:
    from phux_core.server.run.record import RunRequest
    from phux_core.server.shell.edit_line import Ready


class Plan(NamedTuple):
    """How a command is typed.

    Attributes:
        line: The line to type.
        shell: The kind of shell that reads it.
        nonce: The nonce of its own marks; None if the shell marks its commands itself.
        files: The files written for it.
        definition: The line to type before it, which executes nothing but defines an alias.
    """

    line: str
    command: str
    shell: str
    nonce: str | None
    files: list[str]
    definition: str | None = None


def plan_as_it_is(request: RunRequest, ready: Ready, cols: int) -> Plan | None:
    """Plan to type a command as it is, if that is certainly possible in a terminal of this width."""
    marked_shell = ready.shell
    if marked_shell is None:
        return None
    command = _line(request, marked_shell)
    is_shown = command_text.is_shown(command, cols, canonical=ready.foreground.canonical)
    if marked_shell == "posix" and (may_end_marks(command) or not is_shown):
        return None  # which shell it is must be determined first
    return Plan(command, command, marked_shell, None, []) if command_text.is_surely_complete(command) else None


async def make_plan(request: RunRequest, ready: Ready, cols: int, remote_shell: str | None, directory: str) -> Plan:
    """Decide how else to type a command, after asking the shell whether it is complete, and write the files needed.

    Args:
        remote_shell: The kind of the remote shell, if that program is not a shell itself.
        directory: A directory for files that the shell sources.
    """
    foreground, marked_shell = ready
    shell = marked_shell or foreground.shell or remote_shell or "posix"
    command = _line(request, shell)
    is_marked = marked_shell is not None and not (marked_shell == "posix" and may_end_marks(command))
    nonce = None if is_marked else secrets.token_hex(4)
    if nonce is not None and (foreground.shell is None or not foreground.same_root):
        return Plan(command_text.inline(command, nonce, shell), command, shell, nonce, [])
    if shell == "posix":
        shell = _family(foreground.pid)
    sure = command_text.is_surely_complete(command)
    is_shown = shell not in {"posix", "ksh"} or command_text.is_shown(command, cols, canonical=foreground.canonical)
    verdict = Verdict(readable=True, closed=True) if sure else await judge(command, foreground.pid, shell)
    if nonce is None and verdict.closed and is_shown and command_text.may_be_typed(command, shell):
        return Plan(command, command, shell, None, [])
    source_files.check_descriptors(foreground.pid)
    files = SourceFiles(directory)
    # A text is parsed before any of it is executed, so it cannot use aliases that it defines itself.
    has_alias = nonce is None and shell in {"posix", "ksh"} and "alias" not in command
    parts = None
    program = program_of(foreground.pid, shell)
    if not verdict.readable and program and (has_alias or (nonce is not None and shell in command_text.POSIX)):
        parts = await split_at_error(command, foreground.pid, shell)
    if parts is not None:
        before, rest = parts
        line = _broken_line(files, before, rest, program, shell, nonce)
        if has_alias and not executes_nothing(before):
            return _aliased(files, f"{{ {before}\n}}; {line.strip()}", command, shell)
    elif has_alias and verdict.closed and not executes_nothing(command):
        return _aliased(files, f"{{ {command}\n}}", command, shell)
    elif nonce is None:
        line = _marked_line(files, command, shell, broken=not verdict.readable)
    else:
        line = _wrapped_line(files, command, shell, nonce, verdict)
    return Plan(line, command, shell, nonce, files.paths)


def _aliased(files: SourceFiles, text: str, command: str, shell: str) -> Plan:
    """Plan to execute a text through an alias."""
    name = source_files.new_name()
    path = files.add(command_text.alias_definition(name, text, shell), name)
    return Plan(f" {name}", command, shell, None, files.paths, command_text.source_line(path, shell))


def _broken_line(files: SourceFiles, before: str, rest: str, program: list[str], shell: str, nonce: str | None) -> str:
    """Return the line that executes a command up to its syntax error, which another process of the shell reports."""
    text = command_text.report_error(rest, program)
    if nonce is not None:
        if before:
            text = f"{command_text.eval_text(before, shell)}; {text}"
        text = command_text.wrapper(text, shell, nonce)
    return command_text.source_line(files.add(text), shell, broken=True)


def _marked_line(files: SourceFiles, command: str, shell: str, *, broken: bool) -> str:
    """Return the line that executes a command in a shell that marks its commands itself."""
    text = _unjoined(command)
    if shell == "posix":  # else it would name the file in its messages
        text = command_text.eval_text(text, shell, broken=broken)
    return command_text.source_line(files.add(text), shell, broken=broken)


def _wrapped_line(files: SourceFiles, command: str, shell: str, nonce: str, verdict: Verdict) -> str:
    """Return the line that executes a command between marks."""
    broken = not verdict.readable
    text = command if broken or not verdict.closed else command_text.with_status(command, shell)
    if shell == "ksh" and text != command:
        text += "\n"  # after `set -v`, ksh shows the text that it evals, without a newline
    text = _unjoined(text)
    inner = text
    if shell in {"zsh", "ksh", "posix"}:
        inner = command_text.eval_text(text, shell, broken=broken)
    if shell not in {"zsh", "ksh", "posix"} or (shell == "posix" and "return" in command):
        # `return` would end the file that marks the end.
        inner = command_text.source_line(files.add(inner), shell, broken=broken).strip()
        if shell in command_text.POSIX:
            inner = f"\\command {inner}"  # else dash and others abandon the whole line at a syntax error
    path = files.add(command_text.wrapper(inner, shell, nonce))
    return command_text.source_line(path, shell, broken=broken and shell == "bash")  # others can parse this file


def _unjoined(text: str) -> str:
    """End a text that ends with a backslash as if it were typed: the line continues."""
    return f"{text}\n" if text.endswith("\\") else text


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

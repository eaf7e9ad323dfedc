"""What a shell shows of our own lines around a run's command, after ``set -x`` or ``set -v``."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from phux_core.server.run import command_text

if TYPE_CHECKING:
    from phux_core.keeper.journal import Journal
    from phux_core.server.run.record import Run

_LONGEST_TRACE = 512
_NOWHERE = re.escape(command_text.NOWHERE.encode())


class Traces(NamedTuple):
    """How much of what stands between a run's marks is ours: so many bytes at either end."""

    begin: int
    end: int


def find(head: bytes, tail: bytes, path: str, command: str, shell: str) -> Traces:
    r"""Find what is ours.

    Args:
        head: How it begins.
        tail: How it ends.
        path: The file that has the command.
        command: The command.
        shell: The kind of shell.

    Example:
        >>> find(b"+ command . /x/r123456\r\n+ true\r\n", b"+ true\r\n", "/x/r123456", "true", "posix")
        Traces(begin=24, end=0)
        >>> find(b"true\r\n\r\n", b"true\r\n\r\n{ _q=$?; } 2>/dev/./null\r\n", "/x/r123456", "true", "bash")
        Traces(begin=0, end=28)
    """
    # By `set -x`, that the file is read, behind the user's sign. Or, of a command that bash cannot read, what stands
    # there; by `set -v` bash says from where it has that.
    name = re.escape(os.fsencode(path))
    executed = (f"{command_text.with_status(command, shell)}\n", f"{command}\n")
    texts = b"|".join(re.escape(_shown(form)) for text in executed for form in _as_traced(text) + _as_traced(text[:-1]))
    evaluated = rb"(?:command |builtin )?eval (?:%b)\r\n" % texts
    pattern = rb"(?:([^\n]*?)(?:command )?\. '?%b'?\r\n)?(?:< '?%b'?\r\n)?(?:([^\n]*?)%b)?(?:[^\n]*?%b)?"
    traced = re.match(pattern % (name, name, evaluated, evaluated), head)
    assert traced is not None, "it matches nothing, too"
    begin, sign = traced.end(), traced[1] or traced[2] or b"+ "
    # By `set -v`, the line that keeps the status, as it is read; by `set -x`, where our lines send what would be traced
    # of them, which only ksh tells.
    file = command_text.with_status(command, shell)
    status = _shown(f"\n{command_text.status_line(shell)}\n")
    rest = re.search(rb"(?P<status>%b)?(?:(?:%b)?2> %b\r\n)*\Z" % (re.escape(status), re.escape(sign), _NOWHERE), tail)
    assert rest is not None, "it matches nothing, too"
    if file != command and not rest["status"] and head.startswith(_shown(f"{file}\n"), begin):
        begin += len(_shown(f"{file}\n"))  # ksh reads all of a file before it executes any
    return Traces(begin, len(rest[0]))


def leave_out(run: Run, journal: Journal, end: int) -> int:
    """Let the output of a run that has ended begin behind what is ours, and tell where what is ours begins again.

    Args:
        run: The run.
        journal: What its pane has written.
        end: Where the shell has marked its end.
    """
    if run.start is None or run.capture is None or not run.files:
        return end
    head = run.capture.begin(journal, end, _LONGEST_TRACE + 4 * len(run.command))
    low = max(run.start, journal.base, end - _LONGEST_TRACE)
    ours = find(head, journal.since(low, max(0, end - low)), run.files[0], run.command, run.shell)
    run.start += ours.begin
    run.capture.skip_to(run.start)
    return max(run.start, end - ours.end)


def _as_traced(text: str) -> tuple[str, ...]:
    """Write an argument as shells show it: bash, busybox, dash, and ksh and zsh if it has several lines."""
    name = re.match(r"(?:\w+\+?=)?", text)
    assert name is not None, "it matches nothing, too"
    escaped = text[name.end() :].translate({ord("\\"): "\\\\", ord("'"): "\\'", ord("\n"): "\\n", ord("\t"): "\\t"})
    busybox = "'" + text.replace("'", "'\"'\"'") + "'"
    return command_text.quote_always(text), busybox, text, f"{name[0]}$'{escaped}'"


def _shown(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode("utf-8", "surrogateescape")

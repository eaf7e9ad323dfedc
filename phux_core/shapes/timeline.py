"""The timeline of a pane: when its output was read, and what happened meanwhile."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from phux_core.shapes.document import Document
from phux_core.shapes.results import SeqRange  # noqa: TC001  cattrs looks it up
from phux_core.shapes.screen import ChangedRow  # noqa: TC001
from phux_core.shapes.vocabulary import State  # noqa: TC001  cattrs looks it up

TimelineKind = Literal[
    "output",
    "typed",
    "resized",
    "state_changed",
    "command_started",
    "command_finished",
    "title_changed",
    "cwd_changed",
    "bell",
    "pane_closed",
]
"""What an entry of a timeline reports."""


@frozen(kw_only=True)
class TimelineEntry:
    """Something that happened in a pane. Fields that do not belong to its kind are absent.

    Attributes:
        at: The time (UTC), with a resolution of 10 ms.
        seq: The pane's sequence number at that moment; for a command, where its output starts or ends.
        kind: What happened. After ``output``, the output from ``seq`` on was read, up to the next such entry.
        text: What was typed; input is only recorded while it is echoed.
        cols: The new number of columns.
        rows: The new number of rows.
        state: The new state.
        command: The command that started, or the program in the foreground.
        command_id: The command's id in the ledger.
        exit_code: The exit code of the command.
        title: The new title.
        cwd: The new working directory.
        exit_status: The exit status of the pane's program.
        signal: The name of the signal that ended the pane's program.
    """

    at: str
    seq: int
    kind: TimelineKind
    text: str | None = None
    cols: int | None = None
    rows: int | None = None
    state: State | None = None
    command: str | None = None
    command_id: str | None = None
    exit_code: int | None = None
    title: str | None = None
    cwd: str | None = None
    exit_status: int | None = None
    signal: str | None = None


@frozen(kw_only=True)
class Timeline(Document):
    """A page of a pane's timeline.

    Attributes:
        log: The id of the log.
        pane: The pane's id.
        first_byte: The sequence number at which the log begins.
        next_byte: The sequence number at which the log ends.
        started_at: The time of the first entry; null if there is none.
        ended_at: The time of the last entry; null if there is none.
        entries: The entries of this page, oldest first.
        next: The cursor of the next page; null on the last page.

    Example:
        >>> result = pane.run("false")
        >>> [entry.exit_code for entry in pane.timeline().entries if entry.kind == "command_finished"][-1]
        1
    """

    log: str
    pane: int
    first_byte: int
    next_byte: int
    started_at: str | None
    ended_at: str | None
    entries: list[TimelineEntry]
    next: int | None


@frozen(kw_only=True)
class TrajectoryAction(Document):
    """A line of ``phux export --format trajectory``: a command, or input that was typed into a program.

    Attributes:
        pane: The pane's id.
        kind: Whether a shell ran a command, or input was typed that was not a command.
        typed: The command line or the input; null for a command whose line is not known.
        started_at: The time at which typing began, or at which a command of ``run`` started (UTC).
        ended_at: The time of a command's end, or of the last output after input; null if a command still ran.
        duration_ms: The time from ``started_at`` to ``ended_at`` in milliseconds; null if a command still ran.
        state: The pane's state after the action.
        exit_code: The exit code of the command; null for input, if it still ran, or if the shell did not report it.
        seq: The sequence numbers of a command's output, or of the output from the input to the next action.
        changed: The rows of the screen that changed from the start to the end of ``seq``; null if that is not known.
        output: The output of the command, as ``phux output`` prints it; absent for input, or if it is not in the log.
        truncated: Whether a part of the output was left out; absent without output.
        command_id: The command's id in the ledger; absent for input.

    Example:
        >>> import json
        >>> from phux_client import TrajectoryAction
        >>> from phux_core import documents
        >>> result = pane.run("echo hi; false")
        >>> line = pane.export("trajectory").splitlines()[-1]
        >>> action = documents.load(TrajectoryAction, json.loads(line))
        >>> action.typed, action.output, action.exit_code
        ('echo hi; false', 'hi', 1)
    """

    pane: int
    kind: Literal["command", "input"]
    typed: str | None
    started_at: str
    ended_at: str | None
    duration_ms: int | None
    state: State
    exit_code: int | None
    seq: SeqRange
    changed: list[ChangedRow] | None
    output: str | None = None
    truncated: bool | None = None
    command_id: str | None = None

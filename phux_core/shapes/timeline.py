"""The timeline of a pane: when its output was read, and what happened meanwhile."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from phux_core.shapes.document import Document
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

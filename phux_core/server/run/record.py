"""One run of a command: the request, its progress, and the part that survives a restart of the service."""

from __future__ import annotations

import json
import time
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import define, field, fields, frozen

from phux_core.compact_json import to_bytes
from phux_core.server.run.output_capture import ends_with_newline, render
from phux_core.server.shell.output_bounds import start_of_fish_output
from phux_core.server.sync import Promise

if TYPE_CHECKING:
    from phux_core.logs.ledger import Entry
    from phux_core.server.run.output_capture import Stretch
    from phux_core.server.shell.state_watch import StateWatch


@frozen
class RunRequest:
    """A request to run a command.

    Attributes:
        words: Program and arguments, passed to the shell literally.
        queue: Whether to wait for the prompt if another command is running.
        interrupt: Whether to send C-c when the timeout expires.
        until_waiting: Whether to return as soon as the command waits for a person.
        raw: Whether to keep escape sequences in the output.
        by: The call that made the request, ``run`` or ``start``.
        client: The caller's name, from its hello.
    """

    id: str
    command: str | None = None
    words: list[str] | None = None
    queue: bool = False
    timeout_s: float | None = None
    interrupt: bool = False
    until_waiting: bool = False
    max_bytes: int = 0
    raw: bool = False
    by: str = "run"
    client: str | None = None


UNKNOWN_EXIT_CODE = 255
"""The exit status of a command whose shell did not report one; ``exit_known`` is false then."""


class End(NamedTuple):
    """How a run ended: its exit status, None if the shell did not report one, and where its output ends."""

    exit_code: int | None
    place: int
    duration_s: float


@define(eq=False)
class Run:
    """One run. All but the last three fields are noted for the next service."""

    id: str
    max_bytes: int
    raw: bool
    nonce: str | None
    shell: str
    files: list[str]
    typed_seq: int
    began: float  # time.monotonic(), which is common to all processes
    started_at: float
    number: int  # its entry in the ledger
    by: str
    client: str | None
    front: tuple[int, str] | None = None  # pid and name of the shell, if that emits no marks
    start: int | None = None
    interleaved: bool = False
    interrupted: bool = False
    command: str = ""
    end: End | None = None
    outcome: Promise = field(factory=Promise)

    def to_note(self) -> bytes:
        return to_bytes(_noted(self))

    @classmethod
    def from_note(cls, note: bytes) -> Run:
        """Restore the state from ``to_note``."""
        state = dict(zip(_NOTED, json.loads(note), strict=True))
        if state["front"] is not None:
            state["front"] = tuple(state["front"])
        return cls(**state)

    @classmethod
    def of_entry(cls, entry: Entry, request: RunRequest, shell: str) -> Run:
        """Return a finished run whose state is known only from the ledger."""
        assert entry.end is not None
        assert entry.ended_at is not None
        duration_s = max(0.0, entry.ended_at - entry.started_at)
        return cls(
            entry.request or "",
            request.max_bytes,
            request.raw,
            None,
            shell,
            [],
            entry.place,
            time.monotonic(),
            entry.started_at,
            entry.number,
            entry.by,
            entry.client,
            start=entry.start,
            end=End(entry.exit_code, entry.end, duration_s),
        )


_NOTED = [each.name for each in fields(Run) if each.name not in {"command", "end", "outcome"}]
_noted = attrgetter(*_NOTED)


def read_result(run: Run, stretch: Stretch, pane: int, cols: int, rows: int, cwd: str) -> dict[str, Any]:
    """Return the result of a finished run, as in docs/wire.md; ``stretch`` is its raw output."""
    assert run.start is not None
    assert run.end is not None
    if run.shell == "fish" and run.nonce is None:
        stretch = stretch._replace(head=stretch.head[start_of_fish_output(stretch.head) :])
    text = render(stretch, cols=cols, rows=rows, raw=run.raw, most=run.max_bytes)
    return {
        "outcome": "finished",
        "exit_code": UNKNOWN_EXIT_CODE if run.end.exit_code is None else run.end.exit_code,
        "exit_known": run.end.exit_code is not None,
        "duration_ms": round(run.end.duration_s * 1000),
        "cwd": cwd,
        "command_id": f"{pane}.{run.number}",
        "started_at": run.started_at,
        "seq": {"start": run.start, "end": run.end.place},
        "interleaved": run.interleaved,
        "output": text.text,
        "truncated": text.omitted > 0,
        "omitted_bytes": text.omitted,
        "ends_with_newline": ends_with_newline(stretch),
    }


def not_typed(began: float, watch: StateWatch) -> dict[str, Any]:
    """Return the result of a run whose timeout expired at ``began`` or later, before its command was typed."""
    return {"outcome": "timed_out", "started": False, **_situation(began, watch)}


def unfinished(outcome: str, run: Run, pane: int, watch: StateWatch) -> dict[str, Any]:
    """Return the result of a run whose command has not ended, as in docs/wire.md."""
    place = {"command_id": f"{pane}.{run.number}", "start": run.start}
    return {"outcome": outcome, "started": True, **_situation(run.began, watch), **place}


def _situation(began: float, watch: StateWatch) -> dict[str, Any]:
    return {
        "duration_ms": round((time.monotonic() - began) * 1000),
        "state": watch.state,
        "foreground": watch.foreground.name if watch.foreground is not None else None,
    }

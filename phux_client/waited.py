"""The results of ``wait`` and ``act`` in the library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from phux_core import documents, errors
from phux_core.shapes import Condition, ScreenChanges, ScreenState

if TYPE_CHECKING:
    from phux_client.flows._types import Document
    from phux_client.flows.waiting import Outcome


@frozen(kw_only=True)
class Waited(ScreenState):
    """The screen at the end of a wait, and the condition that ended it.

    Attributes:
        met: The condition that held, by the name of its argument; ``idle`` for ``idle_ms``.
        met_line: The line that ``until`` or ``regex`` found, as far as it was written; None for other conditions.
        met_seq: The sequence number at which the condition held; the next wait can take it as ``since``.

    Example:
        >>> pane.wait(idle_ms=100).met
        'idle'
    """

    met: Condition
    met_line: str | None
    met_seq: int


def load(outcome: Outcome, timeout_s: float | None, stop: str | None) -> Waited:
    """Return the result of a wait, or raise the error for its timeout or its stop pattern."""
    screen = outcome.screen
    if outcome.met is None:
        raise _timed_out(screen["pane"], timeout_s, screen["state"], screen["lines"])
    if outcome.met == "stop":
        raise _stopped(screen["pane"], stop, outcome.line)
    return documents.load(Waited, {**screen, "met": outcome.met, "met_line": outcome.line, "met_seq": outcome.seq})


def load_changes(document: Document, timeout_s: float, stop: str | None) -> ScreenChanges:
    """Return the result of an act, or raise the error for its outcome."""
    changes = documents.load(ScreenChanges, document)
    if changes.outcome == "met":
        return changes
    error: errors.PhuxError
    if changes.outcome == "timed_out":
        error = _timed_out(changes.pane, timeout_s, changes.state, [row.text for row in changes.changed])
    elif changes.outcome == "stopped":
        error = _stopped(changes.pane, stop, changes.met_line)
    else:
        error = errors.PaneClosedError(f"the program in @{changes.pane} ended before a condition held")
    error.changes = changes
    raise error


def _timed_out(pane: int, timeout_s: float | None, state: str, lines: list[str]) -> errors.TimedOutError:
    last = next((line for line in reversed(lines) if line), "")
    return errors.TimedOutError(
        f"no condition held in @{pane} within {timeout_s:g} s: its state is {state!r}, its last line {last!r:.200}",
        remedy="look at the pane's screen, or allow more time",
    )


def _stopped(pane: int, stop: str | None, line: str | None) -> errors.StoppedError:
    return errors.StoppedError(f"the stop pattern {stop!r} matched first in @{pane}: {line!r:.200}")

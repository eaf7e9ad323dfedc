"""What a wait of the library gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from phux_core import documents, errors
from phux_core.shapes import Condition, ScreenChanges, ScreenState

if TYPE_CHECKING:
    from phux_client.flows._types import Document
    from phux_client.flows.wait import Outcome


@frozen(kw_only=True)
class Waited(ScreenState):
    """The screen at the moment a wait was over, and what ended it.

    Attributes:
        met: The condition that held, by the name it has as an argument; ``idle`` for ``idle_ms``.
        met_line: The line that ``until`` or ``regex`` found; None for other conditions.
        met_seq: The pane's byte count at which it held: what a next ``since`` can begin from.

    Example:
        >>> pane.wait(idle_ms=100).met
        'idle'
    """

    met: Condition
    met_line: str | None
    met_seq: int


def load(outcome: Outcome, timeout_s: float | None, stop: str | None) -> Waited:
    """Make it of a flow's outcome.

    Raises:
        TimedOutError: The time was over first.
        StoppedError: What it was to stop at came first.
    """
    if outcome.met is None:
        screen = outcome.screen
        raise _timed_out(screen["pane"], timeout_s, screen["state"], screen["lines"])
    if outcome.met == "stop":
        raise stopped(outcome, stop)
    document = {**outcome.screen, "met": outcome.met, "met_line": outcome.line, "met_seq": outcome.seq}
    return documents.load(Waited, document)


def load_changes(document: Document, timeout_s: float) -> ScreenChanges:
    """Make a ScreenChanges of the document of an act.

    Raises:
        TimedOutError: No condition held in time.
    """
    changes = documents.load(ScreenChanges, document)
    if changes.outcome == "timed_out":
        error = _timed_out(changes.pane, timeout_s, changes.state, [row.text for row in changes.changed])
        error.changes = changes
        raise error
    return changes


def _timed_out(pane: int, timeout_s: float | None, state: str, lines: list[str]) -> errors.TimedOutError:
    last = next((line for line in reversed(lines) if line), "")
    return errors.TimedOutError(
        f"@{pane} did not get there within {timeout_s:g} s: it is {state!r}, and its last line is {last!r:.200}",
        remedy="allow more time, or look at its screen for what keeps it",
    )


def stopped(outcome: Outcome, stop: str | None) -> errors.StoppedError:
    """Say what a wait was stopped by."""
    return errors.StoppedError(f"{stop!r} came first in @{outcome.screen['pane']}: {outcome.line!r:.200}")

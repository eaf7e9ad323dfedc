"""The results of ``wait`` and ``act`` in the library."""

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
    """The screen at the end of a wait, and the condition that ended it.

    Attributes:
        met: The condition that held, by the name of its argument; ``idle`` for ``idle_ms``.
        met_line: The line that ``until`` or ``regex`` found; None for other conditions.
        met_seq: The sequence number at which it held, which the next wait can take as ``since``.

    Example:
        >>> pane.wait(idle_ms=100).met
        'idle'
    """

    met: Condition
    met_line: str | None
    met_seq: int


def load(outcome: Outcome, timeout_s: float | None, stop: str | None) -> Waited:
    """Return the result of a wait.

    Raises:
        TimedOutError: The timeout expired first.
        StoppedError: The pattern of ``stop`` matched first.
    """
    if outcome.met is None:
        screen = outcome.screen
        raise _timed_out(screen["pane"], timeout_s, screen["state"], screen["lines"])
    if outcome.met == "stop":
        raise stopped(outcome, stop)
    document = {**outcome.screen, "met": outcome.met, "met_line": outcome.line, "met_seq": outcome.seq}
    return documents.load(Waited, document)


def load_changes(document: Document, timeout_s: float) -> ScreenChanges:
    """Return the result of an act.

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
        f"no condition held in @{pane} within {timeout_s:g} s: its state is {state!r}, its last line {last!r:.200}",
        remedy="look at the pane's screen, or allow more time",
    )


def stopped(outcome: Outcome, stop: str | None) -> errors.StoppedError:
    """Return the error for a wait that ``stop`` ended."""
    return errors.StoppedError(f"{stop!r} came first in @{outcome.screen['pane']}: {outcome.line!r:.200}")

"""``act``: type, wait, and return what changed, with no other command in between."""

import time

from phux_client.flows._conditions import check_timeout
from phux_client.flows._deadline import within
from phux_client.flows._kinds import Caller, Request
from phux_client.flows.send_keys import check_words, to_items
from phux_client.flows.snapshot import changes_document
from phux_client.flows.target import pane_id
from phux_client.flows.wait import wait
from phux_core.errors import NoSuchTargetError, PaneClosedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from phux_client.flows._types import Document, Flow

DEFAULT_IDLE_MS = 300
ACT_TIMEOUT_S = 30
"""The default time limit of an act."""


def act(
    caller: Caller,
    target: "str | int",
    words: "Sequence[str]",
    *,
    literal: bool = False,
    until: str | None = None,
    regex: str | None = None,
    gone: str | None = None,
    idle_ms: int | None = None,
    state: "str | Sequence[str] | None" = None,
    stop: str | None = None,
    since: int | None = None,
    cells: bool = False,
    timeout_s: float = ACT_TIMEOUT_S,
) -> "Flow[Document]":
    """Type words, wait for a condition, and return the rows of the screen that changed.

    Meanwhile, no ``run`` and no other ``act`` starts in the pane. Only output written after typing counts for the wait.
    A timeout and the end of the program are reported as outcomes, not as errors.

    Args:
        caller: The calling process.
        target: A selector or a pane id.
        words: Keys and text, as for ``send_keys``.
        literal: Type every word as text.
        until: A line contains this text.
        regex: A line matches this pattern.
        gone: No visible line contains this text.
        idle_ms: Nothing was written for this long; 300 if no other condition is given.
        state: The pane is in this state, or in one of these.
        stop: End the wait as soon as a line matches this pattern.
        since: Return changes after this ``seq``; by default, changes since typing.
        cells: Include the cells of changed rows, and report rows of which only the style changed.
        timeout_s: The time limit for the whole call.

    Returns:
        A flow that returns a ScreenChanges document.
    """
    check_words(words)
    check_timeout(timeout_s, needed=True)
    items = to_items(words, literal=literal)
    if until is None and regex is None and gone is None and state is None and idle_ms is None:
        idle_ms = DEFAULT_IDLE_MS

    def flow() -> "Flow[Document]":
        number = yield from pane_id(target, caller)
        deadline = time.monotonic() + timeout_s
        hold = Request("subscribe", pane=number, hold_ms=round(timeout_s * 1000))
        hold.patience_s = timeout_s
        yield hold
        before = (yield Request("snapshot", pane=number, cells=cells or None))["seq"]
        yield Request("input", pane=number, items=items)
        condition = line = None
        try:
            outcome = yield from wait(
                caller,
                number,
                until=until,
                regex=regex,
                gone=gone,
                idle_ms=idle_ms,
                state=state,
                stop=stop,
                since=before,
                timeout_s=max(0.0, deadline - time.monotonic()),
            )
        except PaneClosedError:
            ending = "ended"
        else:
            condition, line = outcome.met, outcome.line
            ending = "timed_out" if condition is None else "stopped" if condition == "stop" else "met"
        base = before if since is None else since
        try:
            painted = ending != "timed_out"  # else the caller has waited long enough
            screen = yield Request("snapshot", pane=number, cells=cells or None, since=base, painted=painted or None)
        except NoSuchTargetError:
            raise PaneClosedError(f"@{number} was killed") from None
        more = {"outcome": ending, "met": condition, "met_line": line}
        return changes_document(screen, base) | {name: value for name, value in more.items() if value is not None}

    return (yield from within(flow(), timeout_s))

"""``act``: type, wait, and tell what changed, with nobody else's command in between."""

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
"""How long an act may take unless told otherwise."""


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
    """Type words, wait for what they bring about, and tell which rows of the screen changed.

    The pane's turn is held meanwhile: no ``run`` and no other ``act`` comes between. Only what is written after typing
    counts for the wait. That the time is over, or the program has ended, is told and is no error.

    Args:
        caller: Who asks.
        target: A selector or a pane's number.
        words: As ``send_keys`` takes them.
        literal: Take every word as text.
        until: A line contains this text.
        regex: A line matches this pattern.
        gone: No visible line contains this text.
        idle_ms: Nothing was written for so long; 300 when no other condition is given.
        state: The pane is in this state, or in one of these.
        stop: A line matches this pattern, and waiting for anything else is in vain.
        since: A ``seq``: tell what changed after it; after the moment before typing when omitted.
        cells: Whether to add the cells of those rows, and to count rows of which only the style changed.
        timeout_s: How long the whole of it may take.

    Returns:
        A flow that gives a ScreenChanges document.
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

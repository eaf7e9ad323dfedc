"""``act``: type, wait, and return the rows that changed, with no other command in between."""

import time

from phux_client.flows._conditions import Conditions, check_number
from phux_client.flows._kinds import Caller, Request, within
from phux_client.flows.reading import changes_document
from phux_client.flows.sending import check_words, to_items
from phux_client.flows.target import pane_id
from phux_client.flows.waiting import wait
from phux_core.errors import NoSuchTargetError, PaneClosedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from phux_client.flows._types import Document, Flow

DEFAULT_IDLE_MS = 300
ACT_TIMEOUT_S = 30
"""The default time limit of an act."""


def act(
    caller: Caller,
    target: "str | int",
    words: "Sequence[str]",
    wanted: Conditions | None = None,
    *,
    literal: bool = False,
    exact_case: bool = False,
    since: int | None = None,
    cells: bool = False,
    timeout_s: float = ACT_TIMEOUT_S,
    first: "Callable[[int], Flow[Document]] | None" = None,
) -> "Flow[Document]":
    """Type words, wait for a condition, and return the rows of the screen that changed.

    Meanwhile, no ``run`` and no other ``act`` starts in the pane. Only output written after typing counts for the wait.
    A state counts after output, or once the program has read the keys and written nothing for a moment. A timeout and
    the end of the program are outcomes in the ScreenChanges document, not errors.

    ``first`` returns a flow that is run before typing, for the id of the pane; with it, there may be no words.
    """
    if words or first is None:
        check_words(words)
    check_number("timeout_s", timeout_s, optional=False)
    items = to_items(words, literal=literal, exact_case=exact_case)
    conditions = wanted or Conditions()
    if conditions.is_default:
        conditions.idle_ms = DEFAULT_IDLE_MS
    conditions.silent_ms = DEFAULT_IDLE_MS

    def flow() -> "Flow[Document]":
        number = yield from pane_id(target, caller)
        deadline = time.monotonic() + timeout_s
        yield Request("subscribe", timeout_s, pane=number, hold_ms=round(timeout_s * 1000))
        conditions.since = before = (yield Request("snapshot", pane=number, cells=cells))["seq"]
        if first is not None:
            yield from first(number)
        if items:
            yield Request("input", pane=number, items=items)
        condition = line = None
        try:
            left_s = max(0.0, deadline - time.monotonic())
            outcome = yield from wait(caller, number, conditions, timeout_s=left_s)
        except PaneClosedError:
            ending = "ended"
        else:
            condition, line = outcome.met, outcome.line
            ending = "timed_out" if condition is None else "stopped" if condition == "stop" else "met"
        base = before if since is None else since
        try:
            painted = ending != "timed_out"  # after a timeout, do not wait for painting
            screen = yield Request("snapshot", pane=number, cells=cells, since=base, painted=painted)
        except NoSuchTargetError:
            raise PaneClosedError(f"@{number} was killed") from None
        more = {"outcome": ending, "met": condition, "met_line": line}
        return changes_document(screen, base) | {name: value for name, value in more.items() if value is not None}

    return (yield from within(flow(), timeout_s))

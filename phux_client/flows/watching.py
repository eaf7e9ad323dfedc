"""``watch``: report events as they happen."""

import time

from phux_client.flows._conditions import check_number
from phux_client.flows._kinds import Caller, NextEvent, Request, within
from phux_client.flows.target import pane_id
from phux_core.errors import BadRequestError, DisconnectedError, NoServerError, NoSuchTargetError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from phux_client.flows._types import Document, Flow

EVENTS = (
    *("dirty", "idle", "bell", "title_changed", "pane_spawned", "pane_closed", "command_started", "command_finished"),
    *("state_changed", "cwd_changed", "resized", "renamed", "session_added", "session_closed", "window_added"),
    *("window_moved", "window_closed", "layout_changed", "focus_changed", "dropped"),
)
"""The names of events."""
_MOST_NAMED = 10


def watch(
    caller: Caller,
    target: "str | int | None",
    on_event: "Callable[[Document], None]",
    *,
    until: "Sequence[str]" = (),
    timeout_s: float | None = None,
) -> "Flow[str]":
    """Report the events of one pane until its program ends, or of the whole server until it is gone.

    Args:
        until: Names of events; the first such event ends the watch.

    Returns:
        A flow that returns ``met`` (an event of ``until`` arrived), ``timed_out``, or ``ended`` (no events can follow).

    Raises:
        NoServerError: No server is running, or it ended without reporting the end of each pane, as a killed one does.
    """
    check_number("timeout_s", timeout_s)
    unknown = [name for name in until if name not in EVENTS]
    if unknown:
        raise BadRequestError(f"there is no event {unknown[0]!r:.80}", remedy=f"the events are: {', '.join(EVENTS)}")
    return (yield from within(_watch(caller, target, on_event, until, timeout_s), timeout_s))


def _watch(
    caller: Caller,
    target: "str | int | None",
    on_event: "Callable[[Document], None]",
    until: "Sequence[str]",
    timeout_s: float | None,
) -> "Flow[str]":
    number = None if target is None else (yield from pane_id(target, caller))
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    subscription = None
    began = lost = False
    running: set[str] = set()
    while True:
        if subscription is None:
            try:
                subscription = (yield Request("subscribe", pane=number))["subscription"]
                running = {f"@{number}"} if number is not None else _running((yield Request("tree")))
            except (NoSuchTargetError, NoServerError) as error:
                if not began:
                    raise
                if running and isinstance(error, NoServerError):
                    raise NoServerError(
                        f"the server was killed while {', '.join(sorted(running)[:_MOST_NAMED])} ran",
                        remedy="read what was written before: phux logs @ID",
                    ) from None
                return "ended"
        event: Document | None
        if lost:
            lost = False
            event = {"event": "dropped", "count": 0}
        else:
            began = True
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                event = yield NextEvent(subscription, left)
            except DisconnectedError:
                subscription, lost = None, True  # the service died, so the number of lost events is unknown
                continue
        if event is None:
            return "timed_out"
        if event["event"] == "pane_spawned":
            running.add(event["terminal"])
        elif event["event"] == "pane_closed":
            running.discard(event["terminal"])
        on_event(event)
        if event["event"] in until:
            return "met"
        if event["event"] == "pane_closed" and number is not None:
            return "ended"


def _running(tree: "Document") -> set[str]:
    """Return the panes in a tree whose programs are running."""
    windows = (window for session in tree["sessions"] for window in session["windows"])
    return {f"@{pane['id']}" for window in windows for pane in window["panes"] if pane["state"] != "dead"}

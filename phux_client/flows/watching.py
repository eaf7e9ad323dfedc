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
    "dirty",
    "idle",
    "bell",
    "title_changed",
    "pane_spawned",
    "pane_closed",
    "command_started",
    "command_finished",
    "state_changed",
    "cwd_changed",
    "resized",
    "renamed",
    "session_added",
    "session_closed",
    "window_added",
    "window_moved",
    "window_closed",
    "layout_changed",
    "focus_changed",
    "dropped",
)
"""The names of events."""


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
    while True:
        if subscription is None:
            try:
                reply = yield Request("subscribe", pane=number)
            except (NoSuchTargetError, NoServerError):
                if not began:
                    raise
                return "ended"
            subscription = reply["subscription"]
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
        on_event(event)
        if event["event"] in until:
            return "met"
        if event["event"] == "pane_closed" and number is not None:
            return "ended"

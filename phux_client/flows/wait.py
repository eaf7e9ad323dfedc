"""``wait``: until something is true of a pane, woken by events."""

import time

from phux_client.flows._kinds import Caller, NextEvent, Request
from phux_client.flows.snapshot import screen_document
from phux_client.flows.target import DEFAULT_TARGET, pane_id
from phux_core.errors import (
    BadRequestError,
    DisconnectedError,
    NoServerError,
    NoSuchTargetError,
    PaneClosedError,
    TimedOutError,
)
from phux_core.width import join_wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._kinds import Document, Flow

DEFAULT_IDLE_MS = 500
# Events wake us; this is for the one that a slow connection lost.
_LOOK_AGAIN_S = 5.0
_LONGEST = 10**9


class Outcome:
    """How a wait ended.

    Attributes:
        met: Which condition held: ``until``, ``exit`` or ``idle``; None when the time was over.
        screen: The final ScreenState document.
        looks: How many times the screen was looked at.
    """

    __slots__ = ("looks", "met", "screen")

    def __init__(self, met: str | None, screen: "Document", looks: int) -> None:
        self.met = met
        self.screen = screen
        self.looks = looks


def wait(
    caller: Caller,
    target: "str | int | None" = None,
    *,
    until: str | None = None,
    exit: bool = False,  # noqa: A002  the CLI's word
    idle_ms: int | None = None,
    timeout_s: float | None = None,
) -> "Flow[Outcome]":
    """Wait until a visible line contains a text, the program has ended, or the pane has come to rest.

    With several conditions the first that holds wins; with none it is ``idle``. Reads only.
    """
    numbers: dict[str, object] = {"idle_ms": idle_ms, "timeout_s": timeout_s}
    for name, value in numbers.items():
        if value is not None and not (isinstance(value, (int, float)) and 0 <= value <= _LONGEST):
            raise BadRequestError(f"{name} is {value!r:.80}", remedy=f"give a number from 0 to {_LONGEST}")
    if until is None and not exit and idle_ms is None:
        idle_ms = DEFAULT_IDLE_MS
    number = yield from pane_id(DEFAULT_TARGET if target is None else target, caller)
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    subscription = None
    looks = 0
    screen: Document = {}
    last_seq = -1
    quiet_since = 0.0
    while True:
        try:
            if subscription is None:
                # Before the first look, so that nothing can happen between looking and listening.
                reply = yield Request("subscribe", pane=number)
                subscription = reply["subscription"]
            screen = yield Request("snapshot", pane=number)
        except (NoSuchTargetError, NoServerError):
            if not looks:
                raise
            # It was there: somebody killed it, or the whole server, and its program has ended with it.
            if exit:
                return Outcome("exit", screen_document({**screen, "state": "dead"}), looks)
            raise PaneClosedError(f"@{number} was killed while it was waited for") from None
        looks += 1
        now = time.monotonic()
        if screen["seq"] != last_seq:
            last_seq, quiet_since = screen["seq"], now
        met = None
        if until is not None and is_seen(until, logical_lines(screen)):
            met = "until"
        elif exit and screen["state"] == "dead":
            met = "exit"
        elif idle_ms is not None and (now - quiet_since) * 1000 >= idle_ms:
            met = "idle"
        if met is None and screen["state"] == "dead" and not exit and idle_ms is None:
            raise PaneClosedError(f"the program in @{number} has ended, and its screen does not have {until!r}")
        if met is not None or (deadline is not None and now >= deadline):
            return Outcome(met, screen_document(screen), looks)
        patience = [_LOOK_AGAIN_S]
        if deadline is not None:
            patience.append(deadline - now)
        if idle_ms is not None:
            patience.append(quiet_since + idle_ms / 1000 - now)
        try:
            yield NextEvent(subscription, max(0.0, min(patience)))
        except DisconnectedError:
            subscription = None  # the service died; the next one knows the pane, but not that we listen


def next_event(subscription: int, timeout_s: float | None) -> "Flow[Document]":
    """Wait for one event.

    Raises:
        TimedOutError: None came in time.
    """
    event: Document | None = yield NextEvent(subscription, timeout_s)
    if event is None:
        raise TimedOutError(f"no event came within {timeout_s} s")
    return event


def is_seen(text: str, lines: "list[str]") -> bool:
    """Look for a text. Lines come without their trailing blanks; a text that ends in blanks finds them all the same."""
    blanks = " " * (len(text) - len(text.rstrip(" ")))
    return any(text in line + blanks for line in lines)


def logical_lines(screen: "Document") -> "list[str]":
    """Join the rows of a screen that are one line broken by the edge."""
    return join_wrapped(screen["lines"], set(screen["soft_wrap"]["lines"]), screen["cols"])

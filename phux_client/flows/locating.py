"""``locate``, ``highlighted`` and ``until_screen``: find regions of a pane's screen, and wait for them."""

import time

from phux_client import regions
from phux_client.flows._conditions import check_number
from phux_client.flows._kinds import Caller, NextEvent, Request, within
from phux_client.flows.reading import screen_document
from phux_client.flows.target import pane_id
from phux_core.errors import DisconnectedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import TypeVar

    from phux_client.flows._types import Document, Flow

    Checked = TypeVar("Checked")

# Events wake us, but a slow connection may lose one.
_LOOK_AGAIN_S = 5.0


def until_screen(
    caller: Caller, target: "str | int", check: "Callable[[Document], Checked | None]", timeout_s: float = 0.0
) -> "Flow[tuple[Checked | None, Document]]":
    """Check each new screen of a pane until the check returns something, the program ends, or the timeout expires.

    Returns:
        The result of the check, None if there is none, and the last screen, a ScreenState document with cells.
    """
    check_number("timeout_s", timeout_s, optional=False)
    return (yield from within(_until_screen(caller, target, check, timeout_s), timeout_s))


def _until_screen(
    caller: Caller, target: "str | int", check: "Callable[[Document], Checked | None]", timeout_s: float
) -> "Flow[tuple[Checked | None, Document]]":
    number = yield from pane_id(target, caller)
    deadline = time.monotonic() + timeout_s
    subscription: int | None = None
    while True:
        if subscription is None and timeout_s > 0:
            # Subscribe before reading the screen, so that no change is missed.
            subscription = (yield Request("subscribe", pane=number, output=True))["subscription"]
        screen = screen_document((yield Request("snapshot", pane=number, cells=True)))
        found = check(screen)
        left_s = deadline - time.monotonic()
        if found is not None or left_s <= 0 or screen["state"] == "dead":
            return found, screen
        assert subscription is not None
        try:
            event = yield NextEvent(subscription, min(left_s, _LOOK_AGAIN_S))
            while event is not None and event.get("seq", -1) in range(screen["seq"] + 1) and event["event"] == "output":
                # The screen already shows this output.
                event = yield NextEvent(subscription, min(max(0.0, deadline - time.monotonic()), _LOOK_AGAIN_S))
        except DisconnectedError:
            subscription = None  # the service died; the next one has the pane, but not our subscription


def locate_all(
    caller: Caller, target: "str | int", text: "str | re.Pattern[str] | None" = None, *, style: str | None = None
) -> "Flow[list[Document]]":
    """Return all regions of the screen that match, from the top, as Region documents."""
    wanted = regions.Wanted(text, style)
    found, _screen = yield from until_screen(caller, target, wanted.find)
    return found or []


def locate(
    caller: Caller,
    target: "str | int",
    text: "str | re.Pattern[str] | None" = None,
    *,
    style: str | None = None,
    timeout_s: float = 0.0,
) -> "Flow[Document]":
    """Return the one region of the screen that matches, as a Region document; wait for it until the timeout."""
    wanted = regions.Wanted(text, style)
    return (yield from _one(caller, target, wanted.find, wanted, timeout_s))


def highlighted(caller: Caller, target: "str | int", *, timeout_s: float = 0.0) -> "Flow[Document]":
    """Return the highlighted entry of a menu, as a Region document; wait for it until the timeout."""
    return (yield from _one(caller, target, regions.highlighted, "highlighted region", timeout_s))


def _one(
    caller: Caller,
    target: "str | int",
    find: "Callable[[Document], list[Document]]",
    wanted: object,
    timeout_s: float,
) -> "Flow[Document]":
    found, screen = yield from until_screen(caller, target, lambda screen: find(screen) or None, timeout_s)
    return regions.only(found or [], wanted, screen)

"""``wait``: wait until a condition of a pane holds, woken by events.

The server pushes the pane's output, and the flow searches it at once, so it also finds text that scrolled away. It
searches the screen as well, for text drawn by moving the cursor. It examines output before the end of the program: a
program that writes the text and ends has met the condition.
"""

import time

from phux_client.flows._conditions import Conditions, check_number, is_seen
from phux_client.flows._kinds import Caller, NextEvent, Request, within
from phux_client.flows.reading import screen_document
from phux_client.flows.target import pane_id
from phux_core.errors import (
    DisconnectedError,
    NoServerError,
    NoSuchTargetError,
    PaneClosedError,
    TimedOutError,
)
from phux_core.width import join_wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document, Flow

# Events wake us, but a slow connection may lose one.
_LOOK_AGAIN_S = 5.0
# Events that add nothing if the pane's screen is pushed with its output.
_NO_NEWS = frozenset(("dirty", "idle", "bell", "title_changed", "cwd_changed"))


class Outcome:
    """How a wait ended.

    Attributes:
        met: The condition that ended the wait, by its argument's name; ``idle`` for ``idle_ms``; None after a timeout.
        screen: The final ScreenState document.
        looks: The number of times the screen or a piece of output was examined.
        line: The line that ended the wait, if a line did.
    """

    __slots__ = ("line", "looks", "met", "screen", "seq")

    def __init__(
        self, met: str | None, screen: "Document", looks: int, line: str | None = None, seq: int | None = None
    ) -> None:
        self.met = met
        self.screen = screen
        self.looks = looks
        self.line = line
        self.seq = screen["seq"] if seq is None else seq

    @property
    def document(self) -> "Document":
        """The final screen and the condition that ended the wait, as a ScreenState document."""
        more = {"met": self.met, "met_line": self.line}
        return self.screen | {name: value for name, value in more.items() if value is not None}


def wait(
    caller: Caller,
    target: "str | int | None" = None,
    wanted: Conditions | None = None,
    *,
    timeout_s: float | None = None,
) -> "Flow[Outcome]":
    """Wait until one of several conditions holds. Changes nothing."""
    check_number("timeout_s", timeout_s)
    return (yield from within(_wait(caller, target, wanted or Conditions(), timeout_s), timeout_s))


def _wait(caller: Caller, target: "str | int | None", wanted: Conditions, timeout_s: float | None) -> "Flow[Outcome]":
    number = yield from pane_id(target, caller)
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    view = _View(wanted, number)
    subscription = None
    drained = False
    while True:
        try:
            if subscription is None:
                # Subscribe before the first snapshot, so that no event is missed.
                reply = yield view.subscription()
                subscription = reply["subscription"]
                view.subscribed(reply)
            if view.is_look_due:
                view.look((yield Request("snapshot", pane=number)))
            now = time.monotonic()
            if view.is_drawing(now):
                view.look((yield Request("snapshot", pane=number, painted=True)))
        except (NoSuchTargetError, NoServerError) as error:
            if not view.screen:
                raise
            return view.end_without_pane(has_server=isinstance(error, NoSuchTargetError))
        now = time.monotonic()
        met = view.judge(now)
        if met is not None:
            return met
        late = deadline is not None and now >= deadline
        if late and (drained or not view.is_behind):
            return Outcome(None, screen_document(view.screen), view.looks)
        patience = view.patience_s(now)
        if deadline is not None:
            patience = min(patience, deadline - now)
        try:
            event = yield NextEvent(subscription, max(0.0, patience))
        except DisconnectedError:
            subscription = None  # the service died; the next one has the pane, but not our subscription
            continue
        if event is not None and event["event"] == "dropped" and (wanted.reads_text or wanted.command_done):
            # Lost output can be requested again, from the current position.
            yield Request("unsubscribe", subscription=subscription)
            subscription = None
            continue
        drained = late and event is None
        view.take(event, late=late)


class _View:
    """The known state of the pane."""

    def __init__(self, wanted: Conditions, number: int) -> None:
        self._wanted = wanted
        self._number = number
        self._resume = wanted.since
        self._started_at: int | None = wanted.since
        self._text_seq = 0
        self._reads_screen = False
        self._found: tuple[str, str, int] | None = None
        self._done = self._is_closed = False
        self._last_seq = -1
        self._quiet_since = 0.0
        self.screen: Document = {}
        self.looks = 0
        self.is_look_due = True

    # Subscription

    def subscription(self) -> Request:
        """Return the request for a subscription that continues at the current position."""
        if not self._wanted.follows:
            return Request("subscribe", pane=self._number)
        return Request(
            "subscribe",
            pane=self._number,
            output=True,
            screen=True,
            since=self._resume if self._wanted.reads_text else None,
            output_only=self._wanted.output_only or None,
        )

    def subscribed(self, reply: "Document") -> None:
        """Record the position at which the subscription begins."""
        wanted = self._wanted
        if self._started_at is None:
            self._started_at = reply["seq"]
        if wanted.reads_text:
            self._resume = self._text_seq = reply["since"]
            # The screen does not show which of its text is output.
            self._reads_screen = wanted.since is None and not wanted.output_only
        self._done = self._done or (reply["command_end"] is not None and reply["command_end"] > self._started_at)
        self.is_look_due = True

    def take(self, event: "Document | None", *, late: bool) -> None:
        """Process an event, or None after a timeout."""
        now = time.monotonic()
        if event is not None and event.get("seq", -1) > self._last_seq:
            self._last_seq, self._quiet_since = event["seq"], now
        if event is None:
            self.is_look_due = not late
        elif event["event"] == "output":
            self._take_text(event)
        elif event["event"] not in _NO_NEWS or not self._wanted.follows:
            self.is_look_due = not late
            self._done = self._done or event["event"] == "command_finished"
            self._is_closed = self._is_closed or event["event"] == "pane_closed" or event.get("state") == "dead"

    def _take_text(self, event: "Document") -> None:
        self._text_seq, self._resume = event["seq"], event["resume"]
        hit = self._wanted.find(event["text"]) or self._wanted.find(event.get("erased", ()))
        if hit is None and "drawn" in event:
            hit = self._wanted.find_drawn(event["drawn"])
        if hit is not None:
            self._found = (*hit, event["seq"])
        if "screen" in event:
            self.look(event["screen"])
        else:  # more text follows
            self.looks += 1
            self.is_look_due = hit is not None

    # The screen

    def look(self, screen: "Document") -> None:
        """Process a screen."""
        self.screen = screen
        self.looks += 1
        self.is_look_due = False
        if screen["seq"] > self._last_seq:
            self._last_seq, self._quiet_since = screen["seq"], time.monotonic()
        if self._reads_screen and self._found is None:
            hit = self._wanted.find(logical_lines(screen))
            if hit is not None:
                self._found = (*hit, screen["seq"])

    @property
    def is_behind(self) -> bool:
        """Whether output that was written before the latest snapshot has not arrived yet."""
        return self._wanted.reads_text and self._text_seq < self.screen["seq"]

    def patience_s(self, now: float) -> float:
        """Return how long to wait for an event before the next snapshot, if no condition holds now."""
        silences = (self._wanted.idle_ms, self._wanted.silent_ms if self._wanted.states else None)
        left_s = [self._quiet_since + ms / 1000 - now for ms in silences if ms is not None]
        return min(wait_s for wait_s in (*left_s, _LOOK_AGAIN_S) if wait_s > 0)

    # Conditions

    def is_drawing(self, now: float) -> bool:
        """Whether the wait is for a full-screen program that may not have drawn its screen yet."""
        if self._found is not None or self.is_behind or self.screen["state"] != "fullscreen":
            return False
        return self._condition(now) == "state"

    def judge(self, now: float) -> Outcome | None:
        """Return how the wait ended, or None.

        Raises:
            PaneClosedError: The program has ended, so that the condition can never hold.
        """
        if self._found is not None:
            name, line, seq = self._found
            return Outcome(name, screen_document(self.screen), self.looks, line, seq)
        if self.is_behind:
            return None
        met = self._condition(now)
        if met is not None:
            return Outcome(met, screen_document(self.screen), self.looks)
        if self.screen["state"] == "dead" and self._wanted.idle_ms is None:
            raise PaneClosedError(self._wanted.missed(self.screen))
        return None

    def _condition(self, now: float) -> str | None:
        wanted, screen = self._wanted, self.screen
        if wanted.command_done and self._done:
            return "command_done"
        if wanted.exit and screen["state"] == "dead":
            return "exit"
        if screen["state"] in wanted.states and self._is_news(screen, now):
            return "state"
        if wanted.gone is not None and not is_seen(wanted.gone, logical_lines(screen)):
            return "gone"
        if wanted.idle_ms is not None and self._is_quiet(wanted.idle_ms, now):
            return "idle"
        return None

    def _is_news(self, screen: "Document", now: float) -> bool:
        """Return whether the state counts: with ``since``, only after later output, or once the program has ended."""
        wanted = self._wanted
        if wanted.since is None or screen["state"] == "dead" or screen["seq"] > wanted.since:
            return True
        return wanted.silent_ms is not None and self._is_quiet(wanted.silent_ms, now)

    def _is_quiet(self, ms: int, now: float) -> bool:
        return now >= self._quiet_since + ms / 1000

    def end_without_pane(self, *, has_server: bool) -> Outcome:
        """Return how the wait ended, because the pane or the whole server is gone.

        Raises:
            PaneClosedError: No condition held.
            NoServerError: The server ended without reporting the end of the pane, as a killed one does.
        """
        screen = screen_document({**self.screen, "state": "dead"})
        if self._found is not None:
            name, line, seq = self._found
            return Outcome(name, screen, self.looks, line, seq)
        if not has_server and not self._is_closed:
            raise NoServerError(
                f"the server ended during the wait, and nothing more is known about @{self._number}",
                remedy=f"read its log with `phux logs @{self._number}`",
            ) from None
        if self._wanted.exit or "dead" in self._wanted.states:
            return Outcome("exit" if self._wanted.exit else "state", screen, self.looks)
        raise PaneClosedError(f"@{self._number} was killed during the wait") from None


def next_event(subscription: int, timeout_s: float | None) -> "Flow[Document]":
    """Wait for one event.

    Raises:
        TimedOutError: No event arrived in time.
    """
    event: Document | None = yield NextEvent(subscription, timeout_s)
    if event is None:
        raise TimedOutError(f"no event arrived within {timeout_s} s")
    return event


def logical_lines(screen: "Document") -> "list[str]":
    """Join the rows of a screen that belong to one wrapped line."""
    return join_wrapped(screen["lines"], set(screen["soft_wrap"]["lines"]), screen["cols"])

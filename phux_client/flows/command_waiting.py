"""``wait_command``: wait until a command has ended, or waits for a person."""

import time

from phux_client.flows._conditions import check_number
from phux_client.flows._kinds import NextEvent, Request, within
from phux_client.flows.log_reading import command_document
from phux_client.flows.running import waiting_error
from phux_core.errors import DisconnectedError, NoSuchTargetError, TimedOutError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document, Flow

# Events wake us, but a slow connection may lose one.
_LOOK_AGAIN_S = 5.0
# The states in which a command waits for a person, once they have lasted for a moment. A running command has a prompt
# in its pane only if it is a shell itself.
_WAITING = frozenset({"prompt", "awaiting_input", "awaiting_secret", "fullscreen"})
_SETTLED_S = 0.5
_NEWS = frozenset({"command_finished", "pane_closed", "state_changed", "dropped"})


def wait_command(command_id: str, *, timeout_s: float | None = None, until_waiting: bool = False) -> "Flow[Document]":
    """Wait until a command has ended, and return a CommandInfo document.

    Args:
        until_waiting: Raise WaitingError as soon as the command waits for a person.

    Raises:
        TimedOutError: The timeout expired.
        WaitingError: The command waits for a person.
    """
    check_number("timeout_s", timeout_s)
    return (yield from within(_wait_command(command_id, timeout_s, until_waiting=until_waiting), timeout_s))


def _wait_command(command_id: str, timeout_s: float | None, *, until_waiting: bool) -> "Flow[Document]":
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    subscription = waits_from = None
    part = command_id.rpartition(".")[0].rpartition("/")[2]
    pane = int(part) if part.isdecimal() and len(part) < 11 else None
    while True:
        if subscription is None:
            try:  # before the first check, so that no event is missed
                subscription = 0 if pane is None else (yield Request("subscribe", pane=pane))["subscription"]
            except NoSuchTargetError:
                subscription = 0  # the pane is gone, and nothing will change
        reply = yield Request("commands", id=command_id)
        entry = reply["commands"][0]
        if entry["state"] in {"finished", "lost"} or not subscription:
            return command_document(entry)
        now = time.monotonic()
        until = now + _LOOK_AGAIN_S if deadline is None else min(now + _LOOK_AGAIN_S, deadline)
        if until_waiting:
            assert pane is not None
            try:
                screen = yield Request("snapshot", pane=pane)
            except NoSuchTargetError:
                subscription = None
                continue
            if screen["state"] not in _WAITING:
                waits_from = None
            elif waits_from is None:
                waits_from = now
            elif now >= waits_from + _SETTLED_S:
                raise waiting_error(pane, command_id, screen["state"], (screen.get("foreground") or {}).get("command"))
            if waits_from is not None:
                until = min(until, waits_from + _SETTLED_S)
        if deadline is not None and now >= deadline:
            error = TimedOutError(f"the command {command_id} did not end within {timeout_s:g} s; it keeps running")
            error.command_id = command_id
            raise error
        try:
            event: Document | None = {"event": ""}
            while event is not None and event["event"] not in _NEWS:
                event = yield NextEvent(subscription, max(0.0, until - time.monotonic()))
        except DisconnectedError:
            subscription = None  # the next service knows the command, too

"""Enforce a verb's timeout even if the server does not answer."""

import time

from phux_client.flows._kinds import Deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Flow, Result

GRACE_S = 2.0
"""The time that requests may take beyond a verb's timeout, so that a busy server can still report the result."""


def within(flow: "Flow[Result]", timeout_s: float | None) -> "Flow[Result]":
    """Run a flow whose requests all end shortly after a timeout, even if the server does not answer."""
    if timeout_s is not None:
        yield Deadline(time.monotonic() + timeout_s + GRACE_S)
    return (yield from flow)

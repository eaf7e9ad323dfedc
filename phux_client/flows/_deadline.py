"""Keeping a verb's timeout whatever the server does."""

import time

from phux_client.flows._kinds import Deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Flow, Result

GRACE_S = 2.0
"""How much longer than a verb's timeout its requests may take: a busy server still reports what it knows."""


def within(flow: "Flow[Result]", timeout_s: float | None) -> "Flow[Result]":
    """Carry out a flow whose requests all end shortly after a timeout, even if the server does not answer."""
    if timeout_s is not None:
        yield Deadline(time.monotonic() + timeout_s + GRACE_S)
    return (yield from flow)

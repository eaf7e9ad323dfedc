"""Keeping a verb's timeout whatever the server does."""

import time

from phux_client.flows._kinds import Request
from phux_core.errors import PhuxError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from phux_client.flows._types import Flow, Result

GRACE_S = 2.0
"""How much longer than a verb's timeout its requests may take: a busy server still reports what it knows."""


def within(flow: "Flow[Result]", timeout_s: float | None) -> "Flow[Result]":
    """Carry out a flow whose requests all end shortly after a timeout, even if the server does not answer."""
    if timeout_s is None:
        return (yield from flow)
    deadline = time.monotonic() + timeout_s + GRACE_S
    answer: Any = None
    failure: PhuxError | None = None
    while True:
        try:
            step = flow.send(answer) if failure is None else flow.throw(failure)
        except StopIteration as stop:
            result: Result = stop.value
            return result
        if isinstance(step, Request):
            step.limit_s = max(0.0, deadline - time.monotonic())
        answer, failure = None, None
        try:
            answer = yield step
        except PhuxError as error:
            failure = error

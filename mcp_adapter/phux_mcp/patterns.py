"""Patterns that a model wrote: one that takes for ever to match must not stop everything else."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from phux_core.errors import BadRequestError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_client.flows._kinds import Flow, Step

Result = TypeVar("Result")
_LONGEST_S = 1.0


def bounded(flow: Flow[Result]) -> Flow[Result]:
    """Give a flow whose steps, in which lines are matched, end after a second with BadRequestError."""
    return _Bounded(flow)


class _Bounded(Generator["Step", Any, Result]):
    def __init__(self, flow: Flow[Result]) -> None:
        self._flow = flow

    def send(self, answer: Any) -> Step:
        with _limit():
            return self._flow.send(answer)

    def throw(self, *error: Any) -> Step:
        with _limit():
            return self._flow.throw(*error)


@contextlib.contextmanager
def _limit() -> Iterator[None]:
    """Interrupt what takes too long: matching holds the interpreter, and only signals are let in."""
    handler = signal.signal(signal.SIGALRM, _refuse)
    timer = signal.setitimer(signal.ITIMER_REAL, _LONGEST_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if timer[0]:
            signal.setitimer(signal.ITIMER_REAL, *timer)


def _refuse(_number: int, _frame: object) -> NoReturn:
    raise BadRequestError(
        f"the pattern was not matched against a line within {_LONGEST_S:g} s",
        remedy="send a simpler one, without repetitions inside repetitions",
    )

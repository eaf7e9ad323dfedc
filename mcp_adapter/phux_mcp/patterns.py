"""Patterns that a model wrote: one that takes for ever to match must not stop everything else."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING, NoReturn, TypeVar

from phux_core.errors import BadRequestError, PhuxError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_client.flows._kinds import Flow

Result = TypeVar("Result")
_LONGEST_S = 1.0


def bounded(flow: Flow[Result]) -> Flow[Result]:
    """Give a flow whose steps, in which lines are matched, end after a second.

    Raises:
        BadRequestError: In the flow: matching took too long.
    """
    answer: object = None
    failure: PhuxError | None = None
    with contextlib.closing(flow):
        while True:
            try:
                with _limit():
                    step = flow.send(answer) if failure is None else flow.throw(failure)
            except StopIteration as stop:
                result: Result = stop.value
                return result
            answer, failure = None, None
            try:
                answer = yield step
            except PhuxError as error:
                failure = error


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

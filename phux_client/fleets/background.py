"""Work that goes on beside the caller's task, and a bounded stream of its results.

The work has a task of its own, and a task group may be inside that. So there is no cancel scope and no task group
around the caller's code, and a stream can be opened in one task and closed in another.
"""

from __future__ import annotations

import asyncio
import contextvars
import sys
from typing import TYPE_CHECKING, Generic, TypeVar

import anyio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import TracebackType
    from typing import Self

Result = TypeVar("Result")


class Background:
    """A coroutine in a task of its own, until it ends or is cancelled.

    Attributes:
        failure: The exception that ended it, if it was not cancelled.
    """

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        self._work = work
        self._scope = anyio.CancelScope()
        self._ended = anyio.Event()
        self.failure: BaseException | None = None
        trio = sys.modules.get("trio")
        if trio is not None and trio.lowlevel.in_trio_task():
            trio.lowlevel.spawn_system_task(self._run, context=contextvars.copy_context())
        else:
            self._task = asyncio.create_task(self._run())  # asyncio itself keeps no reference to it

    async def _run(self) -> None:
        try:
            with self._scope:
                await self._work()
        except anyio.get_cancelled_exc_class():
            raise  # the event loop ends
        except BaseException as error:  # noqa: BLE001 - the reader of the stream raises it
            self.failure = _only(error)
        finally:
            self._ended.set()

    async def cancel(self) -> None:
        """Cancel the work, and wait until it has ended."""
        self._scope.cancel()
        with anyio.CancelScope(shield=True):
            await self._ended.wait()


def _only(error: BaseException) -> BaseException:
    """Return the exception in groups of one, which task groups make of it."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        (error,) = error.exceptions
    return error


class BackgroundStream(Generic[Result]):
    """The results of work in the background, for ``async for``.

    The work begins with the first result that is asked for, or with the stream's ``async with`` block. It waits while
    nobody reads its results.

    Args:
        work: A function that sends results; it gets the function to send one.
        most_waiting: The largest number of results that wait to be read.
        owner: The set of open streams, which the stream enters and leaves.
    """

    def __init__(
        self,
        work: Callable[[Callable[[Result], Awaitable[None]]], Awaitable[None]],
        most_waiting: int,
        owner: set[BackgroundStream[Result]],
    ) -> None:
        self._work = work
        self._sender, self._receiver = anyio.create_memory_object_stream[Result](most_waiting)
        self._owner = owner
        self._background: Background | None = None
        self._is_closed = False
        owner.add(self)

    def begin(self) -> None:
        """Begin the work, unless it has begun."""
        if self._background is None and not self._is_closed:
            self._background = Background(self._produce)

    async def _produce(self) -> None:
        try:
            await self._work(self._sender.send)
        finally:
            self._sender.close()

    async def __aenter__(self) -> Self:
        self.begin()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Result:
        self.begin()
        try:
            return await self._receiver.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            await self.aclose()
        background, self._background = self._background, None
        if background is not None and background.failure is not None:
            raise background.failure
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """End the work, and wait until it has ended. Results that were not read are dropped."""
        self._is_closed = True
        self._owner.discard(self)
        if self._background is not None:
            await self._background.cancel()
        self._sender.close()
        self._receiver.close()

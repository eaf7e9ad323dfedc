"""The values that methods of a fleet return, and the streams of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from attrs import frozen

from phux_client.fleets.background import BackgroundStream
from phux_core.shapes import Event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Self

    import anyio

    from phux_core.errors import PhuxError

Item = TypeVar("Item")
Value = TypeVar("Value")


@frozen(kw_only=True)
class HostResult(Generic[Value]):
    """The result of one host of a fleet.

    Attributes:
        host: The host, as it was given to ``fleet``.
        value: The result; None if there is an error.
        error: Why the host has no result; None if it has.

    Example:
        >>> HostResult(host="local", value=3).value
        3
    """

    host: str
    value: Value | None = None
    error: PhuxError | None = None


@frozen(kw_only=True)
class ItemResult(Generic[Item, Value]):
    """The result of one item of ``fleet.map``.

    Attributes:
        index: The position of the item, from 0.
        item: The item.
        host: The host on which the item ran last; None if no host was left for it.
        value: What the task returned; None if there is an error.
        error: What the task raised, or why no host could run it; None if the task returned.
        attempts: How often the task began with this item.

    Example:
        >>> ItemResult(index=0, item="a", host="local", value=3, attempts=1).error is None
        True
    """

    index: int
    item: Item
    host: str | None
    value: Value | None = None
    error: Exception | None = None
    attempts: int


class ItemResults(BackgroundStream[ItemResult[Item, Value]]):
    """The results of ``fleet.map`` as they arrive, for ``async for``.

    The tasks wait while nobody reads. At the end of the stream's ``async with`` block, or of the fleet's, tasks that
    still run are cancelled.

    Example:
        >>> async def double(phux, item):
        ...     return 2 * item
        >>> async with fleet.map(double, range(3)) as results:
        ...     sorted([result.value async for result in results])
        [0, 2, 4]
    """


class HostEvents(BackgroundStream[HostResult[Event]]):
    """The events of all hosts of a fleet, for ``async for``. An error is the last result of its host.

    Its ``async with`` block begins when every host is watched, or has failed.

    Example:
        >>> async with fleet.watch() as events:
        ...     results = await fleet.run_all("true")
        ...     event = await anext(events)
        >>> event.host, event.error
        ('local', None)
    """

    def __init__(
        self,
        work: Callable[[Callable[[HostResult[Event]], Awaitable[None]]], Awaitable[None]],
        most_waiting: int,
        owner: set[BackgroundStream[HostResult[Event]]],
        ready: anyio.Event,
    ) -> None:
        super().__init__(work, most_waiting, owner)
        self._ready = ready

    async def __aenter__(self) -> Self:
        self.begin()
        try:
            await self._ready.wait()
        except BaseException:
            await self.aclose()
            raise
        return self

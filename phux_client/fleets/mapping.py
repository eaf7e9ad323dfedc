"""Run a task per item, on whichever host has room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import anyio

from phux_client.fleets.results import ItemResult
from phux_core import errors

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from phux_client.aio import Phux
    from phux_client.fleets.members import Member
    from phux_client.fleets.schedule import Job, Schedule

Item = TypeVar("Item")
Value = TypeVar("Value")

_CHECK_S = 5.0
"""How often a host in use is asked whether it still answers."""
_LOSSES = (
    errors.NoServerError,
    errors.StartFailedError,
    errors.DisconnectedError,
    errors.ServiceRestartingError,
    errors.HostError,
)
"""Errors after which a task may have failed because of its host, even if the host answers again."""


class _Use:
    """A host while items run on it.

    Attributes:
        lost: Why the host is not used any more; None while it is.
        scopes: Of the tasks that run on it.
    """

    def __init__(self, member: Member, phux: Phux) -> None:
        self.member = member
        self.phux = phux
        self.lost: errors.PhuxError | None = None
        self.scopes: set[anyio.CancelScope] = set()

    async def check(self) -> None:
        """Ask the host whether it is still there; if not, cancel its tasks."""
        loss = await self.member.loss(self.phux)
        if loss is not None and self.lost is None:
            self.lost = loss
            self.member.close(self.phux)  # so that tasks that wait for the host end at once
            for scope in self.scopes:
                scope.cancel()


class Mapping(Generic[Item, Value]):
    """The work of one ``fleet.map``."""

    def __init__(
        self,
        members: Sequence[Member],
        task: Callable[[Phux, Item], Awaitable[Value]],
        schedule: Schedule[Item],
        per_host: int,
    ) -> None:
        self._members = members
        self._task = task
        self._schedule = schedule
        self._per_host = per_host
        self._lost: dict[str, errors.PhuxError] = {}
        self._connecting: set[anyio.CancelScope] = set()
        self._changed = anyio.Event()

    async def run(self, send: Callable[[ItemResult[Item, Value]], Awaitable[None]]) -> None:
        """Run every item, and send each result once."""
        async with anyio.create_task_group() as group:
            for member in self._members:
                group.start_soon(self._serve, member, send)
        # No host is left. Each further item is an error.
        reason = "; ".join(f"{host}: {error.message.removeprefix(f'{host}: ')}" for host, error in self._lost.items())
        while (job := self._schedule.take()) is not None:
            self._schedule.finish()
            error = job.error or errors.HostError(f"no host is left to run the item: {reason}", remedy="")
            await send(_failed(job, error))

    async def _serve(self, member: Member, send: Callable[[ItemResult[Item, Value]], Awaitable[None]]) -> None:
        """Run items on one host, until there are none or the host is lost."""
        with anyio.CancelScope() as scope:
            self._connecting.add(scope)
            try:
                use = _Use(member, await member.phux())
            except errors.PhuxError as error:
                self._lost[member.name] = error
                return
            finally:
                self._connecting.discard(scope)
        if scope.cancelled_caught:  # other hosts have run all items
            return
        async with anyio.create_task_group() as checks:
            checks.start_soon(self._check_often, use)
            async with anyio.create_task_group() as workers:
                for _number in range(self._per_host):
                    workers.start_soon(self._work, use, send)
            checks.cancel_scope.cancel()

    async def _check_often(self, use: _Use) -> None:
        while use.lost is None:
            await anyio.sleep(_CHECK_S)
            await self._check(use)

    async def _check(self, use: _Use) -> None:
        await use.check()
        if use.lost is not None:
            self._lost[use.member.name] = use.lost
            self._wake()

    async def _work(self, use: _Use, send: Callable[[ItemResult[Item, Value]], Awaitable[None]]) -> None:
        while (job := await self._next(use)) is not None:
            result = await self._attempt(use, job)
            self._wake()
            if result is not None:
                await send(result)

    async def _next(self, use: _Use) -> Job[Item] | None:
        """Return the next item; None if there is none, or if the host is lost. Wait while running items may move."""
        while use.lost is None and not self._schedule.is_over:
            job = self._schedule.take()
            if job is not None:
                return job
            if not self._schedule.is_over:
                await self._changed.wait()
        self._wake()
        return None

    def _wake(self) -> None:
        """Let the idle workers look again; end logins that are not needed any more."""
        self._changed.set()
        self._changed = anyio.Event()
        if self._schedule.is_over:
            for scope in self._connecting:
                scope.cancel()

    async def _attempt(self, use: _Use, job: Job[Item]) -> ItemResult[Item, Value] | None:
        """Run an item; return its result, or None if the host was lost and the item runs again."""
        job.attempts += 1
        job.host = use.member.name
        error: Exception | None = None
        with anyio.CancelScope() as scope:
            use.scopes.add(scope)
            try:
                value = await self._task(use.phux, job.item)
            except Exception as caught:  # noqa: BLE001 - it is the result of the item
                error = caught
            else:
                self._schedule.finish()
                return ItemResult(index=job.index, item=job.item, host=job.host, value=value, attempts=job.attempts)
            finally:
                use.scopes.discard(scope)
        if use.lost is None:
            await self._check(use)
        if use.lost is None and error is not None and not _is_loss(error):
            self._schedule.finish()
            return _failed(job, error)
        reason = error or use.lost
        assert reason is not None
        return None if self._schedule.move(job, reason) else _failed(job, reason)


def _is_loss(error: BaseException) -> bool:
    """Return whether an exception, or one in a group, says that the host was lost."""
    if isinstance(error, BaseExceptionGroup):
        return any(map(_is_loss, error.exceptions))
    return isinstance(error, _LOSSES)


def _failed(job: Job[Item], error: Exception) -> ItemResult[Item, Value]:
    return ItemResult(index=job.index, item=job.item, host=job.host, error=error, attempts=job.attempts)

"""Terminals on a Ray cluster: actors with private servers, and a pool of them. Needs the extra ``phux[ray]``.

    import ray
    from phux_client.integrations.ray import TerminalPool

    ray.init()
    with TerminalPool(64) as pool:
        for result in pool.map(task, items):
            print(result.item, result.error or result.value)

Ray places the actors, detects failures and starts actors again. The pool decides which item runs next.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal, TypeVar

import ray
from attrs import frozen
from ray import exceptions

from phux_client.aio import Phux
from phux_client.embedding import EmbeddedServer
from phux_client.fleets.results import ItemResult
from phux_client.fleets.schedule import Job, Schedule
from phux_core import errors

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Any, Concatenate, ParamSpec, Self

    from phux_client.waited import Waited
    from phux_core.shapes import LogText, RunResult, ScreenChanges, ScreenState, SessionEntry, State

    Arguments = ParamSpec("Arguments")

__all__ = ["PoolMetrics", "TerminalPool", "Terminals"]

Item = TypeVar("Item")
Value = TypeVar("Value")

START_S = 60.0
"""The time in which an actor of a pool must start, or start again, before its items are left to the others."""
_PAUSE_S = 0.2


class PrivateTerminals:
    """The actor behind ``Terminals``, with a private server on its node. Server and programs end with the actor.

    Targets are selectors of the private server, such as the name of a session.

    Args:
        engine: ``ghostty`` or ``pyte``; by default ghostty if it can be used.
    """

    def __init__(self, engine: str | None = None) -> None:
        self._server = EmbeddedServer(engine=engine)
        self._phux = Phux(self._server.socket, client="phux-ray")

    async def ready(self) -> str:
        """Return the id of the actor's node, once the server answers."""
        await self._phux.status()
        return str(ray.get_runtime_context().get_node_id())

    async def call(
        self,
        function: Callable[Concatenate[Phux, Arguments], Awaitable[Value]],
        *args: Arguments.args,
        **named: Arguments.kwargs,
    ) -> Value:
        """Return what an async function of the client and more arguments returns."""
        return await function(self._phux, *args, **named)

    async def sessions(self) -> list[SessionEntry]:
        """Return the sessions."""
        return (await self._phux.ls()).sessions

    async def new_session(
        self, name: str | None = None, *, command: Sequence[str] | None = None, cwd: str | None = None
    ) -> str:
        """Create a session with a shell or another program, and return its name."""
        return (await self._phux.new_session(name, command=command, cwd=cwd)).name

    async def run(
        self, command: str | Sequence[str], target: str | None = None, *, timeout_s: float | None = 600.0
    ) -> RunResult:
        """Run a command in a pane's shell; without a target, in a new session, which is killed afterwards."""
        if target is not None:
            return await (await self._phux.pane(target)).run(command, timeout_s=timeout_s)
        async with await self._phux.new_session() as session:
            return await session.pane.run(command, timeout_s=timeout_s)

    async def act(
        self,
        target: str,
        *words: str,
        until: str | None = None,
        regex: str | None = None,
        idle_ms: int | None = None,
        state: State | Sequence[State] | None = None,
        timeout_s: float = 30.0,
    ) -> ScreenChanges:
        """Type keys and text into a pane, wait, and return the rows that changed."""
        pane = await self._phux.pane(target)
        return await pane.act(*words, until=until, regex=regex, idle_ms=idle_ms, state=state, timeout_s=timeout_s)

    async def wait(
        self,
        target: str,
        *,
        until: str | None = None,
        regex: str | None = None,
        idle_ms: int | None = None,
        state: State | Sequence[State] | None = None,
        timeout_s: float | None = None,
    ) -> Waited:
        """Wait until one of several conditions holds in a pane; without any, until it is idle."""
        pane = await self._phux.pane(target)
        return await pane.wait(until=until, regex=regex, idle_ms=idle_ms, state=state, timeout_s=timeout_s)

    async def snapshot(self, target: str, *, cells: bool = False) -> ScreenState:
        """Return a pane's screen."""
        return await (await self._phux.pane(target)).snapshot(cells=cells)

    async def logs(self, target: str, *, lines: int | None = None, grep: str | None = None) -> LogText:
        """Return the output of a pane."""
        return await self._phux.logs(target, lines=lines, grep=grep)


Terminals = ray.remote(PrivateTerminals)


@frozen(kw_only=True)
class PoolMetrics:
    """What a pool has done so far.

    Attributes:
        ready: The terminals that can run an item now or run one.
        starting: The terminals that start, or start again.
        running: The items that run.
        done: The items whose task returned.
        failed: The items with an error.
        moved: How often an item began again because its terminal was lost.
    """

    ready: int
    starting: int
    running: int
    done: int
    failed: int
    moved: int


class _Slot:
    """One actor of a pool."""

    __slots__ = ("actor", "name", "state", "until")

    def __init__(self, name: str, actor: Any) -> None:
        self.name = name
        self.actor = actor
        self.state: Literal["starting", "ready", "gone"] = "starting"
        self.until = 0.0


class TerminalPool:
    """Actors with private servers, spread over the nodes of the cluster. ``ray.init()`` comes first.

    Args:
        size: The number of actors.
        resources: What each actor reserves on its node, by the names of Ray, such as ``{"CPU": 0.5, "memory": 2**28}``;
            a tenth of a CPU by default.
        max_restarts: How often Ray starts an actor again, on any node; -1 for no limit.
        engine: The engine of the servers.
    """

    def __init__(
        self,
        size: int,
        resources: Mapping[str, float] | None = None,
        max_restarts: int = 1,
        *,
        engine: str | None = None,
    ) -> None:
        if size < 1:
            raise errors.BadRequestError(f"a pool of {size} terminals is empty", remedy="use a size of at least 1")
        options = _options({"CPU": 0.1} if resources is None else resources)
        remote = Terminals.options(max_restarts=max_restarts, scheduling_strategy="SPREAD", **options)
        self._slots = [_Slot(f"terminals-{number}", remote.remote(engine)) for number in range(size)]
        self._running = self._done = self._failed = self._moved = 0
        self._is_mapping = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all actors, with their servers and programs."""
        for slot in self._slots:
            slot.state = "gone"
            ray.kill(slot.actor)

    @property
    def metrics(self) -> PoolMetrics:
        """What the pool has done so far."""
        states = [slot.state for slot in self._slots]
        return PoolMetrics(
            ready=states.count("ready"),
            starting=states.count("starting"),
            running=self._running,
            done=self._done,
            failed=self._failed,
            moved=self._moved,
        )

    def map(
        self,
        task: Callable[[Phux, Item], Awaitable[Value]],
        items: Iterable[Item],
        *,
        per_terminal: int = 1,
        retries: int = 1,
    ) -> Iterator[ItemResult[Item, Value]]:
        """Run ``await task(phux, item)`` for every item on an actor with room, and yield results as they arrive.

        Every item has one result, whose ``host`` is the name of an actor. Items are read when there is room, and no
        item begins while you do not read results. If an actor is lost, its items begin again on others.

        Args:
            task: An async function of the client of a private server and of an item.
            items: The items.
            per_terminal: The number of tasks that run on an actor at the same time.
            retries: How often an item begins again after its actor was lost.

        Raises:
            BusyError: Another ``map`` of this pool has not ended.
            BadRequestError: ``per_terminal`` is less than 1, or ``retries`` less than 0.
        """
        if per_terminal < 1 or retries < 0:
            raise errors.BadRequestError(
                f"per_terminal={per_terminal} and retries={retries} are out of range",
                remedy="use at least 1 for per_terminal, and at least 0 for retries",
            )
        return _PoolMap(self, task, Schedule(items, retries), per_terminal).run()


class _PoolMap:
    """One ``map`` of a pool."""

    def __init__(self, pool: TerminalPool, task: Any, schedule: Schedule[Any], per_terminal: int) -> None:
        self._pool = pool
        self._task = task
        self._schedule = schedule
        self._per_terminal = per_terminal
        self._jobs: dict[Any, tuple[_Slot, Job[Any]]] = {}  # by the reference of Ray to the result
        self._probes: dict[Any, _Slot] = {}
        self._reason = ""

    def run(self) -> Iterator[ItemResult[Any, Any]]:
        pool = self._pool
        if pool._is_mapping:  # noqa: SLF001
            raise errors.BusyError("the pool runs another map", remedy="read that to its end, or close it, first")
        pool._is_mapping = True  # noqa: SLF001
        try:
            for slot in pool._slots:  # noqa: SLF001
                if slot.state != "gone":
                    self._begin_probe(slot)
            while True:
                self._fill()
                if self._schedule.is_over:
                    return
                if not self._jobs and not self._probes:
                    break
                yield from self._collect()
            while (job := self._schedule.take()) is not None:
                self._schedule.finish()
                pool._failed += 1  # noqa: SLF001
                yield _failed(job, job.error or errors.LimitError(f"no terminal is left to run the item{self._reason}"))
        finally:
            pool._is_mapping = False  # noqa: SLF001
            pool._running -= len(self._jobs)  # noqa: SLF001
            for reference in self._jobs:
                ray.cancel(reference)

    def _fill(self) -> None:
        """Start items on the actors with room."""
        counts = {id(slot): 0 for slot in self._pool._slots}  # noqa: SLF001
        for slot, _job in self._jobs.values():
            counts[id(slot)] += 1
        for _round in range(self._per_terminal):
            for slot in self._pool._slots:  # noqa: SLF001
                if slot.state != "ready" or counts[id(slot)] >= self._per_terminal:
                    continue
                job = self._schedule.take()
                if job is None:
                    return
                job.attempts += 1
                job.host = slot.name
                counts[id(slot)] += 1
                self._jobs[slot.actor.call.remote(self._task, job.item)] = slot, job
                self._pool._running += 1  # noqa: SLF001

    def _begin_probe(self, slot: _Slot, *, again: bool = False) -> None:
        """Ask an actor whether it is ready; Ray answers when it has started, or cannot start any more."""
        slot.state = "starting"
        if not again:
            slot.until = time.monotonic() + START_S
        self._probes[slot.actor.ready.remote()] = slot

    def _collect(self) -> Iterator[ItemResult[Any, Any]]:
        """Wait until something ended, and yield the results among it."""
        wait_s = None
        if self._probes:
            wait_s = max(0.0, min(slot.until for slot in self._probes.values()) - time.monotonic())
        ended, _others = ray.wait([*self._jobs, *self._probes], num_returns=1, timeout=wait_s)
        for reference in ended:
            if reference in self._probes:
                self._take_probe(reference)
            else:
                result = self._take_result(reference)
                if result is not None:
                    yield result
        for reference, slot in list(self._probes.items()):
            if slot.until <= time.monotonic():
                self._drop(self._probes.pop(reference), f"it did not start within {START_S:g} s")

    def _take_probe(self, reference: Any) -> None:
        slot = self._probes.pop(reference)
        try:
            ray.get(reference)
        except exceptions.ActorUnavailableError:
            time.sleep(_PAUSE_S)
            self._begin_probe(slot, again=True)
        except (exceptions.RayError, errors.PhuxError) as error:
            self._drop(slot, str(error).strip().partition("\n")[0])
        else:
            slot.state = "ready"

    def _drop(self, slot: _Slot, reason: str) -> None:
        slot.state = "gone"
        self._reason = f"; {slot.name}: {reason}"

    def _take_result(self, reference: Any) -> ItemResult[Any, Any] | None:
        """Return the result of an item; None if its actor was lost and the item runs again."""
        pool = self._pool
        slot, job = self._jobs.pop(reference)
        pool._running -= 1  # noqa: SLF001
        try:
            value = ray.get(reference)
        except exceptions.RayTaskError as error:
            self._schedule.finish()
            reason = error.cause if isinstance(error.cause, Exception) else error
        except exceptions.RayError as error:
            if slot.state == "ready":
                self._begin_probe(slot)
            if self._schedule.move(job, error):
                pool._moved += 1  # noqa: SLF001
                return None
            reason = error
        else:
            self._schedule.finish()
            pool._done += 1  # noqa: SLF001
            return ItemResult(index=job.index, item=job.item, host=job.host, value=value, attempts=job.attempts)
        pool._failed += 1  # noqa: SLF001
        return _failed(job, reason)


def _failed(job: Job[Any], error: Exception) -> ItemResult[Any, Any]:
    return ItemResult(index=job.index, item=job.item, host=job.host, error=error, attempts=job.attempts)


def _options(resources: Mapping[str, float]) -> dict[str, Any]:
    """Return the options of Ray for resources by their names."""
    named = {"CPU": "num_cpus", "GPU": "num_gpus", "memory": "memory"}
    options: dict[str, Any] = {named[name]: amount for name, amount in resources.items() if name in named}
    options["resources"] = {name: amount for name, amount in resources.items() if name not in named}
    return options

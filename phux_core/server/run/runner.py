"""Run commands in a pane's shell: type them at its prompt one at a time, and return exit status and output.

The caller chooses a run's id, and the state needed to continue it is noted in the pane's journal before a byte is
typed: a caller that asks again after a restart of the service gets the same run, never a second one.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Any

from phux_core.errors import PhuxError
from phux_core.server.run import source_files
from phux_core.server.run.plan import make_plan, plan_as_it_is
from phux_core.server.run.prompt import Prompt, remaining
from phux_core.server.run.record import Run, not_typed, unfinished
from phux_core.server.shell.edit_line import INTERRUPT, PROMPT_S, Problem, Ready
from phux_core.server.sync import Promise, try_acquire

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.server.history.pane_ledger import PaneLedger
    from phux_core.server.run.follower import RunFollower
    from phux_core.server.run.plan import Plan
    from phux_core.server.run.record import RunRequest
    from phux_core.server.shell.pane_shell import PaneShell

# How long a caller may take to notice the restart of the service and ask again.
_RETURN_S = 1.0
# How long an interrupted command may take to end.
_INTERRUPT_S = 1.0
# States in which a command waits for a person; a nested shell waits at its prompt. A program may be in one of them only
# for a moment, such as while it opens its screen.
_WAITING = frozenset({"prompt", "awaiting_input", "awaiting_secret", "fullscreen"})
_SETTLED_S = 0.5
# Most commands have ended by then, so whether they wait need not be watched.
_SOON_S = 0.05
# How long a shell may take to report the start of a command.
_BEGIN_S = 2.0


class Runner:
    """The runs of one pane.

    Args:
        directory: A private directory for files that the shell sources.

    Attributes:
        lock: Held while a command runs, or while a client types and reads.
    """

    def __init__(self, shell: PaneShell, ledger: PaneLedger, runs: RunFollower, directory: str) -> None:
        self.lock = asyncio.Lock()
        self.prompt = Prompt(shell, runs)
        self._shell, self._ledger, self._runs, self._directory = shell, ledger, runs, directory

    # The caller's side

    async def run(self, request: RunRequest, is_wanted: Callable[[], bool]) -> dict[str, Any]:
        """Run a command, and return its result.

        Args:
            is_wanted: Returns whether the caller is still connected; if not, no command is typed.

        Returns:
            ``outcome`` and its fields, see docs/wire.md.
        """
        deadline = None if request.timeout_s is None else time.monotonic() + request.timeout_s
        known = self._runs.find(request)
        if known is not None:
            return await self._outcome(known, request, deadline)
        if request.timeout_s == 0:
            return not_typed(time.monotonic(), self._shell.watch)
        waited_from = time.monotonic()
        try:
            async with asyncio.timeout(request.timeout_s):
                await self._refuse_if_busy(request)
                await self.lock.acquire()
        except TimeoutError:
            return not_typed(waited_from, self._shell.watch)
        try:
            run = await self._start(request, deadline, is_wanted)
            if run is None:
                return not_typed(waited_from, self._shell.watch)
            return await self._outcome(run, request, deadline)
        finally:
            self.lock.release()

    def run_now(self, request: RunRequest) -> Promise | None:
        """Type a command at once if nothing has to be waited for, and promise its result; else return None."""
        if request.timeout_s == 0 or self._runs.find(request) is not None or not try_acquire(self.lock):
            return None
        answer = Promise()
        answer.then(lambda _result: self.lock.release())
        try:
            ready = self.prompt.look()
            plan = plan_as_it_is(request, ready, self._shell.record.cols) if isinstance(ready, Ready) else None
            if plan is None:
                self.lock.release()
                return None
            run, _written = self._type(request, plan)
        except BaseException:
            self.lock.release()
            raise
        run.outcome.then(answer.set)
        if request.timeout_s is not None:
            timer = asyncio.get_running_loop().call_later(request.timeout_s, self._give_up, run, request, answer)
            answer.then(lambda _result: timer.cancel())
        if request.until_waiting:
            watch = asyncio.get_running_loop().call_later(_SOON_S, self._watch_for_person, run, request, answer)
            answer.then(lambda _result: watch.cancel())
        return answer

    def _watch_for_person(self, run: Run, request: RunRequest, answer: Promise) -> None:
        """Set the result of a run as soon as its command waits for a person."""
        deadline = None if request.timeout_s is None else run.began + request.timeout_s

        async def watch() -> None:
            if await self._waits_for_person(run, deadline):
                answer.set(unfinished("waiting", run, self._shell.record.id, self._shell.watch))

        self._runs.spawn(watch())

    def _give_up(self, run: Run, request: RunRequest, answer: Promise) -> None:
        """Set the result of a run whose timeout has expired, also if the run ends meanwhile."""
        run.outcome.forget(answer.set)

        async def give_up() -> None:
            try:
                answer.set(await self._outcome(run, request, time.monotonic()))
            except Exception as error:  # noqa: BLE001  for the caller
                answer.set(error)

        self._runs.spawn(give_up())

    async def start(self, request: RunRequest, is_wanted: Callable[[], bool]) -> Run:
        """Type a command at the prompt, and do not wait for its end."""
        known = self._runs.find(request)
        if known is not None:
            return known
        await self._refuse_if_busy(request)
        async with self.lock:
            run = await self._start(request, None, is_wanted)
        assert run is not None  # without a deadline, no timeout expires
        until = time.monotonic() + _BEGIN_S
        while run.start is None and self._runs.current is run and (left_s := remaining(until)):
            await self._shell.changed.wait(left_s)
        return run

    async def _refuse_if_busy(self, request: RunRequest) -> None:
        """Refuse a request without ``queue`` while the request that holds the lock waits for the prompt."""
        if not request.queue:
            await self.prompt.refuse_while(
                lambda: self.lock.locked() and (self._runs.current is None or self.prompt.is_awaited)
            )

    async def _start(self, request: RunRequest, deadline: float | None, is_wanted: Callable[[], bool]) -> Run | None:
        """Wait for the prompt and type; return None if the timeout expired."""
        self._runs.remote.drop_query()
        if self._runs.current is not None:
            self._runs.remote.forget()  # the running command may have started another shell
        while True:
            ready = await self.prompt.wait(deadline, is_wanted, patient=request.queue)
            if ready is None:
                return None
            plan = plan_as_it_is(request, ready, self._shell.record.cols)
            if plan is None:
                cols, remote_shell = self._shell.record.cols, self._runs.remote.kind
                plan = await make_plan(request, ready, cols, remote_shell, self._directory)
                # Planning took time, in which something may have been typed.
                is_ready = not isinstance(self.prompt.check(), Problem) and is_wanted()
                if is_ready and plan.definition is not None:
                    is_ready = await self._define(plan, ready, deadline, is_wanted)
                if not is_ready:
                    source_files.remove(plan.files)
                    continue
            run, written = self._type(request, plan)
            await written
            return run

    async def _define(self, plan: Plan, ready: Ready, deadline: float | None, is_wanted: Callable[[], bool]) -> bool:
        """Type the line that defines a plan's alias; return whether the same shell then waits at its prompt."""
        self._runs.is_defining = True
        try:
            await self._shell.keyboard.type_ours([{"paste": plan.definition}, {"key": "Enter"}])
            until = time.monotonic() + PROMPT_S
            while self._runs.is_defining and (left_s := remaining(until)):
                await self._shell.changed.wait(left_s)
            again = await self.prompt.wait(deadline, is_wanted, patient=False)
        except BaseException:
            source_files.remove(plan.files)
            raise
        finally:
            self._runs.is_defining = False
        return again is not None and (again.shell, again.foreground.pid) == (ready.shell, ready.foreground.pid)

    def resume(self) -> None:
        """Hold the lock for a run of an earlier service until it ends, as long as its caller waits for it."""
        if self._runs.current is not None:
            self._runs.spawn(self._hold_lock(self._runs.current))

    async def _hold_lock(self, run: Run) -> None:
        async with self.lock:
            returns_until = time.monotonic() + _RETURN_S
            # Stop at the end of the run, before its outcome is known, because rendering a large output takes time.
            while self._runs.current is run and (run.outcome.is_awaited or time.monotonic() < returns_until):
                await self._shell.changed.wait(_RETURN_S)

    async def _outcome(self, run: Run, request: RunRequest, deadline: float | None) -> dict[str, Any]:
        if request.until_waiting and await self._waits_for_person(run, deadline):
            return unfinished("waiting", run, self._shell.record.id, self._shell.watch)
        result = await run.outcome.wait(remaining(deadline))
        if result is not None:
            return result
        if request.interrupt and self._runs.current is run:
            with contextlib.suppress(PhuxError):
                self._shell.keyboard.type([{"key": "C-c"}])
                self._runs.typed(INTERRUPT)
                until = time.monotonic() + _INTERRUPT_S
                while self._runs.current is run and (left_s := remaining(until)):
                    await self._shell.changed.wait(left_s)
        timed_out = unfinished("timed_out", run, self._shell.record.id, self._shell.watch)
        return timed_out | {"ended": self._runs.current is not run}

    async def _waits_for_person(self, run: Run, deadline: float | None) -> bool:
        """Wait until a command waits for a person; return False if it ended or the deadline passed first."""
        waits_from = None
        while self._runs.current is run:
            now, left_s = time.monotonic(), remaining(deadline)
            if run.start is None or self._shell.watch.state not in _WAITING:
                waits_from = None
            elif waits_from is None:
                waits_from = now
            if waits_from is not None:
                settles_s = waits_from + _SETTLED_S - now
                if settles_s <= 0:
                    return True
                left_s = settles_s if left_s is None else min(left_s, settles_s)
            if left_s == 0:
                return False
            await self._shell.changed.wait(left_s)
        return False

    # Typing

    def _type(self, request: RunRequest, plan: Plan) -> tuple[Run, asyncio.Future[None]]:
        tracker = self._shell.tracker
        if plan.nonce is not None and tracker.is_marked:
            tracker.marks.forget_shell(self._shell.position())  # the command may replace PS1
        run = Run(
            request.id,
            request.max_bytes,
            request.raw,
            plan.nonce,
            plan.shell,
            plan.files,
            self._shell.position(),
            time.monotonic(),
            time.time(),
            self._ledger.next_number,
            request.by,
            request.client,
            None if plan.nonce is None else self._shell.watch.front,
            command=plan.command,
        )
        self._runs.begin(run)
        self._shell.journal.note = run.to_note()  # before it is typed: the next service must know it
        try:
            written = self._shell.keyboard.type_ours([{"paste": plan.line}, {"key": "Enter"}])
            if written.done():
                written.result()
        except BaseException:
            self._runs.drop(run)
            raise
        self._shell.watch.touch()
        self._runs.typed_run(run, written)
        return run, written

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
from phux_core.server.run.record import Run, timed_out
from phux_core.server.shell.edit_line import INTERRUPT, PROMPT_S, Problem, Ready
from phux_core.server.shell.tracker import SETTLE_S

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
# How long a shell behind ssh may take to draw its prompt.
_REMOTE_PROMPT_S = 0.5


class Runner:
    """The runs of one pane.

    Args:
        directory: A private directory for files that the shell sources.

    Attributes:
        lock: Held while a command runs, or while a client types and reads.
    """

    def __init__(self, shell: PaneShell, ledger: PaneLedger, runs: RunFollower, directory: str) -> None:
        self.lock = asyncio.Lock()
        self.prompt = Prompt(shell)
        self._remote = runs.remote
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
            return timed_out(time.monotonic(), self._shell.watch, started=False)
        waited_from = time.monotonic()
        try:
            async with asyncio.timeout(request.timeout_s):
                await self._refuse_if_busy(request)
                await self.lock.acquire()
        except TimeoutError:
            return timed_out(waited_from, self._shell.watch, started=False)
        try:
            run = await self._start(request, deadline, is_wanted)
            if run is None:
                return timed_out(waited_from, self._shell.watch, started=False)
            return await self._outcome(run, request, deadline)
        finally:
            self.lock.release()

    async def start(self, request: RunRequest, is_wanted: Callable[[], bool]) -> Run:
        """Type a command at the prompt, and do not wait for its end."""
        known = self._runs.find(request)
        if known is not None:
            return known
        await self._refuse_if_busy(request)
        async with self.lock:
            run = await self._start(request, None, is_wanted)
        assert run is not None  # without a deadline, no timeout expires
        return run

    async def _refuse_if_busy(self, request: RunRequest) -> None:
        """Refuse a request without ``queue`` while the request that holds the lock waits for the prompt."""
        if not request.queue:
            await self.prompt.refuse_while(
                lambda: self.lock.locked() and (self._runs.current is None or self.prompt.is_awaited), self._check
            )

    async def _start(self, request: RunRequest, deadline: float | None, is_wanted: Callable[[], bool]) -> Run | None:
        """Wait for the prompt and type; return None if the timeout expired."""
        self._remote.drop_query()
        if self._runs.current is not None:
            self._remote.forget()  # the running command may have started another shell
        while True:
            ready = await self.prompt.wait(self._check, self._ask, deadline, is_wanted, patient=request.queue)
            if ready is None:
                return None
            plan = plan_as_it_is(request, ready)
            if plan is None:
                plan = await make_plan(request, ready, self._remote.kind, self._directory)
                # Planning took time, in which something may have been typed.
                if isinstance(self._check(), Problem) or not is_wanted():
                    source_files.remove(plan.files)
                    continue
            run, written = self._type(request, plan)
            await written
            return run

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
        return timed_out(run.began, self._shell.watch, started=True) | {"ended": self._runs.current is not run}

    def _check(self) -> Ready | Problem:
        result = self.prompt.check()
        run = self._runs.current
        # C-c makes the kernel discard unread input.
        if run is not None and run.start is None and not run.interrupted:
            return Problem(f"a command was typed in {self._shell.name} and has not started", PROMPT_S)
        if self._shell.tracker.is_marked and (isinstance(result, Ready) or result.asks):
            source_files.check_descriptors(self._shell.record.pid, self._shell.record.shell)
        if isinstance(result, Ready) and result.shell is None and result.foreground.shell is None:
            if self._awaits_remote_prompt:
                unfinished = f"the shell behind {self._shell.name} has not drawn its prompt yet"
                return Problem(unfinished, PROMPT_S, again_s=SETTLE_S)
            if self._remote.kind is None:
                return self._remote.unknown
        return result

    async def _ask(self, problem: Problem) -> Problem | None:
        """Query the shell about a problem; return the remaining one, or None."""
        if problem is not self._remote.unknown:
            return await self.prompt.ask(problem)
        await self._remote.ask()
        return None if self._remote.kind is not None else problem

    @property
    def _awaits_remote_prompt(self) -> bool:
        """Whether a remote shell has just executed a line of ours, and written nothing since."""
        place, marked_at = max(self._remote.marked, self._runs.marked)
        return self._shell.position() <= place and time.monotonic() < marked_at + _REMOTE_PROMPT_S

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
        try:
            _data, written = self._shell.keyboard.type([{"paste": plan.line}, {"key": "Enter"}], note=run.to_note())
            if written.done():
                written.result()
        except BaseException:
            self._runs.drop(run)
            raise
        self._shell.watch.touch()
        self._runs.typed_run(run, written)
        return run, written

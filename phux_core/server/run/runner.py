"""Run commands in a pane's shell: type them at its prompt one at a time, and return exit code and output.

A run has an id that its caller chooses, and what is needed to continue it is noted in the pane's journal before a byte
is typed: a caller that asks again after the service died gets the same run, never a second one.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_core.errors import BusyError, PaneClosedError, PhuxError
from phux_core.server.run import source_files
from phux_core.server.run.output_capture import Capture
from phux_core.server.run.plan import make_plan, plan_as_it_is
from phux_core.server.run.prompt import Prompt, remaining
from phux_core.server.run.record import End, Run, read_result, timed_out
from phux_core.server.run.remote_shell import ANSWER_S, RemoteShell
from phux_core.server.run.resumed import ResumedRun
from phux_core.server.shell.edit_line import INTERRUPT, PROMPT_S, Problem, leaves_line
from phux_core.server.shell.events import CommandFinished, CommandStarted, LineLength
from phux_core.server.shell.marks import parse_number
from phux_core.server.shell.output_bounds import end_of_own_output, last_line
from phux_core.server.shell.tracker import SETTLE_S, Ready
from phux_core.server.shell.typed_line import below_line
from phux_core.server.sync.pane_lock import PaneLock
from phux_core.server.sync.promise import Promise
from phux_core.server.sync.waker import Waker

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from phux_core.engine.protocol import PrivateOsc
    from phux_core.keeper.journal import Journal
    from phux_core.server.history.pane_ledger import PaneLedger
    from phux_core.server.pane_record import PaneRecord
    from phux_core.server.run.plan import Plan
    from phux_core.server.run.record import RunRequest
    from phux_core.server.shell.events import ShellEvent, State
    from phux_core.server.shell.keyboard import Keyboard
    from phux_core.server.shell.state_watch import StateWatch
    from phux_core.server.shell.tracker import ShellTracker

# How long a command that was interrupted may take to end.
_INTERRUPT_S = 1.0
_LARGE = 256 * 1024
# How long a shell behind ssh may take to draw its prompt.
_REMOTE_PROMPT_S = 0.5


class Runner:
    """The runs of one pane.

    Args:
        record: The pane's record.
        tracker: What its shell is doing.
        keyboard: Its input.
        watch: Its state.
        journal: Its stream.
        ledger: Its commands.
        position: Returns how much of its stream was parsed.
        cwd: Returns the working directory of its first process.
        read_log: Reads a part of its log.
        read_now: Reads the output that is there.
        directory: Where files for the shell to source can be put; ours alone.

    Attributes:
        lock: Held while a command is run, or while a client acts and looks.
    """

    def __init__(
        self,
        record: PaneRecord,
        tracker: ShellTracker,
        keyboard: Keyboard,
        watch: StateWatch,
        journal: Journal,
        ledger: PaneLedger,
        *,
        position: Callable[[], int],
        cwd: Callable[[], str],
        read_log: Callable[[int, int], bytes],
        read_now: Callable[[], None],
        directory: str,
    ) -> None:
        name = f"@{record.id}"
        self.lock = PaneLock()
        self._record, self._name, self._directory = record, name, directory
        self._tracker, self._keyboard, self._watch = tracker, keyboard, watch
        self._journal, self._ledger, self._read_log = journal, ledger, read_log
        self._position, self._cwd = position, cwd
        self._changed = Waker()
        self._prompt = Prompt(name, tracker, keyboard, watch, journal, self._changed, read_now)
        self._remote = RemoteShell(name, keyboard, watch, self._changed)
        self._current: Run | None = None
        self._last: Run | None = None
        self._resumed = ResumedRun()
        self._unsettled: tuple[Run, int | None] | None = None
        self._own_mark = -1, 0.0  # where the last mark of a run's own ends, and when it came
        self._tasks: set[asyncio.Task[None]] = set()

    # The caller's side

    def run_now(self, request: RunRequest) -> Promise | None:
        """Type a command at once if nothing is in the way, which is nearly always so.

        Returns:
            The result that ``run`` would return; None if there is something to wait for, or nothing can be typed.
        """
        if self._known(request.id) is not None or self._resumed.has_lock or request.timeout_s == 0:
            return None
        self._watch.look_now()
        ready = self._check()
        if isinstance(ready, Problem):
            return None
        plan = plan_as_it_is(request, ready)
        if plan is None or not self.lock.try_acquire():
            return None
        answer = Promise()
        try:
            run, _written = self._type(request, plan)
        except BaseException:
            self.lock.release()
            raise
        answer.then(lambda _result: self.lock.release())
        run.outcome.then(answer.set)
        if request.timeout_s is not None:
            timer = asyncio.get_running_loop().call_later(request.timeout_s, self._give_up, run, request, answer)
            answer.then(lambda _result: timer.cancel())
        return answer

    async def run(self, request: RunRequest, is_wanted: Callable[[], bool]) -> dict[str, Any]:
        """Run a command, and return its result.

        Args:
            request: What to run.
            is_wanted: Whether the caller is still there; a command that was not typed yet is not typed then.

        Returns:
            ``outcome`` and what belongs to it, see docs/wire.md.

        Raises:
            BusyError: Another program has the terminal.
            PaneClosedError: The program has ended.
        """
        deadline = None if request.timeout_s is None else time.monotonic() + request.timeout_s
        known = self._known(request.id)
        if known is not None:
            with self._resumed.awaited(known):
                return await self._outcome(known, request, deadline)
        if request.timeout_s == 0:
            return timed_out(time.monotonic(), self._watch, started=False)
        waited_from = time.monotonic()
        try:
            async with asyncio.timeout(request.timeout_s):
                await self._refuse_if_busy(request)
                await self.lock.acquire()
        except TimeoutError:
            return timed_out(waited_from, self._watch, started=False)
        try:
            run = await self._start(request, deadline, is_wanted)
            if run is None:
                return timed_out(waited_from, self._watch, started=False)
            return await self._outcome(run, request, deadline)
        finally:
            self.lock.release()

    async def start(self, request: RunRequest, is_wanted: Callable[[], bool]) -> Run:
        """Type a command at the prompt, and do not wait for its end.

        Raises:
            BusyError: Another program has the terminal.
            PaneClosedError: The program has ended.
        """
        known = self._known(request.id)
        if known is not None:
            return known
        await self._refuse_if_busy(request)
        async with self.lock:
            run = await self._start(request, None, is_wanted)
        assert run is not None  # without a deadline, no timeout expires
        return run

    def _known(self, id_: str) -> Run | None:
        """Find a run that was requested before, on a connection that was lost."""
        runs = (self._current, self._last, self._resumed.run)
        return next((run for run in runs if run is not None and run.id == id_), None)

    async def _refuse_if_busy(self, request: RunRequest) -> None:
        """Refuse a caller who does not want to wait for the prompt, while the owner of the lock waits for it."""
        if not request.queue:
            await self._prompt.refuse_while(
                lambda: self.lock.locked() and (self._current is None or self._prompt.is_awaited), self._check
            )

    async def _start(self, request: RunRequest, deadline: float | None, is_wanted: Callable[[], bool]) -> Run | None:
        """Wait for the prompt and type; return None if the timeout expired."""
        await self._resumed.wait(deadline)
        if self._current is not None:
            self._remote.forget()  # the command that is still running may have started another shell
        while True:
            ready = await self._prompt.wait(self._check, deadline, is_wanted, patient=request.queue)
            if ready is None:
                return None
            if ready.shell is None and ready.foreground.shell is None and self._remote.kind is None:
                if not await self._remote.ask(deadline, patient=request.queue):
                    return None
                continue
            plan = await make_plan(request, ready, self._remote.kind, self._directory)
            # Making the plan took a moment, in which something may have been typed.
            if not isinstance(self._check(), Problem) and is_wanted():
                run, written = self._type(request, plan)
                await written
                return run
            source_files.remove(plan.files)

    def _give_up(self, run: Run, request: RunRequest, answer: Promise) -> None:
        """Answer that the timeout expired, whatever becomes of the run."""
        run.outcome.forget(answer.set)

        async def tell() -> None:
            try:
                answer.set(await self._outcome(run, request, time.monotonic()))
            except PhuxError as error:
                answer.set(error)

        self._spawn(tell())

    async def _outcome(self, run: Run, request: RunRequest, deadline: float | None) -> dict[str, Any]:
        result = await run.outcome.wait(remaining(deadline))
        if result is not None:
            return result
        if request.interrupt and self._current is run:
            with contextlib.suppress(PhuxError):
                self._keyboard.type([{"key": "C-c"}])
                self.typed(INTERRUPT)
                until = time.monotonic() + _INTERRUPT_S
                while self._current is run and (left_s := remaining(until)):
                    await self._changed.wait(left_s)
        return timed_out(run.began, self._watch, started=True) | {"ended": self._current is not run}

    def _check(self) -> Ready | Problem:
        """Return whether a command can be typed now, or why not."""
        result = self._prompt.check()
        run = self._current
        if isinstance(result, Ready) and result.foreground.shell is None and self._awaits_remote_prompt:
            return Problem(f"the shell behind {self._name} has not drawn its prompt yet", PROMPT_S, again_s=SETTLE_S)
        # C-c makes the kernel discard what was typed and not read.
        if run is not None and run.start is None and not run.interrupted:
            return Problem(f"a command was typed in {self._name} and has not started", PROMPT_S)
        if self._tracker.is_marked and (isinstance(result, Ready) or result.asks):
            source_files.check_descriptors(self._record.pid, self._record.shell)
        return result

    @property
    def _awaits_remote_prompt(self) -> bool:
        """Whether a shell that cannot be seen has just executed a line of ours, and written nothing since."""
        place, marked_at = self._own_mark
        return self._position() <= place and time.monotonic() < marked_at + _REMOTE_PROMPT_S

    # Typing

    def _type(self, request: RunRequest, plan: Plan) -> tuple[Run, asyncio.Future[None]]:
        tracker = self._tracker
        if plan.nonce is not None and tracker.is_marked:
            tracker.marks.forget_shell(self._position())  # the command may replace PS1
        run = Run(
            request.id,
            request.max_bytes,
            request.raw,
            plan.nonce,
            plan.shell,
            plan.files,
            self._position(),
            time.monotonic(),
            time.time(),
            self._ledger.next_number,
            request.by,
            request.client,
            None if plan.nonce is None else self._watch.front,
            command=plan.command,
        )
        if self._current is not None:  # it was given up, and its shell never reported its end
            self._fail(self._current, BusyError("another command was typed before the end of this one was reported"))
        self._current = self._last = run
        try:
            _data, written = self._keyboard.type([{"paste": plan.line}, {"key": "Enter"}], note=run.to_note())
            if written.done():
                written.result()
        except BaseException:
            self._drop(run)
            raise
        self._watch.touch()
        self._ledger.typed(run)
        if not written.done():
            written.add_done_callback(partial(self._take_written, run))
        if plan.nonce is not None:
            asyncio.get_running_loop().call_later(ANSWER_S, self._expect_started, run)
        return run, written

    def _take_written(self, run: Run, written: asyncio.Future[None]) -> None:
        error = None if written.cancelled() else written.exception()
        if isinstance(error, Exception) and self._current is run:
            self._fail(run, error)

    def _expect_started(self, run: Run) -> None:
        if self._current is run and run.start is None:
            message = f"the program in the foreground of {self._name} did not execute the command as a shell would"
            self._fail(run, BusyError(message, remedy="look at the screen to see what became of it"))

    # The pane's side

    @property
    def current(self) -> Run | None:
        """The run that was typed and has not finished."""
        return self._current

    def typed(self, data: bytes) -> None:
        """Record input typed by a person or client."""
        if self._current is not None:
            self._current.interleaved = True
            if INTERRUPT in data:
                self._current.interrupted = True
                self._tracker.run_shell = None
        self._remote.typed(data)

    def take_state(self, state: State) -> None:
        """Take the pane's state."""
        run = self._current
        if run is not None and run.nonce and run.start is not None and state in {"prompt", "awaiting_input"}:
            known, exit_code = _end_without_mark(run, self._watch.front, state)
            if known:
                self._end(run, exit_code, last_line(self._journal, run.start, self._position()))
                self.settle()
        self._changed.wake_all()

    def take_event(self, event: ShellEvent) -> None:
        """Take an event of the pane's own shell."""
        run = self._current
        if isinstance(event, LineLength):
            self._prompt.take_answer(event)
        elif run is not None and run.nonce is None:
            # A service that was restarted hears of earlier commands again.
            if isinstance(event, CommandStarted) and event.start >= run.typed_seq:
                self._begin(run, event.start)
            elif isinstance(event, CommandFinished) and event.end >= run.typed_seq:
                self._end(run, event.exit_code, event.end, is_marked=event.is_marked)
                if leaves_line(event, run.shell) and not run.interleaved:
                    self._keyboard.type_ours([{"key": "C-u"}])
        elif (
            isinstance(event, CommandFinished) and run is not None and run.start is not None and event.end >= run.start
        ):
            # The shell in which the run was typed has ended, inside the pane's own.
            self._end(run, event.exit_code, event.end)
        self._changed.wake_all()

    def take_mark(self, mark: PrivateOsc) -> ShellEvent | None:
        """Take a mark that may be a run's own, and return what it means."""
        self._changed.wake_all()
        run = self._current
        if self._remote.take_mark(mark):
            self._own_mark = mark.end, time.monotonic()
            return None
        if run is None or run.nonce is None:
            return None
        nonce, _, rest = mark.data.decode("ascii", "replace").partition(";")
        if nonce != run.nonce:
            return None
        if rest == "C" and run.start is None:
            self._begin(run, mark.end)
            return CommandStarted(run.command, mark.end, run.typed_seq, run.typed_seq, mark.end)
        kind, _, argument = rest.partition(";")
        code = parse_number(argument)
        if kind == "D" and code is not None:
            self._end(run, code, mark.start)
            self._own_mark = mark.end, time.monotonic()
            return CommandFinished(code, run.start, mark.start)
        return None

    @property
    def command(self) -> str | None:
        """The command that is being run."""
        return self._current.command or None if self._current is not None else None

    def before_journal_restarts(self) -> None:
        """Keep the output of the running command and where it began, before the journal drops it."""
        if self._current is not None and self._current.capture is not None:
            self._current.capture.absorb(self._journal)
            self._journal.note = self._current.to_note()

    def pane_died(self) -> None:
        """Finish the running command with the pane's own exit code."""
        run, exit_code = self._current, self._record.exit_code
        if run is not None:
            self._end(run, exit_code, self._position())
            self._write_end(run, exit_code)  # the ledger is about to be closed
        self._changed.wake_all()

    def settle(self) -> None:
        """Return the result of a run that has finished to its callers, after all events, and then write it down.

        Until that is done, the journal would report the same again.
        """
        if self._unsettled is not None:
            (run, exit_code), self._unsettled = self._unsettled, None
            self._tell(run)
            self._write_end(run, exit_code)

    def _write_end(self, run: Run, exit_code: int | None) -> None:
        assert run.start is not None
        assert run.end is not None
        self._journal.note = run.to_note()
        self._ledger.ended(run.number, run.start, run.end.place, exit_code)

    def _begin(self, run: Run, place: int) -> None:
        run.start = place
        run.capture = Capture(place)
        if run.front is not None:
            self._tracker.run_shell = run.front[0]
        self._ledger.began(run.number, place)
        if self._tracker.marks.editor:
            self._journal.note = run.to_note()  # no mark reports it to the next service

    def _end(self, run: Run, exit_code: int | None, place: int, *, is_marked: bool = True) -> None:
        """Record that the shell has finished a run, whose output ends at a place."""
        self._current = self._tracker.run_shell = None
        self._changed.wake_all()
        journal = self._journal
        if run.start is None:
            # The shell refused the line. Or the mark of its start went to a file with the shell's errors.
            start = max(run.typed_seq, journal.base)
            written = journal.since(start, max(0, place - start))
            run.start = place - len(below_line(written, run.files[-1] if run.files else run.command))
        if run.nonce is not None:
            self._tracker.run_ended_at = time.monotonic()
        else:
            place = end_of_own_output(journal, run.start, place, run.shell, marked=is_marked)
        if exit_code and run.files:
            run.never_started = source_files.could_not_be_opened(run.files, journal, run.start, place)
        run.end = End(exit_code, max(run.start, place), max(0.0, time.monotonic() - run.began))
        source_files.remove(run.files)
        self._unsettled = run, exit_code

    def _tell(self, run: Run) -> None:
        """Set the result of a run that has finished."""
        assert run.start is not None
        assert run.end is not None
        if run.never_started:
            run.outcome.set(source_files.not_opened(self._record.id))
            return
        stretch = (run.capture or Capture(run.start)).finish(self._journal, run.end.place)
        record = self._record
        read = partial(read_result, run, stretch, record.cols, record.rows, self._cwd())
        if len(stretch.head) + len(stretch.tail) < _LARGE:
            run.outcome.set(read())
        else:
            self._spawn(_resolve_later(run, read))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _fail(self, run: Run, error: Exception) -> None:
        self._drop(run)
        run.outcome.set(error)

    def _drop(self, run: Run) -> None:
        if self._current is run:
            self._current = self._tracker.run_shell = None
        source_files.remove(run.files)
        self._ledger.lost(run.number)
        self._journal.note = b""

    # The next service

    def restore(self) -> None:
        """Continue what an earlier service noted, before the journal's marks are taken again."""
        if self._journal.position:
            self._tracker.line.is_doubtful = True
        note = self._journal.note
        if note:
            run = Run.from_note(note)
            self._resumed.begin(run)
            self._ledger.typed(run)
            if run.start is not None:
                run.capture = Capture(run.start)
                if run.start < self._journal.base:
                    run.capture.recall(self._read_log, self._journal.base)
                self._ledger.began(run.number, run.start)
            if run.end is None:
                self._current = run
                if run.start is not None and run.front is not None:
                    self._tracker.run_shell = run.front[0]
            else:
                assert run.start is not None
                self._ledger.ended(run.number, run.start, run.end.place, run.end.exit_code)
                self._tell(run)

    def after_replay(self) -> None:
        """Make sure that a run does not wait forever for a line that was never typed."""
        if self._current is not None and self._current.start is None:
            asyncio.get_running_loop().call_later(ANSWER_S, self._expect_started, self._current)

    def close(self, why: PhuxError | None = None) -> None:
        """Answer a run that has not finished that its end will not be seen; without a reason, the pane was killed."""
        if self._current is not None:
            self._fail(self._current, why or PaneClosedError(f"{self._name} was killed"))
        self._changed.wake_all()


async def _resolve_later(run: Run, read: Callable[[], dict[str, Any]]) -> None:
    run.outcome.set(await asyncio.to_thread(read))


def _end_without_mark(run: Run, front: tuple[int, str] | None, state: State) -> tuple[bool, int | None]:
    """Return whether a run that marks its own end has finished without that, and its exit code.

    Args:
        run: A run that has started, in a shell without marks.
        front: The process that has the terminal, by id and name.
        state: The pane's state.
    """
    if run.interrupted and state == "prompt":
        return True, 128 + signal.SIGINT  # C-c also ends the file that would have marked the end
    if front is None or run.front is None or front == run.front:
        return False, None
    if front[0] == run.front[0]:
        return True, 0  # the shell has executed another program in its place
    return state == "prompt" and not _is_alive(run.front[0]), None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True

"""Commands run in a pane's shell: typed at its prompt one at a time, watched by marks, told with code and output.

A run has an id of its caller's choice, and what is needed to go on with it is noted in the pane's journal before a byte
is typed: a caller that asks again after the service died gets the same run, never a second one.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_core.errors import BusyError, PaneClosedError, PhuxError
from phux_core.server.run import source_files, traces
from phux_core.server.run.output_capture import Capture, below_line, end_of_own_output
from phux_core.server.run.plan import make_plan, plan_as_it_is
from phux_core.server.run.record import End, Run, read_result, timed_out
from phux_core.server.run.resumed import RestoredRun
from phux_core.server.shell.edit_line import PROMPT_S, Problem
from phux_core.server.shell.marks import CommandFinished, CommandStarted, parse_number
from phux_core.server.shell.missing_marks import MARK_S, end_of_output
from phux_core.server.shell.prompt import Prompt, remaining
from phux_core.server.shell.remote_shell import ANSWER_S, INTERRUPT, FarShell
from phux_core.server.shell.unmarked_end import depth_at_prompt, end_at_prompt, is_back
from phux_core.server.sync.pane_lock import Turn
from phux_core.server.sync.promise import Outcome
from phux_core.server.sync.waker import Alarm

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from phux_core.engine.protocol import PrivateOsc
    from phux_core.server.pane import Pane
    from phux_core.server.run.plan import Plan
    from phux_core.server.run.record import RunRequest
    from phux_core.server.shell.marks import News
    from phux_core.server.shell.state import State

# How long a command that was interrupted may take to end.
_INTERRUPT_S = 1.0
_LARGE = 256 * 1024


class Runs:
    """The runs of one pane.

    Args:
        pane: The pane.
        directory: Where files for the shell to source can be put; ours alone.
    """

    def __init__(self, pane: Pane, directory: str) -> None:
        self._pane = pane
        self._directory = directory
        self.turn = Turn()  # held by whoever runs a command, or acts and looks
        self._current: Run | None = None
        self._restored = RestoredRun()
        self._changed = Alarm()
        self.prompt = Prompt(pane, self._changed)
        self._far = FarShell(pane, self._changed)
        self._last: Run | None = None
        self._unsettled: tuple[Run, int | None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    # The caller's side

    def run_now(self, request: RunRequest) -> Outcome | None:
        """Type a command at once if nothing is in the way, which is nearly always so.

        Returns:
            What will tell what ``run`` would; None if there is something to wait for, or nothing can be typed.
        """
        if self._known(request.id) is not None or self._restored.has_turn or request.timeout_s == 0:
            return None
        self._pane.watch.look_now()
        free = self._problem() is None and self.prompt.is_sure and self.prompt.settles_in_s <= 0
        plan = plan_as_it_is(request, self._marked_shell, self._pane.record.pid) if free else None
        if plan is None or not self.turn.take():
            return None
        answer = Outcome()
        try:
            run, _written = self._type(request, plan)
        except BaseException:
            self.turn.release()
            raise
        answer.then(lambda _result: self.turn.release())
        run.outcome.then(answer.set)
        if request.timeout_s is not None:
            timer = asyncio.get_running_loop().call_later(request.timeout_s, self._give_up, run, request, answer)
            answer.then(lambda _result: timer.cancel())
        return answer

    async def run(self, request: RunRequest, is_wanted: Callable[[], bool]) -> dict[str, Any]:
        """Run a command, and tell what the shell did.

        Args:
            request: What to run.
            is_wanted: Whether the caller is still there; a command that was not typed yet is not typed then.

        Returns:
            ``outcome`` and what belongs to it, see docs/wire.md.

        Raises:
            BusyError: Something else has the terminal.
            PaneClosedError: The program has ended.
        """
        deadline = None if request.timeout_s is None else time.monotonic() + request.timeout_s
        known = self._known(request.id)
        if known is not None:
            with self._restored.awaited(known):
                return await self._outcome(known, request, deadline)
        if request.timeout_s == 0:
            return timed_out(time.monotonic(), self._pane.watch, started=False)
        waited_from = time.monotonic()
        try:
            async with asyncio.timeout(request.timeout_s):
                await self._refuse_if_busy(request)
                await self.turn.acquire()
        except TimeoutError:
            return timed_out(waited_from, self._pane.watch, started=False)
        try:
            run = await self._start(request, deadline, is_wanted)
            if run is None:
                return timed_out(waited_from, self._pane.watch, started=False)
            return await self._outcome(run, request, deadline)
        finally:
            self.turn.release()

    async def start(self, request: RunRequest, is_wanted: Callable[[], bool]) -> Run:
        """Type a command at the prompt, and leave it to itself.

        Raises:
            BusyError: Something else has the terminal.
            PaneClosedError: The program has ended.
        """
        known = self._known(request.id)
        if known is not None:
            return known
        await self._refuse_if_busy(request)
        async with self.turn:
            run = await self._start(request, None, is_wanted)
        assert run is not None  # without a deadline, no time is ever over
        return run

    def _known(self, id_: str) -> Run | None:
        """Find a run that was asked for before, on a connection that was lost."""
        runs = (self._current, self._last, self._restored.run)
        return next((run for run in runs if run is not None and run.id == id_), None)

    async def _refuse_if_busy(self, request: RunRequest) -> None:
        """Refuse a caller who does not want to wait for the prompt, while the owner of the turn waits for it."""
        if not request.queue:
            await self.prompt.refuse_while(
                lambda: self.turn.locked() and (self._current is None or self.prompt.is_awaited), self._problem
            )

    async def _start(self, request: RunRequest, deadline: float | None, is_wanted: Callable[[], bool]) -> Run | None:
        """Wait for the prompt and type; None when the time was over."""
        await self._restored.wait(deadline)
        if self._current is not None:
            self._far.forget()  # what has not ended may have started another one
        while True:
            foreground = await self.prompt.wait(self._problem, deadline, is_wanted, patient=request.queue)
            if foreground is None:
                return None
            if self._marked_shell is None and foreground.shell is None and self._far.kind is None:
                if not await self._far.ask(deadline, patient=request.queue):
                    return None
                continue
            plan = await make_plan(request, self._marked_shell, foreground, self._far.kind, self._directory)
            # Asking the shell took a moment, in which somebody may have typed.
            if self._problem() is None and self.prompt.is_sure and is_wanted():
                run, written = self._type(request, plan)
                await written
                return run
            source_files.remove(plan.files)

    def _give_up(self, run: Run, request: RunRequest, answer: Outcome) -> None:
        """Answer that the time is over, whatever becomes of the run from now on."""
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
                self._pane.type([{"key": "C-c"}])
                until = time.monotonic() + _INTERRUPT_S
                while self._current is run and (left_s := remaining(until)):
                    await self._changed.wait(left_s)
        return timed_out(run.began, self._pane.watch, started=True) | {"ended": self._current is not run}

    def _problem(self) -> Problem | None:
        """Say why nothing can be typed now, if so."""
        problem = self.prompt.problem()
        # C-c makes the kernel forget what was typed and not read.
        if self._current is not None and self._current.start is None and not self._current.interrupted:
            return Problem(f"a command was typed in @{self._pane.id}, and has not begun", PROMPT_S)
        return problem

    # Typing

    @property
    def _marked_shell(self) -> str | None:
        """The kind of the pane's own shell, while it has the terminal and says itself that it reads a line."""
        return self._pane.record.shell or "posix" if self.prompt.is_marked else None

    def _type(self, request: RunRequest, plan: Plan) -> tuple[Run, asyncio.Future[None]]:
        pane = self._pane
        if plan.nonce is not None and self.prompt.is_marked:
            pane.commands.forget_shell(pane.seq)  # the command may keep the shell from marking its end
        run = Run(
            request.id,
            request.max_bytes,
            request.raw,
            plan.nonce,
            plan.shell,
            plan.files,
            pane.seq,
            time.monotonic(),
            time.time(),
            pane.ledger.next_number,
            request.by,
            request.client,
            None if plan.nonce is None else pane.watch.front,
            None if plan.nonce is None else depth_at_prompt(pane.watch.foreground),
            pane.watch.foreground is not None and not pane.watch.foreground.canonical,
            command=plan.command,
        )
        if self._current is not None:  # it was given up, and its shell never told its end
            self._fail(self._current, BusyError("another command was typed before this one had told its end"))
        self._current = self._last = run
        line = f" {plan.line}" if self.prompt.line.may_lose_a_character else plan.line
        try:
            _size, written = pane.type([{"paste": line}, {"key": "Enter"}], note=run.to_note())
            if written.done():
                written.result()
            pane.unmarked.typed(line.encode("utf-8", "surrogateescape") + b"\r", ours=True)
        except BaseException:
            self._drop(run)
            raise
        pane.ledger.typed(run)
        if not written.done():
            written.add_done_callback(partial(self._take_written, run))
        if plan.nonce is not None:
            asyncio.get_running_loop().call_later(ANSWER_S, self._expect_begun, run)
        return run, written

    def _take_written(self, run: Run, written: asyncio.Future[None]) -> None:
        error = None if written.cancelled() else written.exception()
        if isinstance(error, Exception) and self._current is run:
            self._fail(run, error)

    def _expect_begun(self, run: Run) -> None:
        if self._current is run and run.start is None:
            self._fail(
                run,
                BusyError(
                    f"what has the terminal of @{self._pane.id} did not execute the command as a shell would",
                    remedy="look at the screen for what became of it",
                ),
            )

    # The pane's side

    def take_state(self, state: State) -> None:
        """Take note of the pane's state."""
        self.prompt.take_state(state)
        self._pane.unmarked.take_state(state)
        run = self._current
        if run is not None and run.nonce and run.start is not None and state == "prompt":
            end = end_at_prompt(run, self._pane.watch.front)
            if end is not None:
                self._end_unmarked(run, end.exit_code)
        self._changed.ring()

    def seen_at_prompt(self) -> None:
        """Take note that a shell waits at its prompt, whether it has marked the end of what was run or not."""
        self._pane.unmarked.seen()
        run = self._current
        if run is not None and run.nonce and run.start is not None and is_back(run):
            # Its mark may be on its way.
            asyncio.get_running_loop().call_later(MARK_S, self._end_if_back, run, self._pane.seq)

    def _end_unmarked(self, run: Run, exit_code: int | None) -> None:
        self._end(run, exit_code, end_of_output(self._pane.journal, run.start, self._pane.seq))
        self.settle()

    def _end_if_back(self, run: Run, seq: int) -> None:
        if self._current is run and self._pane.watch.state == "prompt" and is_back(run):
            if self._pane.seq == seq:
                self._end_unmarked(run, None)
            else:
                self.seen_at_prompt()

    def typed_by_others(self, data: bytes) -> None:
        """Take note that somebody typed."""
        if self._current is not None:
            self._current.interleaved = True
            self._current.interrupted |= INTERRUPT in data
        self._far.typed_by_others(data)
        self._pane.unmarked.typed(data)
        self.prompt.typed(data, behind_line=self.entered_at > 0)

    def take_news(self, news: News) -> None:
        """Take what the shell's own marks tell."""
        run = self._current
        if run is not None and run.nonce is None:
            # A service that was restarted hears of earlier commands again.
            if isinstance(news, CommandStarted) and news.start >= run.typed_seq:
                self._begin(run, news.start)
            elif isinstance(news, CommandFinished) and news.end >= run.typed_seq:
                self._end(run, news.exit_code, news.end)
                if self.prompt.line.is_left(news) and not run.interleaved:
                    self._pane.type([{"key": "C-u"}], note=self._pane.journal.note)
        elif run is not None and run.start is not None and isinstance(news, CommandFinished) and news.end >= run.start:
            # A shell inside this one, which marks nothing itself, has ended with the command.
            self._end(run, news.exit_code, news.end)
        self.prompt.take_news(news)
        self._pane.unmarked.take_news(news)
        self._changed.ring()

    def take_mark(self, mark: PrivateOsc) -> News | None:
        """Take a mark that may be of a run's own, and tell what it means."""
        self._changed.ring()
        if self._far.take_mark(mark):
            self.prompt.run_ended(mark.end)
            return None
        run = self._current
        if run is None or run.nonce is None:
            return None
        nonce, _, rest = mark.data.decode("ascii", "replace").partition(";")
        if nonce != run.nonce:
            return None
        if rest == "C" and run.start is None:
            self._begin(run, mark.end)
            return CommandStarted(run.command, mark.end, run.typed_seq, run.typed_seq)
        kind, _, argument = rest.partition(";")
        code = parse_number(argument)
        if kind == "D" and code is not None:
            self._end(run, code, mark.start, mark.end)
            return CommandFinished(code, run.start, mark.start)
        return None

    @property
    def entered_at(self) -> float:
        """When a line was entered that the shell has not taken, by the loop's clock; 0 if none was."""
        run = self._current
        return run.began if run is not None and run.start is None else self.prompt.line.entered_at

    @property
    def current(self) -> Run | None:
        """What was typed and has not ended."""
        return self._current

    @property
    def command(self) -> str | None:
        """The command that is being run."""
        return self._current.command or None if self._current is not None else None

    def before_journal_restarts(self) -> None:
        """Keep the output of the command that runs, and where it began, for the journal is about to forget it."""
        if self._current is not None and self._current.capture is not None:
            self._current.capture.absorb(self._pane.journal)
            self._pane.journal.note = self._current.to_note()

    def pane_died(self) -> None:
        """End what runs with the pane's own code."""
        run, exit_code = self._current, self._pane.record.exit_code
        if run is not None:
            self._end(run, exit_code, self._pane.seq)
            self._write_end(run, exit_code)  # the ledger is about to be closed
        self._changed.ring()

    def settle(self) -> None:
        """Tell the callers of a run that has ended, once everybody else was told, and then write it down.

        Until that is done, the journal would tell the same again.
        """
        if self._unsettled is not None:
            (run, exit_code), self._unsettled = self._unsettled, None
            self._tell(run)
            self._write_end(run, exit_code)

    def _write_end(self, run: Run, exit_code: int | None) -> None:
        assert run.start is not None
        assert run.end is not None
        self._pane.journal.note = run.to_note()
        self._pane.ledger.ended(run.number, run.start, run.end.place, exit_code)

    def _begin(self, run: Run, place: int) -> None:
        run.start = place
        run.capture = Capture(place)
        if run.front is not None:
            self.prompt.places.run_began(run.front, run.depth, canonical=not run.edits)
        self._pane.ledger.began(run.number, place)
        if self._pane.commands.prompts is not None:
            self._pane.journal.note = run.to_note()  # no mark tells the next service

    def _end(self, run: Run, exit_code: int | None, place: int, mark_end: int | None = None) -> None:
        """The shell is done with it: its output ends at a place, and behind the mark that told so comes the prompt."""
        self._current = None
        self._changed.ring()
        journal = self._pane.journal
        if run.start is None:
            # It never began: the shell refused the line. Or it did, and the mark went to a file with its errors.
            start = max(run.typed_seq, journal.base)
            written = journal.since(start, max(0, place - start))
            run.start = place - len(below_line(written, run.files[-1] if run.files else run.command))
        if run.nonce is None:
            place = end_of_own_output(journal, run.start, place, run.shell, marked=exit_code is not None)
        else:
            self.prompt.run_ended(place if mark_end is None else mark_end)
        if exit_code and run.files:
            run.never_started = source_files.could_not_be_opened(run.files, journal, run.start, place)
        duration_s = max(0.0, time.monotonic() - run.began)
        run.end = End(exit_code, traces.leave_out(run, journal, place), duration_s)
        source_files.remove(run.files)
        self._unsettled = run, exit_code

    def _tell(self, run: Run) -> None:
        """Put the result of a run that has ended together."""
        assert run.start is not None
        assert run.end is not None
        if run.never_started:
            run.outcome.set(source_files.not_opened(self._pane.id))
            return
        stretch = (run.capture or Capture(run.start)).finish(self._pane.journal, run.end.place)
        record = self._pane.record
        read = partial(read_result, run, stretch, record.cols, record.rows, self._pane.current_directory())
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
            self._current = None
        source_files.remove(run.files)
        self._pane.ledger.lost(run.number)
        self._pane.journal.note = b""

    # The next service

    def restore(self) -> None:
        """Go on with what an earlier service noted; before the journal's marks are taken again."""
        if self._pane.journal.position:
            self.prompt.restore()
            self._pane.unmarked.restore()
        note = self._pane.journal.note
        if note:
            run = Run.from_note(note)
            self._restored.begin(run)
            self._pane.ledger.typed(run)
            if run.start is not None:
                run.capture = Capture(run.start)
                if run.start < self._pane.journal.base:
                    run.capture.recall(self._pane.log.read, self._pane.journal.base)
                self._pane.ledger.began(run.number, run.start)
            if run.end is None:
                self._current = run
            else:
                assert run.start is not None
                self._pane.ledger.ended(run.number, run.start, run.end.place, run.end.exit_code)
                self._tell(run)

    def after_replay(self) -> None:
        """See to it that a run does not wait for ever for a line that was never typed."""
        if self._current is not None and self._current.start is None:
            asyncio.get_running_loop().call_later(ANSWER_S, self._expect_begun, self._current)

    def close(self, why: PhuxError | None = None) -> None:
        """Answer a run that has not ended that its end will not be seen; without a reason, the pane was killed."""
        if self._current is not None:
            self._fail(self._current, why or PaneClosedError(f"@{self._pane.id} was killed"))
        self._changed.ring()


async def _resolve_later(run: Run, read: Callable[[], dict[str, Any]]) -> None:
    run.outcome.set(await asyncio.to_thread(read))

"""Commands run in a pane's shell: typed at its prompt one at a time, watched by marks, told with code and output.

A run has an id of its caller's choice, and what is needed to go on with it is noted in the pane's journal before a byte
is typed: a caller that asks again after the service died gets the same run, never a second one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import signal
import time
from typing import TYPE_CHECKING, Any

from phux_core.errors import (
    BusyError,
    DisconnectedError,
    PaneClosedError,
    PhuxError,
)
from phux_core.server import run_files, run_lines
from phux_core.server.alarm import Alarm
from phux_core.server.capture import Capture, end_without_sign, render
from phux_core.server.commands import CommandFinished, CommandStarted, PromptReady
from phux_core.server.prompt import PROMPT_S, Problem, Prompt
from phux_core.server.run_record import End, Plan, Run
from phux_core.server.syntax import is_complete
from phux_core.server.typing_queue import SETTLE_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.engine.protocol import PrivateOsc
    from phux_core.server.commands import News
    from phux_core.server.foreground import Foreground
    from phux_core.server.pane import Pane
    from phux_core.server.pane_state import State
    from phux_core.server.run_record import RunRequest

_log = logging.getLogger("phux.runs")

# So often a shell that marks nothing may write, or ask, and be waited for. A job in its background may never be quiet.
_MOST_SETTLINGS = 3
# How long a line that was typed may take to be executed, where only that tells whether a shell got it.
_BEGIN_S = 10.0
# How long a command that was interrupted may take to end.
_INTERRUPT_S = 1.0
_LARGE = 256 * 1024
_LONGEST_CODE = 11
_INTERRUPT = b"\x03"


class Runs:
    """The runs of one pane.

    Args:
        pane: The pane.
        directory: Where files for the shell to source can be put; ours alone.
    """

    def __init__(self, pane: Pane, directory: str) -> None:
        self._pane = pane
        self._directory = directory
        self.turn = asyncio.Lock()  # held by whoever runs a command, or acts and looks
        self._current: Run | None = None
        self._restored: Run | None = None
        self._changed = Alarm()
        self._prompt = Prompt(pane)
        self._last: Run | None = None
        self._rendering: set[asyncio.Task[None]] = set()

    # The caller's side

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
            return await self._outcome(known, request, deadline)
        self._refuse_if_busy(request)
        waited_from = time.monotonic()
        if self.turn.locked():
            try:
                async with asyncio.timeout(request.timeout_s):
                    await self.turn.acquire()
            except TimeoutError:
                return self._timed_out(waited_from, started=False)
        else:
            await self.turn.acquire()
        try:
            run = await self._start(request, deadline, is_wanted)
            if run is None:
                return self._timed_out(waited_from, started=False)
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
        self._refuse_if_busy(request)
        async with self.turn:
            run = await self._start(request, None, is_wanted)
        assert run is not None  # without a deadline, no time is ever over
        return run

    def _known(self, id_: str) -> Run | None:
        """Find a run that was asked for before, on a connection that was lost."""
        runs = (self._current, self._last, self._restored)
        return next((run for run in runs if run is not None and run.id == id_), None)

    def _refuse_if_busy(self, request: RunRequest) -> None:
        if self.turn.locked() and self._current is None and not request.queue:
            # Whoever has the turn waits for the prompt. That one is patient; this one need not be.
            problem = self._problem()
            if problem is not None and not problem.patience_s:
                raise BusyError(problem.message, remedy=problem.remedy)

    async def _start(self, request: RunRequest, deadline: float | None, is_wanted: Callable[[], bool]) -> Run | None:
        """Wait for the prompt and type; None when the time was over."""
        if self._restored is not None:
            # What an earlier service began comes first. It had the turn there.
            with contextlib.suppress(PhuxError):
                await self._restored.outcome.wait(_remaining(deadline))
        while True:
            foreground = await self._at_prompt(request, deadline, is_wanted)
            if foreground is None:
                return None
            plan = await self._plan(request, foreground)
            # Asking the shell took a moment, in which somebody may have typed.
            if self._problem() is None and is_wanted():
                return await self._type(request, plan)
            run_files.remove(plan.files)

    async def _outcome(self, run: Run, request: RunRequest, deadline: float | None) -> dict[str, Any]:
        result = await run.outcome.wait(_remaining(deadline))
        if result is not None:
            return result
        if request.interrupt and self._current is run:
            with contextlib.suppress(PhuxError):
                self._pane.type([{"key": "C-c"}])
                await run.outcome.wait(_INTERRUPT_S)
        return self._timed_out(run.began, started=True) | {"ended": run.outcome.is_known}

    def _timed_out(self, began: float, *, started: bool) -> dict[str, Any]:
        foreground = self._pane.watch.foreground
        return {
            "outcome": "timed_out",
            "started": started,
            "duration_ms": round((time.monotonic() - began) * 1000),
            "state": self._pane.watch.state,
            "foreground": foreground.name if foreground is not None else None,
        }

    # Waiting for the prompt

    async def _at_prompt(
        self, request: RunRequest, deadline: float | None, is_wanted: Callable[[], bool]
    ) -> Foreground | None:
        """Wait until something can be typed; None when the time was over."""
        began = time.monotonic()
        settlings = _MOST_SETTLINGS
        while True:
            self._pane.watch.look_now()
            if not is_wanted():
                raise DisconnectedError("the caller is gone")
            problem = self._problem()
            if problem is None:
                if self._prompt.is_to_be_drawn and (deadline is None or time.monotonic() < deadline):
                    await asyncio.sleep(SETTLE_S)
                    continue
                unsettled_s = self._prompt.settles_in_s
                if unsettled_s <= 0 or not settlings:
                    return self._pane.watch.foreground
                settlings -= 1
                await asyncio.sleep(unsettled_s)
                continue
            now = time.monotonic()
            if deadline is not None and now >= deadline:
                return None
            if not request.queue and now >= began + problem.patience_s:
                raise BusyError(problem.message, remedy=problem.remedy)
            # What passes by itself is looked at again when it should have; everything else when something happens.
            waits = [max(0.0, limit - now) for limit in (deadline, began + problem.patience_s) if limit is not None]
            patience = min(waits) if problem.patience_s and now < began + problem.patience_s else _remaining(deadline)
            await self._changed.wait(patience)

    def _problem(self) -> Problem | None:
        """Say why nothing can be typed now, if so."""
        problem = self._prompt.problem()
        # C-c makes the kernel forget what was typed and not read.
        if self._current is not None and self._current.start is None and not self._current.interrupted:
            return Problem(f"a command was typed in @{self._pane.id}, and has not begun", PROMPT_S)
        return problem

    # Typing

    async def _plan(self, request: RunRequest, foreground: Foreground) -> Plan:
        """Decide how a command is typed, and write the files that takes."""
        pane = self._pane
        own = self._prompt.is_marked
        shell = (pane.record.command if own else foreground.shell) or "posix"
        command = run_lines.quote(request.words, shell) if request.words else request.command or ""
        nonce = None if own else secrets.token_hex(4)
        if own and await self._can_be_typed(command, foreground, shell):
            return Plan(command, command, shell, nonce, [])
        if own or (foreground.shell is not None and foreground.same_root):
            line, files = run_files.write(self._directory, command, shell, nonce)
            return Plan(line, command, shell, nonce, files)
        return Plan(run_lines.inline(command, nonce or ""), command, shell, nonce, [])

    async def _type(self, request: RunRequest, plan: Plan) -> Run:
        pane = self._pane
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
            pane.ledger.typed(plan.command, request.by, request.client),
            command=plan.command,
        )
        if self._current is not None:  # it was given up, and its shell never told its end
            self._fail(self._current, BusyError("another command was typed before this one had told its end"))
        self._current = self._last = run
        try:
            _size, written = pane.type([{"paste": plan.line}, {"key": "Enter"}], note=run.to_note())
            await written
        except BaseException:
            self._drop(run)
            raise
        if plan.nonce is not None:
            asyncio.get_running_loop().call_later(_BEGIN_S, self._expect_begun, run)
        return run

    async def _can_be_typed(self, command: str, foreground: Foreground, shell: str) -> bool:
        if run_lines.is_surely_complete(command):
            return True
        return run_lines.may_be_typed(command, shell) and await is_complete(command, foreground.pid, shell)

    def _expect_begun(self, run: Run) -> None:
        if self._current is run and run.start is None:
            self._fail(
                run,
                BusyError(
                    f"what has the terminal of @{self._pane.id} did not execute the command as a shell would",
                    remedy="look at the screen for what became of it; in a fish of another machine, start sh first",
                ),
            )

    # The pane's side

    def take_state(self, state: State) -> None:
        """Take note of the pane's state."""
        run = self._current
        if run is not None and run.nonce and run.interrupted and run.start is not None and state == "prompt":
            # C-c also ends the file that would have marked the end.
            self._end(run, 128 + signal.SIGINT, self._pane.seq)
        self._changed.ring()

    def typed_by_others(self, data: bytes) -> None:
        """Take note that somebody typed."""
        if self._current is not None:
            self._current.interleaved = True
            self._current.interrupted |= _INTERRUPT in data
        self._prompt.typed(data)

    def take_news(self, news: News) -> None:
        """Take what the shell's own marks tell."""
        run = self._current
        if run is not None and run.nonce is None:
            # A service that was restarted hears of earlier commands again.
            if isinstance(news, CommandStarted) and news.start >= run.typed_seq:
                self._begin(run, news.start)
            elif isinstance(news, CommandFinished) and news.end >= run.typed_seq:
                self._end(run, news.exit_code, news.end)
        elif run is not None and run.start is not None and isinstance(news, CommandFinished) and news.end >= run.start:
            # A shell inside this one, which marks nothing itself, has ended with the command.
            self._end(run, news.exit_code, news.end)
        if not isinstance(news, PromptReady):
            self._prompt.line_taken()
        self._changed.ring()

    def take_mark(self, mark: PrivateOsc) -> News | None:
        """Take a mark that may be of a run's own, and tell what it means."""
        run = self._current
        if run is None or run.nonce is None:
            return None
        nonce, _, rest = mark.data.decode("ascii", "replace").partition(";")
        if nonce != run.nonce:
            return None
        if rest == "C" and run.start is None:
            self._begin(run, mark.end)
            return CommandStarted(run.command, mark.end, run.typed_seq, run.typed_seq)
        kind, _, code = rest.partition(";")
        if kind == "D" and code.isdecimal() and len(code) < _LONGEST_CODE:
            self._end(run, int(code), mark.start, mark.end)
            return CommandFinished(int(code), run.start, mark.start)
        return None

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
        run, record = self._current, self._pane.record
        if run is not None:
            self._end(run, 128 + record.exit_signal if record.exit_signal else record.exit_status, self._pane.seq)
        self._changed.ring()

    # A run's life

    def _begin(self, run: Run, place: int) -> None:
        run.start = place
        run.capture = Capture(place)
        self._pane.ledger.began(run.number, place)

    def _end(self, run: Run, exit_code: int | None, place: int, mark_end: int | None = None) -> None:
        """The shell is done with it: its output ends at a place, and behind the mark that told so comes the prompt."""
        self._current = None
        journal = self._pane.journal
        if run.start is None:
            # It never began: the shell refused the line. What it said about that stands below the line.
            start = max(run.typed_seq, journal.base)
            _line, newline, said = journal.since(start, max(0, place - start)).partition(b"\n")
            run.start = place - len(said) if newline else place
        if run.shell == "zsh" and run.nonce is None:
            place = end_without_sign(journal, run.start, place)
        if run.nonce is not None:
            self._prompt.run_ended(place if mark_end is None else mark_end)
        duration_s = max(0.0, time.monotonic() - run.began)
        run.end = End(255 if exit_code is None else exit_code, place, duration_s)
        run_files.remove(run.files)
        journal.note = run.to_note()
        self._pane.ledger.ended(run.number, run.start, place, exit_code)
        self._tell(run)

    def _tell(self, run: Run) -> None:
        """Put the result of a run that has ended together."""
        assert run.start is not None
        assert run.end is not None
        stretch = (run.capture or Capture(run.start)).finish(self._pane.journal, run.end.place)
        result: dict[str, Any] = {
            "outcome": "finished",
            "exit_code": run.end.exit_code,
            "duration_ms": round(run.end.duration_s * 1000),
            "cwd": self._pane.current_directory(),
            "started_at": run.started_at,
            "seq": {"start": run.start, "end": run.end.place},
            "interleaved": run.interleaved,
        }
        record = self._pane.record

        def read() -> None:
            text = render(stretch, cols=record.cols, rows=record.rows, raw=run.raw, most=run.max_bytes)
            result.update(output=text.text, truncated=text.omitted > 0, omitted_bytes=text.omitted)

        if len(stretch.head) + len(stretch.tail) < _LARGE:
            read()
            run.outcome.set(result)
        else:
            task = asyncio.get_running_loop().create_task(_resolve_later(run, result, read))
            self._rendering.add(task)
            task.add_done_callback(self._rendering.discard)

    def _fail(self, run: Run, error: Exception) -> None:
        self._drop(run)
        run.outcome.set(error)

    def _drop(self, run: Run) -> None:
        if self._current is run:
            self._current = None
        run_files.remove(run.files)
        self._pane.ledger.lost(run.number)
        self._pane.journal.note = b""

    # The next service

    def restore(self) -> None:
        """Go on with what an earlier service noted; before the journal's marks are taken again."""
        note = self._pane.journal.note
        if note:
            run = self._restored = Run.from_note(note)
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
            asyncio.get_running_loop().call_later(_BEGIN_S, self._expect_begun, self._current)

    def close(self) -> None:
        """End with the pane."""
        run = self._current
        if run is not None:
            self._fail(run, PaneClosedError(f"@{self._pane.id} was killed"))
        self._changed.ring()


async def _resolve_later(run: Run, result: dict[str, Any], read: Callable[[], None]) -> None:
    await asyncio.to_thread(read)
    run.outcome.set(result)


def _remaining(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.0, deadline - time.monotonic())

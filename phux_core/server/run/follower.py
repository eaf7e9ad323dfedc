"""Follow the run typed in a pane: its start, its end, its output and its result."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_core.errors import BusyError, PaneClosedError
from phux_core.server.run import source_files
from phux_core.server.run.output_capture import Capture
from phux_core.server.run.record import End, Run, read_result
from phux_core.server.run.remote_shell import ANSWER_S
from phux_core.server.shell.edit_line import INTERRUPT, leaves_line
from phux_core.server.shell.events import CommandFinished, CommandStarted
from phux_core.server.shell.hidden_nonce import hide_nonce
from phux_core.server.shell.marks import exit_status
from phux_core.server.shell.output_bounds import below_line, last_line, start_of_unmarked_prompt, typed_line
from phux_core.server.shell.pane_shell import current_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from phux_core.engine.protocol import PrivateOsc
    from phux_core.errors import PhuxError
    from phux_core.server.history.pane_ledger import PaneLedger
    from phux_core.server.shell.events import ShellEvent, State
    from phux_core.server.shell.pane_shell import PaneShell

_LARGE = 256 * 1024


class RunFollower:
    """The run typed last in one pane; ``read_log`` reads a part of its log.

    Attributes:
        current: The run that was typed and has not finished.
        marked: Where the last of a run's own marks ends, and when it came.
    """

    def __init__(self, shell: PaneShell, ledger: PaneLedger, read_log: Callable[[int, int], bytes]) -> None:
        self.current: Run | None = None
        self._last: Run | None = None
        self._resumed: Run | None = None  # of an earlier service
        self._shell, self._ledger, self._read_log = shell, ledger, read_log
        self.marked = -1, 0.0
        self._unsettled: tuple[Run, int | None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def find(self, id_: str) -> Run | None:
        """Return a run that was requested before, on a lost connection."""
        runs = (self.current, self._last, self._resumed)
        return next((run for run in runs if run is not None and run.id == id_), None)

    def begin(self, run: Run) -> None:
        """Follow a run that is about to be typed."""
        if self.current is not None:  # it was abandoned, and its shell never reported its end
            self.fail(self.current, BusyError("another command was typed before the end of this one was reported"))
        self.current = self._last = run

    def typed_run(self, run: Run, written: asyncio.Future[None]) -> None:
        self._ledger.typed(run)
        if not written.done():
            written.add_done_callback(partial(self._take_written, run))
        if run.nonce is not None:
            asyncio.get_running_loop().call_later(ANSWER_S, self._expect_started, run)

    # Events of the pane

    def typed(self, data: bytes) -> None:
        """Record input typed by a person or client."""
        if self.current is not None:
            self.current.interleaved = True
            if INTERRUPT in data:
                self.current.interrupted = True
                self._shell.tracker.run_shell = None

    def take_state(self, state: State, front: tuple[int, str] | None) -> None:
        """Process the pane's state and its foreground process, by pid and name."""
        run = self.current
        if run is not None and run.nonce and run.start is not None and state in {"prompt", "awaiting_input"}:
            known, exit_code = _end_without_mark(run, front, state)
            if known:
                self._end(run, exit_code, last_line(self._shell.journal, run.start, self._shell.position()))
                self.settle()
        self._shell.changed.wake_all()

    def take_event(self, event: ShellEvent) -> None:
        """Process an event of the pane's own shell."""
        run = self.current
        if run is not None and run.nonce is None:
            # After a restart, the events of earlier commands are repeated.
            if isinstance(event, CommandStarted) and event.start >= run.typed_seq:
                self._begin(run, event.start)
            elif isinstance(event, CommandFinished) and event.end >= run.typed_seq:
                self._end(run, event.exit_code, event.end, is_marked=event.is_marked)
                if leaves_line(event, run.shell) and not run.interleaved:
                    self._shell.keyboard.type_ours([{"key": "C-u"}])
        elif (
            isinstance(event, CommandFinished) and run is not None and run.start is not None and event.end >= run.start
        ):
            # The shell in which the run was typed has ended, inside the pane's own.
            self._end(run, event.exit_code, event.end)
        self._shell.changed.wake_all()

    def take_mark(self, mark: PrivateOsc) -> ShellEvent | None:
        """Process a mark that may be a run's own, and return its event."""
        run = self.current
        if run is None or run.nonce is None:
            return None
        nonce, _, rest = mark.data.decode("ascii", "replace").partition(";")
        if nonce != run.nonce:
            return None
        if rest == "C" and run.start is None:
            self._begin(run, mark.end)
            return CommandStarted(run.command, mark.end, run.typed_seq, run.typed_seq)
        kind, _, argument = rest.partition(";")
        code = exit_status(argument, is_ksh=run.shell == "ksh")
        if kind == "D" and code is not None:
            self._end(run, code, mark.start)
            self.marked = mark.end, time.monotonic()
            return CommandFinished(code, run.start, mark.start)
        return None

    @property
    def command(self) -> str | None:
        return self.current.command or None if self.current is not None else None

    def read_line(self, event: CommandStarted) -> str | None:
        """Return the line of a command that its shell does not report."""
        return self.command or typed_line(event, self._shell.journal, self._shell.record.cols, self._shell.record.rows)

    def before_journal_restarts(self) -> None:
        """Save the output of the running command and its start, before the journal drops them."""
        if self.current is not None and self.current.capture is not None:
            self.current.capture.absorb(self._shell.journal)
            self._shell.journal.note = self.current.to_note()

    def pane_died(self) -> None:
        """Finish the running command with the pane's exit status."""
        run, exit_code = self.current, self._shell.record.exit_code
        if run is not None:
            self._end(run, exit_code, self._shell.position())
            self._write_end(run, exit_code)  # the ledger is about to be closed
        self._shell.changed.wake_all()

    def settle(self) -> None:
        """Return the result of a finished run to its callers, after all events, and then record it.

        Until then, the journal would report it again.
        """
        if self._unsettled is not None:
            (run, exit_code), self._unsettled = self._unsettled, None
            self._resolve(run)
            self._write_end(run, exit_code)

    def _write_end(self, run: Run, exit_code: int | None) -> None:
        assert run.start is not None
        assert run.end is not None
        self._shell.journal.note = run.to_note()
        self._ledger.ended(run.number, run.start, run.end.place, exit_code)

    def _begin(self, run: Run, place: int) -> None:
        run.start = place
        run.capture = Capture(place)
        if run.front is not None:
            self._shell.tracker.run_shell = run.front[0]
        self._ledger.began(run.number, place)
        if self._shell.tracker.marks.editor:
            self._shell.journal.note = run.to_note()  # no mark reports it to the next service

    def _end(self, run: Run, exit_code: int | None, place: int, *, is_marked: bool = True) -> None:
        """Record that the shell has finished a run, whose output ends at ``place``."""
        self.current = self._shell.tracker.run_shell = None
        self._shell.changed.wake_all()
        journal = self._shell.journal
        if run.start is None:
            # The shell refused the line. Or its start mark went to a file, with the shell's errors.
            start = max(run.typed_seq, journal.base)
            written = journal.since(start, max(0, place - start))
            run.start = place - len(below_line(written, run.files[-1] if run.files else run.command))
        if run.nonce is not None:
            self._shell.tracker.run_ended(time.monotonic(), interleaved=run.interleaved)
        elif not is_marked:
            place = start_of_unmarked_prompt(journal, run.start, place)
        if exit_code and run.files:
            run.never_started = source_files.could_not_be_opened(run.files, journal, run.start, place)
        run.end = End(exit_code, max(run.start, place), max(0.0, time.monotonic() - run.began))
        source_files.remove(run.files)
        self._unsettled = run, exit_code

    def _resolve(self, run: Run) -> None:
        """Set the result of a run that has finished."""
        assert run.start is not None
        assert run.end is not None
        if run.never_started:
            run.outcome.set(source_files.not_opened(self._shell.record.id))
            return
        stretch = (run.capture or Capture(run.start)).finish(self._shell.journal, run.end.place)
        record = self._shell.record
        stretch = stretch._replace(
            head=hide_nonce(stretch.head, record.nonce),
            tail=hide_nonce(stretch.tail, record.nonce, before=stretch.head),
        )
        read = partial(read_result, run, stretch, record.id, record.cols, record.rows, current_directory(record))
        if len(stretch.head) + len(stretch.tail) < _LARGE:
            run.outcome.set(read())
        else:
            self.spawn(_resolve_later(run, read))

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def fail(self, run: Run, error: Exception) -> None:
        """Set an error as a run's result, and stop following it."""
        self.drop(run)
        run.outcome.set(error)

    def drop(self, run: Run) -> None:
        if self.current is run:
            self.current = self._shell.tracker.run_shell = None
            self._shell.changed.wake_all()
        source_files.remove(run.files)
        self._ledger.lost(run.number)
        self._shell.journal.note = b""

    # The next service

    def restore(self) -> None:
        """Continue the run that an earlier service noted, before the journal's marks are replayed."""
        if self._shell.journal.position:
            self._shell.tracker.line.is_doubtful = True
        note = self._shell.journal.note
        if note:
            run = self._resumed = Run.from_note(note)
            self._ledger.typed(run)
            if run.start is not None:
                run.capture = Capture(run.start)
                if run.start < self._shell.journal.base:
                    run.capture.recall(self._read_log, self._shell.journal.base)
                self._ledger.began(run.number, run.start)
            if run.end is None:
                self.current = run
                if run.start is not None and run.front is not None:
                    self._shell.tracker.run_shell = run.front[0]
            else:
                assert run.start is not None
                self._ledger.ended(run.number, run.start, run.end.place, run.end.exit_code)
                self._resolve(run)

    def after_replay(self) -> None:
        """Ensure that a run does not wait forever for a line that was never typed."""
        if self.current is not None and self.current.start is None:
            asyncio.get_running_loop().call_later(ANSWER_S, self._expect_started, self.current)

    def close(self, why: PhuxError | None = None) -> None:
        """Fail an unfinished run, because its end will not be seen; without a reason, the pane was killed."""
        if self.current is not None:
            self.fail(self.current, why or PaneClosedError(f"{self._shell.name} was killed"))
        self._shell.changed.wake_all()

    # Failures

    def _take_written(self, run: Run, written: asyncio.Future[None]) -> None:
        error = None if written.cancelled() else written.exception()
        if isinstance(error, Exception) and self.current is run:
            self.fail(run, error)

    def _expect_started(self, run: Run) -> None:
        if self.current is run and run.start is None:
            message = (
                f"the program in the foreground of {self._shell.name} did not execute the command as a shell would"
            )
            self.fail(run, BusyError(message, remedy="look at the screen to see what happened"))


async def _resolve_later(run: Run, read: Callable[[], dict[str, Any]]) -> None:
    run.outcome.set(await asyncio.to_thread(read))


def _end_without_mark(run: Run, front: tuple[int, str] | None, state: State) -> tuple[bool, int | None]:
    """Return whether a run with its own marks has finished without an end mark, and its exit status."""
    if run.interrupted and state == "prompt":
        return True, 128 + signal.SIGINT  # C-c also ends the script that would have marked the end
    if front is None or run.front is None or front == run.front:
        return False, None
    if front[0] == run.front[0]:
        return True, 0  # the shell has replaced itself with another program
    return state == "prompt" and not _is_alive(run.front[0]), None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True

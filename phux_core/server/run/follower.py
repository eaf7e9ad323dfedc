"""Follow the commands of a pane's shell: report them to clients, record them, and return the results of runs."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_core.errors import BusyError, PaneClosedError, PhuxError
from phux_core.server.run import source_files
from phux_core.server.run.output_capture import read_output
from phux_core.server.run.record import End, Run, read_result
from phux_core.server.run.remote_shell import ANSWER_S, RemoteShell
from phux_core.server.shell.edit_line import INTERRUPT, QUESTION, leaves_line
from phux_core.server.shell.events import CommandFinished, CommandStarted, HooksInDoubt, LineLength, PromptReady
from phux_core.server.shell.hidden_nonce import hide_nonce
from phux_core.server.shell.marks import exit_status
from phux_core.server.shell.output_bounds import below_line, start_of_unmarked_prompt, typed_line
from phux_core.server.shell.pane_shell import current_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from phux_core.engine.protocol import PrivateOsc
    from phux_core.server.history.pane_ledger import PaneLedger
    from phux_core.server.run.record import RunRequest
    from phux_core.server.shell.events import Look, ShellEvent, State
    from phux_core.server.shell.marks import NewMark
    from phux_core.server.shell.pane_shell import PaneShell

_LARGE = 256 * 1024


class RunFollower:
    """The commands of one pane's shell, and the run typed last.

    Args:
        read_log: Reads a part of the pane's log.
        emit: Publishes an event to clients.

    Attributes:
        current: The run that was typed and has not finished.
        is_defining: Whether the shell executes a line that only defines an alias for the next run.
    """

    def __init__(
        self,
        shell: PaneShell,
        ledger: PaneLedger,
        read_log: Callable[[int, int], bytes],
        emit: Callable[..., None],
    ) -> None:
        self.remote = RemoteShell(shell)
        self.current: Run | None = None
        self.is_defining = False
        self._last: Run | None = None
        self._shell, self._ledger, self._read_log, self._emit = shell, ledger, read_log, emit
        self._saw_prompt = self._asks_for_hooks = False
        self._unsettled: tuple[Run, int | None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def find(self, request: RunRequest) -> Run | None:
        """Return a run that was requested before, on a lost connection.

        Raises:
            BusyError: The command was typed, and its end was not observed.
        """
        if self._last is not None and self._last.id == request.id:
            return self._last
        entry = self._ledger.requested(request.id)
        if entry is None:
            return None
        if entry.start is None or entry.end is None or entry.ended_at is None:
            raise BusyError(
                f"the command {entry.id} was typed in {self._shell.name}, and its end was not observed",
                remedy="look at the screen to see what happened",
            )
        run = Run.of_entry(entry, request, self._shell.record.shell or "")
        self._resolve(run)
        return run

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
                self._shell.tracker.run_began(None)

    def take_state(self, state: State, front: tuple[int, str] | None) -> None:
        """Process the pane's state and its foreground process, by pid and name."""
        run = self.current
        if run is not None and run.nonce and run.start is not None and state in {"prompt", "awaiting_input"}:
            known, exit_code = _end_without_mark(run, front, state)
            if known:
                place = start_of_unmarked_prompt(self._shell.journal, run.start, self._shell.position())
                self._end(run, exit_code, place)
                self.settle()
        self._shell.changed.wake_all()

    def take_look(self, look: Look) -> None:
        """Pass a look at the foreground to the tracker."""
        self._report_pending(look)
        self._take_events(self._shell.tracker.look(look))

    def take_mark(self, mark: PrivateOsc) -> None:
        """Process a mark of the pane's own shell, of a run, or of a remote shell."""
        tracker = self._shell.tracker
        self._ledger.waits = True
        new = tracker.marks.parse(mark)
        if new is not None:
            self._report_pending(new)
            self._take_events(tracker.mark(new))
            self._saw_prompt |= new.kind == "P"
        elif not self.remote.take_mark(mark):
            self._take_own_mark(mark)
        self._shell.changed.wake_all()

    def _report_pending(self, cause: NewMark | Look) -> None:
        pending = self._shell.tracker.pending(cause)
        if pending is not None:
            self._take_events(self._shell.tracker.report(pending, self._read_line(pending)))

    def finish_output(self) -> None:
        """Query the foreground process group if a prompt was drawn.

        Called after all available output was processed, because the kernel reports the current group, not the group at
        the time of the prompt.
        """
        if self._ledger.waits:
            self._ledger.commit()
        if self._saw_prompt:
            self._saw_prompt = False
            asyncio.get_running_loop().call_soon(self._shell.watch.look_now)  # after the caller of a run is woken

    def take_directory(self, cwd: str) -> None:
        """Record the shell's working directory."""
        if cwd != self._shell.record.cwd:
            self._shell.record.cwd = cwd
            self._emit("cwd_changed", cwd=cwd)

    def _take_events(self, events: list[ShellEvent]) -> None:
        """Distribute events of the tracker."""
        for event in events:
            if isinstance(event, HooksInDoubt):
                self._asks_for_hooks = True
                self._shell.keyboard.type_ours([{"text": QUESTION}])
            elif not isinstance(event, LineLength):
                self._follow_run(event)
                self._publish(event)
        answer = next((event for event in events if isinstance(event, LineLength)), None)
        if answer is not None and self._asks_for_hooks:
            self._asks_for_hooks = False
            if answer.mode == "restored" and answer.length == 0:
                self._shell.keyboard.type_ours([{"key": "Enter"}])  # the next prompt has all marks

    def _publish(self, event: ShellEvent) -> None:
        """Report an event to clients, and record it in the ledger."""
        if isinstance(event, CommandStarted):
            # A restart repeats events; their lines are in the ledger.
            command = self._command or event.command or self._ledger.line_at(event.start) or self._read_line(event)
            self._ledger.take(event, command)
            id_ = self._ledger.id_at(event.start)
            self._emit("command_started", event.start, command=command, command_id=id_)
        elif isinstance(event, CommandFinished):
            if event.start is not None:
                id_ = self._ledger.id_at(event.start)
                line = self._ledger.line_at(event.start)
                fields = {"exit_code": event.exit_code, "command_id": id_, **({"command": line} if line else {})}
                self._emit("command_finished", event.end, **fields)
            self.settle()  # first: callers of a run do not wait for the ledger
            self._ledger.take(event, None)
        elif self._shell.tracker.marks.editor:
            self.take_directory(current_directory(self._shell.record))  # POSIX shells do not report it
        self._saw_prompt |= isinstance(event, PromptReady) or bool(self._shell.tracker.marks.at_prompt)

    def _follow_run(self, event: ShellEvent) -> None:
        """Let an event of the pane's own shell begin or end the run."""
        run = self.current
        if isinstance(event, CommandFinished):
            self.is_defining = False
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

    def _take_own_mark(self, mark: PrivateOsc) -> None:
        """Process a mark that may be a run's own."""
        run = self.current
        nonce, _, rest = mark.data.decode("ascii", "replace").partition(";")
        if run is None or nonce != run.nonce:
            return
        kind, _, argument = rest.partition(";")
        code = exit_status(argument, is_ksh=run.shell == "ksh")
        if rest == "C" and run.start is None:
            self._begin(run, mark.end)
            self._publish(CommandStarted(run.command, mark.end, run.typed_seq, run.typed_seq))
        elif kind == "D" and code is not None:
            self._end(run, code, mark.start)
            self.remote.marked(mark.end)
            self._publish(CommandFinished(code, run.start, mark.start))

    @property
    def _command(self) -> str | None:
        return self.current.command or None if self.current is not None else None

    def _read_line(self, event: CommandStarted) -> str | None:
        """Return the line of a command that its shell does not report; empty if it executes nothing."""
        if self.is_defining:
            return ""
        return self._command or typed_line(event, self._shell.journal, self._shell.record.cols, self._shell.record.rows)

    def note_start(self) -> None:
        """Note the start of the running command, because the next service does not read marks before a checkpoint."""
        if self.current is not None and self.current.start is not None:
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
        self._ledger.ended(run.number, run.start, run.end.place, exit_code)
        self._shell.journal.note = b""

    def _begin(self, run: Run, place: int) -> None:
        run.start = place
        if run.front is not None:
            self._shell.tracker.run_began(run.front[0])
        self._ledger.began(run.number, place)
        if self._shell.tracker.marks.editor:
            self._shell.journal.note = run.to_note()  # no mark reports it to the next service

    def _end(self, run: Run, exit_code: int | None, place: int, *, is_marked: bool = True) -> None:
        """Record that the shell has finished a run, whose output ends at ``place``."""
        self.current = None
        self._shell.changed.wake_all()
        journal = self._shell.journal
        if run.start is None:
            # The shell refused the line. Or its start mark went to a file, with its prompt, the line and its errors.
            start, marks = max(run.typed_seq, journal.base), self._shell.tracker.marks
            written = journal.since(start, max(0, place - start))
            run.start = place - len(below_line(written) if marks.drawn > marks.prompt_start else written)
        if run.nonce is not None:
            self._shell.tracker.run_ended(time.monotonic(), interleaved=run.interleaved)
        elif not is_marked:
            place = start_of_unmarked_prompt(journal, run.start, place)
        elif not run.interleaved:
            self._shell.keyboard.queue.may_be_unread = False
        run.end = End(exit_code, max(run.start, place), max(0.0, time.monotonic() - run.began))
        source_files.remove(run.files)
        self._unsettled = run, exit_code

    def _resolve(self, run: Run) -> None:
        """Set the result of a run that has finished."""
        assert run.start is not None
        assert run.end is not None
        stretch = read_output(self._shell.journal, self._read_log, run.start, run.end.place)
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
        if isinstance(error, PhuxError):
            error.executed = True
        run.outcome.set(error)

    def drop(self, run: Run) -> None:
        if self.current is run:
            self.current = None
            self._shell.tracker.run_began(None)
            self._shell.changed.wake_all()
        source_files.remove(run.files)
        self._ledger.lost(run.number)
        self._shell.journal.note = b""

    # The next service

    def restore(self) -> None:
        """Continue the run that an earlier service noted, before the journal's marks are replayed."""
        note = self._shell.journal.note
        if note:
            run = self.current = self._last = Run.from_note(note)
            self._ledger.typed(run)
            if run.start is not None:
                self._ledger.began(run.number, run.start)
                if run.front is not None:
                    self._shell.tracker.run_began(run.front[0])

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

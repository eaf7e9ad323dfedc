"""One live pane: composes the parts that read its output, show it, track its shell, run commands and record them.

Changes are published as events. State that must survive a restart is in the pane's record, which is part of the tree.
"""

from __future__ import annotations

import fcntl
import os
import termios
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from attrs import frozen

from phux_core.engine.protocol import Bell, Copied, CwdChanged, Mark, Notified, PrivateOsc, Reply, TitleChanged
from phux_core.errors import InternalError, PaneClosedError
from phux_core.keeper.children import window_size
from phux_core.keeper.journal import MAX_READ
from phux_core.server.history.pane_timeline import REPLAY_S, first_line
from phux_core.server.kernel import line_discipline
from phux_core.server.pty.intake import Intake
from phux_core.server.run.follower import RunFollower
from phux_core.server.run.runner import Runner
from phux_core.server.screen.rebuild import SET_ASIDE, summary
from phux_core.server.screen.terminal import Terminal
from phux_core.server.shell.keyboard import Keyboard
from phux_core.server.shell.marks import ShellMarks
from phux_core.server.shell.pane_shell import PaneShell
from phux_core.server.shell.state_watch import StateWatch
from phux_core.server.shell.tracker import ShellTracker
from phux_core.server.sync import Waker

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, MutableSequence

    from phux_core.engine import Engine
    from phux_core.engine.protocol import Effect
    from phux_core.engine.resting import Rest
    from phux_core.keeper.journal import Journal
    from phux_core.server.history.pane_ledger import PaneLedger
    from phux_core.server.history.pane_log import PaneLog
    from phux_core.server.kernel.foreground import Foreground
    from phux_core.server.pane_faults import PaneFaults
    from phux_core.server.pane_record import PaneRecord
    from phux_core.server.pty.read_order import ReadTurns
    from phux_core.server.screen.rebuild import Stored
    from phux_core.server.shell.events import State


# A larger journal is freed after a pause in the output, for the price of a checkpoint. A smaller one would free little,
# because the end of the output stays readable.
LARGE_JOURNAL = 128 * 1024
_FREED_AFTER_S = 10.0


@frozen
class PaneContext:
    """The objects that all panes of a service share.

    Attributes:
        emit: Publishes an event, given its name, the pane's id and sequence number, and its fields.
        on_output: Called when new output was processed.
        feed_mark: Records whose engine is at work, in case it ends the process.
        run_directory: The directory for files that shells source.
        on_dead: Called once, when the program has ended and all its output was read.
        on_checkpoint: Called with a checkpoint to store, at which the journal restarts.
        on_request: Called when the program asks the terminals of attached clients for something.
    """

    loop: asyncio.AbstractEventLoop
    turns: ReadTurns
    emit: Callable[..., None]
    on_output: Callable[[Pane], None]
    feed_mark: MutableSequence[int] | memoryview[int]
    run_directory: str
    on_dead: Callable[[Pane], None]
    on_checkpoint: Callable[[Pane, bytes], None]
    on_request: Callable[[Pane, Notified | Copied], None]


class Pane:
    """A pane whose program runs, or ran.

    It closes ``fd``, the PTY master, which is negative for a dead pane.

    Attributes:
        ready: Done when its program first waits, runs full-screen or has ended.
        ended: Done when its program has ended and all output was read; never done if an earlier service saw that.
    """

    def __init__(
        self,
        record: PaneRecord,
        fd: int,
        engine: Engine | Rest,
        journal: Journal,
        context: PaneContext,
        faults: PaneFaults,
        log: PaneLog,
        ledger: PaneLedger,
    ) -> None:
        self.id, self.record, self.faults, self.journal = record.id, record, faults, journal
        self.log, self.ledger = log, ledger
        self._context, loop, name = context, context.loop, f"@{record.id}"
        self.terminal = Terminal(record.id, loop, engine, context.feed_mark, faults.replace_engine)
        self.engine = self.terminal.engine
        self.intake = Intake(
            fd,
            journal,
            loop=loop,
            turns=context.turns,
            take=self._take,
            make_room=self.keep_checkpoint,
            on_busy=partial(self._emit, "dirty"),
            on_idle=self._on_idle,
            on_end=self._finish_if_over,
        )
        position = partial(attrgetter("position"), self.intake)
        self.tracker = ShellTracker(name, record.pid, record.shell, ShellMarks(record.nonce), loop.time())
        self.keyboard = Keyboard(loop, fd, name, self.engine, journal.typed, self.tracker, position)
        self.watch = StateWatch(loop, self._look, self._on_state, lambda: self.keyboard.queue.may_be_unread)
        self.shell = shell = PaneShell(
            record, fd, self.tracker, self.keyboard, self.watch, journal, Waker(), position, self.intake.read_now
        )
        self.runs = RunFollower(shell, ledger, log.read, self._emit)
        self.runner = Runner(shell, ledger, self.runs, context.run_directory)
        self.ready: asyncio.Future[None] = loop.create_future()
        self.ended: asyncio.Future[None] = loop.create_future()
        self._wait_status: int | None = None
        self._freeing: asyncio.TimerHandle | None = None
        if fd >= 0:
            log.timeline.terminal(self.seq, self.engine.name, record.cols, record.rows, record.history_limit)
            if self.seq:
                self.terminal.parsing_s = REPLAY_S / 2  # since the last checkpoint of an earlier service
            self.intake.begin()
            self.watch.touch()
        else:
            log.timeline.close()
            self.terminal.retire()
            self.watch.look_now()

    @property
    def seq(self) -> int:
        """The sequence number: how many bytes of its output were parsed."""
        return self.intake.position

    @property
    def fd(self) -> int:
        """The PTY master; negative once the pane is dead."""
        return self.intake.fd

    @property
    def takes_input(self) -> bool:
        return self.fd >= 0 and not self.intake.ended

    def _emit(self, name: str, place: int | None = None, /, **payload: object) -> None:
        """Publish an event, and record it on the timeline, where its place may be before the end of the output."""
        self.log.timeline.happened(name, self.seq if place is None else place, payload)
        self._context.emit(name, pane=self.id, seq=self.seq, **payload)

    # Output

    def _take(self, data: bytes) -> None:
        contained = self.faults.output
        base = place = self.seq - len(data)
        timeline = self.log.timeline
        with contained:
            timeline.hold()
            timeline.read(place)
        effects = self.terminal.feed(data)
        self.tracker.wrote(self._context.loop.time())
        for effect in effects:
            if isinstance(effect, Mark):
                continue  # the shell's own marks are private
            try:
                if isinstance(effect, PrivateOsc):
                    self.tracker.written(data[place - base : effect.start - base], place)
                    place = effect.end
                    self.runs.take_mark(effect)
                else:
                    self._on_effect(effect)
            except Exception as error:  # noqa: BLE001  `contained`, without its cost for each effect
                contained.report(error)
        with contained:
            self.tracker.written(data[place - base :], place)
        with contained:
            self.log.append(base, data)  # after callers of a run have its result
            timeline.release()
        with contained:
            self.runs.finish_output()
        if self.faults.engine_was_replaced:
            self.faults.engine_was_replaced = False
            self.terminal.parsing_s = REPLAY_S
            self.keep_checkpoint()  # the next service must not feed it the same bytes
        elif timeline.needs_screen(self.terminal):
            with contained:
                timeline.keep_screen(self.terminal.checkpoint(), self.terminal, self.log.first)
        self.watch.touch()
        with contained:
            self._context.on_output(self)

    def keep_checkpoint(self) -> None:
        """Store a checkpoint of the terminal, and restart the journal if all of it was parsed."""
        contained = self.faults.output
        is_stored = False
        with contained:
            self.runs.note_start()
        with contained:
            checkpoint = self.terminal.checkpoint()
            self._context.on_checkpoint(self, checkpoint)
            is_stored = True
            if self.log.timeline.takes_screen(self.terminal):
                self.log.timeline.keep_screen(checkpoint, self.terminal, self.log.first)
        is_logged = self.log.is_on and self.log.problem is None  # else only the journal has the output of a run
        may_restart = is_stored and (is_logged or self.runs.current is None)
        if self.intake.journal_may_restart and (may_restart or self.journal.room < MAX_READ):
            with contained:
                self.log.catch_up(at_once=True)  # output that cannot be written becomes a hole
            with contained:
                self.ledger.flush()
            self.journal.restart()

    def _on_idle(self) -> None:
        self.terminal.rest_later()
        if self.fd >= 0:
            self.journal.summary = summary(self.engine)
            if not self.intake.floods:  # else a thread may be reading
                self.journal.free_rest()
        if not self.record.dead:  # no event follows pane_closed
            self._emit("idle")
        if self.journal.size > LARGE_JOURNAL:
            if self._freeing is not None:
                self._freeing.cancel()
            self._freeing = self._context.loop.call_later(_FREED_AFTER_S, self._free_journal)

    def _free_journal(self) -> None:
        is_logged = self.log.problem is None  # else only the journal has the output
        if self.journal.size > LARGE_JOURNAL and is_logged:
            self.keep_checkpoint()

    def _on_effect(self, effect: Effect) -> None:
        """Process an effect of the terminal besides those on the screen."""
        if isinstance(effect, Reply):
            self.keyboard.reply(effect.data)
        elif isinstance(effect, TitleChanged):
            self._emit("title_changed", title=effect.title)
        elif isinstance(effect, Bell):
            self._emit("bell")
        elif isinstance(effect, CwdChanged):
            self.runs.take_directory(effect.cwd)
        elif isinstance(effect, (Notified, Copied)):
            self._context.on_request(self, effect)

    # The state

    def _look(self) -> tuple[State, Foreground | None]:
        """Look at the shell, publish its events, and return the new state. Only the watch calls this."""
        if self.record.dead or self.fd < 0:
            return "dead", None
        tracker, engine = self.tracker, self.engine
        with self.faults.output:
            was_integrated = bool(tracker.marks.nonce)
            in_editor = tracker.marks.start is not None and engine.bracketed_paste
            now = self._context.loop.time()
            self.runs.take_look(self.shell.look(now, alt_screen=engine.alt_screen, in_editor=in_editor))
            if was_integrated and not tracker.marks.nonce:
                self.keep_checkpoint()  # the next service must not find its marks again
            return tracker.state, tracker.foreground
        return "running", None

    def _on_state(self, state: State, foreground: Foreground | None) -> None:
        command = foreground.name if foreground is not None else self.record.command
        pid = foreground.pid if foreground is not None else None
        self._emit("state_changed", state=state, command=command, pid=pid)
        if state != "running" and not self.ready.done():
            self.ready.set_result(None)
        with self.faults.output:
            self.runs.take_state(state, self.watch.front)

    # Input

    def type(
        self, items: list[dict[str, Any]], *, client: str | None = None, key: str | None = None
    ) -> tuple[int, asyncio.Future[None]]:
        """Type the items of an ``input`` call for a person or client, encoded for the current modes, as one piece.

        Nothing is typed if a request with the same key was typed before.

        Returns:
            The number of bytes, and a future that is done when they are written.
        """
        if key is not None and (typed := self.keyboard.queue.find(key)) is not None:
            return typed
        self.intake.read_now()  # keys are for the current modes, and follow the answers to earlier queries
        self.watch.look_if_due()
        if not self.takes_input:
            raise PaneClosedError(f"the program in @{self.id} has ended")
        tracker, is_echoed = self.tracker, line_discipline.is_echoed(self.fd)
        # The shell's editor shows what it reads, but not what it leaves to the command that it is about to execute.
        is_prompt = tracker.is_marked and not tracker.line.entered_at and not tracker.marks.has_typed_ahead
        is_edited = is_prompt and not line_discipline.hides_lines(self.fd)
        data, written = self.keyboard.type(items, key=key)
        if is_echoed and written.done():  # else it is echoed later, if at all
            self.log.timeline.typed(self.seq, data)
        elif is_edited and not is_echoed:
            self.log.timeline.typed(self.seq, first_line(data))
        if data:
            self.ledger.typist = client if b"\r" in data or b"\n" in data else self.ledger.typist
            self.runs.typed(data)
            self.runs.remote.typed(data)
        self.watch.touch()
        return len(data), written

    def resize(self, cols: int, rows: int) -> None:
        effects = self.terminal.resize(cols, rows)
        self.record.cols, self.record.rows = cols, rows
        with self.faults.output:
            self.log.resized(cols, rows)
        self.keep_checkpoint()  # the output so far was parsed at the old size
        self.set_kernel_size()
        if self.takes_input:
            for effect in effects:
                self._on_effect(effect)
        self._emit("resized", cols=cols, rows=rows)

    def set_history_limit(self, rows: int) -> None:
        self.engine.set_history_limit(rows)
        self.record.history_limit = rows
        self.keep_checkpoint()

    def set_kernel_size(self) -> None:
        """Set the size of the terminal in the kernel; the program is notified only of a change."""
        if self.fd >= 0:
            fcntl.ioctl(self.fd, termios.TIOCSWINSZ, window_size(self.record.cols, self.record.rows))

    # The end

    def exited(self, wait_status: int) -> None:
        """Record that the program has ended; the pane is dead when all of its output was read."""
        self._wait_status = wait_status
        self.intake.expect_end()
        self._finish_if_over()

    def _finish_if_over(self) -> None:
        record = self.record
        if self._wait_status is None or not self.intake.ended or record.dead:
            return
        record.end(self._wait_status)
        self._close_fd()
        contained = self.faults.output
        with contained:
            self.runs.pane_died()
        with contained:
            self.ledger.pane_died(record.exit_code, self.seq)
        self.watch.look_now()
        with contained:
            self.log.ended(ended_at=record.died_at, **record.ending())
        self.terminal.retire()
        self._emit("pane_closed", **record.ending())
        self.log.timeline.close()
        with contained:
            self.runs.settle()
        self._context.on_dead(self)
        self.ended.set_result(None)

    def _close_fd(self) -> None:
        fd = self.fd
        if fd >= 0:
            self.intake.close()
            self.keyboard.close()
            os.close(fd)

    def close(self) -> None:
        contained = self.faults.output
        with contained:
            self.runs.close()
        self.watch.close()
        if self._freeing is not None:
            self._freeing.cancel()
        self._close_fd()
        self.terminal.close()
        with contained:
            self.ledger.flush()
        with contained:
            self.log.close()
        self.log.timeline.close()
        self.journal.close()


def restore(pane: Pane, stored: Stored) -> None:
    """Restore the shell and runs of a pane at its checkpoint, and process the marks since."""
    contained = pane.faults.restoring
    with contained:
        pane.tracker.restore(stored.notes, typed=pane.journal.position > 0)
    with contained:
        pane.runs.restore()
    is_aside = stored.note == SET_ASIDE
    if is_aside:
        unknown = f"it is not known whether the command in @{pane.id} has ended: {SET_ASIDE}"
        pane.runs.close(InternalError(unknown, remedy="look at the screen and the log before you run it again"))
    starts = [entry.start for entry in pane.ledger.entries if entry.start is not None]
    for mark in stored.marks:
        with contained:
            pane.tracker.marks.resume(starts, mark.start)
            pane.runs.take_mark(mark)
    pane.tracker.marks.resume(starts, pane.journal.position)
    is_lost = is_aside or pane.journal.base > 0 or pane.journal.is_damaged
    pane.tracker.restored(is_lost=is_lost and stored.notes is None)
    with contained:
        pane.runs.after_replay()
        pane.runner.resume()
    if stored.note is not None:
        pane.keep_checkpoint()  # so that the next service does not fail in the same way

"""One live pane: composes the parts that read its output, show it, track its shell, run commands and record them.

What happens goes out as events; what must be remembered is in the pane's record, which belongs to the tree.
"""

from __future__ import annotations

import fcntl
import logging
import os
import termios
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from attrs import frozen

from phux_core.engine.protocol import Bell, CwdChanged, PrivateOsc, Reply, TitleChanged
from phux_core.errors import PaneClosedError
from phux_core.keeper.children import window_size
from phux_core.server.pty.intake import Intake
from phux_core.server.run.follower import RunFollower
from phux_core.server.run.runner import Runner
from phux_core.server.screen.terminal import Terminal
from phux_core.server.shell.edit_line import QUESTION
from phux_core.server.shell.events import CommandFinished, CommandStarted, LineLength, PromptReady
from phux_core.server.shell.keyboard import Keyboard
from phux_core.server.shell.marks import ShellMarks
from phux_core.server.shell.observer import ShellObserver, current_directory
from phux_core.server.shell.state_watch import StateWatch
from phux_core.server.shell.tracker import ShellTracker
from phux_core.server.shell.typed_line import typed_line
from phux_core.server.sync.waker import Waker

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, MutableSequence

    from phux_core.engine.protocol import Effect, Engine
    from phux_core.keeper.journal import Journal
    from phux_core.server.history.pane_ledger import PaneLedger
    from phux_core.server.history.pane_log import PaneLog
    from phux_core.server.kernel.foreground import Foreground
    from phux_core.server.pane_faults import PaneFaults
    from phux_core.server.pane_record import PaneRecord
    from phux_core.server.pty.read_order import ReadTurns
    from phux_core.server.shell.events import ShellEvent, State

IDLE_AFTER_S = 0.03
# How long after its program's end a pane may still wait for the end of its output.
_DRAIN_S = 1.0
_UNKNOWN: tuple[State, Foreground | None] = ("running", None)

_log = logging.getLogger("phux.pane")


class Events(Protocol):
    """Where a pane publishes what happens."""

    def emit(self, name: str, /, *, pane: int | None = None, seq: int | None = None, **payload: object) -> None:
        """Publish an event."""

    def written(self, pane: Pane) -> None:
        """Report new output."""


@frozen
class PaneContext:
    """What all panes of a service share.

    Attributes:
        loop: The event loop.
        turns: The reading order.
        events: Where to publish what happens.
        feed_mark: Where to note whose engine is at work, in case it ends the process.
        run_directory: Where the shell can be given files to source.
        on_dead: Called once, when the program has ended and all its output was read.
        on_checkpoint: Called with a checkpoint to keep, from which the journal restarts.
    """

    loop: asyncio.AbstractEventLoop
    turns: ReadTurns
    events: Events
    feed_mark: MutableSequence[int] | memoryview[int]
    run_directory: str
    on_dead: Callable[[Pane], None]
    on_checkpoint: Callable[[Pane, bytes], None]


class Pane:
    """A pane whose program runs, or ran.

    Args:
        record: Its place in the tree.
        fd: The PTY master, ours from now on; negative for a pane that is dead already.
        engine: Its terminal.
        journal: Where its output is read into, so that the next service has what this one had.
        context: What all panes share.
        faults: Contains its faults.
        log: Where its output is kept.
        ledger: Makes the ledger of its commands.
    """

    def __init__(
        self,
        record: PaneRecord,
        fd: int,
        engine: Engine,
        journal: Journal,
        context: PaneContext,
        faults: PaneFaults,
        log: PaneLog,
        ledger: Callable[[Callable[[], str]], PaneLedger],
    ) -> None:
        self.record, self.faults, self.journal, self.log = record, faults, journal, log
        self._context, self._loop, self._events = context, context.loop, context.events
        self.terminal = Terminal(self._loop, engine, faults.replace_engine)
        self.engine = self.terminal.engine
        self._intake = Intake(
            fd,
            journal,
            loop=self._loop,
            turns=context.turns,
            take=self._take,
            make_room=self.keep_checkpoint,
            on_end=self._finish_if_over,
        )
        name = f"@{record.id}"
        cwd = partial(current_directory, record)
        self.ledger = ledger(cwd)
        self.tracker = ShellTracker(name, record.pid, record.shell, ShellMarks(record.nonce), self._read_line)
        self.tracker.last_output = self._loop.time()
        self.keyboard = Keyboard(self._loop, fd, name, self.engine, journal, self.tracker, self._position)
        self._observer = ShellObserver(record, fd, self.tracker, self.keyboard, journal, self._position)
        self.watch = StateWatch(
            self._loop, lambda: faults.output.call(self._look, _UNKNOWN), self._on_state, self.keyboard.may_be_unread
        )
        self._changed = Waker()
        self.runs = RunFollower(
            record,
            self.tracker,
            self.keyboard,
            journal,
            self.ledger,
            self._changed,
            position=self._position,
            cwd=cwd,
            read_log=log.read,
        )
        self.runner = Runner(
            record,
            self.tracker,
            self.keyboard,
            self.watch,
            journal,
            self.ledger,
            self.runs,
            self._changed,
            position=self._position,
            read_now=self.read_now,
            directory=context.run_directory,
        )
        self.ready: asyncio.Future[None] = self._loop.create_future()
        self._wait_status: int | None = None
        self._busy = False
        if fd >= 0:
            self._intake.begin()
            self.watch.touch()
        else:
            self.watch.look_now()

    @property
    def id(self) -> int:
        """The pane's number."""
        return self.record.id

    @property
    def seq(self) -> int:
        """How many bytes its program has written, as far as they were parsed."""
        return self._intake.position

    def _position(self) -> int:
        return self._intake.position

    @property
    def fd(self) -> int:
        """The PTY master; negative once the pane is dead."""
        return self._intake.fd

    @property
    def takes_input(self) -> bool:
        """Whether something can be typed."""
        return self.fd >= 0 and not self._intake.ended

    @property
    def more_follows(self) -> bool:
        """Whether its program is likely to have written more than was read."""
        return self._intake.more_follows

    def read_now(self) -> None:
        """Read what its program has written by now, unless it floods."""
        self._intake.read_now()

    def look(self) -> Foreground | None:
        """Ask the kernel for the foreground of the terminal; None if there is none."""
        return self._observer.foreground()

    # Output

    def _take(self, data: bytes) -> None:
        contained, feed_mark, tracker = self.faults.output, self._context.feed_mark, self.tracker
        place = self.seq - len(data)
        with contained:
            self.log.append(place, data)
        feed_mark[0] = self.record.id
        effects = self.engine.feed(data)
        feed_mark[0] = 0
        tracker.last_output = self._loop.time()
        base = place
        for effect in effects:
            with contained:
                if isinstance(effect, PrivateOsc):
                    place = self._track_output(data, base, place, effect.start)
                    self.take_mark(effect)
                    place = max(place, effect.end)
                else:
                    self.on_effect(effect)
        with contained:
            self._track_output(data, base, place, self.seq)
        if self.faults.engine_was_replaced():
            self.keep_checkpoint()  # the next service must not feed it the same bytes
        self.watch.touch()
        with contained:
            self._events.written(self)
        if not self._busy:
            self._busy = True
            self._events.emit("dirty", pane=self.id, seq=self.seq)
            self._loop.call_later(IDLE_AFTER_S, self._check_idle)

    def _track_output(self, data: bytes, base: int, start: int, end: int) -> int:
        """Give the tracker a part of the output that has no marks, if it asks for it; return where the part ends."""
        if end > start and self.tracker.wants_output:
            self._publish(self.tracker.written(data[start - base : end - base], start))
        return max(start, end)

    def keep_checkpoint(self) -> None:
        """Write the whole terminal down, and restart the journal if nothing in it is still to be fed."""
        feed_mark = self._context.feed_mark
        marked, feed_mark[0] = feed_mark[0], self.record.id
        try:
            checkpoint = self.engine.checkpoint()
        except Exception:  # noqa: BLE001  without one, a restart shows what came since; that is no reason to end
            _log.exception("the engine of @%d cannot be written down", self.id)
            checkpoint = b""
        feed_mark[0] = marked
        self._context.on_checkpoint(self, checkpoint)
        if self._intake.journal_may_restart:
            self.runs.before_journal_restarts()
            self.log.before_journal_restarts()
            self.ledger.keep_now()
            self.journal.restart()

    def _check_idle(self) -> None:
        if (quiet := self._loop.time() - self.tracker.last_output) < IDLE_AFTER_S:
            self._loop.call_later(IDLE_AFTER_S - quiet, self._check_idle)
        else:
            self._busy = False
            self._intake.calm()
            self.terminal.rest_later()
            if not self.record.dead:  # nothing follows the event of its end
                self._events.emit("idle", pane=self.id, seq=self.seq)

    def on_effect(self, effect: Effect) -> None:
        """Take an effect of the terminal besides what it shows."""
        if isinstance(effect, Reply):
            self.keyboard.reply(effect.data)
        elif isinstance(effect, TitleChanged):
            self._events.emit("title_changed", pane=self.id, seq=self.seq, title=effect.title)
        elif isinstance(effect, Bell):
            self._events.emit("bell", pane=self.id, seq=self.seq)
        elif isinstance(effect, CwdChanged) and effect.cwd != self.record.cwd:
            self.record.cwd = effect.cwd
            self._events.emit("cwd_changed", pane=self.id, seq=self.seq, cwd=effect.cwd)

    # The shell

    def take_mark(self, mark: PrivateOsc) -> None:
        """Take a mark of the pane's own shell, or of a run."""
        events = self.tracker.mark(mark, alt_screen=self.engine.alt_screen)
        if events:
            self._publish(events)
        elif not self.runner.take_mark(mark):
            event = self.runs.take_mark(mark)
            if event is not None:
                self._publish_event(event)
        self._changed.wake_all()

    def _publish(self, events: list[ShellEvent]) -> None:
        for event in events:
            if isinstance(event, LineLength):
                self.runner.take_answer(event)
            else:
                self.runs.take_event(event)
                self._publish_event(event)

    def _publish_event(self, event: ShellEvent) -> None:
        if isinstance(event, CommandStarted):
            command = self.runs.command or event.command or self._read_line(event)
            self.ledger.take(event, command)
            self._events.emit("command_started", pane=self.id, seq=self.seq, command=command)
        elif isinstance(event, CommandFinished):
            if event.start is not None:
                self._events.emit("command_finished", pane=self.id, seq=self.seq, exit_code=event.exit_code)
            self.runs.settle()  # callers that wait for the end of a run hear of it before anything is written down
            self.ledger.take(event, None)
        elif self.tracker.marks.editor:
            self.on_effect(CwdChanged(current_directory(self.record)))  # POSIX shells do not report it
        if isinstance(event, PromptReady) or self.tracker.marks.at_prompt:
            self.watch.look_now()

    def _read_line(self, event: CommandStarted) -> str | None:
        """Read the line of a command that its shell does not report."""
        return self.runs.command or typed_line(event, self.journal, self.record.cols, self.record.rows)

    def _look(self) -> tuple[State, Foreground | None]:
        if self.record.dead or self.fd < 0:
            return "dead", None
        was_integrated = bool(self.tracker.marks.nonce)
        tracker, engine = self.tracker, self.engine
        in_editor = tracker.marks.start is not None and engine.modes().bracketed_paste
        self._publish(self._observer.look(self._loop.time(), alt_screen=engine.alt_screen, in_editor=in_editor))
        if tracker.asks_for_hooks:
            tracker.asks_for_hooks = False
            self.keyboard.type_ours([{"text": QUESTION}])
        if was_integrated and not tracker.marks.nonce:
            self.keep_checkpoint()  # the next service must not find its marks again
        return tracker.state, tracker.foreground

    def _on_state(self, state: State, foreground: Foreground | None) -> None:
        command = foreground.name if foreground is not None else self.record.command
        pid = foreground.pid if foreground is not None else None
        self._events.emit("state_changed", pane=self.id, seq=self.seq, state=state, command=command, pid=pid)
        if state != "running" and not self.ready.done():
            self.ready.set_result(None)
        with self.faults.output:
            self.runs.take_state(state, self.watch.front)

    # Input

    def type(self, items: list[dict[str, Any]], *, client: str | None = None) -> tuple[int, asyncio.Future[None]]:
        """Type keys, text and pastes for a person or client, encoded for the current modes, as one piece.

        Args:
            items: What to type.
            client: Who types.

        Returns:
            The number of bytes, and a future that is done when they are written.

        Raises:
            PaneClosedError: The program has ended.
            BadRequestError: There is no such key.
            InputTooLongError, InputBlockedError: See WriteQueue.
        """
        self.read_now()  # keys are for the current modes, and follow the answers to earlier queries
        self.watch.look_if_due()
        if not self.takes_input:
            raise PaneClosedError(f"the program in @{self.id} has ended")
        data, written = self.keyboard.type(items)
        if data:
            self.ledger.typist = client if b"\r" in data or b"\n" in data else self.ledger.typist
            self.runs.typed(data)
            self.runner.typed(data)
        self.watch.touch()
        return len(data), written

    def resize(self, cols: int, rows: int) -> None:
        """Change the size of the terminal and tell the program."""
        feed_mark = self._context.feed_mark
        feed_mark[0] = self.record.id
        effects = self.engine.resize(cols, rows)
        feed_mark[0] = 0
        self.record.cols, self.record.rows = cols, rows
        self.log.update(cols=cols, rows=rows)
        self.keep_checkpoint()  # what was fed so far was written for the old size
        self.tell_size()
        if self.takes_input:
            for effect in effects:
                self.on_effect(effect)
        self._events.emit("resized", pane=self.id, seq=self.seq, cols=cols, rows=rows)

    def set_history_limit(self, rows: int) -> None:
        """Change how many rows of history it keeps."""
        self.engine.set_history_limit(rows)
        self.record.history_limit = rows
        self.keep_checkpoint()

    def tell_size(self) -> None:
        """Tell the kernel the size of the terminal; one that it knows already disturbs nobody."""
        if self.fd >= 0:
            fcntl.ioctl(self.fd, termios.TIOCSWINSZ, window_size(self.record.cols, self.record.rows))

    # The end

    def exited(self, wait_status: int) -> None:
        """Note that the program has ended; the pane is dead once its output was read to the end."""
        self._wait_status = wait_status
        self._intake.expect_end()
        self._finish_if_over()
        if not self.record.dead:
            # The kernel hangs the terminal up when its session's leader ends, so the end of the output is near.
            # Somebody who keeps it open all the same does not keep the pane alive.
            self._loop.call_later(_DRAIN_S, self._stop_waiting_for_output)

    def _stop_waiting_for_output(self) -> None:
        if self._intake.is_ahead:
            self._loop.call_later(_DRAIN_S, self._stop_waiting_for_output)  # it is not over, it is a lot
        elif not self.record.dead and self.fd >= 0:
            self._intake.read_the_last()

    def _finish_if_over(self) -> None:
        if self._wait_status is None or not self._intake.ended or self.record.dead:
            return
        record = self.record
        record.dead = True
        record.died_at = time.time()
        if os.WIFSIGNALED(self._wait_status):
            record.exit_signal = os.WTERMSIG(self._wait_status)
        else:
            record.exit_status = os.waitstatus_to_exitcode(self._wait_status)
        self._close_fd()
        self.runs.pane_died()
        self.ledger.pane_died(record.exit_code, self.seq)
        self.watch.look_now()
        self.log.ended(ended_at=record.died_at, **record.ending())
        self._events.emit("pane_closed", pane=self.id, seq=self.seq, **record.ending())
        self.runs.settle()
        self._context.on_dead(self)

    def _close_fd(self) -> None:
        fd = self.fd
        if fd >= 0:
            self._intake.close()
            self.keyboard.close()
            os.close(fd)

    def close(self) -> None:
        """Free what the pane holds."""
        self.runs.close()
        self.watch.close()
        self._close_fd()
        self.terminal.close()
        self.ledger.flush()
        self.log.close()
        self.journal.close()

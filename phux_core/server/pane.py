"""One live pane: its program's output goes to the engine, what is typed goes to the program.

Owns the service's copy of the PTY master, the engine and the typing queue. What happens goes out as events; what
must be remembered is in the pane's record, which belongs to the tree.
"""

from __future__ import annotations

import fcntl
import logging
import os
import termios
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_core.engine.protocol import Bell, CwdChanged, PrivateOsc, Reply, TitleChanged
from phux_core.errors import PaneClosedError
from phux_core.keeper.children import window_size
from phux_core.server.kernel.foreground import look, working_directory
from phux_core.server.pty.input_encoding import encode
from phux_core.server.pty.intake import Intake
from phux_core.server.pty.write_queue import SETTLE_S, TypingQueue
from phux_core.server.run.output_capture import typed_line
from phux_core.server.run.runner import Runs
from phux_core.server.screen.attach_frames import is_seen
from phux_core.server.screen.hibernation import Rest
from phux_core.server.shell import marked_commands
from phux_core.server.shell.marks import CommandFinished, Commands, CommandStarted
from phux_core.server.shell.missing_marks import (
    MARK_S,
    end_of_output,
    is_back_unseen,
    is_editor_starting,
    is_in_front,
    is_unready,
    reads_unseen,
    was_replaced,
)
from phux_core.server.shell.state import StateWatch, judge
from phux_core.server.shell.type_ahead import TypeAhead
from phux_core.server.shell.unmarked_commands import UnmarkedCommands
from phux_core.server.shell.unmarked_end import depth_at_prompt

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, MutableSequence

    from phux_core.engine.protocol import Effect, Engine, Span
    from phux_core.keeper.journal import Journal
    from phux_core.server.history.pane_ledger import PaneLedger
    from phux_core.server.history.pane_log import PaneLog
    from phux_core.server.kernel.foreground import Foreground
    from phux_core.server.pane_faults import PaneFaults
    from phux_core.server.pty.read_order import ReadTurns
    from phux_core.server.push.hub import EventHub
    from phux_core.server.shell.marks import News
    from phux_core.server.shell.state import State
    from phux_core.server.tree.records import PaneRecord

IDLE_AFTER_S = 0.03
# How long after its program's end a pane may still wait for the end of its output.
_DRAIN_S = 1.0
_UNKNOWN: tuple[State, Foreground | None] = ("running", None)

_log = logging.getLogger("phux.pane")


class Pane:
    """A pane whose program runs, or ran.

    Args:
        record: Its place in the tree.
        fd: The PTY master, ours from now on; negative for a pane that is dead already.
        engine: Its terminal.
        journal: Where its output is read into, so that the next service has what this one had.
        feed_mark: Where to say that this pane's engine is at work, in case it ends the process.
        faults: Keeps what goes wrong here from everybody else.
        loop: The event loop.
        turns: The reading order.
        events: Where to tell what happens.
        on_dead: Called once, when the program has ended and all its output was read.
        on_checkpoint: Called with a checkpoint to keep, from which the journal starts anew.
        log: Where its output is kept.
        ledger: Makes the ledger of its commands.
        run_directory: Where the shell can be given files to source.
    """

    def __init__(
        self,
        record: PaneRecord,
        fd: int,
        engine: Engine,
        journal: Journal,
        *,
        feed_mark: MutableSequence[int] | memoryview[int],
        faults: PaneFaults,
        loop: asyncio.AbstractEventLoop,
        turns: ReadTurns,
        events: EventHub,
        on_dead: Callable[[Pane], None],
        on_checkpoint: Callable[[Pane, bytes], None],
        log: PaneLog,
        ledger: Callable[[Pane], PaneLedger],
        run_directory: str,
    ) -> None:
        self.record, self.faults = record, faults
        self._rest = Rest(loop, engine, partial(is_seen, self), faults.replace_engine)
        self.engine = self._rest.engine
        self.journal, self.log = journal, log
        self.commands = Commands(record.nonce)
        self.ledger = ledger(self)
        self.runs, self.unmarked = Runs(self, run_directory), UnmarkedCommands(self)
        self.watch = StateWatch(loop, lambda: faults.output.call(self._judge, _UNKNOWN), self._on_state)
        self.ready: asyncio.Future[None] = loop.create_future()
        self._on_checkpoint = on_checkpoint
        self._feed_mark = feed_mark
        self._loop = loop
        self._events, self._on_dead = events, on_dead
        self._typing, self.ahead = TypingQueue(loop, fd, f"@{record.id}"), TypeAhead()
        self._intake = Intake(
            fd,
            journal,
            loop=loop,
            turns=turns,
            take=self._take,
            make_room=self.keep_checkpoint,
            on_end=self._finish_if_over,
        )
        self._wait_status: int | None = None
        self._last_output = loop.time()
        self._prompt_depth: int | None = None  # how deep its own shell waits at its prompt
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
        """Take what its program has written by now, unless it floods."""
        self._intake.read_now()

    def changed_rows(self) -> dict[int, list[Span]]:
        """Read the rows of its screen that may look different since the last time; there is one reader for it."""
        self._rest.later()
        return self.engine.changed()

    @property
    def quiet_s(self) -> float:
        """How long its program has written nothing."""
        return self._loop.time() - self._last_output

    def settles_in_s(self, *, may_ask: bool) -> float:
        """Tell how long its program may take to read what the terminal answered; negative when that is over.

        Args:
            may_ask: Whether it may have asked with what it wrote last, and not have the answer yet.
        """
        asked = self._last_output + SETTLE_S if may_ask else 0.0
        return max(asked, self._typing.settled_at) - self._loop.time()

    def current_directory(self) -> str:
        """Ask the kernel where the pane's first program is; where it cannot say, the last that was heard."""
        return (None if self.record.dead else working_directory(self.record.pid)) or self.record.cwd

    def look(self) -> Foreground | None:
        """Ask the kernel what is in the foreground of the terminal; None if nothing is."""
        return look(self.fd, self.record.command, self.record.shell)

    def settle_state(self) -> None:
        """Look again before the state is reported, if it is older than what was typed or nobody has looked yet."""
        if self.fd >= 0 and (self.watch.foreground is None or self._typing.may_be_unread):
            self.watch.look_now()

    def foreground_document(self) -> dict[str, Any] | None:
        """Tell which program has the terminal."""
        foreground = self.watch.foreground
        if foreground is None:
            return None
        cwd = self.current_directory() if foreground.pid == self.record.pid else foreground.cwd
        return {"command": foreground.name, "pid": foreground.pid, "cwd": cwd}

    # Output

    def _take(self, data: bytes) -> None:
        contained = self.faults.output
        with contained:
            self.log.append(self.seq - len(data), data)
        self._feed_mark[0] = self.record.id
        effects = self.engine.feed(data)
        self._feed_mark[0] = 0
        with contained:
            for taken in self.unmarked.written():
                self.tell_of_command(taken)
        for effect in effects:
            with contained:
                self.on_effect(effect)
        marked_commands.take_output(self)
        if self.faults.engine_was_replaced():
            self.keep_checkpoint()  # the next service is not to feed it the same bytes
        self._last_output = self._loop.time()
        self.watch.touch()
        with contained:
            self._events.written(self)
        if not self._busy:
            self._busy = True
            self._events.emit("dirty", pane=self.id, seq=self.seq)
            self._loop.call_later(IDLE_AFTER_S, self._check_idle)

    def keep_checkpoint(self) -> None:
        """Write the whole terminal down, and begin the journal anew behind it if nothing in it is still to be fed."""
        marked, self._feed_mark[0] = self._feed_mark[0], self.record.id
        try:
            checkpoint = self.engine.checkpoint()
        except Exception:  # noqa: BLE001  without one, a restart shows what came since; that is no reason to end
            _log.exception("the engine of @%d cannot be written down", self.id)
            checkpoint = b""
        self._feed_mark[0] = marked
        self._on_checkpoint(self, checkpoint)
        if self._intake.journal_may_restart:
            self.runs.before_journal_restarts()
            self.log.before_journal_restarts()
            self.ledger.keep_now()
            self.journal.restart()

    def _check_idle(self) -> None:
        if (quiet := self.quiet_s) < IDLE_AFTER_S:
            self._loop.call_later(IDLE_AFTER_S - quiet, self._check_idle)
        else:
            self._busy = False
            self._intake.calm()
            self._rest.later()
            if not self.record.dead:  # its end was told; nothing comes behind that
                self._events.emit("idle", pane=self.id, seq=self.seq)

    def on_effect(self, effect: Effect) -> None:
        """Take what the terminal noticed besides what it shows."""
        if isinstance(effect, Reply):
            self._typing.reply(effect.data)
        elif isinstance(effect, TitleChanged):
            self._events.emit("title_changed", pane=self.id, seq=self.seq, title=effect.title)
        elif isinstance(effect, Bell):
            self._events.emit("bell", pane=self.id, seq=self.seq)
        elif isinstance(effect, CwdChanged):
            if effect.cwd != self.record.cwd:
                self.record.cwd = effect.cwd
                self._events.emit("cwd_changed", pane=self.id, seq=self.seq, cwd=effect.cwd)
        elif isinstance(effect, PrivateOsc):
            marked_commands.take_mark(self, effect)

    def tell_of_command(self, news: News | None) -> None:
        """Tell everybody what became of a command."""
        if isinstance(news, CommandStarted):
            command = self.runs.command or news.command
            if command is None:
                command = typed_line(news, self.journal, self.record.cols, self.record.rows)
            self.ledger.take(news, command)
            self._events.emit("command_started", pane=self.id, seq=self.seq, command=command)
        elif isinstance(news, CommandFinished):
            if news.start is not None:
                self._events.emit("command_finished", pane=self.id, seq=self.seq, exit_code=news.exit_code)
            self.runs.settle()  # whoever waits for the end of a run hears of it before anything is written down
            self.ledger.take(news, None)
            if self.commands.at_prompt:
                self.watch.look_now()
        elif news is not None:
            self.watch.look_now()

    # State

    def _judge(self) -> tuple[State, Foreground | None]:
        if self.record.dead or self.fd < 0:
            return "dead", None
        unread = self._typing.is_unread()  # asked first: a program that has read everything may wait by now
        commands, known = self.commands, self.watch.foreground
        entered_at = self.runs.entered_at
        marks_tell = (
            commands.at_prompt and not entered_at and not self.ahead.is_possible and not commands.sets_up_editor
        )
        foreground = known if marks_tell and is_in_front(known, self.record.pid, self.fd) else None
        back = False
        if foreground is None:
            foreground = self.look()
            if foreground is not None and foreground.pid == self.record.pid:
                if was_replaced(foreground, commands):
                    place = end_of_output(self.journal, commands.start, self.seq)
                    self._take_unmarked(commands.shell_replaced(place))
                elif reads_unseen(foreground, commands, self.quiet_s):
                    commands.drawn_unseen(on_alt_screen=self.engine.alt_screen)
                elif is_back_unseen(foreground, commands, self._prompt_depth):
                    back = True  # but for the marks that tell so
                    self._loop.call_later(MARK_S, self._end_unseen, self.seq)
        self._note_prompt(foreground)
        # Else a continuation prompt may be about to be drawn.
        if self.quiet_s > SETTLE_S or (foreground is not None and foreground.pid != self.record.pid):
            marked_commands.report_start(self)
        alt_screen = self.engine.alt_screen and not (commands.at_prompt and commands.on_alt_screen)
        starts = commands.sets_up_editor and foreground is not None and is_editor_starting(foreground, self.quiet_s)
        unready = back or unread or starts or (foreground is not None and self._is_unready(foreground, entered_at))
        state = judge(
            foreground,
            alt_screen=alt_screen,
            at_prompt=commands.at_prompt,
            unready=unready,
            in_command=foreground is not None
            and not unready
            and self.runs.prompt.is_left(self.runs.current, foreground),
            reads=commands.reads,
            pane_pid=self.record.pid,
        )
        if state == "prompt":
            self.runs.seen_at_prompt()
        return state, foreground

    def _is_unready(self, foreground: Foreground, entered_at: float) -> bool:
        commands = self.commands if foreground.pid == self.record.pid else None
        if commands is not None and commands.at_prompt and self.ahead.is_left(self.fd, foreground, self.quiet_s):
            return True
        return is_unready(
            foreground, commands, entered_at=entered_at, last_output=self._last_output, now=self._loop.time()
        )

    def _note_prompt(self, foreground: Foreground | None) -> None:
        """Find out how deep the pane's own shell waits at its prompt, once; before it waits that cannot be told."""
        if self._prompt_depth is None and self.commands.at_prompt and foreground is not None:
            self._prompt_depth = depth_at_prompt(foreground) if foreground.pid == self.record.pid else None

    def _end_unseen(self, seq: int) -> None:
        """End a command of which no mark told the end, if none was on its way."""
        commands = self.commands
        foreground = self.look() if self.fd >= 0 and self.seq == seq else None
        if foreground is None or foreground.pid != self.record.pid:
            return
        if is_back_unseen(foreground, commands, self._prompt_depth):
            place = end_of_output(self.journal, commands.start, seq)
            if commands.prompts is None:
                self._take_unmarked(commands.ended_unseen(place, on_alt_screen=self.engine.alt_screen))
            else:
                marked_commands.report_start(self)
                self._take_unmarked(commands.shell_lost(place))
            self.watch.look_now()

    def _take_unmarked(self, news: CommandFinished) -> None:
        self.runs.take_news(news)
        self.tell_of_command(news)
        self.keep_checkpoint()  # the next service is not to find its marks again

    def _on_state(self, state: State, foreground: Foreground | None) -> None:
        command = foreground.name if foreground is not None else self.record.command
        pid = foreground.pid if foreground is not None else None
        self._events.emit("state_changed", pane=self.id, seq=self.seq, state=state, command=command, pid=pid)
        if state != "running" and not self.ready.done():
            self.ready.set_result(None)
        with self.faults.output:
            self.runs.take_state(state)

    # Input

    def type(
        self, items: list[dict[str, Any]], *, note: bytes | None = None, client: str | None = None
    ) -> tuple[int, asyncio.Future[None]]:
        """Type keys, text and pastes, encoded for the modes of now, as one piece.

        Args:
            items: What to type.
            note: What to note in the journal right before it is typed: it is a run that types, and not somebody else.
            client: Who types, if it is somebody else.

        Returns:
            How many bytes, and a future that is done when they are written.

        Raises:
            PaneClosedError: The program has ended.
            BadRequestError: There is no such key.
            InputTooLongError, InputBlockedError: See TypingQueue.
        """
        if note is None:
            self.read_now()  # keys are for the modes of now, and come behind the answers to what was asked before
            self.watch.look_if_due()  # and who reads them may be another in a moment
        if not self.takes_input:
            raise PaneClosedError(f"the program in @{self.id} has ended")
        data = encode(items, self.engine)
        self._note_prompt(self.watch.foreground)
        if note is not None:
            self.journal.note = note
        marked_commands.record_typed(self, data)
        written = self._typing.type(data, self.runs.prompt.keys_wait_s if note is None else 0.0)
        if note is None and data:
            self.ledger.typist = client if b"\r" in data or b"\n" in data else self.ledger.typist
            self.ahead.typed(data, early=not self.commands.at_prompt or self.runs.entered_at > 0)
            self.runs.typed_by_others(data)
        self.watch.touch()
        return len(data), written

    def resize(self, cols: int, rows: int) -> None:
        """Change the size of the terminal and tell the program."""
        self._feed_mark[0] = self.record.id
        effects = self.engine.resize(cols, rows)
        self._feed_mark[0] = 0
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
        self.ledger.pane_died(record.exit_code)
        self.watch.look_now()
        self.log.ended(ended_at=record.died_at, **record.ending())
        self._events.emit("pane_closed", pane=self.id, seq=self.seq, **record.ending())
        self.runs.settle()
        self._on_dead(self)

    def _close_fd(self) -> None:
        fd = self.fd
        if fd >= 0:
            self._intake.close()
            self._typing.close()
            os.close(fd)

    def close(self) -> None:
        """Free what the pane holds."""
        self.runs.close()
        self.watch.close()
        self._close_fd()
        self._rest.close()
        self.ledger.flush()
        self.log.close()
        self.journal.close()

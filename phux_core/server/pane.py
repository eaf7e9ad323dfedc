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
from typing import TYPE_CHECKING

from phux_core.engine.protocol import Bell, CwdChanged, Reply, TitleChanged
from phux_core.errors import BadRequestError, PaneClosedError
from phux_core.keeper.children import window_size
from phux_core.keeper.journal import MAX_READ
from phux_core.keeper.signals import signal_name
from phux_core.keys import parse_key
from phux_core.server.drain import Drain
from phux_core.server.typing_queue import TypingQueue

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, MutableSequence

    from phux_core.engine.protocol import Effect, Engine
    from phux_core.keeper.journal import Journal
    from phux_core.server.events import EventHub
    from phux_core.server.reading import ReadTurns
    from phux_core.server.tree import PaneRecord

# From so many bytes on, a read was cut by the kernel's buffer, so there may be much more.
_FULL_READ = 4000
# How long a flooding pane may keep the others waiting; its slices shrink and grow to keep to it.
_SLICE_S = 0.004
_LEAST_SLICE = 16 * 1024
IDLE_AFTER_S = 0.03
# How long after its program's end a pane may still wait for the end of its output.
_DRAIN_S = 1.0
_LAST_SLICES = 64

_log = logging.getLogger("phux.pane")


class Pane:
    """A pane whose program runs, or ran.

    Args:
        record: Its place in the tree.
        fd: The PTY master, ours from now on; negative for a pane that is dead already.
        engine: Its terminal.
        journal: Where its output is read into, so that the next service has what this one had.
        feed_mark: Where to say that this pane's engine is at work, in case it ends the process.
        loop: The event loop.
        turns: The reading order.
        events: Where to tell what happens.
        on_dead: Called once, when the program has ended and all its output was read.
        on_checkpoint: Called with a checkpoint to keep, from which the journal starts anew.
    """

    def __init__(
        self,
        record: PaneRecord,
        fd: int,
        engine: Engine,
        journal: Journal,
        *,
        feed_mark: MutableSequence[int] | memoryview[int],
        loop: asyncio.AbstractEventLoop,
        turns: ReadTurns,
        events: EventHub,
        on_dead: Callable[[Pane], None],
        on_checkpoint: Callable[[Pane, bytes], None],
    ) -> None:
        self.record = record
        self.engine = engine
        self.seq = journal.position
        self._journal = journal
        self._drain: Drain | None = None
        self._slice = MAX_READ
        self._on_checkpoint = on_checkpoint
        self._fd = fd
        self._feed_mark = feed_mark
        self._loop = loop
        self._turns = turns
        self._events = events
        self._on_dead = on_dead
        self._typing = TypingQueue(loop, fd, f"@{record.id}")
        self._wait_status: int | None = None
        self._output_ended = False
        self._last_output = 0.0
        self._busy = False
        if fd >= 0:
            turns.add(self)

    @property
    def id(self) -> int:
        """The pane's number."""
        return self.record.id

    @property
    def fd(self) -> int:
        """The PTY master; negative once the pane is dead."""
        return self._fd

    # Output

    def read_slice(self) -> bool:
        """Read what is there, up to a slice, and feed it; tell whether there is more at once."""
        if self._journal.room < MAX_READ:
            self._checkpoint()
        started = self._loop.time()
        try:
            count = self._read()
        except BlockingIOError:
            return False
        except OSError:  # EIO: nobody holds the other side any more
            count = 0
        if count == 0:
            self._output_ended = True
            self._turns.remove(self)
            self._finish_if_over()
            return False
        self._take(self._journal.since(self.seq))
        if count < self._slice:
            return False
        took = max(self._loop.time() - started, _SLICE_S / 8)
        self._slice = max(_LEAST_SLICE, min(int(count * _SLICE_S / took), MAX_READ))
        return True

    def _read(self) -> int:
        """Read into the journal: once, or if the pane is flooding, up to a slice."""
        if self._drain is not None:
            return self._journal.take(self._drain.read_into, self._slice)
        count = self._journal.take(lambda room: os.readv(self._fd, [room]), _LEAST_SLICE)
        if count >= _FULL_READ:
            self._drain = Drain(self._fd)
        return count

    def _stop_draining(self) -> None:
        if self._drain is not None:
            self._drain.close()
            self._drain = None

    def _take(self, data: bytes) -> None:
        self.seq += len(data)
        self._feed_mark[0] = self.record.id
        try:
            effects = self.engine.feed(data)
        except Exception:  # noqa: BLE001
            # The contract says that this cannot happen. If it does, one pane's picture is wrong; the rest goes on.
            _log.exception("the engine of @%d failed at byte %d", self.id, self.seq)
            effects = []
        self._feed_mark[0] = 0
        for effect in effects:
            self._on_effect(effect)
        self._last_output = self._loop.time()
        if not self._busy:
            self._busy = True
            self._events.emit("dirty", pane=self.id, seq=self.seq)
            self._loop.call_later(IDLE_AFTER_S, self._check_idle)

    def _checkpoint(self) -> None:
        """Write the whole terminal down, and begin the journal anew behind it."""
        self._feed_mark[0] = self.record.id
        try:
            checkpoint = self.engine.checkpoint()
        except Exception:  # noqa: BLE001  without one, a restart shows what came since; that is no reason to end
            _log.exception("the engine of @%d cannot be written down", self.id)
            checkpoint = b""
        self._feed_mark[0] = 0
        self._on_checkpoint(self, checkpoint)
        self._journal.restart()

    def _check_idle(self) -> None:
        quiet = self._loop.time() - self._last_output
        if quiet < IDLE_AFTER_S:
            self._loop.call_later(IDLE_AFTER_S - quiet, self._check_idle)
        else:
            self._busy = False
            self._stop_draining()
            self._events.emit("idle", pane=self.id, seq=self.seq)

    def _on_effect(self, effect: Effect) -> None:
        if isinstance(effect, Reply):
            self._typing.reply(effect.data)
        elif isinstance(effect, TitleChanged):
            self._events.emit("title_changed", pane=self.id, seq=self.seq, title=effect.title)
        elif isinstance(effect, Bell):
            self._events.emit("bell", pane=self.id, seq=self.seq)
        elif isinstance(effect, CwdChanged):
            self.record.cwd = effect.cwd

    # Input

    def type(self, items: list[dict[str, str]]) -> tuple[int, asyncio.Future[None]]:
        """Type keys, text and pastes, encoded for the modes of now, as one piece.

        Returns:
            How many bytes, and a future that is done when they are written.

        Raises:
            PaneClosedError: The program has ended.
            BadRequestError: There is no such key.
            InputTooLongError, InputBlockedError: See TypingQueue.
        """
        if self._fd < 0 or self._output_ended:
            raise PaneClosedError(f"the program in @{self.id} has ended")
        data = b"".join(self._encode(item) for item in items)
        return len(data), self._typing.type(data)

    def _encode(self, item: dict[str, str]) -> bytes:
        ((kind, value),) = item.items()
        if kind == "paste" or (kind == "line" and not self.engine.modes().alt_screen):
            # A line that Enter follows goes as a paste, so that a program with an editor of its own takes it as
            # one piece and Enter as a key. Not on the alternate screen, where keys are commands: vim would
            # insert a pasted `:wq` into the text.
            return self.engine.encode_paste(value.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
        if kind == "key":
            key = parse_key(value)
            if key is None:
                raise BadRequestError(f"there is no key {value!r:.80}", remedy='send text as {"text": ...}')
            return self.engine.encode_key(key)
        return value.encode("utf-8", "surrogateescape")

    def resize(self, cols: int, rows: int) -> None:
        """Change the size of the terminal and tell the program."""
        self._feed_mark[0] = self.record.id
        self.engine.resize(cols, rows)
        self._feed_mark[0] = 0
        self.record.cols, self.record.rows = cols, rows
        self._checkpoint()  # what was fed so far was written for the old size
        if self._fd >= 0:
            fcntl.ioctl(self._fd, termios.TIOCSWINSZ, window_size(cols, rows))

    # The end

    def exited(self, wait_status: int) -> None:
        """Note that the program has ended; the pane is dead once its output was read to the end."""
        self._wait_status = wait_status
        self._finish_if_over()
        if not self.record.dead:
            # The kernel hangs the terminal up when its session's leader ends, so the end of the output is near.
            # Somebody who keeps it open all the same does not keep the pane alive.
            self._loop.call_later(_DRAIN_S, self._stop_waiting_for_output)

    def _stop_waiting_for_output(self) -> None:
        if not self.record.dead and self._fd >= 0:
            self._turns.remove(self)
            # After the hang-up nobody can write, so this ends by itself; the bound is for the case we do not know.
            for _ in range(_LAST_SLICES):
                before = self.seq
                self.read_slice()
                if self.seq == before:
                    break
            self._output_ended = True
            self._finish_if_over()

    def _finish_if_over(self) -> None:
        if self._wait_status is None or not self._output_ended or self.record.dead:
            return
        record = self.record
        record.dead = True
        record.died_at = time.time()
        if os.WIFSIGNALED(self._wait_status):
            record.exit_signal = os.WTERMSIG(self._wait_status)
        else:
            record.exit_status = os.waitstatus_to_exitcode(self._wait_status)
        self._close_fd()
        payload: dict[str, object] = {"exit_status": record.exit_status}
        if record.exit_signal is not None:
            payload["signal"] = signal_name(record.exit_signal)
        self._events.emit("pane_closed", pane=self.id, seq=self.seq, **payload)
        self._on_dead(self)

    def _close_fd(self) -> None:
        if self._fd >= 0:
            self._stop_draining()
            self._turns.remove(self)
            self._typing.close()
            os.close(self._fd)
            self._fd = -1

    def close(self) -> None:
        """Free what the pane holds."""
        self._close_fd()
        self.engine.close()
        self._journal.close()

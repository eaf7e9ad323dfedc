"""Read one pane's pty into its journal and pass the output on, in slices that do not starve other panes.

A flooding pane is read with a drain, and if it is the only one, by a thread (reader_thread). This module owns the order
of the bytes and how far they were passed on; the pane interprets them.
"""

from __future__ import annotations

import contextlib
import os
from functools import partial
from typing import TYPE_CHECKING

from attrs import define, field

from phux_core.keeper.journal import MAX_READ
from phux_core.server.pty.fread import Drain
from phux_core.server.pty.read_order import After
from phux_core.server.pty.reader_thread import CHUNK, ReadAhead

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from phux_core.keeper.journal import Journal
    from phux_core.server.pty.read_order import ReadTurns

# A read of this size was probably limited by the kernel's buffer, so there may be more.
_FULL_READ = 4000
# The kernel's buffer.
_ONE_READ = 4096
_LEAST_SLICE = 4 * 1024
# Assumed bytes per second before the first measurement.
_RATE = 20_000_000.0
_LAST_SLICES = 64
# A program that has written nothing for this long has paused.
_IDLE_AFTER_S = 0.03
# How long the end of the output is waited for after the program has ended.
_DRAIN_S = 1.0
# This many short reads in a row end a flood.
_SMALL_READS = 4


@define(eq=False)
class Intake:
    """The output of one pane's program.

    Args:
        take: Called with the output, in order.
        make_room: Called when the journal is nearly full and all of it was passed on.
        on_busy: Called when output that follows a pause was passed on.
        on_idle: Called when the output pauses.
        on_end: Called at the end of the output.

    Attributes:
        fd: The pty master, which is not closed here; negative if there is nothing left to read.
        position: Number of bytes of the pane's stream that were passed on.
        ended: Whether the end of the output was reached.
        more_follows: Whether more output was, or probably is, available after that passed on last.
        busy: Whether there was output since the last pause.
    """

    fd: int
    _journal: Journal
    _loop: asyncio.AbstractEventLoop
    _turns: ReadTurns
    _take: Callable[[bytes], None]
    _make_room: Callable[[], None]
    _on_busy: Callable[[], None]
    _on_idle: Callable[[], None]
    _on_end: Callable[[], None]
    position: int = field(init=False)
    ended: bool = field(default=False, init=False)
    more_follows: bool = field(default=False, init=False)
    busy: bool = field(default=False, init=False)
    _last_output: float = field(default=0.0, init=False)
    _drain: Drain | None = field(default=None, init=False)
    _ahead: ReadAhead | None = field(default=None, init=False)
    _is_last: bool = field(default=False, init=False)
    _small_reads: int = field(default=0, init=False)
    _rate: float = field(default=_RATE, init=False)

    def __attrs_post_init__(self) -> None:
        self.position = self._journal.position

    def begin(self) -> None:
        self._turns.add(self)

    def read_now(self) -> None:
        """Read the output written so far, unless it is a flood."""
        if not self.ended:
            self._turns.read_now(self)

    @property
    def floods(self) -> bool:
        """Whether there is more to read than others should wait for."""
        return self._drain is not None

    @property
    def journal_may_restart(self) -> bool:
        """Whether all of the journal was passed on, and no thread writes to it."""
        return self.position == self._journal.position and (self._ahead is None or self._journal.room < CHUNK)

    def read_slice(self) -> After:
        """Read available output, up to a slice, and pass it on."""
        most = max(_LEAST_SLICE, min(int(self._rate * self._turns.slice_s), MAX_READ))
        if not self._turns.one_floods:
            self._stop_reading_ahead()
        done = self._ahead is not None and self._ahead.done  # read before the thread's last output is looked for
        if self.position < self._journal.position:
            return self._pass_on_read_ahead(most)
        if self._ahead is not None:
            return self._after_read_ahead(self._ahead, done=done)
        if self._journal.room < MAX_READ:
            self._make_room()
        started = self._loop.time()
        try:
            count = self._read(most)
        except BlockingIOError:
            return After.QUIET
        except OSError:  # EIO: the slave is closed
            count = 0
        if count == 0:
            self._turns.remove(self)
            self._end()
            return After.QUIET
        self.more_follows = count >= _FULL_READ
        self._pass_on(self._journal.since(self.position))
        self._update_rate(count, started)
        if count < most:
            return After.QUIET
        if self._turns.one_floods and self._drain is not None and not self._is_last:
            wake = partial(self._loop.call_soon_threadsafe, self._turns.resume, self)
            with contextlib.suppress(OSError):
                self._ahead = ReadAhead(self.fd, self._journal, wake)
        return After.MORE

    def expect_end(self) -> None:
        """Record that the program has ended: its output ends soon, and is not worth a thread."""
        self._is_last = True
        if not self.ended:
            # The kernel hangs the terminal up when its session's leader ends, so the end of the output is near.
            # A process that keeps it open all the same does not keep the pane alive.
            self._loop.call_later(_DRAIN_S, self._stop_waiting)

    def read_rest(self) -> None:
        """Read the rest at once if the program has ended, because the service is about to end."""
        if self._is_last and not self.ended and self.fd >= 0:
            self._read_the_last()

    def _stop_waiting(self) -> None:
        if self._ahead is not None:
            self._loop.call_later(_DRAIN_S, self._stop_waiting)  # there is still much to read
        elif not self.ended and self.fd >= 0:
            self._read_the_last()

    def _read_the_last(self) -> None:
        """Read available output as the last: the program has ended, but another process still has its terminal open."""
        self._turns.remove(self)
        # After the hangup no process can write, so this ends; the bound is for unforeseen cases.
        for _ in range(_LAST_SLICES):
            before = self.position
            self.read_slice()
            if self.position == before:
                break
        self._end()

    def close(self) -> None:
        """Stop reading; call before the descriptor is closed."""
        self._stop_draining()
        self._turns.remove(self)
        self.fd = -1

    def _read(self, most: int) -> int:
        """Read into the journal: once, or during a flood, up to a slice."""
        if self._drain is not None:
            count = self._journal.take(self._drain.read_into, most)
            self._small_reads = 0 if count >= _FULL_READ else self._small_reads + 1
            if self._small_reads == _SMALL_READS:
                self._stop_draining()
            return count
        count = self._journal.take(lambda room: os.readv(self.fd, [room]), min(most, _ONE_READ))
        if count >= _FULL_READ:
            with contextlib.suppress(OSError):  # out of descriptors: continue, only slower
                self._drain = Drain(self.fd)
                self._small_reads = 0
                self._turns.flooding.add(self)
        return count

    def _pass_on(self, data: bytes) -> None:
        self.position += len(data)
        self._take(data)
        self._last_output = self._loop.time()
        if not self.busy:
            self.busy = True
            self._on_busy()
            self._loop.call_later(_IDLE_AFTER_S, self._check_idle)

    def _check_idle(self) -> None:
        quiet_s = self._loop.time() - self._last_output
        if quiet_s < _IDLE_AFTER_S:
            self._loop.call_later(_IDLE_AFTER_S - quiet_s, self._check_idle)
            return
        self.busy = False
        if self._ahead is None:
            self._stop_draining()  # the flood has ended
        self._on_idle()

    def _pass_on_read_ahead(self, most: int) -> After:
        """Pass on up to a slice of the thread's output."""
        started, before = self._loop.time(), self.position
        data = self._journal.since(before, most)
        self.more_follows = before + len(data) < self._journal.position
        self._pass_on(data)
        self._update_rate(self.position - before, started)
        if self._ahead is not None:
            if self._journal.room < CHUNK and self.position == self._journal.position:
                self._make_room()  # the thread waits for room, so nothing is written meanwhile
            self._ahead.parsed(self.position)
        return After.MORE

    def _after_read_ahead(self, ahead: ReadAhead, *, done: bool) -> After:
        """Wait for the thread to read more, or continue without it."""
        if not done:
            return After.LATER if ahead.wait() else After.MORE
        self._stop_draining()  # if the flood continues, the next read starts it again
        if ahead.ended:
            self._end()
        return After.QUIET

    def _end(self) -> None:
        self.ended = True
        self._on_end()

    def _update_rate(self, size: int, started: float) -> None:
        if size >= _LEAST_SLICE:
            self._rate = (self._rate + size / max(self._loop.time() - started, 1e-6)) / 2

    def _stop_reading_ahead(self) -> None:
        if self._ahead is not None:
            self._ahead.stop()
            self._ahead = None

    def _stop_draining(self) -> None:
        self._stop_reading_ahead()
        if self._drain is not None:
            self._drain.close()
            self._drain = None
            self._turns.flooding.discard(self)

"""Read a single flooding pane in a thread, while the event loop parses earlier output.

Reading a pty and parsing each take about a core, and both release the GIL, so on a second core a thread nearly doubles
the speed. It only exists while a single pane floods: it ends when there was little output for a moment, and is stopped
when a second flood starts, because then there is nothing to gain.

The thread only reads into the journal, which nothing else writes to meanwhile; the loop does the rest.
"""

from __future__ import annotations

import os
import select
import threading
import time
from typing import TYPE_CHECKING

from phux_core.server.pty.fread import Drain

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.keeper.journal import Journal

AHEAD = 512 * 1024
"""Maximum number of bytes read and not parsed: the output still shown after an interrupt."""
CHUNK = 64 * 1024
"""Bytes read before the loop is notified."""
# The flood has ended if less than a chunk was read in this time.
_WINDOW_S = 0.02
# How long the loop polls before it sleeps. Waking it costs more than the wait, which is mostly a tenth of this; and
# while the loop keeps one core busy, the kernel keeps reader and writer together on another.
_SPIN_S = 0.0005
_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ReadAhead:
    """The reading thread of one pane.

    Args:
        fd: The pty master, non-blocking; must stay open until ``stop`` or ``done``.
        wake: Called from the thread when the loop has called ``wait`` and there is something to do.

    Attributes:
        ended: Whether the end of the output was reached.
        done: Whether the thread has ended.
    """

    def __init__(self, fd: int, journal: Journal, wake: Callable[[], object]) -> None:
        self.ended = False
        self.done = False
        self._fd = fd
        self._journal = journal
        self._wake = wake
        self._parsed = journal.position
        self._parsed_at = time.monotonic()
        self._loop_waits = False
        self._stopping = False
        self._may_read = threading.Event()
        self._drain = Drain(fd)
        try:
            self._stop_reader, self._stop_writer = os.pipe()
        except OSError:
            self._drain.close()
            raise
        self._thread = threading.Thread(target=self._run, name="phux-read-ahead", daemon=True)
        self._thread.start()

    def parsed(self, position: int) -> None:
        """Record how far the stream was parsed, or that the journal has room again."""
        self._parsed = position
        self._parsed_at = time.monotonic()
        self._may_read.set()

    def wait(self) -> bool:
        """Request to be woken when more was read.

        Returns:
            Whether the loop may sleep; False if there is something to do, or will be in a moment.
        """
        if _CORES > 1 and time.monotonic() - self._parsed_at < _SPIN_S:
            return False
        self._loop_waits = True
        if self.done or self._journal.position > self._parsed:
            self._loop_waits = False
        return self._loop_waits

    def stop(self) -> None:
        """Stop the thread; returns when it no longer uses the descriptor or the journal."""
        self._stopping = True
        self._may_read.set()
        os.write(self._stop_writer, b"x")
        self._thread.join()
        os.close(self._stop_reader)
        os.close(self._stop_writer)

    def _run(self) -> None:
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        poll.register(self._stop_reader, select.POLLIN)
        journal = self._journal
        drain = self._drain
        came, window_ends = 0, time.monotonic() + _WINDOW_S
        while True:
            self._may_read.clear()
            if self._stopping:  # checked after clear(), which must not lose a stop request
                break
            if journal.room < CHUNK or journal.position - self._parsed > AHEAD:
                self._wake_loop()
                self._may_read.wait()
                continue
            try:
                count = journal.take(drain.read_into, CHUNK)
            except BlockingIOError:
                left_s = window_ends - time.monotonic()
                if left_s <= 0:
                    if came < CHUNK:
                        break
                    came, left_s = 0, _WINDOW_S
                    window_ends = time.monotonic() + _WINDOW_S
                poll.poll(left_s * 1000)
                continue
            except OSError:  # EIO: the slave is closed
                count = 0
            if count == 0:
                self.ended = True
                break
            came += count
            self._wake_loop()
        drain.close()
        self.done = True
        self._wake_loop()

    def _wake_loop(self) -> None:
        if self._loop_waits:
            self._loop_waits = False
            self._wake()

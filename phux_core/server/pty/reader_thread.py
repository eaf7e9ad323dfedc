"""Reading the one pane that floods in a thread, while the event loop parses what was read before.

Reading a PTY and parsing each take about a core, and both go without the GIL, so where there is a second core a thread
nearly doubles the speed. It exists only while a single pane floods: it ends by itself when little came for a moment,
and is ended when a second flood begins, for then there is nothing to gain.

The thread only reads into the journal, which nobody else writes to meanwhile; everything else happens in the loop.
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
"""Bytes that may be read and not yet parsed: what an interrupted program still shows."""
CHUNK = 64 * 1024
"""Bytes read before the loop is told."""
# It is no flood any more if not even a chunk came in this time.
_WINDOW_S = 0.02
# How long the loop goes round before it sleeps and has to be woken. That costs more than the wait, which is mostly a
# tenth of this; and while one core is seen to be busy, the kernel keeps reader and writer together on another.
_SPIN_S = 0.0005
_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ReadAhead:
    """The reading thread of one pane.

    Args:
        fd: The PTY master, not blocking; stays open until ``stop`` or ``done``.
        journal: Where to read into.
        wake: Called from the thread when the loop, having said ``wait``, has something to do again.

    Attributes:
        ended: Whether the end of the output was found.
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
        """Tell how far the stream was parsed, or that the journal has room again."""
        self._parsed = position
        self._parsed_at = time.monotonic()
        self._may_read.set()

    def wait(self) -> bool:
        """Ask to be woken when more was read.

        Returns:
            Whether the loop may wait for that: false if there is something to do already, or will be in a moment.
        """
        if _CORES > 1 and time.monotonic() - self._parsed_at < _SPIN_S:
            return False
        self._loop_waits = True
        if self.done or self._journal.position > self._parsed:
            self._loop_waits = False
        return self._loop_waits

    def stop(self) -> None:
        """End the thread; returns when it has ended and no longer touches the descriptor or the journal."""
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
            if self._stopping:  # looked at behind clear(), which must not eat the word that it is
                break
            if journal.room < CHUNK or journal.position - self._parsed > AHEAD:
                self._tell_loop()
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
            except OSError:  # EIO: nobody holds the other side any more
                count = 0
            if count == 0:
                self.ended = True
                break
            came += count
            self._tell_loop()
        drain.close()
        self.done = True
        self._tell_loop()

    def _tell_loop(self) -> None:
        if self._loop_waits:
            self._loop_waits = False
            self._wake()

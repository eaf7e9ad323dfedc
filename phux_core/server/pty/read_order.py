"""Decide the order in which panes are read, so that a flood does not starve the others.

A ready pane is read at once. A flooding one waits in a queue, from which each iteration of the event loop takes one
slice: between two slices all clients and quiet panes are served. Slices are short while others are active, and
otherwise long, which is faster.
"""

from __future__ import annotations

from collections import deque
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    from phux_core.server.pty.intake import Intake

# Duration of a slice of a flood while others are active, and while none are.
_SHORT_S = 0.00015
_LONG_S = 0.004
# How long a client or pane counts as active.
_ACTIVE_S = 0.02


class After(Enum):
    """The next step after a slice was read."""

    MORE = "there is more at once"
    QUIET = "there is no more; wait until the descriptor is ready"
    LATER = "there is no more; the source calls resume"


class ReadTurns:
    """The reading order of all panes.

    Attributes:
        flooding: The sources that are read as floods.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._floods: deque[Intake] = deque()
        self._scheduled = False
        self._active_at = 0.0
        self.flooding: set[Intake] = set()

    @property
    def slice_s(self) -> float:
        """The current target duration of a slice."""
        return _SHORT_S if self._loop.time() - self._active_at < _ACTIVE_S else _LONG_S

    def note_activity(self) -> None:
        """Record activity that is not a flood."""
        self._active_at = self._loop.time()

    @property
    def one_floods(self) -> bool:
        return len(self.flooding) == 1

    def resume(self, source: Intake) -> None:
        """Resume a source that returned LATER."""
        if source.fd >= 0 and source not in self._floods:
            self._floods.append(source)
            self._schedule()

    def add(self, source: Intake) -> None:
        """Read a source whenever it is ready."""
        self._loop.add_reader(source.fd, self._on_ready, source)

    def read_now(self, source: Intake) -> None:
        """Read a source without waiting for its descriptor to be ready; a flood keeps its place in the queue."""
        if source.fd >= 0 and not source.floods and source not in self._floods:
            self._on_ready(source)

    def remove(self, source: Intake) -> None:
        """Stop reading a source; call before its descriptor is closed."""
        self._loop.remove_reader(source.fd)
        if source in self._floods:
            self._floods.remove(source)

    def _on_ready(self, source: Intake) -> None:
        if not source.floods:
            self.note_activity()
            if source.read_slice() is After.QUIET:
                return
        self._loop.remove_reader(source.fd)
        self._floods.append(source)
        self._schedule()

    def _schedule(self) -> None:
        if self._floods and not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._flood_turn)

    def _flood_turn(self) -> None:
        self._scheduled = False
        if self._floods:
            source = self._floods.popleft()
            after = After.MORE
            try:
                after = source.read_slice()
            finally:  # an error in one pane must not stop the reading of any pane
                if after is After.MORE:
                    self._floods.append(source)
                elif after is After.QUIET and source.fd >= 0:
                    self.add(source)
                self._schedule()

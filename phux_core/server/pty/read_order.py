"""Whose turn it is to be read, so that a flood starves nobody.

A pane that is ready is read at once. One that floods waits in a queue, of which each turn of the event loop takes one
slice: between two slices every client and every quiet pane is heard. Slices are short while there is anybody to hear,
and long, which is faster, while there is not.
"""

from __future__ import annotations

from collections import deque
from enum import Enum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import asyncio


# How long one slice of a flood keeps the others waiting, while there are any and while there are none.
_SHORT_S = 0.00015
_LONG_S = 0.004
# For how long somebody who was heard is expected to go on.
_ACTIVE_S = 0.02


class After(Enum):
    """What is to be done after a slice was read."""

    MORE = "there is more at once"
    QUIET = "there is no more; look when the descriptor is ready"
    LATER = "there is no more; the source will say when there is"


class Readable(Protocol):
    """Something with a descriptor that can be read in slices."""

    @property
    def floods(self) -> bool:
        """Whether it has had more to read than others should wait for."""

    @property
    def fd(self) -> int:
        """The descriptor; negative once closed."""

    def read_slice(self) -> After:
        """Read up to a slice and use it."""


class ReadTurns:
    """The reading order of all panes."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._floods: deque[Readable] = deque()
        self._scheduled = False
        self._heard_at = 0.0
        self._flooding: set[Readable] = set()

    @property
    def slice_s(self) -> float:
        """How long a slice of a flood should take, now."""
        return _SHORT_S if self._loop.time() - self._heard_at < _ACTIVE_S else _LONG_S

    def heard(self) -> None:
        """Take note that somebody who is not a flood was heard."""
        self._heard_at = self._loop.time()

    def flood_begins(self, source: Readable) -> None:
        """Count a source among the floods."""
        self._flooding.add(source)

    def flood_ends(self, source: Readable) -> None:
        """Count a source out."""
        self._flooding.discard(source)

    @property
    def one_floods(self) -> bool:
        """Whether there is a single flood."""
        return len(self._flooding) == 1

    def resume(self, source: Readable) -> None:
        """Take a source up again that said LATER."""
        if source.fd >= 0 and source not in self._floods:
            self._floods.append(source)
            self._schedule()

    def add(self, source: Readable) -> None:
        """Begin to read a source whenever it is ready."""
        self._loop.add_reader(source.fd, self._on_ready, source)

    def read_now(self, source: Readable) -> None:
        """Read a source without waiting for its descriptor to be ready; a flood waits for its turn all the same."""
        if source.fd >= 0 and not source.floods and source not in self._floods:
            self._on_ready(source)

    def remove(self, source: Readable) -> None:
        """Stop reading a source; before its descriptor closes."""
        self._loop.remove_reader(source.fd)
        if source in self._floods:
            self._floods.remove(source)

    def _on_ready(self, source: Readable) -> None:
        if not source.floods:
            self.heard()
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
            finally:  # one pane's trouble must not keep it, or the others, from being read
                if after is After.MORE:
                    self._floods.append(source)
                elif after is After.QUIET and source.fd >= 0:
                    self.add(source)
                self._schedule()

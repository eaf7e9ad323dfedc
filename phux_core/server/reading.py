"""Whose turn it is to be read, so that a flood starves nobody.

A pane that is ready is read at once, up to a slice. One that has more is put into a queue of floods, of which
each turn of the event loop takes one slice: between two slices every client and every quiet pane is heard.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import asyncio


class Readable(Protocol):
    """Something with a descriptor that can be read in slices."""

    @property
    def fd(self) -> int:
        """The descriptor; negative once closed."""

    def read_slice(self) -> bool:
        """Read up to a slice and use it.

        Returns:
            Whether there is more at once; if not, the descriptor will be ready when there is.
        """


class ReadTurns:
    """The reading order of all panes."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._floods: deque[Readable] = deque()
        self._scheduled = False

    def add(self, source: Readable) -> None:
        """Begin to read a source whenever it is ready."""
        self._loop.add_reader(source.fd, self._on_ready, source)

    def remove(self, source: Readable) -> None:
        """Stop reading a source; before its descriptor closes."""
        self._loop.remove_reader(source.fd)
        if source in self._floods:
            self._floods.remove(source)

    def _on_ready(self, source: Readable) -> None:
        if source.read_slice():
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
            if source.read_slice():
                self._floods.append(source)
            elif source.fd >= 0:
                self.add(source)
            self._schedule()

"""Which pane's frame to send to a browser next. No I/O.

A pane is read if it may have changed since it was last read, its browser has drawn the last frame, and its pace allows
it. A pane that is not shown is never read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define

if TYPE_CHECKING:
    from collections.abc import Iterable

    from phux_client.flows._types import Document

TILE_S = 0.2
"""The least time between two frames of a tile."""
OPEN_S = 1 / 60
"""The same for the pane that is open in full size."""
TYPED_S = 0.3
"""How long the open pane is read at its full pace after something was typed, even if it was silent before."""


@define
class _Tile:
    """The state of a shown pane.

    Attributes:
        version: The version that the browser has; None if it has none.
        changed: Whether the pane may have changed since its last read.
        is_sent: Whether a frame was sent that the browser has not drawn yet.
        next: The earliest time of the next read.
        rest: What was sent last besides rows.
    """

    version: int | None = None
    changed: bool = True
    is_sent: bool = False
    next: float = 0.0
    rest: object = None


class Tiles:
    """The panes that one browser shows: tiles, or the open pane."""

    def __init__(self) -> None:
        self._tiles: dict[int, _Tile] = {}
        self._open: int | None = None
        self._typed_until = 0.0
        self._taken: _Tile | None = None

    def show(self, panes: Iterable[int], opened: int | None = None) -> None:
        """Show these panes from now on; those that were not shown, or in another size, are sent whole."""
        kept = {
            pane: tile for pane, tile in self._tiles.items() if opened == self._open or pane not in {opened, self._open}
        }
        wanted = [*panes, *([] if opened is None else [opened])]
        self._tiles = {pane: kept.get(pane) or _Tile() for pane in wanted}
        self._open = opened

    def renew(self) -> None:
        """Read all shown panes again: the service has restarted, and events may be lost."""
        for tile in self._tiles.values():
            tile.changed = True

    def touch(self, pane: int) -> None:
        """Record that a pane may have changed."""
        if pane in self._tiles:
            self._tiles[pane].changed = True

    def typed(self, now: float) -> None:
        """Record that something was typed into the open pane: its effect is to be visible soon."""
        self._typed_until = now + TYPED_S
        if self._open is not None:
            self.touch(self._open)

    def drawn(self, panes: Iterable[int]) -> None:
        """Record that the browser has drawn the last frames of these panes."""
        for pane in panes:
            if pane in self._tiles:
                self._tiles[pane].is_sent = False

    def take(self, now: float) -> tuple[int, int | None] | None:
        """Return the pane to read now, the open one first, and the version that the browser has; None if none is due.

        The caller must then call ``read``, ``forget`` or ``touch``.
        """
        due = [pane for pane, tile in self._tiles.items() if tile.changed and not tile.is_sent and tile.next <= now]
        if not due:
            return None
        pane = self._open if self._open in due else min(due, key=lambda pane: self._tiles[pane].next)
        assert pane is not None
        tile = self._taken = self._tiles[pane]
        tile.changed = False  # before the read: an event that arrives meanwhile must not be lost
        return pane, tile.version

    def read(self, pane: int, frame: Document, now: float) -> bool:
        """Record that a pane was read, and return True if the frame must be sent to the browser."""
        tile = self._tiles.get(pane)
        if tile is None or tile is not self._taken:
            return False  # it is shown in another size now, and the frame may lack rows
        is_open = pane == self._open
        tile.next = now + (OPEN_S if is_open else TILE_S)
        tile.changed |= frame["writing"] or (is_open and now < self._typed_until)
        rest = [frame[name] for name in ("cursor", "modes", "title")]
        is_new = tile.version is None or bool(frame["whole"] or frame["rows"]) or rest != tile.rest
        tile.version, tile.rest = frame["version"], rest
        tile.is_sent |= is_new
        return is_new

    def forget(self, pane: int) -> None:
        """Stop reading a pane that no longer exists."""
        self._tiles.pop(pane, None)

    def next_at(self) -> float | None:
        """Return when ``take`` will return the next pane, or None if something else must happen first."""
        return min((tile.next for tile in self._tiles.values() if tile.changed and not tile.is_sent), default=None)

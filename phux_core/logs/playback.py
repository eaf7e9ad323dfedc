"""Rebuild the screens of a stored log: from the last checkpoint before a moment, and the output and resizes since."""

from __future__ import annotations

import zlib
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from phux_core import engine as engines
from phux_core.engine.protocol import DEFAULT_HISTORY, MAX_SIZE
from phux_core.errors import NoSuchTargetError
from phux_core.logs import places
from phux_core.logs.timeline import RESIZED, TERMINAL, checkpoint_name, is_until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from phux_core.engine import Engine
    from phux_core.logs.sizes import Size
    from phux_core.logs.stored import Stored
    from phux_core.logs.timeline import Entry, Timeline

_SLICE = 256 * 1024
_MOST_CHECKPOINT = 64 * 1024 * 1024
_MOST_HISTORY = 1_000_000
_LOST = "its output at {} is not in the log"


class Place(NamedTuple):
    """The moment that an engine shows.

    Attributes:
        seq: The offset in the output.
        cursor: The cursor of the timeline after the last entry that was applied.
        at: The time of that entry.
    """

    seq: int
    cursor: int
    at: float


class Playback:
    """The screens of a log.

    Args:
        sizes: The sizes that the terminal has had, for what the timeline does not cover.
        kept: The engine of an earlier playback of the same log, and the moment that it shows.

    Attributes:
        engine: The engine, at ``place``; both are None before the first ``seek``, and after one that failed.
    """

    def __init__(
        self, stored: Stored, timeline: Timeline, sizes: Sequence[Size], kept: tuple[Engine, Place] | None = None
    ) -> None:
        self._stored, self._timeline, self._sizes = stored, timeline, sizes
        self.engine: Engine | None = None
        self.place: Place | None = None
        if kept is not None:
            self.engine, self.place = kept

    def seek(self, seq: int, before: float | None = None) -> Engine:
        """Return an engine that shows the screen as it was.

        Args:
            seq: The offset in the output.
            before: Only consider resizes at this offset that happened until this time.

        Raises:
            NoSuchTargetError: The screen cannot be rebuilt.
        """
        engine, place = self._start(seq, before)
        self.engine = self.place = None  # until it is at its new place
        first, last = self._timeline.first, self._timeline.last
        sizes = [size for size in self._sizes if place.seq < size[0] <= seq]
        for size in sizes:
            if first is None or size[0] < first.seq:
                self._resize(engine, *size)
        for cursor, entry in self._timeline.entries(place.cursor):
            if not is_until(entry, seq, before):
                break
            place = self._apply(engine, cursor, entry)
        if last is not None and (before is None or before >= last.at):
            for size in sizes:
                if size[0] >= last.seq:
                    self._resize(engine, *size)
        self._feed(engine, seq)
        self.engine, self.place = engine, place._replace(seq=seq)
        return engine

    def play(self, seq: int) -> None:
        """Continue to an offset, before which nothing else happened.

        Raises:
            NoSuchTargetError: Output before it is missing.
        """
        engine, place = self.engine, self.place
        assert engine is not None
        assert place is not None
        self.engine = self.place = None
        self._feed(engine, seq)
        self.engine, self.place = engine, place._replace(seq=seq)

    def apply(self, cursor: int, entry: Entry) -> None:
        """Apply the next entry, given the cursor that follows it, after the output before it was played."""
        assert self.engine is not None
        self.place = self._apply(self.engine, cursor, entry)

    def first_screen(self, seq: int) -> tuple[int, float] | None:
        """Return the offset and the time of the first screen from an offset on that can be rebuilt."""
        least = max(self._hole(seq), self._stored.first)
        start: Entry | None = None
        if least:
            found = (entry for _cursor, entry in self._timeline.checkpoints(self._stored.end, None))
            start = min((entry for entry in found if entry.seq >= least), default=None)
            if start is None:
                return None
            seq = max(seq, start.seq)
        first = self._timeline.first
        at = self._timeline.time_at(seq) or (0.0 if first is None else first.at)
        return seq, at if start is None else max(at, start.at)

    def close(self) -> None:
        """Free the engine."""
        if self.engine is not None:
            self.engine.close()
            self.engine = self.place = None

    def _start(self, seq: int, before: float | None) -> tuple[Engine, Place]:
        """Return the engine to continue from: the current one, a checkpoint, or a new one at the start of the log."""
        engine, place = self.engine, self.place
        if place is not None and (place.seq, place.at) > (seq, inf if before is None else before):
            self.close()
            engine = place = None
        least = self._stored.first
        hole = self._hole(seq)
        for cursor, entry in self._timeline.checkpoints(seq, before):
            if entry.seq < max(least, hole) or (place is not None and entry.seq <= place.seq):
                break
            found = self._restore(entry.seq)
            if found is not None:
                self.close()
                return found, Place(entry.seq, cursor, entry.at)
        if engine is not None and place is not None and place.seq >= hole:
            return engine, place
        if least == 0 and hole == 0:
            return self._first_terminal(), Place(0, 0, 0.0)
        raise NoSuchTargetError(f"the screen at {seq} cannot be rebuilt: {self._reason(hole)}")

    def _hole(self, seq: int) -> int:
        """Return the end of the last hole before an offset; 0 if there is none."""
        return max((end for _start, end in self._stored.holes(0, seq)), default=0)

    def _restore(self, offset: int) -> Engine | None:
        data = places.read_file(checkpoint_name(offset), _MOST_CHECKPOINT, dir_fd=self._stored.directory)
        try:
            engine = engines.restore(zlib.decompressobj().decompress(data, _MOST_CHECKPOINT))
        except Exception:  # noqa: BLE001  it is missing, damaged, or of another version
            return None
        if engine.position == offset:
            return engine
        engine.close()
        return None

    def _first_terminal(self) -> Engine:
        """Return the terminal at the start of the log."""
        first = self._timeline.first
        fields = first.fields if first is not None and first.kind == TERMINAL else {}
        name = fields.get("engine")
        history = fields.get("history")
        size = _size_of(first) if first is not None and first.kind == TERMINAL and first.seq == 0 else None
        return engines.create(
            name if name in engines.ENGINES else engines.choose(None),
            *(size or self._sizes[0][1:]),
            history=history if type(history) is int and 0 <= history <= _MOST_HISTORY else DEFAULT_HISTORY,
        )

    def _apply(self, engine: Engine, cursor: int, entry: Entry) -> Place:
        if entry.kind == RESIZED and (size := _size_of(entry)) is not None:
            self._resize(engine, entry.seq, *size)
        return Place(entry.seq, cursor, entry.at)

    def _resize(self, engine: Engine, offset: int, cols: int, rows: int) -> None:
        self._feed(engine, offset)
        if (engine.cols, engine.rows) != (cols, rows):
            engine.resize(cols, rows)

    def _feed(self, engine: Engine, end: int) -> None:
        """Feed the output before an offset."""
        while engine.position < end:
            start, data = self._stored.read(engine.position, min(_SLICE, end - engine.position))
            if start != engine.position or not data:
                engine.close()
                raise NoSuchTargetError(f"the screen at {end} cannot be rebuilt: {_LOST.format(engine.position)}")
            engine.feed(data)

    def _reason(self, hole: int) -> str:
        """Explain why there is nothing to start from, and what can be shown instead."""
        reason = _LOST.format(hole - 1) if hole else f"its log begins at {self._stored.first}"
        first = self.first_screen(max(hole, self._stored.first))
        return reason if first is None else f"{reason}, and the first screen that can be rebuilt is at {first[0]}"


def _size_of(entry: Entry) -> tuple[int, int] | None:
    cols, rows = entry.fields.get("cols"), entry.fields.get("rows")
    if type(cols) is int and type(rows) is int and 1 <= cols <= MAX_SIZE and 1 <= rows <= MAX_SIZE:
        return cols, rows
    return None

"""Rebuild a terminal after the death of a service, from its checkpoint and what was written since.

Nothing here raises because of what a checkpoint or a journal holds: a terminal that cannot be rebuilt starts blank, at
the right place in the stream, and ``Rebuilt.note`` says what happened.
"""

from __future__ import annotations

import json
import logging
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from phux_core import engine as engines
from phux_core.engine.protocol import DEFAULT_HISTORY
from phux_core.engine.tap import Tap

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.engine import Engine
    from phux_core.engine.protocol import Effect
    from phux_core.keeper.journal import Journal

SET_ASIDE = "its screen was cleared: the service died again and again while rebuilding it; the log has it all"
UNREADABLE = "its last checkpoint could not be used; what was written before it is only in the log"
CLEARED = "its screen could not be rebuilt after a restart of the service and was cleared; the log has it all"

_LABEL = struct.Struct(">QI")
# Fed at a time, so that the keeper sees a long replay make progress.
_SLICE = 256 * 1024
_log = logging.getLogger("phux.recovery")


class Rebuilt(NamedTuple):
    """A terminal that came back.

    Attributes:
        engine: The terminal; its position is the journal's.
        notes: What was written down beside the checkpoint; None if there was none.
        effects: What the stream since then did. Replies were sent and events told: only what is remembered matters.
        note: What could not be rebuilt; None if all was.
        is_aside: Whether nothing of what the journal holds is to be looked at.
    """

    engine: Engine
    notes: dict[str, Any] | None
    effects: list[Effect]
    note: str | None = None
    is_aside: bool = False


def rebuild(
    name: str,
    cols: int,
    rows: int,
    checkpoint: bytes | None,
    journal: Journal,
    history: int = DEFAULT_HISTORY,
    progress: Callable[[], object] = lambda: None,
) -> Rebuilt:
    """Make a pane's engine.

    Args:
        name: Which engine it is to have.
        cols: Columns.
        rows: Rows.
        checkpoint: The terminal when the journal was empty, as ``label`` made it; None if it was new then.
        journal: What was fed since.
        history: How many rows of history a new terminal keeps.
        progress: Called again and again while the journal is replayed.
    """
    engine = notes = note = None
    start = journal.base
    if checkpoint:
        try:
            position, notes, packed = _unlabel(checkpoint)
            engine = _restore(packed, name, position, journal)
        except Exception:  # noqa: BLE001  one pane that cannot come back as it was must not keep the others from it
            _log.exception("a checkpoint could not be restored; what was written since is fed to a new terminal")
            note = UNREADABLE
        if engine is not None:
            # A service that died between the two left a checkpoint that has some of the journal already.
            start = engine.position
    try:
        if engine is None:
            engine = engines.create(name, cols, rows, history=history, position=start)
        effects = _replay(engine, journal, start, progress)
        if (engine.cols, engine.rows) != (cols, rows):
            engine.resize(cols, rows)
    except Exception:  # noqa: BLE001
        _log.exception("a terminal could not be rebuilt; it starts blank")
        return Rebuilt(blank(name, cols, rows, journal.position, history), notes, _marks(journal, start), CLEARED)
    return Rebuilt(engine, notes, effects, note)


def blank(name: str, cols: int, rows: int, position: int, history: int = DEFAULT_HISTORY) -> Engine:
    """Make an empty terminal that goes on at a place in the stream: with this engine, or if it cannot, with pyte."""
    try:
        return engines.create(name, cols, rows, history=history, position=position)
    except Exception:  # noqa: BLE001  not installed any more, or it cannot be loaded
        _log.exception("the %s engine cannot be used", name)
        return engines.create("pyte", cols, rows, history=history, position=position)


def label(checkpoint: bytes, position: int, notes: dict[str, Any]) -> bytes:
    """Put before a checkpoint its place in the stream and what else is to be remembered of that moment."""
    text = json.dumps(notes).encode()
    return _LABEL.pack(position, len(text)) + text + checkpoint


def _unlabel(labelled: bytes) -> tuple[int, dict[str, Any], bytes]:
    position, size = _LABEL.unpack_from(labelled)
    notes: dict[str, Any] = json.loads(labelled[_LABEL.size : _LABEL.size + size])
    return position, notes, labelled[_LABEL.size + size :]


def _restore(checkpoint: bytes, name: str, position: int, journal: Journal) -> Engine | None:
    """Restore a checkpoint; None if it is another engine's.

    Raises:
        ValueError: It is damaged, of another release, or the journal does not follow it.
    """
    engine = engines.restore(checkpoint)
    # A keeper that did not listen may have an old one, and the journal has begun anew since.
    if engine.name == name and engine.position == position and journal.base <= position <= journal.position:
        return engine
    engine.close()
    if engine.name != name:
        return None
    raise ValueError(f"a checkpoint at {position}, of a journal from {journal.base} to {journal.position}")


def _replay(engine: Engine, journal: Journal, start: int, progress: Callable[[], object]) -> list[Effect]:
    effects: list[Effect] = []
    for place in range(start, journal.position, _SLICE):
        progress()
        effects += engine.feed(journal.since(place, _SLICE))
    return effects


def _marks(journal: Journal, start: int) -> list[Effect]:
    """Find the marks in what was written, without a terminal: they tell what the shell does."""
    return Tap(start).scan(journal.since(start))[1]

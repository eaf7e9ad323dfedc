"""Rebuild a terminal after a restart of the service, from its checkpoint and the output since.

Invalid checkpoints and journals raise no exceptions: a terminal that cannot be rebuilt starts blank, at the right
position in the output, and ``Rebuilt.note`` explains it.
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

SET_ASIDE = "its screen was cleared: the service crashed repeatedly while rebuilding it; the log is complete"
UNREADABLE = "its last checkpoint could not be used; earlier output is only in the log"
DAMAGED = "its latest output was damaged by a crash of the service; the log may lack it"
CLEARED = "its screen could not be rebuilt after a restart of the service and was cleared; the log is complete"

_LABEL = struct.Struct(">QI")
# Fed in slices, so that the keeper sees the progress of a long replay.
_SLICE = 256 * 1024
_log = logging.getLogger("phux.recovery")


class Rebuilt(NamedTuple):
    """A rebuilt terminal.

    Attributes:
        engine: The engine; its position is the journal's.
        notes: The state stored with the checkpoint; None if there was no checkpoint.
        effects: The effects of the output since then. Replies were sent and events published by the earlier service, so
            only marks matter.
        note: What could not be rebuilt; None if everything was. ``SET_ASIDE`` if the journal was not read, because it
            crashed earlier services.
    """

    engine: Engine
    notes: dict[str, Any] | None
    effects: list[Effect]
    note: str | None = None


def rebuild(
    name: str,
    cols: int,
    rows: int,
    checkpoint: bytes | None,
    journal: Journal,
    history: int = DEFAULT_HISTORY,
    progress: Callable[[], object] = lambda: None,
) -> Rebuilt:
    """Rebuild a pane's engine.

    Args:
        checkpoint: The checkpoint at the start of the journal, from ``label``; None if the terminal was new.
        progress: Called repeatedly while the journal is replayed.
    """
    engine = notes = None
    note = DAMAGED if journal.is_damaged else None
    start = journal.base
    if checkpoint:
        try:
            position, notes, packed = _unlabel(checkpoint)
            engine = _restore(packed, name, position, journal)
        except Exception:  # noqa: BLE001  one pane must not keep the others from being rebuilt
            _log.exception("a checkpoint could not be restored; the output since is fed to a new terminal")
            note = UNREADABLE
        if engine is not None:
            # A service that died before it restarted the journal left a checkpoint that includes some of it.
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
    """Create a blank engine that continues at a position in the output: this one, or pyte if that fails."""
    try:
        return engines.create(name, cols, rows, history=history, position=position)
    except Exception:  # noqa: BLE001  not installed any more, or it cannot be loaded
        _log.exception("the %s engine cannot be used", name)
        return engines.create("pyte", cols, rows, history=history, position=position)


def label(checkpoint: bytes, position: int, notes: dict[str, Any]) -> bytes:
    """Add the position in the output and other state to a checkpoint."""
    text = json.dumps(notes).encode()
    return _LABEL.pack(position, len(text)) + text + checkpoint


def _unlabel(labelled: bytes) -> tuple[int, dict[str, Any], bytes]:
    position, size = _LABEL.unpack_from(labelled)
    notes: dict[str, Any] = json.loads(labelled[_LABEL.size : _LABEL.size + size])
    return position, notes, labelled[_LABEL.size + size :]


def _restore(checkpoint: bytes, name: str, position: int, journal: Journal) -> Engine | None:
    """Restore a checkpoint; return None if it is another engine's, and raise an error if it cannot be used."""
    engine = engines.restore(checkpoint)
    # A keeper that was stuck may have an old checkpoint, from before the journal was restarted.
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
    """Return the marks in the output, without a terminal."""
    return Tap(start).scan(journal.since(start))[1]

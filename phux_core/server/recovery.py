"""A pane's terminal as it was when the last service died: its checkpoint, and what was written since."""

from __future__ import annotations

import json
import logging
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from phux_core import engine as engines
from phux_core.engine.protocol import DEFAULT_HISTORY

if TYPE_CHECKING:
    from phux_core.engine import Engine
    from phux_core.engine.protocol import Effect
    from phux_core.keeper.journal import Journal

_LABEL = struct.Struct(">QI")
_log = logging.getLogger("phux.recovery")


class Rebuilt(NamedTuple):
    """A terminal that came back.

    Attributes:
        engine: The terminal.
        notes: What was written down beside the checkpoint; None if there was none.
        effects: What the stream since then did. Replies were sent and events told: only what is remembered matters.
    """

    engine: Engine
    notes: dict[str, Any] | None
    effects: list[Effect]


def rebuild(
    name: str, cols: int, rows: int, checkpoint: bytes | None, journal: Journal, history: int = DEFAULT_HISTORY
) -> Rebuilt:
    """Make a pane's engine.

    Args:
        name: Which engine it is to have.
        cols: Columns.
        rows: Rows.
        checkpoint: The terminal when the journal was empty, as ``label`` made it; None if it was new then.
        journal: What was fed since.
        history: How many rows of history a new terminal keeps.
    """
    try:
        return _rebuild(name, cols, rows, checkpoint, journal, history)
    except Exception:  # noqa: BLE001  one pane that cannot come back as it was must not keep the others from it
        _log.exception("a terminal could not be rebuilt; it starts empty")
        return Rebuilt(engines.create(name, cols, rows, history=history), None, [])


def label(checkpoint: bytes, position: int, notes: dict[str, Any]) -> bytes:
    """Put before a checkpoint its place in the stream and what else is to be remembered of that moment."""
    text = json.dumps(notes).encode()
    return _LABEL.pack(position, len(text)) + text + checkpoint


def _rebuild(name: str, cols: int, rows: int, labelled: bytes | None, journal: Journal, history: int) -> Rebuilt:
    engine = notes = None
    content = journal.content()
    position = journal.base
    if labelled:
        position, size = _LABEL.unpack_from(labelled)
        notes = json.loads(labelled[_LABEL.size : _LABEL.size + size])
        engine = _restore(labelled[_LABEL.size + size :], name)
        if engine is not None:
            # A service that died between the two left a checkpoint that has some of the journal already.
            content = content[max(0, position - journal.base) :]
    if engine is None:
        engine = engines.create(name, cols, rows, history=history)
    effects = engine.feed(content)
    if (engine.cols, engine.rows) != (cols, rows):
        engine.resize(cols, rows)
    return Rebuilt(engine, notes, effects)


def _restore(checkpoint: bytes, name: str) -> Engine | None:
    """Restore a checkpoint if it is one of this engine's and of this release's."""
    try:
        engine = engines.restore(checkpoint)
    except (ValueError, ImportError):
        _log.exception("a checkpoint could not be restored; what was written since is fed to a new terminal")
        return None
    if engine.name != name:
        engine.close()
        return None
    return engine

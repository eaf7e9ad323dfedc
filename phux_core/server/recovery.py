"""A pane's terminal as it was when the last service died: its checkpoint, and what was written since."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from phux_core import engine as engines

if TYPE_CHECKING:
    from phux_core.engine import Engine
    from phux_core.keeper.journal import Journal

_log = logging.getLogger("phux.recovery")


def rebuild(name: str, cols: int, rows: int, checkpoint: bytes | None, journal: Journal) -> Engine:
    """Make a pane's engine.

    Args:
        name: Which engine it is to have.
        cols: Columns.
        rows: Rows.
        checkpoint: The terminal when the journal was empty, as ``label`` made it; None if it was new then.
        journal: What was fed since. Its effects are not wanted again: replies were sent, events told.
    """
    try:
        return _rebuild(name, cols, rows, checkpoint, journal)
    except Exception:  # noqa: BLE001  one pane that cannot come back as it was must not keep the others from it
        _log.exception("a terminal could not be rebuilt; it starts empty")
        return engines.create(name, cols, rows)


def label(checkpoint: bytes, position: int) -> bytes:
    """Put the place in the stream before a checkpoint."""
    return position.to_bytes(8, "big") + checkpoint


def _rebuild(name: str, cols: int, rows: int, labelled: bytes | None, journal: Journal) -> Engine:
    engine = None
    content = journal.content()
    if labelled:
        engine = _restore(labelled[8:], name)
        if engine is not None:
            # A service that died between the two left a checkpoint that has some of the journal already.
            had = int.from_bytes(labelled[:8], "big") - (journal.position - len(content))
            content = content[max(0, had) :]
    if engine is None:
        engine = engines.create(name, cols, rows)
    engine.feed(content)
    if (engine.cols, engine.rows) != (cols, rows):
        engine.resize(cols, rows)
    return engine


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

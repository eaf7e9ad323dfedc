"""Rebuild a terminal after a restart of the service, from its checkpoint and the output since.

That takes a while for a long scrollback, so a terminal is only rebuilt when it is used, or in idle time. Until then,
its shell's marks and its most-read properties are known without it.

Invalid checkpoints and journals raise no exceptions: a terminal that cannot be rebuilt starts blank, at the right
position in the output, and a note explains it.
"""

from __future__ import annotations

import json
import logging
import struct
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from phux_core import engine as engines
from phux_core.compact_json import to_bytes
from phux_core.engine.protocol import DEFAULT_HISTORY, PrivateOsc
from phux_core.engine.tap import Tap

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.engine import Engine
    from phux_core.keeper.journal import Journal

SET_ASIDE = "its screen was cleared: the service crashed repeatedly while rebuilding it; the log is complete"
UNREADABLE = "its last checkpoint could not be used; earlier output is only in the log"
DAMAGED = "its latest output was damaged by a crash of the service; the log may lack it"
CLEARED = "its screen could not be rebuilt after a restart of the service and was cleared; the log is complete"

_LABEL = struct.Struct(">QI")
# Fed in slices, so that the keeper sees the progress of a long replay.
_SLICE = 256 * 1024
_log = logging.getLogger("phux.recovery")


class Stored(NamedTuple):
    """The terminal of an earlier service.

    Attributes:
        end: The position in the output at which the rebuilt terminal continues.
        start: The position of its checkpoint; the output since is replayed.
        checkpoint: The engine's checkpoint, compressed; None if there is none, or if it does not match the journal.
        notes: The state stored with the checkpoint; None if there was no checkpoint.
        marks: The shell's marks in the output since. Other effects of that output were handled by the earlier service.
        note: What could not be restored; None if everything was. ``SET_ASIDE`` if the journal was not read, because it
            crashed earlier services.
    """

    end: int
    start: int
    checkpoint: bytes | None
    notes: dict[str, Any] | None
    marks: list[PrivateOsc]
    note: str | None = None


def read_stored(labelled: bytes | None, journal: Journal) -> Stored:
    """Read the terminal of a pane that an earlier service stored.

    Args:
        labelled: The checkpoint at the start of the journal, from ``label``; None if the terminal was new.
    """
    checkpoint = notes = None
    note = DAMAGED if journal.is_damaged else None
    tap = Tap(journal.base)
    if labelled:
        try:
            position, notes, packed = _unlabel(labelled)
            # A keeper that was stuck may have an old checkpoint, from before the journal was restarted.
            if not journal.base <= position <= journal.position:
                raise ValueError(f"a checkpoint at {position}, of a journal from {journal.base} to {journal.position}")
            # A service that died before it restarted the journal left a checkpoint that includes some of it.
            checkpoint, tap = packed, _load_tap(notes, position)
        except Exception:  # noqa: BLE001  one pane must not keep the others from being restored
            _log.exception("a checkpoint cannot be used; the output since is fed to a new terminal")
            note = UNREADABLE
    start = tap.position
    marks = [effect for effect in tap.scan(journal.since(start))[1] if isinstance(effect, PrivateOsc)]
    return Stored(journal.position, start, checkpoint, notes, marks, note)


def rebuild(
    name: str,
    cols: int,
    rows: int,
    stored: Stored,
    journal: Journal,
    history: int = DEFAULT_HISTORY,
    progress: Callable[[], object] = lambda: None,
) -> tuple[Engine, str | None]:
    """Rebuild a pane's engine; return it, and a note on what could not be rebuilt.

    Args:
        progress: Called repeatedly while the journal is replayed.
    """
    engine, note = None, stored.note
    start = journal.base
    if stored.checkpoint is not None:
        try:
            engine = _restore(stored.checkpoint, name, stored.start)
        except Exception:  # noqa: BLE001
            _log.exception("a checkpoint could not be restored; the output since is fed to a new terminal")
            note = UNREADABLE
        if engine is not None:
            start = engine.position
    try:
        if engine is None:
            engine = engines.create(name, cols, rows, history=history, position=start)
        for place in range(start, stored.end, _SLICE):
            progress()
            engine.feed(journal.since(place, min(_SLICE, stored.end - place)))
        if (engine.cols, engine.rows) != (cols, rows):
            engine.resize(cols, rows)
    except Exception:  # noqa: BLE001
        _log.exception("a terminal could not be rebuilt; it starts blank")
        return blank(name, cols, rows, stored.end, history), CLEARED
    return engine, note


def summary(engine: Engine) -> bytes:
    """Return the properties of a terminal that are often read, for ``read_summary``."""
    return to_bytes([engine.position, engine.alt_screen, engine.title])


def read_summary(journal: Journal) -> dict[str, Any]:
    """Return the properties of a terminal that are known without rebuilding it; empty if it has changed."""
    if journal.position == 0:
        return {"alt_screen": False, "title": None}
    try:
        position, alt_screen, title = json.loads(journal.summary)
    except (ValueError, TypeError):
        return {}
    is_valid = position == journal.position and isinstance(alt_screen, bool) and isinstance(title, str | None)
    return {"alt_screen": alt_screen, "title": title} if is_valid else {}


def blank(name: str, cols: int, rows: int, position: int, history: int = DEFAULT_HISTORY) -> Engine:
    """Create a blank engine that continues at a position in the output, or a pyte engine if that fails."""
    try:
        return engines.create(name, cols, rows, history=history, position=position)
    except Exception:  # noqa: BLE001  the engine is no longer installed, or cannot be loaded
        _log.exception("the %s engine cannot be used", name)
        return engines.create("pyte", cols, rows, history=history, position=position)


def label(checkpoint: bytes, position: int, notes: dict[str, Any], tap: str = "") -> bytes:
    """Add the position in the output, the state of its scanner (``Tap.dump``) and other state to a checkpoint."""
    text = json.dumps({**notes, "tap": tap} if tap else notes).encode()
    return _LABEL.pack(position, len(text)) + text + zlib.compress(checkpoint, 1)


def _unlabel(labelled: bytes) -> tuple[int, dict[str, Any], bytes]:
    position, size = _LABEL.unpack_from(labelled)
    notes: dict[str, Any] = json.loads(labelled[_LABEL.size : _LABEL.size + size])
    return position, notes, labelled[_LABEL.size + size :]


def _load_tap(notes: dict[str, Any], position: int) -> Tap:
    """Return the scanner for the output since a checkpoint, which may begin inside a mark."""
    state = notes.pop("tap", None)
    tap = Tap(position) if state is None else Tap.load(state)
    return tap if tap.position == position else Tap(position)


def _restore(checkpoint: bytes, name: str, position: int) -> Engine | None:
    """Restore a checkpoint; return None if it is another engine's, and raise an error if it cannot be used."""
    engine = engines.restore(zlib.decompress(checkpoint))
    if engine.name == name and engine.position == position:
        return engine
    engine.close()
    if engine.name != name:
        return None
    raise ValueError(f"a checkpoint at {engine.position}, labelled {position}")

"""Checkpoints of the ghostty engine: libghostty's snapshot, and the state that it does not include or support."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from phux_core.engine import CHECKPOINT_MAGIC
from phux_core.engine.ghostty.native import GhosttyError, continuation, encode_snapshot, write
from phux_core.engine.ghostty.state import ORIGIN, cursor, is_alternate, with_mode

if TYPE_CHECKING:
    from phux_core.engine.ghostty.grid import Grid

_MAGIC = CHECKPOINT_MAGIC + b"ghostty\n"
_VERSION = 4


class Checkpoint(NamedTuple):
    """The parts of a checkpoint: the history limit, the title, the state of two scanners, and libghostty's snapshot."""

    history: int
    title: str | None
    unsupported: str
    tap: str
    snapshot: bytes


def pack(parts: Checkpoint) -> bytes:
    """Return a checkpoint as bytes: a line of JSON and the snapshot."""
    head = [_VERSION, parts.history, parts.title, parts.unsupported, parts.tap, len(parts.snapshot)]
    return b"".join((_MAGIC, json.dumps(head).encode(), b"\n", parts.snapshot))


def unpack(checkpoint: bytes) -> Checkpoint:
    """Split a checkpoint into its parts.

    Raises:
        ValueError: The bytes are not a checkpoint of this engine, or have an unsupported version.
    """
    head, _, snapshot = checkpoint.removeprefix(_MAGIC).partition(b"\n")
    try:
        version, history, title, unsupported, tap, size = json.loads(head)
        parts = Checkpoint(int(history), title, str(unsupported), str(tap), snapshot)
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError("the data is not a checkpoint of the ghostty engine") from error
    if version != _VERSION:
        raise ValueError(f"the checkpoint has version {version}, not {_VERSION}")
    if len(snapshot) != size:
        raise ValueError(f"the checkpoint is damaged: its snapshot has {len(snapshot)} bytes, not {size}")
    return parts


def snapshot(terminal: Any, grid: Grid, cols: int, rows: int) -> bytes:
    """Return libghostty's snapshot of the terminal, including the current sequence.

    State of the terminal that cannot be encoded is changed.

    Raises:
        GhosttyError: The library refuses to encode the terminal, for an unknown reason.
    """
    encoded = encode_snapshot(terminal)
    if encoded is not None:
        return encoded
    # One reason to refuse is a cut wide character on the alternate screen, even while that screen is hidden (see
    # repair_cut_glyphs). To repair the character, cancel the current sequence, and start the sequence again afterwards.
    under_way = continuation(terminal)
    if under_way != b"":
        write(terminal, b"\x18")
    if is_alternate(terminal):
        repair_cut_glyphs(terminal, grid, cols, rows)
    else:
        write(terminal, b"\x1b[?47h\x1b7")  # this mode keeps the cursor position when switching screens
        repair_cut_glyphs(terminal, grid, cols, rows)
        write(terminal, b"\x1b8\x1b[?47l")
    # The other reason is a sequence that is too long to be kept, or that libghostty would parse differently the second
    # time. Such a sequence has no effect, so replace it with a short APC, which also has no effect and ends in the same
    # place. (The tap passes on only whole OSCs.)
    harmless = b"\x1b_"
    for beginning in (harmless if under_way is None else under_way, harmless, b""):
        write(terminal, beginning)
        encoded = encode_snapshot(terminal)
        if encoded is not None:
            return encoded
        write(terminal, b"\x18")
    raise GhosttyError("libghostty-vt cannot encode this terminal")


def repair_cut_glyphs(terminal: Any, grid: Grid, cols: int, rows: int) -> None:
    """Blank wide characters that were cut in half when the alternate screen became narrower.

    libghostty keeps their left halves in the last column when it resizes that screen, which does not reflow, and then
    refuses to encode a snapshot. Call between sequences, with the alternate screen shown.
    """
    cut = grid.cut_rows(cols, rows)
    if not cut:
        return
    x, y = cursor(terminal)
    with with_mode(terminal, ORIGIN, on=False):
        for row in cut:
            # Use DCH, because ECH spares protected cells.
            write(terminal, b"\x1b[%d;%dH\x1b[P" % (row + 1, cols))
        write(terminal, b"\x1b[%d;%dH" % (y + 1, x + 1))

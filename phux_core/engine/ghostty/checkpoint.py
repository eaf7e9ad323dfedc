"""Checkpoints of the ghostty engine: libghostty's snapshot, and the state that it does not include or support."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from phux_core.engine import CHECKPOINT_MAGIC
from phux_core.engine.ghostty.native import GhosttyError, continuation, encode_snapshot, lib
from phux_core.engine.ghostty.state import is_alternate, number, origin_at_top

if TYPE_CHECKING:
    from phux_core.engine.ghostty.grid import Grid

_MAGIC = CHECKPOINT_MAGIC + b"ghostty\n"
_VERSION = 2
# Version, history limit, lengths of title (-1: none), unsupported sequences' state, tap and snapshot.
_HEADER = struct.Struct("<HIiIII")


class Checkpoint(NamedTuple):
    """The parts of a checkpoint.

    Attributes:
        history: The history limit.
        title: The window title.
        unsupported: The state of ``UnsupportedSequences``.
        tap: The state of the tap.
        snapshot: libghostty's snapshot.
    """

    history: int
    title: str | None
    unsupported: bytes
    tap: bytes
    snapshot: bytes


def pack(parts: Checkpoint) -> bytes:
    """Return a checkpoint as bytes."""
    title = None if parts.title is None else parts.title.encode("utf-8", "replace")
    head = _HEADER.pack(
        _VERSION,
        parts.history,
        -1 if title is None else len(title),
        len(parts.unsupported),
        len(parts.tap),
        len(parts.snapshot),
    )
    return b"".join((_MAGIC, head, title or b"", parts.unsupported, parts.tap, parts.snapshot))


def unpack(checkpoint: bytes) -> Checkpoint:
    """Split a checkpoint into its parts.

    Raises:
        ValueError: The bytes are not a checkpoint of this engine, or have an unsupported version.
    """
    at = len(_MAGIC)
    if not checkpoint.startswith(_MAGIC) or len(checkpoint) < at + _HEADER.size:
        raise ValueError("not a checkpoint of the ghostty engine")
    version, history, title_size, unsupported_size, tap_size, snapshot_size = _HEADER.unpack_from(checkpoint, at)
    if version != _VERSION:
        raise ValueError(f"a checkpoint of version {version}, this is {_VERSION}")
    title_at = at + _HEADER.size
    unsupported_at = title_at + max(title_size, 0)
    tap_at = unsupported_at + unsupported_size
    snapshot_at = tap_at + tap_size
    if len(checkpoint) != snapshot_at + snapshot_size:
        raise ValueError("a checkpoint that was cut off")
    title = None if title_size < 0 else checkpoint[title_at:unsupported_at].decode("utf-8", "replace")
    return Checkpoint(
        history, title, checkpoint[unsupported_at:tap_at], checkpoint[tap_at:snapshot_at], checkpoint[snapshot_at:]
    )


def snapshot(terminal: Any, grid: Grid, cols: int, rows: int, *, in_osc: bool) -> bytes:
    """Return libghostty's snapshot of the terminal, including the current sequence.

    Args:
        terminal: The native terminal. State that cannot be encoded is changed.
        grid: Its grid.
        cols: Its columns.
        rows: Its rows.
        in_osc: Whether the stream is inside an OSC.

    Raises:
        GhosttyError: The library refuses for an unknown reason.
    """
    encoded = encode_snapshot(terminal)
    if encoded is not None:
        return encoded
    # One reason to refuse is a cut wide character on the alternate screen (see mend), even while it is hidden. To
    # repair it, cancel the current sequence, and start it again afterwards.
    under_way = continuation(terminal)
    if under_way != b"":
        _write(terminal, b"\x18")
    if is_alternate(terminal):
        mend(terminal, grid, cols, rows)
    else:
        _write(terminal, b"\x1b[?47h\x1b7")  # this mode keeps the cursor position when switching screens
        mend(terminal, grid, cols, rows)
        _write(terminal, b"\x1b8\x1b[?47l")
    # The other reason is a sequence too long to be kept, or that libghostty would parse differently the second time. It
    # would have no effect, so replace it with a short one that has no effect either and ends in the same place.
    harmless = b"\x1b]99999;" if in_osc else b"\x1b_"
    for beginning in (harmless if under_way is None else under_way, harmless, b""):
        _write(terminal, beginning)
        encoded = encode_snapshot(terminal)
        if encoded is not None:
            return encoded
        _write(terminal, b"\x18")
    raise GhosttyError("libghostty-vt cannot encode this terminal")


def mend(terminal: Any, grid: Grid, cols: int, rows: int) -> None:
    """Blank wide characters that were cut in half when the alternate screen became narrower.

    libghostty keeps their left halves in the last column when it resizes that screen, which does not reflow, and then
    refuses to encode a snapshot. Call between sequences, with the alternate screen shown.
    """
    cut = grid.cut_rows(cols, rows)
    if not cut:
        return
    x = number(terminal, lib.GHOSTTY_TERMINAL_DATA_CURSOR_X)
    y = number(terminal, lib.GHOSTTY_TERMINAL_DATA_CURSOR_Y)
    with origin_at_top(terminal):
        for row in cut:
            # DCH instead of ECH, which spares protected cells.
            _write(terminal, b"\x1b[%d;%dH\x1b[P" % (row + 1, cols))
        _write(terminal, b"\x1b[%d;%dH" % (y + 1, x + 1))


def _write(terminal: Any, data: bytes) -> None:
    lib.ghostty_terminal_vt_write(terminal, data, len(data))

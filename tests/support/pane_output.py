"""Write output as a pane's program does, to a descriptor or directly into a journal."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from phux_core.keeper.journal import MAX_READ

if TYPE_CHECKING:
    from phux_core.keeper.journal import Journal


def write_all(fd: int, data: bytes) -> None:
    """Write all data to a descriptor."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_journal(journal: Journal, data: bytes) -> None:
    """Append output to a journal, in reads of the allowed size."""
    for start in range(0, len(data), MAX_READ):
        piece = data[start : start + MAX_READ]

        def copy(room: memoryview, piece: bytes = piece) -> int:
            room[: len(piece)] = piece
            return len(piece)

        journal.take(copy, len(piece))

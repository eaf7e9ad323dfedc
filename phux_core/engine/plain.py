"""Render output bytes as the text they leave on a terminal.

Carriage returns and cursor motion are applied, escape sequences removed, soft wraps joined. Most output only flows
downwards: it needs no engine and keeps its tabs and trailing blanks. Other output is fed to an engine.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from phux_core import escapes
from phux_core.engine import create
from phux_core.width import join_wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

_TRACELESS_CHARACTERS = dict.fromkeys(map(ord, "\0\a\x7f"))
_MOVES = re.compile(r"[\x01-\x08\x0b-\x1f\x80-\x9f]")
# A carriage return at the beginning or end of a line changes nothing.
_NEWLINE = re.compile(r"\r*\n\r*")
# This changes nothing in flowing text, where the rest of a line is still blank.
_ERASE_REST = "\x1b[K"
# More rows than any output that fits in memory.
_ALL_ROWS = 100_000_000


def as_written(data: bytes, *, cols: int, rows: int, resizes: Sequence[tuple[int, int, int]] = ()) -> str:
    r"""Return the text that output leaves on a terminal of this size, without trailing blank lines.

    Args:
        data: The output, from the beginning of a line.
        resizes: Positions in the output, each with the columns and rows of the terminal from there on.

    Example:
        >>> as_written(b"10%\r50%\r\x1b[32m100%\x1b[m\r\ndone\r\n", cols=80, rows=24)
        '100%\ndone'
    """
    text = flowing_text(data)
    if text is not None:
        return text.rstrip("\n")
    engine = create("pyte", cols, rows, history=_ALL_ROWS)
    try:
        place = 0
        for position, cols, rows in resizes:  # noqa: PLR1704  the last size remains
            engine.feed(data[place:position])
            engine.resize(cols, rows)
            place = position
        engine.feed(data[place:])
        count = engine.history_rows
        lines = engine.lines(-count, count + engine.rows)
    finally:
        engine.close()
    wrapped = {index for index, continues in enumerate(lines.wrapped) if continues}
    return "\n".join(join_wrapped(lines.text, wrapped, cols)).rstrip("\n")


def flowing_text(data: bytes) -> str | None:
    r"""Return the text of output that only flows downwards; None if it moves the cursor otherwise.

    Example:
        >>> flowing_text(b"\x1b[32m100%\x1b[m\r\n\r\n")
        '100%\n\n'
    """
    text = escapes.strip_traceless(data).decode("utf-8", "replace")
    if "\0" in text or "\a" in text or "\x7f" in text:
        text = text.translate(_TRACELESS_CHARACTERS)
    text = text.replace("\r\n", "\n")
    if "\r" in text:
        text = _NEWLINE.sub("\n", text).strip("\r")
    if "\r" not in text:
        text = text.replace(_ERASE_REST, "")
    # The first test is faster, but rejects some harmless text.
    return text if text.replace("\n", "").replace("\t", "").isprintable() or not _MOVES.search(text) else None

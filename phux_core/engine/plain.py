"""Bytes as the text they leave on a terminal: "as written".

Carriage returns and cursor motion are applied, escapes are gone, soft wraps are joined. Text that only flows downwards,
which is most output, needs no terminal and keeps its tabs and trailing blanks; everything else is fed to one.
"""

from __future__ import annotations

import re

from phux_core import escapes
from phux_core.engine import create
from phux_core.width import join_wrapped

_TRACELESS_CHARACTERS = dict.fromkeys(map(ord, "\0\a\x7f"))
_MOVES = re.compile(r"[\x01-\x08\x0b-\x1f\x80-\x9f]")
_NEWLINE = re.compile(r"\r+\n")
# More rows than any output that fits into memory has.
_ALL_ROWS = 100_000_000


def as_written(data: bytes, *, cols: int, rows: int) -> str:
    r"""Render a stretch of output.

    Args:
        data: What the program wrote, from the beginning of a line.
        cols: Columns of the terminal it wrote to.
        rows: Rows of it.

    Returns:
        The text, lines separated by newlines, without the blank lines at its end.

    Example:
        >>> as_written(b"10%\r50%\r\x1b[32m100%\x1b[m\r\ndone\r\n", cols=80, rows=24)
        '100%\ndone'
    """
    text = flowing_text(data)
    if text is not None:
        return text.rstrip("\n")
    engine = create("pyte", cols, rows, history=_ALL_ROWS)
    try:
        engine.feed(data)
        count = engine.history_rows
        lines = engine.lines(-count, count + engine.rows)
    finally:
        engine.close()
    wrapped = {index for index, goes_on in enumerate(lines.wrapped) if goes_on}
    return "\n".join(join_wrapped(lines.text, wrapped, cols)).rstrip("\n")


def flowing_text(data: bytes) -> str | None:
    r"""Read output that only flows downwards, as most does; None if it moves the cursor otherwise.

    Example:
        >>> flowing_text(b"\x1b[32m100%\x1b[m\r\n\r\n")
        '100%\n\n'
    """
    text = escapes.strip_traceless(data).decode("utf-8", "replace")
    if "\0" in text or "\a" in text or "\x7f" in text:
        text = text.translate(_TRACELESS_CHARACTERS)
    text = text.replace("\r\n", "\n")
    if "\r\n" in text:
        text = _NEWLINE.sub("\n", text)
    # The first is quicker, and says no to some that are harmless.
    return text if text.replace("\n", "").replace("\t", "").isprintable() or not _MOVES.search(text) else None

"""Bytes of a log as text: rendered, stripped of escape sequences, or raw; filtered.

"Rendered" is the text that remains on a terminal of unlimited height: carriage returns and cursor motion are applied,
and the alternate screen of a full-screen program disappears when the program leaves it. "Stripped" keeps all output
except escape sequences. "Raw" is the bytes, with surrogates for invalid UTF-8.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from phux_core import escapes
from phux_core.engine.plain import as_written, flowing_text
from phux_core.patterns import BATCH, TimeLimit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from phux_core.logs.sizes import Size

_SILENT = b"\0\a\x7f"
_MOVES = re.compile(r"[\x01-\x08\n-\x1f]+")
_MOVING_BYTES = [bytes([code]) for code in b"\b\n\v\f\r"]
_RETURNS = re.compile(r"\r+\n")
_LINES = re.compile(r"[\r\n]")


def strip(data: bytes) -> str:
    r"""Remove escape sequences.

    Example:
        >>> strip(b"\x1b[1;32mok\x1b[0m\r\n\x1b]0;title\x07done")
        'ok\ndone'
    """
    return escapes.strip(data).replace(b"\r\n", b"\n").translate(None, _SILENT).decode("utf-8", "replace")


def stretches(data: bytes) -> list[str]:
    r"""Split output at each possible movement of the cursor.

    Example:
        >>> stretches(b"10%\r\x1b[K\x1b[32mdone\x1b[m\r\n\x1b[?1049h\x1b[2;5Hfull screen\x1b[?1049l")
        ['10%', 'done', 'full screen']
    """
    text = escapes.break_at_motion(data).translate(None, _SILENT).decode("utf-8", "replace")
    return [stretch for stretch in _MOVES.split(text) if stretch.strip()]


def last_stretch(data: bytes) -> int:
    r"""Return where the last stretch begins: after the last possible movement of the cursor.

    Example:
        >>> last_stretch(b"10%\r\x1b[2;5Hful\x1b[31ml")
        10
    """
    return escapes.after_last_motion(data, max(map(data.rfind, _MOVING_BYTES)) + 1)


def plain(data: bytes) -> str:
    r"""Remove everything but text and carriage returns within lines; much faster than rendering.

    Example:
        >>> plain(b"$ lx\b\x1b[Ks\r\n\x1b[?2004l\rfile\r\n")
        '$ ls\n\rfile\n'
    """
    text = strip(data)
    if "\b" in text:
        kept: list[str] = []
        for character in text:
            if character != "\b":
                kept.append(character)
            elif kept and kept[-1] not in "\r\n":
                kept.pop()
        text = "".join(kept)
    return (_RETURNS.sub("\n", text) if "\r\n" in text else text).rstrip("\r")


def render_for(pattern: re.Pattern[str], data: bytes, sizes: Sequence[Size]) -> str:
    """Render bytes for a search: exactly if the pattern matches the plain text, else approximately."""
    text = flowing_text(data)
    if text is not None:
        return text
    text = plain(data)
    if any(matches for _line, matches in matched(_LINES.split(text), pattern)):
        return render(data, sizes)
    return "\n".join(line.rpartition("\r")[2] for line in text.split("\n"))


def render(data: bytes, sizes: Sequence[Size]) -> str:
    """Render bytes, including trailing blank lines, on a terminal whose first size is ``sizes[0]``."""
    text = flowing_text(data)
    if text is not None:
        return text
    ends = len(data) - len(data.rstrip(b"\r\n"))
    (_start, cols, rows), *resizes = sizes
    return as_written(data, cols=cols, rows=rows, resizes=resizes) + "\n" * data[len(data) - ends :].count(b"\n")


def to_text(data: bytes, mode: str, sizes: Sequence[Size]) -> str:
    """Convert bytes to text in one of the modes."""
    if mode == "raw":
        return data.decode("utf-8", "surrogateescape")
    return strip(data) if mode == "stripped" else render(data, sizes)


def lines_in(pieces: Iterable[str]) -> Iterator[str]:
    """Split text into lines without line breaks; an empty remainder is not a line."""
    rest = ""
    for piece in pieces:
        *lines, rest = (rest + piece).split("\n")
        yield from lines
    if rest:
        yield rest


def matched(lines: Iterable[str], pattern: re.Pattern[str]) -> Iterator[tuple[str, bool]]:
    """Yield each line and whether it matches. A pattern that takes too long ends the process."""
    search = pattern.search
    rest = iter(lines)
    while batch := list(islice(rest, BATCH)):
        with TimeLimit():
            matches = [search(line) is not None for line in batch]
        yield from zip(batch, matches, strict=True)


def grep(lines: Iterable[str], pattern: re.Pattern[str], context: int) -> Iterator[str]:
    """Yield the lines that match, with ``context`` lines around each."""
    before: list[str] = []
    after = 0
    for line, matches in matched(lines, pattern):
        if matches:
            yield from before
            before.clear()
            yield line
            after = context
        elif after:
            after -= 1
            yield line
        elif context:
            before.append(line)
            if len(before) > context:
                del before[0]

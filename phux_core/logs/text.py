"""Bytes of a log as text: rendered as written, stripped of escape sequences, or as they are; filtered and cut.

"Rendered" is what stays on a terminal that is long enough: carriage returns and cursor motion are applied, and what a
full-screen program drew is gone when it has left its screen, as it is for a person. "Stripped" keeps everything that
was written but the escape sequences. "Raw" is the bytes; those that are no UTF-8 stand as surrogates.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from phux_core.engine.plain import as_written, flowing_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MODES = ("rendered", "stripped", "raw")

# Colours (SGR) are most of the escape sequences there are, and quickly taken out.
_COLOURS = re.compile(rb"\x1b\[[0-9;:]*+m")
# ECMA-48: control sequences (CSI), control strings (OSC, DCS, SOS, PM, APC), and escapes of two and three characters;
# those of one byte stand in two as UTF-8. None takes the end of a line along: one that was never finished must not hide
# what follows.
_ESCAPES = re.compile(
    rb"(?:\x1b\[|\xc2\x9b)[0-?]*[ -/]*[@-~]"
    rb"|(?:\x1b\]|\xc2\x9d)[^\x07\x1b\x18\x1a\n]*(?:\x07|\x1b\\)?"
    rb"|(?:\x1b[PX^_]|\xc2[\x90\x98\x9e\x9f])[^\x1b\x18\x1a\n]*(?:\x1b\\)?"
    rb"|\x1b[ -/]*[0-~]"
    rb"|\x1b"
)
_SILENT = b"\0\a\x7f"


def strip(data: bytes) -> str:
    r"""Take escape sequences out.

    Example:
        >>> strip(b"\x1b[1;32mok\x1b[0m\r\n\x1b]0;title\x07done")
        'ok\ndone'
    """
    if b"\x1b" in data:
        data = _COLOURS.sub(b"", data)
    if b"\x1b" in data or b"\xc2" in data:
        data = _ESCAPES.sub(b"", data)
    return data.replace(b"\r\n", b"\n").translate(None, _SILENT).decode("utf-8", "replace")


def render(data: bytes, *, cols: int, rows: int) -> str:
    """Render bytes as written, blank lines at the end included."""
    text = flowing_text(data)
    if text is not None:
        return text
    ends = len(data) - len(data.rstrip(b"\r\n"))
    return as_written(data, cols=cols, rows=rows) + "\n" * data[len(data) - ends :].count(b"\n")


def to_text(data: bytes, mode: str, *, cols: int, rows: int) -> str:
    """Make text of bytes in one of the modes."""
    if mode == "raw":
        return data.decode("utf-8", "surrogateescape")
    return strip(data) if mode == "stripped" else render(data, cols=cols, rows=rows)


def lines_in(pieces: Iterable[str]) -> Iterator[str]:
    """Cut text into lines, without their ends; an empty end is no line."""
    rest = ""
    for piece in pieces:
        *lines, rest = (rest + piece).split("\n")
        yield from lines
    if rest:
        yield rest


def grep(lines: Iterable[str], pattern: re.Pattern[str], context: int) -> Iterator[str]:
    """Give the lines that match, with so many around each."""
    before: list[str] = []
    after = 0
    for line in lines:
        if pattern.search(line):
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


class Cut(NamedTuple):
    """Lines within a budget.

    Attributes:
        content: The text.
        returned: How many lines it has, notes of ours not counted.
        omitted: How many lines were left out.
        cut: Whether a line was cut.
    """

    content: str
    returned: int
    omitted: int
    cut: bool


def cut(lines: Iterable[str], *, head: int | None, tail: int | None, max_bytes: int) -> Cut:
    """Keep the first and the last lines, and no more bytes than there may be; a note stands where something is gone."""
    first, last, between = _ends(lines, head, tail)
    size = sum(len(line.encode("utf-8", "surrogateescape")) + 1 for line in (*first, *last))
    shortened = False
    if size > max_bytes:
        first, last, dropped, shortened = _within_bytes([*first, *last], max_bytes)
        between += dropped
    notes = [f"[phux: {between} lines left out]"] if between and first and last else []
    return Cut("\n".join([*first, *notes, *last]), len(first) + len(last), between, shortened)


def _ends(lines: Iterable[str], head: int | None, tail: int | None) -> tuple[list[str], list[str], int]:
    if head is None and tail is None:
        return list(lines), [], 0
    first: list[str] = []
    last: list[str] = []
    dropped = 0
    for line in lines:
        if len(first) < (head or 0):
            first.append(line)
        elif tail:
            last.append(line)
            if len(last) >= 2 * tail + 1000:  # not at each line
                dropped += len(last) - tail
                del last[:-tail]
        else:
            dropped += 1
    if tail and len(last) > tail:
        dropped += len(last) - tail
        del last[:-tail]
    return first, last, dropped


def _within_bytes(lines: list[str], most: int) -> tuple[list[str], list[str], int, bool]:
    """Keep whole lines from both ends; of a single line that is too long, its ends."""
    first: list[str] = []
    last: list[str] = []
    low, high = 0, len(lines)
    room = {True: most // 2, False: most - most // 2}
    at_head = False
    while low < high:
        line = lines[low] if at_head else lines[high - 1]
        size = len(line.encode("utf-8", "surrogateescape")) + 1
        if size > room[at_head]:
            if room[not at_head] < 0:
                break
            room[at_head] = -1  # this end is full
        elif at_head:
            room[at_head] -= size
            first.append(line)
            low += 1
        else:
            room[at_head] -= size
            last.insert(0, line)
            high -= 1
        if room[not at_head] >= 0:
            at_head = not at_head
        elif room[at_head] < 0:
            break
    if first or last or not lines:
        return first, last, high - low, False
    data = lines[-1].encode("utf-8", "surrogateescape")
    left, right = data[: most // 2], data[len(data) - (most - most // 2) :]
    note = f"[phux: {len(data) - len(left) - len(right)} bytes left out]"
    ends = [left.decode("utf-8", "ignore"), right.decode("utf-8", "ignore")]
    return [], ["".join((ends[0], note, ends[1]))], len(lines) - 1, True

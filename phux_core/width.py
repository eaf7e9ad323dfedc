"""The width of text in columns: one table for the engines and all code that draws or joins text.

Widths are per code point, as in xterm, and in libghostty while mode 2027 (grapheme clusters) is off: a family emoji of
three people joined by ZWJ takes six columns.
"""

import re
from bisect import bisect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

_FIRST_CHANGE = 0x300
_starts: list[int] = []  # code points at which the width changes; loaded on first use
_widths: list[int] = []  # the width before the first start, and from each start on


def columns(text: str) -> int:
    """Return the columns of a text: wide glyphs take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(map(character_columns, text))


def character_columns(character: str) -> int:
    """Return the columns of one printable character.

    Example:
        >>> [character_columns(character) for character in ("a", "\u65e5", "\u0301")]
        [1, 2, 0]
    """
    code = ord(character)
    if code < _FIRST_CHANGE:
        return 1
    if not _starts:
        _load()
    return _widths[bisect(_starts, code)]


def _load() -> None:
    from phux_core.width_table import CHANGES

    start, starts, widths = 0, [], [1]
    for distance, width in re.findall("([0-9a-f]+)([zow])", CHANGES.replace("\n", "")):
        start += int(distance, 16)
        starts.append(start)
        widths.append("zow".index(width))
    # _starts last, because other threads test it.
    _widths[:] = widths
    _starts[:] = starts


def join_wrapped(rows: "Sequence[str]", wrapped: "Container[int]", cols: int) -> list[str]:
    """Join rows, from which trailing blanks were removed, into lines.

    ``wrapped`` has the indices of the rows that continue in the next row.

    Example:
        >>> join_wrapped(["all", "tests"], {0}, 4)
        ['all tests']
    """
    lines: list[str] = []
    joining = False
    for index, row in enumerate(rows):
        continues = index in wrapped and index + 1 < len(rows)
        text = row + " " * _blanks_before_wrap(row, rows[index + 1], cols) if continues else row
        if joining:
            lines[-1] += text
        else:
            lines.append(text)
        joining = continues
    return lines


def _blanks_before_wrap(row: str, following: str, cols: int) -> int:
    """Return the number of trailing blanks that were written in a row: all but a column too narrow for a wide glyph."""
    missing = cols - columns(row)
    if missing == 1 and following and character_columns(following[0]) == 2:
        return 0
    return missing

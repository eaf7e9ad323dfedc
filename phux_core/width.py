"""How many columns a text takes on a terminal: one table for the engines and for everything that draws or joins text.

Widths go by code point, as in xterm and as libghostty does while mode 2027 (grapheme clusters) is off: a family emoji
of three people joined by ZWJ takes six columns.
"""

import re
from bisect import bisect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

_FIRST_CHANGE = 0x300
_starts: list[int] = []  # where the width changes, once it was needed
_widths: list[int] = []  # the widths before the first of these, and from each of them on


def columns(text: str) -> int:
    """Count the columns of a text: wide glyphs take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(map(character_columns, text))


def character_columns(character: str) -> int:
    """Count the columns of one printable character.

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
    # In this order, since another thread may be counting.
    _widths[:] = widths
    _starts[:] = starts


def join_wrapped(rows: "Sequence[str]", wrapped: "Container[int]", cols: int) -> list[str]:
    """Join rows that are one line broken by the edge of the screen.

    Args:
        rows: Rows without their trailing blanks.
        wrapped: The indices of those that go on in the next.
        cols: Columns of the screen.

    Example:
        >>> join_wrapped(["all", "tests"], {0}, 4)
        ['all tests']
    """
    lines: list[str] = []
    joining = False
    for index, row in enumerate(rows):
        goes_on = index in wrapped and index + 1 < len(rows)
        text = row + " " * _blanks_before_wrap(row, rows[index + 1], cols) if goes_on else row
        if joining:
            lines[-1] += text
        else:
            lines.append(text)
        joining = goes_on
    return lines


def _blanks_before_wrap(row: str, following: str, cols: int) -> int:
    """Count the trailing blanks of a row that were written: all but the column a wide glyph did not fit into."""
    missing = cols - columns(row)
    if missing == 1 and following and character_columns(following[0]) == 2:
        return 0
    return missing

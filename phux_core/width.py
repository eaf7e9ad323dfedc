"""How many columns a text takes on a terminal: enough to draw a box around it and to join wrapped rows."""

import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

_ZERO_WIDTH = frozenset(("Mn", "Me", "Cf"))


def columns(text: str) -> int:
    """Count the columns of a text: wide glyphs take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(map(character_columns, text))


def character_columns(character: str) -> int:
    """Count the columns of one character."""
    if unicodedata.category(character) in _ZERO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


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

"""How many columns a text takes on a terminal: enough to draw a box around it and to join wrapped rows."""

import unicodedata

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

"""Box drawing characters and block elements, as shapes that join those of neighboring cells without a gap.

Unicode's name of a character says how it looks: ``BOX DRAWINGS DOWN HEAVY AND RIGHT LIGHT``.
"""

import unicodedata
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Shape: TypeAlias = tuple[str, float, float, float, float]
    """A rectangle (``fill OPACITY``, with x, y, width and height), or a line between two points: ``light``, ``heavy``,
    or ``arc``, which bends at the center. Lengths are parts of a cell, from 0 to 1."""

_BOXES, _BLOCKS = range(0x2500, 0x2580), range(0x2580, 0x25A0)
_ENDS = {"UP": (0.5, 0.0), "DOWN": (0.5, 1.0), "LEFT": (0.0, 0.5), "RIGHT": (1.0, 0.5)}
_WEIGHTS = {"LIGHT": "light", "SINGLE": "light", "HEAVY": "heavy", "DOUBLE": "double"}
_BOTH = {"VERTICAL": ("UP", "DOWN"), "HORIZONTAL": ("LEFT", "RIGHT")}
_PARTS = {"ONE": 1, "THREE": 3, "FIVE": 5, "SEVEN": 7}
_GAP = 0.16
"""Half of the distance between the lines of a double line."""
_QUADRANTS = {"UPPER LEFT": (0.0, 0.0), "UPPER RIGHT": (0.5, 0.0), "LOWER LEFT": (0.0, 0.5), "LOWER RIGHT": (0.5, 0.5)}
_SHADES = {"LIGHT": 0.25, "MEDIUM": 0.5, "DARK": 0.75}


@lru_cache(maxsize=256)
def shapes_of(character: str) -> "tuple[Shape, ...]":
    """Return the shapes of a character; none if it is to be drawn as text.

    Example:
        >>> shapes_of("│")
        (('light', 0.5, 0.5, 0.5, 0.0), ('light', 0.5, 0.5, 0.5, 1.0))
        >>> shapes_of("▀"), shapes_of("a")
        ((('fill 1', 0.0, 0.0, 1.0, 0.5),), ())
    """
    if len(character) != 1:
        return ()
    if ord(character) in _BOXES:
        return _box(unicodedata.name(character).removeprefix("BOX DRAWINGS ").split())
    return _block(unicodedata.name(character)) if ord(character) in _BLOCKS else ()


def _box(words: list[str]) -> "tuple[Shape, ...]":
    if "DASH" in words or "DIAGONAL" in words:
        return ()
    if "ARC" in words:
        return (("arc", *_ENDS[words[2]], *_ENDS[words[4]]),)
    # A weight applies to the directions after it; in a name that begins with a direction, to those before it.
    if words[0] not in _WEIGHTS:
        words.reverse()
    arms: dict[str, str] = {}
    weight = ""
    for word in words:
        if word in _WEIGHTS:
            weight = _WEIGHTS[word]
        elif word != "AND":
            arms |= dict.fromkeys(_BOTH.get(word, (word,)), weight)
    shapes: list[Shape] = []
    for direction, kind in arms.items():
        shapes += _double(direction, arms) if kind == "double" else [(kind, 0.5, 0.5, *_ENDS[direction])]
    return tuple(shapes)


def _double(direction: str, arms: dict[str, str]) -> "list[Shape]":
    """Return the two lines of a double line from the center to an edge."""
    x, y = _ENDS[direction]
    sideways = (0.0, _GAP) if y == 0.5 else (_GAP, 0.0)
    lines: list[Shape] = []
    for sign in (-1, 1):
        dx, dy = sideways[0] * sign, sideways[1] * sign
        # Each line begins where it meets the line on its side of the arm beside it.
        beside = _beside(direction, sign)
        opposite = _beside(direction, -sign)
        start = -_GAP if arms.get(beside) != "double" and arms.get(opposite) == "double" else _GAP
        if arms.get(beside) != "double" and arms.get(opposite) != "double":
            start = 0.0
        along_x, along_y = (x - 0.5) * 2 * start, (y - 0.5) * 2 * start
        lines.append(("light", 0.5 + dx + along_x, 0.5 + dy + along_y, x + dx, y + dy))
    return lines


def _beside(direction: str, sign: int) -> str:
    """Return the arm on the side of one of the two lines of an arm."""
    if direction in {"LEFT", "RIGHT"}:
        return "UP" if sign < 0 else "DOWN"
    return "LEFT" if sign < 0 else "RIGHT"


def _block(name: str) -> "tuple[Shape, ...]":
    words = name.split()
    if words[-1] == "SHADE":
        return ((f"fill {_SHADES[words[0]]}", 0.0, 0.0, 1.0, 1.0),)
    if words[0] == "QUADRANT":
        parts = name.removeprefix("QUADRANT ").split(" AND ")
        return tuple(("fill 1", *_QUADRANTS[part], 0.5, 0.5) for part in parts)
    if words[0] == "FULL":
        return (("fill 1", 0.0, 0.0, 1.0, 1.0),)
    # such as "LOWER THREE EIGHTHS BLOCK", "LEFT HALF BLOCK"
    share = 0.5
    if words[1] in _PARTS:
        share = _PARTS[words[1]] / (4 if words[2].startswith("QUARTER") else 8)
    place = {
        "UPPER": (0.0, 0.0, 1.0, share),
        "LOWER": (0.0, 1 - share, 1.0, share),
        "LEFT": (0.0, 0.0, share, 1.0),
        "RIGHT": (1 - share, 0.0, share, 1.0),
    }
    return (("fill 1", *place[words[0]]),)

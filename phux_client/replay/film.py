"""Turn the pages of a film into screens; ``phux_core.logs.film`` describes the format. No I/O."""

import base64
import json
import zlib

from phux_client.tui.canvas import BLANK, row_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_client.flows._types import Document
    from phux_client.tui.canvas import Cursor, Row

_FLAGS = (1, 2, 3, 5, 7, 8, 9, 53)
"""The SGR parameter of each flag of a style, from the lowest bit."""
_UNDERLINES = {"single": "4", "double": "4:2", "curly": "4:3", "dotted": "4:4", "dashed": "4:5"}
_SHAPES = {"block": 2, "underline": 4, "bar": 6}


class Frame:
    """The screen at a moment.

    Attributes:
        at: The time, in epoch seconds.
        seq: The number of bytes that had been written.
        rows: The rows; a row that did not change is the same object as before.
        cursor: The cursor, or None if it is hidden.
        cursor_at: The column and row of the cursor, even if it is hidden.
    """

    __slots__ = ("at", "cols", "cursor", "cursor_at", "rows", "seq")

    def __init__(self, at: float, seq: int, cols: int, rows: "list[Row]", cursor: "list[object]") -> None:
        x, y, visible, shape, blinking = cursor
        assert isinstance(x, int)
        assert isinstance(y, int)
        self.at = at
        self.seq = seq
        self.cols = cols
        self.rows = rows
        self.cursor_at = (x, y)
        self.cursor: Cursor | None = (x, y, _SHAPES.get(str(shape), 2) - bool(blinking)) if visible else None


def frames_of(page: "Document") -> "Iterator[Frame]":
    """Yield the frames of a page, given the reply with its compressed ``data``."""
    document = json.loads(zlib.decompress(base64.b64decode(page["data"])))
    styles = [sgr(*style) for style in document["styles"]]
    rows = [
        [(column, width, glyphs, styles[style]) for column, width, glyphs, style in runs] for runs in document["rows"]
    ]
    drawn: dict[int, Row] = {}
    cols, shown = 0, []
    for ms, seq, cursor, changes, *size in document["frames"]:
        if size:
            (cols, height), drawn = size[0], {}
            shown = [0] * height
        for first, *numbers in changes:
            shown[first : first + len(numbers)] = numbers
        for number in set(shown) - drawn.keys():
            drawn[number] = row_of(rows[number], cols) if rows[number] else [BLANK] * cols
        yield Frame(page["start"] + ms / 1000, seq, cols, [drawn[number] for number in shown], cursor)


def sgr(flags: int, underline: str | None, fg: object, bg: object, underline_color: object) -> str:
    """Return the parameters of the SGR sequence for a style of a film.

    Example:
        >>> sgr(1, "curly", 2, [1, 2, 3], None)
        '1;4:3;38;5;2;48;2;1;2;3'
    """
    codes = [str(code) for bit, code in enumerate(_FLAGS) if flags >> bit & 1]
    if underline is not None:
        codes.append(_UNDERLINES[underline])
    codes += [_color(color, code) for color, code in ((fg, 38), (bg, 48)) if color is not None]
    if underline_color is not None:
        # Only this form is ignored as a whole by terminals without colored underlines.
        codes.append(_color(underline_color, 58).replace(";2;", ";2;;").replace(";", ":"))
    return ";".join(codes)


def _color(color: object, code: int) -> str:
    if isinstance(color, int):
        return f"{code};5;{color}"
    assert isinstance(color, list)
    return f"{code};2;{';'.join(str(int(part)) for part in color)}"

"""Turn one screen into another on a terminal, with as few bytes as possible.

No I/O: a ``Painter`` knows the terminal's content because it wrote all of it. It uses only universal sequences (cursor
moves, SGR, erase to the end of the line, scroll regions), so it needs no terminfo.
"""

import re
import zlib
from itertools import groupby
from operator import itemgetter, ne

from phux_client.tui.canvas import BLANK, Canvas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.tui.canvas import Cursor, Row

_SYNC_FROM = 64
"""The size in bytes from which an update is sent as synchronized output."""
# Changed cells, and the same with short unchanged gaps, which take no more bytes than a jump over them.
_CHANGED = re.compile(b"\x01+")
_STRETCH = re.compile(b"\x01+(?:\x00{1,3}\x01+)*")
# Scripts with spacing combining marks, which have no width for some terminals, emoji and private-use characters.
_UNCERTAIN = re.compile(
    "[\u0900-\u109f\u1700-\u1cff\ua800-\uabff\U00011000-\U0001d1ff\U0001f000-\U0010ffff\ue000-\uf8ff]"
)
_JOINER = "\u200d"
_EMOJI_PRESENTATION = "\ufe0f"
_GLYPH, _STYLE = itemgetter(0), itemgetter(1)
_LEAST_SCROLL = 3


class Painter:
    """Draws screens on one terminal, ``synchronized`` if it supports synchronized output (DEC mode 2026)."""

    def __init__(self, *, synchronized: bool = False) -> None:
        self.synchronized = synchronized
        self._shown: Canvas | None = None
        self._out: list[str] = []
        self._style = ""
        self._at: tuple[int, int] | None = None
        self._cursor_shown = True
        self._cursor_style = 0

    def forget(self) -> None:
        """Record that the terminal's content is unknown; the next screen is drawn completely."""
        self._shown = None

    def paint(self, canvas: Canvas) -> bytes:
        """Return the bytes that make the terminal show a canvas."""
        shown = self._shown
        whole = shown is None or shown.cols != canvas.cols or len(shown.rows) != len(canvas.rows)
        if whole:
            self._out = ["\x1b]8;;\x1b\\" if " " in self._style else "", "\x1b[m\x1b[r\x1b[H\x1b[2J"]
            self._style, self._at = "", (0, 0)
            self._cursor_style = -1
            old = [[BLANK] * canvas.cols for _ in canvas.rows]
        else:
            assert shown is not None
            self._out = []
            old = self._scroll(shown.rows, canvas.rows)
        for y, row in enumerate(canvas.rows):
            if row is not old[y] and row != old[y]:
                self._paint_row(y, old[y], row)
        self._shown = canvas
        return self._finish(canvas, whole=whole)

    def _finish(self, canvas: Canvas, *, whole: bool) -> bytes:
        """Place the cursor; make large updates synchronized output, or hide the cursor during them."""
        drawn = "".join(self._out)
        self._out = []
        self._place_cursor(canvas.cursor, whole=whole)
        after = "".join(self._out)
        if len(drawn) < _SYNC_FROM:
            return (drawn + after).encode("utf-8", "replace")
        if self.synchronized:
            return f"\x1b[?2026h{drawn}{after}\x1b[?2026l".encode("utf-8", "replace")
        if canvas.cursor is not None and not whole and not after.endswith("\x1b[?25h"):
            # Hide the cursor while it moves across the screen.
            return f"\x1b[?25l{drawn}{after}\x1b[?25h".encode("utf-8", "replace")
        return (drawn + after).encode("utf-8", "replace")

    def _place_cursor(self, cursor: "Cursor | None", *, whole: bool) -> None:
        if cursor is None:
            if self._cursor_shown or whole:
                self._out.append("\x1b[?25l")
                self._cursor_shown = False
            return
        x, y, style = cursor
        self._move(x, y)
        if style != self._cursor_style:
            self._out.append(f"\x1b[{style} q")
            self._cursor_style = style
        if not self._cursor_shown or whole:
            self._out.append("\x1b[?25h")
            self._cursor_shown = True

    # Rows

    def _paint_row(self, y: int, old: "Row", new: "Row") -> None:
        differs = bytes(map(ne, old, new))
        if _changes_uncertain(differs, old, new):
            self._paint_uncertain(y, new)
            return
        cols = end = len(new)
        while end and new[end - 1] == BLANK:
            end -= 1
        for found in _STRETCH.finditer(differs, 0, end):
            x, stop = found.span()
            if 0 in found[0] and _has_uncertain(new[x:stop]):  # in a gap
                for part in _CHANGED.finditer(differs, x, stop):
                    self._paint_cells(*part.span(), y, new)
            else:
                self._paint_cells(x, stop, y, new)
        x = differs.find(True, end)
        if x >= 0:
            self._erase(x, y, differs.rindex(True), cols)

    def _paint_cells(self, x: int, end: int, y: int, new: "Row") -> None:
        """Draw cells whose widths are certain."""
        if not new[x][0]:
            x -= 1  # the left half of a wide glyph also draws its right half
        if end < len(new) and not new[end][0]:
            end += 1
        self._move(x, y)
        for style, run in groupby(new[x:end], _STYLE):
            self._set_style(style)
            self._out.append("".join(map(_GLYPH, run)))
        # After the last column a wrap is pending; only an absolute move is certain.
        self._at = (end, y) if end < len(new) else None

    def _erase(self, x: int, y: int, last: int, cols: int) -> None:
        """Erase a row from a column on; ``last`` is its last cell that is not blank on the terminal."""
        self._move(x, y)
        self._set_style("")
        count = last + 1 - x
        if count <= 3:
            self._out.append(" " * count)
            self._at = (x + count, y) if x + count < cols else None
        else:
            self._out.append("\x1b[K")

    def _paint_uncertain(self, y: int, new: "Row") -> None:
        """Draw a whole row with glyphs that terminals measure differently.

        Such glyphs are drawn on blanks, so that a terminal that uses fewer columns for one, or joins two of them, shows
        no old content next to them. The next glyph is drawn again, in case the terminal uses more columns.
        """
        cols = len(new)
        places = [x for x, (glyph, _style) in enumerate(new) if _is_uncertain(glyph)]
        row = new.copy()
        for x in places:
            row[x : x + _width_at(x, new)] = [(" ", new[x][1])] * _width_at(x, new)
        self._paint_cells(0, cols, y, row)
        for x in places:
            end = x + _width_at(x, new)
            # A joiner would let some terminals draw the next glyph in the columns of this one. At the edge, a terminal
            # that uses two columns for an emoji presentation would wrap.
            glyph = new[x][0] if end < cols else new[x][0].replace(_EMOJI_PRESENTATION, "")
            self._put(x, y, glyph.rstrip(_JOINER), new[x][1])
            if end < cols and row[end][0] not in {"", " "} and end not in places:
                self._put(end, y, *row[end])

    def _put(self, x: int, y: int, glyph: str, style: str) -> None:
        """Draw one glyph, after which the cursor may be anywhere."""
        self._move(x, y)
        self._set_style(style)
        self._out.append(glyph)
        self._at = None

    # Scroll regions

    def _scroll(self, old: "list[Row]", new: "list[Row]") -> "list[Row]":
        """Use a scroll region for rows that only moved up; return the rows shown afterwards."""
        changed = [y for y, row in enumerate(new) if row is not old[y] and row != old[y]]
        if len(changed) < _LEAST_SCROLL:
            return old
        top, bottom = changed[0], changed[-1] + 1
        written = [y for y in range(top, bottom) if _is_written(new[y])]
        best, by = 0, 0
        for shift in _shifts(old, new, written, bottom):
            same = sum(1 for y in written if y + shift < bottom and new[y] == old[y + shift])
            if same > best:
                best, by = same, shift
        if best < _LEAST_SCROLL or best * 2 < len(changed):
            return old
        self._set_style("")
        if (top, bottom) == (0, len(new)):
            self._out.append(f"\x1b[{by}S")
        else:
            self._out.append(f"\x1b[{top + 1};{bottom}r\x1b[{by}S\x1b[r")
            self._at = None  # setting a region moves the cursor home
        cols = len(new[0])
        return [*old[:top], *old[top + by : bottom], *([BLANK] * cols for _ in range(by)), *old[bottom:]]

    # Single sequences

    def _move(self, x: int, y: int) -> None:
        if self._at == (x, y):
            return
        out = self._out
        if self._at is not None and self._at[1] == y:
            step = x - self._at[0]
            if x == 0:
                out.append("\r")
            elif step > 0:
                out.append(f"\x1b[{step}C" if step > 1 else "\x1b[C")
            elif step >= -3:
                out.append("\b" * -step)
            else:
                out.append(f"\x1b[{x + 1}G")
        elif self._at is not None and x == 0 and y == self._at[1] + 1:
            out.append("\r\n")
        elif x == 0:
            out.append(f"\x1b[{y + 1}H" if y else "\x1b[H")
        else:
            out.append(f"\x1b[{y + 1};{x + 1}H")
        self._at = (x, y)

    def _set_style(self, style: str) -> None:
        before = self._style
        if style == before:
            return
        self._style = style
        if " " in style or " " in before:
            style, _, link = style.partition(" ")
            before, _, link_before = before.partition(" ")
            if link != link_before:
                self._out.append(f"\x1b]8;{_link_id(link)};{link}\x1b\\" if link else "\x1b]8;;\x1b\\")
            if style == before:
                return
        if not style:
            self._out.append("\x1b[m")
            return
        if before and style.startswith(f"{before};"):
            self._out.append(_sgr(style[len(before) + 1 :]))
        else:
            self._out.append(_sgr(f";{style}" if before else style))


def _sgr(parameters: str) -> str:
    """Return the SGR sequence for parameters.

    Terminals without kinds and colors of underlines may ignore a whole sequence with colons, so these get their own.
    """
    if ":" not in parameters:
        return f"\x1b[{parameters}m"
    parts = parameters.split(";")
    plain = ["4" if part.startswith("4:") else part for part in parts if not part.startswith("58:")]
    new = ";".join(part for part in parts if ":" in part)
    return f"\x1b[{';'.join(plain)}m\x1b[{new}m" if plain else f"\x1b[{new}m"


def _link_id(uri: str) -> str:
    """Return the id with which a terminal recognizes the pieces of one link."""
    return f"id={zlib.crc32(uri.encode()):x}"


def _changes_uncertain(differs: bytes, old: "Row", new: "Row") -> bool:
    """Return whether a glyph that terminals measure differently appears or disappears."""
    if not _has_uncertain(old) and not _has_uncertain(new):
        return False
    changed = [x for x, differ in enumerate(differs) if differ]
    return any(_is_uncertain(old[x][0]) or _is_uncertain(new[x][0]) for x in changed)


def _has_uncertain(row: "Row") -> bool:
    glyphs = list(map(_GLYPH, row))
    text = "".join(glyphs)
    return not text.isascii() and (max(map(len, glyphs)) > 1 or _UNCERTAIN.search(text) is not None)


def _width_at(x: int, row: "Row") -> int:
    return 2 if x + 1 < len(row) and not row[x + 1][0] else 1


def _is_uncertain(glyph: str) -> bool:
    """Return whether terminals differ on the width of a glyph."""
    return len(glyph) > 1 or (glyph > "\x7f" and _UNCERTAIN.match(glyph) is not None)


def _shifts(old: "list[Row]", new: "list[Row]", written: list[int], bottom: int) -> list[int]:
    """Return the distances by which a screen may have moved up, found by comparing a few of its rows."""
    anchors = {written[at] for at in (0, len(written) // 2)} if written else set()
    return sorted({at - y for y in anchors for at in range(y + 1, bottom) if old[at] == new[y]})


def _is_written(row: "Row") -> bool:
    return any(cell is not BLANK and cell != BLANK for cell in row)

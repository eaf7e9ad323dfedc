"""Styles as one-character ids, and the effect of SGR sequences on them.

Programs switch between few styles with few sequences, so each style caches the id that each sequence leads to: a common
SGR costs one dictionary lookup. A cell's semantic (OSC 133) is part of its style here, because it moves with the cell
in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_core.engine.protocol import DEFAULT_STYLE, UNDERLINES, Color, Style
from phux_core.engine.pyte.rows import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from phux_core.engine.protocol import Underline

Entry = tuple[Style, str | None]
"""A style and a semantic."""

_SWEEP_FROM = 4096
_MOVES_LIMIT = 8192
# Ids are characters; surrogates are excluded so that strings of ids survive JSON.
_SURROGATES = range(0xD800, 0xE000)
_IDS = 0x110000
_MAX_STYLES = 1_000_000  # with more in one terminal, further text has the default style

_ON = {
    1: "bold",
    2: "faint",
    3: "italic",
    5: "blink",
    6: "blink",
    7: "inverse",
    8: "invisible",
    9: "strikethrough",
    53: "overline",
}
_OFF = {
    22: ("bold", "faint"),
    23: ("italic",),
    25: ("blink",),
    27: ("inverse",),
    28: ("invisible",),
    29: ("strikethrough",),
    55: ("overline",),
}


_COLORS = {38: "fg", 48: "bg", 58: "underline_color"}


class StyleTable:
    """All styles in use in one terminal.

    Attributes:
        entries: The style and semantic of each id.
        moves: For each id, the ids that the SGR sequences seen so far lead to.
    """

    __slots__ = ("_blanks", "_cached", "_ids", "_last", "_sweep_at", "entries", "moves")

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.moves: dict[str, dict[str, str]] = {}
        self._ids: dict[Entry, str] = {}
        self._blanks: dict[str, str] = {}
        self._last = -1
        self._cached = 0
        self._sweep_at = _SWEEP_FROM
        self.id_of((DEFAULT_STYLE, None))

    def id_of(self, entry: Entry) -> str:
        """Return the id of a style, creating it if needed."""
        style = self._ids.get(entry)
        if style is None:
            if len(self.entries) >= _MAX_STYLES:
                return DEFAULT
            style = self._ids[entry] = self._unused_id()
            self.entries[style] = entry
        return style

    def _unused_id(self) -> str:
        while True:
            self._last = (self._last + 1) % _IDS
            style = chr(self._last)
            if style not in self.entries and self._last not in _SURROGATES:
                return style

    def moves_from(self, style: str) -> dict[str, str]:
        """Return the cached transitions of a style."""
        moves = self.moves.get(style)
        if moves is None:
            moves = self.moves[style] = {}
        return moves

    def after(self, style: str, token: str) -> str:
        """Return the id of ``style`` after one SGR sequence, ``CSI`` and ``m`` included in ``token``."""
        moves = self.moves_from(style)
        found = moves.get(token)
        if found is None:
            drawn, semantic = self.entries[style]
            found = self.id_of((apply_sgr(drawn, token[2:-1]), semantic))
            self._cached += 1
            if self._cached > _MOVES_LIMIT:
                self._cached = 0
                self.moves.clear()
                moves = self.moves_from(style)
            moves[token] = found
        return found

    def blank(self, style: str) -> str:
        """Return the id of erased cells while ``style`` is current: its background and nothing else."""
        found = self._blanks.get(style)
        if found is None:
            background = self.entries[style][0].bg
            found = DEFAULT if background is None else self.id_of((Style(bg=background), None))
            self._blanks[style] = found
        return found

    def with_semantic(self, style: str, semantic: str | None) -> str:
        """Return the id of the same style with another semantic."""
        return self.id_of((self.entries[style][0], semantic))

    def is_full(self) -> bool:
        """Return whether ``sweep`` is due."""
        return len(self.entries) > self._sweep_at

    def sweep(self, used: Iterable[str]) -> None:
        """Drop all styles but those used: a stream of true colors would fill the memory."""
        keep = {DEFAULT, *used}
        self.entries = {style: entry for style, entry in self.entries.items() if style in keep}
        self._ids = {entry: style for style, entry in self.entries.items()}
        self.moves.clear()
        self._blanks.clear()
        self._cached = 0
        self._sweep_at = max(_SWEEP_FROM, 2 * len(self.entries))

    def dump(self) -> list[list[object]]:
        """Return the table in a form that JSON supports."""
        return [[style, list(drawn), semantic] for style, (drawn, semantic) in self.entries.items()]

    @classmethod
    def load(cls, dumped: list[list[object]]) -> StyleTable:
        """Restore a table from ``dump``."""
        table = cls()
        for style, drawn, semantic in dumped:
            assert isinstance(style, str)
            assert isinstance(drawn, list)
            values = [tuple(value) if isinstance(value, list) else value for value in drawn]
            values += DEFAULT_STYLE[len(values) :]  # checkpoints of earlier versions have fewer
            entry: Entry = (Style._make(values), None if semantic is None else str(semantic))
            table.entries[style] = entry
            table._ids[entry] = style
        return table


def apply_sgr(style: Style, parameters: str) -> Style:
    """Return ``style`` after ``CSI parameters m``.

    Both sub-parameters (colons) and the older semicolon form of colors are supported. Unknown or malformed parameters
    are skipped.
    """
    changes: dict[str, object] = {}
    fields = iter(parameters.split(";"))
    for field in fields:
        code_text, colon, rest = field.partition(":")
        code = _number(code_text)
        if code is None or (colon and code not in {4, 38, 48, 58}):
            continue
        if code == 0:
            style, changes = DEFAULT_STYLE, {}
        elif code == 4:
            changes["underline"] = _underline(rest if colon else "1")
        elif code == 21:
            changes["underline"] = "double"
        elif code == 24:
            changes["underline"] = None
        elif code in _ON:
            changes[_ON[code]] = True
        elif code in _OFF:
            changes.update(dict.fromkeys(_OFF[code], False))
        elif 30 <= code <= 37:
            changes["fg"] = code - 30
        elif 40 <= code <= 47:
            changes["bg"] = code - 40
        elif 90 <= code <= 97:
            changes["fg"] = code - 82
        elif 100 <= code <= 107:
            changes["bg"] = code - 92
        elif code in {38, 48, 58}:
            color = _colon_color(rest) if colon else _semicolon_color(fields)
            if color is not None:
                changes[_COLORS[code]] = color
        elif code == 39:
            changes["fg"] = None
        elif code == 49:
            changes["bg"] = None
        elif code == 59:
            changes["underline_color"] = None
    return style._replace(**changes) if changes else style  # type: ignore[arg-type]  # keys and values match above


def _underline(kind: str) -> Underline | None:
    """Return the underline of the sub-parameter after 4; single for unknown kinds."""
    number = _number(kind)
    if number == 0:
        return None
    return UNDERLINES[number - 1] if number is not None and number <= len(UNDERLINES) else "single"


def _number(text: str) -> int | None:
    if not text:
        return 0
    return int(text) if len(text) <= 9 and text.isdecimal() else None


def _semicolon_color(fields: Iterator[str]) -> Color:
    """Read ``5;n`` or ``2;r;g;b`` from the fields after a 38, 48 or 58."""
    kind = _number(next(fields, ""))
    if kind == 5:
        return _palette(next(fields, None))
    if kind == 2:
        return _rgb([next(fields, None) for _ in range(3)])
    return None


def _colon_color(text: str) -> Color:
    """Read ``5:n``, ``2:r:g:b`` or ``2:space:r:g:b:...``, the form of ISO 8613-6."""
    kind, *rest = text.split(":")
    if kind == "5" and rest:
        return _palette(rest[0])
    if kind == "2":
        return _rgb(rest[1:4] if len(rest) > 3 else rest)
    return None


def _palette(text: str | None) -> int | None:
    index = None if text is None else _number(text)
    return index if index is not None and index < 256 else None


def _rgb(texts: list[str] | list[str | None]) -> tuple[int, int, int] | None:
    numbers = [None if text is None else _number(text) for text in texts]
    if len(numbers) != 3 or any(number is None or number > 255 for number in numbers):
        return None
    red, green, blue = (number or 0 for number in numbers)
    return red, green, blue

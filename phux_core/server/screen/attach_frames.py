"""The screen of a pane for attached clients, as rows of styled runs, and its changes since the last frame.

A style is sent as the parameters of the SGR sequence that draws it, so that clients need not interpret it
(docs/wire.md, "Attaching").
"""

from __future__ import annotations

import secrets
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from phux_core.engine.protocol import UNDERLINES

if TYPE_CHECKING:
    from phux_core.engine.protocol import Color, Engine, Span, Style
    from phux_core.server.screen.terminal import Terminal

    Run = list[Any]

_FLAGS = (
    ("bold", "1"),
    ("faint", "2"),
    ("italic", "3"),
    ("blink", "5"),
    ("inverse", "7"),
    ("invisible", "8"),
    ("strikethrough", "9"),
    ("overline", "53"),
)
# DECSCUSR has two numbers for each shape, the blinking one first.
_SHAPES = {"block": 1, "underline": 3, "bar": 5}

RATE = 60
"""Frames per second while a pane changes constantly."""
BURST, BURST_S = 4, 0.002
"""After a pause, this many frames may follow at this interval, so that replies to keys are visible at once."""
HURRY_S = 0.001
"""The minimum interval before a frame that a user waits for."""


@lru_cache(maxsize=4096)
def style_parameters(style: Style) -> str:
    """Return the parameters of the SGR sequence that draws a style after a reset."""
    parameters = [number for name, number in _FLAGS if getattr(style, name)]
    if style.underline is not None:
        parameters.append("4" if style.underline == "single" else f"4:{UNDERLINES.index(style.underline) + 1}")
    parameters += _color(style.fg, 30) + _color(style.bg, 40)
    # Only this form of underline colors is ignored as a whole by terminals without them.
    color = style.underline_color
    if isinstance(color, tuple):
        parameters.append("58:2::{}:{}:{}".format(*color))
    elif color is not None:
        parameters.append(f"58:5:{color}")
    return ";".join(parameters)


def _color(color: Color, base: int) -> list[str]:
    if color is None:
        return []
    if isinstance(color, tuple):
        return [str(base + 8), "2", *map(str, color)]
    if color < 8:
        return [str(base + color)]
    return [str(base + 60 + color - 8)] if color < 16 else [str(base + 8), "5", str(color)]


def read_rows(engine: Engine, first: int, count: int) -> list[list[Run]]:
    """Return rows as runs: one list for each row, empty for rows that do not exist."""
    rows: list[list[Run]] = [[] for _ in range(count)]
    for span in engine.spans(first, count):
        rows[span.row - first].append(_run(span))
    return rows


def _run(span: Span) -> Run:
    """Return a run: ``[column, width, glyphs, style]``, and the URI if it is a hyperlink."""
    glyphs = span.text if span.glyphs is None else list(span.glyphs)
    run = [span.col, span.width, glyphs, style_parameters(span.style)]
    return run if span.style.link is None else [*run, span.style.link]


class Picture:
    """The screen of a pane, shared by all clients that see it; only changed rows are read again.

    Attributes:
        version: Increases whenever a row changes.
        versions: The version in which each row last changed.
        born: The version since which the screen has had its size.
    """

    def __init__(self) -> None:
        # Random, so that clients cannot mistake the versions of another picture for those of this one.
        self.version = self.born = 1 + secrets.randbits(48)
        self.size = (0, 0)
        self.rows: list[list[Run]] = []
        self.versions: list[int] = []

    def look(self, terminal: Terminal) -> None:
        changed = terminal.changed_rows()
        size = (terminal.engine.cols, terminal.engine.rows)
        if size != self.size:
            self.size = size
            self.rows = [[] for _ in range(size[1])]
            self.versions = [0] * size[1]
            self.version = self.born = self.version + 1
        version = self.version + 1
        for y, spans in changed.items():
            row = [_run(span) for span in spans]
            if row != self.rows[y]:
                self.rows[y] = row
                self.versions[y] = self.version = version


def frame_since(terminal: Terminal, version: int | None) -> dict[str, Any]:
    """Return the rows that changed since a version of the pane's picture, or all rows if it has another picture."""
    picture = terminal.picture(keep=True)
    picture.look(terminal)
    whole = version is None or not picture.born <= version <= picture.version
    return {
        "version": picture.version,
        "whole": whole,
        "size": list(picture.size),
        "rows": [
            [y, row] for y, row in enumerate(picture.rows) if (row if whole else picture.versions[y] > (version or 0))
        ],
        **_other_state(terminal.engine),
    }


class Pace:
    """Limits a frame rate: at once after a pause, and at most sixty frames a second on average.

    Attributes:
        next: The earliest time of the next frame; in the past if it may be sent now.
    """

    __slots__ = ("_at", "_credit", "next")

    def __init__(self) -> None:
        self.next = 0.0
        self._credit, self._at = float(BURST), 0.0

    def hurry(self) -> None:
        """Allow the next frame soon: a user waits for it."""
        self.next = min(self.next, self._at + HURRY_S)

    def step(self, now: float) -> None:
        self._credit = min(BURST, self._credit + (now - self._at) * RATE) - 1
        self._at = now
        self.next = now + (BURST_S if self._credit >= 1 else (1 - self._credit) / RATE)


class PaneSight:
    """The state of one pane that was sent to one client, and the pace of its frames."""

    def __init__(self) -> None:
        self.pace = Pace()
        self._picture: Picture | None = None
        self._version = 0
        self._size = (0, 0)
        self._other: dict[str, Any] = {}

    def difference(self, terminal: Terminal) -> dict[str, Any] | None:
        """Return the changes since the last call; None if there are none."""
        picture = self._picture = self._picture or terminal.picture()
        picture.look(terminal)
        frame: dict[str, Any] = {}
        if picture.size != self._size:
            frame["size"] = list(picture.size)
            changed = [[y, row] for y, row in enumerate(picture.rows) if row]
        elif picture.version != self._version:
            versions = picture.versions
            changed = [[y, row] for y, row in enumerate(picture.rows) if versions[y] > self._version]
        else:
            changed = []
        if changed:
            frame["rows"] = changed
        other = _other_state(terminal.engine)
        frame |= {name: value for name, value in other.items() if name not in self._other or self._other[name] != value}
        self._version, self._size, self._other = picture.version, picture.size, other
        return frame or None


def _other_state(engine: Engine) -> dict[str, Any]:
    cursor = engine.cursor()
    modes = engine.modes()
    shape = _SHAPES[cursor.shape] + (0 if cursor.blinking else 1)
    return {
        "cursor": [cursor.x, cursor.y, cursor.visible, shape],
        "modes": {
            "mouse": modes.mouse,
            "focus_events": modes.focus_events,
            "bracketed_paste": modes.bracketed_paste,
            "alt_screen": modes.alt_screen,
        },
        "title": engine.title or "",
    }

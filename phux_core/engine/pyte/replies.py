"""Replies to queries about the terminal's identity, size, modes and colors.

A program waits for the reply to its query, so every query that a terminal of this kind is expected to support is
answered; others are ignored, as in xterm.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyte.graphics as g
import pyte.modes as mo

from phux_core.engine.encoding import CELL_HEIGHT, CELL_WIDTH
from phux_core.engine.protocol import Reply
from phux_core.engine.pyte.terminal import KNOWN_MODES
from phux_core.version import __version__

if TYPE_CHECKING:
    from phux_core.engine.pyte.terminal import Terminal

# A VT220 with colors.
PRIMARY_ATTRIBUTES = "\x1b[?62;22c"
SECONDARY_ATTRIBUTES = "\x1b[>1;10;0c"
TERTIARY_ATTRIBUTES = "\x1bP!|00000000\x1b\\"
VERSION = f"\x1bP>|phux {__version__}\x1b\\"

# Foreground, background and cursor by OSC number; light on dark, which most programs assume.
_DYNAMIC = {10: "d0d0/d0d0/d0d0", 11: "0000/0000/0000", 12: "d0d0/d0d0/d0d0"}
_HEX = re.compile("(?:[0-9a-fA-F]{2}){1,64}")
_CAPABILITIES = {
    name.encode().hex(): value.encode().hex().upper()
    for name, value in (("TN", "xterm-256color"), ("Co", "256"), ("colors", "256"), ("RGB", "8"))
}
_CAPABILITIES_ASKED = 64
_SELECTABLE = {"m", "r", " q"}


def reply(terminal: Terminal, text: str) -> None:
    """Send a reply to the program."""
    terminal.effects.append(Reply(text.encode("utf-8", "replace")))


def identify(terminal: Terminal, query: int = 0, *, text: str = PRIMARY_ATTRIBUTES) -> None:
    """DA1 to DA3, DECID and XTVERSION."""
    if not query:
        reply(terminal, text)


def report_status(terminal: Terminal, query: int = 0) -> None:
    """DSR."""
    if query == 5:
        reply(terminal, "\x1b[0n")
    elif query == 6:
        reply(terminal, f"\x1b[{_place(terminal)}R")


def report_private_status(terminal: Terminal, query: int = 0) -> None:
    """DECXCPR, and whether the colors are dark; other queries concern printers and keyboards, which do not exist."""
    if query == 6:
        reply(terminal, f"\x1b[?{_place(terminal)}R")
    elif query == 996:
        reply(terminal, "\x1b[?997;1n")


def _place(terminal: Terminal) -> str:
    line = terminal.cursor.y + 1
    if terminal.margins is not None and mo.DECOM in terminal.mode:
        line -= terminal.margins.top
    return f"{line};{min(terminal.cursor.x, terminal.columns - 1) + 1}"


def report_mode(terminal: Terminal, mode: int = 0) -> None:
    """DECRQM for ANSI modes."""
    reply(terminal, f"\x1b[{mode};{_mode_state(terminal, mode)}$y")


def report_private_mode(terminal: Terminal, mode: int = 0) -> None:
    """DECRQM for private modes."""
    reply(terminal, f"\x1b[?{mode};{_mode_state(terminal, mode << 5)}$y")


def _mode_state(terminal: Terminal, mode: int) -> int:
    if mode not in KNOWN_MODES:
        return 0
    return 1 if mode in terminal.mode else 2


def report_keyboard(terminal: Terminal) -> None:
    """CSI ? u: report the flags of the kitty keyboard protocol."""
    reply(terminal, f"\x1b[?{terminal.kitty_flags}u")


def window_operation(terminal: Terminal, operation: int = 0, detail: int = 0) -> None:
    """XTWINOPS: only sizes and the title stack, because there is no real window."""
    width, height = terminal.columns * CELL_WIDTH, terminal.lines * CELL_HEIGHT
    if operation == 14:
        reply(terminal, f"\x1b[4;{height};{width}t")
    elif operation == 16:
        reply(terminal, f"\x1b[6;{CELL_HEIGHT};{CELL_WIDTH}t")
    elif operation == 18:
        reply(terminal, f"\x1b[8;{terminal.lines};{terminal.columns}t")
    elif operation == 22 and detail != 1:
        terminal.push_title()
    elif operation == 23 and detail != 1:
        terminal.pop_title()


def request_setting(terminal: Terminal, body: str) -> None:
    """DECRQSS; ``body`` is the part after ``$q``."""
    if body not in _SELECTABLE:
        reply(terminal, "\x1bP0$r\x1b\\")
        return
    if body == "r":
        top, bottom = terminal.margins or (0, terminal.lines - 1)
        value = f"{top + 1};{bottom + 1}"
    elif body == " q":
        shape = {"block": 2, "underline": 4, "bar": 6}[terminal.cursor_shape]
        value = str(shape - terminal.cursor_blinks)
    else:
        value = _spell_style(terminal)
    reply(terminal, f"\x1bP1$r{value}{body}\x1b\\")


def request_capabilities(terminal: Terminal, body: str) -> None:
    """XTGETTCAP: report only the terminal's name and colors, in hex as requested."""
    for name in body.split(";")[:_CAPABILITIES_ASKED]:
        value = _CAPABILITIES.get(name.lower())
        if value is not None:
            reply(terminal, f"\x1bP1+r{name.upper()}={value}\x1b\\")
        elif _HEX.fullmatch(name):
            reply(terminal, f"\x1bP0+r{name.upper()}\x1b\\")


def _spell_style(terminal: Terminal) -> str:
    style, _ = terminal.styles.entries[terminal.style]
    flags = {1: style.bold, 2: style.faint, 3: style.italic, 4: style.underline, 5: style.blink}
    flags |= {7: style.inverse, 8: style.invisible, 9: style.strikethrough, 53: style.overline}
    parts = ["0", *(str(code) for code, on in flags.items() if on)]
    for base, color in ((38, style.fg), (48, style.bg)):
        if isinstance(color, int):
            # Use the short codes for the first sixteen, as most programs do.
            short = base - 8 + color if color < 8 else base + 44 + color
            parts.append(str(short) if color < 16 else f"{base}:5:{color}")
        elif color is not None:
            parts.append(f"{base}:2::{color[0]}:{color[1]}:{color[2]}")
    return ";".join(parts)


def report_colors(terminal: Terminal, number: int, body: str, end: str) -> None:
    """OSC 4 and 10 to 12: report colors; setting them is not supported."""
    fields = body.split(";")
    if number == 4:
        for index, query in zip(fields[::2], fields[1::2], strict=False):
            if query == "?" and index.isdecimal() and len(index) <= 3 and int(index) < 256:
                reply(terminal, f"\x1b]4;{int(index)};rgb:{_palette(int(index))}{end}")
    else:
        # Each further field is for the next dynamic color.
        for dynamic, query in enumerate(fields[:3], number):
            if query == "?" and dynamic in _DYNAMIC:
                reply(terminal, f"\x1b]{dynamic};rgb:{_DYNAMIC[dynamic]}{end}")


def _palette(index: int) -> str:
    color = g.FG_BG_256[index]
    return "/".join(color[at : at + 2] * 2 for at in (0, 2, 4))

"""Encode keys, pastes, mouse and focus events as xterm and tmux do.

Pure functions of an event and the terminal's modes. Both engines use them for everything except keys under the kitty
protocol (``ghostty.keys``, ``pyte.keys``).

The tables follow xterm's ctlseqs ("PC-Style Function Keys", "VT220-Style Function Keys", "Mouse Tracking").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phux_core.engine.protocol import Modes, Mouse
    from phux_core.keys import Key

CELL_WIDTH, CELL_HEIGHT = 8, 16
"""The nominal cell size in pixels, for size reports and pixel mouse positions."""

_CURSOR = {"Up": "A", "Down": "B", "Right": "C", "Left": "D", "Home": "H", "End": "F"}
_TILDE = {
    "Insert": 2,
    "Delete": 3,
    "PageUp": 5,
    "PageDown": 6,
    "F5": 15,
    "F6": 17,
    "F7": 18,
    "F8": 19,
    "F9": 20,
    "F10": 21,
    "F11": 23,
    "F12": 24,
}
_PF = {"F1": "P", "F2": "Q", "F3": "R", "F4": "S"}
_PLAIN = {"Enter": "\r", "Tab": "\t", "BTab": "\x1b[Z", "Escape": "\x1b", "Space": " ", "BSpace": "\x7f"}
# Keypad keys: the text they send, and the letter after SS3 in application mode.
_KEYPAD = {
    **{f"KP{digit}": (str(digit), chr(ord("p") + digit)) for digit in range(10)},
    "KP.": (".", "n"),
    "KP/": ("/", "o"),
    "KP*": ("*", "j"),
    "KP-": ("-", "m"),
    "KP+": ("+", "k"),
    "KPEnter": ("\r", "M"),
}
# Control with anything but letters and @ [ \ ] ^ _, as on a VT220 keyboard.
_CONTROL = {
    " ": "\0",
    "2": "\0",
    "`": "\0",
    "3": "\x1b",
    "4": "\x1c",
    "5": "\x1d",
    "6": "\x1e",
    "~": "\x1e",
    "7": "\x1f",
    "/": "\x1f",
    "-": "\x1f",
    "8": "\x7f",
    "?": "\x7f",
}

MODAL_KEYS = frozenset({*_CURSOR, *_KEYPAD, "BSpace"})
"""The keys whose encoding depends on modes."""

_END_OF_PASTE = re.compile("(?:\x1b\\[|\x9b)201~")
# Characters that a terminal or line editor could interpret as commands. Tab and newlines are text.
_PASTE_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

_BUTTONS: dict[str | None, int] = {
    "left": 0,
    "middle": 1,
    "right": 2,
    None: 3,
    "wheel_up": 64,
    "wheel_down": 65,
    "wheel_left": 66,
    "wheel_right": 67,
}
# The largest coordinates (1-based) that the two byte-based formats can encode.
_X10_LIMIT = 255 - 32
_UTF8_LIMIT = 0x7FF - 32


def encode_key(key: Key, *, cursor: bool, keypad: bool, backarrow: bool) -> bytes:
    """Return the bytes to send for a key press.

    Keys that the classic encoding cannot distinguish (``C-Enter`` and ``Enter``) send the same bytes, as in tmux.

    The modes affect only ``MODAL_KEYS``.

    Args:
        cursor: Whether the cursor keys are in application mode.
        keypad: Whether the keypad is in application mode.
        backarrow: Whether Backspace sends BS instead of DEL (DECBKM).
    """
    name = key.name
    modifiers = 1 + key.shift + 2 * key.alt + 4 * key.ctrl
    final = _CURSOR.get(name) or _PF.get(name)
    if final is not None:
        if modifiers > 1:
            return f"\x1b[1;{modifiers}{final}".encode()
        return f"\x1b{'O' if cursor or name in _PF else '['}{final}".encode()
    number = _TILDE.get(name)
    if number is not None:
        return (f"\x1b[{number};{modifiers}~" if modifiers > 1 else f"\x1b[{number}~").encode()
    on_keypad = _KEYPAD.get(name)
    if on_keypad is not None:
        text, letter = on_keypad
        typed = f"\x1bO{letter}" if keypad else text
    elif name == "BSpace":
        typed = "\b" if key.ctrl != backarrow else "\x7f"
    else:
        typed = _typed(name, ctrl=key.ctrl, shift=key.shift)
    return ("\x1b" * key.alt + typed).encode("utf-8", "replace")


def encode_other_key(key: Key) -> bytes | None:
    """Return the bytes for a key under xterm's modifyOtherKeys 2, or None if that mode does not affect it."""
    name = key.name
    shift = key.shift or name == "BTab"
    if name in _PLAIN:
        code = {"BTab": 9, "BSpace": 127}.get(name) or ord(_PLAIN[name])
        if name == "BSpace" and key.ctrl and not (shift or key.alt):
            return None
    elif len(name) == 1:
        # As in tmux, a capital letter with Control means the small letter.
        shift = shift or (not key.ctrl and name != small_letter(name))
        code = ord(_typed(name if shift else small_letter(name), ctrl=False, shift=shift))
        if shift and not (key.alt or key.ctrl) and not 0x40 <= code <= 0x7F:
            return None
    else:
        return None
    modifiers = 1 + shift + 2 * key.alt + 4 * key.ctrl
    return f"\x1b[27;{modifiers};{code}~".encode() if modifiers > 1 else None


def small_letter(name: str) -> str:
    """Return the small letter of a key with one character; that of "İ" would have two code points."""
    small = name.lower()
    return small if len(small) == 1 else name


def _typed(name: str, *, ctrl: bool, shift: bool) -> str:
    """Return the text that a key types, ignoring Alt."""
    plain = _PLAIN.get(name)
    if plain is not None:
        if name == "Tab" and shift:
            return _PLAIN["BTab"]
        if ctrl and name == "Space":
            return "\0"
        return plain
    if ctrl:
        if name.isascii() and "@" <= name.upper() <= "_":
            return chr(ord(name.upper()) & 0x1F)
        return _CONTROL.get(name, name)
    if shift:
        upper = name.upper()
        return upper if len(upper) == 1 else name  # a key types one character: not "SS" for S-ß
    return name


def encode_paste(text: str, *, bracketed: bool) -> bytes:
    """Return the bytes to send for pasted text, without control characters.

    End-of-paste sequences inside the text are removed, so that pasted text cannot leave the brackets.
    Newlines become carriage returns when not bracketed.
    """
    # Remove whole end markers first, so that no "[201~" remains as text. If that joins a new one, the second step
    # removes its ESC.
    clean = text if text.isprintable() else _PASTE_CONTROLS.sub("", _END_OF_PASTE.sub("", text))
    if not clean:
        return b""
    if bracketed:
        return b"\x1b[200~" + clean.encode("utf-8", "surrogateescape") + b"\x1b[201~"
    return clean.replace("\r\n", "\r").replace("\n", "\r").encode("utf-8", "surrogateescape")


def encode_mouse(event: Mouse, modes: Modes) -> bytes:
    """Return the bytes to send for a mouse event; empty if not requested or not encodable in the format."""
    if not _is_wanted(event, modes.mouse) or event.x < 0 or event.y < 0:
        return b""
    button = _BUTTONS[event.button]
    if modes.mouse != "x10":  # X10 mode has no modifiers
        button += 4 * event.shift + 8 * event.alt + 16 * event.ctrl
    if event.kind == "move":
        button += 32
    x, y = event.x + 1, event.y + 1
    if modes.mouse_format in {"sgr", "sgr_pixels"}:
        if modes.mouse_format == "sgr_pixels":
            x, y = event.x * CELL_WIDTH + 1, event.y * CELL_HEIGHT + 1
        return f"\x1b[<{button};{x};{y}{'m' if event.kind == 'release' else 'M'}".encode()
    if event.kind == "release":
        button |= 3  # these formats do not report which button was released
    if modes.mouse_format == "urxvt":
        return f"\x1b[{button + 32};{x};{y}M".encode()
    if modes.mouse_format == "utf8":
        if max(x, y) > _UTF8_LIMIT:
            return b""
        return f"\x1b[M{chr(button + 32)}{chr(x + 32)}{chr(y + 32)}".encode()
    if max(x, y) > _X10_LIMIT:
        return b""
    return b"\x1b[M" + bytes((button + 32, x + 32, y + 32))


def _is_wanted(event: Mouse, tracking: str) -> bool:
    """Return whether a program that requested ``tracking`` receives this event."""
    if tracking == "off":
        return False
    wheel = event.button is not None and event.button.startswith("wheel")
    if tracking == "x10":
        return event.kind == "press" and event.button is not None and not wheel
    if event.kind == "press":
        return event.button is not None
    if event.kind == "release":
        return event.button is not None and not wheel  # wheels have no release
    if tracking == "button":
        return event.button is not None and not wheel
    return tracking == "any" and not wheel


def encode_focus(focused: bool, modes: Modes) -> bytes:
    """Return the bytes to send when the focus changes; empty if the program did not request it."""
    if not modes.focus_events:
        return b""
    return b"\x1b[I" if focused else b"\x1b[O"

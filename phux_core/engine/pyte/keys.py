"""Encode keys under the kitty keyboard protocol, for programs that enabled it.

Only key presses are encoded, so the flag for releases (2) has no effect. 4 adds the shifted key, 8 reports text keys as
sequences too, and 16 adds the text they type.
See https://sw.kovidgoyal.net/kitty/keyboard-protocol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_core.engine.encoding import small_letter

if TYPE_CHECKING:
    from phux_core.keys import Key

_ALTERNATES, _REPORT_ALL, _TEXT = 4, 8, 16

_NUMBERS = {"Escape": 27, "Enter": 13, "Tab": 9, "BTab": 9, "BSpace": 127, "Space": 32}
_KEYPAD = {f"KP{key}": 57399 + at for at, key in enumerate("0123456789./*-+")}
_NUMBERS |= _KEYPAD | {"KPEnter": 57414}
_LETTERS = {"Up": "A", "Down": "B", "Right": "C", "Left": "D", "Home": "H", "End": "F", "F1": "P", "F2": "Q", "F4": "S"}
_TILDE = {"Insert": 2, "Delete": 3, "PageUp": 5, "PageDown": 6, "F3": 13, "F5": 15, "F6": 17, "F7": 18, "F8": 19}
_TILDE |= {"F9": 20, "F10": 21, "F11": 23, "F12": 24}
# Without modifiers these stay unchanged, so that a shell left in this mode remains usable.
_PLAIN = {"Enter": "\r", "Tab": "\t", "BSpace": "\x7f"}


def encode(key: Key, flags: int) -> bytes | None:
    """Return the bytes to send for a key under the flags that the program set, or None if it set none."""
    if not flags:
        return None
    name = key.name
    shift = key.shift or name == "BTab" or (len(name) == 1 and name != small_letter(name) and not key.ctrl)
    modifiers = 1 + shift + 2 * key.alt + 4 * key.ctrl
    suffix = f";{modifiers}" if modifiers > 1 else ""
    if name in _LETTERS:
        return f"\x1b[{'1' * bool(suffix)}{suffix}{_LETTERS[name]}".encode()
    if name in _TILDE:
        return f"\x1b[{_TILDE[name]}{suffix}~".encode()
    number = _NUMBERS.get(name)
    if not flags & _REPORT_ALL:
        if modifiers == 1 and name in _PLAIN:
            return _PLAIN[name].encode()
        if modifiers == 1 and name not in {"Escape", "KPEnter"}:
            return (name[2:] if name.startswith("KP") else " " if name == "Space" else name).encode()
        if modifiers == 2 and number is None and name.lower() != name.upper() and len(name.upper()) == 1:
            return name.upper().encode()
    text = " " if name == "Space" else name[2:] if name in _KEYPAD else ""
    alternate = ""
    if number is None:
        base = small_letter(name)
        number = ord(base)
        text = name.upper() if shift and len(name.upper()) == 1 else base
        if flags & _ALTERNATES and text != base:
            alternate = f":{ord(text)}"
    if flags & _TEXT and text and not (key.alt or key.ctrl):
        suffix = f"{suffix or ';'};{ord(text)}"
    return f"\x1b[{number}{alternate}{suffix}u".encode()

"""Keys under the kitty keyboard protocol, for a program that asked for it.

Only key presses are ever encoded, so of the protocol's flags one matters beyond the first: 8 reports keys that type
text as sequences too. Release events, alternate keys and associated text (2, 4, 16) have nothing to add to a press.
See https://sw.kovidgoyal.net/kitty/keyboard-protocol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phux_core.keys import Key

_REPORT_ALL = 8

_NUMBERS = {"Escape": 27, "Enter": 13, "Tab": 9, "BTab": 9, "BSpace": 127, "Space": 32}
_NUMBERS |= {f"KP{digit}": 57399 + digit for digit in range(10)}
_NUMBERS |= {"KP.": 57409, "KP/": 57410, "KP*": 57411, "KP-": 57412, "KP+": 57413, "KPEnter": 57414}
_LETTERS = {"Up": "A", "Down": "B", "Right": "C", "Left": "D", "Home": "H", "End": "F", "F1": "P", "F2": "Q", "F4": "S"}
_TILDE = {"Insert": 2, "Delete": 3, "PageUp": 5, "PageDown": 6, "F3": 13, "F5": 15, "F6": 17, "F7": 18, "F8": 19}
_TILDE |= {"F9": 20, "F10": 21, "F11": 23, "F12": 24}
# Without modifiers these stay what they always were, so that a shell left in this mode can still be typed into.
_PLAIN = {"Enter": "\r", "Tab": "\t", "BSpace": "\x7f"}


def encode(key: Key, flags: int) -> bytes | None:
    """What a key types, or None when that is the same as without the protocol.

    Args:
        key: The key.
        flags: The flags that the program set.
    """
    if not flags:
        return None
    name = key.name
    shift = key.shift or name == "BTab" or (len(name) == 1 and name != name.lower() and not key.ctrl)
    modifiers = 1 + shift + 2 * key.alt + 4 * key.ctrl
    behind = f";{modifiers}" if modifiers > 1 else ""
    if name in _LETTERS:
        return f"\x1b[{'1' * bool(behind)}{behind}{_LETTERS[name]}".encode()
    if name in _TILDE:
        return f"\x1b[{_TILDE[name]}{behind}~".encode()
    number = _NUMBERS.get(name)
    if not flags & _REPORT_ALL:
        if modifiers == 1 and name in _PLAIN:
            return _PLAIN[name].encode()
        if modifiers == 1 and name not in {"Escape", "KPEnter"}:
            return (name[2:] if name.startswith("KP") else " " if name == "Space" else name).encode()
        if modifiers == 2 and number is None and name.lower() != name.upper():
            return name.upper().encode()
    if number is None:
        number = ord(name.lower()[0])
    return f"\x1b[{number}{behind}u".encode()

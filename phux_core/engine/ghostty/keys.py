"""Encode keys under the kitty keyboard protocol, by libghostty's own encoder, and under modifyOtherKeys.

libghostty's legacy encoding reports some keys in ways that older programs misread (Ctrl-I as ``CSI 105;5u``). Without
these extensions, ``encode`` therefore returns None, and ``phux_core.engine.encoding`` encodes the key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_core.engine.encoding import encode_other_key, small_letter
from phux_core.engine.ghostty.native import check, ffi, lib
from phux_core.engine.ghostty.state import number

if TYPE_CHECKING:
    from phux_core.keys import Key

_SHIFT, _CTRL, _ALT = 1, 2, 4

_NAMED = {
    "Enter": "ENTER",
    "Tab": "TAB",
    "BTab": "TAB",
    "Escape": "ESCAPE",
    "Space": "SPACE",
    "BSpace": "BACKSPACE",
    "Up": "ARROW_UP",
    "Down": "ARROW_DOWN",
    "Left": "ARROW_LEFT",
    "Right": "ARROW_RIGHT",
    "Home": "HOME",
    "End": "END",
    "PageUp": "PAGE_UP",
    "PageDown": "PAGE_DOWN",
    "Insert": "INSERT",
    "Delete": "DELETE",
    "KP.": "NUMPAD_DECIMAL",
    "KP/": "NUMPAD_DIVIDE",
    "KP*": "NUMPAD_MULTIPLY",
    "KP-": "NUMPAD_SUBTRACT",
    "KP+": "NUMPAD_ADD",
    "KPEnter": "NUMPAD_ENTER",
    **{f"KP{digit}": f"NUMPAD_{digit}" for digit in range(10)},
    **{f"F{number}": f"F{number}" for number in range(1, 13)},
}
_PUNCTUATION = {
    "`": "BACKQUOTE",
    "\\": "BACKSLASH",
    "[": "BRACKET_LEFT",
    "]": "BRACKET_RIGHT",
    ",": "COMMA",
    "=": "EQUAL",
    "-": "MINUS",
    ".": "PERIOD",
    "'": "QUOTE",
    ";": "SEMICOLON",
    "/": "SLASH",
    " ": "SPACE",
}


def encode(terminal: Any, key: Key) -> bytes | None:
    """Return the bytes to send for a key, or None if the program enabled no extended encoding that affects it."""
    kitty = number(terminal, lib.GHOSTTY_TERMINAL_DATA_KITTY_KEYBOARD_FLAGS) != 0
    other = None if kitty else encode_other_key(key)
    if other is None and not kitty:
        return None
    lib.ghostty_key_encoder_setopt_from_terminal(_encoder, terminal)
    if kitty:
        return _press(*_describe(key))
    # modifyOtherKeys cannot be queried, but Ctrl-A is encoded as a sequence only while it is set.
    return None if _press(lib.GHOSTTY_KEY_A, _CTRL, 0, "a", ord("a")) == b"\x01" else other


def _describe(key: Key) -> tuple[int, int, int, str, int]:
    """Return the key for libghostty: code, modifiers, the modifiers already in the text, text, unshifted code point."""
    modifiers = _SHIFT * key.shift | _CTRL * key.ctrl | _ALT * key.alt
    name = key.name
    known = _NAMED.get(name)
    if known is not None:
        if name == "BTab":
            modifiers |= _SHIFT
        text = {"Space": " ", "Enter": "", "Tab": ""}.get(name, name[2:] if len(name) == 3 and name[:2] == "KP" else "")
        return _code(known), modifiers, 0, text, ord(text) if text else 0
    # As in tmux, a capital letter with Control means the small letter.
    base = small_letter(name)
    text = name
    if base != name:
        if key.ctrl and not key.shift:
            text = base
        else:
            modifiers |= _SHIFT
    elif key.shift and len(name.upper()) == 1:
        text = name.upper()
    if base.isascii() and base.isalpha():
        code = _code(base.upper())
    elif base.isascii() and base.isdigit():
        code = _code(f"DIGIT_{base}")
    else:
        code = _code(_PUNCTUATION.get(base, "UNIDENTIFIED"))
    consumed = _SHIFT if modifiers & _SHIFT and text != base else 0
    return code, modifiers, consumed, text, ord(base)


def _code(name: str) -> int:
    return int(getattr(lib, f"GHOSTTY_KEY_{name}"))


def _press(code: int, modifiers: int, consumed: int, text: str, base: int) -> bytes:
    lib.ghostty_key_event_set_key(_event, code)
    lib.ghostty_key_event_set_mods(_event, modifiers)
    lib.ghostty_key_event_set_consumed_mods(_event, consumed)
    typed = text.encode("utf-8", "replace")
    kept = ffi.from_buffer("char[]", typed)  # the event borrows the text
    lib.ghostty_key_event_set_utf8(_event, kept, len(typed))
    lib.ghostty_key_event_set_unshifted_codepoint(_event, base)
    check(lib.ghostty_key_encoder_encode(_encoder, _event, _out, len(_out), _size), "key_encode")
    return bytes(ffi.buffer(_out, _size[0]))


def _new(kind: str, make: Any) -> Any:
    handle = ffi.new(f"{kind}*")
    check(make(ffi.NULL, handle), kind)
    return handle[0]


# Shared by all terminals: they are set before each use, and only one thread uses them.
_encoder = _new("GhosttyKeyEncoder", lib.ghostty_key_encoder_new)
_event = _new("GhosttyKeyEvent", lib.ghostty_key_event_new)
lib.ghostty_key_event_set_action(_event, lib.GHOSTTY_KEY_ACTION_PRESS)
_out, _size = ffi.new("char[]", 128), ffi.new("size_t*")

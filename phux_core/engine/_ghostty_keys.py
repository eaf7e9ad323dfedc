"""Keys through libghostty's own encoder: the kitty keyboard protocol and xterm's modifyOtherKeys.

Without either, libghostty's legacy encoding reports some keys in ways that older programs misread (Ctrl-I as
``CSI 105;5u``), so those keys are ``phux_core.engine.encoding``'s; ``encode`` returns None for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_core.engine._ghostty_native import check, ffi, lib

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


def encode(terminal: Any, key: Key, *, kitty: bool) -> bytes | None:
    """What this key types, or None when the program asked for no extended encoding.

    Args:
        terminal: The native terminal.
        key: The key.
        kitty: Whether any flag of the kitty protocol is set.
    """
    encoder = ffi.new("GhosttyKeyEncoder*")
    check(lib.ghostty_key_encoder_new(ffi.NULL, encoder), "key_encoder_new")
    event = ffi.new("GhosttyKeyEvent*")
    check(lib.ghostty_key_event_new(ffi.NULL, event), "key_event_new")
    try:
        lib.ghostty_key_encoder_setopt_from_terminal(encoder[0], terminal)
        lib.ghostty_key_event_set_action(event[0], lib.GHOSTTY_KEY_ACTION_PRESS)
        # There is no way to ask for modifyOtherKeys, but Ctrl-A tells it: a control without, a report with it.
        if not kitty and _press(encoder[0], event[0], lib.GHOSTTY_KEY_A, _CTRL, 0, "a", ord("a")) == b"\x01":
            return None
        return _press(encoder[0], event[0], *_describe(key))
    finally:
        lib.ghostty_key_event_free(event[0])
        lib.ghostty_key_encoder_free(encoder[0])


def _describe(key: Key) -> tuple[int, int, int, str, int]:
    """The key as libghostty wants it: code, modifiers, those already in the text, text, unshifted code point."""
    modifiers = _SHIFT * key.shift | _CTRL * key.ctrl | _ALT * key.alt
    name = key.name
    known = _NAMED.get(name)
    if known is not None:
        if name == "BTab":
            modifiers |= _SHIFT
        text = {"Space": " ", "Enter": "", "Tab": ""}.get(name, name[2:] if len(name) == 3 and name[:2] == "KP" else "")
        return _code(known), modifiers, 0, text, ord(text) if text else 0
    # A capital with Control is what tmux users write for the plain letter.
    base = name.lower() if len(name.lower()) == 1 else name
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


def _press(encoder: Any, event: Any, code: int, modifiers: int, consumed: int, text: str, base: int) -> bytes:
    lib.ghostty_key_event_set_key(event, code)
    lib.ghostty_key_event_set_mods(event, modifiers)
    lib.ghostty_key_event_set_consumed_mods(event, consumed)
    typed = text.encode("utf-8", "replace")
    kept = ffi.from_buffer("char[]", typed)  # the event borrows the text
    lib.ghostty_key_event_set_utf8(event, kept, len(typed))
    lib.ghostty_key_event_set_unshifted_codepoint(event, base)
    out, size = ffi.new("char[]", 128), ffi.new("size_t*")
    check(lib.ghostty_key_encoder_encode(encoder, event, out, len(out), size), "key_encode")
    return bytes(ffi.buffer(out, size[0]))

"""Key names, as in tmux, for the CLI, the library and MCP.

A *word* given to ``send-keys`` is either the name of a key (``Enter``, ``C-c``, ``S-F5``) or literal text. This module
only decides which: the bytes of a key depend on the current modes of the terminal, so the engine encodes them.

Import-light, because the CLI imports this module.
"""

KEY_NAMES = (
    *("Enter", "Tab", "BTab", "Escape", "Space", "BSpace"),
    *("Up", "Down", "Left", "Right", "Home", "End", "PageUp", "PageDown", "Insert", "Delete"),
    *(f"F{number}" for number in range(1, 13)),
    *("KP0", "KP1", "KP2", "KP3", "KP4", "KP5", "KP6", "KP7", "KP8", "KP9"),
    *("KP.", "KP/", "KP*", "KP-", "KP+", "KPEnter"),
)
"""Every canonical key name."""

# tmux's alternative names, and common names from elsewhere.
_ALIASES = {
    "return": "Enter",
    "esc": "Escape",
    "backspace": "BSpace",
    "ppage": "PageUp",
    "pgup": "PageUp",
    "npage": "PageDown",
    "pgdn": "PageDown",
    "ic": "Insert",
    "dc": "Delete",
}

_NAMES = {name.lower(): name for name in KEY_NAMES} | _ALIASES


class Key:
    """One key press: a name in ``KEY_NAMES`` or a single character, with modifiers; ``alt`` is Meta."""

    def __init__(self, name: str, *, ctrl: bool = False, alt: bool = False, shift: bool = False) -> None:
        self.name = name
        self.ctrl = ctrl
        self.alt = alt
        self.shift = shift

    def __str__(self) -> str:
        """Return the key as a word for ``send-keys``."""
        return f"{'C-' * self.ctrl}{'M-' * self.alt}{'S-' * self.shift}{self.name}"


def parse_key(word: str) -> Key | None:
    """Parse a word as a key; return None if it is literal text.

    Names are case-insensitive, as in tmux. A single character without a modifier is text, which types the same.

    Example:
        >>> str(parse_key("C-M-pgup"))
        'C-M-PageUp'
        >>> parse_key("cargo test") is None
        True
    """
    rest = word
    held = {"c": False, "m": False, "s": False}
    while len(rest) > 2 and rest[1] == "-" and rest[0].lower() in held:
        held[rest[0].lower()] = True
        rest = rest[2:]
    name = _NAMES.get(rest.lower())
    if name is None:
        if len(rest) != 1 or rest == word or not rest.isprintable():
            return None
        name = rest
    return Key(name, ctrl=held["c"], alt=held["m"], shift=held["s"])

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
    "backtab": "BTab",
    "ppage": "PageUp",
    "pgup": "PageUp",
    "page_up": "PageUp",
    "npage": "PageDown",
    "pgdn": "PageDown",
    "pgdown": "PageDown",
    "page_down": "PageDown",
    "ic": "Insert",
    "ins": "Insert",
    "dc": "Delete",
    "del": "Delete",
    **{f"arrow{name.lower()}": name for name in ("Up", "Down", "Left", "Right")},
}
_NAMES = {name.lower(): name for name in KEY_NAMES} | _ALIASES
# Names inside angle brackets, as in vim.
_BRACKETED = _NAMES | {"cr": "Enter", "bs": "BSpace"}
# Names that are also words, and their spellings as keys.
_WORDS = {
    name: name.capitalize()
    for name in (
        *("enter", "return", "tab", "escape", "space", "up", "down", "left", "right", "home", "end"),
        *("insert", "ins", "delete", "del"),
    )
} | {"ic": "IC", "dc": "DC"}

_SHORT = {"c": "ctrl", "m": "alt", "s": "shift"}
_LONG = {
    "ctrl": "ctrl",
    "control": "ctrl",
    "shift": "shift",
    **dict.fromkeys(("alt", "meta", "option"), "alt"),
}


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


def parse_key(word: str, *, exact_case: bool = False) -> Key | None:
    """Parse a word as a key; return None if it is literal text.

    Besides tmux's names, the spellings `Ctrl+C`, `Control-a`, `^C`, `ArrowUp` and, as in vim, `<CR>` and `<C-w>` are
    keys. Names are case-insensitive, as in tmux. A single character without a modifier is text, which types the same.

    Args:
        word: The word.
        exact_case: Treat a name that is also a word, such as ``End``, as a key only if it is capitalized so.

    Example:
        >>> str(parse_key("C-M-pgup")), str(parse_key("Ctrl+C")), str(parse_key("<CR>"))
        ('C-M-PageUp', 'C-c', 'Enter')
        >>> parse_key("cargo test") is None, parse_key("end", exact_case=True) is None
        (True, True)
    """
    if len(word) == 2 and word[0] == "^":
        return _parse_caret(word[1])
    names = _NAMES
    rest = word
    if len(word) > 3 and word[0] == "<" and word[-1] == ">":
        names, rest = _BRACKETED, word[1:-1]
        if rest in {"del", "ins"}:  # tags of HTML
            return None
    rest, held, is_long = _without_modifiers(rest)
    name = names.get(rest.lower())
    if name is None:
        if len(rest) != 1 or not held or not rest.isprintable():
            return None
        name = rest.lower() if is_long else rest
    elif exact_case and rest == word and word != _WORDS.get(word.lower(), word):
        return None
    return Key(name, ctrl="ctrl" in held, alt="alt" in held, shift="shift" in held)


def _without_modifiers(word: str) -> tuple[str, set[str], bool]:
    """Return a word without its modifiers, the modifiers, and whether one of them was written in full (`Ctrl+`)."""
    held: set[str] = set()
    is_long = False
    while True:
        head, sign, rest = word.partition("-")
        if "+" in head:
            head, sign, rest = word.partition("+")
        modifier = _LONG.get(head.lower()) or (_SHORT.get(head.lower()) if sign == "-" else None)
        if modifier is None or not rest:
            return word, held, is_long
        held.add(modifier)
        is_long = is_long or len(head) > 1
        word = rest


def _parse_caret(character: str) -> Key | None:
    """Parse the control character `^C`, as terminals print it."""
    if character in "[?":
        return Key("Escape" if character == "[" else "BSpace")
    is_control = character.isascii() and (character.isalpha() or character in "@\\]^_")
    return Key(character.lower(), ctrl=True) if is_control else None

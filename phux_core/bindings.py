"""Key bindings after the prefix: names of actions, the defaults, and changes from the config file."""

from phux_core.errors import BadConfigError
from phux_core.keys import parse_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ACTIONS = {
    "detach": "detach; programs keep running",
    "new-window": "create a window",
    "next-window": "go to the next window",
    "previous-window": "go to the previous window",
    "last-window": "go to the previously active window",
    **{f"window-{index}": f"go to window {index}" for index in range(10)},
    "select-window": "type the index of a window to go to",
    "find-window": "find a window or pane by its name, program or directory",
    "move-window": "give the window another index",
    "choose-tree": "choose a session, window or pane",
    "choose-session": "choose a session",
    "next-session": "go to the next session",
    "previous-session": "go to the previous session",
    "last-session": "go to the previously shown session",
    "split-right": "split the pane to the right",
    "split-down": "split the pane downwards",
    "focus-left": "go to the pane on the left",
    "focus-right": "go to the pane on the right",
    "focus-up": "go to the pane above",
    "focus-down": "go to the pane below",
    "next-pane": "go to the next pane",
    "last-pane": "go to the previously active pane",
    "show-numbers": "show the numbers of the panes; a digit goes to that pane",
    "swap-previous": "swap the pane with the previous one",
    "swap-next": "swap the pane with the next one",
    "break-pane": "move the pane into a window of its own",
    "resize-left": "move the pane's divider to the left",
    "resize-right": "move the pane's divider to the right",
    "resize-up": "move the pane's divider up",
    "resize-down": "move the pane's divider down",
    "zoom": "zoom the pane, or end the zoom",
    "next-layout": "switch to the next layout",
    "kill-pane": "close the pane, after confirmation",
    "kill-window": "close the window, after confirmation",
    "rename-window": "rename the window",
    "rename-session": "rename the session",
    "copy-mode": "scroll, search and copy",
    "paste": "paste the last copied text",
    "choose-buffer": "choose a copied text to paste",
    "help": "show the keys",
    "command-prompt": "type a command",
    "send-prefix": "send the prefix to the program",
    "redraw": "redraw the screen",
    "suspend": "suspend the client",
}
"""Every action and its description, in the order of the help."""

DEFAULTS = {
    "d": "detach",
    "c": "new-window",
    "n": "next-window",
    "p": "previous-window",
    "Tab": "last-window",
    **{str(index): f"window-{index}" for index in range(10)},
    "'": "select-window",
    "f": "find-window",
    ".": "move-window",
    "w": "choose-tree",
    "s": "choose-session",
    ")": "next-session",
    "(": "previous-session",
    "BTab": "last-session",
    "%": "split-right",
    '"': "split-down",
    "Left": "focus-left",
    "Right": "focus-right",
    "Up": "focus-up",
    "Down": "focus-down",
    "h": "focus-left",
    "l": "focus-right",
    "k": "focus-up",
    "j": "focus-down",
    "o": "next-pane",
    ";": "last-pane",
    "q": "show-numbers",
    "{": "swap-previous",
    "}": "swap-next",
    "!": "break-pane",
    "H": "resize-left",
    "L": "resize-right",
    "K": "resize-up",
    "J": "resize-down",
    "z": "zoom",
    "Space": "next-layout",
    "x": "kill-pane",
    "&": "kill-window",
    ",": "rename-window",
    "$": "rename-session",
    "[": "copy-mode",
    "PageUp": "copy-mode",
    "]": "paste",
    "=": "choose-buffer",
    "?": "help",
    ":": "command-prompt",
    "C-l": "redraw",
    "C-z": "suspend",
}
REPEATING = frozenset(name for name in ACTIONS if name.startswith("resize-"))
"""Actions that can be repeated without the prefix for ``REPEAT_S``."""
REPEAT_S = 0.5


class Bindings:
    """The key bindings of one client: the defaults with the changes of the config file.

    Raises:
        BadConfigError: A key is invalid.
    """

    def __init__(self, prefix: str = "C-a", changes: "Mapping[str, str] | None" = None) -> None:
        self.prefix = canonical(prefix)
        self.table = {**DEFAULTS, self.prefix: "send-prefix"}
        for key, action in (changes or {}).items():
            name = canonical(key)
            if action:
                self.table[name] = action
            else:
                self.table.pop(name, None)

    def action(self, key: str) -> str | None:
        """Return the action of a key after the prefix."""
        return self.table.get(key)

    def keys_of(self, action: str) -> list[str]:
        """Return the keys of an action."""
        return [key for key, does in self.table.items() if does == action]


def is_key(word: object) -> bool:
    """Return whether a word is the name of a key or a single character."""
    return isinstance(word, str) and (parse_key(word) is not None or (len(word) == 1 and word.isprintable()))


def is_action(word: object) -> bool:
    """Return whether a word is a valid action: a name, a command line after a colon, or empty."""
    return isinstance(word, str) and (not word or word in ACTIONS or (word.startswith(":") and len(word) > 1))


def canonical(word: str) -> str:
    """Return the canonical spelling of a key: ``C-PageUp`` for ``c-PgUp``.

    Raises:
        BadConfigError: There is no such key.
    """
    key = parse_key(word)
    if key is None:
        if is_key(word):
            return word
        raise BadConfigError(f"unknown key {word!r:.80}", remedy="see docs/attach.md for the names of keys")
    if key.ctrl and len(key.name) == 1:
        key.name = key.name.lower()  # a terminal cannot distinguish C-A from C-a
    return str(key)

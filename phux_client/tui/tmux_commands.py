"""tmux's commands at the command prompt: actions of attach, and command lines of the CLI with the current target."""

from phux_core.bindings import ACTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

_LONG = {
    "displayp": "display-panes",
    "last": "last-window",
    "lastp": "last-pane",
    "lsk": "list-keys",
    "movew": "move-window",
    "neww": "new-window",
    "next": "next-window",
    "prev": "previous-window",
    "renamew": "rename-window",
    "resizep": "resize-pane",
    "resizew": "resize-window",
    "selectl": "select-layout",
    "selectp": "select-pane",
    "selectw": "select-window",
    "splitw": "split-window",
    "swapp": "swap-pane",
    "swapw": "swap-window",
    "switchc": "switch-client",
}
_ACTIONS = {
    "detach-client": "detach",
    "display-panes": "show-numbers",
    "list-keys": "help",
    "paste-buffer": "paste",
    "refresh-client": "redraw",
    "resize-pane -Z": "zoom",
    "select-pane -D": "focus-down",
    "select-pane -L": "focus-left",
    "select-pane -R": "focus-right",
    "select-pane -U": "focus-up",
    "select-pane -l": "last-pane",
    "select-window -l": "last-window",
    "select-window -n": "next-window",
    "select-window -p": "previous-window",
    "split-window": "split-down",
    "split-window -h": "split-right",
    "split-window -v": "split-down",
    "suspend-client": "suspend",
    "swap-pane -D": "swap-next",
    "swap-pane -U": "swap-previous",
    "switch-client -l": "last-session",
    "switch-client -n": "next-session",
    "switch-client -p": "previous-session",
}
_SCOPES = {
    **dict.fromkeys(("kill-session", "list-windows", "new-window", "rename-session"), "session"),
    **dict.fromkeys(("kill-window", "list-panes", "move-window", "rename-window"), "window"),
    **dict.fromkeys(("resize-window", "select-layout", "select-window", "swap-window"), "window"),
    **dict.fromkeys(("capture-pane", "kill-pane", "resize-pane", "select-pane", "split-window", "swap-pane"), "pane"),
}
_VERBS_TOO = ("new-window",)
"""Commands that are also verbs of phux, which take the target as their first argument."""
_SIDES = ("-D", "-L", "-R", "-U")


def in_view(words: list[str], view: "Document") -> list[str]:
    """Return an action, or a command line of the CLI, for a command line that may be in tmux's form.

    A missing target becomes the current session, window or pane; `2` and `:2` are in the current session.
    """
    name = _LONG.get(words[0], words[0])
    action = _ACTIONS.get(" ".join([name, *words[1:]]))
    if action is not None:
        return [action]
    is_action = name in ACTIONS and len(words) == 1
    is_verb = name in _VERBS_TOO and len(words) > 1 and not words[1].startswith("-")
    if name not in _SCOPES or is_action or is_verb:
        return [name, *words[1:]]
    return _with_target(name, _SCOPES[name], words[1:], view)


def _with_target(name: str, scope: str, words: list[str], view: "Document") -> list[str]:
    session = view["session"]["name"]
    window = f"{session}:{next(each['index'] for each in view['windows'] if each['active'])}"
    pane = f"@{view['window']['active_pane']}"
    current = {"session": session, "window": window, "pane": pane}[scope]
    if "-t" in words[:-1]:
        at = words.index("-t") + 1
        given = words[at]
        if given.startswith(":"):
            words[at] = session + given
        elif given.isdecimal() and scope != "session":
            words[at] = f"{session}:{given}" if scope == "window" else f"{window}.{given}"
        if name in {"move-window", "swap-pane", "swap-window"} and "-s" not in words:
            words = ["-s", current, *words]
    else:
        words = ["-t", current, *words]
    if name in {"new-window", "split-window"}:  # tmux goes to the new pane
        words = [word for word in words if word != "-d"] if "-d" in words else ["--select", *words]
    if words[-1] in _SIDES:
        words = [*words, "1"]
    return [name, *words]

"""The spellings of tmux: commands that phux has under another name, and ``-t TARGET``.

A command of tmux becomes the verb with the same effect; its output is that of the verb. Flags that phux does not have
are errors of the verb, which show its usage.
"""

_VERBS = {
    **dict.fromkeys(("a", "at", "attach-session"), "attach"),
    **dict.fromkeys(("kill-pane", "kill-server", "kill-session", "kill-window"), "kill"),
    **dict.fromkeys(("has", "has-session", "list-panes", "list-windows", "lsp", "lsw"), "tree"),
    **dict.fromkeys(("join-pane", "joinp", "move-pane", "move-window", "movep", "movew"), "move"),
    **dict.fromkeys(("rename-session", "rename-window", "renamew"), "rename"),
    **dict.fromkeys(("resize-pane", "resize-window", "resizep", "resizew"), "resize"),
    **dict.fromkeys(("select-pane", "select-window", "selectp", "selectw", "switch-client"), "select"),
    **dict.fromkeys(("split-window", "splitw"), "split"),
    **dict.fromkeys(("swap-pane", "swap-window", "swapp", "swapw"), "swap"),
    "capture-pane": "snapshot",
    "capturep": "snapshot",
    "detach-client": "detach",
    "list-sessions": "ls",
    "neww": "new-window",
    "new-session": "new",
    **dict.fromkeys(("select-layout", "selectl"), "layout"),
    "send": "send-keys",
}
_INSTEAD = {
    **dict.fromkeys(("bind", "bind-key", "set", "set-option", "source", "source-file"), "set it in the config file"),
    **dict.fromkeys(("display", "display-message"), "use `phux tree --json` or `phux status --json`"),
    **dict.fromkeys(("load-buffer", "paste-buffer", "set-buffer"), "use `phux paste TARGET`"),
    "pipe-pane": "use `phux logs TARGET --follow --raw`",
    "respawn-pane": "use `phux kill TARGET`, and then `phux new` or `phux split`",
    "run-shell": "use `phux run TARGET COMMAND`",
    "wait-for": "use `phux wait TARGET`",
}
# Flags of tmux's commands as flags of the verb; an empty one is left out, because the verb does that anyway.
_FLAGS = {
    "resize": {"-x": "--width", "-y": "--height", "-L": "--left", "-R": "--right", "-U": "--up", "-D": "--down"},
    "move": {"-h": "--right", "-v": "--down", "-d": "", "-l": "--size"},
    "snapshot": {"-p": "", "-J": "", "-e": "--format=ansi"},
    "split": {"-h": "--right", "-v": "--down", "-d": "", "-l": "--size"},
    "swap": {"-d": "", "-s": ""},
    "tree": {"-a": "", "-s": ""},
}

_CURRENT = frozenset(("resize-pane", "resizep", "select-layout", "selectl", "split-window", "splitw"))
"""Commands that are about the current pane without ``-t``."""

_DOWN = frozenset(("join-pane", "joinp", "move-pane", "movep", "split-window", "splitw"))
"""Commands that place a pane below the other one without ``-h``."""


def verb_form(name: str, words: list[str]) -> tuple[str, list[str]]:
    """Return the verb and the arguments for a command line that may be in tmux's form.

    Example:
        >>> verb_form("capture-pane", ["-p", "-t", "work:0.1"])
        ('snapshot', ['work:0.1'])
    """
    cut = words.index("--") if "--" in words else len(words)
    words, rest = words[:cut], words[cut:]
    verb = _VERBS.get(name, name)
    if name in _VERBS:
        flags = _FLAGS.get(verb, {})
        words = [new for word in words if (new := flags.get(word, word))]
    if verb == "resize" and "-Z" in words:
        verb, words = "zoom", [word for word in words if word != "-Z"]
    if name == "kill-server":
        words.append("--server")
    if name == "new-session":
        cols, rows = _take(words, "-x"), _take(words, "-y")
        words += [f"--size={cols or 80}x{rows or 24}"] if cols or rows else []
    if verb == "snapshot" and (first := _take(words, "-S")):
        words.append(f"--scrollback={first.lstrip('-') or 0}")
    if name in _DOWN and "--right" not in words and "--down" not in words:
        words.append("--down")
    needs = 1 if verb == "layout" else 0  # arguments besides the target
    has_target = "-t" in words or (len(words) > needs and not words[0].startswith("-"))
    if name in _CURRENT and not has_target:
        words = [".", *words]
    source = _take(words, "-s") if verb == "move" else None
    targets = [target for target in (source, _take(words, "-t")) if target]
    return verb, [*targets, *words, *rest]


def instead(name: str) -> str | None:
    """Return what to use instead of a command of tmux that phux does not have; None for other names."""
    return _INSTEAD.get(name)


def _take(words: list[str], flag: str) -> str | None:
    """Remove a flag and its value, and return the value; None without the flag."""
    if flag not in words[:-1]:
        return None
    at = words.index(flag)
    _flag, value = words[at : at + 2]
    del words[at : at + 2]
    return value

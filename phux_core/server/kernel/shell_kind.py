"""Recognize shells by their command line, and whether they are interactive."""

from __future__ import annotations

import os
import re

_SHELLS = dict.fromkeys(("sh", "dash", "ash", "hush", "ksh", "mksh", "lksh", "oksh", "pdksh", "yash", "posh"), "posix")
_SHELLS |= {"bash": "bash", "rbash": "bash", "zsh": "zsh", "rzsh": "zsh", "fish": "fish"}
_MULTICALL = frozenset({"busybox", "toybox"})
_VERSION = re.compile(r"(-static|[-_.]?\d[\d.]*)+$")  # ksh93, zsh-5.9, bash-static
# The options of each shell that take a value: letters, then words.
_VALUED = {
    "bash": ("oO", {"rcfile", "init-file"}),
    "zsh": ("o", {"emulate"}),
    "fish": ("cCdDfop", {"init-command", "profile", "profile-startup", "debug", "debug-output", "features"}),
    "posix": ("o", {"rcfile", "profile"}),
}


def kind_of_name(name: str) -> str | None:
    """Return the kind of shell with this name: "bash", "zsh", "fish" or "posix"; None if it is not a shell."""
    return _SHELLS.get(_VERSION.sub("", name))


def shell_kind(executable: str, argv: list[str]) -> str | None:
    """Return the kind of shell that a command line starts; None if it is no shell, or executes a script or command.

    ``executable`` is the name of the program's file, without directories.
    """
    if not argv:
        return None
    name, arguments = _VERSION.sub("", executable), argv[1:]
    kind = _SHELLS.get(name)
    if name in _MULTICALL:
        name = os.path.basename(argv[0]).removeprefix("-")
        if name in _MULTICALL and arguments:
            name, arguments = arguments[0], arguments[1:]
        kind = "posix" if name in _SHELLS else None
    return kind if kind is not None and _reads_terminal(kind, arguments) else None


def _reads_terminal(kind: str, arguments: list[str]) -> bool:
    """Return whether a shell with these arguments reads commands from its terminal."""
    letters, words = _VALUED[kind]
    from_input = False
    rest = iter(arguments)
    for argument in rest:
        if argument in {"-", "--"}:
            return from_input or next(rest, None) is None
        if argument.startswith("--"):
            if argument.partition("=")[0] == "--command":
                return False
            if argument[2:] in words:
                next(rest, None)
        elif argument.startswith(("-", "+")):
            for index, letter in enumerate(argument[1:], 2):
                if letter == "c" and argument[0] == "-":
                    return False
                from_input |= letter == "s"
                if letter in letters:
                    joins = kind in {"zsh", "fish"}  # the rest of the word is the option's value
                    if not joins or index == len(argument):
                        next(rest, None)
                    if joins:
                        break
        else:
            return from_input
    return True

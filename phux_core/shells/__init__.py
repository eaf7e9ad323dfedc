r"""Shell integration: shells that mark where prompts, command lines and their ends are.

``integrate`` turns the command that starts a shell into one that starts it with a script of ours (the files beside
this one). The user's files are read as ever and none is touched. The script makes the shell write marks to its
terminal, each in the standard form (``OSC 133``) and in our own (``OSC 7748``), which carries a secret so that no
program's output can pass for it. All end in BEL.

``7748;NONCE;E``
    The output of a command ends here, and D will follow. From zsh only, where the user's ``precmd`` writes before D.
``7748;NONCE;D;EXIT``
    A command has ended and the shell comes back to its prompt. Also after a line that ran nothing (empty, a comment, a
    syntax error, C-c): whoever typed a line gets exactly one. The first prompt of a shell has none.
``133;D;EXIT``
    The same, after a line that ran something.
``7;file://HOST/PATH``
    The working directory, percent-encoded, if it is not what it was at the last prompt.
``133;A`` and ``7748;NONCE;A``
    A prompt begins.
``133;B`` and ``7748;NONCE;B``
    The prompt has been drawn and the shell takes input. Whenever the prompt is drawn again, this may come again.
``133;C`` and ``7748;NONCE;C;COMMAND``
    A command line was read and runs now; its output follows. COMMAND is what was typed, at most 2000 characters of it,
    with ``\\``, ``\n`` and ``\t`` for backslash, newline and tab and without other control characters; empty if the
    shell does not know.
``7748;NONCE;R;shown`` and ``7748;NONCE;R;hidden``
    The command reads a line, which is shown or not as it is typed. From fish only; of the others the terminal's
    settings tell it.

``7748;NONCE;L;LENGTH;MODE``
    The answer to the key ``CSI 7748 ~``, which is bound in every keymap: how many characters stand on the line that is
    being edited. MODE is ``command`` if keys are commands, ``more`` if earlier lines belong to it.
    bash cannot tell ``more``, but draws its prompt again behind the answer: B follows if that is no continuation.

What the shells do differently:

- bash knows a line only from its history, and asking for it costs a fork: COMMAND is always empty. The line stands in
  the stream, between B and C.
- fish leaves a line with a syntax error in its editor, and keeps ``$status`` then and when a line is cancelled: D has
  127 and 130 nevertheless. A comment is a command to it. C-c on an empty line does nothing.
- POSIX shells (dash, ksh, mksh, busybox sh) have no hooks: their marks are in PS1 and PS2, in our own form only. D is
  ``7748;NONCE;D;EXIT;PROMPT``, with the number of the prompt, because an editor that draws its prompt again writes it
  again. There is no C: the server knows when Enter was typed, and finds the end of the line in the stream. B has the
  kind of editor (``none``, ``edits``, or ``wraps`` for one that writes a newline where a row is full), and
  ``7748;NONCE;P`` ends a continuation prompt. The first prompt has a D, too, and every line, also one that ran nothing,
  another one. The server asks the kernel for the working directory. A command that sets PS1 ends all this.
- zsh marks a missing newline at the end of the output (``PROMPT_SP``) between E and D, fish after D. Without
  ``PROMPT_SP``, there is no E.

By the standard, a terminal begins a new line for A when the cursor is not in the first column: after output without
a newline, bash's prompt is on a line of its own, as it would not be without us.

A command that a run cannot type stands in a file; the line that sources it is kept out of the history. In bash and zsh
the command itself is put there instead, unless the user has something that may be meant to keep it out.

This package starts nothing, and reads no file but the system's zshenv.
"""

from __future__ import annotations

import os.path
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    _Integration = Callable[[list[str], Mapping[str, str], bool], tuple[list[str], dict[str, str]] | None]

__all__ = ["integrate", "without_history"]

_HERE = os.path.dirname(os.path.abspath(__file__))
_KSH = re.compile(r"(ksh)\d+.*")
_NONCE = re.compile(r"[0-9A-Za-z_-]+")
_ZSHENV = ("/etc/zshenv", "/etc/zsh/zshenv")


def integrate(argv: list[str], env: Mapping[str, str], nonce: str) -> tuple[list[str], dict[str, str]] | None:
    """Have a shell start with integration.

    Args:
        argv: The command; its first word is the path of a program.
        env: The environment it would start with.
        nonce: What our own marks shall carry: letters, digits, ``-`` and ``_``. The shell takes it out of its
            environment, so that no program started from it learns it.

    Returns:
        The command to start instead and the variables to add to its environment; None when this is no shell we
        integrate, or when its arguments say that it is not one that reads a terminal and the user's files.

    Raises:
        ValueError: A nonce with other characters.
    """
    if not _NONCE.fullmatch(nonce):
        raise ValueError("a nonce has letters, digits, '-' and '_' only")
    shell = _find(argv)
    login = _asks_for_login(argv[2:] if os.path.basename(argv[0]) == "busybox" else argv[1:]) if argv else None
    if shell is None or login is None:
        return None
    started = shell(argv, env, login)
    if started is None:
        return None
    command, variables = started
    return command, {**variables, "PHUX_NONCE": nonce}


def without_history(argv: list[str]) -> dict[str, str]:
    """Have a shell leave the user's history file alone, also if the user's startup files name one.

    The scripts beside this file do that after the user's files.

    Args:
        argv: The command; its first word is the path of a program.

    Returns:
        The variables to add to its environment.
    """
    variables = {"HISTFILE": "", "fish_private_mode": "1", "fish_history": ""}
    if _find(argv) is not None:
        variables["PHUX_HISTORY"] = "off"
    return variables


def _find(argv: list[str]) -> _Integration | None:
    """Find the integration of a command's shell, if it has one."""
    name = os.path.basename(argv[0]) if argv else ""
    if name == "busybox":
        return _posix if argv[1:2] in (["sh"], ["ash"]) else None
    return _SHELLS.get("ksh" if _KSH.fullmatch(name) else name)


def _asks_for_login(arguments: list[str]) -> bool | None:
    """Whether these arguments ask for a login shell; None if they ask for anything but that or an interactive one."""
    login = False
    for argument in arguments:
        if argument == "--login" or re.fullmatch("-[il]+", argument):
            login = login or "l" in argument
        elif argument != "--interactive":
            return None
    return login


def _bash(argv: list[str], env: Mapping[str, str], login: bool) -> tuple[list[str], dict[str, str]] | None:
    if "POSIXLY_CORRECT" in env or "--interactive" in argv:  # bash has no such option: let it say so
        return None
    script = os.path.join(_HERE, "bash", "phux.bash")
    if not login:
        return [argv[0], "--rcfile", script, *argv[1:]], {}
    # A login shell ignores --rcfile. In POSIX mode it reads $ENV and nothing else; the script leaves that mode at once.
    return [argv[0], "--posix", *argv[1:]], {
        "ENV": script,
        "PHUX_ENV": f"={env['ENV']}" if "ENV" in env else "",
        "PHUX_LOGIN": ":" + "".join(f"{name}:" for name in ("HISTFILE", "MAILCHECK") if name in env),
    }


def _zsh(argv: list[str], env: Mapping[str, str], _login: bool) -> tuple[list[str], dict[str, str]] | None:
    for path in _ZSHENV:
        # It is read before our file, and what it says of ZDOTDIR would either hide our file or be lost.
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                if re.search(r"^[^#\n]*\bZDOTDIR\b", file.read(), re.MULTILINE):
                    return None
        except OSError:
            continue
    return [*argv], {
        "ZDOTDIR": os.path.join(_HERE, "zsh"),
        "PHUX_ZDOTDIR": f"={env['ZDOTDIR']}" if "ZDOTDIR" in env else "",
    }


def _fish(argv: list[str], _env: Mapping[str, str], _login: bool) -> tuple[list[str], dict[str, str]] | None:
    script = os.path.join(_HERE, "fish", "phux.fish").replace("\\", "\\\\").replace("'", "\\'")
    return [argv[0], "--init-command", f"source '{script}'", *argv[1:]], {}


def _posix(argv: list[str], env: Mapping[str, str], _login: bool) -> tuple[list[str], dict[str, str]] | None:
    variables = {
        "ENV": os.path.join(_HERE, "posix", "phux.sh"),
        "PHUX_ENV": f"={env['ENV']}" if env.get("ENV") else "",
    }
    if os.path.basename(os.path.realpath(argv[0])) == "busybox":
        variables["PHUX_SHELL"] = "busybox"  # it does not say so itself
    return [*argv], variables


_SHELLS: dict[str, _Integration] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
    **dict.fromkeys(("sh", "dash", "ash", "ksh", "mksh", "lksh"), _posix),
}

r"""Shell integration: scripts that make a shell mark its prompts and commands.

``integrate`` changes the command that starts a shell so that the shell also reads a script beside this file. The user's
own files are read as before, and none is changed. The script makes the shell write marks to its terminal, each in the
standard form (``OSC 133``) and in our own (``OSC 7748``). Our own form carries a nonce, so that no program can imitate
it, and a number, so that a mark that is printed again has no effect: the numbers of each kind of mark increase. Only a
B that draws its prompt again repeats its number. bash writes the numbers of B and C as a sum, such as ``5+3``. All
marks end with BEL. docs/shell-integration.md explains how the server uses them.

``7748;NONCE;NUMBER;A`` and ``133;A``
    A prompt begins.
``7748;NONCE;NUMBER;B`` and ``133;B``
    The prompt was drawn, and the shell reads a line. B may come again when the prompt is drawn again. bash writes
    ``B;;EXIT;LINE``: the exit status of the command before it, and the number of the line that it reads, which counts
    the lines that execute something. POSIX shells write ``B;EDITOR``: ``none`` if the terminal edits the line; for the
    shell's own editor, ``edits`` (mksh), ``reads`` (bash as ``sh``), ``wraps`` if the editor writes a newline at the
    end of each row (busybox), or ``breaks`` if it writes the newline instead of a blank (ksh).
``7748;NONCE;NUMBER;C;COMMAND`` and ``133;C``
    A command starts, and its output follows. COMMAND is the typed line, at most 2000 characters of it, with ``\\``,
    ``\n`` and ``\t`` for backslash, newline and tab, and without other control characters. It is empty if the shell
    does not know it.
``7748;NONCE;NUMBER;E``
    The output of a command ends, and D follows. From zsh only, where the user's ``precmd`` writes before D.
``7748;NONCE;NUMBER;D;EXIT``
    The shell has finished a line, with this exit status. There is one D for each line, also for a line that executes
    nothing (empty, a comment, a syntax error, C-c), and none before the first prompt. bash and POSIX shells write
    ``D;EXIT;LINE``, with the number of the line that they read next: hooks that draw a prompt again repeat that
    number. POSIX shells write D before the first prompt, too.
``133;D;EXIT``
    The standard form of D, only after a line that executed something.
``7748;NONCE;NUMBER;P``
    A continuation prompt was drawn. From POSIX shells only; ksh and mksh, which show PS2 as it is, write no NUMBER.
``7748;NONCE;NUMBER;R;shown`` and ``7748;NONCE;NUMBER;R;hidden``
    The command reads a line, which is shown or hidden while it is typed. From fish only; for other shells, the
    server reads the terminal's settings.
``7748;NONCE;NUMBER;L;LENGTH;MODE``
    The answer to the key ``CSI 7748 ~`` (in fish ``CSI 60123 u``), which is bound in every keymap: the number of
    characters on the command line. MODE is ``command`` in vi command mode, and ``more`` if the line continues earlier
    lines. bash does not report ``more``, but draws its prompt again after the answer: B follows unless the line
    continues earlier lines. If a command has removed all hooks from bash, the key restores them, and the answer is
    ``L;LENGTH;restored;EXIT``.
``7748;NONCE;1;X``
    The shell will send no marks. From bash, if ``PROMPT_COMMAND``, ``PS1`` or ``PS0`` is read-only, and from a zsh that
    was started as ``sh``.
``7;file://HOST/PATH``
    The working directory, percent-encoded, if it changed since the last prompt.

Differences between the shells:

- bash has the line only in its history, and reading the history costs a fork: COMMAND is always empty. The server
  reads the line from the stream, between B and C.
- fish leaves a line with a syntax error in its editor, and keeps ``$status`` then and when a line is cancelled: D has
  127 and 130 nevertheless. fish executes comments. C-c on an empty line does nothing.
- POSIX shells (dash, ksh, mksh, busybox sh) have no hooks. Their marks are in PS1 and PS2, in our own form only, and
  there is no C: the server knows when Enter was typed, and finds the end of the line in the stream. It asks the kernel
  for the working directory. A command that sets PS1 ends the marks.
- zsh marks a missing newline at the end of the output (``PROMPT_SP``) between E and D, fish after D. Without
  ``PROMPT_SP``, there is no E.

By the standard, a terminal starts a new line for A if the cursor is not in the first column. After output without a
newline, bash's prompt is therefore on its own line, unlike without phux.

This package starts nothing, and reads no file except the system's zshenv.
"""

from __future__ import annotations

import os.path
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    _Integration = Callable[[list[str], Mapping[str, str], bool], tuple[list[str], dict[str, str]] | None]

__all__ = ["NONCE_VARIABLE", "integrate", "without_history"]

NONCE_VARIABLE = "PHUX_NONCE_FD"
"""Only the shell itself is started with this variable: it removes it."""

_HERE = os.path.dirname(os.path.abspath(__file__))
_KSH = re.compile(r"(ksh)\d+.*")
_ZSHENV = ("/etc/zshenv", "/etc/zsh/zshenv")


def integrate(argv: list[str], env: Mapping[str, str]) -> tuple[list[str], dict[str, str]] | None:
    """Return the command and the additional variables that start a shell with integration.

    The shell reads the nonce, a line of letters, digits, ``-`` and ``_``, from the descriptor 9. The variables that it
    was started with stay readable in /proc.

    Args:
        argv: The command; its first word is the path of a program.
        env: The environment in which the command would start.

    Returns:
        None if the command is not a shell that we integrate, if its arguments ask for anything other than an
        interactive or login shell, or if ``env`` or the system's zshenv rules integration out.
    """
    shell = _find(argv)
    if shell is None:
        return None
    login = _asks_for_login(argv[2:] if os.path.basename(argv[0]) == "busybox" else argv[1:])
    started = None if login is None else shell(argv, env, login)
    if started is None:
        return None
    command, variables = started
    return command, {**variables, NONCE_VARIABLE: "9"}


def without_history(argv: list[str]) -> dict[str, str]:
    """Return additional variables that make a shell ignore the user's history file, even if a startup file names one.

    The scripts beside this file apply them after the user's files.
    """
    variables = {"HISTFILE": "", "fish_private_mode": "1", "fish_history": ""}
    if _find(argv) is not None:
        variables["PHUX_HISTORY"] = "off"
    return variables


def _find(argv: list[str]) -> _Integration | None:
    """Return the integration of a command's shell, or None."""
    name = os.path.basename(argv[0]) if argv else ""
    if name == "busybox":
        return _posix if argv[1:2] in (["sh"], ["ash"]) else None
    return _SHELLS.get("ksh" if _KSH.fullmatch(name) else name)


def _asks_for_login(arguments: list[str]) -> bool | None:
    """Return whether the arguments ask for a login shell; None if they ask for more than a login or interactive one."""
    login = False
    for argument in arguments:
        if argument == "--login" or re.fullmatch("-[il]+", argument):
            login = login or "l" in argument
        elif argument != "--interactive":
            return None
    return login


def _bash(argv: list[str], env: Mapping[str, str], login: bool) -> tuple[list[str], dict[str, str]] | None:
    if "POSIXLY_CORRECT" in env or "--interactive" in argv:  # bash has no such option, and reports that itself
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
        # zsh reads this file before ours. If it sets ZDOTDIR, either our file is not read or the setting is lost.
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
        variables["PHUX_SHELL"] = "busybox"  # it has no variable that identifies it
    return [*argv], variables


_SHELLS: dict[str, _Integration] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
    **dict.fromkeys(("sh", "dash", "ash", "ksh", "mksh", "lksh"), _posix),
}

"""How a command is typed into a shell. Pure text: what goes onto the line, what goes into a file beside it.

At the prompt of a shell that tells us of its commands, a complete line is typed as it is. Everything else (several
lines, a here-document, an open quote) stands in a file that the shell executes, so that the shell itself judges it and
no continuation prompt is left behind. A shell that tells us nothing gets marks around it.

A shell that names the file it reads in its error messages (all but bash and fish) gets the text by ``eval``. dash, ksh
and busybox then put that word into their messages, so a line that they cannot read, of which they would execute
nothing, goes to another process of the same shell.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from phux_core.engine.protocol import PRIVATE_OSC
from phux_core.errors import BadRequestError

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST_TYPED = 1000
# A terminal takes at most 4096 bytes a line, and busybox's own editor 1024.
_PIECE = 200
_KIND = "S"
POSIX = frozenset({"posix", "ksh", "mksh"})
"""Kinds of shells that are neither bash, zsh nor fish."""
NOWHERE = "/dev/./null"
"""How we spell it, for ksh writes it to a run's output after ``set -x``, and has to be told from a command there."""

# Words, quoted strings and operators between them that leave nothing open in any shell we know. No `!`: at a prompt it
# asks for an earlier line.
_WORD = (
    r"(?!=)(?:[\w@%+=:,./~^*?-]|\[[\w.*?-]+\]|\$(?=\w)|\\[ $&|;<>()'\"*?\[\]]"
    r"|'[^'\\\n\t!]*'|\"(?:[^\"\\`!$\n\t]|\$\w)*\")+"
)
_OPERATOR = r"(?:&&|\|\||\||;|>>?&?|<)"
_COMPLETE = re.compile(rf" *(?![-^]){_WORD}(?: +{_WORD}| *{_OPERATOR} *{_WORD})* *[;&]? *")
_KEYWORDS = re.compile(
    r"(?:^|[\s;&|])(?:if|then|elif|else|fi|for|foreach|while|until|do|done|case|esac|select|function|begin|end|switch|and|or"
    r"|not|time|coproc|repeat|[{}!]|\[\[|\]\]|in)(?:$|[\s;&|])"
)
_ALIAS = re.compile(r"[\w!%,@.:][\w!%,@.+:-]*")


def is_surely_complete(command: str) -> bool:
    """Tell whether a command leaves nothing open at a prompt; false also when that cannot be told by its looks."""
    return (
        len(command) <= _LONGEST_TYPED
        and command.isprintable()  # at a prompt the others are keys, between quotes, too
        and _COMPLETE.fullmatch(command) is not None
        and _KEYWORDS.search(command) is None
    )


def may_be_typed(command: str, shell: str) -> bool:
    """Tell whether a command that the shell called complete can be typed at its prompt and means the same there."""
    return (
        len(command) <= _LONGEST_TYPED
        and command.isprintable()
        and not command.startswith((" ", "^"))  # kept out of the history; and `^` asks for an earlier line, too
        and (shell == "fish" or "!" not in command)
        and (shell != "zsh" or "#" not in command)
        and not command.endswith("\\")
    )


def group(command: str) -> str | None:
    """Write a complete command of several lines as one; None if it cannot be typed."""
    code = any(line and not line.lstrip().startswith("#") for line in command.split("\n"))
    typable = len(command) <= _LONGEST_TYPED and all(line.isprintable() for line in command.split("\n"))
    return f"{{ {command}\n}}" if code and typable else None


def quote(words: Sequence[str], shell: str) -> str:
    r"""Write words so that a shell sees exactly them.

    Example:
        >>> print(quote(["echo", "it's"], "bash"))
        echo 'it'\''s'
        >>> print(quote(["echo", "it's"], "fish"))
        echo 'it\'s'
    """
    return " ".join(_quote_word(word, shell, later=index > 0) for index, word in enumerate(words))


def _quote_word(word: str, shell: str, *, later: bool) -> str:
    # zsh knows aliases for any word, and it and fish take a word that begins so for something else.
    if shlex.quote(word) == word and not word.startswith(("=", "%")) and not (later and shell == "zsh"):
        return word
    return _quote_fish(word) if shell == "fish" else quote_always(word)


def _quote_fish(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def source_line(path: str, shell: str, *, broken: bool = False) -> str:
    """Write the line that has a shell execute a file as if it were typed. The blank keeps it out of many histories.

    Args:
        path: The file.
        shell: The kind of shell.
        broken: Whether the shell cannot read it: then ``set -e`` must not take that for the failure of a command.
    """
    quoted = quote([path], shell)
    and_go_on = " && :" if broken and shell != "fish" else ""
    # bash 5.2 writes over its own memory after `.` of a file with an open `$(`, and dies of it some time later. In what
    # it evals, `$?` is that of `$(<...)`, so it sources everything else.
    if shell in {"zsh", "ksh", "mksh"} or (shell == "bash" and broken):
        evaluate = "builtin eval" if shell == "zsh" else "\\eval"
        return f' {evaluate} "$(<{quoted})"{and_go_on}'
    # The user may have an alias of this name.
    source = "builtin source" if shell == "fish" else "\\."
    return f" {source} {quoted}{and_go_on}"


def eval_text(text: str, shell: str, *, broken: bool = False) -> str:
    """Write a line that executes a text and goes on after a syntax error in it; not for bash and fish."""
    # `command` keeps dash and its like from giving the whole line up; zsh's finds programs only.
    evaluate = "builtin eval" if shell == "zsh" else "command eval"
    return f"{evaluate} {quote_always(text)}{' && :' if broken else ''}"


def complain(command: str, program: Sequence[str]) -> str:
    """Write a line that has another process of dash, ksh or busybox say what is wrong with a line, and go on after it.

    Args:
        command: A line that the shell cannot read. If it names an alias it might, and it is executed.
        program: What starts the shell.
    """
    names = " ".join(map(quote_always, _ALIAS.findall(command))) or ":"
    text = quote_always(command)
    child = f'{quote(program, "posix")} -c {text} "$0" 2>&3'
    # `set -x` writes what is traced of our line to its errors.
    either = f"case $(command alias {names}) in '') {child};; *) command eval {text} 2>&3;; esac"
    return f"{{ {either}; }} 3>&2 2>{NOWHERE} && :"


def wrapper(inner: str, shell: str, nonce: str) -> str:
    """Write a file that executes a line between marks, and goes on whatever becomes of it."""
    begin, end = _mark(nonce, "C"), _mark(nonce, "D;%s")
    if shell == "fish":
        return f"builtin printf '{begin}'\n{inner}\nbuiltin printf '{end}' $status\n"
    # The user's printf may be another one, and zsh's `command` finds programs only.
    printf = "builtin printf" if shell == "zsh" else "command printf"
    # Its output may go to a file by now, and not every shell has a terminal of its own to write to instead.
    begin, end = (f"{printf} {mark} >/dev/tty || {printf} {mark}" for mark in (f"'{begin}'", f"'{end}' \"$_p\""))
    # What the command sees as $?, and what comes after it; for `set -e` that would be a failure.
    status = 'case $_p$- in 0*|*e*) ;; *) (exit "$_p") && :;; esac'
    # Errors are where `set -x` writes. One line, for `set -v` writes each before it is executed. What is written all
    # the same is left out of the output: that the command's file is read, and by ksh where the errors go (traces.py).
    before = f"_p=$? _q=; {{ {begin}; {status}; }} 2>/dev/null"
    if shell == "zsh":  # an error such as a pattern that matches nothing would end the whole line
        after = f"{{ _p=${{_q:-$?}}; {end}; TRY_BLOCK_ERROR=0; }} 2>{NOWHERE}"
        return f"{before}; {{ {inner}; }} always {{ {after}; }}; {{ {status}; }} 2>{NOWHERE}\n"
    after = f"{{ _p=${{_q:-$?}}; {end}; {status}; }} 2>{NOWHERE}"
    return f"{before}; {inner}; {after}\n"


def with_status(command: str, shell: str) -> str:
    """Write a command so that the file which executes it between marks knows its status, if it can be told to.

    Else the shell would see a second failure, that of the file: an ERR trap would run twice, `set -e` end the shell
    after `false && true`, and ksh forget that a signal was the reason.
    """
    may_swallow_more = shell == "fish" or "<<" in command
    return command if may_swallow_more else f"{command}\n\n{status_line(shell)}"


def status_line(shell: str) -> str:
    """Write the line that keeps a command's status, and of which ``set -x`` shows nothing, or only where that goes."""
    if shell in POSIX:
        # ksh with a DEBUG trap would have lost it in a group. `for` is what neither it nor dash traces, as bash does.
        return f"for _q in $?; do {{ :; }} 2>{NOWHERE}; done"
    return f"{{ _q=$?; }} 2>{NOWHERE}"


def question(nonce: str) -> str:
    """Write a line at which a shell tells its kind: between single quotes, two backslashes are one in fish only."""
    return f" printf '{_mark(nonce, _KIND + '%s')}' '\\\\'"


def answer(data: bytes, nonce: str) -> str | None:
    """Read what a shell answered: ``fish`` or ``posix``; None if that is no answer to this question."""
    return {f"{nonce};{_KIND}\\".encode(): "fish", f"{nonce};{_KIND}\\\\".encode(): "posix"}.get(data)


def inline(command: str, nonce: str, shell: str) -> str:
    """Write a line for a shell that cannot read our files, behind ssh or docker.

    Args:
        command: The command.
        nonce: What the marks around it carry.
        shell: ``fish``, or any other kind.

    Raises:
        BadRequestError: It has characters that are keys to a terminal.
    """
    if any(not (char.isprintable() or char in "\n\t") for char in command):
        raise BadRequestError(
            "the command has control characters, which cannot be typed into the shell of another machine",
            remedy="write them as the shell's printf would",
        )
    pieces = [command[index : index + _PIECE] for index in range(0, len(command), _PIECE)] or [""]
    quoted = "\\\n".join(_quote_fish(piece) if shell == "fish" else quote_always(piece) for piece in pieces)
    begin, end = _mark(nonce, "C"), _mark(nonce, "D;%s")
    if shell == "fish":
        return f" printf '{begin}';eval {quoted};printf '{end}' $status"
    # zsh's `command` finds programs only, and dash needs it to survive a syntax error.
    before = f"_s=$? _p=${{ZSH_VERSION:+builtin}};printf '{begin}';(exit $_s)&&:"
    return f" {before};${{_p:-command}} eval {quoted};_s=$?;printf '{end}' $_s;(exit $_s)&&:"


def quote_always(text: str) -> str:
    """Write a text between quotes, as bash shows it, too."""
    return "'" + text.replace("'", "'\\''") + "'"


def _mark(nonce: str, rest: str) -> str:
    return rf"\033]{PRIVATE_OSC};{nonce};{rest}\007"

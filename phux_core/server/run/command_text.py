"""Build the text that is typed to run a command: the line itself, and the content of a file that it executes.

At the prompt of an integrated shell, a complete line is typed as it is. Everything else (several lines, a
here-document, an open quote) goes into a file that the shell executes, so that the shell itself parses it and no
continuation prompt remains. For a shell without marks, phux adds its own.

Shells that name the file in their error messages (all but bash and fish) execute the text with ``eval``. dash, ksh and
busybox then add that word to their messages. At their prompts, the file instead defines an alias, which is then typed.
The lines that they cannot parse, of which they would execute nothing, are given to another process of the same shell.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from phux_core.engine.protocol import PRIVATE_OSC
from phux_core.errors import BadRequestError

if TYPE_CHECKING:
    from collections.abc import Sequence

# In bytes: busybox's editor takes 1024 of them.
_LONGEST_TYPED = 1000
# The editor of ksh reads 80 bytes at a time, and mangles characters across their boundaries.
_KSH_READS = 80
# A terminal accepts at most 4096 bytes per line, and busybox's editor 1024.
_PIECE = 200
_KIND = "S"
# Set $? to $_p for the next command, unless `set -e` would treat that as a failure.
_SET_STATUS = 'case $_p$- in 0*|*e*) ;; *) (exit "$_p") && :;; esac'
POSIX = frozenset({"posix", "ksh", "mksh"})
"""Kinds of shells other than bash, zsh and fish."""

# Words, quoted strings and operators that leave nothing open in any supported shell. No `!`: at a prompt it recalls an
# earlier line.
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
    """Return whether a command certainly leaves nothing open at a prompt; False if in doubt."""
    return (
        _size(command) <= _LONGEST_TYPED
        and command.isprintable()  # at a prompt other characters are keys, even between quotes
        and _COMPLETE.fullmatch(command) is not None
        and _KEYWORDS.search(command) is None
    )


def may_be_typed(command: str, shell: str) -> bool:
    """Return whether a command that the shell considers complete means the same when typed at its prompt."""
    return (
        _size(command) <= _LONGEST_TYPED
        and command.isprintable()
        and not command.startswith((" ", "^"))  # not saved in the history; and `^` recalls an earlier line
        and (shell == "fish" or "!" not in command)
        and (shell != "zsh" or "#" not in command)
        and not command.endswith("\\")
    )


def is_shown(command: str, cols: int, *, canonical: bool) -> bool:
    """Return whether the editors of ksh and busybox read a typed command as it is, and show it in one row.

    Into a line that does not fit, they write newlines.
    """
    return (canonical or len(command) <= cols // 2) and (command.isascii() or _size(command) < _KSH_READS)


def alias_definition(name: str, text: str, shell: str) -> str:
    """Return a script that makes a line with only a name mean a text, in dash, ksh and busybox.

    These shells execute the text as if it were typed: their messages mention neither a file nor ``eval``.
    """
    after = ""
    if shell == "posix":  # dash writes PS2 for each line of the text
        after = " PS2=;"
        text = f"{{ _p=$? PS2=$_phux_ps2; {_SET_STATUS}; }} 2>/dev/null; {text}"
    forget = "\\command unalias ${_phux_alias-} || :"
    define = f"_phux_alias={name} _phux_ps2=${{PS2-}}; \\command alias {name}={quote_always(text)}"
    return f"_p=$?; {{ {forget}; {define};{after} {_SET_STATUS}; }} 2>/dev/null"


def quote(words: Sequence[str], shell: str) -> str:
    r"""Quote words for a shell.

    Example:
        >>> print(quote(["echo", "it's"], "bash"))
        echo 'it'\''s'
        >>> print(quote(["echo", "it's"], "fish"))
        echo 'it\'s'
    """
    return " ".join(_quote_word(word, shell, later=index > 0) for index, word in enumerate(words))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _quote_word(word: str, shell: str, *, later: bool) -> str:
    # zsh has aliases for any word, and it and fish expand words that start with these characters.
    if shlex.quote(word) == word and not word.startswith(("=", "%")) and not (later and shell == "zsh"):
        return word
    return _quote_fish(word) if shell == "fish" else quote_always(word)


def _quote_fish(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def source_line(path: str, shell: str, *, broken: bool = False) -> str:
    """Return the line that makes a shell execute a file. The leading space keeps it out of many histories.

    ``broken``: the shell cannot parse the file; ``set -e`` must not treat that as a failed command.
    """
    quoted = quote([path], shell)
    and_go_on = " && :" if broken and shell != "fish" else ""
    # bash 5.2 corrupts its memory after `.` of a file with an open `$(`, and crashes later. In text that it evals, `$?`
    # is the status of `$(<...)`, so it sources everything else.
    if shell in {"zsh", "ksh", "mksh"} or (shell == "bash" and broken):
        evaluate = "\\builtin eval" if shell == "zsh" else "\\eval"
        return f' {evaluate} "$(<{quoted})"{and_go_on}'
    # Bypass aliases.
    source = "builtin source" if shell == "fish" else "\\."
    return f" {source} {quoted}{and_go_on}"


def eval_text(text: str, shell: str, *, broken: bool = False) -> str:
    """Return a line that executes a text and continues after a syntax error in it; not for bash and fish."""
    # `command` keeps shells such as dash from abandoning the whole line; zsh's only finds programs.
    evaluate = "\\builtin eval" if shell == "zsh" else "\\command eval"
    return f"{evaluate} {quote_always(text)}{' && :' if broken else ''}"


def report_error(command: str, program: Sequence[str]) -> str:
    """Return a line that makes another process of dash, ksh or busybox report a syntax error, and continues.

    If the command uses an alias, the shell itself may be able to parse it, and executes it.
    """
    names = " ".join(map(quote_always, _ALIAS.findall(command))) or ":"
    text = quote_always(command)
    child = f'{quote(program, "posix")} -c {text} "$0" 2>&3'
    # Keep the trace of our own line (`set -x`) out of the error output.
    either = f"case $(\\command alias {names}) in *=*) \\command eval {text} 2>&3;; *) {child};; esac"
    return f"{{ {either}; }} 3>&2 2>/dev/null && :"


def wrapper(inner: str, shell: str, nonce: str) -> str:
    """Return a script that executes a line between marks, and continues whatever the line does."""
    begin, end = _mark(nonce, "C"), _mark(nonce, "D;%s")
    if shell == "fish":
        return f"builtin printf '{begin}'\n{inner}\nbuiltin printf '{end}' $status"
    # The user may have redefined printf, and zsh's `command` only finds programs.
    printf = "\\builtin printf" if shell == "zsh" else "\\command printf"
    # The shell's output may be redirected to a file, and not every shell has /dev/tty.
    begin, end = (f"{printf} {mark} >/dev/tty || {printf} {mark}" for mark in (f"'{begin}'", f"'{end}' \"$_p\""))
    # Discard stderr, to which `set -x` writes. Use one line, because `set -v` shows each line before executing it.
    before = f"_p=$? _q=; {{ {begin}; {_SET_STATUS}; }} 2>/dev/null"
    if shell == "zsh":  # an error such as a pattern without match would abandon the whole line
        after = f"{{ _p=${{_q:-$?}}; {end}; TRY_BLOCK_ERROR=0; }} 2>/dev/null"
        return f"{before}; {{ {inner}; }} always {{ {after}; }}; {{ {_SET_STATUS}; }} 2>/dev/null"
    after = f"{{ _p=${{_q:-$?}}; {end}; {_SET_STATUS}; }} 2>/dev/null"
    return f"{before}; {inner}; {after}"


def with_status(command: str, shell: str) -> str:
    """Append a line that saves the command's status for the script around it, if that is possible.

    Otherwise the shell would see a second failure, that of the file: an ERR trap would run twice, `set -e` would end
    the shell after `false && true`, and ksh would forget that a signal was the cause.
    """
    if shell == "fish" or "<<" in command:  # an open here-document would contain the line
        return command
    # ksh with a DEBUG trap would lose it in a group. Under `set -x`, neither ksh nor dash traces `for`, but bash does.
    line = "for _q in $?; do { :; } 2>/dev/null; done" if shell in POSIX else "{ _q=$?; } 2>/dev/null"
    return f"{command}\n\n{line}"


def kind_query(nonce: str) -> str:
    """Return a line that makes a shell report its kind: in single quotes, only fish reads two backslashes as one."""
    return f" printf '{_mark(nonce, _KIND + '%s')}' '\\\\'"


def parse_kind(data: bytes, nonce: str) -> str | None:
    """Parse a shell's reply: ``fish`` or ``posix``; None if it is not a reply to this query."""
    return {f"{nonce};{_KIND}\\".encode(): "fish", f"{nonce};{_KIND}\\\\".encode(): "posix"}.get(data)


def inline(command: str, nonce: str, shell: str) -> str:
    """Return a line for a shell that cannot read our files, behind ssh or docker.

    Raises:
        BadRequestError: The command contains characters that are keys to a terminal.
    """
    if any(not (char.isprintable() or char in "\n\t") for char in command):
        raise BadRequestError(
            "the command has control characters, which cannot be typed into the shell of another machine",
            remedy="write them as escape sequences of printf",
        )
    pieces = [command[index : index + _PIECE] for index in range(0, len(command), _PIECE)] or [""]
    quoted = "\\\n".join(_quote_fish(piece) if shell == "fish" else quote_always(piece) for piece in pieces)
    begin, end = _mark(nonce, "C"), _mark(nonce, "D;%s")
    if shell == "fish":
        return f" printf '{begin}';eval {quoted};printf '{end}' $status"
    # zsh's `command` only finds programs, and dash needs it to survive a syntax error.
    before = f"_s=$? _p=${{ZSH_VERSION:+builtin}};printf '{begin}';(exit $_s)&&:"
    return f" {before};${{_p:-command}} eval {quoted};_s=$?;printf '{end}' $_s;(exit $_s)&&:"


def quote_always(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _mark(nonce: str, rest: str) -> str:
    return rf"\033]{PRIVATE_OSC};{nonce};{rest}\007"

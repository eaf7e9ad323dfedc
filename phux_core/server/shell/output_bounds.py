"""Find where a typed line, and the output of its command, begin and end in the output of a shell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from phux_core.engine.plain import as_written
from phux_core.logs.text import plain

if TYPE_CHECKING:
    from phux_core.keeper.journal import Journal
    from phux_core.server.shell.events import CommandStarted

# Maximum size of zsh's sign for a missing newline: it fills a row.
_LONGEST_SIGN = 4096
_SIGN_END = re.compile(rb" *\r( +)\r\Z")
_COLOURS = re.compile(rb"(?:\x1b\[[0-9;]*m)*\Z")
# fish's output between the mark and the command: bracketed paste off, the title, colours reset.
_FISH_BEGIN = re.compile(
    rb"\x1b\[\?2004l(?:(?P<title>\x1b\]0;[^\x07\x1b]*\x07)?\x1b\[30m(?:\x1b\(B)?\x1b\[m\x0f?(?(title)\r))?"
)
_PASTE_ON, _PASTE_OFF = b"\x1b[?2004h", b"\x1b[?2004l\r"
# Enough characters to recognize a line; after them it may wrap.
_DISTINCTIVE = 16
# Maximum size of a prompt and the line typed at it in the stream.
_LONGEST_LINE = 16 * 1024


def end_of_own_output(journal: Journal, start: int, end: int, shell: str | None, *, marked: bool = True) -> int:
    """Return where a command's own output ends, before the output of its shell that precedes the mark.

    zsh writes its sign for a missing newline there. If the shell did not mark the end, its prompt is there, before
    which the line editor enables bracketed paste.
    """
    if not marked:
        low = max(start, journal.base, end - _LONGEST_LINE)
        prompt = journal.since(low, max(0, end - low)).rfind(_PASTE_ON)
        return end if prompt < 0 else low + prompt
    if shell != "zsh":
        return end
    low = max(start, journal.base, end - _LONGEST_SIGN)
    return end - length_of_missing_newline_sign(journal.since(low, end - low))


def length_of_missing_newline_sign(tail: bytes) -> int:
    r"""Return the length of zsh's output between a command and the mark of its end.

    It is a sign (a coloured ``%`` by default), blanks up to the end of the row, a carriage return, blanks over the
    sign, and another carriage return: the sign only stays if the output did not end with a newline.

    Example:
        >>> length_of_missing_newline_sign(b"text\x1b[7m%\x1b[0m" + b" " * 79 + b"\r \r")
        91
    """
    end = _SIGN_END.search(tail)
    if end is None:
        return 0
    cut = _COLOURS.search(tail, 0, end.start()).start()  # type: ignore[union-attr]  # it always matches
    sign = cut - len(end[1])
    if sign < 0:
        return 0
    return len(tail) - _COLOURS.search(tail, 0, sign).start()  # type: ignore[union-attr]


def start_of_fish_output(head: bytes) -> int:
    r"""Return the length of fish's own output before that of the command.

    Example:
        >>> start_of_fish_output(b"\x1b[?2004l\x1b]0;echo\x07\x1b[30m\x1b(B\x1b[m\rtext\r\n")
        29
    """
    begin = _FISH_BEGIN.match(head)
    return 0 if begin is None else begin.end()


def last_line(journal: Journal, start: int | None, end: int) -> int:
    """Return where the last line of the output since a command started begins: an unmarked prompt."""
    if start is None:
        return end
    written = journal.since(max(start, journal.base))
    return end - len(written) + written.rfind(b"\n") + 1


def below_line(written: bytes, typed: str) -> bytes:
    r"""Return the output below a typed line; all of it if the line is not shown.

    bash shows typed input on its stderr, which may be redirected to a file.

    Example:
        >>> below_line(b"\x1b[7mecho a\x1b[27m\r\necho b\r\n", "echo a")
        b'echo b\r\n'
        >>> below_line(b"a\r\nb\r\n", "echo a; echo b")
        b'a\r\nb\r\n'
    """
    line, _newline, below = written.partition(b"\n")
    start = "".join(typed.split())[:_DISTINCTIVE]
    # The line editor disables bracketed paste at the end of the line.
    return (below if start in "".join(plain(line).split()) else written).removeprefix(_PASTE_OFF)


def typed_line(news: CommandStarted, journal: Journal, cols: int, rows: int) -> str | None:
    """Read a command's line from the screen, for a shell that does not report it."""
    last = news.prompt_start + _LONGEST_LINE
    if not journal.oldest <= news.prompt_start <= news.input_start <= news.start < last:
        return None
    shown, prompt = (
        as_written(journal.since(news.prompt_start, end - news.prompt_start), cols=cols, rows=rows)
        for end in (news.input_end, news.input_start)
    )
    return shown[len(prompt) :].strip() or None if shown.startswith(prompt) else None

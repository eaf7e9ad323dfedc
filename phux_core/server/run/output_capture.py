"""What a command wrote, kept while its journal is emptied and cut to what was asked for; and how it was typed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from phux_core.engine.plain import as_written
from phux_core.server.shell.shown_text import characters

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.keeper.journal import Journal
    from phux_core.server.shell.marks import CommandStarted

MOST_BYTES = 16 * 1024 * 1024
"""What can be asked for at the most."""
DEFAULT_BYTES = 1024 * 1024
# What is kept of the stream itself beyond the journal, at each end: far more than is asked for, for escapes and
# overwritten lines take room in the stream and none in the text.
_KEPT = MOST_BYTES


# Bytes that zsh's sign for a missing newline may take: it fills a row.
_LONGEST_SIGN = 4096
_SIGN_END = re.compile(rb" *\r( +)\r\Z")
_COLOURS = re.compile(rb"(?:\x1b\[[0-9;]*m)*\Z")
# What fish does to the terminal between the mark and the command: bracketed paste off, the title, colours reset.
_FISH_BEGIN = re.compile(
    rb"\x1b\[\?2004l(?:(?P<title>\x1b\]0;[^\x07\x1b]*\x07)?\x1b\[30m(?:\x1b\(B)?\x1b\[m\x0f?(?(title)\r))?"
)
# What bash shows of our hooks in its PROMPT_COMMAND after `set -v`.
_VERBOSE = re.compile(rb"\{ __phux_(?:after|before && \\:); \} >/dev/null 2>&1\r\n\Z")
_LONGEST_VERBOSE = 64
_PASTE_ON, _PASTE_OFF = b"\x1b[?2004h", b"\x1b[?2004l\r"
# What may stand behind the last newline and shows nothing.
_NEWLINE_END = re.compile(rb"\n(?:\r|\x1b\[[0-9;]*[mK]|\x1b\(B|\x0f)*\Z")
_LONGEST_END = 256
# So many characters tell a line from others; behind them it may be wrapped.
_TELLING = 16
# What a prompt and the line typed at it may take in the stream, to be read from there.
_LONGEST_LINE = 16 * 1024


class Stretch(NamedTuple):
    """A part of the stream of which the middle may be gone.

    Attributes:
        head: How it begins.
        omitted: Bytes that are gone, as far as is known without the carriage returns before newlines.
        tail: How it ends.
    """

    head: bytes
    omitted: int
    tail: bytes


class Capture:
    """The output of a command that runs.

    Args:
        start: Where in the pane's stream it begins.
    """

    def __init__(self, start: int) -> None:
        self._start = start
        self._head = bytearray()
        self._tail = bytearray()
        self._taken_to = start
        self._returns_lost = 0

    def recall(self, read: Callable[[int, int], bytes], end: int) -> None:
        """Take what a service that died had absorbed from the log, up to where the journal begins now.

        Args:
            read: Gives a part of the stream, all of it or nothing.
            end: Where the journal begins.
        """
        head_end = min(end, self._start + _KEPT)
        self._head += read(self._start, head_end)
        self._tail += read(max(head_end, end - _KEPT), end)
        self._taken_to = end

    def absorb(self, journal: Journal) -> None:
        """Take what the journal has, because it is about to be emptied."""
        self._add(journal, journal.position)

    def begin(self, journal: Journal, end: int, most: int) -> bytes:
        """Give the first bytes of a command that has ended there; none if they are gone."""
        if self._head:
            return bytes(self._head[:most])
        return journal.since(self._start, min(most, end - self._start)) if journal.base <= self._start < end else b""

    def skip_to(self, start: int) -> None:
        """Let the output begin later, behind bytes that ``begin`` gave."""
        del self._head[: start - self._start]
        self._start, self._taken_to = start, max(start, self._taken_to)

    def finish(self, journal: Journal, end: int) -> Stretch:
        """Give everything up to the end of the command."""
        self._add(journal, end)
        omitted = end - self._start - len(self._head) - len(self._tail) - self._returns_lost
        return Stretch(bytes(self._head), max(0, omitted), bytes(self._tail))

    def _add(self, journal: Journal, end: int) -> None:
        start = max(self._taken_to, journal.base)
        if end <= start:
            return
        data = journal.since(start, end - start)
        # What a service that died had absorbed may be in no log: then the head is gone, and this is not it.
        is_head = not self._tail and (self._head or start == self._start)
        room = max(0, _KEPT - len(self._head)) if is_head else 0
        self._head += data[:room]
        self._tail += data[room:]
        self._taken_to = end
        if len(self._tail) > _KEPT:
            lost = len(self._tail) - _KEPT
            # The terminal wrote these, and no text has them; one may end just here.
            self._returns_lost += self._tail.count(b"\r\n", 0, lost + 1)
            del self._tail[:lost]


class Text(NamedTuple):
    """Output as it is told.

    Attributes:
        text: What there is, with a line where something was left out.
        omitted: Bytes that were left out.
    """

    text: str
    omitted: int


def render(stretch: Stretch, *, cols: int, rows: int, raw: bool, most: int) -> Text:
    """Make text of a command's output, at most so many bytes of it, from both ends."""
    if stretch.omitted:
        first, last = (_text(part, cols=cols, rows=rows, raw=raw) for part in (stretch.head, stretch.tail))
        size = len(first) + len(last)
    else:
        first = last = _text(stretch.head + stretch.tail, cols=cols, rows=rows, raw=raw)
        size = len(first)
        if size <= most:
            return Text(first.decode(), 0)
    head, tail = _cut_end(first, most // 2), _cut_start(last, most - most // 2)
    omitted = stretch.omitted + size - len(head) - len(tail)
    note = f"[phux: {omitted} bytes left out]"
    return Text("\n".join(part for part in (head.decode().removesuffix("\n"), note, tail.decode()) if part), omitted)


def ends_with_newline(stretch: Stretch) -> bool:
    r"""Tell whether output ends with a newline, and at most colours behind it.

    Example:
        >>> ends_with_newline(Stretch(b"red\r\n\x1b[0m", 0, b"")), ends_with_newline(Stretch(b"50%", 0, b""))
        (True, False)
    """
    return _NEWLINE_END.search((stretch.tail or stretch.head)[-_LONGEST_END:]) is not None


def _text(data: bytes, *, cols: int, rows: int, raw: bool) -> bytes:
    if raw:
        return data.decode("utf-8", "replace").replace("\r\n", "\n").encode()
    return as_written(data, cols=cols, rows=rows).encode()


def _cut_end(text: bytes, most: int) -> bytes:
    """Give the first bytes of a text: whole lines if possible, else whole characters."""
    if len(text) <= most:
        return text
    cut = text[:most]
    return cut[: cut.rfind(b"\n") + 1] or cut.decode("utf-8", "ignore").encode()


def _cut_start(text: bytes, most: int) -> bytes:
    if len(text) <= most:
        return text
    cut = text[len(text) - most :]
    line = cut.find(b"\n") + 1
    return cut[line:] if 0 < line < len(cut) else cut.decode("utf-8", "ignore").encode()


def end_of_own_output(journal: Journal, start: int, end: int, shell: str | None, *, marked: bool = True) -> int:
    """Find where a command's own output ends, behind which its shell may have written something before its mark.

    zsh puts its sign for a missing newline there, and bash what it is about to execute, if it is told to. If the shell
    did not mark the end, its prompt is there, before which the line editor has turned bracketed paste on.
    """
    if not marked:
        low = max(start, journal.base, end - _LONGEST_LINE)
        prompt = journal.since(low, max(0, end - low)).rfind(_PASTE_ON)
        return end if prompt < 0 else low + prompt
    if shell not in {"zsh", "bash"}:
        return end
    low = max(start, journal.base, end - (_LONGEST_SIGN if shell == "zsh" else _LONGEST_VERBOSE))
    tail = journal.since(low, end - low)
    if shell == "zsh":
        return end - length_of_missing_newline_sign(tail)
    shown = _VERBOSE.search(tail) if tail.endswith(b"2>&1\r\n") else None
    return end if shown is None else low + shown.start()


def length_of_missing_newline_sign(tail: bytes) -> int:
    r"""Measure what zsh writes after a command, before it says that the command has ended.

    It is a sign (a coloured ``%`` unless the user has another), blanks up to the end of the row, a carriage return,
    blanks over the sign, and another carriage return: the sign stays only where the output did not end with a newline.

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


def without_begin_of_fish(stretch: Stretch) -> Stretch:
    r"""Leave out what fish itself writes before a command does.

    Example:
        >>> without_begin_of_fish(Stretch(b"\x1b[?2004l\x1b]0;echo\x07\x1b[30m\x1b(B\x1b[m\rtext\r\n", 0, b"")).head
        b'text\r\n'
    """
    begin = _FISH_BEGIN.match(stretch.head)
    return stretch if begin is None else stretch._replace(head=stretch.head[begin.end() :])


def below_line(written: bytes, typed: str) -> bytes:
    r"""Give what stands below a line that was typed; everything if it does not show that line.

    bash shows what is typed where its errors go, and these may go to a file.

    Example:
        >>> below_line(b"\x1b[7mecho a\x1b[27m\r\necho b\r\n", "echo a")
        b'echo b\r\n'
        >>> below_line(b"a\r\nb\r\n", "echo a; echo b")
        b'a\r\nb\r\n'
    """
    line, _newline, below = written.partition(b"\n")
    telling = characters(typed.encode("utf-8", "surrogateescape"))[:_TELLING]
    # The line editor turns bracketed paste off where the line ends.
    return (below if telling in characters(line) else written).removeprefix(_PASTE_OFF)


def typed_line(news: CommandStarted, journal: Journal, cols: int, rows: int) -> str | None:
    """Read a command's line from what the terminal shows, for a shell that does not tell it."""
    last = news.prompt_start + _LONGEST_LINE
    if not journal.oldest <= news.prompt_start <= news.input_start <= news.start < last:
        return None
    shown, prompt = (
        as_written(journal.since(news.prompt_start, end - news.prompt_start), cols=cols, rows=rows)
        for end in (news.input_end or news.start, news.input_start)
    )
    return shown[len(prompt) :].strip() or None if shown.startswith(prompt) else None

"""Where in a pane's stream stands what was typed, for those who want to read output only.

Where our shell integration marks the prompt, the marks tell. Elsewhere it is known what was typed, and who shows it:
the terminal itself does so for certain, character for character; a program that edits its lines does so where it
waited, if at all; and what a shell writes between a key at its prompt and the end of the line is that line. Texts are
compared without blanks and escapes, which editors put where a line is wrapped or coloured. A text that is not shown may
be a secret; it is forgotten as soon as anything else is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from phux_core.engine.plain import as_written
from phux_core.server.commands import CommandStarted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from phux_core.keeper.journal import Journal

# How far behind the place where it was typed an echo is looked for.
_FAR = 64 * 1024
# Lines that may wait for their echo, and bytes of one.
_MOST_LINES, _LONGEST = 64, 64 * 1024
# Echoes and prompts that are remembered.
_REMEMBERED, _PROMPTS = 1000, 8
_LONGEST_PROMPT = 4096
_WIDE = 1000
# So much of a text tells where it may begin.
_TELLING = 64

# An escape sequence, of which the rest may be still to come; or what shows.
_TOKEN = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)|([^\x00-\x20\x1b\x7f]+)"
)
# What shells write where a line goes on, unless they are told otherwise.
_ASKS_FOR_MORE = b">"
_BRACKETS = re.compile(rb"\x1b\[20[01]~")
_INTERRUPT = b"\x03"
_ENDS_LINE = re.compile(rb"([\r\n\x03])")
# Keys at which an editor shows what was not typed, or shows it elsewhere: all but those that erase.
_FETCHES = re.compile(rb"[\x00-\x07\x09\x0b\x0c\x0e-\x14\x16\x18-\x1f]")

Stretch = tuple[int, int]


class Reader(NamedTuple):
    """Who reads what is typed.

    Attributes:
        at_prompt: Whether it is a shell at its prompt.
        canonical: Whether the terminal edits the line, and so shows it.
        waiting: Whether it waits for a line.
    """

    at_prompt: bool
    canonical: bool
    waiting: bool


class _Shown(NamedTuple):
    """What a part of the stream shows.

    Attributes:
        text: Its characters, without blanks.
        runs: Where those begin that stand together, in the text and in the stream.
        end: Where the part ends.
    """

    text: bytes
    runs: list[tuple[int, int]]
    end: int

    def place(self, index: int) -> int:
        """Tell where in the stream a character stands."""
        first, place = next(run for run in reversed(self.runs) if run[0] <= index)
        return place + index - first

    def stretch(self, first: int, size: int) -> Stretch:
        """Tell where in the stream some characters stand."""
        return self.place(first), self.place(first + size - 1) + 1


@define(eq=False)
class _Line:
    """A line that is typed, as long as it is not known where all of it stands.

    Attributes:
        reader: Who reads it.
        place: From where on it is to be looked for.
        start: Where the prompt begins at which it is typed.
        heads: What may stand before it where it is looked for, if its editor draws that again.
        queued: Whether it was typed behind another that was not taken yet; its editor shows it when it is.
        again: Whether the terminal showed it already; an editor may do so again.
        text: What shows of it, without blanks.
        is_known: Whether nothing else shows.
        is_echoed: Whether an earlier part of it was seen.
        entered: How far the program had written when it was ended; None until then.
        is_command: Whether it is a command for a shell that marks nothing.
        live: Where it stands as far as is known by now.
    """

    reader: Reader
    place: int
    start: int = 0
    heads: tuple[bytes, ...] = (b"",)
    queued: bool = False
    again: bool = False
    text: bytes = b""
    is_known: bool = True
    is_echoed: bool = False
    entered: int | None = None
    is_command: bool = False
    live: Stretch | None = None

    @property
    def is_open(self) -> bool:
        """Whether what is typed now belongs to it."""
        return self.entered is None and not self.again


@define
class Echoes:
    """The echoes in one pane's stream.

    Args:
        journal: The stream.
    """

    _journal: Journal
    _line_end: int = 0  # of the line that a shell took last
    _lines: list[_Line] = field(factory=list)
    _found: list[Stretch] = field(factory=list)
    _taken: list[CommandStarted] = field(factory=list)
    _passed: int = 0  # where the echo ends that was found last
    _prompt: bytes = b""
    _prompt_text: bytes = b""
    _heads: list[bytes] = field(factory=list)

    # What happens

    def typed(self, data: bytes, place: int, reader: Reader, *, ours: bool = False) -> None:
        """Take note that something is typed.

        Args:
            data: What.
            place: How far the program has written.
            reader: Who reads it.
            ours: Whether it is a line of a run, which tells itself where its command begins.
        """
        *ended, rest = _ENDS_LINE.split(_BRACKETS.sub(b"", data))
        for text, end in zip(ended[::2], ended[1::2], strict=True):
            line = self._add(text, place, reader)
            line.entered, line.is_command = place, reader.at_prompt and end != _INTERRUPT and not ours
        if rest:
            self._add(rest, place, reader)
        del self._lines[:-_MOST_LINES]

    def seen_at_prompt(self, place: int) -> None:
        """Take note that a shell which marks nothing waits at its prompt."""
        if not self._prompt:
            self._set_prompt(self._unfinished(place))

    def restore(self, commands: Iterable[tuple[int, int]]) -> None:
        """Remember what an earlier service knew of a shell that marks nothing.

        Args:
            commands: Where each of its commands was typed, and where its output begins.
        """
        for place, start in commands:
            if place >= self._journal.oldest:
                before = self._unfinished(place)
                self._learn(before)
                self._set_prompt(before)
                self._remember((place - len(before), start))
                self._line_end = start

    def forget_entered(self) -> None:
        """Take note that what was entered is taken, though it was not seen: a command has read it."""
        self._lines = [line for line in self._lines if not line.reader.at_prompt or line.entered is None]

    def take(self, end: int) -> list[CommandStarted]:
        """Look for what was typed in what was written up to a place.

        Returns:
            What shells that mark nothing have taken of it at their prompts.
        """
        self._lines = [line for line in self._lines if not self._settle(line, end)]
        taken, self._taken = self._taken, []
        return taken

    # What is known

    @property
    def entered(self) -> list[int]:
        """How far the program had written when lines were entered at a prompt that have not been seen to be taken."""
        return [line.entered for line in self._lines if line.reader.at_prompt and line.entered is not None]

    @property
    def output_start(self) -> int:
        """Where the output begins of what was entered last at a prompt that no mark tells of; 0 if nothing was."""
        return [self._line_end, *self.entered][-1]

    def cut(self, start: int, data: bytes) -> bytes:
        """Leave the echoes out of a part of the stream.

        Args:
            start: Where it begins.
            data: The part.
        """
        end = start + len(data)
        left_out = [*self._found, *(line.live for line in self._lines if line.live is not None)]
        if end == self._journal.position:
            left_out.append((end - self._length_of_prompt(data), end))
        pieces, place = [], start
        for first, last in sorted(left_out):
            if last > place and first < end:
                pieces.append(data[place - start : max(first, place) - start])
                place = min(last, end)
        return b"".join((*pieces, data[place - start :])) if pieces else data

    # How it is found

    def _add(self, data: bytes, place: int, reader: Reader) -> _Line:
        line = self._lines[-1] if self._lines and self._lines[-1].is_open else None
        if line is not None and line.reader[:2] != reader[:2]:
            self._lines.remove(line)  # it was never entered, and another reads now
            line = None
        if line is None:
            line = self._begin(place, reader)
        elif line.is_echoed and not line.text:
            line.place, line.heads = place, (b"", _shown(_drawn(self._unfinished(place))))
        if not reader.canonical and _FETCHES.search(data):
            line.is_known = False
        line.text += _shown(data)
        if len(line.text) > _LONGEST:
            line.text, line.is_known = b"", False
        return line

    def _begin(self, place: int, reader: Reader) -> _Line:
        queued = any(not line.again for line in self._lines)
        line = _Line(reader, place, place, queued=queued)
        self._lines.append(line)
        if not queued and (reader.at_prompt or not reader.canonical):
            before = self._unfinished(place)
            self._learn(before)
            line.heads = (b"", *self._heads)
            if reader.at_prompt:
                size = self._length_of_prompt(before)
                line.start = place - (size or len(before))
                if not size and _shown(before) != _ASKS_FOR_MORE:
                    self._set_prompt(before)
        return line

    def _set_prompt(self, prompt: bytes) -> None:
        self._prompt, self._prompt_text = prompt, _drawn(prompt)

    def _learn(self, before: bytes) -> None:
        head = _shown(_drawn(before))
        if head:
            self._heads = [*(each for each in self._heads if each != head), head][-_PROMPTS:]

    def prompt_start(self, place: int) -> int | None:
        """Tell where the prompt begins that ends at a place; None if it asks for more of a line."""
        before = self._unfinished(place)
        size = self._length_of_prompt(before)
        return None if not size and _shown(before) == _ASKS_FOR_MORE else place - (size or len(before))

    def _length_of_prompt(self, data: bytes) -> int:
        """Tell how much of the end of the stream is the prompt that was there before; 0 if that is not known."""
        if self._prompt and data.endswith(self._prompt):
            return len(self._prompt)
        # One that its shell had drawn in another way, as ksh does with its first.
        text, written = self._prompt_text, data.rstrip(b" ")
        return len(data) - len(written) + len(text) if text and written.endswith(text) else 0

    def _unfinished(self, place: int) -> bytes:
        """Give the line that is unfinished at a place."""
        start = max(self._journal.oldest, place - _LONGEST_PROMPT)
        before = self._journal.since(start, max(0, place - start))
        return before[before.rfind(b"\n") + 1 :]

    def _settle(self, line: _Line, end: int) -> bool:
        """Find out where a line stands.

        Returns:
            Whether there is nothing more to find out.
        """
        if line.queued:
            line.place = max(line.place, self._passed)
        if line.place < self._journal.oldest or end - line.place > _FAR + len(line.text):
            return True
        data = self._journal.since(line.place, end - line.place)
        if line.again or (line.queued and not line.reader.canonical):
            return self._settle_late(line, data)
        if line.reader.at_prompt:
            return self._settle_at_prompt(line, data)
        if line.reader.canonical:
            return self._settle_certain(line, data)
        return self._settle_edited(line, data)

    def _settle_certain(self, line: _Line, data: bytes) -> bool:
        """The terminal shows it, whatever is written before and behind."""
        if not line.text:
            return line.entered is not None
        stretch = self._look_for(line, _read(data, line.place), [line.text])
        if stretch is None:
            return False
        self._remember(stretch)
        line.place, line.live = stretch[1], None
        line.heads, line.again = tuple(self._heads), not line.reader.waiting
        return not line.again

    def _look_for(self, line: _Line, shown: _Shown, wanted: list[bytes]) -> Stretch | None:
        """Find the first of some texts, wherever it is; or that one of them may have begun."""
        for text in wanted:
            first = shown.text.find(text)
            if first >= 0:
                return shown.stretch(first, len(text))
        size = max((_begun(shown.text, text) for text in wanted), default=0)
        line.live = shown.stretch(len(shown.text) - size, size) if size else None
        return None

    def _settle_edited(self, line: _Line, data: bytes) -> bool:
        """A program shows it where it waited, and then goes to the next line, or does nothing of the kind."""
        shown = _read(data, line.place)
        if line.text:
            if not line.is_known or b"\n" in data[: shown.place(0) - line.place]:
                return True
            whole = next((head + line.text for head in line.heads if shown.text.startswith(head + line.text)), None)
            if whole is None:
                line.live = (line.place, shown.end)
                return not any((head + line.text).startswith(shown.text) for head in line.heads)
            line.live = line.place, shown.place(len(whole) - 1) + 1
            self._remember(line.live)
            line.place, line.text, line.is_echoed = line.live[1], b"", True
        if line.entered is None:
            return False
        return not line.is_echoed or self._ends(line, line.place, max(line.place, line.entered), shown.end)

    def _settle_at_prompt(self, line: _Line, data: bytes) -> bool:
        """Everything up to the end of the line is the line."""
        line.live = None if line.queued else (line.start, line.place + len(data))
        if line.entered is None:
            return False
        behind = line.entered
        if line.text and line.is_known:
            shown = _read(data, line.place)
            first = shown.text.find(line.text)
            if first >= 0:
                start, last = shown.stretch(first, len(line.text))
                line.start = start if line.queued else line.start
                behind = max(last, line.entered)
            elif line.queued or _begun(shown.text, line.text):
                return False
        return self._ends(line, line.start, behind, line.place + len(data))

    def _settle_late(self, line: _Line, data: bytes) -> bool:
        """An editor shows it when it comes to it, behind its prompt."""
        if not line.text or not line.is_known:
            return True
        wanted = [head + line.text for head in line.heads if head] if line.again else [line.text]
        stretch = self._look_for(line, _read(data, line.place), wanted)
        if stretch is None:
            return False
        end, line.place = line.place + len(data), stretch[0]
        start = stretch[0] - (len(self._unfinished(stretch[0])) if line.reader.at_prompt else 0)
        return self._ends(line, start, stretch[1], end)

    def _ends(self, line: _Line, first: int, behind: int, end: int) -> bool:
        """Tell whether the line that goes on at a place has ended, and remember where it stands."""
        newline = self._journal.since(behind, end - behind).find(b"\n")
        if newline < 0:
            line.live = first, end
            return False
        last = behind + newline + 1
        self._remember((first, last))
        if line.reader.at_prompt:
            self._line_end = last
        if line.is_command and (line.text or not line.is_known):
            self._taken.append(CommandStarted(None, last, first, max(first, line.place)))
        return True

    def _remember(self, stretch: Stretch) -> None:
        self._found.append(stretch)
        self._passed = max(self._passed, stretch[1])
        del self._found[:-_REMEMBERED]


def _read(data: bytes, place: int) -> _Shown:
    """Find what a part of the stream shows, and where."""
    runs, pieces, size = [(0, place)], [], 0
    for token in _TOKEN.finditer(data):
        if token[1]:
            runs.append((size, place + token.start()))
            pieces.append(token[1])
            size += len(token[1])
    return _Shown(b"".join(pieces), runs, place + len(data))


def _shown(data: bytes) -> bytes:
    return b"".join(_TOKEN.findall(data))


def _drawn(data: bytes) -> bytes:
    """Give what stands on a row in the end, without blanks behind it."""
    return as_written(data, cols=_WIDE, rows=1).rstrip().encode()


def _begun(text: bytes, wanted: bytes) -> int:
    """Tell how much of a text's end may be the beginning of another."""
    first = text.rfind(wanted[:_TELLING])
    if first >= 0:
        return len(text) - first if wanted.startswith(text[first:]) else 0
    sizes = range(min(len(text), len(wanted), _TELLING), 0, -1)
    return next((size for size in sizes if text.endswith(wanted[:size])), 0)

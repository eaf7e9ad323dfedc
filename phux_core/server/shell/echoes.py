"""Where in a pane's stream stands what was typed, for those who want to read output only.

Where our shell integration marks the prompt, the marks tell. Elsewhere it is known what was typed, and who shows it:
the terminal itself does so for certain, character for character; a program that edits its lines does so where it
waited, if at all; and what a shell writes at its prompt until the end of the line is that line. Where it is in doubt
whether something is an echo, it is output. A text that is not shown may be a secret; it is forgotten as soon as
anything else is shown.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from phux_core.server.shell.known_prompts import KnownPrompts
from phux_core.server.shell.marks import CommandStarted
from phux_core.server.shell.remote_shell import INTERRUPT
from phux_core.server.shell.shown_text import Shown, as_echoed, begun, characters, look_in_rows, read

if TYPE_CHECKING:
    from collections.abc import Iterable

    from phux_core.keeper.journal import Journal

# How far behind the place where it was typed an echo is looked for.
_FAR = 64 * 1024
# Lines that may wait for their echo, and bytes of one.
_MOST_LINES, _LONGEST = 1000, 64 * 1024
# Those among them that may be shown whenever somebody comes to read them.
_MOST_LATE = 100
# Echoes that are remembered.
_REMEMBERED = 10_000
# So many characters are no accident.
_TELLING = 8

_ENDS_LINE = re.compile(rb"([\r\n\x03])")
_PASTE = re.compile(rb"\x1b\[200~(.*?)\x1b\[201~", re.DOTALL)
_LINE_ENDS = re.compile(rb"[\r\n]+")
# Keys at which an editor shows what was not typed, or shows it elsewhere; and those that erase.
_FETCHES = re.compile(rb"[\x00-\x07\x09\x0b\x0c\x0e-\x14\x16\x18-\x1f]")
_ERASES = re.compile(rb"[\x08\x15\x17\x7f]")
_EDITS = re.compile(rb"[\x00-\x1f\x7f]")

Stretch = tuple[int, int]


class Reader(NamedTuple):
    """Who reads what is typed.

    Attributes:
        pid: The process in the foreground.
        at_prompt: Whether it is a shell at its prompt.
        canonical: Whether the terminal edits the line, and so shows it.
        waiting: Whether it waits for a line.
    """

    pid: int
    at_prompt: bool
    canonical: bool
    waiting: bool


@define(eq=False)
class _Line:
    """A line that is typed, as long as it is not known where all of it stands.

    Attributes:
        reader: Who reads it.
        place: From where on it is to be looked for.
        origin: Where it was begun.
        start: Where the prompt begins at which it is typed.
        heads: What may stand before it where it is looked for, if its editor draws that again.
        queued: Whether it was typed behind another that was not taken yet; its editor shows it when it is.
        again: Whether it is looked for where an editor shows it that comes to it later, shown before or not.
        typed: The line itself.
        text: What shows of it, without blanks.
        is_known: Whether nothing else shows.
        is_plain: Whether no key has edited it that is read by a program with an editor.
        is_echoed: Whether an earlier part of it was seen.
        entered: How far the program had written when it was ended; None until then.
        is_command: Whether it is a command for a shell that marks nothing.
        live: Where it stands as far as is known by now.
    """

    reader: Reader
    place: int
    origin: int
    start: int
    heads: tuple[bytes, ...] = (b"",)
    queued: bool = False
    again: bool = False
    typed: bytes = b""
    text: bytes = b""
    is_known: bool = True
    is_plain: bool = True
    is_echoed: bool = False
    entered: int | None = None
    is_command: bool = False
    live: Stretch | None = None

    @property
    def is_open(self) -> bool:
        """Whether what is typed now belongs to it."""
        return self.entered is None and not self.again

    @property
    def command(self) -> str | None:
        """The line as text, if it is what was typed."""
        if not self.is_known or _ERASES.search(self.typed):
            return None
        return self.typed.decode("utf-8", "replace").strip() or None


@define
class Echoes:
    """The echoes in one pane's stream.

    Args:
        journal: The stream.
    """

    _journal: Journal
    _lines: list[_Line] = field(factory=list)
    _found: list[Stretch] = field(factory=list)  # in order
    _taken: list[CommandStarted] = field(factory=list)
    _passed: int = 0  # where the echo ends that was found last
    _prompts: KnownPrompts = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._prompts = KnownPrompts(self._journal)

    # What happens

    def typed(
        self,
        data: bytes,
        place: int,
        reader: Reader,
        *,
        head: bytes = b"",
        is_command: bool = False,
        ahead: bool = False,
    ) -> None:
        """Take note that something is typed.

        Args:
            data: What.
            place: How far the program has written.
            reader: Who reads it.
            head: What stands before the cursor, if the reader draws that itself.
            is_command: Whether lines of it are commands for a shell that marks nothing.
            ahead: Whether it is for somebody who will read it later, and may show it then.
        """
        whole = _PASTE.sub(lambda paste: _LINE_ENDS.sub(b" ", paste[1]), data)
        *ended, rest = _ENDS_LINE.split(whole)
        for text, end in zip(ended[::2], ended[1::2], strict=True):
            line = self._add(text, place, reader, head, ahead=ahead)
            line.entered, line.is_command = place, is_command and end != INTERRUPT
        if rest:
            self._add(rest, place, reader, head, ahead=ahead)
        del self._lines[:-_MOST_LINES]

    def seen_at_prompt(self, place: int, run_end: int = 0) -> None:
        """Take note that a shell which marks nothing waits at its prompt.

        Args:
            place: Where the prompt ends.
            run_end: Where a run has told that its output ends.
        """
        before = self._prompts.row(place)
        if self._lines or self._prompts.asks_for_more(before, place):
            return
        if place - len(before) <= run_end < place:  # nothing else was written
            self._prompts.set(before[run_end - place :])
        else:
            self._prompts.note(before)

    def seen_reading(self, place: int) -> None:
        """Take note that a program which edits its lines itself waits for one."""
        self._prompts.learn_head(self._prompts.row(place))

    def leave(self, pid: int) -> None:
        """Take note of who reads now: lines that somebody else was to read are nobody's any more."""
        if self._lines:
            self._lines = [line for line in self._lines if line.reader.pid == pid or not line.is_open]

    def marked(self, *, at_prompt: bool) -> None:
        """Take note that a shell which marks its commands took a line, or has its prompt again and nothing to read."""
        if self._lines:
            self._lines = [line for line in self._lines if line.again and not at_prompt]

    def forget(self) -> None:
        """Take note that a secret is read, which may have been typed before."""
        self._lines = []

    def restore(self, commands: Iterable[tuple[int, int]]) -> None:
        """Remember what an earlier service knew of a shell that marks nothing.

        Args:
            commands: Where each of its commands was typed, and where its output begins.
        """
        for place, start in commands:
            if place >= self._journal.oldest:
                before = self._prompts.row(place)
                self._prompts.learn_head(before)
                self._prompts.set(before)
                self._remember((place - len(before), start))
                self._prompts.line_end = start

    def forget_entered(self) -> None:
        """Take note that what was entered is taken, though it was not seen: a command has read it."""
        self._lines = [line for line in self._lines if not line.reader.at_prompt or line.entered is None]

    def take(self, end: int, *, edited: bool = False) -> list[CommandStarted]:
        """Look for what was typed in what was written up to a place.

        Args:
            end: The place.
            edited: Whether a program edits what is typed itself now.

        Returns:
            What shells that mark nothing have taken of it at their prompts.
        """
        if not self._lines:
            return []
        kept: list[_Line] = []
        blocked = False
        late = sum(line.again for line in self._lines)
        parts: dict[int, tuple[bytes, Shown]] = {}  # many lines are typed at one place
        for line in self._lines:
            late -= line.again
            if line.again and late >= _MOST_LATE:
                continue
            # Lines are shown in the order in which they were typed.
            if (blocked and line.queued) or not self._settle(line, end, parts, edited=edited):
                kept.append(line)
                blocked |= not line.again
        self._lines = kept
        taken, self._taken = self._taken, []
        return taken

    # What is known

    @property
    def has_late(self) -> bool:
        """Whether something may be shown by whoever comes to read it."""
        return any(line.again for line in self._lines)

    @property
    def entered(self) -> list[int]:
        """How far the program had written when lines were entered at a prompt that have not been seen to be taken."""
        return [line.entered for line in self._lines if line.reader.at_prompt and line.entered is not None]

    @property
    def output_start(self) -> int:
        """Where the output begins of what was entered last at a prompt that no mark tells of; 0 if nothing was."""
        return [self._prompts.line_end, *self.entered][-1]

    def is_row_empty(self, place: int) -> bool:
        """Tell whether nothing stands on the row at a place."""
        return not self._prompts.row(place)

    def is_known_prompt(self, place: int) -> bool:
        """Tell whether what stands at a place is known, by how it looks or by what was typed."""
        return bool(self._lines or self._prompts.length(self._prompts.row(place)))

    def prompt_start(self, place: int) -> int | None:
        """Tell where the prompt begins that ends at a place; None if it asks for more of a line."""
        before = self._prompts.row(place)
        size = self._prompts.length(before)
        if not size and self._prompts.asks_for_more(before, place):
            return None
        return place - (size or len(before))

    def cut(self, start: int, data: bytes) -> bytes:
        """Leave the echoes out of a part of the stream.

        Args:
            start: Where it begins.
            data: The part.
        """
        end = start + len(data)
        nearest = max(0, bisect_left(self._found, (start, 0)) - 1)
        left_out = [stretch for stretch in self._found[nearest:] if stretch[0] < end]
        left_out += (line.live for line in self._lines if line.live is not None)
        if end == self._journal.position:
            left_out.append((end - self._prompts.length(data), end))
        pieces, place = [], start
        for first, last in sorted(left_out):
            if last > place and first < end:
                pieces.append(data[place - start : max(first, place) - start])
                place = min(last, end)
        return b"".join((*pieces, data[place - start :])) if pieces else data

    # How lines are found

    def _add(self, data: bytes, place: int, reader: Reader, head: bytes, *, ahead: bool) -> _Line:
        line = self._lines[-1] if self._lines and self._lines[-1].is_open else None
        if line is not None and line.reader[:3] != reader[:3]:
            self._lines.remove(line)  # it was never entered, and another reads now
            line = None
        if line is None:
            line = self._begin(place, reader, head, ahead=ahead)
        elif line.is_echoed and not line.text:
            line.place, line.heads = place, (b"", characters(head))
        line.typed += data
        if reader.canonical:
            line.text += characters(as_echoed(data))
        elif reader.at_prompt or ahead:
            line.is_known &= _FETCHES.search(data) is None
            line.text += characters(data)
        elif line.is_plain:
            # Behind a key that edits, an editor may draw anything; that it is one shows before.
            plain, *edited = _EDITS.split(data, maxsplit=1)
            line.text += characters(plain)
            line.is_plain = not edited
            line.is_known = line.is_plain or line.is_echoed or bool(line.text)
        if len(line.typed) > _LONGEST:
            line.typed, line.text, line.is_known = b"", b"", False
        return line

    def _begin(self, place: int, reader: Reader, head: bytes, *, ahead: bool) -> _Line:
        queued = any(not line.again for line in self._lines)
        line = _Line(reader, place, place, place, queued=queued, again=ahead)
        self._lines.append(line)
        if not queued and not ahead and (reader.at_prompt or not reader.canonical):
            before = self._prompts.row(place)
            self._prompts.learn_head(before)
            self._prompts.learn_head(head)
            line.heads = (b"", *self._prompts.heads)
            if reader.at_prompt:
                line.start = place - (self._prompts.length(before) or len(before))
                if not self._prompts.asks_for_more(before, place):
                    self._prompts.note(before)
        return line

    def _settle(self, line: _Line, end: int, parts: dict[int, tuple[bytes, Shown]], *, edited: bool) -> bool:
        """Find out where a line stands.

        Args:
            line: The line.
            end: How far the program has written.
            parts: What was read of it for other lines, by where that begins.
            edited: Whether a program edits what is typed itself now.

        Returns:
            Whether there is nothing more to find out.
        """
        if line.queued:
            line.place = max(line.place, self._passed)
        if line.place < self._journal.oldest or end - line.place > _FAR + len(line.text):
            return True
        if line.place not in parts:
            data = self._journal.since(line.place, end - line.place)
            parts[line.place] = data, read(data, line.place)
        data, shown = parts[line.place]
        if line.again or (line.queued and not line.reader.canonical):
            return self._settle_late(line, shown, data, edited=edited)
        if line.reader.at_prompt:
            return self._settle_at_prompt(line, shown)
        if line.reader.canonical:
            return self._settle_certain(line, shown, data)
        return self._settle_edited(line, shown, data)

    def _settle_certain(self, line: _Line, shown: Shown, data: bytes) -> bool:
        """The terminal shows it; what the program writes may stand before and behind."""
        if not line.text:
            return line.entered is not None
        stretch = self._look_for(line, shown, data)
        if stretch is None:
            return False
        self._remember(stretch)
        line.place, line.live = stretch[1], None
        line.again = line.entered is not None and not line.reader.waiting
        return not line.again

    def _look_for(self, line: _Line, shown: Shown, data: bytes) -> Stretch | None:
        """Find a text where it was typed, or further on if it cannot be anything else; or that it may have begun."""
        size = len(line.text)
        first = shown.text.find(line.text)
        while first > 0 and size < _TELLING:
            start, last = (place - line.place for place in shown.stretch(first, size))
            alone = data[start - 1 : start] == b"\n" and data[last : last + 2].lstrip(b"\r")[:1] == b"\n"
            if alone and line.entered is not None:
                break
            first = shown.text.find(line.text, first + 1)
        if first >= 0:
            return shown.stretch(first, size)
        part = len(shown.text) if line.text.startswith(shown.text) else 0
        if not part and size >= _TELLING:
            part = begun(shown.text, line.text)
        line.live = shown.stretch(len(shown.text) - part, part) if part else None
        return None

    def _settle_edited(self, line: _Line, shown: Shown, data: bytes) -> bool:
        """A program shows it where it waited, and then goes to the next line, or does nothing of the kind."""
        if line.text:
            if not line.is_known or b"\n" in data[: shown.place(0) - line.place]:
                return True
            whole = next((head + line.text for head in line.heads if shown.text.startswith(head + line.text)), None)
            if whole is None:
                line.live = (line.place, shown.end)
                return not any((head + line.text).startswith(shown.text) for head in line.heads)
            if line.entered is None and line.is_plain and len(shown.text) > len(whole):
                return True  # it goes on with the same letters: that is an answer
            line.live = line.place, shown.place(len(whole) - 1) + 1
            self._remember(line.live)
            line.place, line.text, line.is_echoed = line.live[1], b"", True
        if line.entered is None:
            return False
        behind = max(line.place, line.entered)
        return not line.is_echoed or self._ends(line, line.place, behind, shown.end, (line.place, line.place))

    def _settle_at_prompt(self, line: _Line, shown: Shown) -> bool:
        """What was typed, and everything between Enter and the end of the line, is the line.

        In between, a job in the background may write.
        """
        begin, prompt = line.place if line.is_echoed else line.start, (line.start, line.origin)
        first = shown.text.find(line.text) if line.text and line.is_known else -1
        if first >= 0:
            start, last = shown.stretch(first, len(line.text))
            if line.queued:  # the terminal has shown it; whoever reads it may do so again
                self._remember((start, last))
                line.reader = line.reader._replace(at_prompt=False)
                line.place, line.again, line.live = last, True, None
                return False
            if line.entered is not None and last >= line.entered:
                return self._ends(line, begin, last, shown.end, prompt)
            self._remember((begin, last))
            line.place, line.text, line.is_echoed = last, b"", True
        line.live = None
        is_seen = line.is_echoed and line.is_known and not line.text
        if line.entered is None:
            line.live = None if is_seen else (begin, shown.end)
            return False
        if is_seen:
            behind = max(line.place, line.entered)
            return self._ends(line, behind, behind, shown.end, prompt)
        if line.text and line.is_known and (line.queued or begun(shown.text, line.text)):
            line.live = None if line.queued else (begin, shown.end)
            return False
        return self._ends(line, begin, line.entered, shown.end, prompt)

    def _settle_late(self, line: _Line, shown: Shown, data: bytes, *, edited: bool) -> bool:
        """An editor shows it when it comes to it, behind its prompt."""
        if not line.text or not line.is_known:
            return True
        wanted = [head + line.text for head in self._prompts.heads]
        if len(line.text) >= _TELLING and (not line.again or edited):
            wanted.append(line.text)
        found = [(first, len(text)) for text in wanted if (first := shown.text.find(text)) >= 0]
        if not found and not line.again:
            found = look_in_rows(shown, data, line.text)
        if not found:
            size = max((begun(shown.text, text) for text in wanted), default=0)
            line.live = shown.stretch(len(shown.text) - size, size) if size else None
            return False
        first, size = min(found)
        start, last = shown.stretch(first, size)
        if line.reader.at_prompt:
            start -= len(self._prompts.row(start))
        return self._ends(line, start, last, shown.end, (start, shown.place(first + size - len(line.text))))

    def _ends(self, line: _Line, first: int, behind: int, end: int, prompt: Stretch) -> bool:
        """Tell whether the line that goes on at a place has ended, and remember where it and its prompt stand."""
        newline = self._journal.since(behind, end - behind).find(b"\n")
        if newline < 0:
            line.live = first, end
            return False
        last = behind + newline + 1
        self._remember((first, last))
        if line.is_command and (line.typed.strip() or not line.is_known) and self._is_at_prompt(line, prompt[1]):
            self._taken.append(CommandStarted(line.command, last, *prompt))
        if line.reader.at_prompt:
            self._prompts.line_end = last
        return True

    def _is_at_prompt(self, line: _Line, place: int) -> bool:
        """Tell whether a shell's prompt ends at a place. A line that was typed behind another may be for a program."""
        before = self._prompts.row(place)
        if line.queued:
            return self._prompts.length(before) > 0
        return not self._prompts.asks_for_more(before, place)

    def _remember(self, stretch: Stretch) -> None:
        insort(self._found, stretch)
        self._passed = max(self._passed, stretch[1])
        del self._found[:-_REMEMBERED]

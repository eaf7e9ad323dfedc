"""What a pane's shell says of its commands, by the marks of our shell integration.

Only marks that carry the pane's nonce count: a program that prints such sequences itself changes nothing. Pure state;
everything is known by places in the pane's stream of bytes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import asdict, define, field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.engine.protocol import PrivateOsc
    from phux_core.keeper.journal import Journal

# Stretches of output that are remembered, for those who want to read output only.
_REMEMBERED = 1000
# A longer number is none that a shell sends: int() refuses 4,301 digits, and takes its time for fewer.
_MOST_DIGITS = 10
# Entered lines whose ends are looked for before the next prompt.
_MOST_LINES = 1000
_KSH_SIGNAL = 256
# The continuation prompt of nearly everybody: "> ".
_CONTINUATION_WIDTH = 2
_ENTER = re.compile(rb"[\r\n]")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t"}


class CommandStarted(NamedTuple):
    """The shell began a command line.

    Attributes:
        command: The line, if the shell could tell it.
        start: Where its output begins.
        prompt_start: Where the prompt begins.
        input_start: Where it ends, and the line begins.
        input_end: Where the line ends, if other lines that were typed with it follow; else 0.
    """

    command: str | None
    start: int
    prompt_start: int
    input_start: int
    input_end: int = 0


class CommandFinished(NamedTuple):
    """The shell is done with a line.

    Attributes:
        exit_code: What it says of it; None if it did not.
        start: Where the output began; None if nothing was executed (an empty line, a syntax error).
        end: Where the output ended.
    """

    exit_code: int | None
    start: int | None
    end: int


class PromptReady(NamedTuple):
    """The shell has drawn its prompt and reads a line."""


class LineTold(NamedTuple):
    """The shell was asked what stands on the line that it reads.

    Attributes:
        length: How many characters.
        mode: ``command`` if keys are commands, ``more`` if the line goes on from earlier ones.
        place: Where it said so.
    """

    length: int
    mode: str
    place: int


News = CommandStarted | CommandFinished | PromptReady | LineTold


def parse_number(text: str) -> int | None:
    """Read a number out of a mark; None if there is none, or one that no shell sends.

    Example:
        >>> parse_number("130"), parse_number("-1"), parse_number("9" * 4301)
        (130, None, None)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else None


def _without_ksh_signals(code: str) -> str:
    """Write an exit status of a signal as the other shells do: ksh adds 256 to its number, they add 128."""
    number = parse_number(code)
    return code if number is None or number <= _KSH_SIGNAL else str(number - _KSH_SIGNAL + 128)


@define
class Commands:
    """The commands of one pane's shell.

    Attributes:
        nonce: What its marks must carry.
        at_prompt: Whether it reads a line; None until its first mark came.
        start: Where the output of the command that runs began; None when none runs.
        command: That command's line, if it is known.
        prompt_start: Where the prompt began that it drew last.
        input_start: Where that prompt ended.
        drawn: Where a prompt ended that was drawn last, if only again.
        drawing: Whether it began to draw one, and has not said that it is done.
        output_end: Where the output of the command that has just ended ends, if its shell told that before the rest.
        on_alt_screen: Whether the alternate screen was shown then: a program that was killed has left it so.
        reads: How the line is typed that the command reads last, in the shell itself: shown, or hidden. From fish only.
        unmarked_from: Where everything is output from, if there are no marks any more.
        prompts: How many prompts a POSIX shell has drawn, which marks no begin of commands; None for the others.
        editor: How such a shell shows a line: ``none`` leaves that to the terminal, ``wraps`` writes a newline where a
            row is full.
        ahead: Whether lines may have been entered before its last prompt was drawn.
        is_ahead_line: Whether the command that runs was entered so, and its line is not known.
        touched: Whether something was typed since that prompt was drawn.
        lines: The lines that were entered since: how many newlines the terminal shows up to the end of each.
        newlines: How many of these it has shown of the line that is not shown to its end.
        line_ends: Where it has shown the ends of lines.
        continued: How many continuation prompts the shell has drawn since.
        continued_at: Where the last of them ends.
        scanned: Up to where ends of lines were looked for.
        is_reported: Whether the begin of the command that runs was reported.
        outputs: Where the latest commands' output stands, oldest first, each from its first byte to behind its last.
    """

    nonce: str
    at_prompt: bool | None = None
    start: int | None = None
    command: str | None = None
    prompt_start: int = 0
    input_start: int = 0
    drawn: int = 0
    drawing: bool = False
    output_end: int | None = None
    on_alt_screen: bool = False
    reads: str | None = None
    unmarked_from: int = 0
    prompts: int | None = None
    editor: str = ""
    ahead: bool = False
    is_ahead_line: bool = False
    touched: bool = False
    lines: list[int] = field(factory=list)
    newlines: int = 0
    line_ends: list[int] = field(factory=list)
    continued: int = 0
    continued_at: int = 0
    scanned: int = 0
    is_reported: bool = True
    outputs: list[tuple[int, int]] = field(factory=list)

    def take(self, mark: PrivateOsc) -> News | None:
        """Take a mark, and tell what it means; None if it means nothing."""
        nonce, _, rest = mark.data.decode("utf-8", "replace").partition(";")
        if not self.nonce or nonce != self.nonce:
            return None
        kind, _, argument = rest.partition(";")
        if kind == "C":
            return self._started(argument, mark.end)
        if kind == "D":
            code, _, prompts = argument.partition(";")
            return self._counted(code, prompts, mark.start) if prompts else self._finished(code, mark.start)
        if kind == "P":
            self._goes_on(mark.end)
        if kind == "L":
            length, _, mode = argument.partition(";")
            characters = parse_number(length)
            return None if characters is None else LineTold(characters, mode, mark.end)
        if kind == "R":
            self.reads = argument
        if kind == "E" and self.start is not None:
            self.output_end = mark.start
        if kind == "B":
            self.editor = argument
            return self._prompted(mark)
        if kind == "A" and not self.at_prompt:
            self.prompt_start = mark.end
            self.drawing = True
        return None

    def output_between(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Go through the stretches of commands' output in a part of the stream; all of it where there are no marks."""
        running = [] if self.start is None else [(self.start, end)]
        if self.at_prompt is None:
            running = [(self.unmarked_from, end)]
        for first, last in (*self.outputs, *running):
            if last > start and first < end:
                yield max(first, start), min(last, end)

    # Shells that do not mark where a command begins

    def typed(self, data: bytes, place: int, column: int, cols: int, *, echo: bool) -> None:
        """Record typed input.

        Args:
            data: The bytes.
            place: How much the terminal has shown.
            column: Where the cursor is.
            cols: Columns of the terminal.
            echo: Whether the terminal shows what is typed.
        """
        if self.prompts is None:
            return
        self.touched = True
        if self.editor == "none" and not echo:
            if _ENTER.search(data) is not None:
                self.lines.append(0)
                self.line_ends.append(place)
                self._find_start()
            return
        for line in _ENTER.split(data)[:-1]:
            full_rows, rest = divmod(column + len(line.decode("utf-8", "replace")), cols)
            wraps = full_rows > 0 and self.editor == "wraps"
            if len(self.lines) < _MOST_LINES:
                self.lines.append(full_rows + (rest > 0) if wraps else 1)
            column = _CONTINUATION_WIDTH

    def scan(self, journal: Journal, end: int) -> None:
        """Look for the ends of entered lines in what the terminal shows, up to a place."""
        if self.prompts is not None and self.ahead and self.at_prompt:
            if self.editor == "none" and not self.touched and end > self.drawn:
                self.begin_ahead()
            elif self.editor != "none" and not self.lines:
                self.lines.append(1)  # an editor shows such a line when it reads it
        if len(self.line_ends) < len(self.lines) and end > self.scanned:
            start = max(self.scanned, journal.oldest)
            data = journal.since(start, end - start)
            place = -1
            while len(self.line_ends) < len(self.lines) and (place := data.find(b"\n", place + 1)) >= 0:
                self.newlines += 1
                if self.newlines >= self.lines[len(self.line_ends)]:
                    self.newlines = 0
                    self.line_ends.append(start + place + 1)
            self._find_start()
        self.scanned = max(self.scanned, end)

    @property
    def sets_up_editor(self) -> bool:
        """Whether the shell is at its prompt, and sets the terminal for its editor only after it was drawn."""
        return bool(self.at_prompt) and self.editor in {"edits", "wraps"}

    def begin_ahead(self) -> None:
        """Let a line begin that was entered ahead of the prompt; the terminal showed it then."""
        if self.start is None and self.at_prompt and self.ahead and self.editor == "none":
            self.start = self.drawn
            self.is_ahead_line = True
            self.at_prompt = self.is_reported = False

    def ends(self, mark: PrivateOsc) -> bool:
        """Return True if a mark ends the line of a POSIX shell: it is that of another prompt."""
        nonce, _, rest = mark.data.partition(b";")
        if self.prompts is None or nonce != self.nonce.encode() or not rest.startswith(b"D;"):
            return False
        return rest.rpartition(b";")[2] != str(self.prompts).encode()

    def continues(self, mark: PrivateOsc) -> bool:
        """Return True if a mark is that of a continuation prompt."""
        return mark.data == f"{self.nonce};P".encode()

    def unreported(self) -> CommandStarted | None:
        """Return the command that runs if its begin was not reported yet."""
        if self.is_reported or self.start is None:
            return None
        input_end = max(self.line_ends[self.continued], self.continued_at) if self.line_ends else 0
        return CommandStarted(None, self.start, self.prompt_start, self.input_start, input_end)

    def report(self, command: str | None) -> CommandStarted:
        """Return the begin of the command that runs, which is reported now."""
        assert self.start is not None
        self.is_reported, self.command = True, command
        return CommandStarted(command, self.start, self.prompt_start, self.input_start)

    def withdraw(self) -> None:
        """Record that the entered line was empty, or a comment: nothing is executed."""
        self.start, self.is_reported = None, True

    def resume(self, starts: list[int], place: int) -> None:
        """Record the begin of a command that an earlier service found, if there is one since the last prompt.

        Args:
            starts: Where commands begin.
            place: Up to where the stream is known.
        """
        start = next((start for start in reversed(starts) if self.input_start <= start <= place), None)
        if self.prompts is not None and self.at_prompt and start is not None:
            self.start, self.at_prompt, self.is_reported = start, False, True

    def _find_start(self) -> None:
        """Let the command begin after the line that was entered at the last prompt or continuation prompt."""
        if self.start is not None or not self.is_reading or len(self.line_ends) <= self.continued:
            return
        if self.editor != "none":
            line_end = self.line_ends[self.continued]
        elif len(self.line_ends) == len(self.lines):
            line_end = self.line_ends[-1]  # the terminal shows at once all that was typed at once
        else:
            return
        self.start = max(line_end, self.continued_at)
        self.at_prompt = self.is_reported = False

    @property
    def is_reading(self) -> bool:
        """Whether the shell reads a line, or its continuation."""
        return bool(self.at_prompt) or self.continued > 0

    def _goes_on(self, place: int) -> None:
        self.at_prompt = False
        self.start, self.is_reported = None, True
        self.continued += 1
        self.continued_at = place
        self._find_start()

    def _counted(self, code: str, prompts: str, place: int) -> CommandFinished | None:
        before, self.prompts = self.prompts, parse_number(prompts)
        if before in {None, self.prompts}:
            return None  # the first prompt, or one that is drawn again
        return self._finished(_without_ksh_signals(code), place)

    # Marks

    def _started(self, argument: str, place: int) -> News | None:
        self.at_prompt = self.drawing = False
        self.reads = None
        if self.start is not None:
            return None  # a line with several commands
        self.start = place
        self.command = _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), argument) or None
        return CommandStarted(self.command, place, self.prompt_start, self.input_start)

    def _prompted(self, mark: PrivateOsc) -> News | None:
        # A command that took our hooks out of the shell ends without a word; its prompt tells that it has.
        ended = self._finished("", mark.start) if self.start is not None else None
        again = self.at_prompt  # a prompt that is drawn again
        self.at_prompt, self.drawing, self.drawn = True, False, mark.end
        if not again or self.input_start == self.prompt_start:  # it was there, and we had not read so far
            self.input_start = mark.start
        if not again:
            self.is_ahead_line = self.touched = False
            self.newlines = self.continued = self.continued_at = 0
            self.lines.clear()
            self.line_ends.clear()
        return ended or (None if again else PromptReady())

    def _finished(self, argument: str, place: int) -> CommandFinished:
        start, self.start, self.command = self.start, None, None
        if self.output_end is not None:
            place, self.output_end = self.output_end, None
        self.at_prompt = False  # not before it has drawn its prompt
        if start is not None:
            self.outputs.append((start, place))
            del self.outputs[:-_REMEMBERED]
        return CommandFinished(parse_number(argument), start, place)

    def shell_lost(self, place: int) -> CommandFinished:
        """Record that the shell draws prompts without marks: a command has set PS1."""
        ended = self._finished("", place)
        self.forget_shell(place)
        return ended

    def forget_shell(self, place: int) -> None:
        """Ignore the shell's marks from now on, at its prompt."""
        self.nonce, self.at_prompt, self.prompts, self.unmarked_from = "", None, None, place

    def drawn_unseen(self, *, on_alt_screen: bool) -> None:
        """Take note that the shell reads a line, and found no room for the prompt that would have told."""
        self.at_prompt, self.drawing = True, False
        self.input_start = self.prompt_start
        self.on_alt_screen = on_alt_screen

    def ended_unseen(self, place: int, *, on_alt_screen: bool) -> CommandFinished:
        """Take note that the shell reads a line again, and that the command took away the hooks that tell."""
        ended = self._finished("", place)
        self.prompt_start = place
        self.drawn_unseen(on_alt_screen=on_alt_screen)
        return ended

    def shell_replaced(self, place: int) -> CommandFinished:
        """Take note that the shell executed another program in its place, which marks nothing."""
        ended = self._finished("0", place)
        self.nonce, self.at_prompt, self.unmarked_from = "", None, place
        return ended

    def dump(self) -> dict[str, Any]:
        """Write it down for the next service."""
        return asdict(self)

    @classmethod
    def load(cls, state: dict[str, Any]) -> Commands:
        """Read what ``dump`` wrote."""
        outputs = [(start, end) for start, end in state["outputs"]]
        return cls(**(state | {"outputs": outputs}))

"""Find where commands and prompts begin and end in a pane's stream, by the marks of its shell (phux_core/shells).

bash, zsh and fish mark the start of a command. POSIX shells only mark their prompts: there a command starts after the
first newline after the typed Enter.

The marks of each kind have increasing numbers, so a mark that is printed again has no effect.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, get_origin, get_type_hints

from attrs import asdict, define, field, fields

from phux_core.server.shell.events import CommandFinished, CommandStarted, LineLength, PromptReady, ShellEvent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.engine.protocol import PrivateOsc

# Number of commands whose output positions are kept, for readers that request output only.
_REMEMBERED = 1000
# int() refuses 4,301 digits, and no shell sends numbers of more than ten.
_MOST_DIGITS = 10
_KSH_SIGNALS = range(257, 257 + 64)
_ENDS_MARKS = re.compile(
    r"\bPS1=|\bunset\b[^;&|\n]*\bPS1\b"
    r"|\bexec\b(?:[^;&|\n]|[<>]&)*(?<!\s[3-9])(?<![<>])[<>]"  # not of descriptors above 2, such as a lock's
)
# The nonce, the number, which bash writes as a sum, the kind, and the argument.
_MARK = re.compile(r"([^;]+);(?:([0-9]{1,10})(?:\+([0-9]{1,10}))?)?;([ABCDELPRX])(?:;(.*))?", re.DOTALL)
_ENTER = re.compile(rb"[\r\n]")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t"}


def parse_number(text: str) -> int | None:
    """Parse a number in a mark; None if it is not one that a shell sends.

    Example:
        >>> parse_number("130"), parse_number("-1"), parse_number("9" * 4301)
        (130, None, None)
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS else None


def exit_status(text: str, *, is_ksh: bool = False) -> int | None:
    """Parse an exit status; ksh adds 256 to the number of a signal where other shells add 128.

    A function of zsh may return a negative status, and one of zsh, ksh or dash a status above 255.

    Example:
        >>> exit_status("271"), exit_status("271", is_ksh=True), exit_status("-1"), exit_status("")
        (271, 143, -1, None)
    """
    number = parse_number(text.removeprefix("-"))
    if number is None:
        return None
    if is_ksh and number in _KSH_SIGNALS:
        return number - 128
    return -number if text.startswith("-") else number


def may_end_marks(command: str) -> bool:
    """Return whether a command may stop a POSIX shell's marks: it sets PS1, or redirects the shell.

    Example:
        >>> may_end_marks("PS1='> '"), may_end_marks("exec 2>log"), may_end_marks("exec 9>lock")
        (True, True, False)
    """
    return _ENDS_MARKS.search(command) is not None


def executes_nothing(command: str) -> bool:
    r"""Return whether a command consists of blank lines and comments.

    Example:
        >>> executes_nothing("# a\n"), executes_nothing("# a\necho b")
        (True, False)
    """
    return all(not line.strip() or line.lstrip().startswith("#") for line in command.split("\n"))


class NewMark(NamedTuple):
    """A mark that was not printed before, except for B when the prompt is drawn again, and its place in the stream."""

    kind: str
    argument: str
    number: int
    start: int
    end: int


@define
class ShellMarks:
    """The commands of one pane's shell.

    Attributes:
        nonce: The secret that its marks carry; empty for a shell without marks.
        at_prompt: Whether the shell reads a line; None before its first mark, and without marks.
        start: Where the output of the running command begins; None if no command is running.
        command: The running command, if it is known.
        prompt_start: Where the latest prompt begins.
        input_start: Where the latest prompt ends.
        drawn: Where the latest prompt ended when it was last drawn.
        drawing: Whether the start of a prompt was marked, but not its end.
        output_end: Where the output of a command ends, until zsh marks the command as finished.
        reads: How fish shows the line that the running command reads: ``shown``, or ``hidden``.
        numbers: The latest number of each kind of mark.
        number: The number of the line that the shell reads, in bash and POSIX shells.
        editor: How a POSIX shell reads lines: ``none`` leaves it to the terminal, others edit them; empty elsewhere.
        has_typed_ahead: Whether lines may have been typed before the latest prompt was drawn.
        seeking: From where to search for the newline that ends a line typed into a POSIX shell; None if not searching.
        entered: The number of lines entered there that the shell has not read.
        continued_from: Where the continuation prompt ends, while the shell reads a line there; None otherwise.
        is_reported: Whether the start of the running command was reported.
        outputs: The start and the end of the output of the latest commands, oldest first.
        unmarked_from: Where the shell stopped sending marks.
        is_unknown: Whether an earlier service's state was lost, until the next mark arrives.
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
    reads: str | None = None
    numbers: dict[str, int] = field(factory=dict)
    number: int | None = None
    editor: str = ""
    has_typed_ahead: bool = False
    seeking: int | None = None
    entered: int = 0
    continued_from: int | None = None
    is_reported: bool = True
    outputs: list[tuple[int, int]] = field(factory=list)
    unmarked_from: int = 0
    is_unknown: bool = False

    @property
    def is_active(self) -> bool:
        """Whether the shell has sent marks, and is expected to send more."""
        return self.at_prompt is not None

    @property
    def reports_line(self) -> bool:
        """Whether the shell can be queried for the length of its line."""
        return self.is_active and not self.editor

    @property
    def continued(self) -> bool:
        """Whether a POSIX shell reads at its continuation prompt."""
        return self.continued_from is not None

    @property
    def expects_output(self) -> bool:
        """Whether a POSIX shell without an editor may execute a line that was typed ahead, and echoed then."""
        reads = self.at_prompt or self.continued
        return bool(reads) and self.has_typed_ahead and self.editor == "none" and self.seeking is None

    @property
    def pending(self) -> CommandStarted | None:
        """A command of a POSIX shell that was not reported: it has started unless a continuation prompt follows."""
        if self.is_reported or self.start is None:
            return None
        return CommandStarted(None, self.start, self.prompt_start, self.input_start)

    # Input

    def parse(self, mark: PrivateOsc) -> NewMark | None:
        """Parse a mark; None if it is not one of this shell, or one that was printed again."""
        match = _MARK.fullmatch(mark.data.decode("utf-8", "replace"))
        if match is None or match[1] != self.nonce:
            return None
        kind, argument = match[4], match[5] or ""
        latest = number = self.numbers.get(kind, -1)
        if match[2] is None:
            is_entered = not self.at_prompt or self.has_typed_ahead or self.seeking is not None
            is_new = kind == "P" and is_entered  # ksh and mksh cannot number P
        else:
            number = int(match[2]) + int(match[3] or 0)
            # After some syntax errors, bash draws the previous prompt again, with the old number.
            is_drawn_again = self.at_prompt or (self.drawing and argument.count(";") > 1)
            is_new = number > latest or (kind == "B" and number == latest and bool(is_drawn_again))
        if not is_new:
            return None
        return NewMark(kind, argument, number, mark.start, mark.end)

    def take(self, mark: NewMark) -> list[ShellEvent]:
        """Process a mark, and return its events."""
        self.is_unknown = False
        argument, self.numbers[mark.kind] = mark.argument, mark.number
        match mark.kind:
            case "A" if not self.at_prompt:
                self.prompt_start = self.input_start = mark.end
                self.drawing = True
            case "B":
                return self._prompted(argument, mark)
            case "C":
                return self._started(argument, mark.end)
            case "D":
                status, _, number = argument.partition(";")
                return self._ended(status, parse_number(number), mark.start)
            case "E" if self.start is not None:
                self.output_end = mark.start
            case "L":
                return self._answered(argument, mark)
            case "P":
                self._continue(mark.end)
            case "R":
                self.reads = argument
            case "X":
                self.forget_shell(mark.end)
            case _:
                pass
        return []

    def typed(self, data: bytes, place: int, *, echo: bool) -> None:
        """Process input, typed at a place of the stream; ``echo``: the terminal echoes it."""
        lines = len(_ENTER.findall(data)) if self.editor and (self.at_prompt or self.continued) else 0
        self.entered += lines
        if lines and self.seeking is None and self.start is None:
            self._seek_end_of_line(place, shown=echo)

    def written(self, data: bytes, place: int) -> None:
        """Process output that begins at a place and contains no mark."""
        if self.expects_output and data:
            self.drawn = self._read_from
            self._begin(self.drawn)
        if self.seeking is not None and (newline := data.find(b"\n", max(0, self.seeking - place))) >= 0:
            self.entered -= 1
            self._begin(place + newline + 1)

    def report(self, command: str | None) -> CommandStarted:
        """Return the pending command, and mark it as reported."""
        assert self.start is not None
        self.is_reported, self.command = True, command
        return CommandStarted(command, self.start, self.prompt_start, self.input_start)

    def withdraw(self) -> None:
        """Record that the pending line executes nothing: it is empty, or a comment."""
        self.start, self.is_reported = None, True

    def resume(self, starts: list[int], place: int) -> None:
        """Record a command that an earlier service found in a POSIX shell, if one started after the latest prompt.

        ``starts`` is where commands start; ``place`` is how far the stream was read.
        """
        start = next((start for start in reversed(starts) if self.input_start <= start <= place), None)
        if self.editor and self.at_prompt and start is not None:
            self.start, self.at_prompt, self.is_reported = start, False, True

    def typed_ahead_is_read(self) -> None:
        """Record that the shell has executed every line that was typed ahead."""
        self.has_typed_ahead = False
        if self.seeking == self._read_from and self.entered == 1:
            self.seeking, self.entered = None, 0  # there was no such line

    def forget_shell(self, place: int) -> None:
        """Record that the shell sends no more marks."""
        self.nonce, self.at_prompt, self.editor, self.unmarked_from = "", None, "", place
        self.drawing, self.continued_from = False, None
        self.seeking = None

    def shell_replaced(self, place: int) -> list[ShellEvent]:
        """Record that the shell replaced itself with another program, which sends no marks."""
        ended = [] if self.start is None else [self._finished(0, place)]
        self.forget_shell(place)
        return list(ended)

    # Output

    def output_between(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Iterate over the spans of command output in a part of the stream; all of it if there are no marks."""
        running = [] if self.start is None else [(self.start, end)]
        if self.at_prompt is None:
            running = [(self.unmarked_from, end)]
        for first, last in (*self.outputs, *running):
            if last > start and first < end:
                yield max(first, start), min(last, end)

    def dump(self) -> dict[str, Any]:
        """Return the state for the next service."""
        return asdict(self)

    @classmethod
    def load(cls, state: dict[str, Any]) -> ShellMarks:
        """Restore the state from ``dump``, also of another release.

        Raises:
            TypeError: This is not such a state.
        """
        known = {each.name: state[each.name] for each in fields(cls) if each.name in state}
        known["outputs"] = [(start, end) for start, end in state.get("outputs", [])]
        marks = cls(**known)
        spans = [place for span in marks.outputs for place in span]
        if not all(isinstance(known[name], _KINDS[name]) for name in known) or not all(
            isinstance(number, int) for number in (*spans, *marks.numbers.values())
        ):
            raise TypeError("not the state of a shell's marks")
        return marks

    # Transitions

    def _started(self, argument: str, place: int) -> list[ShellEvent]:
        self.at_prompt = self.drawing = False
        self.reads = None
        if self.start is not None:
            return []  # a line with several commands
        self.start = place
        self.command = _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), argument) or None
        return [CommandStarted(self.command, place, self.prompt_start, self.input_start)]

    def _seek_end_of_line(self, place: int, *, shown: bool) -> None:
        """Search for the end of the first entered line after a place, if it is shown there."""
        if shown:
            self.seeking = place
        else:
            self.entered -= 1
            self._begin(place)

    @property
    def _read_from(self) -> int:
        """The end of the prompt at which the shell reads a line."""
        return self.drawn if self.continued_from is None else self.continued_from

    def _begin(self, place: int) -> None:
        self.start, self.seeking, self.continued_from = place, None, None
        self.at_prompt = self.is_reported = False

    def _continue(self, place: int) -> None:
        self.at_prompt, self.continued_from = False, place
        self.start, self.is_reported, self.seeking = None, True, None
        if not self.entered and self.has_typed_ahead and self.editor != "none":
            self.entered = 1
        if self.entered:  # without an editor, the terminal has shown it when it was typed
            self._seek_end_of_line(place, shown=self.editor != "none")

    def _ended(self, status: str, number: int | None, place: int) -> list[ShellEvent]:
        before, self.number = self.number, number
        if number is not None and before == number and (self.editor or self.start is not None):
            return []  # the same prompt, drawn again
        if number is not None and before is None and self.start is None:
            return []  # the first prompt
        events: list[ShellEvent] = []
        if self.expects_output:
            # The shell has executed a line that the terminal echoed before the prompt was drawn.
            self.start = self._read_from
            events.append(CommandStarted(None, self.start, self.prompt_start, self.input_start))
        return [*events, self._finished(self._exit_status(status), place)]

    def _prompted(self, argument: str, mark: NewMark) -> list[ShellEvent]:
        editor, _, rest = argument.partition(";")
        status, _, line = rest.partition(";")
        number = parse_number(line)
        events: list[ShellEvent] = []
        if self.start is not None:
            if number is not None and number == self.number:
                return []  # the prompt before the command, drawn again
            # The command has replaced the hooks that mark its end.
            events.append(self._finished(exit_status(status), mark.start, is_marked=False))
        self.editor = editor
        if number is not None:
            self.number = number
        again = self.at_prompt
        self.at_prompt, self.drawing, self.drawn = True, False, mark.end
        if not again or self.input_start == self.prompt_start:
            self.input_start = mark.start
        if not again:
            # An editor shows a line that was typed ahead after the prompt; the terminal has shown it before.
            is_shown_now = self.has_typed_ahead and self.editor not in {"", "none"}
            self.seeking, self.entered = (mark.end, 1) if is_shown_now else (None, 0)
            self.continued_from = None
            events.append(PromptReady())
        return events

    def prompt_drawn(self) -> list[ShellEvent]:
        """Record that the shell reads a line, though the end of its prompt was not marked."""
        self.at_prompt, self.drawing = True, False
        return [PromptReady()]

    def _answered(self, argument: str, mark: NewMark) -> list[ShellEvent]:
        length, _, mode = argument.partition(";")
        mode, _, status = mode.partition(";")
        characters = parse_number(length)
        if characters is None:
            return []
        events: list[ShellEvent] = [LineLength(characters, mode, mark.end)]
        if mode == "restored" and self.start is not None:
            # The command has replaced all hooks, and the shell has put them back.
            events.append(self._finished(exit_status(status), mark.start, is_marked=False))
            self.prompt_start = self.input_start = self.drawn = mark.end
            events += self.prompt_drawn()
        return events

    def _exit_status(self, text: str) -> int | None:
        return exit_status(text, is_ksh=self.editor == "breaks")

    def _finished(self, exit_code: int | None, place: int, *, is_marked: bool = True) -> CommandFinished:
        start, self.start, self.command = self.start, None, None
        if self.output_end is not None:
            place, self.output_end = self.output_end, None
        self.at_prompt = False  # until the prompt is drawn
        self.seeking, self.continued_from, self.is_reported = None, None, True
        if start is not None:
            self.outputs.append((start, place))
            del self.outputs[:-_REMEMBERED]
        return CommandFinished(exit_code, start, place, is_marked)


# isinstance() accepts no parameters of lists and dicts, so their items are checked separately.
_KINDS = {
    name: get_origin(kind) if get_origin(kind) in {list, dict} else kind
    for name, kind in get_type_hints(ShellMarks).items()
}

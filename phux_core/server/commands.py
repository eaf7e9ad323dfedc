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

# Stretches of output that are remembered, for those who want to read output only.
_REMEMBERED = 1000
# A longer number is none that a shell sends: int() refuses 4,301 digits, and takes its time for fewer.
_MOST_DIGITS = 10
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t"}


class CommandStarted(NamedTuple):
    """The shell began a command line.

    Attributes:
        command: The line, if the shell could tell it.
        start: Where its output begins.
        prompt_start: Where the prompt begins.
        input_start: Where it ends, and the line begins.
    """

    command: str | None
    start: int
    prompt_start: int
    input_start: int


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
            return self._finished(argument, mark.start)
        if kind == "L":
            length, _, mode = argument.partition(";")
            characters = parse_number(length)
            return None if characters is None else LineTold(characters, mode, mark.end)
        if kind == "R":
            self.reads = argument
        if kind == "E" and self.start is not None:
            self.output_end = mark.start
        if kind == "B":
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

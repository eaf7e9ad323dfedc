"""The parser of the pyte engine: text in, split anywhere, control functions out.

Complete, well-formed sequences, nearly all in practice, are matched by one regular expression, so that Python code runs
once per sequence and not once per character. The others (strings, and sequences with controls inside) are read one by
one, and an unfinished one is held back until more text arrives. Both methods follow Paul Williams's state
diagram of DEC's terminals, adapted to UTF-8: C1 controls exist only in their two-character forms.

The parser assigns no meaning; ``dispatch`` does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from phux_core.engine.pyte.dispatch import action_for, device_control, known, operating_system_command

if TYPE_CHECKING:
    from phux_core.engine.pyte.terminal import Terminal

MAX_SEQUENCE = 256
"""Maximum length of an ESC or CSI sequence; a longer one is dropped."""

MAX_STRING = 65_536
"""Maximum length of an OSC or DCS string; a longer one is dropped."""

# Characters split into tokens at a time. This bounds the memory for tokens, and the cost of reading a sequence alone,
# which copies the rest of the slice.
_SLICE = 16_384

_TOKEN = re.compile(
    r"[^\x00-\x1f]+"
    r"|\x1b\[[0-?]{0,64}[ -/]{0,2}[@-~]"
    r"|\r\n"
    r"|[\x00-\x1a\x1c-\x1f]"
    r"|\x1b[ -/]{0,2}[0-OQ-WYZ\\`-jl-~]"  # not [ ] P X ^ _ and k, which start longer sequences
    r"|\x1b(?s:.*)"  # to be read alone
)
_WHOLE = re.compile(_TOKEN.pattern.removesuffix(r"|\x1b(?s:.*)"))
# All characters of a sequence but the final one, if it has no body: controls are executed at once, others ignored.
_ESC = re.compile(r"\x1b[^\x18\x1a\x1b0-~]*")
_CSI = re.compile(r"[^\x18\x1a\x1b@-~]*")
_OSC = re.compile(r"[^\x07\x18\x1a\x1b]*")
_STRING = re.compile(r"[^\x18\x1a\x1b]*")
_CONTROLS = re.compile(r"[\x00-\x1f]")
_NOT_IN_SEQUENCES = re.compile(r"[^ -~]+")

# Characters after ESC that start a string. ``k`` sets the title in screen(1) and tmux; xterm would print it.
_OPENERS = "]PX^_k"


class Parser:
    """The parser of one terminal.

    Attributes:
        held: An unfinished sequence, without the controls in it, which were executed already.
    """

    __slots__ = ("_terminal", "held")

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self.held = ""

    def feed(self, text: str) -> None:
        """Process text without NUL, DEL and C1 characters, which have no meaning in any state."""
        for start in range(0, len(text), _SLICE):
            self._feed_slice(text[start : start + _SLICE] if len(text) > _SLICE else text)

    def finish(self, text: str) -> str:
        """Consume the rest of the current sequence from ``text``, and return the remaining text."""
        if self.held:
            text, self.held = self.held + text, ""
            text = self._read_one(text)
        return text

    def _feed_slice(self, text: str) -> None:
        text = self.finish(text)
        while text:
            text = self._run(text)

    def _run(self, text: str) -> str:
        """Process text up to a sequence that must be read alone; return the text after it."""
        terminal = self._terminal
        draw = terminal.draw
        moves = terminal.styles.moves
        moves_from = terminal.styles.moves_from
        style = terminal.style
        here = moves_from(style)
        for piece in _TOKEN.findall(text):
            if piece >= " ":
                draw(piece)
                continue
            new_style = here.get(piece)
            if new_style is not None:
                terminal.style = style = new_style
                here = moves.get(style) or moves_from(style)
                continue
            action = known(piece)
            if action is None:
                if piece[0] == "\x1b" and not _WHOLE.fullmatch(piece):
                    return self._read_one(piece)
                action = action_for(piece)
            function, arguments = action
            function(terminal, *arguments)
            if terminal.style != style:
                style = terminal.style
                here = moves_from(style)
        return ""

    def _read_one(self, text: str) -> str:
        """Process the sequence at the start of ``text``, or hold it back; return the text after it."""
        end = _length(_ESC, text, 0)
        sequence = "\x1b" + self._without_controls(text[1:end])
        final = text[end : end + 1]
        if sequence == "\x1b" and final == "[":
            start, end = end + 1, _length(_CSI, text, end + 1)
            sequence = "\x1b[" + self._without_controls(text[start:end])
            final = text[end : end + 1]
        elif sequence == "\x1b" and final and final in _OPENERS:
            return self._read_string(final, text, end + 1)
        if not final:
            self.held = sequence[: MAX_SEQUENCE + 1]
            return ""
        if final == "\x1b":
            return text[end:]
        if final >= " " and len(sequence) <= MAX_SEQUENCE:
            function, arguments = action_for(sequence + final)
            function(self._terminal, *arguments)
        return text[end + 1 :]

    def _without_controls(self, sequence: str) -> str:
        """Execute the controls in a sequence, and return it without them and without characters that do not belong."""
        for control in _CONTROLS.findall(sequence):
            function, arguments = action_for(control)
            function(self._terminal, *arguments)
        return _NOT_IN_SEQUENCES.sub("", sequence)

    def _read_string(self, opener: str, text: str, start: int) -> str:
        """Process a string; an ESC ends it and starts the next sequence."""
        end = _length(_OSC if opener == "]" else _STRING, text, start)
        body = text[start:end]
        terminator = text[end : end + 1]
        if not terminator:
            self.held = f"\x1b{opener}" + (body[: MAX_STRING + 1] if opener in "]P" else "")
        elif terminator in "\x07\x1b" and len(body) <= MAX_STRING:
            body = _CONTROLS.sub("", body)
            if opener == "]":
                operating_system_command(self._terminal, body, "\x07" if terminator == "\x07" else "\x1b\\")
            elif opener == "P":
                device_control(self._terminal, body)
        return text[end:] if terminator == "\x1b" else text[end + 1 :]


def _length(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start

"""The parser of the pyte engine: text in, split anywhere, control functions out.

Complete, well-formed sequences, nearly all in practice, are matched by one regular expression, so that Python code runs
once per sequence and not once per character. Everything else (a sequence split between chunks, controls inside
sequences, unterminated strings) goes through a state machine, one character at a time, until the sequence ends. Both
follow Paul Williams's state diagram of DEC's terminals, adapted to UTF-8: C1 controls exist only in their two-character
forms.

The parser assigns no meaning; ``dispatch`` does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from phux_core.engine.pyte.dispatch import (
    action_for,
    device_control,
    known,
    operating_system_command,
)

if TYPE_CHECKING:
    from phux_core.engine.pyte.terminal import Terminal

MAX_CSI = 256
"""Maximum length of a CSI sequence's body; a longer sequence is dropped."""

MAX_STRING = 65_536
"""Maximum length of an OSC or DCS string; a longer one is dropped."""

# Characters split into tokens at a time. This bounds the memory for tokens, and the cost of resuming after a sequence
# that only the state machine can read, which copies the rest of the slice.
_SLICE = 16_384

_TOKEN = re.compile(
    r"[^\x00-\x1f]+"
    r"|\x1b\[[0-?]{0,64}[ -/]{0,2}[@-~]"
    r"|\r\n"
    r"|[\x00-\x1a\x1c-\x1f]"
    r"|\x1b[ -/]{0,2}[0-OQ-WYZ\\`-jl-~]"  # not [ ] P X ^ _ and k, which start longer sequences
    r"|\x1b\][^\x00-\x1f]{0,2048}(?:\x07|\x1b\\)"
    r"|\x1b[\s\S]*"  # left to the state machine
)
_WHOLE = re.compile(_TOKEN.pattern.removesuffix(r"|\x1b[\s\S]*"))
_ESC_STEP = re.compile(r"[ -/]*")
_CSI_STEP = re.compile(r"[ -?]*")
_STRING_END = {"osc": re.compile(r"[\x07\x18\x1a\x1b]"), "string": re.compile(r"[\x18\x1a\x1b]")}
_STRING_END["dcs"] = _STRING_END["string"]
_CONTROLS = re.compile(r"[\x00-\x1f]")

# Characters after ESC that start a string. ``k`` sets the title in screen(1) and tmux; xterm would print it.
_OPENERS = {"]": "osc", "P": "dcs", "X": "string", "^": "string", "_": "string", "k": "string"}


class Parser:
    """The parser of one terminal.

    Attributes:
        state: ``""`` between sequences, else ``esc``, ``csi``, ``osc``, ``dcs`` or ``string`` inside one.
        body: The sequence so far.
    """

    __slots__ = ("_terminal", "body", "state")

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self.state = ""
        self.body = ""

    def feed(self, text: str) -> None:
        """Process text without NUL, DEL and C1 characters, which have no meaning in any state."""
        for start in range(0, len(text), _SLICE):
            self._feed_slice(text[start : start + _SLICE] if len(text) > _SLICE else text)

    def finish(self, text: str) -> str:
        """Consume the rest of the current sequence from ``text``, and return the remaining text."""
        while text and self.state:
            text = self._walk(text)
        return text

    def _feed_slice(self, text: str) -> None:
        while text:
            if self.state:
                text = self._walk(text)
                continue
            text = self._run(text)

    def _run(self, text: str) -> str:
        """Process complete sequences; return the text left to the state machine."""
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
                    self.state = "esc"
                    return str(piece[1:])
                if piece.startswith("\x1b]"):
                    self._finish_osc(piece)
                    style = terminal.style
                    here = moves_from(style)
                    continue
                action = action_for(piece)
            function, arguments = action
            function(terminal, *arguments)
            if terminal.style != style:
                style = terminal.style
                here = moves_from(style)
        return ""

    def _finish_osc(self, piece: str) -> None:
        end = "\x07" if piece[-1] == "\x07" else "\x1b\\"
        operating_system_command(self._terminal, piece[2 : -len(end)], end)

    # The state machine. Each step consumes text from the front and returns the rest.

    def _walk(self, text: str) -> str:
        if self.state == "esc":
            return self._walk_sequence(text, _ESC_STEP)
        if self.state == "csi":
            return self._walk_sequence(text, _CSI_STEP)
        return self._walk_string(text)

    def _walk_sequence(self, text: str, step: re.Pattern[str]) -> str:
        """Inside an ESC or CSI sequence: collect up to its final byte."""
        found = step.match(text)
        at = found.end() if found else 0
        if len(self.body) <= MAX_CSI:
            self.body += text[:at][: MAX_CSI + 1]
        if at == len(text):
            return ""
        char = text[at]
        rest = text[at + 1 :]
        if char == "\x1b":
            self._become("esc")
        elif char in "\x18\x1a":
            self._become("")
        elif char < " ":
            self._do(char)
        elif char > "~":
            pass  # non-ASCII characters mean nothing here
        elif self.state == "esc" and not self.body and char == "[":
            self._become("csi")
        elif self.state == "esc" and not self.body and char in _OPENERS:
            self._become(_OPENERS[char])
        else:
            sequence = ("\x1b[" if self.state == "csi" else "\x1b") + self.body + char
            whole = len(self.body) < MAX_CSI
            self._become("")
            if whole:
                self._do(sequence)
        return rest

    def _walk_string(self, text: str) -> str:
        """Inside a string: collect up to its terminator; an ESC starts the next sequence."""
        found = _STRING_END[self.state].search(text)
        at = found.start() if found else len(text)
        if self.state != "string" and len(self.body) <= MAX_STRING:
            self.body += text[: min(at, MAX_STRING + 1 - len(self.body))]
        if found is None:
            return ""
        char = text[at]
        state, body = self.state, self.body
        self._become("esc" if char == "\x1b" else "")
        if char in "\x07\x1b" and len(body) <= MAX_STRING:
            body = _CONTROLS.sub("", body)
            if state == "osc":
                operating_system_command(self._terminal, body, "\x07" if char == "\x07" else "\x1b\\")
            elif state == "dcs":
                device_control(self._terminal, body)
        return text[at + 1 :]

    def _become(self, state: str) -> None:
        self.state = state
        self.body = ""

    def _do(self, piece: str) -> None:
        function, arguments = action_for(piece)
        function(self._terminal, *arguments)

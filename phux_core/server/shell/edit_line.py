"""Track whether there is a partly typed line at a shell's prompt.

Keys move, erase, complete, search and call programs, and some are typed before the prompt is drawn. The line is
therefore not reconstructed: it is known to be empty, or it is in doubt. A shell with our key binding
(phux_core/shells) is then queried for the length of its line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from attrs import define

from phux_core import escapes
from phux_core.server.shell.events import CommandFinished, CommandStarted, LineLength

if TYPE_CHECKING:
    from phux_core.server.kernel.foreground import Foreground

QUESTION = "\x1b[7748~"
"""The key that makes an integrated shell report the length of its line."""
FISH_QUESTION = "\x1b[60123u"
"""The same for fish: from fish 4 on, it ignores keys that it cannot name, but every character is one."""
INTERRUPT = b"\x03"
PROMPT_S = 2.0
"""How long a shell may take to draw its prompt after a command whose end it does not mark."""
MOMENT_S = 0.25
"""How long a key may take to have an effect."""
ANSWER_S = 0.5
"""How long a shell may take to reply; it may be busy in a widget."""
_AGAIN_S = 1.0
_NOT_UNDERSTOOD = 127
_REDRAW = b"\x0c"
_ENDS_LINE = (b"\r", b"\n", INTERRUPT)
_ERASES_LINE = (INTERRUPT, b"\x15")
# One entered line, as keys or as a paste.
_LINE = re.compile(rb"(?:\x1b\[200~[^\x00-\x1f\x7f]*\x1b\[201~|[^\x00-\x1f\x7f]*)[\r\n]")
_CONTROLS = bytes(range(0x1B))


class Problem(NamedTuple):
    """A reason why nothing can be typed at the prompt now.

    Attributes:
        patience_s: How long to wait for it to pass by itself.
        again_s: When to check again, if no event reports that it has passed.
        asks: Whether to query the shell first.
    """

    message: str
    patience_s: float
    remedy: str | None = None
    again_s: float | None = None
    asks: bool = False


class Ready(NamedTuple):
    """A command can be typed.

    Attributes:
        foreground: The program that reads it.
        shell: The kind of integrated shell that reads it; None if it is another program.
    """

    foreground: Foreground
    shell: str | None


def typed_problem(where: str, how: str) -> Problem:
    """Return the problem of a partly typed line."""
    return Problem(
        f"there is a partly typed line at the prompt of {where}: {how}",
        0,
        f"press Enter there, or clear the line: phux send-keys {where} C-c",
        _AGAIN_S,
    )


@define
class EditLine:
    """The line at one shell's prompt.

    Attributes:
        typed_at: When a person or client typed last.
        entered_at: When a line was entered that the shell has not accepted yet; 0 if there is none.
        is_interrupt: Whether that line was ended by C-c.
        is_doubtful: Whether keys with an unknown effect were typed.
        is_unfinished: Whether keys were typed since the last line was entered or erased.
        harmless: The shell's output after the prompt when the line was known to be empty, such as a right prompt.
    """

    typed_at: float = 0.0
    entered_at: float = 0.0
    is_interrupt: bool = False
    is_doubtful: bool = False
    is_unfinished: bool = False
    harmless: bytes = b""

    def typed(self, data: bytes, now: float, *, early: bool, shell: str | None) -> None:
        """Process input typed by a person or client.

        ``early``: a command is running, or the line before this one was not accepted yet.
        """
        self.typed_at = now
        self.is_unfinished = data[-1:] not in (*_ENDS_LINE, *_ERASES_LINE) and data != _REDRAW
        if data[-1:] in _ENDS_LINE:
            before = self.is_doubtful or (self.entered_at > 0 and not self.is_interrupt)
            self.entered_at, self.is_interrupt = now, data.endswith(INTERRUPT)
            is_one_line = not before and _LINE.fullmatch(data) is not None
            # fish does not report C-c on an empty line, and may notice it only with the next key.
            self.is_doubtful = early or not (is_one_line or (data == INTERRUPT and shell != "fish"))
        elif data.strip(_REDRAW):
            self.is_doubtful = True
            if self.is_interrupt:  # the shell has ignored it, or will not report it
                self.is_interrupt, self.entered_at = False, 0.0

    def entered(self, now: float) -> None:
        """Record that phux itself has entered a line."""
        self.entered_at, self.is_interrupt, self.is_unfinished = now, False, False

    def taken(self, event: CommandStarted | CommandFinished, shell: str | None) -> None:
        """Record that the shell accepted the line, or has finished its command."""
        self.entered_at = 0.0
        self.is_doubtful |= leaves_line(event, shell)

    def found_empty(self, tail: bytes) -> None:
        """Record that the line is empty, and the shell's output after its prompt."""
        self.is_doubtful = self.is_interrupt = self.is_unfinished = False
        self.entered_at, self.harmless = 0.0, tail

    def may_hold_text(self, tail: bytes) -> bool:
        """Return whether the line may not be empty.

        ``tail`` is the shell's output after its prompt: the shell may also insert a line by itself.
        """
        shows_text = bool(escapes.strip(tail).strip(_CONTROLS)) and tail != self.harmless
        return self.is_doubtful or self.entered_at > 0 or shows_text


def leaves_line(event: CommandStarted | CommandFinished, shell: str | None) -> bool:
    """Return whether the shell could not parse a line and leaves it at its prompt for correction, as fish does."""
    is_refusal = isinstance(event, CommandFinished) and event.start is None and event.exit_code == _NOT_UNDERSTOOD
    return is_refusal and shell == "fish"


def problem_in_answer(answer: LineLength, where: str, *, continued: bool) -> Problem | None:
    """Return why nothing can be typed, according to a shell's reply; None if the line is empty.

    ``continued``: the shell reads the continuation of a line.
    """
    if answer.length or continued:
        return typed_problem(where, "the shell waits for the rest of it" if continued else "Enter was not pressed")
    if answer.mode == "command":
        remedy = f"press i there, or C-c (phux send-keys {where} C-c)"
        return Problem(f"the prompt of {where} is in vi command mode", 0, remedy, _AGAIN_S)
    return None

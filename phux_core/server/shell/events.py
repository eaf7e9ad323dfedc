"""Looks at a shell, which the tracker gets, and events, which it reports.

All places are sequence numbers of the pane's stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from phux_core.server.kernel.foreground import Foreground

State = Literal["prompt", "running", "awaiting_input", "awaiting_secret", "fullscreen", "dead"]
STATES: tuple[State, ...] = get_args(State)


class Look(NamedTuple):
    """The state of the kernel and the terminal at one moment.

    Attributes:
        unread: Whether the program has not read all input.
        alt_screen: Whether the alternate screen is shown.
        has_output: Whether there is unread output.
        in_editor: Whether a line editor has enabled bracketed paste.
        replaced_at: If a program has replaced the shell, where that program's prompt begins; else None.
    """

    now: float
    foreground: Foreground | None
    unread: bool = False
    alt_screen: bool = False
    has_output: bool = False
    in_editor: bool = False
    replaced_at: int | None = None


class PromptReady(NamedTuple):
    """The shell has drawn its prompt and reads a line."""


class CommandStarted(NamedTuple):
    """The shell executes a line.

    Attributes:
        command: The line; None if the shell does not report it.
        start: Where its output begins.
        prompt_start: Where the prompt begins.
        input_start: Where the prompt ends and the line begins.
    """

    command: str | None
    start: int
    prompt_start: int
    input_start: int


class CommandFinished(NamedTuple):
    """The shell has finished a line.

    Attributes:
        exit_code: The exit status; None if it is unknown.
        start: Where the output begins; None if the line executed nothing, or its start is unknown.
        end: Where the output ends; if the end was not marked, where the next prompt ends.
        is_marked: Whether the shell has marked the end.
    """

    exit_code: int | None
    start: int | None
    end: int
    is_marked: bool = True


class LineLength(NamedTuple):
    """The shell has reported the length of the line it edits.

    Attributes:
        length: Number of characters on the line.
        mode: ``command`` in vi command mode, ``more`` if earlier lines belong to it, else empty.
        place: Where the reply ends.
    """

    length: int
    mode: str
    place: int


class HooksInDoubt(NamedTuple):
    """A command may have replaced the hooks of bash that mark its end; ``QUESTION`` makes bash restore them."""


ShellEvent = PromptReady | CommandStarted | CommandFinished | LineLength | HooksInDoubt

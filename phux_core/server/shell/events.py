"""The events of a shell, as reported by the tracker. All places are sequence numbers of the pane's stream."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

State = Literal["prompt", "running", "awaiting_input", "awaiting_secret", "fullscreen", "dead"]
STATES: tuple[State, ...] = get_args(State)


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

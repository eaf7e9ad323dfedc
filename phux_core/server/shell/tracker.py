"""Track what a pane's shell is doing: a state machine without I/O, and the only owner of this state.

Inputs are marks, typed input, output and looks at the foreground; outputs are shell events and the pane's state.
``may_type`` reports whether a command can be typed now. Times are arguments, so that tests need no clock.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from phux_core.server.shell.echoed_lines import EchoedLines
from phux_core.server.shell.edit_line import (
    MOMENT_S,
    PROMPT_S,
    EditLine,
    Problem,
    Ready,
    leaves_line,
    typed_problem,
)
from phux_core.server.shell.events import (
    CommandFinished,
    CommandStarted,
    HooksInDoubt,
    LineLength,
    PromptReady,
    ShellEvent,
    State,
)
from phux_core.server.shell.marks import NewMark, ShellMarks, executes_nothing, may_end_marks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.server.kernel.foreground import Foreground
    from phux_core.server.shell.events import Look

SETTLE_S = 0.01
"""How long a program may take to read the terminal's reply to a query."""
# The longest pause while a shell draws its prompt; it may query the terminal then.
_DRAWN_S = 0.05
# The longest pause before a shell draws its prompt; fish sends several queries to the terminal then.
_PREPARED_S = 0.5
# An integrated shell runs rc files, git or starship before its prompt.
_OWN_PROMPT_S = 10.0
# How long a POSIX shell takes to set the terminal for its editor after it has drawn its prompt.
_EDITOR_S = 0.001
_ENTER = re.compile(rb"[\r\n]")
_READS: dict[str, State] = {"shown": "awaiting_input", "hidden": "awaiting_secret"}
# Programs that connect to the shell of another machine, user or container.
_CARRIERS = re.compile(
    "ssh|autossh|mosh-client|telnet|docker|podman|nerdctl|runc|crun|ctr|crictl|kubectl|oc|lxc|incus|machinectl|toolbox"
    "|distrobox|multipass|limactl|nsenter|su|sudo|doas|run0|chroot|unshare|bwrap|script|socat|wsl|adb|vagrant|virsh|tsh"
)


class ShellTracker:
    """The shell of one pane.

    Args:
        name: The pane's id in messages, such as ``@3``.
        pid: The pane's first process.
        shell: The kind of shell it is, if any.

    Attributes:
        state: The pane's state at the last look.
        foreground: The foreground at the last look.
        last_output: When the program last wrote output.
        answer: The shell's reply to the last question about its line; None if there was none.
    """

    def __init__(
        self,
        name: str,
        pid: int,
        shell: str | None,
        marks: ShellMarks,
        now: float = 0.0,
    ) -> None:
        self.marks = marks
        self.line = EditLine()
        self.state: State = "running"
        self.foreground: Foreground | None = None
        self.last_output = now
        self.answer: LineLength | None = None
        self._last_reply = self._prompt_at = 0.0
        self._run_shell: int | None = None  # in which an unfinished run with our own marks was typed
        self._run_ended_at = 0.0  # a run with our own marks
        self._may_have_lost_hooks = True
        self._name, self._pid, self._shell = name, pid, shell
        self._echoes = EchoedLines()

    # Input

    def pending(self, cause: NewMark | Look) -> CommandStarted | None:
        """Return a command of a POSIX shell whose start a mark or a look reveals; pass its line to ``report``."""
        has_started = cause.kind != "P" if isinstance(cause, NewMark) else self._has_started(cause)
        return self.marks.pending if has_started else None

    def report(self, pending: CommandStarted, command: str | None) -> list[ShellEvent]:
        """Report a pending command, unless its line executes nothing; None if the line is unknown."""
        marks = self.marks
        self.line.entered_at = 0.0
        if command is None and pending.start == marks.drawn:  # the line was not shown after the prompt
            return [marks.report(None)]
        if command is not None and not executes_nothing(command) and not may_end_marks(command):
            return [marks.report(command)]
        marks.withdraw()
        if command is not None and may_end_marks(command):
            marks.forget_shell(pending.start)
        return []

    def mark(self, mark: NewMark) -> list[ShellEvent]:
        """Process a mark, and return its events; call ``pending`` first."""
        if mark.kind == "P":
            self.line.entered_at = 0.0  # the pending line has started no command
        elif not self.marks.nonce:
            return []
        drawn = self.marks.drawn
        taken = self.marks.take(mark)
        if self.marks.drawn > drawn and self.marks.number is not None and not taken:
            # bash draws the same prompt again after a line that it does not execute, such as an unknown `!x`.
            self.line.is_doubtful |= self.line.entered_at > 0
            self.line.entered_at = 0.0
        for event in taken:
            if isinstance(event, PromptReady):
                self._prompt_at = self.last_output
                if not self.line.is_interrupt:  # else the shell may not have handled the signal yet
                    self.line.entered_at = 0.0  # a line entered before was typed ahead
            elif isinstance(event, LineLength):
                self.answer = event
            elif not isinstance(event, HooksInDoubt):
                self._take_line(event)
        return taken

    def typed(self, data: bytes, place: int, now: float, *, echo: bool, ours: bool) -> None:
        """Process input, typed at a place of the stream.

        ``echo``: a POSIX shell or its terminal shows the input. ``ours``: a run types, not a person or client.
        """
        marks = self.marks
        early = not (marks.at_prompt or marks.continued) or self.line.entered_at > 0
        if marks.nonce and not ours:
            marks.has_typed_ahead |= early or _ENTER.search(data[:-1]) is not None
        self._record_echo(data, place)
        marks.typed(data, place, echo=echo)
        if ours:
            if _ENTER.search(data):
                self.line.entered(now)
            return
        was_unfinished = self.line.is_unfinished
        self.line.typed(data, now, early=marks.start is not None or self.line.entered_at > 0, shell=self._front_shell)
        if self.line.is_unfinished and self.state != "prompt":
            self.line.is_unfinished = was_unfinished

    def written(self, data: bytes, place: int) -> None:
        """Process output that begins at a place and contains no mark."""
        self._echoes.written(data, place)
        self.marks.written(data, place)

    def look(self, look: Look) -> list[ShellEvent]:
        """Process a look at the foreground, update the state, and return the events; call ``pending`` first."""
        marks, foreground = self.marks, look.foreground
        events: list[ShellEvent] = []
        quiet_s = look.now - self.last_output
        if look.replaced_at is not None:
            events += marks.shell_replaced(look.replaced_at)
            self.line.entered_at = 0.0
        # The end of the prompt is not marked if the pane is too small for it, or if C-c arrives before fish draws it.
        lost = self._shell == "fish" and marks.at_prompt is False and marks.start is None and quiet_s > _PREPARED_S
        if (lost or (marks.drawing and quiet_s > _DRAWN_S)) and self._waits_in_editor(foreground):
            events += marks.prompt_drawn()
        if marks.start is None:
            self._may_have_lost_hooks = True
        elif look.in_editor and quiet_s > MOMENT_S and self._shell == "bash" and self._waits_in_editor(foreground):
            events += [HooksInDoubt()] if self._may_have_lost_hooks else []
            self._may_have_lost_hooks = False
        if (marks.at_prompt or marks.continued) and marks.has_typed_ahead and self._is_idle(look, quiet_s):
            marks.typed_ahead_is_read()
        self.foreground = foreground
        self.state = self._judge(look, quiet_s)
        return events

    def asked(self) -> None:
        """Record that the shell is about to be queried for the length of its line."""
        self.answer = None

    def wrote(self, now: float) -> None:
        """Record that the program has written output."""
        self.last_output = now

    def replied(self, when: float) -> None:
        """Record when the program has read the terminal's reply to its query."""
        self._last_reply = when

    def run_began(self, pid: int | None) -> None:
        """Record the process in which a run with our own marks was typed; None if its end is no longer expected."""
        self._run_shell = pid

    def run_ended(self, now: float, *, interleaved: bool) -> None:
        """Record that a run with our own marks has finished; ``interleaved``: a person or client typed meanwhile."""
        self._run_shell, self._run_ended_at = None, now
        if not interleaved:
            self.line.entered_at = 0.0  # the shell has read the line

    # The next service

    def restore(self, marks: dict[str, Any] | None, *, typed: bool) -> None:
        """Restore the marks of an earlier service; ``typed``: the program may have read input.

        Raises:
            TypeError: They are no marks.
        """
        self.line.is_doubtful = typed
        if marks is not None:
            self.marks = ShellMarks.load(marks)

    def restored(self, *, is_lost: bool) -> None:
        """Record that the marks since the checkpoint were replayed; ``is_lost``: some are missing."""
        self.marks.is_unknown = is_lost and self.marks.at_prompt is None

    # Queries

    @property
    def is_marked(self) -> bool:
        """Whether the pane's own shell is in the foreground and has marked that it reads a line."""
        own = self.foreground is not None and self.foreground.pgid == self._pid
        return own and bool(self.marks.at_prompt)

    @property
    def knows_foreground(self) -> bool:
        """Whether the marks alone determine the state, as long as the shell stays in the foreground."""
        marks = self.marks
        return bool(
            marks.at_prompt
            and not self.line.entered_at
            and not marks.has_typed_ahead
            and not marks.editor
            and self.foreground is not None
            and self.foreground.pid == self._pid
            and self.foreground.shell is not None
            and self.foreground.waiting is not False
            # The foreground was seen before the shell's line editor set the terminal's mode.
            and not (self.foreground.canonical and marks.reports_line)
        )

    def may_be_replaced(self, foreground: Foreground | None) -> bool:
        """Return whether the first process may have become another shell, one that has sent no prompt mark."""
        return (
            foreground is not None
            and foreground.pid == self._pid
            and foreground.shell is not None
            and bool(foreground.waiting)
            and bool(self.marks.nonce)
            and not self.marks.at_prompt
            and not self.marks.is_unknown
            and not self.marks.continued
        )

    def output_between(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Iterate over the spans of output in a part of the stream, without prompts and echoed lines."""
        return self._echoes.leave_out(self.marks.output_between(start, end), end)

    def output_start(self, end: int) -> int:
        """Return where the latest command's output begins; the end of the stream if there is none."""
        marks = self.marks
        if marks.start is not None:
            return marks.start
        if not marks.is_active:
            return self._echoes.spans[-1][1] if self._echoes.spans else end
        return marks.outputs[-1][0] if marks.outputs and not self.line.entered_at else end

    @property
    def is_only_read(self) -> bool:
        """Whether the pane has no marks, and no line was typed into its program, so that all it wrote is output."""
        return not self.marks.is_active and not self._echoes.spans and self._echoes.start is None

    def may_type(self, now: float, tail: bytes) -> Ready | Problem:
        """Return whether a command can be typed at the prompt, or why not; ``tail`` is the output after it."""
        where, marks, foreground, state = self._name, self.marks, self.foreground, self.state
        if foreground is None:
            return Problem(f"no program is in the foreground of {where}", PROMPT_S)
        if marks.continued:
            return typed_problem(where, "the shell waits for the rest of it")
        if self.is_marked and state == "awaiting_input":
            return typed_problem(where, "the shell waits for the rest of it, or asks a question")
        own = foreground.pgid == self._pid
        prepares = marks.nonce and not marks.at_prompt and marks.start is None and not marks.is_unknown
        if prepares and (own or foreground.shell is None):  # else a startup file has started another shell
            return self._not_at_prompt(foreground)
        recent_s = MOMENT_S if now < self.line.typed_at + MOMENT_S else 0.0
        if state == "fullscreen":
            reset = f"quit it, or if a killed program left the alternate screen on: phux send-keys {where} reset Enter"
            remedy = reset if foreground.shell is not None else None
            return self._fullscreen(foreground, recent_s, remedy)
        if self.is_marked and marks.editor and state == "running":
            # The shell's editor sets the terminal's mode after it has drawn the prompt.
            return Problem(f"the shell in {where} is about to read a line", PROMPT_S, again_s=_EDITOR_S)
        if state == "prompt":
            return self._at_prompt(foreground, now, tail)
        if _CARRIERS.fullmatch(foreground.name) and not foreground.canonical:
            if state == "awaiting_input":
                return Ready(foreground, None)
            return Problem(f"{foreground.name} in {where} is busy", PROMPT_S)
        return self._busy(foreground, now, own=own)

    # Reasons not to type

    def _at_prompt(self, foreground: Foreground, now: float, tail: bytes) -> Ready | Problem:
        line = self.line
        ready = Ready(foreground, self._shell or "posix" if self.is_marked else None)
        if foreground.shell == "posix" and not foreground.canonical and not self._is_settled(now):
            return Problem(f"the shell in {self._name} is about to read a line", PROMPT_S, again_s=SETTLE_S)
        if not (self.is_marked and self.marks.reports_line):
            return typed_problem(self._name, "Enter was not pressed") if line.is_unfinished else ready
        if line.is_interrupt and now < line.entered_at + MOMENT_S:
            left_s = line.entered_at + MOMENT_S - now
            return Problem(f"C-c was pressed at the prompt of {self._name} just now", MOMENT_S, again_s=left_s)
        if not line.may_hold_text(tail):
            return ready
        if now < line.typed_at + SETTLE_S or foreground.waiting is False:
            return Problem(f"the shell in {self._name} has not read the typed keys yet", PROMPT_S, again_s=SETTLE_S)
        if foreground.canonical:  # no editor that could be queried, or it has just been interrupted
            return typed_problem(self._name, "Enter was not pressed")._replace(patience_s=MOMENT_S)
        remedy = f"press Enter there, or C-c (phux send-keys {self._name} C-c)"
        return Problem(
            f"the shell in {self._name} does not report whether its command line is empty", 0, remedy, 1.0, asks=True
        )

    def _fullscreen(self, foreground: Foreground, patience_s: float, remedy: str | None) -> Problem:
        return Problem(f"{foreground.name} uses the alternate screen of {self._name}", patience_s, remedy)

    def _not_at_prompt(self, foreground: Foreground) -> Problem:
        where = self._name
        if self.state == "fullscreen" and self.marks.at_prompt is None:  # after a command, it is about to be left
            return self._fullscreen(foreground, 0, "quit the program that a startup file runs")
        if self.state in {"awaiting_input", "awaiting_secret"}:
            remedy = f"answer it: phux send-keys {where}"
            return Problem(f"{foreground.name} in {where} asks a question before its prompt", PROMPT_S, remedy)
        doing = "is still starting" if self.marks.at_prompt is None else "has not drawn its prompt yet"
        return Problem(f"the shell in {where} {doing}", _OWN_PROMPT_S)

    def _busy(self, foreground: Foreground, now: float, *, own: bool) -> Problem:
        where, state, marks = self._name, self.state, self.marks
        reads = f"type its input (phux send-keys {where}), or end it (C-c) and then run the command"
        waits = state in {"awaiting_input", "awaiting_secret"}
        if foreground.shell is not None and not (own and marks.start is not None):
            if state == "awaiting_secret":
                sane = f"type it, or if a program has left the echo off: phux send-keys {where} 'stty sane' Enter"
                return Problem(f"{foreground.name} waits for a secret in {where}", PROMPT_S, sane)
            if waits:
                return Problem(f"a command of {foreground.name} waits for input in {where}", 0, reads)
            return Problem(f"{foreground.name} in {where} is busy", PROMPT_S)
        doing = "waits for a secret in" if state == "awaiting_secret" else "is in the foreground of"
        command = f" ({marks.command.splitlines()[0]:.60})" if own and marks.command else ""
        if now < self._run_ended_at + PROMPT_S and self.line.typed_at < self._run_ended_at:
            patience_s = PROMPT_S  # the rest of our own line, which may be a program: mksh has no builtin printf
        else:
            patience_s = MOMENT_S if (own and not waits) or now < self.line.typed_at + MOMENT_S else 0.0
        return Problem(f"{foreground.name}{command} {doing} {where}", patience_s, reads if waits else None)

    # State

    def _judge(self, look: Look, quiet_s: float) -> State:
        foreground, marks = look.foreground, self.marks
        if look.alt_screen:
            return "fullscreen"
        if foreground is None or look.unread:
            return "running"
        if foreground.pgid == self._pid and marks.nonce and not marks.is_unknown:
            return self._judge_own(foreground, look.now, quiet_s)
        if foreground.shell is not None and self._may_be_reading(look.now):
            return "running"
        in_run = self._run_shell == foreground.pid
        return _reported_by_kernel(foreground, is_shell=foreground.shell is not None and not in_run)

    def _judge_own(self, foreground: Foreground, now: float, quiet_s: float) -> State:
        """Return the state of the pane's own shell, which sends marks."""
        marks = self.marks
        if marks.at_prompt:
            return self._judge_prompt(foreground, quiet_s, now)
        if marks.start is None and not foreground.canonical and quiet_s < _PREPARED_S and not marks.continued:
            return "running"  # a shell may query the terminal before its prompt
        if marks.start is not None and foreground.shell == "fish" and not foreground.canonical and foreground.waiting:
            return _READS.get(marks.reads or "", "running")  # fish also waits for its own threads
        return _reported_by_kernel(foreground, is_shell=False)

    def _judge_prompt(self, foreground: Foreground, quiet_s: float, now: float) -> State:
        marks, line = self.marks, self.line
        waits_quietly = foreground.waiting is not False and quiet_s > _DRAWN_S
        if line.entered_at > 0 and not (line.is_interrupt and now > line.entered_at + MOMENT_S):
            is_answered = self.last_output > line.entered_at or now > line.entered_at + PROMPT_S
            if not (is_answered and waits_quietly):
                return "running"
            # No mark followed: a continuation prompt, or a question from the shell. POSIX shells mark the former. fish
            # has neither, but does not report empty lines.
            return "prompt" if line.is_interrupt or marks.editor or foreground.shell == "fish" else "awaiting_input"
        if marks.has_typed_ahead or (marks.editor and foreground.waiting is False):
            return "running"
        if marks.editor not in {"", "none"} and foreground.canonical and not waits_quietly:
            return "running"  # its editor has not set the terminal's mode yet
        if marks.editor == "wraps" and not self._is_settled(now):
            return "running"
        return "prompt"

    def _is_settled(self, now: float) -> bool:
        """Return whether a shell's editor has read the reply to the query that busybox sends after its prompt."""
        if self.is_marked and self.marks.editor != "wraps":
            return True
        is_answered = self._last_reply >= self._prompt_at or now > self._prompt_at + MOMENT_S
        return is_answered and now > max(self.last_output, self._last_reply) + SETTLE_S

    def _may_be_reading(self, now: float) -> bool:
        """Return whether a shell without marks may still be reading the line that was entered last."""
        entered_at = self.line.entered_at
        is_answered = self.last_output > entered_at and now > self.last_output + _DRAWN_S
        return entered_at > 0 and not is_answered and now < entered_at + PROMPT_S

    def _waits_in_editor(self, foreground: Foreground | None) -> bool:
        """Return whether the pane's own shell waits for input in a line editor."""
        return (
            foreground is not None
            and foreground.pid == self._pid
            and bool(foreground.waiting)
            and not foreground.canonical
            and not foreground.echo
        )

    def _is_idle(self, look: Look, quiet_s: float) -> bool:
        """Return whether the shell has read all input typed ahead, and is executing none of it."""
        foreground = look.foreground
        if look.unread or foreground is None or foreground.pid != self._pid:
            return False
        return quiet_s > _PREPARED_S or (foreground.waiting is not False and not look.has_output)

    # Transitions

    @property
    def _front_shell(self) -> str | None:
        return None if self.foreground is None else self.foreground.shell

    def _has_started(self, look: Look) -> bool:
        """Return whether a look shows that the pending command has started."""
        if look.replaced_at is not None or (foreground := look.foreground) is None:
            return look.replaced_at is not None
        is_executing = foreground.waiting is False or look.now > self.last_output + SETTLE_S
        # While there are lines to read, a continuation prompt may follow.
        return foreground.pid != self._pid or (is_executing and not look.unread and not self.marks.entered)

    def _take_line(self, event: CommandStarted | CommandFinished) -> None:
        self.line.taken(event, self._front_shell)
        if not leaves_line(event, self._front_shell):
            self.line.is_unfinished = False
        self._echoes.unfinished_from = None

    def _record_echo(self, data: bytes, place: int) -> None:
        """Record input that a program will echo: not a line at a prompt, a secret, or keys on the alternate screen."""
        marks, foreground = self.marks, self.foreground
        hidden = foreground is not None and foreground.canonical and not foreground.echo
        if marks.at_prompt or marks.continued or self.state == "fullscreen" or hidden:
            self._echoes.unfinished_from = None
        else:
            self._echoes.typed(data, place)


def _reported_by_kernel(foreground: Foreground, *, is_shell: bool) -> State:
    """Return the state that the kernel alone indicates."""
    # Shells turn the echo off too while they edit a line, but only a program that reads a secret leaves the editing to
    # the terminal.
    secret = foreground.canonical and not foreground.echo
    if foreground.waiting is None:
        if secret:
            return "awaiting_secret"
        return "prompt" if is_shell and not foreground.canonical else "running"
    if not foreground.waiting:
        return "running"
    if secret:
        return "awaiting_secret"
    return "prompt" if is_shell else "awaiting_input"

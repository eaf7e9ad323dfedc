"""Whether a command can be typed at a pane's prompt now, and if not, why.

Judges from the pane's state, its shell's marks and what others have typed there. Types nothing itself.
"""

from __future__ import annotations

import asyncio
import re
import time
from typing import TYPE_CHECKING, NamedTuple

from phux_core.errors import BusyError, DisconnectedError, PaneClosedError
from phux_core.server.capture import cursor_moved
from phux_core.server.commands import CommandFinished, CommandStarted
from phux_core.server.far_shell import INTERRUPT
from phux_core.server.foreground import look
from phux_core.server.own_shell import has_read_all
from phux_core.server.prompt_place import PromptPlaces
from phux_core.server.typing_queue import SETTLE_S
from phux_core.server.unmarked_end import reads_in_command

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.server.alarm import Alarm
    from phux_core.server.foreground import Foreground
    from phux_core.server.pane import Pane
    from phux_core.server.run_record import Run

PROMPT_S = 2.0
"""How long a shell may take to its prompt after a command whose end it does not mark."""
# The same for one that marks it, and runs who knows what before it draws its prompt: rc files, git, starship.
_OWN_PROMPT_S = 10.0
# What a key brings about takes no longer: a shell draws its prompt anew after C-c, a program ends with C-d, and its
# shell takes the terminal back.
_MOMENT_S = 0.25
# How long a shell far away may take to its prompt before it is taken for one without.
_FAR_PROMPT_S = 0.5
# Programs that carry a shell of another machine, user or container to this terminal.
_CARRIERS = re.compile(
    "ssh|autossh|mosh-client|telnet|docker|podman|nerdctl|runc|crun|ctr|crictl|kubectl|oc|lxc|incus|machinectl|toolbox"
    "|distrobox|multipass|limactl|nsenter|su|sudo|doas|run0|chroot|unshare|bwrap|script|socat|wsl|adb|vagrant|virsh|tsh"
)
# Among shells only busybox asks at its prompt, and only where it edits the line itself. Who knows what is behind ssh.
_MAY_BE_BUSYBOX = frozenset({"sh", "ash", "hush", "busybox"})
# So often a shell that marks nothing may write, or ask, and be waited for. A job in its background may never be quiet.
_MOST_SETTLINGS = 3
# So often C-c is pressed again where the shell has not heard of it.
_MOST_INTERRUPTS = 2
_ENDS_LINE = (b"\r", b"\n", INTERRUPT)
# What a terminal takes itself while it edits lines: signals, the end of the file, stop and go, and the line's erasure.
_TAKEN_BY_TERMINAL = frozenset(b"\x03\x04\x11\x13\x15\x1a\x1c")
_NOT_UNDERSTOOD = 127
_ERASE_LINE = b"\x15"
_REDRAW = b"\x0c"


def remaining(deadline: float | None) -> float | None:
    """Tell how much time is left; None if there is no end to it."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())


class Problem(NamedTuple):
    """Why nothing can be typed now.

    Attributes:
        message: What the caller is told.
        patience_s: How long it may pass by itself.
        remedy: What the caller can do.
        again_s: When to look again, where nothing tells that it has passed.
    """

    message: str
    patience_s: float
    remedy: str | None = None
    again_s: float | None = None


class Prompt:
    """The prompt of one pane.

    Args:
        pane: The pane.
        changed: Rings when something happened in it.

    Attributes:
        places: Where shells that mark nothing have theirs.
    """

    def __init__(self, pane: Pane, changed: Alarm) -> None:
        self.places = PromptPlaces()
        self._pane = pane
        self._changed = changed
        self._touched = False
        self._ahead = False  # of a prompt that was not there yet
        self._typed_at = 0.0
        self._entered_at = 0.0
        self._entered_place = 0
        self._interrupted = False
        self._cleared = False  # by C-c, if the shell has heard that
        self._interrupts = 0  # of our own, until it does
        self._run_ended_at = 0.0
        self._run_ended_place = -1

    # What happens there

    def typed(self, data: bytes, *, behind_line: bool) -> None:
        """Take note that somebody typed.

        Args:
            data: What.
            behind_line: Whether a line was typed before that the shell has not taken yet.
        """
        self.places.typed(data)
        self._typed_at = time.monotonic()
        ends_line = data[-1:] in _ENDS_LINE
        # What runs may not have read it, and leave it to the next prompt.
        early = behind_line or b"\r" in data or self._pane.commands.start is not None
        self._ahead = early and not ends_line and data[-1] not in _TAKEN_BY_TERMINAL
        if ends_line:
            self._entered_at, self._entered_place = self._typed_at, self._pane.seq
            self._interrupted = data.endswith(INTERRUPT)
            # What was entered stands there until the shell says that it took the line; it may be one that goes on.
            self._cleared = self._interrupted and (self._touched or len(data) > 1)
            self._touched = not self._interrupted and (self._touched or len(data) > 1)
        elif data != _REDRAW:
            self._touched = not data.endswith(_ERASE_LINE)

    def line_taken(self, news: CommandStarted | CommandFinished) -> None:
        """Take note that the shell took the line, whatever stood there, or has ended its command."""
        if isinstance(news, CommandStarted) or news.start is None:
            self.places.line_taken()
        if not self.is_to_be_mended(news):
            self._touched = self._ahead
        self._entered_at = 0.0
        self._interrupts = 0

    def is_to_be_mended(self, news: CommandStarted | CommandFinished) -> bool:
        """Tell whether the shell has not understood the line, and leaves it there: fish."""
        foreground = self._pane.watch.foreground
        if isinstance(news, CommandStarted) or news.start is not None or foreground is None:
            return False
        return news.exit_code == _NOT_UNDERSTOOD and foreground.shell == "fish"

    def run_ended(self, place: int) -> None:
        """Take note that a run has ended whose marks were our own; the prompt comes behind this place."""
        self._run_ended_at = time.monotonic()
        self._run_ended_place = place

    # What can be done

    @property
    def entered_at(self) -> float:
        """When a line was entered that the shell has not taken, by the loop's clock; 0 if none was, or long ago."""
        return self._entered_at if self._has_just_been_ended and not self._interrupted else 0.0

    @property
    def _has_just_been_ended(self) -> bool:
        return time.monotonic() < self._entered_at + self._patience_s

    @property
    def _patience_s(self) -> float:
        return _MOMENT_S if self._interrupted else PROMPT_S

    @property
    def is_marked(self) -> bool:
        """Whether the pane's own shell has the terminal, and says itself that it reads a line."""
        foreground = self._pane.watch.foreground
        own = foreground is not None and foreground.pgid == self._pane.record.pid
        return own and bool(self._pane.commands.at_prompt)

    def is_left(self, run: Run | None, foreground: Foreground) -> bool:
        """Tell whether a shell that marks nothing waits for the terminal in a command.

        Args:
            run: What was typed and has not told its end.
            foreground: What has the terminal.
        """
        marked = foreground.pgid == self._pane.record.pid and self._pane.commands.at_prompt is not None
        if foreground.shell is None or marked:
            return False
        return reads_in_command(run, foreground) or self.places.is_left(foreground)

    @property
    def is_interrupt_unheard(self) -> bool:
        """Whether C-c was pressed at the prompt, and the shell has not said a word since though it had reason to.

        If that came when its editor was about to wait, what was typed before may still stand there; and bash hears of
        it when the next line is entered, at the cost of the first character of that. fish says nothing of empty lines.
        """
        foreground = self._pane.watch.foreground
        answers = self._cleared or (foreground is not None and foreground.shell == "bash")
        return answers and self.is_marked and self._interrupted and self._entered_at > 0

    async def _interrupt_again(self) -> None:
        self._interrupts += 1
        _size, written = self._pane.type([{"key": "C-c"}], note=self._pane.journal.note)
        await written
        await self._changed.wait(_MOMENT_S)

    @property
    def is_to_be_drawn(self) -> bool:
        """Whether a shell that cannot be seen, behind ssh, has just ended a run and not drawn its prompt yet."""
        foreground = self._pane.watch.foreground
        return (
            self._pane.seq <= self._run_ended_place
            and time.monotonic() < self._run_ended_at + _FAR_PROMPT_S
            and foreground is not None
            and foreground.shell is None
        )

    @property
    def settles_in_s(self) -> float:
        """How long what has the terminal may take to ask it something and read the answer; negative when that is over.

        What is typed in between it would take for a part of the answer.
        """
        foreground = self._pane.watch.foreground
        if self.is_marked or foreground is None:
            return 0.0
        return self._pane.settles_in_s(may_ask=_may_be_busybox(foreground) or foreground.shell is None)

    @property
    def keys_wait_s(self) -> float:
        """How long keys that somebody types had better wait, for the same reason; seldom at all."""
        foreground = self._pane.watch.foreground
        if foreground is None:
            return 0.0
        busybox = _may_be_busybox(foreground)
        if not busybox and not _CARRIERS.fullmatch(foreground.name):
            return 0.0
        return self._pane.settles_in_s(may_ask=busybox)

    async def wait(
        self,
        problem_now: Callable[[], Problem | None],
        deadline: float | None,
        is_wanted: Callable[[], bool],
        *,
        patient: bool,
    ) -> Foreground | None:
        """Wait until something can be typed.

        Args:
            problem_now: Says why nothing can be, if so.
            deadline: When the caller's time is over.
            is_wanted: Whether the caller is still there.
            patient: Whether to wait also for what does not pass by itself.

        Returns:
            What has the terminal; None when the time was over.

        Raises:
            BusyError: Something else has the terminal.
            DisconnectedError: The caller is gone.
            PaneClosedError: The program has ended.
        """
        began = time.monotonic()
        settlings = _MOST_SETTLINGS
        while True:
            self._pane.read_now()
            self._pane.watch.look_now()
            if not is_wanted():
                raise DisconnectedError("the caller is gone")
            problem = problem_now()
            if problem is None:
                if self.is_to_be_drawn and (deadline is None or time.monotonic() < deadline):
                    await asyncio.sleep(SETTLE_S)
                    continue
                if self.is_interrupt_unheard and self._interrupts < _MOST_INTERRUPTS:
                    await self._interrupt_again()
                    continue
                unsettled_s = self.settles_in_s
                if unsettled_s <= 0 or not settlings:
                    return self._pane.watch.foreground
                settlings -= 1
                await asyncio.sleep(unsettled_s)
                continue
            now = time.monotonic()
            if deadline is not None and now >= deadline:
                return None
            if not patient and now >= began + problem.patience_s:
                raise BusyError(problem.message, remedy=problem.remedy)
            # What passes by itself is looked at again when it should have; everything else when something happens.
            waits = [began + problem.patience_s - now, problem.again_s or 0.0, remaining(deadline) or 0.0]
            await self._changed.wait(min((wait_s for wait_s in waits if wait_s > 0), default=None))

    def problem(self) -> Problem | None:
        """Say why nothing can be typed now, if so.

        Raises:
            PaneClosedError: The program has ended.
        """
        pane = self._pane
        where = f"@{pane.id}"
        if not pane.takes_input:
            raise PaneClosedError(f"the program in {where} has ended")
        state, foreground, commands = pane.watch.state, pane.watch.foreground, pane.commands
        moment_s = _MOMENT_S if time.monotonic() < self._typed_at + _MOMENT_S else 0.0
        if commands.nonce and not commands.at_prompt and commands.start is None:
            name = foreground.name if foreground else "a program"
            if commands.at_prompt is False:
                return Problem(f"the shell in {where} has not come back to its prompt, {name} runs", _OWN_PROMPT_S)
            if time.time() < pane.record.started_at + _OWN_PROMPT_S:
                return Problem(f"the shell in {where} is still starting, {name} runs", _OWN_PROMPT_S)
        if state == "fullscreen":
            name = foreground.name if foreground else "a program"
            reset = f"leave it, or if a program that was killed left it so: phux send-keys {where} reset Enter"
            shell = foreground is not None and foreground.shell is not None
            return Problem(f"{name} has the whole screen of {where}", moment_s, reset if shell else None)
        if foreground is None:
            return Problem(f"no program has the terminal of {where}", PROMPT_S)
        if state == "prompt":
            return self._problem_with_line(where) if self.is_marked else None
        if _CARRIERS.fullmatch(foreground.name) and not foreground.canonical:
            return None if state == "awaiting_input" else Problem(f"{foreground.name} in {where} is busy", PROMPT_S)
        own = foreground.pgid == pane.record.pid
        reads = f"type what it reads (phux send-keys {where}), or end it (C-c) and run the command then"
        if foreground.shell is not None and not (own and commands.start is not None):
            if state == "awaiting_secret":
                sane = f"give it, or if a program has left the echo off: phux send-keys {where} 'stty sane' Enter"
                return Problem(f"{foreground.name} waits for a secret in {where}", PROMPT_S, sane)
            if state == "awaiting_input":
                return Problem(f"a command waits for input in {foreground.name} in {where}", 0, reads)
            return Problem(f"{foreground.name} in {where} is busy", PROMPT_S)
        doing = "waits for a secret in" if state == "awaiting_secret" else "has the foreground of"
        command = f" ({commands.command.splitlines()[0]:.60})" if own and commands.command else ""
        # What marks the end of a run where the shell does not may be a program itself: mksh has no printf of its own.
        ends = self._typed_at < self._run_ended_at and time.monotonic() < self._run_ended_at + PROMPT_S
        patience_s: float = PROMPT_S if ends else 0
        waits = state in {"awaiting_input", "awaiting_secret"}
        patience_s = max(patience_s, _MOMENT_S if own and not waits else moment_s)
        return Problem(f"{foreground.name}{command} {doing} {where}", patience_s, reads if waits else None)

    def _problem_with_line(self, where: str) -> Problem | None:
        if self._has_just_been_ended:
            key = "C-c" if self._interrupted else "Enter"
            left_s = remaining(self._entered_at + self._patience_s)
            return Problem(
                f"somebody has just pressed {key} at the prompt of {where}", self._patience_s, again_s=left_s
            )
        given_up = self._cleared and self.is_interrupt_unheard and self._interrupts >= _MOST_INTERRUPTS
        if (self._touched and self._ahead) or given_up:
            if not self._is_all_read:
                return Problem(f"the shell in {where} is about to read what was typed", _MOMENT_S, again_s=SETTLE_S)
            self._ahead = self._touched = self._stands_behind_prompt
        if self._touched and not (self._entered_at and self._line_is_gone):
            how = "the line goes on" if self._entered_at and not self._interrupted else "not pressed Enter"
            return Problem(
                f"somebody has typed at the prompt of {where}, and {how}",
                0,
                f"press Enter there, or clear the line: phux send-keys {where} C-c",
            )
        return None

    @property
    def _is_all_read(self) -> bool:
        """Whether the shell has read all that was typed, and shown it."""
        if time.monotonic() < self._typed_at + SETTLE_S:
            return False  # the terminal may not have given it yet
        foreground = look(self._pane.fd)
        return foreground is not None and has_read_all(foreground, self._pane.quiet_s)

    @property
    def _stands_behind_prompt(self) -> bool:
        """Whether anything does, as far as can be told."""
        pane = self._pane
        pane.read_now()
        commands, record = pane.commands, pane.record
        places = (commands.prompt_start, commands.input_start, pane.seq)
        return cursor_moved(pane.journal, places, record.cols, record.rows) is not False

    @property
    def _line_is_gone(self) -> bool:
        """Whether a line that was entered does not stand there any more, though no mark has told that it was taken."""
        commands, foreground = self._pane.commands, self._pane.watch.foreground
        # bash draws its prompt anew, and nothing else, where there is no such line in the history (echo !nosuch). fish
        # does so at any time.
        anew = commands.drawn > self._entered_place and foreground is not None and foreground.shell != "fish"
        return commands.silent or anew


def _may_be_busybox(foreground: Foreground) -> bool:
    # One that starts has not set the terminal yet.
    return foreground.name in _MAY_BE_BUSYBOX and not (foreground.canonical and foreground.waiting)

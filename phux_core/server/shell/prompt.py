"""Whether a command can be typed at a pane's prompt now, and if not, why.

Judges from the pane's state and its shell's marks; what may stand there is told by its line.
"""

from __future__ import annotations

import asyncio
import re
import time
from typing import TYPE_CHECKING

from phux_core.errors import BusyError, DisconnectedError, PaneClosedError
from phux_core.server.pty.write_queue import SETTLE_S
from phux_core.server.shell.edit_line import MOMENT_S, PROMPT_S, Problem, PromptLine, typed_problem
from phux_core.server.shell.marks import CommandStarted, LineTold, PromptReady
from phux_core.server.shell.missing_marks import EDITOR_S
from phux_core.server.shell.prompt_place import PromptPlaces
from phux_core.server.shell.remote_shell import INTERRUPT
from phux_core.server.shell.unmarked_end import reads_in_command

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.server.kernel.foreground import Foreground
    from phux_core.server.pane import Pane
    from phux_core.server.run.record import Run
    from phux_core.server.shell.marks import News
    from phux_core.server.shell.state import State
    from phux_core.server.sync.waker import Alarm

# How long a shell that marks its commands may take to its prompt, which runs who knows what before: rc files, git,
# starship.
_OWN_PROMPT_S = 10.0
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
_REDRAW = b"\x0c"
# What ends a line, or erases it.
_ENDS_LINE = (b"\r", b"\n", INTERRUPT, b"\x15")


def remaining(deadline: float | None) -> float | None:
    """Tell how much time is left; None if there is no end to it."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())


class Prompt:
    """The prompt of one pane.

    Args:
        pane: The pane.
        changed: Rings when something happened in it.

    Attributes:
        line: What stands there, if its shell is ours.
        places: Where shells that mark nothing have theirs.
        run_ended_place: Where the last mark of a run ends that was our own; -1 before.
        is_awaited: Whether a run waits for it.
    """

    def __init__(self, pane: Pane, changed: Alarm) -> None:
        self.line = PromptLine(pane, changed)
        self.places = PromptPlaces()
        self._pane = pane
        self._changed = changed
        self._half_line: int | None = None  # where it was begun at the prompt of a shell that marks nothing
        self._prompt_left = False
        self._run_ended_at = 0.0
        self.run_ended_place = -1
        self.is_awaited = False

    # What happens there

    def typed(self, data: bytes, *, behind_line: bool) -> None:
        """Take note that somebody typed.

        Args:
            data: What.
            behind_line: Whether a line was typed before that the shell has not taken yet.
        """
        self.places.typed(data)
        self.line.typed(data, early=behind_line or self._pane.commands.start is not None)
        foreground = self._pane.watch.foreground
        edited = foreground is not None and not foreground.canonical
        stands = data[-1:] not in _ENDS_LINE and not (edited and data == _REDRAW)
        if not stands or self._pane.watch.state != "prompt":
            self._half_line = None
        elif self._half_line is None:
            self._half_line, self._prompt_left = self._pane.seq, False

    def restore(self) -> None:
        """Go on where an earlier service was; whatever it knew of what stands there is not known any more."""
        self.places.forget()
        self.line.forget()

    @property
    def _has_half_line(self) -> bool:
        """Whether a line stands there that nobody entered; a shell that takes keys may seem to run for a moment."""
        if self._half_line is None:
            return False
        journal = self._pane.journal
        return not (self._prompt_left and b"\n" in journal.since(max(self._half_line, journal.oldest)))

    def take_state(self, state: State) -> None:
        """Take note of the pane's state."""
        self._prompt_left |= state != "prompt"

    def take_news(self, news: News) -> None:
        """Take note of what the shell says: it took the line, has ended its command, or was asked."""
        if isinstance(news, LineTold):
            self.line.told(news)
        elif not isinstance(news, PromptReady):
            if isinstance(news, CommandStarted) or news.start is None:
                self.places.line_taken()
            self.line.taken(news)

    def run_ended(self, place: int) -> None:
        """Take note that a run has ended whose marks were our own; the prompt comes behind this place."""
        self._run_ended_at = time.monotonic()
        self.run_ended_place = place

    # What can be done

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
    def is_sure(self) -> bool:
        """Whether the line is empty for all that is known, and the shell need not be asked."""
        return not self._tells_line or not (self.line.is_interrupt_unheard or self.line.is_in_doubt)

    @property
    def _tells_line(self) -> bool:
        """Whether the pane's own shell is at its prompt, and can be asked for the line that it edits."""
        return self.is_marked and self._pane.commands.prompts is None

    @property
    def is_to_be_drawn(self) -> bool:
        """Whether a shell that cannot be seen, behind ssh, has just ended a run and not drawn its prompt yet."""
        foreground = self._pane.watch.foreground
        return (
            self._pane.seq <= self.run_ended_place
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
        if self._tells_line or foreground is None:
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
        self.is_awaited = True
        try:
            return await self._wait(problem_now, deadline, is_wanted, patient=patient)
        finally:
            self.is_awaited = False

    async def refuse_while(self, is_taken: Callable[[], bool], problem_now: Callable[[], Problem | None]) -> None:
        """Refuse a caller as long as another one is ahead of it, unless what is in the way may pass by itself.

        Raises:
            BusyError: It did not pass.
        """
        began = time.monotonic()
        while is_taken() and (problem := problem_now()) is not None:
            left_s = began + problem.patience_s - time.monotonic()
            if left_s <= 0:
                raise BusyError(problem.message, remedy=problem.remedy)
            await self._changed.wait(left_s)

    async def _wait(
        self,
        problem_now: Callable[[], Problem | None],
        deadline: float | None,
        is_wanted: Callable[[], bool],
        *,
        patient: bool,
    ) -> Foreground | None:
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
                if not self.is_sure:
                    if self.line.is_interrupt_unheard:
                        await self.line.interrupt_again()
                        continue
                    problem = await self.line.clear_up(f"@{self._pane.id}")
                    if problem is None:
                        continue
            if problem is None:
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
        moment_s = MOMENT_S if time.monotonic() < self.line.typed_at + MOMENT_S else 0.0
        if commands.continued and commands.start is None:
            return typed_problem(where, "the line goes on")
        if commands.nonce and not commands.at_prompt and commands.start is None:
            name = foreground.name if foreground else "a program"
            if commands.at_prompt is False:
                return Problem(f"the shell in {where} has not come back to its prompt, {name} runs", _OWN_PROMPT_S)
            if time.time() < pane.record.started_at + _OWN_PROMPT_S:
                return Problem(f"the shell in {where} is still starting, {name} runs", _OWN_PROMPT_S)
        if commands.sets_up_editor and state == "running":
            return Problem(f"the shell in {where} is about to read a line", PROMPT_S, again_s=EDITOR_S)
        if state == "fullscreen":
            name = foreground.name if foreground else "a program"
            reset = f"leave it, or if a program that was killed left it so: phux send-keys {where} reset Enter"
            shell = foreground is not None and foreground.shell is not None
            return Problem(f"{name} has the whole screen of {where}", moment_s, reset if shell else None)
        if foreground is None:
            return Problem(f"no program has the terminal of {where}", PROMPT_S)
        if state == "prompt":
            half = self._has_half_line and not self._tells_line
            return typed_problem(where, "not pressed Enter") if half else self.line.problem(where)
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
        ends = self.line.typed_at < self._run_ended_at and time.monotonic() < self._run_ended_at + PROMPT_S
        patience_s: float = PROMPT_S if ends else 0
        waits = state in {"awaiting_input", "awaiting_secret"}
        patience_s = max(patience_s, MOMENT_S if own and not waits else moment_s)
        return Problem(f"{foreground.name}{command} {doing} {where}", patience_s, reads if waits else None)


def _may_be_busybox(foreground: Foreground) -> bool:
    # One that starts has not set the terminal yet.
    return foreground.name in _MAY_BE_BUSYBOX and not (foreground.canonical and foreground.waiting)

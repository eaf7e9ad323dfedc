"""Wait until a command can be typed at a pane's prompt, and query the shell if its line is in doubt."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from phux_core.errors import BusyError, DisconnectedError, PaneClosedError
from phux_core.server.shell.edit_line import (
    ANSWER_S,
    FISH_QUESTION,
    PROMPT_S,
    QUESTION,
    Problem,
    Ready,
    problem_in_answer,
)
from phux_core.server.shell.tracker import SETTLE_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.server.run.follower import RunFollower
    from phux_core.server.shell.pane_shell import PaneShell

# The key may be lost with input typed before it: a prefix, an interrupt.
_TRIES = 2
_LONGEST_TAIL = 4096
_POLL_S = 0.002


def remaining(deadline: float | None) -> float | None:
    """Return the remaining time; None if there is no deadline."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())


class Prompt:
    """The prompt of one pane.

    Attributes:
        is_awaited: Whether a run waits for it.
    """

    def __init__(self, shell: PaneShell, runs: RunFollower) -> None:
        self.is_awaited = False
        self._shell, self._runs, self._remote = shell, runs, runs.remote
        # The last reply that prevented typing, with its time and place.
        self._refused: tuple[Problem, float, int] | None = None

    def check(self) -> Ready | Problem:
        """Return whether a command can be typed now, or why not."""
        shell, tracker, remote, run = self._shell, self._shell.tracker, self._remote, self._runs.current
        if not shell.keyboard.is_open:
            raise PaneClosedError(f"the program in {shell.name} has ended")
        result = tracker.may_type(time.monotonic(), self._tail)
        # C-c makes the kernel discard unread input.
        if run is not None and run.start is None and not run.interrupted:
            return Problem(f"a command was typed in {shell.name} and has not started", PROMPT_S)
        if isinstance(result, Ready) and result.shell is None and result.foreground.shell is None:
            if remote.draws_prompt:
                unfinished = f"the shell behind {shell.name} has not drawn its prompt yet"
                return Problem(unfinished, PROMPT_S, again_s=SETTLE_S)
            if remote.kind is None:
                return remote.unknown
        return result

    @property
    def _tail(self) -> bytes:
        """The shell's output after its prompt."""
        journal = self._shell.journal
        return journal.since(max(self._shell.tracker.marks.drawn, journal.oldest), _LONGEST_TAIL)

    def look(self) -> Ready | Problem:
        """Return whether a command can be typed now, or why not, after reading output and looking at the shell.

        At its prompt, a shell does nothing by itself, so that is only necessary after output or input.
        """
        if self._shell.watch.is_outdated or not self._shell.tracker.knows_foreground:
            self._shell.read_now()
            self._shell.watch.look_now()
        return self.check()

    async def wait(self, deadline: float | None, is_wanted: Callable[[], bool], *, patient: bool) -> Ready | None:
        """Wait until a command can be typed.

        Args:
            deadline: When the caller's timeout expires, as time.monotonic().
            is_wanted: Whether the caller is still connected.
            patient: Whether to wait also for problems that do not pass by themselves.

        Returns:
            None if the timeout expired.
        """
        self.is_awaited = True
        began = time.monotonic()
        try:
            while True:
                problem = self.look()
                if not is_wanted():
                    raise DisconnectedError("the caller has disconnected")
                if isinstance(problem, Ready):
                    return problem
                if problem.asks:
                    answer = await self._ask(problem)
                    if answer is None:
                        continue
                    problem = answer
                now = time.monotonic()
                if deadline is not None and now >= deadline:
                    return None
                if now >= began + problem.patience_s and not patient:
                    raise BusyError(problem.message, remedy=problem.remedy)
                waits = [began + problem.patience_s - now, problem.again_s or 0.0, remaining(deadline) or 0.0]
                await self._shell.changed.wait(min((wait_s for wait_s in waits if wait_s > 0), default=None))
        finally:
            self.is_awaited = False

    async def refuse_while(self, is_taken: Callable[[], bool]) -> None:
        """Refuse a caller while another one waits for the prompt, unless the problem passes by itself."""
        began = time.monotonic()
        while is_taken() and isinstance(problem := self.check(), Problem):
            left_s = began + problem.patience_s - time.monotonic()
            if left_s <= 0:
                raise BusyError(problem.message, remedy=problem.remedy)
            await self._shell.changed.wait(left_s)

    async def _ask(self, problem: Problem) -> Problem | None:
        """Query the shell about a problem; return the remaining one, or None."""
        if problem is not self._remote.unknown:
            return await self._ask_for_line(problem)
        await self._remote.ask()
        return None if self._remote.kind is not None else problem

    async def _ask_for_line(self, unanswered: Problem) -> Problem | None:
        """Query the length of the shell's line, unless nothing happened since the last reply.

        Return why nothing can be typed, ``unanswered`` if the shell does not reply; None if the line is empty.
        """
        tracker, line = self._shell.tracker, self._shell.tracker.line
        place = self._shell.journal.position
        if self._refused is not None and self._refused[1:] == (line.typed_at, place):
            return self._refused[0]
        asked_at = time.monotonic()
        tracker.asked()
        in_fish = tracker.foreground is not None and tracker.foreground.shell == "fish"
        for again in range(1, _TRIES + 1):
            await self._shell.keyboard.type_ours([{"text": FISH_QUESTION if in_fish else QUESTION}])
            until = asked_at + again * ANSWER_S
            while not self._is_answered and (left_s := until - time.monotonic()) > 0:
                await self._shell.changed.wait(left_s)
            if self._is_answered or line.typed_at > asked_at:
                break
        await self._fish_reads_again(until)
        answer = tracker.answer
        continued = answer is not None and (answer.mode == "more" or not self._is_answered)
        if line.typed_at > asked_at:
            return Problem(f"keys are being typed at the prompt of {self._shell.name}", PROMPT_S, again_s=SETTLE_S)
        problem = unanswered if answer is None else problem_in_answer(answer, self._shell.name, continued=continued)
        if problem is None:
            line.found_empty(self._tail)
            return None
        self._refused = problem, line.typed_at, self._shell.journal.position
        return problem

    async def _fish_reads_again(self, until: float) -> None:
        """Wait until fish reads keys again: it loses a C-c that is typed before."""
        shell = self._shell
        while time.monotonic() < until:
            foreground = shell.foreground()
            if foreground is None or foreground.shell != "fish" or foreground.waiting is not False:
                return
            await shell.changed.wait(_POLL_S)

    @property
    def _is_answered(self) -> bool:
        """Whether the shell has replied; bash then draws its prompt again, unless earlier lines belong to the line."""
        tracker = self._shell.tracker
        answer, marks, foreground = tracker.answer, tracker.marks, tracker.foreground
        draws_again = foreground is not None and foreground.shell == "bash" and marks.drawn > marks.prompt_start
        return answer is not None and (not draws_again or marks.drawn > answer.place)

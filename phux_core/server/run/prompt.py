"""Wait until a command can be typed at a pane's prompt, and query the shell if its line is in doubt."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from phux_core.errors import BusyError, DisconnectedError, PaneClosedError
from phux_core.server.shell.edit_line import ANSWER_S, PROMPT_S, QUESTION, Problem, Ready, problem_in_answer
from phux_core.server.shell.tracker import SETTLE_S

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from phux_core.server.shell.events import LineLength
    from phux_core.server.shell.pane_shell import PaneShell

# The key may be lost with input typed before it: a prefix, an interrupt.
_TRIES = 2
_LONGEST_TAIL = 4096
_MOST_REPEATS = 3


def remaining(deadline: float | None) -> float | None:
    """Return the remaining time; None if there is no deadline."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())


class Prompt:
    """The prompt of one pane.

    Attributes:
        is_awaited: Whether a run waits for it.
    """

    def __init__(self, shell: PaneShell) -> None:
        self.is_awaited = False
        self._shell = shell
        # The last reply that prevented typing, with its time and place.
        self._refused: tuple[Problem, float, int] | None = None

    def check(self) -> Ready | Problem:
        """Return whether a command can be typed now, or why not."""
        if not self._shell.keyboard.is_open:
            raise PaneClosedError(f"the program in {self._shell.name} has ended")
        return self._shell.tracker.may_type(time.monotonic(), self._tail)

    @property
    def _tail(self) -> bytes:
        """The shell's output after its prompt."""
        return self._shell.journal.since(
            max(self._shell.tracker.marks.drawn, self._shell.journal.oldest), _LONGEST_TAIL
        )

    async def wait(
        self,
        check: Callable[[], Ready | Problem],
        ask: Callable[[Problem], Awaitable[Problem | None]],
        deadline: float | None,
        is_wanted: Callable[[], bool],
        *,
        patient: bool,
    ) -> Ready | None:
        """Wait until a command can be typed.

        Args:
            check: Returns whether it can be, or why not.
            ask: Queries the shell about a problem; returns the remaining one, or None.
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
                self._shell.read_now()
                self._shell.watch.look_now()
                if not is_wanted():
                    raise DisconnectedError("the caller has disconnected")
                problem = check()
                if isinstance(problem, Ready):
                    return problem
                if problem.asks:
                    answer = await ask(problem)
                    if answer is None:
                        continue
                    problem = answer
                now = time.monotonic()
                if deadline is not None and now >= deadline:
                    return None
                if now >= began + problem.patience_s:
                    if await self._interrupts_again():
                        began = now
                        continue
                    if not patient:
                        raise BusyError(problem.message, remedy=problem.remedy)
                waits = [began + problem.patience_s - now, problem.again_s or 0.0, remaining(deadline) or 0.0]
                await self._shell.changed.wait(min((wait_s for wait_s in waits if wait_s > 0), default=None))
        finally:
            self.is_awaited = False

    async def refuse_while(self, is_taken: Callable[[], bool], check: Callable[[], Ready | Problem]) -> None:
        """Refuse a caller while another one waits for the prompt, unless the problem passes by itself."""
        began = time.monotonic()
        while is_taken() and isinstance(problem := check(), Problem):
            left_s = began + problem.patience_s - time.monotonic()
            if left_s <= 0:
                raise BusyError(problem.message, remedy=problem.remedy)
            await self._shell.changed.wait(left_s)

    async def ask(self, unanswered: Problem) -> Problem | None:
        """Query the length of the shell's line, unless nothing happened since the last reply.

        Return why nothing can be typed, ``unanswered`` if the shell does not reply; None if the line is empty.
        """
        tracker, line = self._shell.tracker, self._shell.tracker.line
        place = self._shell.journal.position
        if self._refused is not None and self._refused[1:] == (line.typed_at, place):
            return self._refused[0]
        asked_at = time.monotonic()
        tracker.asked()
        for again in range(1, _TRIES + 1):
            await self._shell.keyboard.type_ours([{"text": QUESTION}])
            until = asked_at + again * ANSWER_S
            while tracker.answer is None and (left_s := until - time.monotonic()) > 0:
                await self._shell.changed.wait(left_s)
            if tracker.answer is not None or line.typed_at > asked_at:
                break
        answer = tracker.answer
        continued = answer is not None and (answer.mode == "more" or not await self._is_redrawn(answer))
        if line.typed_at > asked_at:
            return Problem(f"keys are being typed at the prompt of {self._shell.name}", PROMPT_S, again_s=SETTLE_S)
        problem = unanswered if answer is None else problem_in_answer(answer, self._shell.name, continued=continued)
        if problem is None:
            line.found_empty(self._tail)
            return None
        self._refused = problem, line.typed_at, self._shell.journal.position
        return problem

    async def _interrupts_again(self) -> bool:
        """Press a C-c again that fish has lost: every second one within 30 ms of another key, or after a query."""
        tracker = self._shell.tracker
        line = tracker.line
        is_lost = tracker.is_marked and line.is_interrupt and self._shell.record.shell == "fish"
        if not is_lost or line.repeats == _MOST_REPEATS:
            return False
        self._refused = None
        line.interrupted_again(time.monotonic())
        await self._shell.keyboard.type_ours([{"key": "C-c"}])
        return True

    async def _is_redrawn(self, answer: LineLength) -> bool:
        """Return whether the prompt is drawn again after a reply; bash does not report continuation otherwise."""
        marks = self._shell.tracker.marks
        if self._shell.tracker.foreground is None or self._shell.tracker.foreground.shell != "bash":
            return True
        deadline = time.monotonic() + ANSWER_S
        while marks.prompt_start < marks.drawn < answer.place:
            quiet_s = time.monotonic() - self._shell.tracker.last_output
            if time.monotonic() > deadline or (self._shell.journal.position > answer.place and quiet_s > SETTLE_S):
                return False
            await self._shell.changed.wait(SETTLE_S)
            self._shell.read_now()
        return True

"""What may stand on the line at the prompt of a pane's own shell; where that is in doubt, the shell is asked.

Nobody outside can tell: keys move, erase, complete, search and call programs, and some were typed before the prompt was
there. But it is known when there is no doubt, which is nearly always. Else a key that our integration has bound makes
the shell say how long its line is (phux_core/shells). It comes behind all that was typed before, as does the answer.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, NamedTuple

from phux_core.server.pty.write_queue import SETTLE_S
from phux_core.server.shell.marks import CommandFinished
from phux_core.server.shell.remote_shell import INTERRUPT

if TYPE_CHECKING:
    from phux_core.server.pane import Pane
    from phux_core.server.shell.marks import CommandStarted, LineTold
    from phux_core.server.sync.waker import Alarm

PROMPT_S = 2.0
"""How long a shell may take to its prompt after a command whose end it does not mark."""
MOMENT_S = 0.25
"""How long what a key brings about may take."""

_QUESTION = "\x1b[7748~"
# A shell that edits its line answers within a millisecond; it may be at work in a widget.
_ANSWER_S = 0.5
_TRIES = 2
_AGAIN_S = 1.0
# So often C-c is pressed again where the shell has not heard of it.
_MOST_INTERRUPTS = 2
_NOT_UNDERSTOOD = 127
_REDRAW = b"\x0c"
# One line that is entered, as keys or as a paste.
_LINE = re.compile(rb"(?:\x1b\[200~[^\x00-\x1f\x7f]*\x1b\[201~|[^\x00-\x1f\x7f]*)[\r\n]")
# What a shell writes behind a prompt when nothing stands there.
_UNSEEN = re.compile(rb"(?:\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|\([0B]|[=>78])|[\x00-\x1a])*")
_LONGEST_TAIL = 4096


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


class PromptLine:
    """The line of one pane.

    Args:
        pane: The pane.
        changed: Rings when something happened in it.

    Attributes:
        typed_at: When somebody typed something.
    """

    def __init__(self, pane: Pane, changed: Alarm) -> None:
        self.typed_at = 0.0
        self._pane = pane
        self._changed = changed
        self._doubtful = False
        self._entered_at = 0.0  # until the shell says something
        self._interrupted = False  # that was C-c
        self._cleared = False  # and it had something to clear
        self._interrupts = 0  # of our own, until it does
        self._harmless = b""  # behind the prompt when the line was empty: a prompt at the right
        self._answers: list[LineTold] = []
        self._refused: tuple[Problem, float, int] | None = None  # what was said, when and where

    # What happens

    def typed(self, data: bytes, *, early: bool) -> None:
        """Take note that somebody typed.

        Args:
            data: What.
            early: Whether a command runs, or a line was entered before that the shell has not taken yet.
        """
        self.typed_at = time.monotonic()
        before = self._doubtful or self._is_unanswered
        if data[-1:] in (b"\r", b"\n", INTERRUPT):
            self._entered_at = self.typed_at
            self._interrupted = data.endswith(INTERRUPT)
            self._cleared = self._interrupted and (before or len(data) > 1)
            is_one_line = not before and _LINE.fullmatch(data) is not None
            # fish may hear of C-c only when it reads the next key, and says nothing of it at an empty prompt.
            is_heard = data == INTERRUPT and self._shell != "fish"
            self._doubtful = early or not (is_one_line or is_heard)
        elif data.strip(_REDRAW):
            self._doubtful = True

    def taken(self, news: CommandStarted | CommandFinished) -> None:
        """Take note that the shell took the line, or has ended its command."""
        self._entered_at = 0.0
        # A second C-c may still be on its way. (bash would take the question for the end of it.)
        if self.is_left(news) or (self._interrupts and self._shell != "bash"):
            self._doubtful = True
        self._interrupts = 0

    def is_left(self, news: CommandStarted | CommandFinished) -> bool:
        """Tell whether the shell has not understood the line, and leaves it there to be mended: fish."""
        if not isinstance(news, CommandFinished) or news.start is not None or news.exit_code != _NOT_UNDERSTOOD:
            return False
        return self._shell == "fish"

    def told(self, answer: LineTold) -> None:
        """Take note of the shell's answer."""
        self._answers[:] = [answer]

    def forget(self) -> None:
        """Take note that nobody knows what was typed so far."""
        self._doubtful = True

    # What is known

    @property
    def entered_at(self) -> float:
        """When a line was entered that the shell has not taken, by the loop's clock; 0 if none was, or long ago."""
        return self._entered_at if self._has_just_been_ended and not self._interrupted else 0.0

    @property
    def _has_just_been_ended(self) -> bool:
        return time.monotonic() < self._entered_at + (MOMENT_S if self._interrupted else PROMPT_S)

    @property
    def is_in_doubt(self) -> bool:
        """Whether something may stand there, for all that is known."""
        given_up = self._is_interrupt_unheard and self._interrupts == _MOST_INTERRUPTS
        return self._doubtful or self._is_unanswered or given_up or self._is_tail_seen

    @property
    def _is_unanswered(self) -> bool:
        """Whether a line was entered, and the shell has not said a word since: it may go on."""
        return self._entered_at > 0 and not self._interrupted

    @property
    def _tail(self) -> bytes:
        """What the shell has written behind its prompt."""
        place = max(self._pane.commands.drawn, self._pane.journal.oldest)
        return self._pane.journal.since(place, _LONGEST_TAIL)

    @property
    def _is_tail_seen(self) -> bool:
        """Whether the shell has written something behind its prompt, as it does when it puts a line there itself."""
        tail = self._tail
        return _UNSEEN.fullmatch(tail) is None and tail != self._harmless

    @property
    def is_interrupt_unheard(self) -> bool:
        """Whether C-c was pressed at the prompt, and is to be pressed again, as the shell has not said a word since.

        If that came when its editor was about to wait, what was typed before may still stand there; and bash hears of
        it when the next line is entered, at the cost of the first character of that. fish says nothing of empty lines.
        """
        return self._is_interrupt_unheard and self._interrupts < _MOST_INTERRUPTS

    @property
    def may_lose_a_character(self) -> bool:
        """Whether bash may take the first character of the next line for the end of an interrupt."""
        return self._is_interrupt_unheard and self._shell == "bash"

    @property
    def _is_interrupt_unheard(self) -> bool:
        answers = self._cleared or self._shell != "fish"
        return answers and self._interrupted and self._entered_at > 0

    @property
    def _shell(self) -> str | None:
        foreground = self._pane.watch.foreground
        return None if foreground is None else foreground.shell

    def problem(self, where: str) -> Problem | None:
        """Say why nothing can be typed there yet, if so."""
        if not (self._interrupted and self._has_just_been_ended):
            return None
        left_s = max(0.0, self._entered_at + MOMENT_S - time.monotonic())
        return Problem(f"somebody has just pressed C-c at the prompt of {where}", MOMENT_S, again_s=left_s)

    # What can be done

    async def interrupt_again(self) -> None:
        """Press C-c, of which the shell has not heard."""
        self._interrupts += 1
        await self._type([{"key": "C-c"}])
        await self._changed.wait(MOMENT_S)

    async def clear_up(self, where: str) -> Problem | None:
        """Ask the shell what stands there, unless it has said so and nothing happened since.

        Returns:
            Why nothing can be typed there; None if the line is empty.
        """
        pane = self._pane
        if self._refused is not None and self._refused[1:] == (self.typed_at, pane.seq):
            return self._refused[0]
        foreground = pane.look()
        if time.monotonic() < self.typed_at + SETTLE_S or foreground is None or foreground.waiting is False:
            # The key is to be read by the shell, and not by what it may be about to start.
            return Problem(f"the shell in {where} is about to read what was typed", PROMPT_S, again_s=SETTLE_S)
        if self.may_lose_a_character and not self._cleared:
            self._interrupts += 1  # nothing stood there, and it would take the key for the end of the interrupt
            return None
        if not foreground.canonical:
            problem = await self._ask(where, foreground.shell == "bash")
        else:  # it has no editor that could be asked
            open_ = self._doubtful or self._entered_at > 0
            problem = typed_problem(where, "not pressed Enter") if open_ else None
        if problem is None:
            self._doubtful = self._interrupted = self._cleared = False
            self._entered_at = 0.0
            self._harmless = self._tail
        self._refused = None if problem is None or problem.patience_s else (problem, self.typed_at, pane.seq)
        return problem

    async def _ask(self, where: str, is_bash: bool) -> Problem | None:
        asked_at = time.monotonic()
        self._answers.clear()
        for again in range(1, _TRIES + 1):  # a key may be lost with what it comes behind: a prefix, an interrupt
            await self._type([{"text": _QUESTION}])
            until = asked_at + again * _ANSWER_S
            while not self._answers and (left_s := until - time.monotonic()) > 0:
                await self._changed.wait(left_s)
            if self._answers or self.typed_at > asked_at:
                break
        answer = self._answers[-1] if self._answers else None
        goes_on = answer is not None and answer.mode == "more"
        if answer is not None and is_bash:
            goes_on = not await self._is_drawn_behind(answer)  # it is another prompt that is drawn again
        if self.typed_at > asked_at:
            return Problem(f"somebody types at the prompt of {where}", PROMPT_S, again_s=SETTLE_S)
        if answer is None:
            remedy = f"press Enter there, or C-c (phux send-keys {where} C-c)"
            return Problem(f"the shell in {where} does not say what stands at its prompt", 0, remedy, _AGAIN_S)
        if answer.length or goes_on:
            return typed_problem(where, "the line goes on" if goes_on else "not pressed Enter")
        if answer.mode == "command":
            remedy = f"press i there, or C-c (phux send-keys {where} C-c)"
            return Problem(f"keys are commands at the prompt of {where}, as in vi", 0, remedy, _AGAIN_S)
        return None

    async def _is_drawn_behind(self, answer: LineTold) -> bool:
        """Tell whether the prompt is drawn again behind an answer, if it is one that is marked."""
        pane = self._pane
        deadline = time.monotonic() + _ANSWER_S
        while pane.commands.prompt_start < pane.commands.drawn < answer.place:
            if time.monotonic() > deadline or (pane.seq > answer.place and pane.quiet_s > SETTLE_S):
                return False
            await self._changed.wait(SETTLE_S)
            pane.read_now()
        return True

    async def _type(self, items: list[dict[str, str]]) -> None:
        _size, written = self._pane.type(items, note=self._pane.journal.note)
        await written


def typed_problem(where: str, how: str) -> Problem:
    """Say that somebody has typed."""
    return Problem(
        f"somebody has typed at the prompt of {where}, and {how}",
        0,
        f"press Enter there, or clear the line: phux send-keys {where} C-c",
        _AGAIN_S,
    )

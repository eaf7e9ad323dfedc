"""The commands of a shell that marks nothing: when they begin and end, and what of it all was only typed.

A command begins where the echo of its line ends, and has ended when the kernel says that the shell waits at its prompt
again. Where our integration marks the prompt, what is typed to programs is all there is to know.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from phux_core.engine.protocol import CwdChanged
from phux_core.server.kernel.line_discipline import is_edited
from phux_core.server.shell.echoes import Echoes, Reader
from phux_core.server.shell.edit_line import MOMENT_S
from phux_core.server.shell.marks import CommandFinished, LineTold, PromptReady

if TYPE_CHECKING:
    from phux_core.server.pane import Pane
    from phux_core.server.shell.marks import News
    from phux_core.server.shell.state import State

_ENTER = re.compile(rb"[\r\n]")
# Of whom nothing is known yet.
_WHOEVER = Reader(0, at_prompt=False, canonical=False, waiting=False)


class UnmarkedCommands:
    """What is known of one pane without marks.

    Args:
        pane: The pane.

    Attributes:
        echoes: Where what was typed stands in its stream.
    """

    def __init__(self, pane: Pane) -> None:
        self.echoes = Echoes(pane.journal)
        self._pane = pane
        self._directory: str | None = None
        self._stuck: list[int] = []  # what was not taken when the shell was last seen to wait

    # What happens

    def restore(self) -> None:
        """Go on where an earlier service was."""
        if self._pane.commands.at_prompt is None:
            entries = self._pane.ledger.entries
            self.echoes.restore((entry.place, entry.start) for entry in entries if entry.start is not None)

    def take_state(self, state: State) -> None:
        """Take note of the pane's state."""
        foreground = self._pane.watch.foreground
        if state == "awaiting_secret":
            self.echoes.forget()
        elif foreground is not None:
            self.echoes.leave(foreground.pid)
            if state == "awaiting_input" and not foreground.canonical:
                self.echoes.seen_reading(self._pane.seq)

    def take_news(self, news: News) -> None:
        """Take note of what a shell that has marks says."""
        if not isinstance(news, CommandFinished | LineTold):
            self.echoes.marked(at_prompt=isinstance(news, PromptReady))

    def typed(self, data: bytes, *, ours: bool = False) -> None:
        """Take note that something is typed, which may be shown; our own lines, too."""
        pane, foreground, state = self._pane, self._pane.watch.foreground, self._pane.watch.state
        if self._is_marked:
            if not ours:
                self._typed_at_marked_prompt(data)
            return
        if foreground is None or pane.engine.alt_screen or state == "awaiting_secret":
            return
        if foreground.echo or not foreground.canonical:
            own = foreground.pid == pane.record.pid
            # A shell may be seen in a moment at which it does not wait.
            edits = foreground.shell is not None and not foreground.canonical and state == "running"
            at_prompt = state == "prompt" or (edits and not (own and pane.commands.nonce))
            reader = Reader(foreground.pid, at_prompt, foreground.canonical, foreground.waiting is not False)
            # What edits its lines itself, and does not wait, will show them later, behind its prompt.
            ahead = not (reader.canonical or reader.waiting or at_prompt)
            head = b"" if reader.canonical or at_prompt else self._before_cursor()
            is_command = at_prompt and own and not ours
            self.echoes.typed(data, pane.seq, reader, head=head, is_command=is_command, ahead=ahead)

    def _before_cursor(self) -> bytes:
        """Read what stands before the cursor; an editor that has moved there may draw it again."""
        engine = self._pane.engine
        cursor = engine.cursor()
        return engine.lines(cursor.y, 1).text[0][: cursor.x].encode()

    def _typed_at_marked_prompt(self, data: bytes) -> None:
        """What the shell reads itself is told by its marks; what it has no time for, a program may show."""
        has_line = self._pane.runs.prompt.line.entered_at > 0
        _line, *behind = _ENTER.split(data, maxsplit=1)
        self.echoes.typed(data if has_line else b"".join(behind), self._pane.seq, _WHOEVER, ahead=True)

    def written(self) -> list[News]:
        """Take note that something was written, and tell what became of commands if the pane's shell marks nothing."""
        pane = self._pane
        taken = self.echoes.take(pane.seq, edited=self.echoes.has_late and is_edited(pane.fd))
        if not taken or pane.commands.at_prompt is not None:
            return []
        news: list[News] = []
        before = pane.ledger.open_since
        for started in taken:
            if before is not None:  # a line that was typed ahead is taken as soon as the one before is done
                news.append(CommandFinished(None, before, max(before, started.prompt_start)))
            news.append(started)
            before = started.start
        return news

    def is_being_drawn(self) -> bool:
        """Tell whether the row that is unfinished may be the prompt of a shell that marks nothing, and is not known."""
        pane = self._pane
        if pane.commands.at_prompt is not None or not pane.takes_input or self.echoes.is_known_prompt(pane.seq):
            return False
        pane.watch.look_now()  # a shell that is seen to wait is heard of in a moment
        foreground = pane.watch.foreground
        return pane.watch.state in {"running", "prompt"} and foreground is not None and foreground.shell is not None

    def seen(self) -> None:
        """Take note that a shell was just seen to wait there."""
        if not self._pane.commands.at_prompt:
            # What it wrote before it came to wait may not have been read yet.
            asyncio.get_running_loop().call_soon(self._see, self._pane.ledger.open_since, self.echoes.entered)

    def _see(self, start: int | None, entered: list[int]) -> None:
        """Find out what marks would tell.

        Args:
            start: Where the output of the command began that was then known to be under way.
            entered: What it was not seen to have taken then.
        """
        pane = self._pane
        if not pane.takes_input:
            return
        pane.read_now()
        if pane.watch.state != "prompt" or self._is_marked:
            return
        if entered == self.echoes.entered == self._stuck and pane.quiet_s > MOMENT_S:
            self.echoes.forget_entered()
        self._stuck = self.echoes.entered
        # A prompt is drawn before it is waited there; unless the line that was entered has not reached the shell yet.
        if self._stuck or (self.echoes.is_row_empty(pane.seq) and pane.quiet_s < MOMENT_S):
            asyncio.get_running_loop().call_later(2 * MOMENT_S, pane.watch.look_now)
            return
        self.echoes.seen_at_prompt(pane.seq, pane.runs.prompt.run_ended_place)
        foreground = pane.watch.foreground
        if pane.commands.at_prompt is None and foreground is not None and foreground.pid == pane.record.pid:
            self._see_directory(pane.current_directory())
            end = self.echoes.prompt_start(pane.seq)
            if start is not None and end is not None and start == pane.ledger.open_since:
                pane.tell_of_command(CommandFinished(None, start, max(start, end)))

    def _see_directory(self, directory: str) -> None:
        before, self._directory = self._directory, directory
        if before not in {None, directory}:
            self._pane.on_effect(CwdChanged(directory))

    @property
    def _is_marked(self) -> bool:
        return self._pane.runs.prompt.is_marked

"""How the prompts look that are drawn without marks, learnt where something is typed or somebody is seen to wait.

The row that is unfinished there is the prompt; or output without a newline at its end, and the prompt. If it ends with
the prompt that was there before, it is the latter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from phux_core.server.shell.shown_text import characters, drawn

if TYPE_CHECKING:
    from phux_core.keeper.journal import Journal

_MOST_HEADS = 8
_LONGEST_ROW = 4096
# What shells write where a line goes on, unless they are told otherwise.
_ASKS_FOR_MORE = b">"


@define
class KnownPrompts:
    """The prompts of one pane.

    Args:
        journal: Its stream.

    Attributes:
        heads: What stood before lines that were typed to whatever edits its lines, without blanks; the latest last.
        line_end: Where the line ends that a shell took last.
    """

    _journal: Journal
    heads: list[bytes] = field(factory=list)
    line_end: int = 0
    _prompt: bytes = b""
    _text: bytes = b""

    def row(self, place: int) -> bytes:
        """Give the row that is unfinished at a place."""
        start = max(self._journal.oldest, place - _LONGEST_ROW)
        before = self._journal.since(start, max(0, place - start))
        return before[before.rfind(b"\n") + 1 :]

    def learn_head(self, row: bytes) -> None:
        """Remember what stands before a line."""
        head = characters(drawn(row))
        if head:
            self.heads = [*(each for each in self.heads if each != head), head][-_MOST_HEADS:]

    def note(self, row: bytes) -> None:
        """Remember a shell's prompt, if it is another than before."""
        if row and not self.length(row):
            self.set(row)

    def set(self, prompt: bytes) -> None:
        """Remember a shell's prompt."""
        self._prompt, self._text = prompt, drawn(prompt)

    def length(self, data: bytes) -> int:
        """Tell how much of the end of something is the prompt that was there before; 0 if it is not."""
        if self._prompt and data.endswith(self._prompt):
            return len(self._prompt)
        # One that its shell had drawn in another way, as ksh does with its first.
        text, written = self._text, data.rstrip(b" ")
        return len(data) - len(written) + len(text) if text and written.endswith(text) else 0

    def asks_for_more(self, row: bytes, place: int) -> bool:
        """Tell whether a shell asks for more of the line it has taken: nothing stands between the two."""
        more = characters(row) == _ASKS_FOR_MORE and not self.length(row)
        return more and place - len(row) <= self.line_end

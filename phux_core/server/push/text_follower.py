"""What panes write, as text, pushed in the same turn of the loop in which it was read.

A follower is a subscription that asked for it. It remembers where the line began that was unfinished when it last told
something, and tells from there: a text that is written in two pieces stands in one event. Nothing is kept for a client
that does not read: it is told the rest from the journal once it reads again, and of a gap if that is too late. Panes
that nobody follows cost a look into a dictionary.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from phux_core.engine.plain import as_written, flowing_text
from phux_core.escapes import cut_unfinished
from phux_core.logs.text import last_stretch, stretches
from phux_core.server.documents.screen import read_screen
from phux_core.server.screen.alt_screen_changes import difference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.server.clients.connection import Connection
    from phux_core.server.pane import Pane

# New bytes that one event tells at the most.
_PIECE = 64 * 1024
# Of a line that is longer only the end is told again, so that a word in two pieces is still one; of one with colours
# earlier, for they are taken out anew for each event.
_LONGEST_LINE = 256 * 1024
_LONGEST_COLOURED = 16 * 1024
_END = 4 * 1024
# A line that is drawn by moving the cursor has no end, and is cut.
_LONGEST_DRAWN = 4 * 1024
# How long one follower may go on catching up before others get their turn.
_TURN_S = 0.004


class Follower:
    """One subscription to a pane's text.

    Args:
        subscriber: Who is told.
        number: The subscription's number.
        pane: The pane.
        since: Where to begin in its stream; None for now, from the beginning of the unfinished line, or with
            ``output_only`` from the beginning of the latest command's output.
        output_only: Whether to leave out prompts and the echo of what is typed.
        screen: Whether an event is to have the screen, too, unless more text follows.

    Attributes:
        begins: Where it began.
    """

    def __init__(
        self, subscriber: Connection, number: int, pane: Pane, *, since: int | None, output_only: bool, screen: bool
    ) -> None:
        self._subscriber = subscriber
        self._number = number
        self._pane = pane
        self._output_only = output_only
        self._screen = screen
        self._line = self._told = self.begins = self._beginning() if since is None else since
        # Who begins now, and with everything, sees on the screen itself what is drawn there.
        self._tells_drawn = screen and (output_only or since is not None)
        # What was erased before it began is told only to those who asked for the past.
        self._erased_since = self.begins if output_only or since is not None else pane.seq
        # What stood on the alternate screen when it was last told of; None if that is to be found out.
        self._stood: list[str] | None = [] if since is None else None
        # Text before ``_line`` that more may be written to: a read may cut a word that is drawn.
        self._cut = b""
        self._scheduled = False
        self._ended = False
        self._last_words: dict[str, Any] | None = None

    @property
    def subscriber(self) -> Connection:
        """Who is told."""
        return self._subscriber

    def end(self) -> None:
        """Tell nothing any more."""
        self._ended = True

    def finish(self, event: dict[str, Any]) -> None:
        """Tell the pane's end, when all its text was told."""
        self._last_words = event
        self.tell_soon()

    def tell(self) -> None:
        """Tell what is new, as long as the client takes it and others need not wait."""
        self._scheduled = False
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _TURN_S
        while not self._ended and self._told < self._pane.seq and not self._subscriber.is_slow:
            self._tell_piece()
            if self._told < self._pane.seq and loop.time() > deadline:
                self.tell_soon()
                return
        if self._last_words is not None and not (self._ended or self._subscriber.is_slow):
            self._subscriber.push_event(self._number, self._last_words)
            self._last_words = None

    def tell_soon(self) -> None:
        """Tell what is new in another turn of the loop."""
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self.tell)

    def _beginning(self) -> int:
        pane = self._pane
        if self._output_only:
            return max(pane.journal.oldest, pane.tracker.output_start(pane.seq))
        start = max(pane.journal.oldest, pane.seq - _LONGEST_DRAWN)
        return start + pane.journal.since(start, pane.seq - start).rfind(b"\n") + 1

    def _tell_piece(self) -> None:
        pane = self._pane
        oldest = pane.journal.oldest
        event: dict[str, Any] = {"event": "output", "terminal": f"@{pane.id}", "text": []}
        if self._told < oldest:
            event["gap"] = True
            self._told = oldest
            self._cut = b""
        start = self._line = max(self._line, oldest)
        # A thread that reads ahead may have written more into the journal than the terminal was fed.
        data = pane.journal.since(start, min(self._told + _PIECE, pane.seq) - start)
        if not data:  # the pane was killed and forgotten
            self._told = pane.seq
            return
        end = start + len(data)
        if end < pane.seq and start + data.rfind(b"\n") >= self._told:
            end = start + data.rfind(b"\n") + 1
            data = data[: end - start]
        text: list[str] = event["text"]
        erased: list[str] = []
        for first, last in self._stretches(start, end):
            part = data[first - start : last - start]
            lines = _lines(part, pane)
            text += lines
            if self._screen:
                cut = self._cut if first == start else b""
                erased += _erased(part, self._erased_since - first, lines, cut)
        self._told = end
        next_line = self._next_line(data)
        self._line = start + next_line
        if self._screen:
            joined = self._cut + data
            self._cut = joined[_last_stretch(joined) : len(self._cut) + next_line]
        event |= {"resume": self._line, "seq": end} | ({"erased": erased} if erased else {})
        if self._screen and end == pane.seq:
            event["screen"] = read_screen(pane, scrollback=None, cells=False)
            if self._tells_drawn:
                event |= self._drawn()
        self._subscriber.push_event(self._number, event)

    def _drawn(self) -> dict[str, Any]:
        """Tell what came onto the alternate screen; the text has it only if it was drawn in one piece."""
        looks = self._pane.terminal.looks
        before = looks.first_since(self.begins) if self._stood is None else self._stood
        self._stood = looks.latest
        if not self._stood or not self._is_output_drawn:
            return {}
        return {"drawn": difference(before, self._stood)}

    @property
    def _is_output_drawn(self) -> bool:
        """Whether what is on the alternate screen is to be told: a command's, not a prompt that was left there."""
        marks = self._pane.tracker.marks
        if not self._output_only or not marks.is_active:
            return True
        return marks.start is not None and not marks.on_alt_screen

    def _stretches(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        return self._pane.tracker.output_between(start, end) if self._output_only else iter([(start, end)])

    def _next_line(self, data: bytes) -> int:
        """Find where the unfinished line begins, if it is to be told again."""
        start = data.rfind(b"\n") + 1
        size = len(data) - start
        if b"\x1b" in data and self._pane.engine.alt_screen:
            return len(_settled(data))  # there are no lines; each event tells what was drawn
        if size > _LONGEST_DRAWN:
            overwritten = data.rstrip(b"\r").rfind(b"\r", start)
            if overwritten >= 0:
                start = overwritten + 1  # a progress bar
            elif flowing_text(_settled(data[start:])) is None:
                return len(_settled(data))
            elif size > (_LONGEST_COLOURED if b"\x1b" in data[start:] else _LONGEST_LINE):
                start += len(_settled(data[start:-_END]))  # not in the middle of an escape
        return start


def _last_stretch(data: bytes) -> int:
    """Find where the text began that was written since the cursor was last moved: a read may have cut it in two."""
    start = len(_settled(data[:-_END]))
    return start + last_stretch(_settled(data[start:]))


def _lines(data: bytes, pane: Pane) -> list[str]:
    text = as_written(_settled(data), cols=pane.record.cols, rows=pane.record.rows)
    return text.split("\n") if text else []


def _erased(data: bytes, old: int, lines: list[str], cut: bytes = b"") -> list[str]:
    """List what was written and is in no line any more: erased, overwritten, or on an alternate screen that was left.

    Args:
        data: What was written.
        old: How many bytes of it are older than what is asked for.
        lines: What it left.
        cut: Text that was told before, and that the first of ``data`` continues.
    """
    if old > 0:
        cut, data = b"", data[data.rfind(b"\r", 0, old) + 1 :]
    settled = _settled(data)
    if not cut and flowing_text(settled) is not None:
        return []
    left = "\n".join(lines)
    known = stretches(cut)
    return [text for text in dict.fromkeys(stretches(cut + settled)) if text not in known and text.strip() not in left]


def _settled(data: bytes) -> bytes:
    """Leave out what only the rest will give a meaning; it is no text, and a terminal would be made for it."""
    return cut_unfinished(data).rstrip(b"\r")

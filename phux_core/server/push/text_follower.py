"""Push the output of panes as text, in the same iteration of the loop in which it is read.

A follower is one subscription to text. It remembers the start of the last unfinished line, and the next event starts
there, so that text written in two pieces is complete in one event. Nothing is kept for a client that does not read: it
gets the rest from the journal when it reads again, and a gap if the journal no longer has it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from phux_core.engine.plain import as_written, flowing_text
from phux_core.escapes import cut_unfinished
from phux_core.logs.text import last_stretch, stretches
from phux_core.server.documents import read_screen
from phux_core.server.screen.changes import difference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.server.connection import Connection
    from phux_core.server.pane import Pane

# Maximum number of new bytes in one event.
_PIECE = 64 * 1024
# Of a longer unfinished line, only the end is repeated in the next event; the limit is lower for a line with colors,
# because they are removed again for each event.
_LONGEST_LINE = 256 * 1024
_LONGEST_COLORED = 16 * 1024
_END = 4 * 1024
# A line drawn by cursor movements has no end, and is split.
_LONGEST_DRAWN = 4 * 1024
# How long one follower may catch up before others are served.
_TURN_S = 0.004


class Follower:
    """One subscription to a pane's text.

    Args:
        since: The sequence number to start at; None for the start of the current line, or with ``output_only`` for the
            start of the latest command's output.
        output_only: Whether to omit prompts and the echo of typed input.
        screen: Whether to add the screen to events that no more text follows.

    Attributes:
        begins: The sequence number at which it started.
    """

    def __init__(
        self, subscriber: Connection, number: int, pane: Pane, *, since: int | None, output_only: bool, screen: bool
    ) -> None:
        self.subscriber = subscriber
        self._number = number
        self._pane = pane
        self._output_only = output_only
        self._screen = screen
        self._line = self._pushed = self.begins = self._beginning() if since is None else since
        # A client that starts now, with all text, sees lines drawn on the alternate screen in the screen itself.
        self._pushes_drawn = screen and (output_only or since is not None)
        # Text erased before the start is pushed only to clients that requested earlier output.
        self._erased_since = self.begins if output_only or since is not None else pane.seq
        # The lines of the alternate screen in the last event; None if unknown.
        self._alt_lines: list[str] | None = [] if since is None else None
        # Drawn text before ``_line`` that may continue: a read may split a word.
        self._cut = b""
        self._scheduled = False
        self._ended = False
        self._last_event: dict[str, Any] | None = None

    def end(self) -> None:
        self._ended = True

    def finish(self, event: dict[str, Any]) -> None:
        """Push the pane's last event after all of its text."""
        self._last_event = event
        self.push_soon()

    def push(self) -> None:
        """Push new text, as long as the client reads and for a limited time."""
        self._scheduled = False
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _TURN_S
        while not self._ended and self._pushed < self._pane.seq and not self.subscriber.is_slow:
            self._push_piece()
            if self._pushed < self._pane.seq and loop.time() > deadline:
                self.push_soon()
                return
        if self._last_event is not None and not (self._ended or self.subscriber.is_slow):
            self.subscriber.push_event(self._number, self._last_event)
            self._last_event = None

    def push_soon(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self.push)

    def _beginning(self) -> int:
        pane = self._pane
        if self._output_only:
            return max(pane.journal.oldest, pane.tracker.output_start(pane.seq))
        start = max(pane.journal.oldest, pane.seq - _LONGEST_DRAWN)
        return start + pane.journal.since(start, pane.seq - start).rfind(b"\n") + 1

    def _push_piece(self) -> None:
        pane = self._pane
        oldest = pane.journal.oldest
        event: dict[str, Any] = {"event": "output", "terminal": f"@{pane.id}", "text": []}
        if self._pushed < oldest:
            event["gap"] = True
            self._pushed = oldest
            self._cut = b""
        start = self._line = max(self._line, oldest)
        # The reading thread may have added more to the journal than was parsed.
        data = pane.journal.since(start, min(self._pushed + _PIECE, pane.seq) - start)
        if not data:  # the pane was removed
            self._pushed = pane.seq
            return
        end = start + len(data)
        if end < pane.seq and start + data.rfind(b"\n") >= self._pushed:
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
        self._pushed = end
        next_line = self._next_line(data)
        self._line = start + next_line
        if self._screen:
            joined = self._cut + data
            self._cut = joined[_last_stretch(joined) : len(self._cut) + next_line]
        event |= {"resume": self._line, "seq": end} | ({"erased": erased} if erased else {})
        if self._screen and end == pane.seq:
            event["screen"] = read_screen(pane, scrollback=None, cells=False)
            if self._pushes_drawn:
                event |= self._drawn()
        self.subscriber.push_event(self._number, event)

    def _drawn(self) -> dict[str, Any]:
        """Return the lines that appeared on the alternate screen; the text has only lines drawn in one piece."""
        looks = self._pane.terminal.looks
        before = looks.first_since(self.begins) if self._alt_lines is None else self._alt_lines
        self._alt_lines = looks.latest
        if not self._alt_lines or not self._is_output_drawn:
            return {}
        return {"drawn": difference(before, self._alt_lines)}

    @property
    def _is_output_drawn(self) -> bool:
        """Whether the alternate screen shows a command's output, not a prompt that was left there."""
        marks = self._pane.tracker.marks
        if not self._output_only or not marks.is_active:
            return True
        return marks.start is not None and not marks.on_alt_screen

    def _stretches(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        return self._pane.tracker.output_between(start, end) if self._output_only else iter([(start, end)])

    def _next_line(self, data: bytes) -> int:
        """Return the offset at which the next event starts: that of the unfinished line, if it is to be repeated."""
        start = data.rfind(b"\n") + 1
        size = len(data) - start
        if b"\x1b" in data and self._pane.engine.alt_screen:
            return len(_settled(data))  # there are no lines; each event has the drawn text
        if size > _LONGEST_DRAWN:
            overwritten = data.rstrip(b"\r").rfind(b"\r", start)
            if overwritten >= 0:
                start = overwritten + 1  # a progress bar
            elif flowing_text(_settled(data[start:])) is None:
                return len(_settled(data))
            elif size > (_LONGEST_COLORED if b"\x1b" in data[start:] else _LONGEST_LINE):
                start += len(_settled(data[start:-_END]))  # not in the middle of an escape
        return start


def _last_stretch(data: bytes) -> int:
    """Return the start of the text written since the last cursor movement: a read may have split it."""
    start = len(_settled(data[:-_END]))
    return start + last_stretch(_settled(data[start:]))


def _lines(data: bytes, pane: Pane) -> list[str]:
    text = as_written(_settled(data), cols=pane.record.cols, rows=pane.record.rows)
    return text.split("\n") if text else []


def _erased(data: bytes, old: int, lines: list[str], cut: bytes = b"") -> list[str]:
    """List written text that no line contains any more: erased, overwritten, or on an alternate screen that was left.

    Args:
        old: How many bytes of it are older than the requested start.
        lines: The lines that are left of it.
        cut: Text of an earlier event that ``data`` continues.
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
    """Remove an unfinished escape sequence and carriage returns at the end; they have no meaning yet."""
    return cut_unfinished(data).rstrip(b"\r")

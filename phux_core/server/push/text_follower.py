"""Push the output of panes as text, in the same iteration of the loop in which it is read.

A follower is one subscription to text. It remembers the start of the last unfinished line, and the next event starts
there, so that text written in two pieces is complete in one event. Nothing is kept for a client that does not read: it
gets the rest from the journal when it reads again, and a gap if the journal no longer has it.

Followers take turns, a piece of text each. Those that are at the same place of the same pane, as they mostly are, share
the rendered and encoded event.
"""

from __future__ import annotations

import asyncio
from collections import deque
from functools import cached_property
from typing import TYPE_CHECKING, Any

from attrs import frozen

from phux_core.compact_json import to_bytes
from phux_core.engine.plain import as_written, flowing_text
from phux_core.escapes import OSC_END, STRING_OPENERS, cut_unfinished
from phux_core.logs.text import last_stretch, stretches
from phux_core.server.documents import read_screen
from phux_core.server.screen.changes import difference
from phux_core.server.shell.hidden_nonce import without_nonce

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from phux_core.server.connection import Connection
    from phux_core.server.pane import Pane

# The usual number of new bytes in one event.
_PIECE = 64 * 1024
# Of a longer unfinished line, only the end is repeated in the next event; the limit is lower for a line with colors,
# because they are removed again for each event.
_LONGEST_LINE = 256 * 1024
_LONGEST_COLORED = 16 * 1024
_END = 4 * 1024
# A line drawn by cursor movements has no end, and is split.
_LONGEST_DRAWN = 4 * 1024
# A control string that is longer, such as an image or one that never ends, splits its line.
_LONGEST_STRING = 64 * 1024
# How long followers push before panes are read again.
_TURN_S = 0.001
# How many pieces are kept for other followers.
_SHARED = 8


@frozen
class _Place:
    """The progress of a follower.

    Attributes:
        line: Where the next event starts: at the last unfinished line.
        pushed: The end of the text that was pushed.
        cut: Drawn text before ``line`` that may continue: a read may split a word.
        in_string: Whether ``line`` is inside a long control string.
    """

    line: int
    pushed: int
    cut: bytes = b""
    in_string: bool = False


@frozen(slots=False)
class Piece:
    """A piece of text.

    Attributes:
        event: The event; empty if there is nothing to push.
        after: The place after it.
    """

    event: dict[str, Any]
    after: _Place

    @cached_property
    def encoded(self) -> bytes:
        """The event as JSON."""
        return to_bytes(self.event)


class Turns:
    """The followers that have text to push.

    Attributes:
        number: The number of the current turn.
    """

    def __init__(self) -> None:
        self.number = 0
        self._shared: dict[tuple[object, ...], Piece] = {}
        self._waiting: deque[Follower] = deque()
        self._scheduled = False

    def add(self, follower: Follower) -> None:
        """Let a follower push in the next turn."""
        if not follower.waits:
            follower.waits = True
            self._waiting.append(follower)

    def share(self, key: tuple[object, ...], read: Callable[[], Piece]) -> Piece:
        """Return the piece for a key, which the first follower that needs it reads."""
        piece = self._shared.get(key)
        if piece is None:
            piece = self._shared[key] = read()
            if len(self._shared) > _SHARED:
                del self._shared[next(iter(self._shared))]
        return piece

    def schedule(self) -> None:
        """Take a turn in the next iteration of the loop."""
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._take_scheduled)

    def _take_scheduled(self) -> None:
        self._scheduled = False
        self.take()

    def take(self) -> None:
        """Let all followers push, piece by piece and for a limited time."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _TURN_S
        self.number += 1
        try:
            while self._waiting:
                follower = self._waiting.popleft()
                follower.waits = False
                if follower.push_piece():
                    self.add(follower)
                if loop.time() > deadline:
                    break
        finally:  # a follower that fails must not stop the others
            if self._waiting:
                self.schedule()


class Follower:
    """One subscription to a pane's text.

    Args:
        since: The sequence number to start at; None for the start of the current line, or with ``output_only`` for the
            start of the latest command's output. With ``screen``, a program
            without marks that was not typed into is one command.
        output_only: Whether to omit prompts and the echo of typed input.
        screen: Whether to add the screen to events that no more text follows.

    Attributes:
        begins: The sequence number at which it started.
        waits: Whether it is among those that have text to push.
    """

    def __init__(
        self,
        subscriber: Connection,
        number: int,
        pane: Pane,
        turns: Turns,
        *,
        since: int | None,
        output_only: bool,
        screen: bool,
    ) -> None:
        self.subscriber = subscriber
        self.waits = False
        self._number = number
        self._pane = pane
        self._turns = turns
        self._output_only = output_only
        self._screen = screen
        self.begins = self._beginning() if since is None else since
        self._place = _Place(self.begins, self.begins)
        # A client that starts now, with all text, sees lines drawn on the alternate screen in the screen itself.
        self._pushes_drawn = screen and (output_only or since is not None)
        # Text erased before the start is pushed only to clients that requested earlier output.
        self._erased_since = self.begins if output_only or since is not None else pane.seq
        # The lines of the alternate screen in the last event; None if unknown.
        self._alt_lines: list[str] | None = [] if since is None else None
        self._ended = False
        self._last_event: dict[str, Any] | None = None

    def end(self) -> None:
        self._ended = True

    def finish(self, event: dict[str, Any]) -> None:
        """Push the pane's last event after all of its text."""
        self._last_event = event
        self.push_soon()

    def push_soon(self) -> None:
        """Push new text in the next iteration of the loop."""
        self._turns.add(self)
        self._turns.schedule()

    def push_piece(self) -> bool:
        """Push a piece of new text, if the client reads; return whether more text follows."""
        pane = self._pane
        if self._ended or self.subscriber.is_slow:
            return False
        place = self._place
        if place.pushed < pane.seq:
            if self._screen:
                pane.watch.settle()
            end = _end_of_piece(place.pushed)
            # The screen, which is in the last piece, may change without new output.
            turn = self._turns.number if end >= pane.seq else None
            old = max(0, self._erased_since - place.line)
            key = (pane.id, place, old, self._output_only, self._screen, turn)
            piece = self._turns.share(key, self._read_piece)
            self._place = piece.after
            self._push(piece)
        if self._place.pushed < pane.seq:
            return True
        if self._last_event is not None and not self.subscriber.is_slow:
            self.subscriber.push_event(self._number, self._last_event)
            self._last_event = None
        return False

    def _push(self, piece: Piece) -> None:
        drawn = self._drawn() if self._pushes_drawn and "screen" in piece.event else {}
        if drawn:
            self.subscriber.push_event(self._number, piece.event | drawn)
        elif piece.event:
            self.subscriber.push_encoded(self._number, piece.encoded)

    def _beginning(self) -> int:
        pane = self._pane
        if self._output_only:
            tracker = pane.tracker
            # A wait, which requests the screen too, begins with a program to which nothing was typed.
            start = 0 if self._screen and tracker.is_only_read else tracker.output_start(pane.seq)
            return max(pane.journal.oldest, start)
        start = max(pane.journal.oldest, pane.seq - _LONGEST_DRAWN)
        return start + pane.journal.since(start, pane.seq - start).rfind(b"\n") + 1

    def _read_piece(self) -> Piece:
        pane, place = self._pane, self._place
        oldest = pane.journal.oldest
        event: dict[str, Any] = {"event": "output", "terminal": f"@{pane.id}", "text": []}
        if place.pushed < oldest:
            event["gap"] = True
            place = _Place(oldest, oldest)
        if place.in_string:
            return self._skip_string(place.line)
        start = max(place.line, oldest)
        # The reading thread may have added more to the journal than was parsed.
        end = min(_end_of_piece(place.pushed), pane.seq)
        data = without_nonce(pane.journal.since(start, end - start), pane.record.nonce, pane.journal, start)
        if not data:  # the pane was removed
            return Piece({}, _Place(start, pane.seq))
        if end < pane.seq and start + data.rfind(b"\n") >= place.pushed:
            end = start + data.rfind(b"\n") + 1
            data = data[: end - start]
        text: list[str] = event["text"]
        erased: list[str] = []
        for first, last in self._stretches(start, end):
            part = data[first - start : last - start]
            lines = _lines(part, pane)
            text += lines
            if self._screen:
                cut = place.cut if first == start else b""
                erased += _erased(part, self._erased_since - first, lines, cut)
        in_string = _ends_in_long_string(data)
        next_line = len(data) if in_string else self._next_line(data)
        cut = b""
        if self._screen and not in_string:
            joined = place.cut + data
            cut = joined[_last_stretch(joined) : len(place.cut) + next_line]
        event |= {"resume": start + next_line, "seq": end} | ({"erased": erased} if erased else {})
        if self._screen and end == pane.seq:
            event["screen"] = read_screen(pane, scrollback=None, cells=False)
        return Piece(event, _Place(start + next_line, end, cut, in_string))

    def _skip_string(self, start: int) -> Piece:
        """Search for the end of a long control string, which contains no text."""
        data = self._pane.journal.since(start, min(_PIECE, self._pane.seq - start))
        found = OSC_END.search(data)
        if found is not None:
            end = start + found.end()
            return Piece({}, _Place(end, end))
        end = start + len(data)
        return Piece({}, _Place(end - data.endswith(b"\x1b"), end, in_string=True))

    def _drawn(self) -> dict[str, Any]:
        """Return the lines that appeared on the alternate screen; the text has only lines drawn in one piece."""
        reads = self._pane.terminal.reads
        before = reads.alt_lines_at(self.begins) if self._alt_lines is None else self._alt_lines
        self._alt_lines = reads.alt_lines
        if not self._alt_lines or not self._is_output_drawn:
            return {}
        return {"drawn": difference(before, self._alt_lines)}

    @property
    def _is_output_drawn(self) -> bool:
        """Whether the alternate screen shows a command's output, not a prompt that was left there."""
        marks = self._pane.tracker.marks
        return not self._output_only or not marks.is_active or marks.start is not None

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


def _end_of_piece(start: int) -> int:
    """Return about where a piece ends: near the same places for all followers, so that they share pieces."""
    return ((start + _PIECE // 2) // _PIECE + 1) * _PIECE


def _ends_in_long_string(data: bytes) -> bool:
    """Return whether the data ends inside a long control string."""
    start = len(cut_unfinished(data))
    return len(data) - start > _LONGEST_STRING and data[start + 1] in STRING_OPENERS


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
    """Remove an unfinished escape sequence and carriage returns at the end: the next output completes them."""
    return cut_unfinished(data).rstrip(b"\r")

"""Find where a program echoes typed lines: up to the first newline after the typed Enter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from attrs import define, field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_REMEMBERED = 1000
_ENTER = re.compile(rb"[\r\n]")

Span = tuple[int, int]


@define
class EchoedLines:
    """The echoed lines of one pane, as spans of its stream.

    Attributes:
        spans: The latest, oldest first.
        start: Where a line begins whose newline was not written yet; None if there is none.
        seeking: From where to search for that newline.
        unfinished_from: Where keys were typed that Enter has not followed yet; None if there are none.
    """

    spans: list[Span] = field(factory=list)
    start: int | None = None
    seeking: int = 0
    unfinished_from: int | None = None

    def typed(self, data: bytes, place: int) -> None:
        """Process input that a program reads, typed at a place of the stream."""
        start = place if self.unfinished_from is None else self.unfinished_from
        if _ENTER.search(data) is None:
            self.unfinished_from = start
            return
        self.unfinished_from = None
        if self.start is None:
            self.start = start
        self.seeking = place

    def written(self, data: bytes, place: int) -> None:
        if self.start is None:
            return
        newline = data.find(b"\n", max(0, self.seeking - place))
        if newline >= 0:
            self.spans.append((self.start, place + newline + 1))
            del self.spans[:-_REMEMBERED]
            self.start = None

    def leave_out(self, spans: Iterable[Span], end: int) -> Iterator[Span]:
        """Iterate over the parts of spans that are not echoed lines, up to the end of the stream."""
        echoes = [*self.spans, *([] if self.start is None else [(self.start, end)])]
        for first, last in spans:
            place = first
            for echo_start, echo_end in echoes:
                if echo_end > place and echo_start < last:
                    if echo_start > place:
                        yield place, echo_start
                    place = echo_end
            if place < last:
                yield place, last

"""One read of a log with all its options: by lines or bytes, rendered or not, filtered, within a byte budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define

from phux_core.errors import BadRequestError, NoSuchTargetError
from phux_core.logs import cutting, places, text
from phux_core.logs.sizes import DEFAULT, within
from phux_core.logs.stored import open_with
from phux_core.patterns import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

    from phux_core.logs.sizes import Size
    from phux_core.logs.stored import Stored

DEFAULT_LINES = 500
DEFAULT_BYTES = 1024 * 1024
MOST_BYTES = 16 * 1024 * 1024
DEFAULT_CHUNK = 64 * 1024
"""Default bytes of a read by bytes."""
# How far back to search for the last lines, and how much to render at once.
_MOST_BACK = 32 * 1024 * 1024
_PIECE = 256 * 1024
_LONGEST_LINE = 16 * _PIECE
# Without a pattern, minimum bytes read at either end of a long log.
_END = 2 * 1024 * 1024


@define(frozen=True)
class Query:
    """The options of a read: parameters of the calls ``logs`` and ``output``, with a range and the terminal's sizes.

    Attributes:
        until: Read nothing from this offset on.
    """

    lines: int | None = None
    from_byte: int | None = None
    since: int | None = None
    until: int | None = None
    max_bytes: int | None = None
    grep: str | None = None
    context: int | None = None
    head: int | None = None
    tail: int | None = None
    mode: str = "rendered"
    whole_lines: bool = False
    sizes: Sequence[Size] = (DEFAULT,)


def read_log(root: str, log: places.LogId, query: Query, unwritten: tuple[int, bytes] | None = None) -> dict[str, Any]:
    """Read a stored log; ``unwritten`` has the offset and the bytes of the end of the stream, which no file has yet.

    Raises:
        NoSuchTargetError: The log does not exist or cannot be read.
        BadRequestError: The query is invalid.
    """
    try:
        stored = open_with(root, log, unwritten)
    except OSError as error:
        raise NoSuchTargetError(
            f"cannot read the log {log}: {error.strerror or error}", remedy="`phux logs --list` lists the logs"
        ) from error
    with stored:
        return {"log": str(log), "pane": log.pane, **read(stored, query)}


def read(stored: Stored, query: Query) -> dict[str, Any]:
    """Read a log."""
    end = stored.end if query.until is None else min(stored.end, query.until)
    pattern = None if query.grep is None else compile_pattern(query.grep)
    if query.from_byte is not None:
        return _read_bytes(stored, query, end, query.from_byte, pattern)
    asked = query.since or 0
    if asked > stored.end:
        raise _beyond(asked, stored.end)
    low = min(end, max(asked, stored.first))
    if query.whole_lines and end > low and stored.read(end - 1, 1)[1] != b"\n":
        end = stored.start_of_last_lines(1, low, end, _MOST_BACK)
    lines = query.lines
    if lines is None and pattern is None and query.head is None:
        lines = query.tail if query.tail is not None else DEFAULT_LINES if query.since is None else None
    start = low if lines is None else _start(stored, query, lines, low, end)
    max_bytes = DEFAULT_BYTES if query.max_bytes is None else query.max_bytes
    before_gap, after_gap = (end, end) if pattern is not None else _gap(stored, start, end, max(_END, 2 * max_bytes))
    shown = _lines(stored, query, start, before_gap, pattern)
    if lines is not None and query.mode == "rendered" and before_gap == end:
        shown = iter(list(shown)[-lines:] if lines else [])
    if pattern is not None:
        shown = text.grep(shown, pattern, query.context or 0)
    by_default = pattern is not None and query.head is None and query.tail is None and query.until is None
    kept = cutting.cut(
        shown,
        head=query.head,
        tail=DEFAULT_LINES if by_default else query.tail,
        max_bytes=max_bytes,
        skipped=stored.count_lines(before_gap, after_gap),
        after=_lines(stored, query, after_gap, end),
    )
    before = stored.count_lines(low, start) if start > low else 0
    return {
        "content": kept.content,
        "returned_lines": kept.returned,
        "total_lines": stored.count_lines(stored.first if query.until is None else low, end),
        "truncated": bool(before or kept.omitted or kept.cut),
        "omitted": before + kept.omitted,
        "first_byte": start,
        "next_byte": end,
        "eof": end >= stored.end,
        "dropped": max(0, min(stored.first, end) - asked) if query.since is not None or query.until is not None else 0,
        "holes": _holes(stored, start, end, query.until),
    }


def _start(stored: Stored, query: Query, lines: int, low: int, end: int) -> int:
    """Return the offset from which to render N lines: with cursor motion, there are fewer lines than line breaks."""
    wanted = lines
    start = stored.start_of_last_lines(wanted, low, end, _MOST_BACK)
    if query.mode != "rendered" or query.grep is not None:
        return start
    for _ in range(3):
        if start <= low or end - start > _PIECE or sum(1 for _ in _lines(stored, query, start, end)) >= lines:
            break
        wanted *= 2
        start = stored.start_of_last_lines(wanted, low, end, _MOST_BACK)
    return start


def _gap(stored: Stored, start: int, end: int, most: int) -> tuple[int, int]:
    """Return the range in the middle of a long part that exceeds the budget; it is empty in a short part."""
    if end - start > 2 * most + _PIECE:
        first = stored.end_of_line(start + most, _PIECE)
        last = stored.end_of_line(end - most, _PIECE)
        if first is not None and last is not None:
            return first, last
    return end, end


def _read_bytes(stored: Stored, query: Query, end: int, asked: int, pattern: re.Pattern[str] | None) -> dict[str, Any]:
    if asked > stored.end:
        raise _beyond(asked, stored.end)
    most = DEFAULT_CHUNK if query.max_bytes is None else query.max_bytes
    first, data = stored.read(asked, max(0, min(most, end - asked)))
    first = min(first, end)
    data = data[: end - first]
    if query.mode != "raw" or query.whole_lines:
        data = _to_line_end(data, more=first + len(data) < end or query.whole_lines, whole=query.whole_lines)
    content = text.to_text(data, query.mode, within(query.sizes, first, first + len(data)))
    lines = list(text.lines_in([content]))
    omitted = 0
    if pattern is not None or query.head is not None or query.tail is not None:
        chosen = lines if pattern is None else list(text.grep(lines, pattern, query.context or 0))
        kept = cutting.cut(chosen, head=query.head, tail=query.tail, max_bytes=MOST_BYTES)
        content, omitted = kept.content, kept.omitted
        lines = lines[: kept.returned]
    following = first + len(data)
    return {
        "content": content,
        "returned_lines": len(lines),
        "total_lines": stored.count_lines(stored.first, stored.end),
        "truncated": following < end,
        "omitted": omitted,
        "first_byte": first,
        "next_byte": following,
        "eof": following >= stored.end,
        "dropped": max(0, stored.first - asked),
        "holes": _holes(stored, asked, following, query.until),
    }


def _holes(stored: Stored, start: int, end: int, until: int | None) -> list[dict[str, int]]:
    """Describe the holes in a part of the log, and its lost end if the part reaches it."""
    holes = list(stored.holes(start, end))
    lost = stored.lost_end() if end >= stored.end else None
    if lost is not None and (until is None or until > stored.end):
        holes.append((stored.end, lost if until is None else min(lost, until)))
    return [{"start": first, "end": last} for first, last in holes]


def _beyond(asked: int, end: int) -> BadRequestError:
    return BadRequestError(f"the log ends at {end}, before {asked}", remedy=f"use a sequence number up to {end}")


def _to_line_end(data: bytes, *, more: bool, whole: bool) -> bytes:
    """Leave an unfinished line to the next read; cut one that is too long between two characters."""
    if not more:
        return data
    ends = data.rfind(b"\n") + 1
    if ends or (whole and len(data) < _PIECE):
        return data[:ends]
    for size in range(min(3, len(data))):
        lead = data[len(data) - 1 - size]
        if lead >= 0xC0:  # the first byte of a character that may be incomplete
            return data[: len(data) - 1 - size] or data
        if lead < 0x80:
            break
    return data


def _lines(stored: Stored, query: Query, start: int, end: int, pattern: re.Pattern[str] | None = None) -> Iterator[str]:
    """Yield the lines of a part of the log, with a note at each hole.

    With a pattern, only pieces that match it are rendered exactly.
    """

    def pieces() -> Iterator[str]:
        place, is_line_open = start, False
        for at, data in stored.pieces(start, end, _PIECE, _LONGEST_LINE):
            if at > place and query.mode != "raw":
                yield "\n" * is_line_open + f"[phux: bytes {place} to {at} were not logged]\n"
            yield convert(data, within(query.sizes, at, at + len(data)))
            place, is_line_open = at + len(data), not data.endswith(b"\n")

    def convert(data: bytes, sizes: Sequence[Size]) -> str:
        if pattern is not None and query.mode == "rendered":
            return text.render_for(pattern, data, sizes)
        return text.to_text(data, query.mode, sizes)

    return text.lines_in(pieces())

"""Looking for a pattern in logs, line by line, without escape sequences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from phux_core.logs import places, text
from phux_core.logs.reading import compile_pattern
from phux_core.logs.stored import Stored

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DEFAULT_MATCHES = 1000
_PIECE = 1024 * 1024
_LONGEST_LINE = 4 * 1024 * 1024
_LONGEST_SHOWN = 1000
# A pattern that cannot match across lines may be looked for in many lines at once, which is several times quicker. So
# nothing in it may match a newline, look around or set flags: no classes that hold one, no negations, no groups with a
# question mark but plain ones, no anchors of the whole text.
_ACROSS = re.compile(r"\\[sSWDAZnrfvNxu0-9]|\[\^|\(\?(?!:)|\n")


def search(
    root: str, logs: Sequence[places.LogId], pattern: str, *, context: int = 0, most: int = DEFAULT_MATCHES
) -> dict[str, Any]:
    """Look for a pattern.

    Args:
        root: The directory of all logs.
        logs: Where to look, in this order.
        pattern: What for, as Python's re reads it.
        context: How many lines around each to tell, too.
        most: How many matches to tell; there may be more.

    Returns:
        ``matches`` and ``truncated``.

    Raises:
        BadRequestError: The pattern is none.
    """
    compiled = compile_pattern(pattern)
    whole = None if _ACROSS.search(pattern) else re.compile(pattern, re.MULTILINE)
    matches: list[dict[str, Any]] = []
    for log in logs:
        try:
            stored = Stored.open(root, log)
        except OSError:
            continue  # it was let go meanwhile
        with stored:
            for number, offset, lines, index in _matches(stored, compiled, whole):
                if len(matches) >= most:
                    return {"matches": matches, "truncated": True}
                found: dict[str, Any] = {"log": str(log), "pane": log.pane, "line": number, "offset": offset}
                found["text"] = lines[index][:_LONGEST_SHOWN]
                if context:
                    found["before"] = [line[:_LONGEST_SHOWN] for line in lines[max(0, index - context) : index]]
                    found["after"] = [line[:_LONGEST_SHOWN] for line in lines[index + 1 : index + 1 + context]]
                matches.append(found)
    return {"matches": matches, "truncated": False}


def _matches(
    stored: Stored, pattern: re.Pattern[str], whole: re.Pattern[str] | None
) -> Iterator[tuple[int, int, list[str], int]]:
    """Find lines: the number of each among those that are kept, its place, and the lines it stands among."""
    number = 1
    for place, data in _pieces(stored):
        plain = text.strip(data)
        if whole is None or whole.search(plain) is not None:
            lines = plain.split("\n")
            offset = place
            # Stripping leaves line ends alone, so that both have the same lines.
            for index, raw in enumerate(data.split(b"\n")):
                if index < len(lines) and (raw or lines[index]) and pattern.search(lines[index]):
                    yield number + index, offset, lines, index
                offset += len(raw) + 1
        number += data.count(b"\n")


def _pieces(stored: Stored) -> Iterator[tuple[int, bytes]]:
    """Go through the log in pieces of whole lines."""
    place = start = stored.first
    rest = b""
    while place < stored.end:
        at, data = stored.read(place, _PIECE)
        if not data:
            break
        if at > place:
            if rest:
                yield start, rest
            rest, start = b"", at
        place = at + len(data)
        data = rest + data
        cut = data.rfind(b"\n") + 1
        if not cut and len(data) >= _LONGEST_LINE:
            cut = len(data)
        if cut:
            yield start, data[:cut]
        rest = data[cut:]
        start += cut
    if rest:
        yield start, rest

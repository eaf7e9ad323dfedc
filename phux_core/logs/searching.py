"""Looking for a pattern in logs, line by line, without escape sequences.

A program that goes back to the beginning of its line begins another one for us: a shell does so before each command's
output, and nobody who looks for ``^error`` should have to know.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from phux_core import escapes
from phux_core.logs import places, text
from phux_core.logs.stored import Stored
from phux_core.patterns import BATCH, TimeLimit, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

DEFAULT_MATCHES = 1000
_PIECE = 1024 * 1024
_LONGEST_LINE = 4 * 1024 * 1024
_LONGEST_SHOWN = 1000
# What is read of what stands around a match, on either side.
_MOST_AROUND = 256 * 1024
# Most patterns have a text that each match must have, and bytes can be looked through for it many times quicker than
# lines without escape sequences can be matched. Colours may stand within it; lines with others are matched anyway.
_UNSEEN = rb"(?:%b)*+" % escapes.SGR
_OTHERS = {
    b"\x1b": escapes.OTHER_THAN_SGR,
    b"\xc2": re.compile(rb"\xc2[\x90-\x9f]"),
    **{byte: re.compile(re.escape(byte)) for byte in (b"\0", b"\a", b"\b", b"\x7f")},
}
_TOKEN = re.compile(r"\\(.)|\[\^?\]?(?:\\.|[^\]\\])*\]|\{[0-9,]*\}|(.)", re.DOTALL)
_QUANTIFIED = re.compile(r"[*?{]")


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
    literal = required_text(pattern)
    hint = None if literal is None else _in_raw_bytes(literal)
    matches: list[dict[str, Any]] = []
    for log in logs:
        try:
            stored = Stored.open(root, log)
        except OSError:
            continue  # it was let go meanwhile
        with stored:
            for number, offset, line in _matches(stored, compiled, hint):
                if len(matches) >= most:
                    return {"matches": matches, "truncated": True}
                found: dict[str, Any] = {"log": str(log), "pane": log.pane, "line": number, "offset": offset}
                found["text"] = line[:_LONGEST_SHOWN]
                if context:
                    found["before"], found["after"] = _around(stored, offset, context)
                matches.append(found)
    return {"matches": matches, "truncated": False}


def required_text(pattern: str) -> str | None:
    r"""Find a text that every line has which matches a pattern; None if that cannot be told by its looks.

    Example:
        >>> required_text(r"^error: \d+ in module_[a-z]+$")
        ' in module_'
        >>> required_text("this|that") is None
        True
    """
    if re.search(r"[|()]", pattern):
        return None  # a choice, or a group that may be one
    runs = [""]
    for token in _TOKEN.finditer(pattern):
        escaped, plain = token.groups()
        character = plain if escaped is None else escaped if not escaped.isalnum() else None
        following = pattern[token.end() : token.end() + 1]
        if character is None or (escaped is None and character in ".^$*+?{}[]\\"):
            runs.append("")
        elif _QUANTIFIED.match(following):
            runs.append("")  # it need not be there
        else:
            runs[-1] += character
            if following == "+":
                runs.append("")
    longest = max(runs, key=len)
    return longest if len(longest) > 1 else None


def _in_raw_bytes(literal: str) -> re.Pattern[bytes]:
    """Look for a text in bytes in which parts of it may be coloured."""
    return re.compile(_UNSEEN.join(re.escape(bytes([byte])) for byte in literal.encode()))


def _matches(
    stored: Stored, pattern: re.Pattern[str], hint: re.Pattern[bytes] | None
) -> Iterator[tuple[int, int, str]]:
    """Find lines: the number of each among those that are kept, where it begins, and what it says."""
    number = 1
    for place, data in _pieces(stored):
        counted = 0
        for start, line in _hits(data, pattern) if hint is None else _hits_with(data, pattern, hint):
            number += data.count(b"\n", counted, start)
            counted = start
            yield number, place + start, line
        number += data.count(b"\n", counted)


def _said(line: str, search: Callable[[str], object]) -> str | None:
    """Tell which part of a line matches, the latest that was written; None if none does."""
    return next((part for part in reversed(line.split("\r")) if search(part)), None)


def _around(stored: Stored, place: int, context: int) -> tuple[list[str], list[str]]:
    """Read the lines around the one that begins at a place."""
    low = stored.start_of_last_lines(context, stored.first, place, _MOST_AROUND)
    _start, before = stored.read(low, place - low)
    _start, behind = stored.read(place, _MOST_AROUND)
    after = behind.removesuffix(b"\n").split(b"\n", context + 1)[1 : context + 1]
    return _shown(before.split(b"\n")[:-1]), _shown(after)


def _shown(lines: list[bytes]) -> list[str]:
    return [text.plain(line).rpartition("\r")[2][:_LONGEST_SHOWN] for line in lines]


def _hits(data: bytes, pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Find the lines of a piece that match: where each begins, and what it says."""
    search = pattern.search
    # No escape sequence takes the end of a line along. So all lines can be rid of them at once, which is many times
    # quicker than one by one.
    plain = text.plain(data.removesuffix(b"\n"))
    lines = plain.split("\n")
    rewritten = "\r" in plain
    found: list[tuple[int, str]] = []
    for first in range(0, len(lines), BATCH):
        batch = enumerate(lines[first : first + BATCH], first)
        with TimeLimit():
            if rewritten:
                found += [(number, part) for number, line in batch if (part := _said(line, search)) is not None]
            else:
                found += [(number, line) for number, line in batch if search(line)]
    place = counted = 0
    for number, line in found:
        for _ in range(number - counted):
            place = data.index(b"\n", place) + 1
        counted = number
        yield place, line


def _hits_with(data: bytes, pattern: re.Pattern[str], hint: re.Pattern[bytes]) -> Iterator[tuple[int, str]]:
    """Find the same, by a text that each of them must have."""
    found = set()
    for wanted in (hint, *(pattern for byte, pattern in _OTHERS.items() if byte in data)):
        match = wanted.search(data)
        while match is not None:
            start = data.rfind(b"\n", 0, match.start()) + 1
            end = data.find(b"\n", match.end())
            end = len(data) if end < 0 else end
            found.add((start, end))
            match = wanted.search(data, end + 1)
    for start, end in sorted(found):
        plain = text.plain(data[start:end])
        with TimeLimit():
            line = _said(plain, pattern.search)
        if line is not None:
            yield start, line


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

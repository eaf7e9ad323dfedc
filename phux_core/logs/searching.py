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
# Most patterns have a text that each match must have, and bytes can be looked through for it many times quicker than
# lines without escape sequences can be matched. Colours may stand within it; lines with others are matched anyway.
_UNSEEN = rb"(?:\x1b\[[0-9;:]*m)*+"
_OTHERS = {
    b"\x1b": re.compile(rb"\x1b(?:[^\[]|\Z|\[[0-9;:]*+(?:[^m]|\Z))"),
    b"\xc2": re.compile(rb"\xc2[\x90-\x9f]"),
    **{byte: re.compile(re.escape(byte)) for byte in (b"\0", b"\a", b"\x7f")},
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
            for number, offset, line, before, after in _matches(stored, compiled, hint, context):
                if len(matches) >= most:
                    return {"matches": matches, "truncated": True}
                found: dict[str, Any] = {"log": str(log), "pane": log.pane, "line": number, "offset": offset}
                found["text"] = line[:_LONGEST_SHOWN]
                if context:
                    found["before"] = [_plain(other)[:_LONGEST_SHOWN] for other in before]
                    found["after"] = [_plain(other)[:_LONGEST_SHOWN] for other in after]
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
    stored: Stored, pattern: re.Pattern[str], hint: re.Pattern[bytes] | None, context: int
) -> Iterator[tuple[int, int, str, list[bytes], list[bytes]]]:
    """Find lines: the number of each among those that are kept, its place, its text, and what stands around it."""
    number = 1
    for place, data in _pieces(stored):
        counted = 0
        for start, end in _lines(data) if hint is None else _candidates(data, hint):
            line = _plain(data[start:end])
            if pattern.search(line):
                number += data.count(b"\n", counted, start)
                counted = start
                before = data[:start].split(b"\n")[-context - 1 : -1] if context else []
                after = data[end + 1 :].split(b"\n", context)[:context] if context else []
                yield number, place + start, line, before, after
        number += data.count(b"\n", counted)


def _plain(line: bytes) -> str:
    return text.strip(line).removesuffix("\r")


def _lines(data: bytes) -> Iterator[tuple[int, int]]:
    """Go through the lines of a piece."""
    start = 0
    for line in data.removesuffix(b"\n").split(b"\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _candidates(data: bytes, hint: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    """Go through the lines that may match."""
    found = set()
    for wanted in (hint, *(pattern for byte, pattern in _OTHERS.items() if byte in data)):
        match = wanted.search(data)
        while match is not None:
            start = data.rfind(b"\n", 0, match.start()) + 1
            end = data.find(b"\n", match.end())
            end = len(data) if end < 0 else end
            found.add((start, end))
            match = wanted.search(data, end + 1)
    yield from sorted(found)


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

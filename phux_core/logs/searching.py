"""Search logs for a pattern, line by line, without escape sequences.

A carriage return starts a new line here: a shell writes one before each command's output, and ``^error`` must match
after it.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from phux_core import escapes
from phux_core.logs import places, text
from phux_core.logs.listing import stored_commands
from phux_core.logs.stored import open_with
from phux_core.logs.timeline import Timeline
from phux_core.patterns import BATCH, TimeLimit, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from phux_core.logs.selecting import Selection
    from phux_core.logs.stored import Stored

DEFAULT_MATCHES = 1000
_PIECE = 1024 * 1024
_LONGEST_LINE = 4 * 1024 * 1024
_LONGEST_SHOWN = 1000
# Maximum bytes read on either side of a match for its context.
_MOST_AROUND = 256 * 1024
# Most patterns contain literal text that every match must have, and searching raw bytes for it is many times faster
# than stripping and matching all lines. SGR sequences may interrupt it; lines with other sequences are always matched.
_UNSEEN = rb"(?:%b)*+" % escapes.SGR
_OTHERS = {
    b"\x1b": escapes.OTHER_THAN_SGR,
    b"\xc2": re.compile(rb"\xc2[\x90-\x9f]"),
    **{byte: re.compile(re.escape(byte)) for byte in (b"\0", b"\a", b"\b", b"\x7f")},
}
_TOKEN = re.compile(r"\\(.)|\[\^?\]?(?:\\.|[^\]\\])*\]|\{[0-9,]*\}|(.)", re.DOTALL)
_QUANTIFIED = re.compile(r"[*?{]")


def search(
    root: str,
    logs: Sequence[places.LogId],
    pattern: str,
    *,
    selection: Selection | None = None,
    context: int = 0,
    most: int = DEFAULT_MATCHES,
    unwritten: tuple[int, bytes] | None = None,
) -> dict[str, Any]:
    """Search logs, in this order, for at most ``most`` matches of a pattern.

    Args:
        root: The directory of all logs.
        logs: The logs.
        pattern: The pattern.
        selection: Conditions for the commands that wrote the lines, and the time at which they were written.
        context: The lines to add around each match.
        most: The most matches.
        unwritten: The offset and the bytes of the end of the stream that no file has; only for a single log.

    Raises:
        BadRequestError: The pattern is invalid.
    """
    compiled = compile_pattern(pattern)
    literal = required_text(pattern)
    hint = None if literal is None else _in_raw_bytes(literal)
    matches: list[dict[str, Any]] = []
    for log in logs:
        try:
            stored = open_with(root, log, unwritten)
        except OSError:
            continue  # it was removed in the meantime
        with stored:
            commands = list(stored_commands(root, log))
            parts = None if selection is None else selection.parts(stored, commands)
            if parts == []:
                continue
            timeline = None
            for number, offset, after, line in _matches(stored, compiled, hint):
                if parts is not None and not any(_is_in(stored, offset, after, *part) for part in parts):
                    continue
                if len(matches) >= most:
                    return {"matches": matches, "truncated": True}
                found: dict[str, Any] = {"log": str(log), "pane": log.pane, "line": number, "offset": offset}
                found["text"] = line[:_LONGEST_SHOWN]
                timeline = timeline or Timeline(stored.directory)
                found |= {"at": timeline.time_at(after), "command_id": _writer(stored, commands, offset, after)}
                if context:
                    found["before"], found["after"] = _around(stored, offset, context)
                matches.append(found)
    return {"matches": matches, "truncated": False}


def _writer(stored: Stored, commands: Sequence[dict[str, Any]], offset: int, after: int) -> str | None:
    """Return the id of the command that wrote a line; None if it is not known."""
    for entry in reversed(commands):
        if entry["start"] is not None and entry["start"] < after:
            end = math.inf if entry["end"] is None else entry["end"]
            return str(entry["id"]) if _is_in(stored, offset, after, entry["start"], end) else None
    return None


def _is_in(stored: Stored, offset: int, after: int, start: float, end: float) -> bool:
    """Return whether a line, which may begin before a part of the log with a mark, has text in that part."""
    if start >= after or offset >= end:
        return False
    if end >= after:
        return True
    # A prompt follows. If the output ended with a line break, only marks precede it.
    first = max(offset, int(start))
    _start, data = stored.read(first, int(end) - first)
    return bool(text.plain(data).strip())


def required_text(pattern: str) -> str | None:
    r"""Return literal text that every match of a pattern contains; None if there is none or it is hard to determine.

    Example:
        >>> required_text(r"^error: \d+ in module_[a-z]+$")
        ' in module_'
        >>> required_text("this|that") is None
        True
    """
    if re.search(r"[|()]", pattern):
        return None  # an alternation, or a group that may be optional
    runs = [""]
    for token in _TOKEN.finditer(pattern):
        escaped, plain = token.groups()
        character = plain if escaped is None else escaped if not escaped.isalnum() else None
        following = pattern[token.end() : token.end() + 1]
        if character is None or (escaped is None and character in ".^$*+?{}[]\\"):
            runs.append("")
        elif _QUANTIFIED.match(following):
            runs.append("")  # it is optional
        else:
            runs[-1] += character
            if following == "+":
                runs.append("")
    longest = max(runs, key=len)
    return longest if len(longest) > 1 else None


def _in_raw_bytes(literal: str) -> re.Pattern[bytes]:
    """Return a pattern for literal text in bytes, possibly interrupted by SGR sequences."""
    return re.compile(_UNSEEN.join(re.escape(bytes([byte])) for byte in literal.encode("utf-8", "surrogatepass")))


def _matches(
    stored: Stored, pattern: re.Pattern[str], hint: re.Pattern[bytes] | None
) -> Iterator[tuple[int, int, int, str]]:
    """Yield each matching line: its number in the stored log, its offset, the offset after it, and its text."""
    number = 1
    for place, data in stored.pieces(stored.first, stored.end, _PIECE, _LONGEST_LINE):
        counted = 0
        for start, line in _hits(data, pattern) if hint is None else _hits_with(data, pattern, hint):
            number += data.count(b"\n", counted, start)
            counted = start
            after = data.find(b"\n", start)
            yield number, place + start, place + (len(data) if after < 0 else after), line
        number += data.count(b"\n", counted)


def _last_match(line: str, search: Callable[[str], object]) -> str | None:
    """Return the last part of a line, split at carriage returns, that matches; None if none does."""
    return next((part for part in reversed(line.split("\r")) if search(part)), None)


def _around(stored: Stored, place: int, context: int) -> tuple[list[str], list[str]]:
    """Return the lines before and after the one that begins at an offset."""
    low = stored.start_of_last_lines(context, stored.first, place, _MOST_AROUND)
    _start, before = stored.read(low, place - low)
    _start, following = stored.read(place, _MOST_AROUND)
    after = following.removesuffix(b"\n").split(b"\n", context + 1)[1 : context + 1]
    return _shown(before.split(b"\n")[:-1]), _shown(after)


def _shown(lines: list[bytes]) -> list[str]:
    return [text.plain(line).rpartition("\r")[2][:_LONGEST_SHOWN] for line in lines]


def _hits(data: bytes, pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Yield each matching line of a piece: its position and its text."""
    search = pattern.search
    # No escape sequence spans a line break, so all lines can be stripped at once, which is many times faster.
    plain = text.plain(data.removesuffix(b"\n"))
    lines = plain.split("\n")
    rewritten = "\r" in plain
    found: list[tuple[int, str]] = []
    for first in range(0, len(lines), BATCH):
        batch = enumerate(lines[first : first + BATCH], first)
        with TimeLimit():
            if rewritten:
                found += [(number, part) for number, line in batch if (part := _last_match(line, search)) is not None]
            else:
                found += [(number, line) for number, line in batch if search(line)]
    place = counted = 0
    for number, line in found:
        for _ in range(number - counted):
            place = data.index(b"\n", place) + 1
        counted = number
        yield place, line


def _hits_with(data: bytes, pattern: re.Pattern[str], hint: re.Pattern[bytes]) -> Iterator[tuple[int, str]]:
    """Like ``_hits``, but match only lines that contain the hint or unusual sequences."""
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
            line = _last_match(plain, pattern.search)
        if line is not None:
            yield start, line

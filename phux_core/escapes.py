"""The grammar of escape sequences (ECMA-48 and xterm), for code that reads bytes without a terminal.

The engines have parsers of their own, which keep state and assign meaning.
"""

import re

SGR = rb"\x1b\[[0-9;:]*+m"
"""A colour or another look of text, as a part of patterns: most of the escape sequences there are."""

OTHER_THAN_SGR = re.compile(rb"\x1b(?!\[[0-9;:]*+m)")
"""The ESC of any other sequence."""

CSI = re.compile(rb"\x1b\[([0-?]*)([ -/]*)([@-~])")
"""A control sequence: its parameters, its intermediate bytes and its final byte."""

UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|[ -/]+|[\]PX^_][^\x07\x1b\x18\x1a]*\x1b?)?\Z")
"""A sequence at the end, of which the rest is still to come."""

STRING_OPENERS = frozenset(b"]PX^_")
"""Bytes that make a control string (OSC, DCS, SOS, PM, APC) when they follow ESC."""

STRING_END = re.compile(rb"\x07|\x1b\\|\x9c|[\x18\x1a]")
"""The end of a control string, or the control character that cancels it."""

_SGR = re.compile(SGR)
# Control sequences, control strings, and escapes of two and three characters; those of one byte stand in two as UTF-8.
# None takes the end of a line along: one that was never finished must not hide what follows.
_SEQUENCE = re.compile(
    rb"(?:\x1b\[|\xc2\x9b)[0-?]*[ -/]*[@-~]"
    rb"|(?:\x1b\]|\xc2\x9d)[^\x07\x1b\x18\x1a\n]*(?:\x07|\x1b\\)?"
    rb"|(?:\x1b[PX^_]|\xc2[\x90\x98\x9e\x9f])[^\x1b\x18\x1a\n]*(?:\x1b\\)?"
    rb"|\x1b[ -/]*[0-~]"
    rb"|\x1b"
)
_TRACELESS = re.compile(SGR + rb"|\x1b(?:\][^\x07\x1b\x18\x1a]*(?:\x07|\x1b\\)|[PX^_][^\x1b\x18\x1a]*\x1b\\)")
_IN_PLACE = re.compile(SGR + rb"|\x1b(?:[\]PX^_ -/]|\[0?K)")


def strip(data: bytes) -> bytes:
    r"""Take all sequences out.

    Example:
        >>> strip(b"\x1b[1;32mok\x1b[0m\r\n\x1b]0;title\x07done")
        b'ok\r\ndone'
    """
    if b"\x1b" in data:
        data = _SGR.sub(b"", data)
    return _SEQUENCE.sub(b"", data) if b"\x1b" in data or b"\xc2" in data else data


def strip_traceless(data: bytes) -> bytes:
    """Take out the sequences that neither move the cursor nor erase: SGR and finished control strings."""
    return _TRACELESS.sub(b"", data) if b"\x1b" in data else data


def break_at_motion(data: bytes) -> bytes:
    r"""Put a newline in place of each sequence that may move the cursor, and take the others out.

    Example:
        >>> break_at_motion(b"a\x1b[31mb\x1b[2;5Hc")
        b'ab\nc'
    """
    return _SEQUENCE.sub(lambda match: b"" if _IN_PLACE.match(match[0]) else b"\n", _SGR.sub(b"", data))


def after_last_motion(data: bytes, start: int) -> int:
    """Return where the last sequence that may move the cursor ends, ``start`` if none follows that."""
    for match in _SEQUENCE.finditer(data, start):
        if not _IN_PLACE.match(match[0]):
            start = match.end()
    return start


def cut_unfinished(data: bytes) -> bytes:
    r"""Leave out a sequence at the end of which the rest is still to come.

    Example:
        >>> cut_unfinished(b"text\x1b[3")
        b'text'
    """
    last = data.rfind(b"\x1b", 0, -1)  # the last byte alone may be half the end of a control string
    unfinished = UNFINISHED.search(data, len(data) - 1 if last < 0 else last) if data else None
    return data[: unfinished.start()] if unfinished else data


def osc(number: int) -> re.Pattern[bytes]:
    """Make a pattern for operating system commands of one number, finished or not."""
    return re.compile(rb"\x1b\]%d;[^\x07\x1b]*(?:\x07|\x1b\\)?" % number)

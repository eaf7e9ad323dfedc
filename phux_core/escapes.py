"""The grammar of escape sequences (ECMA-48 and xterm), for code that reads bytes without a terminal.

The engines have their own parsers, which keep state and assign meaning.
"""

import re

SGR = rb"\x1b\[[0-9;:]*+m"
"""The pattern of an SGR sequence (text style), the most frequent sequence."""

OTHER_THAN_SGR = re.compile(rb"\x1b(?!\[[0-9;:]*+m)")
"""The ESC of any other sequence."""

CSI = re.compile(rb"\x1b\[([0-?]*)([ -/]*)([@-~])")
"""A control sequence: its parameters, its intermediate bytes and its final byte."""

UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|[ -/]+|[\]PX^_][^\x07\x1b\x18\x1a]*\x1b?)?\Z")
"""An incomplete sequence at the end."""

STRING_OPENERS = frozenset(b"]PX^_")
"""Bytes that start a control string (OSC, DCS, SOS, PM, APC) after ESC."""

OSC_END = re.compile(rb"\x07|\x1b\\|(?=[\x18\x1a]|\x1b[^\\])", re.DOTALL)
"""The end of an OSC in output: BEL, ST, or the place before a character that ends or cancels it."""

CSI_BEGUN = re.compile(rb"\x1b\[[ -?]*")
"""A control sequence without its final byte."""

STRING_END = re.compile(rb"\x07|\x1b\\|\x9c|[\x18\x1a]")
"""The end of a control string, or the control character that cancels it."""

_SGR = re.compile(SGR)
# Control sequences, control strings, and short escapes; C1 controls appear in their two-byte UTF-8 form.
# No match spans a line break: an unfinished sequence must not hide the text after it.
_SEQUENCE = re.compile(
    rb"(?:\x1b\[|\xc2\x9b)[0-?]*[ -/]*[@-~]"
    rb"|(?:\x1b\]|\xc2\x9d)[^\x07\x1b\x18\x1a\n]*(?:\x07|\x1b\\)?"
    rb"|(?:\x1b[PX^_]|\xc2[\x90\x98\x9e\x9f])[^\x1b\x18\x1a\n]*(?:\x1b\\)?"
    rb"|\x1b[ -/]*[0-~]"
    rb"|\x1b"
)
# Modes that change neither the cursor's position nor the text: keys, cursor style, mouse, focus, paste and drawing.
_MODES = rb"(?:1|12|25|100[0-6]|1015|2004|2026|2031)"
_TRACELESS = re.compile(
    SGR + rb"|\x1b(?:\][^\x07\x1b\x18\x1a]*(?:\x07|\x1b\\)|[PX^_][^\x1b\x18\x1a]*\x1b\\"
    rb"|\[\?%b(?:;%b)*[hl]|\[[<=>][0-9;]*[mu]|\(B|[=>])" % (_MODES, _MODES)
)
_IN_PLACE = re.compile(_TRACELESS.pattern + rb"|\x1b(?:[\]PX^_ -/]|\[0?K)")


def strip(data: bytes) -> bytes:
    r"""Remove all sequences.

    Example:
        >>> strip(b"\x1b[1;32mok\x1b[0m\r\n\x1b]0;title\x07done")
        b'ok\r\ndone'
    """
    if b"\x1b" in data:
        data = _SGR.sub(b"", data)
    return _SEQUENCE.sub(b"", data) if b"\x1b" in data or b"\xc2" in data else data


def strip_traceless(data: bytes) -> bytes:
    r"""Remove sequences that neither move the cursor nor erase, such as most sequences around a prompt.

    Example:
        >>> strip_traceless(b"\x1b[?2004h\x1b]0;title\x07\x1b[01;31mred\x1b[m$ ")
        b'red$ '
    """
    return _TRACELESS.sub(b"", data) if b"\x1b" in data else data


def break_at_motion(data: bytes) -> bytes:
    r"""Put a newline in place of each sequence that may move the cursor, and remove the others.

    Example:
        >>> break_at_motion(b"a\x1b[31mb\x1b[2;5Hc")
        b'ab\nc'
    """
    return _SEQUENCE.sub(lambda match: b"" if _IN_PLACE.match(match[0]) else b"\n", _SGR.sub(b"", data))


def after_last_motion(data: bytes, start: int) -> int:
    """Return the end of the last sequence after ``start`` that may move the cursor; ``start`` if there is none."""
    for match in _SEQUENCE.finditer(data, start):
        if not _IN_PLACE.match(match[0]):
            start = match.end()
    return start


def cut_unfinished(data: bytes) -> bytes:
    r"""Remove an incomplete sequence at the end.

    Example:
        >>> cut_unfinished(b"text\x1b[3")
        b'text'
    """
    last = data.rfind(b"\x1b", 0, -1)  # an ESC as the last byte may be half of a string terminator
    unfinished = UNFINISHED.search(data, len(data) - 1 if last < 0 else last) if data else None
    return data[: unfinished.start()] if unfinished else data


def osc(number: int) -> re.Pattern[bytes]:
    """Return a pattern for OSC sequences with this number, finished or not."""
    return re.compile(rb"\x1b\]%d;[^\x07\x1b]*(?:\x07|\x1b\\)?" % number)

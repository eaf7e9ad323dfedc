"""What a part of a pane's stream shows, without blanks and escapes: to find there what was typed.

Line editors put both where a line is wrapped, coloured or drawn again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from phux_core.engine.plain import as_written

# An escape sequence, of which the rest may be still to come; or what shows.
_TOKEN = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)|([^\x00-\x20\x1b\x7f]+)"
)
# Wider than any prompt.
_WIDE = 1000
# So much of a text tells where it may begin.
_TELLING = 64


class Shown(NamedTuple):
    """What a part of the stream shows.

    Attributes:
        text: Its characters, without blanks.
        firsts: Which characters have a blank or an escape before them.
        places: Where these stand in the stream.
        end: Where the part ends.
    """

    text: bytes
    firsts: list[int]
    places: list[int]
    end: int

    def place(self, index: int) -> int:
        """Tell where in the stream a character stands."""
        run = bisect_right(self.firsts, index) - 1
        return self.places[run] + index - self.firsts[run]

    def stretch(self, first: int, size: int) -> tuple[int, int]:
        """Tell from where to where in the stream some characters stand."""
        return self.place(first), self.place(first + size - 1) + 1


def read(data: bytes, place: int) -> Shown:
    r"""Find what a part of the stream shows.

    Args:
        data: The part.
        place: Where it begins.

    Example:
        >>> read(b"\x1b[1mab\x1b[0m \r\ncd", 100).stretch(1, 2)
        (105, 114)
    """
    firsts, places, pieces, size = [0], [place], [], 0
    for token in _TOKEN.finditer(data):
        if token[1]:
            firsts.append(size)
            places.append(place + token.start())
            pieces.append(token[1])
            size += len(token[1])
    return Shown(b"".join(pieces), firsts, places, place + len(data))


def characters(data: bytes) -> bytes:
    r"""Give only what a part of the stream shows.

    Example:
        >>> characters(b"\x1b[1ma b\x1b[0m\r\n")
        b'ab'
    """
    return b"".join(_TOKEN.findall(data))


def drawn(row: bytes) -> bytes:
    r"""Give what stands on a row in the end, without blanks behind it.

    Example:
        >>> drawn(b"$ \r\x1b[K$   \x08\x08")
        b'$'
    """
    return as_written(row, cols=_WIDE, rows=1).rstrip().encode()


def begun(text: bytes, wanted: bytes) -> int:
    """Tell how much of a text's end may be the beginning of another.

    Example:
        >>> begun(b"one tw", b"two")
        2
    """
    first = text.rfind(wanted[:_TELLING])
    if first >= 0:
        return len(text) - first if wanted.startswith(text[first:]) else 0
    sizes = range(min(len(text), len(wanted), _TELLING), 0, -1)
    return next((size for size in sizes if text.endswith(wanted[:size])), 0)


def as_echoed(data: bytes) -> bytes:
    r"""Write control characters as a terminal shows them; what erases, and tabs, as nothing.

    Example:
        >>> as_echoed(b"a\x1b[Ab\x7fc")
        b'a^[[Abc'
    """
    return b"".join(
        b"" if byte in b"\t\x08\x15\x17\x7f" else b"^" + bytes([byte ^ 0x40]) if byte < ord(" ") else bytes([byte])
        for byte in data
    )


def look_in_rows(shown: Shown, data: bytes, text: bytes) -> list[tuple[int, int]]:
    """Find a row that ends with a text, behind something else: a prompt that was never seen."""
    first = 0
    for row in data.split(b"\n")[:-1]:
        size = len(characters(row))
        if size > len(text) and shown.text[first : first + size].endswith(text):
            return [(first + size - len(text), len(text))]
        first += size
    return []

r"""Hyperlinks (OSC 8) beside the engine.

libghostty can crash when it resizes a screen with hyperlinks. So the engines never see them. Instead, the tap gives the
text of a link an underline color that stands for the link. An underline color is a property of a cell like any other:
it moves, wraps and is erased with its cell, and engines keep it in their checkpoints. Readers of cells translate it
back with ``resolve``. The text of a link therefore has no underline color of its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from phux_core.engine.protocol import DEFAULT_STYLE

if TYPE_CHECKING:
    from phux_core.engine.protocol import Style

MAX_URI = 2083
"""Maximum length of a URI; this is also VTE's limit."""
MAX_TOTAL = 256 * 1024
"""Maximum length of all URIs together. After that, the oldest are forgotten."""

# Colors are used in this order. The first ones are too dark for underlines that a program wants to be seen.
_FIRST, _END = 0x010000, 0x1000000
_URI = re.compile(rb"[!-~]{1,%d}" % MAX_URI)
# SGR, which may change the color, and the sequences after which text is no longer linked: RIS and DECSTR.
_AFFECTING = re.compile(rb"\x1b(?:\[[0-9;:]{0,60}+m|c|\[!p)")
_BEGUN = re.compile(rb"\x1b\[(?:!|[0-9;:]{0,60}+)\Z")


class Links:
    """The hyperlinks of one terminal, and the link that is open."""

    __slots__ = ("_colors", "_next", "_pen", "_total", "_uris")

    def __init__(self) -> None:
        self._uris: dict[int, str] = {}
        self._colors: dict[str, int] = {}
        self._next = _FIRST
        self._total = 0
        self._pen: bytes | None = None

    @property
    def is_open(self) -> bool:
        """Whether the text that follows belongs to a link."""
        return self._pen is not None

    @property
    def is_used(self) -> bool:
        """Whether there was a link."""
        return self._next != _FIRST

    def follow(self, body: bytes) -> bytes:
        """Open or close a link.

        Args:
            body: The body of an OSC 8: parameters, a semicolon, and the URI, which is empty to close the link.

        Returns:
            The sequence for the engine.
        """
        was_open = self.is_open
        uri = body.partition(b";")[2]
        if _URI.fullmatch(uri):
            color = self._color(uri.decode())
            self._pen = b"\x1b[58;2;%d;%d;%dm" % (color >> 16, color >> 8 & 0xFF, color & 0xFF)
            return self._pen
        self._pen = None
        return b"\x1b[59m" if was_open else b""

    def _color(self, uri: str) -> int:
        color = self._colors.get(uri)
        if color is None:
            color = self._next
            self._next = color + 1 if color + 1 < _END else _FIRST
            self._forget(color)
            self._uris[color] = uri
            self._colors[uri] = color
            self._total += len(uri)
            while self._total > MAX_TOTAL:
                self._forget(next(iter(self._uris)))
        return color

    def _forget(self, color: int) -> None:
        uri = self._uris.pop(color, None)
        if uri is not None:
            del self._colors[uri]
            self._total -= len(uri)

    def mark(self, data: bytes) -> bytes:
        """Return output with the color of the open link restored after each sequence that may change it."""
        return data if self._pen is None or b"\x1b" not in data else _AFFECTING.sub(self._restore, data)

    def _restore(self, found: re.Match[bytes]) -> bytes:
        if self._pen is None or found[0].endswith(b"m"):
            return found[0] + (self._pen or b"")
        self._pen = None
        return found[0]

    def unfinished(self, data: bytes) -> int:
        """Return the number of bytes at the end that may begin a sequence which ``mark`` must see as a whole."""
        found = _BEGUN.search(data, max(0, len(data) - 64)) if self.is_open else None
        return 0 if found is None else len(found[0])

    def resolve(self, style: Style) -> Style:
        """Return a cell's style with its link in place of the color that stands for it."""
        color = style.underline_color
        if not isinstance(color, tuple) or not self.is_used:
            return style
        number = color[0] << 16 | color[1] << 8 | color[2]
        if not _FIRST <= number < self._next and number not in self._uris:
            return style
        linked = style._replace(underline_color=None, link=self._uris.get(number))
        return DEFAULT_STYLE if linked == DEFAULT_STYLE else linked

    def dump(self) -> list[object]:
        """Return the state in a form that JSON supports."""
        return [self._next, None if self._pen is None else self._pen.decode(), list(self._uris.items())]

    @classmethod
    def load(cls, dumped: list[object]) -> Links:
        """Restore the links from ``dump``.

        Raises:
            ValueError: The value is not a valid dump.
        """
        links = cls()
        try:
            number, pen, uris = dumped
            links._next, links._pen = int(str(number)), None if pen is None else str(pen).encode()
            links._uris = {int(color): str(uri) for color, uri in uris}  # type: ignore[attr-defined]  # or an error
        except TypeError as error:
            raise ValueError("the value is not the state of hyperlinks") from error
        links._colors = {uri: color for color, uri in links._uris.items()}
        links._total = sum(map(len, links._colors))
        return links

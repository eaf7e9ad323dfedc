"""Casts: recordings in the formats of asciinema, asciicast version 2 and 3.

A cast has one JSON value per line: a header, and events with a time, a kind and a text. Version 2 counts the time from
the start, version 3 from the previous event. No I/O: a ``Cast`` turns output and other steps of a recording into lines.

A cast has neither phux's own marks nor clipboard sequences, so playing one does not change a clipboard.
"""

import codecs
import json
import re

from phux_client.pictures import draw
from phux_core.printable import escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

VERSIONS = (2, 3)
_WITHHELD = rb"\x1b\](?:7748|5522|52);[^\x07\x1b\x18\x1a]*"
_FINISHED = re.compile(_WITHHELD + rb"(?:\x07|\x1b\\|(?=\x1b[^\\])|(?=([\x18\x1a])))")
_BEGUN = re.compile(rb"\x1b(?:\][0-9]{0,4})?\Z|" + _WITHHELD + rb"\x1b?\Z")
_MAX_HELD = 64 * 1024
_SHAPES = {"underline": 4, "bar": 6}


class Cast:
    """A cast whose lines are made one after the other. Times are in epoch seconds and may not decrease.

    Args:
        version: The version of the format, 2 or 3.
        started_at: The time of the start.
    """

    def __init__(self, version: int, started_at: float) -> None:
        self._version = version
        self._start_ms = self._last_ms = round(started_at * 1000)
        self._filter = _Filter()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def header(self, cols: int, rows: int, ended_at: float) -> str:
        r"""Return the first line.

        Example:
            >>> Cast(3, 1_750_000_000).header(80, 24, ended_at=1_750_000_060)
            '{"version": 3, "term": {"cols": 80, "rows": 24}, "timestamp": 1750000000}\n'
        """
        timestamp = self._start_ms // 1000
        if self._version == 3:
            return _line({"version": 3, "term": {"cols": cols, "rows": rows}, "timestamp": timestamp})
        duration = max(0, round(ended_at * 1000) - self._start_ms) / 1000
        return _line({"version": 2, "width": cols, "height": rows, "timestamp": timestamp, "duration": duration})

    def screen(self, document: "Document") -> str:
        """Return the event that draws a ScreenState document with cells, for a cast that starts in a recording."""
        return self._event(None, "o", _painting(document))

    def output(self, at: float, data: bytes) -> str:
        """Return the event for output; empty if nothing is to be shown yet.

        A character split between two pieces of output belongs to the second one. Invalid bytes become U+FFFD.
        """
        text = self._decoder.decode(self._filter.feed(data))
        return self._event(at, "o", text) if text else ""

    def resized(self, at: float, cols: int, rows: int) -> str:
        """Return the event for a new size."""
        return self._event(at, "r", f"{cols}x{rows}")

    def typed(self, at: float, text: str) -> str:
        """Return the event for typed input."""
        return self._event(at, "i", text)

    def marker(self, at: float, label: str) -> str:
        """Return the event for a marker, to which a player can jump."""
        return self._event(at, "m", label)

    def exited(self, at: float, status: int) -> str:
        """Return the event for the program's end; version 2 has no such event."""
        return self._event(at, "x", str(status)) if self._version == 3 else ""

    def _event(self, at: float | None, kind: str, text: str) -> str:
        now = self._last_ms if at is None else max(self._last_ms, round(at * 1000))
        since = self._last_ms if self._version == 3 else self._start_ms
        self._last_ms = now
        return _line([(now - since) / 1000, kind, text])


def _line(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return escaped(text.encode("utf-8", "replace").decode()) + "\n"  # no surrogates, which strict parsers reject


def _painting(document: "Document") -> str:
    """Return the sequences that draw a screen on a blank terminal of the same size."""
    rows = str(draw(document, "ansi")).split("\n")[:-1]
    parts = ["\x1b[?1049h\x1b[H"] if document.get("alt_screen") else []
    parts += [f"\x1b[{y}H{row}" for y, row in enumerate(rows, 1) if row]
    cursor = document["cursor"]
    parts.append(f"\x1b[{cursor['y'] + 1};{cursor['x'] + 1}H")
    if document.get("cursor_shape") in _SHAPES:
        parts.append(f"\x1b[{_SHAPES[document['cursor_shape']]} q")
    if not cursor["visible"]:
        parts.append("\x1b[?25l")
    return "".join(parts)


class _Filter:
    """Remove phux's marks and clipboard sequences from output that may be split anywhere, as the engines do."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Return the output so far without these sequences; an unfinished one is held back."""
        data = self._held + data
        self._held = b""
        if b"\x1b" not in data:
            return data
        # In place of a removed sequence, ST: the bytes before and after it must not combine into another one.
        data = _FINISHED.sub(lambda match: b"\x1b" if match[1] else b"\x1b\\", data)
        begun = _BEGUN.search(data)
        if begun is not None:
            self._held = begun[0] if len(begun[0]) <= _MAX_HELD else b"\x1b]52;" + b"\x1b" * begun[0].endswith(b"\x1b")
            data = data[: begun.start()]
        return data

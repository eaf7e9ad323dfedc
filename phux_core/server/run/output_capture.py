"""The output of a command, truncated to the requested size."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from phux_core import escapes
from phux_core.engine.plain import as_written

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.keeper.journal import Journal

MOST_BYTES = 16 * 1024 * 1024
"""Maximum output size that can be requested."""
DEFAULT_BYTES = 1024 * 1024
# Bytes of the stream read at each end: far more than requested, because escape sequences and overwritten lines take
# space in the stream but not in the text.
_KEPT = MOST_BYTES


# Enough for the invisible bytes that may follow the last newline.
_LONGEST_END = 256


class Stretch(NamedTuple):
    """A part of the stream whose middle may be missing.

    Attributes:
        head: Its first bytes.
        omitted: Number of missing bytes.
        tail: Its last bytes.
    """

    head: bytes
    omitted: int
    tail: bytes


def read_output(journal: Journal, read_log: Callable[[int, int], bytes], start: int, end: int) -> Stretch:
    """Read a part of the stream from the journal, and what the journal no longer has from the log.

    ``read_log`` returns a part of the stream, all of it or nothing.
    """
    oldest = min(max(start, journal.oldest), end)
    if oldest == start:
        return Stretch(journal.since(start, end - start), 0, b"")
    head_end = min(oldest, start + _KEPT)
    head = read_log(start, head_end)
    tail = read_log(max(head_end, oldest - _KEPT), oldest) + journal.since(oldest, end - oldest)
    tail = tail[-_KEPT:]
    return Stretch(head, end - start - len(head) - len(tail), tail)


class Text(NamedTuple):
    """Output as returned to the caller, with a line in place of omitted bytes."""

    text: str
    omitted: int


def render(stretch: Stretch, *, cols: int, rows: int, raw: bool, most: int) -> Text:
    """Convert a command's output to text, at most ``most`` bytes of it, from both ends."""
    if stretch.omitted:
        first, last = (_text(part, cols=cols, rows=rows, raw=raw) for part in (stretch.head, stretch.tail))
        size = len(first) + len(last)
    else:
        first = last = _text(stretch.head + stretch.tail, cols=cols, rows=rows, raw=raw)
        size = len(first)
        if size <= most:
            return Text(first.decode(), 0)
    head, tail = _cut_end(first, most // 2), _cut_start(last, most - most // 2)
    omitted = stretch.omitted + size - len(head) - len(tail)
    note = f"[phux: {omitted} bytes left out]"
    return Text("\n".join(part for part in (head.decode().removesuffix("\n"), note, tail.decode()) if part), omitted)


def ends_with_newline(stretch: Stretch) -> bool:
    r"""Return whether output ends with a newline, ignoring colours after it.

    Example:
        >>> ends_with_newline(Stretch(b"red\r\n\x1b[0m", 0, b"")), ends_with_newline(Stretch(b"50%", 0, b""))
        (True, False)
    """
    return escapes.strip((stretch.tail or stretch.head)[-_LONGEST_END:]).rstrip(b"\r\x0f").endswith(b"\n")


def _text(data: bytes, *, cols: int, rows: int, raw: bool) -> bytes:
    if raw:
        return data.decode("utf-8", "replace").replace("\r\n", "\n").encode()
    return as_written(data, cols=cols, rows=rows).encode()


def _cut_end(text: bytes, most: int) -> bytes:
    """Return the first bytes of a text: whole lines if possible, else whole characters."""
    if len(text) <= most:
        return text
    cut = text[:most]
    return cut[: cut.rfind(b"\n") + 1] or cut.decode("utf-8", "ignore").encode()


def _cut_start(text: bytes, most: int) -> bytes:
    if len(text) <= most:
        return text
    cut = text[len(text) - most :]
    line = cut.find(b"\n") + 1
    return cut[line:] if 0 < line < len(cut) else cut.decode("utf-8", "ignore").encode()

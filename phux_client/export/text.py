"""The text of a recording to search in: the lines that its frames show, and those that scrolled past between two."""

import re
from collections import Counter

from phux_core import escapes
from phux_core.width import columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from phux_client.export.film import Film, Run
    from phux_client.export.material import Output
    from phux_client.flows._types import Document

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]+")

_ERASE_REST = b"\x1b[K"
_LONGEST_START = 4096


def text_of(film: "Film", output: "Output", starts: "Sequence[int]") -> "Document":
    """Return the ``text``, and ``blocks`` with a frame, and how many of its lines scrolled past and are shown in it.

    A line that a program writes piece by piece counts once, when it is complete. A line that is shown again counts
    again only after the start of another command.

    Args:
        film: The film.
        output: The output of the same part of the recording.
        starts: The times of the starts of commands, in milliseconds.
    """
    shown = _Shown(film)
    passed: dict[int, list[str]] = {}
    commands = iter(starts)
    start = next(commands, None)
    before, cols, rows = None, 0, 0
    for index, (ms, seq, _cursor, changes, size) in enumerate(film.frames):
        while start is not None and start <= ms:
            shown.forget()
            start = next(commands, None)
        if before is not None:
            passed[index] = _passed(output, before, seq, cols, rows)
        cols, rows = size or (cols, rows)
        shown.add(index, changes, rows if size else None)
        before = seq
    shown.finish()
    if before is not None:  # later output left the same screen
        passed.setdefault(len(film.frames) - 1, []).extend(_passed(output, before, output.end, cols, rows))
    blocks, text = [], []
    for index in range(len(film.frames)):
        lines, appeared = passed.get(index, []), shown.lines.get(index, [])
        if lines or appeared:
            blocks.append([index, len(lines), len(appeared)])
            text += [*lines, *appeared]
    return {"blocks": blocks, "text": "\n".join(text)}


def _passed(output: "Output", start: int, end: int, cols: int, rows: int) -> list[str]:
    """Return the lines of output that were written and scrolled off a screen of this size."""
    if end - start < rows:
        return []
    data = output.between(start, end)
    lines = _lines(data)
    room = rows
    while lines and (room := room - max(1, -(-columns(lines[-1]) // cols))) >= 0:
        lines.pop()
    if lines and lines[0]:  # it continues a line that was shown
        begun = output.between(start - _LONGEST_START, start).rpartition(b"\n")[2]
        lines[0] = _lines(begun + data.partition(b"\n")[0])[0]
    return list(filter(None, lines))


def _lines(data: bytes) -> list[str]:
    """Return the lines of output as they are at last; lines in which the cursor moves are empty."""
    lines = escapes.strip_traceless(data).replace(_ERASE_REST, b"").decode("utf-8", "replace").split("\n")
    # After a carriage return, a line is written again.
    return [
        "" if "\x1b" in line else _CONTROLS.sub("", line.rstrip("\r").rpartition("\r")[2]).rstrip() for line in lines
    ]


class _Shown:
    """Follows the texts on the screen.

    Attributes:
        lines: The lines that first appeared in each frame.
    """

    def __init__(self, film: "Film") -> None:
        self.lines: dict[int, list[str]] = {}
        self._film = film
        self._texts: dict[int, str] = {}
        self._screen: list[str] = []
        self._counts: Counter[str] = Counter()
        self._appeared: dict[str, int] = {}
        self._known: set[str] = set()

    def add(self, index: int, changes: "Sequence[Sequence[int]]", rows: int | None) -> None:
        """Apply the changes of a frame, on a blank screen with that many rows if its size is new."""
        gone: list[str] = []
        came: list[str] = []
        if rows is not None:
            gone += self._screen
            self._counts.clear()
            self._screen = [""] * rows
        for first, *numbers in changes:
            for y, number in enumerate(numbers, first):
                text = self._text(number)
                gone.append(self._screen[y])
                came.append(text)
                self._counts[self._screen[y]] -= 1
                self._counts[text] += 1
                self._screen[y] = text
        for text in came:
            if text:
                self._appeared.setdefault(text, index)
        for text in gone:
            if self._counts[text] <= 0 and text in self._appeared:
                at = self._appeared.pop(text)
                if not any(longer.startswith(text) for longer in came):
                    self._keep(at, text)

    def forget(self) -> None:
        """Let lines that are shown again count again."""
        self._known.clear()

    def finish(self) -> None:
        """Keep the lines that are still shown."""
        for text, at in self._appeared.items():
            self._keep(at, text)

    def _keep(self, index: int, text: str) -> None:
        if text not in self._known:
            self._known.add(text)
            self.lines.setdefault(index, []).append(text)

    def _text(self, number: int) -> str:
        if number not in self._texts:
            self._texts[number] = row_text(self._film.rows[number])
        return self._texts[number]


def row_text(runs: "Sequence[Run]") -> str:
    """Return the text of a row.

    Example:
        >>> row_text([(0, 1, "ls", 0), (4, 2, "日本", 1)])
        'ls  日本'
    """
    return "".join(_parts(runs)).rstrip()


def _parts(runs: "Sequence[Run]") -> "Iterator[str]":
    column = 0
    for start, width, glyphs, _style in runs:
        yield " " * (start - column)
        yield from glyphs
        column = start + len(glyphs) * width

"""All frames of a film, with rows and styles that the pages share; ``phux_core.logs.film`` describes the format."""

import base64
import json
import zlib

from phux_core.errors import LimitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from phux_client.flows._types import Document

    Run: TypeAlias = tuple[int, int, str | list[str], int]
    """The column, the width of a glyph, the glyphs, and the number of the style."""
    Frame: TypeAlias = tuple[int, int, list[object], list[list[int]], list[int] | None]
    """The time in milliseconds, the sequence number, the cursor, the changes, and after a resize the size."""

MOST_FRAMES = 20_000
_FRAME_MS = 33
_MOST_CHARACTERS = 128 * 1024 * 1024


def frame_ms(times: "Iterable[float]") -> int:
    """Return the shortest time between two frames for which there are not too many, given the times of output.

    Example:
        >>> frame_ms(range(1000)), frame_ms(second / 100 for second in range(1_000_000))
        (33, 528)
    """
    times = list(times)
    shortest_ms = _FRAME_MS
    while True:
        count, shown_at = 0, 0.0
        for at in times:
            if at - shown_at >= shortest_ms / 1000:
                count, shown_at = count + 1, at
        if count <= MOST_FRAMES:
            return shortest_ms
        shortest_ms *= 2


class Film:
    """The frames of several pages.

    Attributes:
        styles: ``[flags, underline, fg, bg, underline_color]`` each.
        rows: The runs of each row; the first row is blank.
        frames: The frames, with changes as in a page. No two are at the same time, so each can be shown.
    """

    def __init__(self, started_at: float) -> None:
        self.styles: list[object] = []
        self.rows: list[list[Run]] = [[]]
        self.frames: list[Frame] = []
        self._started_at = started_at
        self._style_numbers: dict[str, int] = {}
        self._row_numbers: dict[str, int] = {"[]": 0}
        self._characters = 0
        self._shown: list[int] = []
        self._size: list[int] = []
        self._cursor: list[object] = []

    def add(self, page: "Document") -> None:
        """Add a page, given the reply with its compressed ``data``.

        Raises:
            LimitError: The film is too large.
        """
        document = json.loads(zlib.decompress(base64.b64decode(page["data"])))
        styles = [self._style(style) for style in document["styles"]]
        rows = [self._row([(*run[:3], styles[run[3]]) for run in runs]) for runs in document["rows"]]
        start_ms = round((page["start"] - self._started_at) * 1000)
        shown: list[int] = []
        for ms, seq, cursor, changes, *size in document["frames"]:
            if size:
                shown = [0] * size[0][1]
            for first, *numbers in changes:
                shown[first : first + len(numbers)] = [rows[number] for number in numbers]
            self._show(start_ms + ms, seq, cursor, shown, size[0] if size else self._size)

    def _style(self, style: object) -> int:
        key = json.dumps(style)
        if key not in self._style_numbers:
            self._style_numbers[key] = len(self.styles)
            self.styles.append(style)
        return self._style_numbers[key]

    def _row(self, runs: "list[Run]") -> int:
        key = json.dumps(runs)
        if key not in self._row_numbers:
            self._row_numbers[key] = len(self.rows)
            self.rows.append(runs)
            self._characters += len(key)
            if self._characters > _MOST_CHARACTERS:
                raise LimitError("the recording is too large for a page", remedy="export a part with --from and --to")
        return self._row_numbers[key]

    def _show(self, ms: int, seq: int, cursor: list[object], shown: list[int], size: list[int]) -> None:
        """Add a frame, unless it shows the same as the last one."""
        resized = size != self._size
        before = [0] * len(shown) if resized else self._shown
        changes: list[list[int]] = []
        for y, (old, new) in enumerate(zip(before, shown, strict=True)):
            if old == new:
                continue
            if changes and y == changes[-1][0] + len(changes[-1]) - 1:
                changes[-1].append(new)
            else:
                changes.append([y, new])
        if changes or resized or cursor != self._cursor:
            self._shown, self._size, self._cursor = shown.copy(), size, cursor
            if self.frames:
                ms = max(ms, self.frames[-1][0] + 1)
            self.frames.append((ms, seq, cursor, changes, size if resized else None))

"""Films: the screens of a stored log one after the other, in pages, for a replay.

A page is an object, compressed with zlib and encoded in base64:

    styles   [flags, underline, fg, bg, underline_color] each; the flags are bits in the order of ``Style``
    rows     the runs [column, width, glyphs, style] of each row; the first row is blank
    frames   [ms, seq, cursor, changes] and, in a first frame and after a resize, [cols, rows]

``ms`` counts from the start of the page, and ``cursor`` is [x, y, visible, shape, blinking]. A change is the number of
a row of the screen, and the indices of the ``rows`` that are there and below. After a resize, all rows are blank.
"""

from __future__ import annotations

import base64
import contextlib
import json
import time
import zlib
from math import inf
from typing import TYPE_CHECKING, Any

from phux_core.errors import NoSuchTargetError
from phux_core.log_calls import FRAME_MS
from phux_core.logs.timeline import OUTPUT, RESIZED, Entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.engine import Engine
    from phux_core.engine.protocol import Span, Style
    from phux_core.logs.playback import Place, Playback
    from phux_core.logs.timeline import Timeline

_PAGE_S = 0.2
"""How much CPU time a page may take after its first screen."""
_MOST_FRAMES = 500
_MOST_RUNS = 100_000
_LONG = 4 * 1024 * 1024
"""More output than this between two entries is not played: the screen after it is rebuilt from a checkpoint."""
_FLAGS = ("bold", "faint", "italic", "blink", "inverse", "invisible", "strikethrough", "overline")

Row = tuple[tuple[int, int, str | tuple[str, ...], int], ...]


class Page:
    """A page of a film that starts at a time."""

    def __init__(self, start: float) -> None:
        self._start = start
        self._styles: dict[Style, int] = {}
        self._rows: dict[Row, int] = {(): 0}
        self._frames: list[list[Any]] = []
        self._runs = 0
        self._engine: Engine | None = None
        self._size = (0, 0)
        self._shown: list[int] = []
        self._cursor: list[Any] = []

    @property
    def is_full(self) -> bool:
        """Whether it should get no more frames."""
        return len(self._frames) >= _MOST_FRAMES or self._runs >= _MOST_RUNS

    def add(self, engine: Engine, at: float) -> None:
        """Add the screen of an engine, if it differs from the last one."""
        if engine is not self._engine:
            engine.forget_changes()
            self._engine = engine
        changed, size = engine.changed(), (engine.cols, engine.rows)
        resized = size != self._size
        if resized:
            self._size, self._shown = size, [0] * engine.rows
        numbers = {y: self._number(spans) for y, spans in changed.items()}
        different = [y for y in sorted(numbers) if numbers[y] != self._shown[y]]
        changes: list[list[int]] = []
        for y in different:
            self._shown[y] = numbers[y]
            if changes and y == changes[-1][0] + len(changes[-1]) - 1:
                changes[-1].append(numbers[y])
            else:
                changes.append([y, numbers[y]])
        cursor = list(engine.cursor())
        if resized or changes or cursor != self._cursor:
            self._cursor = cursor
            ms = max(0, round((at - self._start) * 1000))
            self._frames.append([ms, engine.position, cursor, changes, *([size] if resized else [])])

    def _number(self, spans: list[Span]) -> int:
        row = tuple(
            (span.col, span.width, span.glyphs or span.text, self._styles.setdefault(span.style, len(self._styles)))
            for span in spans
        )
        number = self._rows.get(row)
        if number is None:
            number = self._rows[row] = len(self._rows)
            self._runs += len(row)
        return number

    def dump(self) -> str:
        """Return the page as text."""
        document = {"styles": list(map(_style, self._styles)), "rows": list(self._rows), "frames": self._frames}
        return base64.b64encode(zlib.compress(json.dumps(document, separators=(",", ":")).encode(), 1)).decode()


def _style(style: Style) -> list[Any]:
    flags = sum(1 << bit for bit, name in enumerate(_FLAGS) if getattr(style, name))
    return [flags, style.underline, style.fg, style.bg, style.underline_color]


def film_page(
    playback: Playback, timeline: Timeline, start: tuple[int, float], end: tuple[int, float], frame_ms: int = FRAME_MS
) -> dict[str, Any]:
    """Return a page of the film between two moments, each an offset in the output and a time.

    While output follows output, ``frame_ms`` is the shortest time between two frames.

    The next page starts at the moment ``next``, which is None on the last page.

    Raises:
        NoSuchTargetError: The screen at the start cannot be rebuilt.
    """
    page = Page(start[1])
    page.add(playback.seek(*start), start[1])
    # CPU time: on a busy machine, more pages would take even longer.
    deadline = time.process_time() + _PAGE_S
    following = _Filming(playback, timeline, page, start[1], end, frame_ms / 1000).run(deadline)
    return {
        "start": start[1],
        "end": end[1] if following is None else following[1],
        "data": page.dump(),
        "next": following,
    }


class _Filming:
    """Adds to a page the screens that follow. Missing output is skipped."""

    def __init__(
        self,
        playback: Playback,
        timeline: Timeline,
        page: Page,
        started_at: float,
        end: tuple[int, float],
        frame_s: float,
    ) -> None:
        self._playback, self._timeline, self._page = playback, timeline, page
        self._end, self._ended_at = Entry(inf, end[0], "end", {}), end[1]
        self._shown_at = self._read_at = started_at
        self._changed_at: float | None = None
        self._frame_s = frame_s

    def run(self, deadline: float) -> tuple[int, float] | None:
        """Go on until the page is full, and return the moment of its last screen; None at the end of the film."""
        entries = self._following()
        while True:
            cursor, entry = next(entries, (0, self._end))
            if entry.seq > self._end.seq or entry.at > self._ended_at:
                entry = self._end
            try:
                self._play(entry.seq)
            except NoSuchTargetError:
                if not self._skip(entry.seq):
                    return None
                entries = self._following()
                continue
            self._show(entry.at)
            if entry is self._end:
                return None
            self._playback.apply(cursor, entry)
            if entry.kind == RESIZED:
                self._changed_at = entry.at
            elif entry.kind == OUTPUT:
                self._read_at = entry.at
            if self._page.is_full or time.process_time() > deadline:
                return self._place.seq, self._place.at

    @property
    def _place(self) -> Place:
        assert self._playback.place is not None
        return self._playback.place

    def _following(self) -> Iterator[tuple[int, Entry]]:
        return self._timeline.entries(self._place.cursor)

    def _play(self, seq: int) -> None:
        place = self._place
        if seq - place.seq > _LONG:
            self._playback.seek(seq, place.at)
        elif seq > place.seq:
            self._playback.play(seq)
        if seq > place.seq:
            self._changed_at = self._read_at

    def _skip(self, seq: int) -> bool:
        """Continue with the first screen after missing output; return False if there is none."""
        found = self._playback.first_screen(seq)
        if found is None or found[0] > self._end.seq:
            return False
        with contextlib.suppress(NoSuchTargetError):
            self._playback.seek(found[0])
            self._read_at = self._changed_at = self._place.at
        return self._playback.place is not None

    def _show(self, until: float) -> None:
        """Add the screen if it has changed, and either a frame is due or nothing follows for a while."""
        engine, at = self._playback.engine, self._changed_at
        if engine is not None and at is not None and max(at - self._shown_at, until - at) >= self._frame_s:
            self._page.add(engine, at)
            self._shown_at, self._changed_at = at, None

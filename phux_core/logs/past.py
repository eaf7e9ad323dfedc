"""Answer questions about the past of a pane: its screen at a moment, and pages of its timeline."""

from __future__ import annotations

import contextlib
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import define

from phux_core.engine.screen_document import screen_document
from phux_core.errors import BadRequestError, NoSuchTargetError
from phux_core.log_calls import FRAME_MS, MOST_ENTRIES
from phux_core.logs import listing, places
from phux_core.logs.film import film_page
from phux_core.logs.playback import Playback
from phux_core.logs.stored import Stored
from phux_core.logs.timeline import INTERNAL, OUTPUT, Timeline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.engine import Engine
    from phux_core.logs.playback import Place


@define
class PastScreens:
    """Reads screens, and keeps the engine of the latest one, because a later screen of the same log often follows."""

    _log: places.LogId | None = None
    _kept: tuple[Engine, Place] | None = None

    def read(
        self,
        root: str,
        log: places.LogId,
        *,
        unwritten: tuple[int, bytes] | None = None,
        seq: int | None = None,
        moment: float | None = None,
        scrollback: int | None = None,
        cells: bool = False,
    ) -> dict[str, Any]:
        """Return the screen at an offset in the output, or at a time in seconds since the epoch.

        Raises:
            NoSuchTargetError: The log does not exist, or the screen cannot be rebuilt.
            BadRequestError: The moment is not in the log.
        """
        with open_log(root, log, unwritten) as stored:
            timeline = Timeline(stored.directory)
            place = _place_of(stored, timeline, seq, moment)
            with self._playback(root, log, stored, timeline) as playback:
                engine = playback.seek(place, moment)
            spans = engine.spans(0, engine.rows) if cells else None
            document = screen_document(engine, engine.lines(0, engine.rows), spans, scrollback=scrollback)
            state = timeline.last_before("state_changed", place, moment)
            shown_at = moment if moment is not None else timeline.time_at(place)
            return document | {
                "pane": log.pane,
                "log": str(log),
                "seq": place,
                "at": shown_at,
                "state": state.fields.get("state") if state is not None else None,
            }

    def film(
        self,
        root: str,
        log: places.LogId,
        *,
        unwritten: tuple[int, bytes] | None = None,
        seq: int,
        at: float,
        to_seq: int,
        to_at: float,
        frame_ms: int = FRAME_MS,
    ) -> dict[str, Any]:
        """Return a page of the film (see ``film``) between two moments."""
        with open_log(root, log, unwritten) as stored:
            timeline = Timeline(stored.directory)
            with self._playback(root, log, stored, timeline) as playback:
                end = min(to_seq, stored.end), to_at
                return {"log": str(log), "pane": log.pane, **film_page(playback, timeline, (seq, at), end, frame_ms)}

    @contextlib.contextmanager
    def _playback(self, root: str, log: places.LogId, stored: Stored, timeline: Timeline) -> Iterator[Playback]:
        if self._kept is not None and self._log != log:
            self._kept[0].close()
            self._kept = None
        kept, self._kept, self._log = self._kept, None, log
        playback = Playback(stored, timeline, listing.stored_sizes(root, log), kept)
        yield playback
        if playback.engine is not None and playback.place is not None:
            self._kept = playback.engine, playback.place


def timeline_page(
    root: str,
    log: places.LogId,
    *,
    unwritten: tuple[int, bytes] | None = None,
    from_seq: int = 0,
    cursor: int | None = None,
    most: int = MOST_ENTRIES,
    without_output: bool = False,
) -> dict[str, Any]:
    """Return entries of the timeline from an offset on, or from the cursor that an earlier page returned."""
    left_out = INTERNAL | {OUTPUT} if without_output else INTERNAL
    with open_log(root, log, unwritten) as stored:
        timeline = Timeline(stored.directory)
        first, last = timeline.first, timeline.last
        screen = None if first is None else Playback(stored, timeline, []).first_screen(max(first.seq, stored.first))
        entries: list[list[Any]] = []
        following = None
        for after, entry in timeline.entries(timeline.cursor_at(from_seq) if cursor is None else cursor):
            if len(entries) == most:
                break
            following = after
            if entry.kind not in left_out:
                entries.append(list(entry))
        else:
            following = None
        return {
            "log": str(log),
            "pane": log.pane,
            "first_byte": stored.first,
            "next_byte": stored.end,
            "start_at": None if first is None else first.at,
            "end_at": None if last is None else last.at,
            "first_screen": screen,
            "sizes": [list(size) for size in listing.stored_sizes(root, log)],
            "entries": entries,
            "next": following,
        }


def open_log(root: str, log: places.LogId, unwritten: tuple[int, bytes] | None = None) -> Stored:
    """Open a log; raise NoSuchTargetError if that is not possible."""
    try:
        return Stored.open(root, log, unwritten)
    except OSError as error:
        raise NoSuchTargetError(
            f"cannot read the log {log}: {error.strerror or error}", remedy="`phux logs --list` lists the logs"
        ) from error


def _place_of(stored: Stored, timeline: Timeline, seq: int | None, moment: float | None) -> int:
    """Return the offset of a moment."""
    if moment is None:
        place = stored.end if seq is None else seq
        if place > stored.end:
            raise BadRequestError(f"the log ends at {stored.end}, before {place}", remedy=f"use 0 to {stored.end}")
        return place
    first, found = timeline.first, timeline.seq_at(moment)
    if first is None:
        raise NoSuchTargetError(
            "this log has no times", remedy=f"use a sequence number from {stored.first} to {stored.end}"
        )
    now = time.time()
    if not first.at <= moment <= now:
        where = "in the future" if moment > now else "before the start of the recording"
        raise BadRequestError(
            f"{_timestamp(moment)} is {where}", remedy=f"use a time from {_timestamp(first.at)} to {_timestamp(now)}"
        )
    return stored.end if found is None else min(found, stored.end)


def _timestamp(moment: float) -> str:
    """Return a time in the local time zone, in which people write times."""
    try:
        return datetime.fromtimestamp(moment).astimezone().isoformat(timespec="milliseconds")
    except (OverflowError, ValueError, OSError):
        return f"{moment:g} s after 1970"

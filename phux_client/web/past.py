"""The past of a pane, reduced to what the page draws: its timeline, and its screen at a moment. No I/O."""

from __future__ import annotations

from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

from phux_client.pictures.ansi import parameters
from phux_client.pictures.grid import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from phux_client.flows._types import Document
    from phux_client.pictures.grid import Run

BARS = 240
"""The number of bars in which the page draws the activity of a pane."""
MOST_STATES = 1000
"""The most changes of state to return; the newest ones are kept."""


def summary(pages: Iterable[Document], now: float) -> Document:
    """Return the times, the activity and the states of a pane, given the replies of ``timeline``, oldest first.

    ``bars`` has, for each part of the time, the share of the largest number of bytes in a part, from 0 to 1. The time
    ends with the pane's program, or else now.
    """
    outputs: list[tuple[float, int]] = []
    states: list[list[object]] = []
    start = end = None
    last_seq = 0
    for page in pages:
        start, end, last_seq = page["start_at"], page["end_at"], page["next_byte"]
        for at, seq, kind, fields in page["entries"]:
            if kind == "output":
                outputs.append((at, seq))
            elif kind == "state_changed":
                states.append([at, fields["state"]])
            elif kind == "pane_closed":
                states.append([at, "dead"])
    if start is None or end is None:
        return {"start": None, "end": None, "bars": [], "states": []}
    if not states or states[-1][1] != "dead":
        end = max(end, now)
    amounts = [0] * BARS
    span = max(end - start, 0.01)
    for (at, seq), (_at, following) in pairwise([*outputs, (end, last_seq)]):
        place = int((at - start) / span * BARS)
        amounts[min(max(place, 0), BARS - 1)] += max(0, following - seq)
    most = max(amounts) or 1
    return {
        "start": start,
        "end": end,
        "bars": [round(amount / most, 3) for amount in amounts],
        "states": states[-MOST_STATES:],
    }


def past_frame(document: Document) -> Document:
    """Return a ScreenState document that has cells as a frame of the wire protocol, which the page draws."""
    cursor = document["cursor"] or {"x": 0, "y": 0, "visible": False}
    return {
        "whole": True,
        "size": [document["cols"], document["rows"]],
        "rows": [[y, list(_row(runs))] for y, runs in enumerate(rows_of(document))],
        "cursor": [cursor["x"], cursor["y"], cursor["visible"], 2],
        "title": document.get("title") or "",
        "at": document.get("at"),
        "seq": document["seq"],
    }


def _row(runs: list[Run]) -> Iterator[list[object]]:
    for run in runs:
        col = run.col
        for width, group in groupby(run.glyphs, key=itemgetter(1)):
            glyphs = [text for text, _width in group]
            yield [col, width, glyphs, parameters(run.style)]
            col += width * len(glyphs)

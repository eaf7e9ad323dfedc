"""The size of a window that attached clients see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from phux_core.engine.protocol import MAX_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence


@frozen
class View:
    """The space that an attached client has for a window.

    Attributes:
        cols: Columns, without those that the client uses itself.
        rows: Rows, likewise.
        active_at: When its user was last active, on any clock that all views share.
    """

    cols: int
    rows: int
    active_at: float = 0.0


def decide(policy: str, views: Sequence[View], own: tuple[int, int]) -> tuple[int, int]:
    """Return the size of a window.

    Args:
        policy: ``smallest`` and ``largest`` choose for each axis, ``latest`` takes the client that was active last, and
            ``manual`` ignores clients.
        views: The clients that see it; those without columns or rows are ignored.
        own: Its current size, which it keeps if all clients are ignored.
    """
    counted = [view for view in views if view.cols > 0 and view.rows > 0]
    if policy == "manual" or not counted:
        return own
    if policy == "latest":
        latest = max(counted, key=lambda view: view.active_at)
        cols, rows = latest.cols, latest.rows
    else:
        choose = max if policy == "largest" else min
        cols, rows = choose(view.cols for view in counted), choose(view.rows for view in counted)
    return min(cols, MAX_SIZE), min(rows, MAX_SIZE)

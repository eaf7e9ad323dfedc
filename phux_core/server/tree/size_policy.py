"""Whose size a window has when several clients look at it. Pure: who looks is told by whoever knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from phux_core.engine.protocol import MAX_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence


@frozen
class View:
    """What one attached client has for a window.

    Attributes:
        cols: Columns, without what the client needs for itself.
        rows: Rows, likewise.
        active_at: When it last did something, on any clock that all views share.
    """

    cols: int
    rows: int
    active_at: float = 0.0


def decide(policy: str, views: Sequence[View], own: tuple[int, int]) -> tuple[int, int]:
    """Say which size a window is to have.

    Args:
        policy: ``smallest`` and ``largest`` go by each axis, ``latest`` by the client that did something last, and with
            ``manual`` no client counts.
        views: The clients that look at it; what has no columns or rows does not count.
        own: The size it has, which it keeps when nobody counts.
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

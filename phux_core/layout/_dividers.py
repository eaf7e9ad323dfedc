"""Resize panes by moving dividers."""

from phux_core.errors import BadSizeError
from phux_core.layout._arrange import CELLS, LEAST, Rect, along, arrange, halves, least, share
from phux_core.layout._structure import panes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_core.layout._arrange import Layout, Path
    from phux_core.shapes import Direction, Side


def move_divider(layout: "Layout", cols: int, rows: int, path: "Path", by: int) -> "Layout":
    """Move the divider of a split by ``by`` cells to the right or down, or back if negative.

    The divider moves as far as possible. The others stay in place unless a pane would become smaller than its minimum.
    """
    arrangement = arrange(layout, cols, rows)
    return _moved(layout, Rect(0, 0, arrangement.cols, arrangement.rows), path, by)


def push(layout: "Layout", cols: int, rows: int, pane: int, side: "Side", by: int) -> "Layout":
    """Move the divider after a pane to a side; if there is none after it on this axis, move the divider before it.

    The divider moves as far as possible and pushes others if needed. Without a divider on that axis, nothing changes.
    """
    after, before = _dividers_of(layout, pane, "right" if side in {"left", "right"} else "down")
    return _push(layout, cols, rows, after or before, by if side in {"right", "down"} else -by, away=bool(after))


def set_length(layout: "Layout", cols: int, rows: int, pane: int, direction: "Direction", cells: int) -> "Layout":
    """Set a pane's columns (``right``) or rows (``down``) by moving its dividers.

    Raises:
        BadSizeError: The dividers cannot be moved that far, or there are none; the remedy gives the possible sizes.
    """

    def length(of: "Layout") -> int:
        return along(arrange(of, cols, rows).panes[pane], direction)

    def stretched(wanted: int) -> "Layout":
        after, before = _dividers_of(layout, pane, direction)
        changed = _push(layout, cols, rows, after, wanted - length(layout), away=True)
        return _push(changed, cols, rows, before, length(changed) - wanted, away=False)

    now, shortest = length(layout), LEAST[direction]
    changed = stretched(max(cells, shortest))
    if length(changed) != cells:
        possible = f"use {shortest} to {length(stretched(cols + rows))}, or "
        raise BadSizeError(
            f"@{pane} has {now} {CELLS[direction]} and cannot have {cells} in a window of {cols}x{rows}",
            remedy=f"{possible if has_divider(layout, pane, direction) else ''}resize the window",
        )
    return changed


def has_divider(layout: "Layout", pane: int, direction: "Direction") -> bool:
    """Return whether a pane has a divider on an axis, so that it can be resized there."""
    return any(_dividers_of(layout, pane, direction))


def _dividers_of(layout: "Layout", pane: int, direction: "Direction") -> "tuple[list[Path], list[Path]]":
    """Return the paths of the dividers after a pane on an axis, and of those before it, nearest first."""
    after: list[Path] = []
    before: list[Path] = []
    path: Path = ()
    while not isinstance(layout, int):
        in_first = pane in panes(layout["first"])
        if layout["direction"] == direction:
            (after if in_first else before).insert(0, path)
        path = (*path, "first") if in_first else (*path, "second")
        layout = layout["first"] if in_first else layout["second"]
    return after, before


def _push(layout: "Layout", cols: int, rows: int, paths: "list[Path]", by: int, *, away: bool) -> "Layout":
    """Move the first divider; if it is stuck and the pane is growing, move the next ones to make room.

    Args:
        paths: The dividers on one side of a pane, nearest first.
        away: Whether the dividers are after the pane, so that a positive ``by`` moves away from it.
    """

    def place(of: "Layout") -> int:
        line = next(line.rect for line in arrange(of, cols, rows).dividers if line.path == paths[0])
        return line.x + line.y

    grows = (by > 0) == away
    for count in range(1, (len(paths) if grows else min(1, len(paths))) + 1):
        was = place(layout)
        for path in reversed(paths[:count]):
            layout = move_divider(layout, cols, rows, path, by)
        by -= place(layout) - was
        if not by:
            break
    return layout


def _moved(layout: "Layout", place: Rect, path: "Path", by: int) -> "Layout":
    if isinstance(layout, int):
        return layout
    first, _line, second = halves(layout, place)
    if path:
        if path[0] == "first":
            return {**layout, "first": _moved(layout["first"], first, path[1:], by)}
        return {**layout, "second": _moved(layout["second"], second, path[1:], by)}
    direction = layout["direction"]
    old_first, old_second = along(first, direction), along(second, direction)
    room = old_first + old_second
    most = room - least(layout["second"], direction)
    new_first = min(max(old_first + by, least(layout["first"], direction)), most)
    new_second = room - new_first
    return {
        "direction": direction,
        "ratio": new_first / room,
        "first": _refit(layout["first"], direction, old_first, new_first, at_end=True),
        "second": _refit(layout["second"], direction, old_second, new_second, at_end=False),
    }


def _refit(layout: "Layout", direction: "Direction", old: int, new: int, *, at_end: bool) -> "Layout":
    """Change a layout's length at one end; panes at the other end keep their cells if there is room."""
    if isinstance(layout, int) or old == new:
        return layout
    if layout["direction"] != direction:
        return {
            **layout,
            "first": _refit(layout["first"], direction, old, new, at_end=at_end),
            "second": _refit(layout["second"], direction, old, new, at_end=at_end),
        }
    old_first = share(layout, old)
    old_second = old - 1 - old_first
    if at_end:
        new_first = min(old_first, new - 1 - least(layout["second"], direction))
    else:
        new_first = max(new - 1 - old_second, least(layout["first"], direction))
    new_second = new - 1 - new_first
    return {
        "direction": direction,
        "ratio": new_first / (new - 1),
        "first": _refit(layout["first"], direction, old_first, new_first, at_end=at_end),
        "second": _refit(layout["second"], direction, old_second, new_second, at_end=at_end),
    }

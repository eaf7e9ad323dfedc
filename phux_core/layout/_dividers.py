"""Moving dividers: how panes get larger and smaller."""

from phux_core.errors import BadSizeError
from phux_core.layout._arrange import CELLS, LEAST, Rect, along, arrange, halves, least, share
from phux_core.layout._structure import panes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_core.layout._arrange import Layout, Path
    from phux_core.shapes import Direction, Side


def move_divider(layout: "Layout", cols: int, rows: int, path: "Path", by: int) -> "Layout":
    """Move the divider of a split by so many cells, to the right or down, or back if negative.

    Only this divider moves: the others stay where they are, unless a pane would have less than its least size. It goes
    as far as it can.
    """
    arrangement = arrange(layout, cols, rows)
    return _moved(layout, Rect(0, 0, arrangement.cols, arrangement.rows), path, by)


def push(layout: "Layout", cols: int, rows: int, pane: int, side: "Side", by: int) -> "Layout":
    """Move a pane's divider to a side: the one behind it on that axis, or if it is the last, the one before it.

    It goes as far as it can, and pushes others along if it must; without a divider on that axis nothing changes.
    """
    behind, before = _dividers_of(layout, pane, "right" if side in {"left", "right"} else "down")
    return _push(layout, cols, rows, behind or before, by if side in {"right", "down"} else -by, away=bool(behind))


def set_length(layout: "Layout", cols: int, rows: int, pane: int, direction: "Direction", cells: int) -> "Layout":
    """Give a pane so many columns (``right``) or rows (``down``) by moving its dividers.

    Raises:
        BadSizeError: They cannot be moved that far, or there are none; the message says what can be had.
    """

    def length(of: "Layout") -> int:
        return along(arrange(of, cols, rows).panes[pane], direction)

    def stretched(wanted: int) -> "Layout":
        behind, before = _dividers_of(layout, pane, direction)
        changed = _push(layout, cols, rows, behind, wanted - length(layout), away=True)
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
    """Tell whether a pane shares an axis with others, so that it has a size of its own there."""
    return any(_dividers_of(layout, pane, direction))


def _dividers_of(layout: "Layout", pane: int, direction: "Direction") -> "tuple[list[Path], list[Path]]":
    """Find the splits around a pane on an axis whose dividers are behind it, and those before it, the nearest first."""
    behind: list[Path] = []
    before: list[Path] = []
    path: Path = ()
    while not isinstance(layout, int):
        in_first = pane in panes(layout["first"])
        if layout["direction"] == direction:
            (behind if in_first else before).insert(0, path)
        path = (*path, "first") if in_first else (*path, "second")
        layout = layout["first"] if in_first else layout["second"]
    return behind, before


def _push(layout: "Layout", cols: int, rows: int, paths: "list[Path]", by: int, *, away: bool) -> "Layout":
    """Move the first of some dividers; where it is stuck and the pane is to grow, the next ones make room.

    Args:
        layout: The layout.
        cols: Columns of the window.
        rows: Its rows.
        paths: The dividers on one side of a pane, the nearest first.
        by: How far.
        away: Whether forth is away from the pane: they are behind it.
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
    """Let a layout's length change at one end only: what is far from there keeps its cells, if there is room."""
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

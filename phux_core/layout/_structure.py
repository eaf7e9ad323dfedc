"""The structure of layouts: walking, splitting, removing and swapping panes."""

from phux_core.errors import BadSizeError, LimitError
from phux_core.layout._arrange import CELLS, LEAST, along, arrange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.layout._arrange import Layout
    from phux_core.shapes import Direction

MAX_DEPTH = 64
"""Maximum nesting of splits: layouts are sent as JSON and walked recursively."""


def panes(layout: "Layout") -> "Iterator[int]":
    """Yield the panes, those to the left or above first."""
    if isinstance(layout, int):
        yield layout
    else:
        yield from panes(layout["first"])
        yield from panes(layout["second"])


def depth(layout: "Layout") -> int:
    """Return the depth of the nested splits."""
    return 0 if isinstance(layout, int) else 1 + max(depth(layout["first"]), depth(layout["second"]))


def split(
    layout: "Layout",
    cols: int,
    rows: int,
    target: int,
    new: int,
    direction: "Direction",
    *,
    cells: int | None = None,
    percent: int | None = None,
) -> "Layout":
    """Split a pane; the new pane is to the right or below, and has ``cells``, ``percent`` of the target, or half of it.

    Raises:
        BadSizeError: There is no room; the message gives the sizes.
        LimitError: Splits are nested too deep.
    """
    place = arrange(layout, cols, rows).panes[target]
    length, least, word = along(place, direction), LEAST[direction], CELLS[direction]
    if length < 2 * least + 1:
        raise BadSizeError(
            f"@{target} has {length} {word}, too few to split: two panes and their divider need {2 * least + 1}",
            remedy="enlarge the window or the pane (phux resize), or choose another layout (phux layout)",
        )
    most = length - 1 - least
    if percent is not None:
        if not 1 <= percent <= 99:
            raise BadSizeError(f"{percent}% is out of range", remedy="use 1% to 99%")
        cells = min(max(length * percent // 100, least), most)
    if cells is None:
        ratio = 0.5
    elif least <= cells <= most:
        ratio = (length - 1 - cells) / (length - 1)
    else:
        raise BadSizeError(
            f"@{target} has {length} {word}: a new pane cannot have {cells}", remedy=f"use {least} to {most}"
        )
    made = _replace(layout, target, {"direction": direction, "ratio": ratio, "first": target, "second": new})
    if depth(made) > MAX_DEPTH:
        raise LimitError(
            f"@{target} is nested {MAX_DEPTH} splits deep, and cannot be split again",
            remedy="choose another layout (phux layout), or create a new window",
        )
    return made


def remove(layout: "Layout", pane: int) -> "Layout | None":
    """Remove a pane; the other side of its divider takes its space. Return None if it was the last pane."""
    if isinstance(layout, int):
        return None if layout == pane else layout
    first, second = remove(layout["first"], pane), remove(layout["second"], pane)
    if first is None or second is None:
        return second if first is None else first
    return {**layout, "first": first, "second": second}


def swap(layout: "Layout", one: int, other: int) -> "Layout":
    """Swap two panes. If only one of them is in the layout, the other replaces it."""
    if isinstance(layout, int):
        return other if layout == one else one if layout == other else layout
    return {**layout, "first": swap(layout["first"], one, other), "second": swap(layout["second"], one, other)}


def _replace(layout: "Layout", pane: int, by: "Layout") -> "Layout":
    if isinstance(layout, int):
        return by if layout == pane else layout
    return {**layout, "first": _replace(layout["first"], pane, by), "second": _replace(layout["second"], pane, by)}

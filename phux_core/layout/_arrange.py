"""Conversion of layouts into cells; no other module converts shares into cells."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias, TypedDict

    from phux_core.shapes import Direction, Side, Step

    class Split(TypedDict):
        """Two layouts beside or below each other."""

        direction: Direction
        ratio: float
        first: "Layout"
        second: "Layout"

    Layout: TypeAlias = int | Split
    Path: TypeAlias = tuple[Step, ...]

MIN_COLS, MIN_ROWS = 2, 1
LEAST = {"right": MIN_COLS, "down": MIN_ROWS}
"""Minimum cells of a pane along a direction."""
CELLS = {"right": "columns", "down": "rows"}
"""The name of the cells along a direction."""


class Rect:
    """A rectangle of cells; ``x`` and ``y`` count from the window's upper left corner."""

    def __init__(self, x: int, y: int, cols: int, rows: int) -> None:
        self.x = x
        self.y = y
        self.cols = cols
        self.rows = rows

    def __repr__(self) -> str:
        return f"Rect(x={self.x}, y={self.y}, cols={self.cols}, rows={self.rows})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rect) and _edges(self) == _edges(other)

    def __hash__(self) -> int:
        return hash(_edges(self))

    def contains(self, x: int, y: int) -> bool:
        """Return whether a cell is in the rectangle."""
        return self.x <= x < self.x + self.cols and self.y <= y < self.y + self.rows


class Divider:
    """The line between the two sides of the split at ``path``: one column wide for ``right``, one row for ``down``."""

    def __init__(self, direction: "Direction", rect: Rect, path: "Path") -> None:
        self.direction = direction
        self.rect = rect
        self.path = path


class Arrangement:
    """A layout in cells, with the panes in its order; larger than the window if that is too small for the panes."""

    def __init__(self, cols: int, rows: int) -> None:
        self.cols = cols
        self.rows = rows
        self.panes: dict[int, Rect] = {}
        self.dividers: list[Divider] = []

    def at(self, x: int, y: int) -> "int | Divider | None":
        """Return the pane (by its id) or the divider that a cell belongs to; None outside the window."""
        for pane, rect in self.panes.items():
            if rect.contains(x, y):
                return pane
        return next((divider for divider in self.dividers if divider.rect.contains(x, y)), None)


def arrange(layout: "Layout", cols: int, rows: int, zoomed: int | None = None) -> Arrangement:
    """Convert a layout into cells for a window of a size; if a pane is zoomed, arrange only that.

    Example:
        >>> arranged = arrange({"direction": "right", "ratio": 0.5, "first": 1, "second": 2}, 80, 24)
        >>> arranged.panes[2]
        Rect(x=41, y=0, cols=39, rows=24)
    """
    whole = layout if zoomed is None else zoomed
    if isinstance(whole, int):
        alone = Arrangement(cols, rows)
        alone.panes[whole] = Rect(0, 0, cols, rows)
        return alone
    least_cols, least_rows = minimum(whole)
    arrangement = Arrangement(max(cols, least_cols), max(rows, least_rows))
    _place(whole, Rect(0, 0, arrangement.cols, arrangement.rows), (), arrangement)
    return arrangement


def minimum(layout: "Layout") -> tuple[int, int]:
    """Return the minimum columns and rows that give each pane of a layout 2x1 cells."""
    if isinstance(layout, int):
        return MIN_COLS, MIN_ROWS
    first, second = minimum(layout["first"]), minimum(layout["second"])
    if layout["direction"] == "right":
        return first[0] + 1 + second[0], max(first[1], second[1])
    return max(first[0], second[0]), first[1] + 1 + second[1]


def neighbour(layout: "Layout", cols: int, rows: int, pane: int, side: "Side") -> int | None:
    """Return the pane across the divider on a side (left, right, up, down); None at the edge of the window.

    Of several panes, return the one with the longest shared edge, or the first of equals.
    """
    places = arrange(layout, cols, rows).panes
    here = places[pane]
    best, longest = None, -1  # a pane of one row may face only a divider: then the panes at its ends count
    for other, there in places.items():
        gap = {
            "left": here.x - (there.x + there.cols),
            "right": there.x - (here.x + here.cols),
            "up": here.y - (there.y + there.rows),
            "down": there.y - (here.y + here.rows),
        }[side]
        if side in {"left", "right"}:
            shared = min(here.y + here.rows, there.y + there.rows) - max(here.y, there.y)
        else:
            shared = min(here.x + here.cols, there.x + there.cols) - max(here.x, there.x)
        if gap == 1 and shared > longest:
            best, longest = other, shared
    return best


def along(rect: Rect, direction: "Direction") -> int:
    return rect.cols if direction == "right" else rect.rows


def least(layout: "Layout", direction: "Direction") -> int:
    return minimum(layout)[0 if direction == "right" else 1]


def share(node: "Split", length: int) -> int:
    """Return the cells of the first side, given a length that is enough for both."""
    room = length - 1
    most = room - least(node["second"], node["direction"])
    return min(max(round(room * node["ratio"]), least(node["first"], node["direction"])), most)


def halves(node: "Split", place: Rect) -> tuple[Rect, Rect, Rect]:
    """Return the rectangles of the first side, the divider and the second side."""
    cells = share(node, along(place, node["direction"]))
    if node["direction"] == "right":
        return (
            Rect(place.x, place.y, cells, place.rows),
            Rect(place.x + cells, place.y, 1, place.rows),
            Rect(place.x + cells + 1, place.y, place.cols - cells - 1, place.rows),
        )
    return (
        Rect(place.x, place.y, place.cols, cells),
        Rect(place.x, place.y + cells, place.cols, 1),
        Rect(place.x, place.y + cells + 1, place.cols, place.rows - cells - 1),
    )


def _place(layout: "Layout", place: Rect, path: "Path", into: Arrangement) -> None:
    if isinstance(layout, int):
        into.panes[layout] = place
        return
    first, line, second = halves(layout, place)
    into.dividers.append(Divider(layout["direction"], line, path))
    _place(layout["first"], first, (*path, "first"), into)
    _place(layout["second"], second, (*path, "second"), into)


def _edges(rect: Rect) -> tuple[int, int, int, int]:
    return rect.x, rect.y, rect.cols, rect.rows

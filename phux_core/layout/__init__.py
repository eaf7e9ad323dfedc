"""The layout of a window's panes: a binary tree of splits, and the one function that converts it into cells.

A layout is a plain JSON value: a pane's id, or a split

    {"direction": "right", "ratio": 0.5, "first": LAYOUT, "second": LAYOUT}

``right`` puts ``second`` to the right of ``first``, ``down`` below it. Between the two is a divider, one cell wide;
``ratio`` is the fraction of the remaining cells that belongs to ``first``. It does not change when the window is
resized.

Only ``arrange`` converts ratios into the rectangles of panes. PTY sizes, painting and hit-testing all use its result,
so they cannot disagree. It tiles the window exactly, with at least 2x1 cells for each pane of a split. A window that is
too small is arranged as if it were just large enough: the arrangement is then larger than requested, and is clipped
when it is painted. A single pane fills the window, even if that is 1x1.

All functions are pure: they return new layouts and never change one. Import-light: ``attach`` and the server share
this package.
"""

from phux_core.layout._arrange import MIN_COLS, MIN_ROWS, Arrangement, Divider, Rect, arrange, minimum, neighbour
from phux_core.layout._dividers import has_divider, move_divider, push, set_length
from phux_core.layout._presets import PRESETS, preset
from phux_core.layout._structure import MAX_DEPTH, depth, panes, remove, split, swap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_core.layout._arrange import Layout as Layout
    from phux_core.layout._arrange import Path as Path
    from phux_core.layout._arrange import Split as Split
    from phux_core.shapes import Direction as Direction
    from phux_core.shapes import Side as Side
    from phux_core.shapes import Step as Step

__all__ = [
    "MAX_DEPTH",
    "MIN_COLS",
    "MIN_ROWS",
    "PRESETS",
    "Arrangement",
    "Divider",
    "Rect",
    "arrange",
    "depth",
    "has_divider",
    "minimum",
    "move_divider",
    "neighbour",
    "panes",
    "preset",
    "push",
    "remove",
    "set_length",
    "split",
    "swap",
]

"""Named layouts."""

from phux_core.errors import BadRequestError, BadSizeError
from phux_core.layout._arrange import minimum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from phux_core.layout._arrange import Layout
    from phux_core.shapes import Direction

PRESETS = ("even-horizontal", "even-vertical", "main-vertical", "tiled")


def preset(name: str, pane_ids: "Sequence[int]", cols: int, rows: int) -> "Layout":
    """Return a named layout of panes.

    ``even-horizontal`` places them side by side, ``even-vertical`` one below the other, ``main-vertical`` the first on
    the left and the others in a column on the right, ``tiled`` in rows and columns.

    Raises:
        BadRequestError: There is no such layout.
        BadSizeError: The window is too small for the layout.
    """
    if name not in PRESETS:
        raise BadRequestError(f"unknown layout {name!r:.80}", remedy=f"the layouts are: {', '.join(PRESETS)}")
    if name == "even-horizontal":
        made = _evenly(list(pane_ids), "right", cols)
    elif name == "even-vertical":
        made = _evenly(list(pane_ids), "down", rows)
    elif name == "main-vertical":
        made = pane_ids[0]
        if pane_ids[1:]:
            others = _evenly(list(pane_ids[1:]), "down", rows)
            made = {"direction": "right", "ratio": 0.5, "first": made, "second": others}
    else:
        made = _tiled(pane_ids, cols, rows)
    least_cols, least_rows = minimum(made)
    if len(pane_ids) > 1 and (least_cols > cols or least_rows > rows):
        raise BadSizeError(
            f"{len(pane_ids)} panes as {name} need at least {least_cols}x{least_rows}; the window has {cols}x{rows}",
            remedy="enlarge the window (phux resize), or choose another layout",
        )
    return made


def _evenly(parts: "Sequence[Layout]", direction: "Direction", length: int) -> "Layout":
    """Place layouts in a row with equal shares, in a balanced tree."""
    room = max(length - (len(parts) - 1), len(parts))
    shares = [room // len(parts) + (place < room % len(parts)) for place in range(len(parts))]

    def build(start: int, end: int) -> "Layout":
        if end - start == 1:
            return parts[start]
        middle = (start + end + 1) // 2
        before = sum(shares[start:middle]) + middle - start - 1
        after = sum(shares[middle:end]) + end - middle - 1
        return {
            "direction": direction,
            "ratio": before / (before + after),
            "first": build(start, middle),
            "second": build(middle, end),
        }

    return build(0, len(parts))


def _tiled(pane_ids: "Sequence[int]", cols: int, rows: int) -> "Layout":
    lines = columns = 1
    while lines * columns < len(pane_ids):
        lines += 1
        if lines * columns < len(pane_ids):
            columns += 1
    starts = range(0, len(pane_ids), columns)
    return _evenly([_evenly(pane_ids[start : start + columns], "right", cols) for start in starts], "down", rows)

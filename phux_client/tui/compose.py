"""Compose one screen from the panes, the dividers, the status line and an overlay."""

from operator import is_

from phux_client.tui.canvas import BLANK, Canvas, cells_of, fit, overlay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    from phux_client.tui.canvas import Cell, Cursor, Row
    from phux_client.tui.model import Model
    from phux_core.layout import Arrangement, Rect

    Over: TypeAlias = dict[int, tuple[list[Row], tuple[int, int]]]
    """By pane, the rows and the cursor to show instead of its own screen."""
    Plan: TypeAlias = list[tuple[Row, list[tuple[int, int, int, int]]]]
    """For each row of a window: its cells without panes, and the inserted pieces of panes: pane, row, column, width."""

NUMBER, NUMBER_ACTIVE = "30;44", "30;41"
# The digits in five rows of three pixels.
_DIGITS = tuple(
    [f"{int(row):03b}".replace("0", " ").replace("1", "#") for row in digit]
    for digit in ("75557", "26227", "71747", "71717", "55711", "74717", "74757", "71111", "75757", "75717")
)
ACTIVE_BORDER = "32"
BORDER = "90"
OUTSIDE: "Cell" = ("·", "90")
"""The fill for the screen outside a smaller window."""

_NOTHING: "Row" = []
_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
# The glyph of a divider cell, by the directions in which it has arms.
_LINES = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"


class Composer:
    """Composes screens. A row of the window stays the same object until its content changes.

    Attributes:
        corner: The column and row of the window in the upper left corner of the terminal.
    """

    def __init__(self) -> None:
        self.corner = (0, 0)
        self._known: tuple[object, ...] = ()
        self._plan: Plan = []
        self._composed: list[tuple[list[Row], Row]] = []

    def compose(
        self,
        model: "Model",
        cols: int,
        rows: int,
        *,
        status: "Row | None" = None,
        status_cursor: int | None = None,
        over: "Over | None" = None,
        box: "tuple[list[Row], str] | None" = None,
        numbers: "Mapping[int, int] | None" = None,
    ) -> Canvas:
        """Compose the whole screen.

        Args:
            status_cursor: The cursor's column in the status line, if the cursor is there.
            box: Rows to show in a frame on top of the panes, and its title.
            numbers: Numbers to show in the centers of panes, by their ids.
        """
        height = rows - 1 if status is not None else rows
        arrangement = model.arrangement
        assert arrangement is not None
        at = self._cursor(model, arrangement, over or {})
        first_x, first_y = self.corner = corner((arrangement.cols, arrangement.rows), at, cols, height)
        whole = self._window(model, arrangement, over or {})
        drawn = [
            outer_row(whole[y] if y < arrangement.rows else None, first_x, arrangement.cols, cols)
            for y in range(first_y, first_y + height)
        ]
        for pane, number in (numbers or {}).items():
            place = arrangement.panes.get(pane)
            if place is not None:
                style = NUMBER_ACTIVE if pane == model.active_pane else NUMBER
                draw_number(drawn, number, style, (place.x - first_x, place.y - first_y, place.cols, place.rows))
        cursor = None
        if at is not None and 0 <= at[0] - first_x < cols and 0 <= at[1] - first_y < height:
            cursor = (at[0] - first_x, at[1] - first_y, at[2])
        if box is not None:
            draw_box(drawn, *box, cols, height)
            cursor = None
        if status is not None:
            drawn.append(fit(status, cols))
            if status_cursor is not None:
                cursor = (min(status_cursor, cols - 1), rows - 1, 0)
        return Canvas(cols, drawn, cursor)

    def _cursor(self, model: "Model", arrangement: "Arrangement", over: "Over") -> "Cursor | None":
        """Return the position of the active pane's cursor in the window."""
        active = model.active_pane
        place = arrangement.panes.get(active) if active is not None else None
        if active is None or place is None:
            return None
        if active in over:
            x, y = over[active][1]
            return place.x + x, place.y + y, 0
        x, y, visible, shape = model.panes[active].cursor
        if not visible or x >= place.cols or y >= place.rows:
            return None
        return place.x + x, place.y + y, shape

    def _window(self, model: "Model", arrangement: "Arrangement", over: "Over") -> "list[Row]":
        """Compose a whole window."""
        sources = {pane: over[pane][0] if pane in over else model.panes[pane].rows for pane in arrangement.panes}
        if not self._known or self._known[0] is not arrangement or self._known[1] != model.active_pane:
            self._known = (arrangement, model.active_pane)
            self._plan = _plan(arrangement, model.active_pane)
            self._composed = [([], [])] * arrangement.rows
        window = []
        for y, (base, places) in enumerate(self._plan):
            parts = [source[row] if row < len(source := sources[pane]) else _NOTHING for pane, row, _x, _cols in places]
            before, drawn = self._composed[y]
            if not drawn or not all(map(is_, parts, before)):
                drawn = base.copy()
                for (_pane, _row, x, cols), part in zip(places, parts, strict=True):
                    drawn[x : x + cols] = part if len(part) == cols else fit(part, cols)
                self._composed[y] = (parts, drawn)
            window.append(drawn)
        return window


def _plan(arrangement: "Arrangement", active: int | None) -> "Plan":
    plan: Plan = [(row, []) for row in _base(arrangement, active)]
    for pane, place in arrangement.panes.items():
        for row_number in range(place.rows):
            plan[place.y + row_number][1].append((pane, row_number, place.x, place.cols))
    return plan


def _base(arrangement: "Arrangement", active: int | None) -> "list[Row]":
    """Draw the dividers: each glyph joins its neighbours, and those around the active pane are highlighted."""
    rows = [[BLANK] * arrangement.cols for _ in range(arrangement.rows)]
    taken = {
        (x, y)
        for divider in arrangement.dividers
        for x in range(divider.rect.x, divider.rect.x + divider.rect.cols)
        for y in range(divider.rect.y, divider.rect.y + divider.rect.rows)
    }
    place = arrangement.panes.get(active) if active is not None else None
    for x, y in taken:
        arms = (
            _UP * ((x, y - 1) in taken)
            | _DOWN * ((x, y + 1) in taken)
            | _LEFT * ((x - 1, y) in taken)
            | _RIGHT * ((x + 1, y) in taken)
        )
        if arms in {0, _UP, _DOWN, _LEFT, _RIGHT}:
            # The end of a divider, or a single cell, takes the direction of the whole divider.
            arms = _LEFT | _RIGHT if _is_flat(arrangement, x, y) else _UP | _DOWN
        near = place is not None and _touches(place, x, y)
        rows[y][x] = (_LINES[arms], ACTIVE_BORDER if near else BORDER)
    return rows


def _is_flat(arrangement: "Arrangement", x: int, y: int) -> bool:
    return any(divider.direction == "down" and divider.rect.contains(x, y) for divider in arrangement.dividers)


def _touches(place: "Rect", x: int, y: int) -> bool:
    return place.x - 1 <= x <= place.x + place.cols and place.y - 1 <= y <= place.y + place.rows


def corner(size: tuple[int, int], cursor: "tuple[int, ...] | None", cols: int, rows: int) -> tuple[int, int]:
    """Choose the visible part of a window that is larger than the terminal: the one with the cursor."""
    if cursor is None:
        return 0, 0
    x = min(max(0, cursor[0] - cols + 1), max(0, size[0] - cols))
    y = min(max(0, cursor[1] - rows + 1), max(0, size[1] - rows))
    return x, y


def outer_row(row: "Row | None", first: int, width: int, cols: int) -> "Row":
    """Cut a window's row for the terminal, and fill the area outside the window."""
    if row is None:
        return [OUTSIDE] * cols
    if first == 0 and width == cols:
        return row
    shown = min(cols, width - first)
    return fit(row, shown, first) + [OUTSIDE] * (cols - shown)


def draw_number(drawn: "list[Row]", number: int, style: str, place: tuple[int, int, int, int]) -> None:
    """Draw a number in the center of a place: large if it fits."""
    x, y, cols, rows = place
    digits = str(number)
    lines = [
        "  ".join("".join(pixel * 2 for pixel in _DIGITS[int(digit)][row]) for digit in digits) for row in range(5)
    ]
    is_large = cols > len(lines[0]) and rows >= len(lines)
    if not is_large:
        lines = [digits]
    left, top = x + max(0, (cols - len(lines[0])) // 2), y + max(0, (rows - len(lines)) // 2)
    for row, line in enumerate(lines, start=top):
        for column, pixel in enumerate(line, start=left):
            if pixel != " " and 0 <= row < len(drawn) and 0 <= column < len(drawn[row]):
                drawn[row] = overlay(drawn[row], [(" " if is_large else pixel, style)], column)


def draw_box(drawn: "list[Row]", content: "list[Row]", title: str, cols: int, rows: int) -> None:
    """Draw framed lines in the center, as many as fit."""
    if cols < 4 or rows < 3:
        for y in range(min(rows, len(content))):
            drawn[y] = fit(content[y], cols)
        return
    heading = cells_of(f" {title} ", f"1;{ACTIVE_BORDER}")
    width = min(max([len(line) for line in content] + [len(heading), 10]), cols - 2)
    height = min(len(content), rows - 2)
    left, top = (cols - width - 2) // 2, (rows - height - 2) // 2
    heading = fit(heading, min(width, len(heading)))
    edge = [("─", ACTIVE_BORDER)] * (width - len(heading))
    side = [("│", ACTIVE_BORDER)]
    lines = [[("┌", ACTIVE_BORDER), *heading, *edge, ("┐", ACTIVE_BORDER)]]
    lines += [[*side, *fit(content[y], width), *side] for y in range(height)]
    lines.append([("└", ACTIVE_BORDER), *[("─", ACTIVE_BORDER)] * width, ("┘", ACTIVE_BORDER)])
    for y, line in enumerate(lines):
        drawn[top + y] = overlay(drawn[top + y], line, left)

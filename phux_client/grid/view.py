"""Compose the screen of a grid: the tiles, the list of keys and the status line. No I/O."""

import time

from phux_client.grid.tiles import draw_tile
from phux_client.tui.canvas import BLANK, Canvas, cells_of, fit
from phux_client.tui.compose import draw_box
from phux_client.tui.status import ALERT, BASE, CURRENT, message_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.grid.model import GridModel
    from phux_client.tui.canvas import Row

KEYS = (
    ("arrows hjkl", "select a pane"),
    ("PgUp PgDn", "go by a page"),
    ("g G", "first, last pane"),
    ("Tab", "next that awaits input"),
    ("Enter", "attach to its session"),
    ("q Escape", "quit"),
)
_NOTHING = "no pane is open; `phux new` creates one"
_LEAST_ROOM = 24


def compose(model: "GridModel", cols: int, rows: int, now: float, *, problem: str, help_shown: bool) -> Canvas:
    """Return the screen, given the current time in epoch seconds."""
    height = rows - 1 if rows > 1 else rows
    drawn = [[BLANK] * cols for _ in range(height)]
    for number, pane in enumerate(model.visible):
        x, y, width, tile_rows = model.arrangement.place(number)
        tile = draw_tile(pane, model.screens.get(pane.id), width, tile_rows, selected=pane.id == model.selected)
        for row, cells in enumerate(tile, y):
            drawn[row][x : x + width] = cells
    if not model.panes:
        drawn[height // 2] = fit(cells_of(_NOTHING.center(cols), "90"), cols)
    if help_shown:
        draw_box(drawn, [cells_of(f" {keys:<11}  {words} ") for keys, words in KEYS], "keys", cols, height)
    if rows > 1:
        drawn.append(message_line(problem, cols) if problem else _status_line(model, cols, now))
    return Canvas(cols, drawn, None)


def _status_line(model: "GridModel", cols: int, now: float) -> "Row":
    attention = [pane.attention for pane in model.panes]
    needed, running = attention.count("needed"), attention.count("running")
    count = f"{len(attention)} pane{'' if len(attention) == 1 else 's'}"
    line = cells_of("[grid] ", CURRENT) + cells_of(f"{count} ", BASE)
    if needed:
        line += cells_of(f" {needed} awaiting ", ALERT)
    line += cells_of(f" {running} running", BASE)
    right = cells_of(f"  ? keys  {time.strftime('%H:%M', time.localtime(now))} ", BASE)
    if len(model.visible) < len(attention):
        first = model.panes.index(model.visible[0]) + 1
        right = cells_of(f"  {first}-{first + len(model.visible) - 1} shown", BASE) + right
    room = cols - len(right)
    if room < _LEAST_ROOM:
        right, room = [], cols
    return fit(line + cells_of(" " * cols, BASE), room) + right

"""Draw one tile. No I/O."""

from phux_client.tui.canvas import BLANK, cells_of, fit
from phux_client.tui.compose import corner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.overview import OverviewPane
    from phux_client.tui.canvas import Row
    from phux_client.tui.model import PaneModel

_LIGHT, _HEAVY = tuple("┌─┐│└┘"), tuple("┏━┓┃┗┛")
_BORDERS = {"needed": "33", "running": "32", "rest": "90"}
_LABELS = {
    "awaiting_secret": ("awaiting secret", "1;97;41"),
    "awaiting_input": ("awaiting input", "1;30;43"),
    "running": ("running", "1;32"),
    "fullscreen": ("full screen", "32"),
    "prompt": ("prompt", "37"),
}
_SELECTED = "97"
_FAILED = "1;91"
_DIM = "90"
_LEAST_LABEL = 8


def draw_tile(pane: "OverviewPane", screen: "PaneModel | None", cols: int, rows: int, *, selected: bool) -> "list[Row]":
    """Return the rows of a tile."""
    if cols < 3 or rows < 3:
        return [fit(cells_of(name_of(pane)), cols), *([BLANK] * cols for _ in range(rows - 1))]
    left_top, edge, right_top, side, left_bottom, right_bottom = _HEAVY if selected else _LIGHT
    style = _SELECTED if selected else _BORDERS[pane.attention]
    inner = cols - 2
    state, state_style = state_of(pane)
    name = cells_of(f" {name_of(pane)} ", f"1;{_SELECTED}" if selected else "1") + cells_of(f"{pane.command} ")
    code = [] if pane.exit_code is None or pane.state == "dead" else _exit_label(pane.exit_code)
    top = _border(name, cells_of(f" {state} ", state_style), inner, (edge, style))
    bottom = _border(code, cells_of(f" {pane.title or pane.cwd} ", _DIM), inner, (edge, style))
    return [
        [(left_top, style), *top, (right_top, style)],
        *([(side, style), *row, (side, style)] for row in _content(screen, inner, rows - 2)),
        [(left_bottom, style), *bottom, (right_bottom, style)],
    ]


def name_of(pane: "OverviewPane") -> str:
    """Return the place of a pane, as a selector."""
    return f"{pane.session}:{pane.window}.{pane.index}"


def state_of(pane: "OverviewPane") -> tuple[str, str]:
    """Return the state of a pane in words, and their style."""
    if pane.state != "dead":
        return _LABELS[pane.state]
    if pane.signal:
        return f"ended by {pane.signal}", _FAILED
    return f"exited {pane.exit_code}", _FAILED if pane.exit_code else _DIM


def _exit_label(code: int) -> "Row":
    return cells_of(f" exit {code} ", _FAILED if code else _DIM)


def _border(left: "Row", right: "Row", width: int, edge: "tuple[str, str]") -> "Row":
    """Return an edge with two labels; the left one is cut first, and then left out."""
    right = fit(right, min(len(right), width))
    room = width - len(right) - 3  # an edge before, between and after the labels
    left = fit(left, min(len(left), room)) if room >= min(len(left), _LEAST_LABEL) else []
    if not left:
        return [*[edge] * (width - len(right)), *right]
    return [edge, *left, *[edge] * (1 + room - len(left)), *right, edge]


def _content(screen: "PaneModel | None", cols: int, rows: int) -> "list[Row]":
    """Return the part of a screen that has the cursor."""
    if screen is None:
        return [[BLANK] * cols for _ in range(rows)]
    x, y, _visible, _shape = screen.cursor
    _left, top = corner((screen.cols, len(screen.rows)), (x, y), cols, rows)
    shown = screen.rows[top : top + rows]
    return [*(fit(row, cols) for row in shown), *([BLANK] * cols for _ in range(rows - len(shown)))]

"""The status line: the session, its windows with their states, and the clock."""

import time

from phux_client.tui.canvas import cells_of, fit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document
    from phux_client.tui.canvas import Row

BASE = "30;42"
CURRENT = "1;30;42"
ALERT = "1;97;41"
MESSAGE = "30;43"
MARKS = {"running": "+", "awaiting_input": "?", "awaiting_secret": "#", "dead": "x"}
"""The marks after a window's name for the state of its panes; a prompt and a full-screen program have none."""
_LEAST_ROOM = 20


def status_line(view: "Document", cols: int, now: float, *, note: str = "") -> "tuple[Row, list[tuple[int, int, int]]]":
    """Return the status line, with a note before the clock.

    Returns:
        The line, and for each window in the line its first column, the column after its last, and its id.
    """
    right = cells_of(f" {note} " if note else " ", BASE) + cells_of(time.strftime("%H:%M ", time.localtime(now)), BASE)
    name = cells_of(f"[{view['session']['name']}] ", CURRENT)
    windows = view["windows"]
    labels = [cells_of(f"{window_label(window)} ", _style(window)) for window in windows]
    room = cols - len(right)
    if room < _LEAST_ROOM:
        right, room = [], cols
    active = next(at for at, window in enumerate(windows) if window["active"])
    name = fit(name, min(len(name), max(0, room - len(labels[active]))))
    first, last = _fitting([len(label) for label in labels], active, room - len(name))
    line, places = name, []
    for at in range(first, last + 1):
        places.append((len(line), len(line) + len(labels[at]), windows[at]["id"]))
        line = line + labels[at]
    return fit(line + cells_of(" " * cols, BASE), room) + right, places


def window_label(window: "Document") -> str:
    """Return a window's label: its index, its name, and marks.

    Example:
        >>> window_label({"index": 1, "name": "vim", "active": True, "zoomed": True, "bell": False, "state": "running"})
        '1:vim*Z+'
    """
    marks = "*" * window["active"] + "Z" * window["zoomed"] + "!" * window["bell"] + MARKS.get(window["state"], "")
    return f"{window['index']}:{window['name']}{marks}"


def message_line(text: str, cols: int) -> "Row":
    """Return a message in place of the status line."""
    return fit(cells_of(f" {text}", MESSAGE) + cells_of(" " * cols, MESSAGE), cols)


def _style(window: "Document") -> str:
    if window["bell"]:
        return ALERT
    return CURRENT if window["active"] else BASE


def _fitting(widths: list[int], active: int, room: int) -> tuple[int, int]:
    """Return the first and last window to show: as many as fit, including the active one."""
    first = last = active
    used = widths[active]
    while True:
        if last + 1 < len(widths) and used + widths[last + 1] <= room:
            last += 1
            used += widths[last]
        elif first > 0 and used + widths[first - 1] <= room:
            first -= 1
            used += widths[first]
        else:
            return first, last

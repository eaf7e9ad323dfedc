"""The status line: the session, its windows with their states, and a message, or a note and the clock."""

import time

from phux_client.tui.canvas import cells_of, fit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from phux_client.flows._types import Document
    from phux_client.tui.canvas import Row

    Places: TypeAlias = list[tuple[int, int, int]]
    """For each window in the line: its first column, the column after its last, and its id."""

BASE = "30;42"
CURRENT = "1;30;42"
ALERT = "1;97;41"
MESSAGE = "30;43"
MARKS = {"running": "+", "awaiting_input": "?", "awaiting_secret": "#", "dead": "x"}
"""The marks after a window's name for the state of its panes; a prompt and a full-screen program have none."""
_LEAST_ROOM = 20


def status_line(
    view: "Document", cols: int, now: float, *, note: str = "", message: str | None = None
) -> "tuple[Row, Places]":
    """Return the status line, and the places of windows in it.

    Args:
        note: A text to show before the clock.
        message: A text to show instead of note and clock. A long one takes the place of everything else.
    """
    name = cells_of(f"[{view['session']['name']}] ", CURRENT)
    windows = view["windows"]
    labels = [cells_of(f"{window_label(window)} ", _style(window)) for window in windows]
    active = next(at for at, window in enumerate(windows) if window["active"])
    if message is None:
        right = cells_of(f" {note} " if note else " ", BASE) + cells_of(
            time.strftime("%H:%M ", time.localtime(now)), BASE
        )
        room = cols - len(right)
        if room < _LEAST_ROOM:
            right, room = [], cols
    else:
        right = cells_of(f" {message} ", MESSAGE)
        room = cols - len(right)
        if room < len(labels[active]) + 4:
            return message_line(message, cols), []
    name = fit(name, min(len(name), max(0, room - len(labels[active]))))
    line, places = _windows(windows, labels, active, room - len(name))
    places = [(start + len(name), end + len(name), window) for start, end, window in places]
    return fit(name + line + cells_of(" " * cols, BASE), room) + right, places


def message_line(text: str, cols: int) -> "Row":
    """Return a message in place of the status line."""
    cells = cells_of(f" {text}", MESSAGE)
    if len(cells) > cols:
        cells = [*fit(cells, max(0, cols - 1)), ("…", MESSAGE)]
    return fit(cells + cells_of(" " * cols, MESSAGE), cols)


def _windows(windows: "list[Document]", labels: "list[Row]", active: int, room: int) -> "tuple[Row, Places]":
    """Return the labels of the windows that fit, and signs for those that do not."""
    widths = [len(label) for label in labels]
    first, last = 0, len(windows) - 1
    if sum(widths) > room:
        first, last = _fitting(widths, active, room - 4)
    line: Row = []
    places: Places = []
    if first > 0 and room >= widths[active] + 4:
        line = cells_of("< ", _sign_style(windows[:first]))
        places.append((0, 2, windows[first - 1]["id"]))
    for at in range(first, last + 1):
        places.append((len(line), len(line) + widths[at], windows[at]["id"]))
        line = line + labels[at]
    if last + 1 < len(windows) and room >= widths[active] + 4:
        places.append((len(line), len(line) + 2, windows[last + 1]["id"]))
        line = line + cells_of("> ", _sign_style(windows[last + 1 :]))
    return line, places


def window_label(window: "Document") -> str:
    """Return a window's label: its index, its name, and marks.

    Example:
        >>> window_label({"index": 1, "name": "vim", "active": True, "zoomed": True, "bell": False, "state": "running"})
        '1:vim*Z+'
    """
    marks = "*" * window["active"] + "Z" * window["zoomed"] + "!" * window["bell"] + MARKS.get(window["state"], "")
    return f"{window['index']}:{window['name']}{marks}"


def _style(window: "Document") -> str:
    if window["bell"]:
        return ALERT
    return CURRENT if window["active"] else BASE


def _sign_style(hidden: "list[Document]") -> str:
    """Return the style of the sign for windows that do not fit: the bell of one of them must be seen."""
    return ALERT if any(window["bell"] for window in hidden) else CURRENT


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

"""The status line: the session, its windows with what goes on in them, and the clock."""

import time

from phux_client.tui.canvas import cells_of, fit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._kinds import Document
    from phux_client.tui.canvas import Row

BASE = "30;42"
CURRENT = "1;30;42"
ALERT = "1;97;41"
MESSAGE = "30;43"
MARKS = {"running": "+", "awaiting_input": "?", "awaiting_secret": "#", "dead": "x"}
"""What stands behind a window's name for the state of its panes; a prompt and a full-screen program have none."""


def status_line(view: "Document", cols: int, now: float, *, note: str = "") -> "Row":
    """Draw the line.

    Args:
        view: The session.
        cols: How wide the terminal is.
        now: The time, in seconds since the epoch.
        note: What else to say at the right, before the clock.
    """
    right = cells_of(f" {note} " if note else " ", BASE) + cells_of(time.strftime("%H:%M ", time.localtime(now)), BASE)
    name = cells_of(f"[{view['session']['name']}] ", CURRENT)
    windows = [(window_label(window), window) for window in view["windows"]]
    labels = [cells_of(f"{label} ", _style(window)) for label, window in windows]
    room = cols - len(right)
    if room < 20:
        right, room = [], cols
    left = _fit_windows(name, labels, next((at for at, (_, one) in enumerate(windows) if one["active"]), 0), room)
    left += cells_of(" " * (room - len(left)), BASE)
    return fit(left, room) + right


def window_label(window: "Document") -> str:
    """Give a window as the line shows it: its index, its name, and marks.

    Example:
        >>> window_label({"index": 1, "name": "vim", "active": True, "zoomed": True, "bell": False, "state": "running"})
        '1:vim*Z+'
    """
    marks = "*" * window["active"] + "Z" * window["zoomed"] + "!" * window["bell"] + MARKS.get(window["state"], "")
    return f"{window['index']}:{window['name']}{marks}"


def message_line(text: str, cols: int) -> "Row":
    """Draw a message in the place of the line."""
    return fit(cells_of(f" {text}", MESSAGE) + cells_of(" " * cols, MESSAGE), cols)


def _style(window: "Document") -> str:
    if window["bell"]:
        return ALERT
    return CURRENT if window["active"] else BASE


def _fit_windows(name: "Row", labels: "list[Row]", active: int, room: int) -> "Row":
    """Put as many windows as fit behind the session's name, the active one among them."""
    if len(name) + len(labels[active] if labels else []) > room:
        name = fit(name, max(0, room - len(labels[active]))) if labels else fit(name, room)
    left = room - len(name)
    first = last = active
    used = len(labels[active]) if labels else 0
    while True:
        if last + 1 < len(labels) and used + len(labels[last + 1]) <= left:
            last += 1
            used += len(labels[last])
        elif first > 0 and used + len(labels[first - 1]) <= left:
            first -= 1
            used += len(labels[first])
        else:
            break
    shown = [cell for label in labels[first : last + 1] for cell in label]
    return name + fit(shown, min(len(shown), left))

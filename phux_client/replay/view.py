"""Compose the screen of a replay: a frame of the recording, and the status line. No I/O."""

import time

from phux_client.tui.canvas import Canvas, cells_of, fit
from phux_client.tui.compose import corner, draw_box, outer_row
from phux_client.tui.status import BASE, CURRENT, MESSAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.replay.film import Frame
    from phux_client.tui.canvas import Row

KEYS = (
    ("Space", "pause, continue; at the end, play again"),
    ("n Right", "go to the start of the next command"),
    ("p Left", "go to the start of this command, or of the one before"),
    ("+ -", "play faster, slower"),
    ("g Home", "go to the start"),
    ("G End", "go to the end"),
    ("q Escape", "quit"),
)
_HINT = "? keys"
_LEAST_ROOM = 20


def compose(frame: "Frame", status: "Row", cols: int, rows: int, *, help_shown: bool = False) -> Canvas:
    """Return the screen for a terminal of a size; a larger recording is cut to the part around the cursor."""
    height = rows - 1 if rows > 1 else rows
    left, top = corner((frame.cols, len(frame.rows)), frame.cursor_at, cols, height)
    drawn = [
        outer_row(frame.rows[y] if y < len(frame.rows) else None, left, frame.cols, cols)
        for y in range(top, top + height)
    ]
    cursor = None
    if frame.cursor is not None:
        x, y, shape = frame.cursor
        if 0 <= x - left < cols and 0 <= y - top < height:
            cursor = (x - left, y - top, shape)
    if help_shown:
        draw_box(drawn, [cells_of(f" {keys:<10}{words} ") for keys, words in KEYS], "keys", cols, height)
        cursor = None
    return Canvas(cols, [*drawn, status] if rows > 1 else drawn, cursor)


def status_line(mode: str, position: float, start: float, end: float, shown: str, cols: int, speed: float) -> "Row":
    """Return the status line.

    Args:
        mode: ``playing``, ``paused``, ``loading`` or ``end``.
        position: The moment that is shown, in epoch seconds.
        start: The start of the recording, in epoch seconds.
        end: The end of the recording, in epoch seconds.
        shown: The running command or the state.
        cols: The width of the terminal.
        speed: How many seconds of the recording are played in a second.
    """
    clock = time.strftime("%H:%M:%S", time.localtime(position))
    passed = f"{duration(position - start)}/{duration(end - start)}"
    label = f"{mode} {speed:g}x" if mode == "playing" and speed != 1 else mode
    left = cells_of(f"[{label}] ", CURRENT if mode == "playing" else f"1;{MESSAGE}")
    left += cells_of(f" {passed}  {clock}  {shown}", BASE)
    right = cells_of(f"  {_HINT} ", BASE)
    room = cols - len(right)
    if room < _LEAST_ROOM:
        right, room = [], cols
    return fit(left + cells_of(" " * cols, BASE), room) + right


def duration(seconds: float) -> str:
    """Format a duration.

    Example:
        >>> duration(75), duration(3675)
        ('1:15', '1:01:15')
    """
    minutes, second = divmod(int(max(0.0, seconds)), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"

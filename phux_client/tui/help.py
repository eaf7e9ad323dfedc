"""The list of keys and other texts, as a scrolling overlay."""

from phux_client.tui.canvas import cells_of
from phux_client.tui.compose import Overlay
from phux_client.tui.keyboard import KeyPress, MouseEvent, Text
from phux_core.bindings import ACTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.tui.keyboard import Event
    from phux_core.bindings import Bindings

_COPY_KEYS = (
    ("arrows h j k l", "move"),
    ("PgUp PgDn C-u C-d", "move by a page, by half a page"),
    ("g G 0 $ w b", "to the top, the end, along the line, by words"),
    ("/ ?", "search upwards, downwards; n and N go on"),
    ("v V", "select characters, lines"),
    ("y Enter", "copy what is selected"),
    ("q Escape", "leave"),
)
_MARKS = (
    ("* Z", "the active window; it is zoomed"),
    ("! + ?", "it rang the bell; a command runs; a program waits for input"),
    ("# x", "a program waits for a password; its program has ended"),
)


def key_list(bindings: "Bindings") -> list[str]:
    """Return the list of keys and their actions."""
    lines = [f"{bindings.prefix}, then:", ""]
    windows = [key for index in range(10) for key in bindings.keys_of(f"window-{index}")]
    for action, words in ACTIONS.items():
        keys = bindings.keys_of(action)
        if action == "window-0" and windows:
            lines.append(f"  {windows[0] + '-' + windows[-1]:<16} go to the window of that number")
        elif keys and not action.startswith("window-"):
            lines.append(f"  {' '.join(keys):<16} {words}")
    lines += [f"  {key:<16} {action}" for key, action in bindings.table.items() if action.startswith(":")]
    lines += ["", "scrolling and copying:", "", *(f"  {keys:<18} {words}" for keys, words in _COPY_KEYS)]
    lines += ["", "behind a window's name:", "", *(f"  {keys:<18} {words}" for keys, words in _MARKS)]
    return lines


class Pager:
    """A text on top of the panes.

    Args:
        lines: The text.
        title: The title of the overlay.
    """

    def __init__(self, lines: list[str], title: str) -> None:
        self._lines = lines
        self._title = title
        self._first = 0
        self._height = 1

    def take(self, event: "Event") -> bool:
        """Handle a key; return whether it closes the text. Any key that does not scroll does."""
        if isinstance(event, MouseEvent):
            self._scroll({"wheel_up": -3, "wheel_down": 3}.get(event.button or "", 0))
            return False
        key = event.name if isinstance(event, KeyPress) else event.text if isinstance(event, Text) else None
        page, all_of_it = self._height, len(self._lines)
        step = {"Up": -1, "k": -1, "Down": 1, "j": 1, "PageUp": -page, "PageDown": page, " ": page}
        step |= {"Home": -all_of_it, "End": all_of_it, "g": -all_of_it, "G": all_of_it}
        if key in step:
            self._scroll(step[key])
            return False
        return key is not None

    def _scroll(self, by: int) -> None:
        self._first = min(max(0, self._first + by), max(0, len(self._lines) - self._height))

    def overlay(self, _cols: int, rows: int) -> Overlay:
        """Return the overlay."""
        self._height = max(1, rows - 2)
        self._scroll(0)
        shown = self._lines[self._first : self._first + self._height]
        more = len(self._lines) > self._height
        title = f"{self._title} {self._first + len(shown)}/{len(self._lines)}" if more else self._title
        return Overlay([cells_of(f" {line} ") for line in shown], title)

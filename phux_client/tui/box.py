"""Lists on top of the panes: the keys, the output of a command, and the tree to choose from."""

from phux_client.tui.canvas import cells_of, fit
from phux_client.tui.keyboard import MouseEvent, key_of
from phux_client.tui.status import MARKS
from phux_core.bindings import ACTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from phux_client.flows._types import Document
    from phux_client.tui.canvas import Row
    from phux_client.tui.keyboard import Event
    from phux_core.bindings import Bindings

    Choice: TypeAlias = tuple[str, int, str, int]
    """A line of the tree: its text, its session's id, and the kind and id of its session, window or pane."""

_CURRENT = "30;43"
_WHEEL = 3
# Keys that users press to close a text, and that would have an effect in a shell.
_ONLY_CLOSE = frozenset({"Escape", "Enter", "KPEnter", "q", "C-c"})
_COPY_KEYS = (
    ("arrows h j k l", "move the cursor"),
    ("PageUp PageDown", "move by a page"),
    ("C-u C-d", "move by half a page"),
    ("g G", "go to the top, to the bottom"),
    ("0 $ w b", "go to the start or end of the line, to the next or previous word"),
    ("/ ?", "search up, search down"),
    ("n N", "repeat the search, in the other direction"),
    ("v V", "select characters, lines"),
    ("y Enter", "copy the selection, and leave"),
    ("q Escape", "leave"),
)
_WINDOW_MARKS = {"*": "the active window", "Z": "one of its panes is zoomed", "!": "the bell rang"}
_STATE_MARKS = {
    "running": "a command is running",
    "awaiting_input": "a program waits for input",
    "awaiting_secret": "a program waits for a password",
    "dead": "its programs have ended",
}


class Box:
    """Scrolling lines in a frame. If there is something to choose, one line is the current line.

    Args:
        current: The index of the current line; None if there is nothing to choose.
        choose: Called with the index of the chosen line.

    Attributes:
        is_passed_on: Whether the key that closed the box still does its work.
    """

    def __init__(
        self, lines: list[str], title: str, current: int | None = None, choose: "Callable[[int], None] | None" = None
    ) -> None:
        self._lines = lines
        self._title = title
        self._current = current
        self._choose = choose
        self._first = 0
        self._height = 1
        self.is_passed_on = False

    def take(self, event: "Event") -> bool:
        """Handle a key; return whether it closes the box.

        If there is nothing to choose, every key closes the box, except those that scroll.
        """
        if isinstance(event, MouseEvent):
            self._move({"wheel_up": -_WHEEL, "wheel_down": _WHEEL}.get(event.button or "", 0))
            return False
        key = key_of(event)
        page, everything = self._height, len(self._lines)
        step = {"Up": -1, "k": -1, "C-p": -1, "Down": 1, "j": 1, "C-n": 1, "PageUp": -page, "PageDown": page, " ": page}
        step |= {"Home": -everything, "End": everything, "g": -everything, "G": everything}
        if key in step:
            self._move(step[key])
            return False
        if self._current is None or self._choose is None:
            self.is_passed_on = key not in _ONLY_CLOSE
            return bool(key)
        if key in {"Enter", "KPEnter", "l", "Right"}:
            self._choose(self._current)
            return True
        return key in {"Escape", "q", "C-c"}

    def _move(self, by: int) -> None:
        if self._current is not None:
            self._current = min(max(0, self._current + by), len(self._lines) - 1)
        else:
            self._first = max(0, self._first + by)

    def overlay(self, cols: int, rows: int) -> "tuple[list[Row], str]":
        """Return the rows in the frame, and the frame's title."""
        self._height = max(1, min(len(self._lines), rows - 2))
        if self._current is not None:
            self._first = min(max(self._first, self._current - self._height + 1), self._current)
        self._first = min(self._first, max(0, len(self._lines) - self._height))
        width = min(max(len(cells_of(f" {line} ")) for line in self._lines), max(1, cols - 2))
        shown = []
        for at in range(self._first, min(self._first + self._height, len(self._lines))):
            style = _CURRENT if at == self._current else ""
            shown.append(fit(cells_of(f" {self._lines[at]} ", style) + cells_of(" " * width, style), width))
        more = self._current is None and len(self._lines) > self._height
        return shown, f"{self._title} {self._first + len(shown)}/{len(self._lines)}" if more else self._title


def key_list(bindings: "Bindings") -> list[str]:
    """Return the list of keys and their actions."""
    lines = [f"{bindings.prefix}, then:", ""]
    windows = [key for index in range(10) for key in bindings.keys_of(f"window-{index}")]
    for action, words in ACTIONS.items():
        keys = bindings.keys_of(action)
        if action == "window-0" and windows:
            lines.append(f"  {windows[0] + '-' + windows[-1]:<16} go to the window with that number")
        elif keys and not action.startswith("window-"):
            lines.append(f"  {' '.join(keys):<16} {words}")
    lines += [f"  {key:<16} {action}" for key, action in bindings.table.items() if action.startswith(":")]
    lines += ["", "scrolling and copying:", "", *(f"  {keys:<16} {words}" for keys, words in _COPY_KEYS)]
    marks = _WINDOW_MARKS | {MARKS[state]: words for state, words in _STATE_MARKS.items()}
    lines += ["", "after a window's name:", "", *(f"  {mark:<16} {words}" for mark, words in marks.items())]
    return lines


def choices(tree: "Document") -> "list[Choice]":
    """Return the lines of a tree, without the panes of windows that have only one pane."""
    found: list[Choice] = []
    for session in tree["sessions"]:
        clients = session["attached_clients"]
        attached = f", {clients} attached" if clients else ""
        count = len(session["windows"])
        windows = f"{count} window{'' if count == 1 else 's'}"
        found.append((f"{session['name']}  ({windows}{attached})", session["id"], "session", session["id"]))
        for window in session["windows"]:
            panes = window["panes"]
            what = _pane_words(panes[0]) if len(panes) == 1 else f"{len(panes)} panes"
            mark = "*" if window["active"] else ""
            label = f"  {window['index']}: {window['name']}{mark}  {what}"
            found.append((label, session["id"], "window", window["id"]))
            for pane in panes if len(panes) > 1 else []:
                mark = "*" if pane["active"] else ""
                label = f"    {pane['index']}{mark} @{pane['id']}  {_pane_words(pane)}"
                found.append((label, session["id"], "pane", pane["id"]))
    return found


def _pane_words(pane: "Document") -> str:
    foreground = pane.get("foreground") or {}
    command = foreground.get("command") or pane["command"]
    return f"{command}  {pane['state']}  {pane['cwd'] or ''}".rstrip()

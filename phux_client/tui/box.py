"""Lists on top of the panes: the keys, the output of a command, and the tree to choose from."""

from phux_client.tui.canvas import cells_of, fit
from phux_client.tui.keyboard import MouseEvent, Paste, Text, key_of
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

    Choice: TypeAlias = tuple[str, str, int, str, int]
    """A line of the tree: its text, its text among the lines that a filter finds, its session's id, and the kind and id
    of its session, window or pane."""

_CURRENT = "30;43"
_WHEEL = 3
_DIGITS = 10
# Keys that users press to close a text, and that would have an effect in a shell.
_ONLY_CLOSE = frozenset({"Escape", "Enter", "KPEnter", "q", "C-c"})
_COPY_KEYS = (
    ("arrows h j k l", "move the cursor"),
    ("PageUp PageDown", "move by a page"),
    ("C-u C-d", "move by half a page"),
    ("g G { }", "go to the top, to the bottom, by a paragraph"),
    ("0 ^ $", "go to the start, the first word or the end of the line"),
    ("w b e W B E", "go by words, or by words between blanks"),
    ("f F t T ; ,", "go to a character, or before it; repeat"),
    ("1 to 9", "repeat the next key so often"),
    ("/ ? * #", "search up, search down; the word at the cursor"),
    ("n N", "repeat the search, in the other direction"),
    ("Space v V C-v", "select characters, lines, a rectangle"),
    ("o", "go to the other end of the selection"),
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
    """Scrolling lines in a frame.

    Attributes:
        is_passed_on: Whether the key that closed the box still does its work.
    """

    def __init__(self, lines: list[str], title: str) -> None:
        self._lines = lines
        self._title = title
        self._current: int | None = None
        self._first = 0
        self._height = self._width = 1
        self.is_passed_on = False

    def take(self, event: "Event") -> bool:
        """Handle a key; return whether it closes the box. Every key closes it, except those that scroll."""
        if self._scrolls(event):
            return False
        key = key_of(event)
        self.is_passed_on = key not in _ONLY_CLOSE
        return bool(key)

    def _scrolls(self, event: "Event") -> bool:
        """Handle the mouse, and keys that scroll; return whether the event was handled."""
        if isinstance(event, MouseEvent):
            self._move({"wheel_up": -_WHEEL, "wheel_down": _WHEEL}.get(event.button or "", 0))
            return True
        step = self._steps().get(key_of(event))
        if step is not None:
            self._move(step)
        return step is not None

    def _steps(self) -> dict[str, int]:
        page, everything = self._height, len(self._lines)
        step = {"Up": -1, "k": -1, "C-p": -1, "Down": 1, "j": 1, "C-n": 1, "PageUp": -page, "PageDown": page, " ": page}
        return step | {"Home": -everything, "End": everything, "g": -everything, "G": everything}

    def _move(self, by: int) -> None:
        self._first = max(0, self._first + by)

    def overlay(self, cols: int, rows: int) -> "tuple[list[Row], str]":
        """Return the rows in the frame, and the frame's title."""
        self._height = max(1, min(len(self._lines), rows - 2))
        if self._current is not None:
            self._first = min(max(self._first, self._current - self._height + 1), self._current)
        self._first = min(self._first, max(0, len(self._lines) - self._height))
        self._width = max(self._width, *(len(cells_of(f" {line} ")) for line in self._lines))
        width = min(self._width, max(1, cols - 2))
        shown = []
        for at in range(self._first, min(self._first + self._height, len(self._lines))):
            style = _CURRENT if at == self._current else ""
            shown.append(fit(cells_of(f" {self._lines[at]} ", style) + cells_of(" " * width, style), width))
        more = self._current is None and len(self._lines) > self._height
        return shown, f"{self._title} {self._first + len(shown)}/{len(self._lines)}" if more else self._title


class Picker(Box):
    """Lines to choose from. One is the current line; the first ten can also be chosen with a digit.

    Args:
        lines: The lines.
        current: The index of the current line.
        choose: Called with the index of the chosen line.
        found: The lines to show while a filter is typed, which is also the text to search; by default, ``lines``.
        filtering: Begin with the filter.
    """

    def __init__(
        self,
        lines: list[str],
        title: str,
        current: int,
        choose: "Callable[[int], None]",
        *,
        found: list[str] | None = None,
        filtering: bool = False,
    ) -> None:
        super().__init__([], title)
        self._name = title
        self._all, self._found = lines, found or lines
        self._choose = choose
        self._places: list[int] = []
        self._filter: str | None = None
        self._show(current, "" if filtering else None)

    def _show(self, place: int, text: str | None) -> None:
        """Show the lines that have all words of a filter, or all lines if there is none."""
        self._filter = text
        if text is None:
            self._places = list(range(len(self._all)))
            self._lines = [f"({at}) {line}" if at < _DIGITS else f"    {line}" for at, line in enumerate(self._all)]
            self._title = f"{self._name}  Enter: choose, /: filter, q: leave"
        else:
            words = text.lower().split()
            found = self._found
            self._places = [at for at, line in enumerate(found) if all(word in line.lower() for word in words)]
            self._lines = [found[at] for at in self._places] or ["nothing matches"]
            self._lines += [""] * (len(found) - len(self._lines))  # so that the frame does not move
            self._title = f"{self._name}  filter: {text}_"
        self._current = self._places.index(place) if place in self._places else 0

    @property
    def _place(self) -> int:
        return self._places[self._current or 0] if self._places else 0

    def take(self, event: "Event") -> bool:
        """Handle a key; return whether it closes the box."""
        key = key_of(event)
        if isinstance(event, Paste):
            self._show(self._place, (self._filter or "") + event.text.strip())
            return False
        if self._filter is not None and isinstance(event, Text):
            self._show(self._place, self._filter + event.text)
            return False
        if self._filter is not None and key in {"Escape", "C-c", "BSpace", "C-h", "C-u"}:
            # Without any text, these keys end the filter.
            is_shorter = key in {"BSpace", "C-h"} and self._filter
            text = self._filter[:-1] if is_shorter else "" if key == "C-u" and self._filter else None
            self._show(self._place, text)
            return False
        if self._scrolls(event):
            return False
        if key == "/":
            self._show(self._place, "")
            return False
        if key.isdecimal() and int(key) < len(self._all):
            self._choose(int(key))
            return True
        if key in {"Enter", "KPEnter", "l", "Right"}:
            if self._places:
                self._choose(self._place)
            return bool(self._places)
        return key in {"Escape", "q", "C-c"}

    def _move(self, by: int) -> None:
        self._current = min(max(0, (self._current or 0) + by), max(0, len(self._places) - 1))


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
        label = f"{session['name']}  ({windows}{attached})"
        found.append((label, label, session["id"], "session", session["id"]))
        for window in session["windows"]:
            panes = window["panes"]
            what = _pane_words(panes[0]) if len(panes) == 1 else f"{len(panes)} panes"
            mark = "*" if window["active"] else ""
            label = f"{window['index']}: {window['name']}{mark}  {what}"
            path = f"{session['name']}:{window['index']}"
            found.append(
                (f"  {label}", f"{path} {window['name']}{mark}  {what}", session["id"], "window", window["id"])
            )
            for pane in panes if len(panes) > 1 else []:
                mark = "*" if pane["active"] else ""
                label = f"{pane['index']}{mark} @{pane['id']}  {_pane_words(pane)}"
                found.append((f"    {label}", f"{path}.{label}", session["id"], "pane", pane["id"]))
    return found


def _pane_words(pane: "Document") -> str:
    foreground = pane.get("foreground") or {}
    command = foreground.get("command") or pane["command"]
    return f"{command}  {pane['state']}  {pane['cwd'] or ''}".rstrip()

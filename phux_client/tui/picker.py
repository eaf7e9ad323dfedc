"""Choose a session, a window or a pane from the tree."""

from phux_client.tui.canvas import cells_of, fit
from phux_client.tui.compose import Overlay
from phux_client.tui.keyboard import KeyPress, MouseEvent, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document
    from phux_client.tui.canvas import Row
    from phux_client.tui.keyboard import Event

_CHOSEN = "30;43"


class Choice:
    """One line of the tree.

    Attributes:
        session: The session's id.
        window: The window's id, for a window or a pane.
        pane: The pane's id, for a pane.
        label: The text of the line.
    """

    __slots__ = ("label", "pane", "session", "window")

    def __init__(self, label: str, session: int, window: int | None = None, pane: int | None = None) -> None:
        self.label = label
        self.session = session
        self.window = window
        self.pane = pane


def choices(tree: "Document") -> list[Choice]:
    """Return all choices, without the panes of windows that have only one."""
    found = []
    for session in tree["sessions"]:
        clients = session["attached_clients"]
        attached = f", {clients} attached" if clients else ""
        count = len(session["windows"])
        windows = f"{count} window{'' if count == 1 else 's'}"
        found.append(Choice(f"{session['name']}  ({windows}{attached})", session["id"]))
        for window in session["windows"]:
            panes = window["panes"]
            what = _pane_words(panes[0]) if len(panes) == 1 else f"{len(panes)} panes"
            mark = "*" if window["active"] else ""
            found.append(Choice(f"  {window['index']}: {window['name']}{mark}  {what}", session["id"], window["id"]))
            if len(panes) > 1:
                for pane in panes:
                    mark = "*" if pane["active"] else ""
                    label = f"    {pane['index']}{mark} @{pane['id']}  {_pane_words(pane)}"
                    found.append(Choice(label, session["id"], window["id"], pane["id"]))
    return found


def _pane_words(pane: "Document") -> str:
    foreground = pane.get("foreground") or {}
    command = foreground.get("command") or pane["command"]
    return f"{command}  {pane['state']}  {pane['cwd'] or ''}".rstrip()


class Picker:
    """The list of choices and the current one.

    Args:
        found: The choices.
        session: The session shown now.
        window: Its active window.
    """

    def __init__(self, found: list[Choice], session: int, window: int) -> None:
        self._found = found
        self._at = next(
            (at for at, choice in enumerate(found) if (choice.session, choice.window) == (session, window)), 0
        )
        self._first = 0
        self._height = 1
        self.chosen: Choice | None = None

    def take(self, event: "Event") -> bool:
        """Handle a key; return whether it closes the list. ``chosen`` is the choice, if any."""
        last = len(self._found) - 1
        key = event.name if isinstance(event, KeyPress) else event.text if isinstance(event, Text) else ""
        if isinstance(event, MouseEvent):
            key = {"wheel_up": "Up", "wheel_down": "Down"}.get(event.button or "", "")
        match key:
            case "Up" | "k" | "C-p":
                self._at = max(0, self._at - 1)
            case "Down" | "j" | "C-n":
                self._at = min(last, self._at + 1)
            case "PageUp":
                self._at = max(0, self._at - self._height)
            case "PageDown":
                self._at = min(last, self._at + self._height)
            case "Home" | "g":
                self._at = 0
            case "End" | "G":
                self._at = max(0, last)
            case "Enter" | "KPEnter" | "l" | "Right":
                self.chosen = self._found[self._at] if self._found else None
                return True
            case "Escape" | "q" | "C-c":
                return True
        return False

    def overlay(self, cols: int, rows: int) -> Overlay:
        """Return the overlay."""
        self._height = max(1, min(len(self._found), rows - 2))
        self._first = min(max(self._first, self._at - self._height + 1), self._at)
        labels = [f" {choice.label} " for choice in self._found]
        width = min(max((len(cells_of(label)) for label in labels), default=1), max(1, cols - 2))
        lines: list[Row] = []
        for at in range(self._first, min(self._first + self._height, len(labels))):
            style = _CHOSEN if at == self._at else ""
            row = cells_of(labels[at], style)
            lines.append(fit(row + cells_of(" " * width, style), width))
        return Overlay(lines, "choose: Enter, q to leave")

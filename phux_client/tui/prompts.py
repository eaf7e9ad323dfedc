"""Prompts in the status line: yes or no, a name, a command."""

from phux_client.tui.canvas import cells_of, fit
from phux_client.tui.keyboard import KeyPress, Paste, Text
from phux_client.tui.status import MESSAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_client.tui.canvas import Row
    from phux_client.tui.keyboard import Event

_MAX_TEXT = 4096
_MAX_REMEMBERED = 100


class Confirm:
    """A question that a single key answers: y calls ``then``, and every other key means no."""

    def __init__(self, question: str, then: "Callable[[], None]") -> None:
        self._question = question
        self._then = then

    def take(self, event: "Event") -> bool:
        """Handle a key; return whether the question is answered."""
        if isinstance(event, Text):
            if event.text[0] in "yY":
                self._then()
            return True
        return isinstance(event, KeyPress)

    def line(self, cols: int) -> "tuple[Row, int]":
        """Return the line and the cursor's column."""
        shown = cells_of(f" {self._question} (y/n) ", MESSAGE)
        return fit(shown + cells_of(" " * cols, MESSAGE), cols), min(len(shown), cols - 1)


class Ask:
    """A line of text to type.

    Args:
        then: Called with the text when Enter is pressed.
        text: The initial text.
        remembered: Earlier texts for the Up key, newest last; the entered text is added.
    """

    def __init__(
        self,
        label: str,
        then: "Callable[[str], None]",
        *,
        text: str = "",
        remembered: list[str] | None = None,
    ) -> None:
        self._label = label
        self._then = then
        self._before, self._after = text, ""
        self._remembered = remembered if remembered is not None else []
        self._place = len(self._remembered)

    @property
    def text(self) -> str:
        """The current text."""
        return self._before + self._after

    def take(self, event: "Event") -> bool:
        """Handle a key; return whether it closes the prompt."""
        if isinstance(event, (Text, Paste)):
            clean = "".join(character for character in event.text if character.isprintable())
            self._before = (self._before + clean)[: max(0, _MAX_TEXT - len(self._after))]
        elif isinstance(event, KeyPress):
            if event.name in {"Enter", "KPEnter"}:
                text = self.text
                if text and text not in self._remembered[-1:]:
                    self._remembered.append(text)
                    del self._remembered[:-_MAX_REMEMBERED]
                self._then(text)
                return True
            if event.name in {"Escape", "C-c", "C-g"}:
                return True
            self._edit(event.name)
        return False

    def _edit(self, key: str) -> None:
        before, after = self._before, self._after
        match key:
            case "BSpace" | "C-h":
                before = before[:-1]
            case "Delete" | "C-d":
                after = after[1:]
            case "Left" | "C-b":
                before, after = before[:-1], before[-1:] + after
            case "Right" | "C-f":
                before, after = before + after[:1], after[1:]
            case "Home" | "C-a":
                before, after = "", before + after
            case "End" | "C-e":
                before, after = before + after, ""
            case "C-u":
                before = ""
            case "C-k":
                after = ""
            case "C-w":
                before = before.rstrip()
                before = before[: len(before) - len(before.split(" ")[-1])]
            case "Up" | "C-p":
                self._recall(-1)
                return
            case "Down" | "C-n":
                self._recall(1)
                return
        self._before, self._after = before, after

    def _recall(self, step: int) -> None:
        self._place = min(max(self._place + step, 0), len(self._remembered))
        self._before = self._remembered[self._place] if self._place < len(self._remembered) else ""
        self._after = ""

    def line(self, cols: int) -> "tuple[Row, int]":
        """Return the line and the cursor's column. A long text is shown around the cursor."""
        label = cells_of(f" {self._label} ", MESSAGE)
        before = cells_of(self._before, MESSAGE)
        room = max(1, cols - len(label) - 1)
        start = max(0, len(before) - room)
        shown = label + before[start:] + cells_of(self._after, MESSAGE)
        return fit(shown + cells_of(" " * cols, MESSAGE), cols), min(len(label) + len(before) - start, cols - 1)

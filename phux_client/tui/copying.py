"""Connect copy mode to the server: freeze the pane, fetch rows on demand, and store the copied text."""

from phux_client.tui.canvas import row_of
from phux_client.tui.copy_mode import CopyMode
from phux_client.tui.keyboard import Text, key_of
from phux_client.tui.prompts import Ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque

    from phux_client.flows._types import Document
    from phux_client.tui.app import App
    from phux_client.tui.compose import Over
    from phux_client.tui.keyboard import Event
    from phux_core.errors import PhuxError


_MOST_BUFFERS = 20
_MOST_BUFFERED = 4 * 1024 * 1024


class Copying:
    """The client's state of copy mode.

    Attributes:
        buffers: The copied texts, the latest first.
    """

    def __init__(self, app: "App") -> None:
        self._app = app
        self._mode: CopyMode | None = None
        self._asked: tuple[int, int] | None = None
        self._opening: int | None = None
        self.buffers: list[str] = []

    @property
    def is_on(self) -> bool:
        """Whether keys go to copy mode: the active pane is in copy mode, or about to enter it."""
        pane = self._app.model.active_pane
        return pane is not None and pane in {self._opening, self._mode.pane if self._mode is not None else None}

    @property
    def pane(self) -> int | None:
        """The pane that is in copy mode, or about to enter it."""
        return self._mode.pane if self._mode is not None else self._opening

    def begin(self, pane: int, *first: "Event") -> None:
        """Enter copy mode in a pane, and handle the ``first`` events there."""
        if self._mode is not None and self._mode.pane == pane:
            for event in first:
                self.take(event)
            return
        self.over()
        self._opening = pane

        def frozen(reply: "Document") -> None:
            if self._opening != pane:
                return
            x, y = reply["cursor"]
            self._mode = CopyMode(pane, reply["cols"], reply["rows"], reply["total"], (x, y))
            self._opening = None
            for event in first:
                self.take(event)
            self._fetch()

        def refused(error: "PhuxError") -> None:
            self.over()
            self._app.screen.say(error.message)

        self._app.server.ask("freeze", frozen, refused, attachment=self._app.server.attachment, pane=pane)

    def take(self, event: "Event") -> None:
        """Handle a key or the mouse, in cells of the pane."""
        mode = self._mode
        if mode is None or mode.is_busy:  # keys wait until copy mode is ready; mouse events are dropped
            return
        if isinstance(event, Text) and event.text in {"/", "?"} and not mode.awaits_character:
            upwards = event.text == "/"
            label = "search up:" if upwards else "search down:"
            self._app.prompt = Ask(label, lambda text: self._search(text, upwards=upwards))
        elif mode.take(event):
            self._leave()
        else:
            self._fetch()
        self._app.screen.touch()

    def holds(self, typed: "deque[Event]") -> bool:
        """Return whether typed input must wait: copy mode is opening, or loads the row that the input is for.

        A key that cancels the operation ends copy mode, and drops the input before it.
        """
        if self._opening is not None:
            giving_up = {"C-c"}
        elif self._mode is not None and self.is_on and (self._mode.is_busy or not self._mode.knows_row):
            giving_up = {"C-c", "Escape", "q"}
        else:
            return False
        place = next((at for at, event in enumerate(typed) if key_of(event) in giving_up), None)
        if place is None:
            return True
        for _ in range(place + 1):
            typed.popleft()
        self._leave()
        return not typed

    def _search(self, text: str, *, upwards: bool) -> None:
        if self._mode is not None:
            self._mode.search(text, upwards=upwards)
            self._fetch()

    def _leave(self) -> None:
        if self._mode is not None and self._mode.copied is not None:
            self._store(self._mode.copied)
        self.over()
        if self._app.server.attachment is not None:
            self._app.server.ask("thaw", attachment=self._app.server.attachment)

    def _store(self, text: str) -> None:
        if not text:
            self._app.screen.say("only blanks are selected")
            return
        self.buffers = [text, *(other for other in self.buffers if other != text)][:_MOST_BUFFERS]
        while sum(map(len, self.buffers)) > _MOST_BUFFERED:
            self.buffers.pop()
        if self._app.outer.set_clipboard(text):
            self._app.screen.say(f"copied {len(text)} character{'' if len(text) == 1 else 's'}")
        else:
            self._app.screen.say(f"copied {len(text)} characters, too many for the terminal's clipboard")

    def over(self) -> None:
        """Leave copy mode without a request to the server."""
        self._mode = self._opening = self._asked = None
        self._app.screen.touch()

    def _fetch(self) -> None:
        """Request the rows that are needed, one piece at a time."""
        mode = self._mode
        if mode is None or self._asked is not None or self._app.server.attachment is None:
            return
        wanted = mode.wanted()
        if wanted is None:
            return
        self._asked = wanted
        first, count = wanted

        def rows(reply: "Document") -> None:
            if self._mode is not mode:
                return
            self._asked = None
            mode.give(
                first,
                [
                    (row_of(runs, mode.cols), wrapped)
                    for runs, wrapped in zip(reply["rows"], reply["wrapped"], strict=True)
                ],
            )
            self._app.screen.touch()
            if mode.copied is not None:
                self._leave()
            self._fetch()

        self._app.server.ask("frozen_rows", rows, attachment=self._app.server.attachment, first=first, count=count)

    def over_panes(self) -> "Over":
        """Return the rows and the cursor to show instead of the screen of the pane in copy mode."""
        return {} if self._mode is None else {self._mode.pane: self._mode.picture()}

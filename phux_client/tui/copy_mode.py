"""Scroll, search and copy in a pane's scrollback.

Copy mode works on a frozen copy of the pane, which the server keeps for this client, so nothing moves meanwhile. Rows
are counted from the oldest, and requested in pieces: ``wanted`` returns the missing rows, ``give`` adds them.
"""

import re

from phux_client.tui.canvas import cells_of, fit, overlay
from phux_client.tui.keyboard import KeyPress, MouseEvent, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.tui.canvas import Row
    from phux_client.tui.keyboard import Event

CHUNK = 200
"""The number of rows in one request."""
MAX_COPY = 1 << 20
_SELECTED = "30;43"
_FOUND = "30;46"
_PLACE = "30;43"
_WHEEL = 3


class CopyMode:
    """Copy mode in one pane, whose scrollback and screen have ``total`` rows."""

    def __init__(self, pane: int, cols: int, rows: int, total: int, cursor: tuple[int, int]) -> None:
        self.pane = pane
        self.cols, self.rows, self.total = cols, rows, total
        self.top = max(0, total - rows)
        self.x, self.y = min(cursor[0], cols - 1), self.top + min(cursor[1], rows - 1)
        self.copied: str | None = None
        self.message = ""
        self._known: dict[int, tuple[Row, bool]] = {}
        self._mark: tuple[int, int] | None = None
        self._by_lines = False
        self._pattern: re.Pattern[str] | None = None
        self._upwards = True
        self._searching: int | None = None
        self._step = -1
        self._copying = False

    @property
    def is_busy(self) -> bool:
        """Whether copy mode waits for rows to search or copy; keys typed meanwhile are handled later."""
        return self._searching is not None or self._copying

    # Rows

    def wanted(self) -> tuple[int, int] | None:
        """Return the missing rows that are needed next: the first, and their number."""
        for first, end in self._needs():
            for at in range(first, end):
                if at not in self._known:
                    start = max(0, at - CHUNK // 2)
                    while start in self._known:
                        start += 1
                    return start, min(CHUNK, self.total - start)
        return None

    def _needs(self) -> list[tuple[int, int]]:
        needs = [(self.top, min(self.top + self.rows, self.total))]
        if self._searching is not None:
            needs.append((self._searching, self._searching + 1))
        if self._copying and self._mark is not None:
            needs.append((min(self._mark[0], self.y), max(self._mark[0], self.y) + 1))
        return needs

    def give(self, first: int, rows: "list[tuple[Row, bool]]") -> None:
        """Add rows: their cells, and whether each continues in the next."""
        for at, row in enumerate(rows, start=first):
            self._known[at] = row
        if self._searching is not None:
            self._go_on_searching()
        if self._copying and self._is_known_selection():
            self._finish_copy()

    def _text(self, at: int) -> str:
        """Return a row as text with one character per column, so that indexes are columns."""
        row = self._known.get(at)
        if row is None:
            return ""
        return "".join(glyph[0] if glyph else "\0" for glyph, _style in row[0])

    # Keys

    def take(self, event: "Event") -> bool:
        """Handle a key; return whether copy mode ends."""
        self.message = ""
        if isinstance(event, MouseEvent):
            return self._mouse(event)
        if isinstance(event, Text):
            return any(self._key(character) for character in event.text)
        return isinstance(event, KeyPress) and self._key(event.name)

    def _mouse(self, event: MouseEvent) -> bool:
        """Handle the mouse, in cells of the pane: the wheel scrolls, and dragging selects and copies."""
        if event.button == "wheel_up":
            self.scroll(-_WHEEL)
        elif event.button == "wheel_down":
            if self.top + self.rows >= self.total and self._mark is None:
                return True
            self.scroll(_WHEEL)
        elif event.button == "left":
            at = (min(max(self.top + event.y, 0), self.total - 1), min(max(event.x, 0), self.cols - 1))
            if event.kind == "press":
                self._mark = None
                self.y, self.x = at
            elif event.kind == "move":
                if self._mark is None:
                    self._mark, self._by_lines = (self.y, self.x), False
                self.y, self.x = at
                self._show()
            elif self._mark is not None:
                return self._copy()
        return False

    def _key(self, key: str) -> bool:
        page, half = max(1, self.rows - 1), max(1, self.rows // 2)
        match key:
            case "q" | "C-c":
                return True
            case "Escape":
                if self._mark is None:
                    return True
                self._mark = None
            case "Up" | "k" | "C-p":
                self._move(-1)
            case "Down" | "j" | "C-n":
                self._move(1)
            case "Left" | "h":
                self.x = max(0, self.x - 1)
            case "Right" | "l":
                self.x = min(self.cols - 1, self.x + 1)
            case "PageUp" | "C-b":
                self._page(-page)
            case "PageDown" | "C-f" | " ":
                self._page(page)
            case "C-u":
                self._page(-half)
            case "C-d":
                self._page(half)
            case "C-y" | "C-Up":
                self.scroll(-1)
            case "C-e" | "C-Down":
                self.scroll(1)
            case "g" | "Home":
                self._move(-self.total)
            case "G" | "End":
                self._move(self.total)
            case "H":
                self.y = self.top
            case "M":
                self.y = min(self.top + self.rows // 2, self.total - 1)
            case "L":
                self.y = min(self.top + self.rows, self.total) - 1
            case "0" | "^":
                self.x = 0
            case "$":
                self.x = max(0, len(self._text(self.y).rstrip("\0 ")) - 1)
            case "w" | "b":
                self._word(forward=key == "w")
            case "v" | "V" | "C-Space":
                self._mark, self._by_lines = (self.y, self.x), key == "V"
            case "n" | "N":
                self._search_again(upwards=self._upwards == (key == "n"))
            case "y" | "Enter" | "KPEnter":
                return self._copy()
        return False

    def _move(self, by: int) -> None:
        self.y = min(max(0, self.y + by), self.total - 1)
        self._show()

    def _page(self, by: int) -> None:
        self.top = min(max(0, self.top + by), max(0, self.total - self.rows))
        self._move(by)

    def scroll(self, by: int) -> None:
        """Scroll; the cursor stays on the screen."""
        self.top = min(max(0, self.top + by), max(0, self.total - self.rows))
        self.y = min(max(self.y, self.top), min(self.top + self.rows, self.total) - 1)

    def _show(self) -> None:
        """Scroll until the cursor is visible."""
        self.top = min(max(self.top, self.y - self.rows + 1), self.y)

    def _word(self, *, forward: bool) -> None:
        text = self._text(self.y).rstrip("\0 ")
        starts = [found.start() for found in re.finditer(r"\S+", text.replace("\0", "x"))]
        beyond = [at for at in starts if (at > self.x if forward else at < self.x)]
        if beyond:
            self.x = beyond[0] if forward else beyond[-1]
        elif forward and self.y + 1 < self.total:
            self._move(1)
            self.x = 0
        elif not forward and self.y:
            self._move(-1)
            self.x = max(0, len(self._text(self.y).rstrip("\0 ")) - 1)

    # Search

    def search(self, text: str, *, upwards: bool) -> None:
        """Search for a text, ignoring case unless it contains a capital."""
        self.message = ""
        if text:
            flags = 0 if text != text.lower() else re.IGNORECASE
            # A wide glyph takes two characters in the text of a row.
            self._pattern = re.compile("\0?".join(map(re.escape, text)), flags)
        self._upwards = upwards
        self._search_again(upwards=upwards)

    def _search_again(self, *, upwards: bool) -> None:
        if self._pattern is None:
            self.message = "there is no search to repeat"
            return
        found = self._in_row(self.y, upwards=upwards, beyond=self.x)
        if found is not None:
            self.x = found
            return
        self._step = -1 if upwards else 1
        self._searching = self.y + self._step
        self._go_on_searching()

    def _go_on_searching(self) -> None:
        while self._searching is not None:
            at = self._searching
            if not 0 <= at < self.total:
                self._searching = None
                self.message = "not found"
            elif at not in self._known:
                return
            else:
                found = self._in_row(at, upwards=self._step < 0)
                if found is not None:
                    self._searching = None
                    self.x = found
                    self._move(at - self.y)
                else:
                    self._searching = at + self._step

    def _in_row(self, at: int, *, upwards: bool, beyond: int | None = None) -> int | None:
        assert self._pattern is not None
        places = [found.start() for found in self._pattern.finditer(self._text(at))]
        if beyond is not None:
            places = [place for place in places if (place < beyond if upwards else place > beyond)]
        return (places[-1] if upwards else places[0]) if places else None

    # Copy

    def _copy(self) -> bool:
        if self._mark is None:
            return True  # nothing is selected: leave copy mode, as tmux does
        self._copying = True
        if self._is_known_selection():
            self._finish_copy()
        return self.copied is not None

    def _is_known_selection(self) -> bool:
        assert self._mark is not None
        return all(at in self._known for at in range(min(self._mark[0], self.y), max(self._mark[0], self.y) + 1))

    def _finish_copy(self) -> None:
        self._copying = False
        pieces = []
        size = 0
        (first, _), (last, _) = self._ends()
        for at in range(first, last + 1):
            row, wrapped = self._known[at]
            start, end = self._span(at)
            text = "".join(glyph for glyph, _style in row[start:end])
            piece = text if wrapped and at < last else text.rstrip() + "\n" * (at < last or self._by_lines)
            pieces.append(piece)
            size += len(piece)
            if size > MAX_COPY:
                break
        self.copied = "".join(pieces)[:MAX_COPY]

    def _ends(self) -> tuple[tuple[int, int], tuple[int, int]]:
        assert self._mark is not None
        here = (self.y, self.x)
        return (self._mark, here) if self._mark <= here else (here, self._mark)

    def _span(self, at: int) -> tuple[int, int]:
        """Return the selected columns of a row: the first, and the one after the last."""
        if self._mark is None:
            return 0, 0
        (first, start), (last, end) = self._ends()
        if not first <= at <= last:
            return 0, 0
        if self._by_lines:
            return 0, self.cols
        row = self._known.get(at, ([], False))[0]
        start = start if at == first else 0
        end = end + 1 if at == last else self.cols
        if start and start < len(row) and not row[start][0]:
            start -= 1  # the right half of a wide glyph selects all of it
        if end < len(row) and not row[end][0]:
            end += 1
        return start, end

    # Display

    def picture(self) -> "tuple[list[Row], tuple[int, int]]":
        """Return the visible rows and the position of the cursor."""
        drawn = []
        for at in range(self.top, self.top + self.rows):
            row = fit(self._known[at][0], self.cols) if at in self._known else fit([], self.cols)
            if self._pattern is not None:
                for found in self._pattern.finditer(self._text(at)):
                    row[found.start() : found.end()] = [
                        (glyph, _FOUND) for glyph, _ in row[found.start() : found.end()]
                    ]
            start, end = self._span(at)
            row[start:end] = [(glyph, _SELECTED) for glyph, _style in row[start:end]]
            drawn.append(row)
        note = f"[{self.total - self.rows - self.top}/{max(0, self.total - self.rows)}]"
        if self.message:
            note = f"{self.message} {note}"
        elif self._searching is not None:
            note = f"searching {note}"
        cells = cells_of(note, _PLACE)[-self.cols :]
        if drawn:
            drawn[0] = overlay(drawn[0], cells, max(0, self.cols - len(cells)))
        return drawn, (self.x, self.y - self.top)

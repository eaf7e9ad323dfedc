"""Scroll, search and copy in a pane's scrollback.

Copy mode works on a frozen copy of the pane, which the server keeps for this client, so nothing moves meanwhile. Rows
are counted from the oldest, and requested in pieces: ``wanted`` returns the missing rows, ``give`` adds them.
"""

import re

from phux_client.tui.canvas import cells_of, fit, overlay
from phux_client.tui.keyboard import KeyPress, MouseEvent, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from phux_client.tui.canvas import Row
    from phux_client.tui.keyboard import Event

    Shape: TypeAlias = Literal["text", "lines", "block"]
    FindKey: TypeAlias = Literal["f", "F", "t", "T"]

CHUNK = 200
"""The number of rows in one request."""
MAX_COPY = 1 << 20
_SELECTED = "30;43"
_FOUND = "30;46"
_PLACE = "30;43"
_WHEEL = 3
_TRIPLE = 3
# A word for a double click: also paths and URLs.
_CLICKED = re.compile(r"[\w\0./~:@%+=?&#-]+")
_MAX_COUNT = 9999
# The keys that a number repeats.
_REPEATABLE = frozenset(
    (*"hjklwbeWBE{};,nN", *("Up", "Down", "Left", "Right", "C-p", "C-n", "PageUp", "PageDown"), *("C-b", "C-f", "C-u"))
) | frozenset({"C-d", "C-y", "C-e", "C-Up", "C-Down"})
_TURNED: "dict[FindKey, FindKey]" = {"f": "F", "F": "f", "t": "T", "T": "t"}


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
        self._shape: Shape = "text"
        self._count = 0
        self._to_find: FindKey | None = None
        self._found_last: tuple[FindKey, str] | None = None
        self._clicks = 0
        self._pattern: re.Pattern[str] | None = None
        self._upwards = True
        self._searching: int | None = None
        self._step = -1
        self._copying = False

    @property
    def is_busy(self) -> bool:
        """Whether copy mode waits for rows to search or copy; keys typed meanwhile are handled later."""
        return self._searching is not None or self._copying or self._clicks > 0

    @property
    def knows_row(self) -> bool:
        """Whether the row of the cursor is loaded."""
        return self.y in self._known

    @property
    def awaits_character(self) -> bool:
        """Whether the next character is what ``f`` or ``t`` looks for."""
        return self._to_find is not None

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
        if self._clicks:
            needs.append((self.y, self.y + 1))
        return needs

    def give(self, first: int, rows: "list[tuple[Row, bool]]") -> None:
        """Add rows: their cells, and whether each continues in the next."""
        for at, row in enumerate(rows, start=first):
            self._known[at] = row
        if self._searching is not None:
            self._go_on_searching()
        if self._clicks and self.y in self._known:
            self._select_clicked()
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
                if event.clicks > 1:
                    self._clicks = event.clicks
                    if self.y in self._known:
                        self._select_clicked()
                    return self.copied is not None
            elif event.kind == "move":
                if self._mark is None:
                    self._mark, self._shape = (self.y, self.x), "text"
                self.y, self.x = at
                self._show()
            elif self._mark is not None:
                return self._copy()
        return False

    def _select_clicked(self) -> None:
        """Select and copy the word or line that was clicked."""
        clicks, self._clicks = self._clicks, 0
        if clicks == _TRIPLE:
            self._mark, self._shape = (self.y, self.x), "lines"
        else:
            text = self._text(self.y)
            words = [found.span() for found in _CLICKED.finditer(text)]
            start, end = next(((a, b) for a, b in words if a <= self.x < b), (self.x, self.x + 1))
            self._mark, self._shape = (self.y, start), "text"
            self.x = end - 1
        self._copy()

    def _key(self, key: str) -> bool:
        if self._to_find is not None:
            self._find_typed(key)
            return False
        if key.isdecimal() and len(key) == 1 and (key != "0" or self._count):
            self._count = min(self._count * 10 + int(key), _MAX_COUNT)
            return False
        count, self._count = max(self._count, 1), 0
        if key in _REPEATABLE:
            return any(self._press(key) for _ in range(count))
        return self._press(key)

    def _press(self, key: str) -> bool:
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
            case "PageDown" | "C-f":
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
            case "0":
                self.x = 0
            case "^":
                text = self._text(self.y)
                self.x = len(text) - len(text.lstrip()) if text.strip() else 0
            case "$":
                self.x = max(0, len(self._text(self.y).rstrip("\0 ")) - 1)
            case "w" | "b" | "e" | "W" | "B" | "E":
                self._word(key)
            case "f" | "F" | "t" | "T":
                self._to_find = key
            case ";" | ",":
                if self._found_last is not None:
                    last, character = self._found_last
                    self._find(_TURNED[last] if key == "," else last, character)
            case "{" | "}":
                self._paragraph(-1 if key == "{" else 1)
            case "*" | "#":
                self._search_word(upwards=key == "#")
            case " " | "Space" | "C-Space":
                self._mark, self._shape = (self.y, self.x), "text"
            case "v" | "V" | "C-v":
                self._select("text" if key == "v" else "lines" if key == "V" else "block")
            case "o":
                if self._mark is not None:
                    self._mark, (self.y, self.x) = (self.y, self.x), self._mark
                    self._show()
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

    def _select(self, shape: "Shape") -> None:
        """Begin a selection, or give the selection another shape."""
        if self._mark is None or self._shape == shape:
            self._mark = (self.y, self.x)
        self._shape = shape

    def _word(self, key: str) -> None:
        """Move to the start or end of a word; capital letters mean words between blanks."""
        pattern = re.compile(r"\S+" if key.isupper() else r"\w+|[^\w\s]+")
        text = self._text(self.y).rstrip("\0 ").replace("\0", "x")
        forward, at_end = key not in "bB", key in "eE"
        places = [found.end() - 1 if at_end else found.start() for found in pattern.finditer(text)]
        beyond = [at for at in places if (at > self.x if forward else at < self.x)]
        if beyond:
            self.x = beyond[0] if forward else beyond[-1]
        elif forward and self.y + 1 < self.total:
            self._move(1)
            self.x = -1
            self._word(key) if self._text(self.y).strip("\0 ") else self._start()
        elif not forward and self.y:
            self._move(-1)
            self.x = len(self._text(self.y))
            self._word(key) if self._text(self.y).strip("\0 ") else self._start()

    def _start(self) -> None:
        self.x = 0

    # Characters in the row

    def _find_typed(self, key: str) -> None:
        wanted, self._to_find = self._to_find, None
        assert wanted is not None
        if len(key) == 1 or key == "Space":
            self._found_last = wanted, " " if key == "Space" else key
            self._find(*self._found_last)

    def _find(self, key: "FindKey", character: str) -> None:
        """Move to a character in the row (f, F), or to the column before it (t, T)."""
        text, forward = self._text(self.y), key in "ft"
        short = (1 if forward else -1) if key in "tT" else 0
        places = [at for at, glyph in enumerate(text) if glyph == character]
        beyond = [at for at in places if (at > self.x + short if forward else at < self.x + short)]
        if beyond:
            self.x = (beyond[0] if forward else beyond[-1]) - short

    # Paragraphs

    def _paragraph(self, step: int) -> None:
        """Move to the next blank row after rows with text, as far as the rows are known."""
        at, in_text = self.y, bool(self._text(self.y).strip("\0 "))
        while 0 <= at + step < self.total and at + step in self._known:
            at += step
            is_blank = not self._text(at).strip("\0 ")
            if is_blank and in_text:
                break
            in_text = in_text or not is_blank
        self._move(at - self.y)
        self.x = 0

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

    def _search_word(self, *, upwards: bool) -> None:
        """Search for the word at the cursor, or after it."""
        text = self._text(self.y)
        word = next((found[0] for found in re.finditer(r"[\w]+", text) if found.end() > self.x), None)
        if word is not None:
            self.search(word, upwards=upwards)

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
            joins = wrapped and at < last and self._shape != "block"
            piece = text if joins else text.rstrip() + "\n" * (at < last or self._shape == "lines")
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
        if self._shape == "lines":
            return 0, self.cols
        row = self._known.get(at, ([], False))[0]
        if self._shape == "block":
            start, end = min(self._mark[1], self.x), max(self._mark[1], self.x) + 1
        else:
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

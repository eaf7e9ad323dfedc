"""The ghostty engine, based on libghostty-vt.

``feed`` is the hot path of the whole service, so it runs little Python code unless there is an effect. Features that
the library lacks are implemented around it: marks by the tap, the exact history limit by trimming (see ``_trim``),
history below the alternate screen by reading a copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_core.engine import encoding
from phux_core.engine.encoding import CELL_HEIGHT, CELL_WIDTH
from phux_core.engine.ghostty import keys
from phux_core.engine.ghostty.checkpoint import Checkpoint, pack, repair_cut_glyphs, snapshot, unpack
from phux_core.engine.ghostty.grid import Grid
from phux_core.engine.ghostty.native import (
    Sink,
    check,
    configure,
    decode_snapshot,
    ffi,
    lib,
    new_terminal,
    set_size_option,
    write,
)
from phux_core.engine.ghostty.state import (
    AUTOWRAP,
    cursor,
    is_alternate,
    is_wrap_pending,
    mode,
    number,
    read_modes,
    scrollback,
    with_mode,
)
from phux_core.engine.ghostty.unsupported import UnsupportedSequences, erase_below, soft_reset
from phux_core.engine.protocol import (
    BRACKETED_PASTE,
    Bell,
    Cursor,
    Effect,
    Lines,
    Modes,
    Reply,
    Span,
    TitleChanged,
    check_limits,
)
from phux_core.engine.tap import Tap

if TYPE_CHECKING:
    from phux_core.keys import Key

_write = lib.ghostty_terminal_vt_write
_get = lib.ghostty_terminal_get

# Large chunks are fed in slices, and the history is checked between them: a megabyte of newlines at once would create
# half a million rows before they could be trimmed.
_SLICE = 32 * 1024

# The size of a libghostty page, slightly overestimated, and the maximum size of a cell with a color of its own (8
# bytes without).
_PAGE_BYTES = 600_000
_STYLED_CELL_BYTES = 80

_MOST_TITLES = 10  # xterm's limit
_CANCEL = b"\x18"  # CAN: ends a sequence without executing it


class GhosttyEngine:
    """An engine around a terminal of libghostty-vt; ``phux_core.engine.protocol.Engine`` documents the methods."""

    name = "ghostty"

    def __init__(self, terminal: Any, cols: int, rows: int, history: int, tap: Tap, title: str | None) -> None:
        """Take ownership of a native terminal; use ``create`` or ``restore`` instead."""
        self.cols = cols
        self.rows = rows
        self._limit = history
        self.tap = tap
        self._title = title  # the title last reported, or None
        self._sink = Sink(cols, rows)
        self._terminal = terminal
        self._handle = configure(terminal, self._sink)
        self._grid = Grid(terminal, tap.links)
        self._untrimmed = 0  # bytes fed since the history was last checked
        self._page_rows = self._spare = self._bytes = 0  # see _set_limits
        self._tight = False
        self._unsupported = UnsupportedSequences()
        self._set_limits()

    # Reading

    @property
    def position(self) -> int:
        """The position of the next byte."""
        return self.tap.position

    @property
    def title(self) -> str | None:
        """The terminal's title, or None if none was set."""
        # A full reset clears the title without a callback, so read it each time.
        return None if self._title is None else self._read_title()

    @property
    def cwd(self) -> str | None:
        """The last directory reported with OSC 7, or None."""
        return self.tap.cwd

    @property
    def history_rows(self) -> int:
        """The number of scrollback rows of the primary screen that can be read."""
        if not self._limit:
            return 0
        # The library only counts the rows of the screen shown.
        terminal = self._copy_primary() if is_alternate(self._terminal) else self._terminal
        return min(scrollback(terminal), self._limit)

    def lines(self, first: int, count: int) -> Lines:
        """Return rows as text, omitting rows that do not exist."""
        text: list[str] = []
        wrapped: list[bool] = []
        for grid, top, size, _ in self._parts(first, count):
            part = grid.lines(top, size, self.cols)
            text += part.text
            wrapped += part.wrapped
        return Lines(text, wrapped)

    def spans(self, first: int, count: int) -> list[Span]:
        """Return rows as runs of styled cells, omitting rows that do not exist."""
        spans: list[Span] = []
        for grid, top, size, history in self._parts(first, count):
            spans += grid.spans(top, size, history)
        return spans

    def changed(self) -> dict[int, list[Span]]:
        """Return the viewport rows that may have changed since the last call."""
        return self._grid.changed(scrollback(self._terminal))

    def forget_changes(self) -> None:
        """Free the state that ``changed`` keeps."""
        self._grid.forget_changes()

    def _parts(self, first: int, count: int) -> list[tuple[Grid, int, int, int]]:
        """Locate the rows ``first`` to ``first + count - 1``, as far as they exist.

        Returns:
            For each part: a grid, its first row, the number of rows, and the number of history rows of that grid.
        """
        parts = []
        end = min(first + count, self.rows)
        if first < 0 and is_alternate(self._terminal):
            copy = self._copy_primary()
            history = scrollback(copy)
            first = max(first, -min(history, self._limit))
            if first < min(end, 0):
                parts.append((Grid(copy, self.tap.links), history + first, min(end, 0) - first, history))
            first = 0
        history = scrollback(self._terminal)
        first = max(first, -min(history, self._limit))
        if first < end:
            parts.append((self._grid, history + first, end - first, history))
        return parts

    def cursor(self) -> Cursor:
        """Return the cursor."""
        x, y = cursor(self._terminal)
        visible = bool(number(self._terminal, lib.GHOSTTY_TERMINAL_DATA_CURSOR_VISIBLE))
        return Cursor(x, y, visible, *self._grid.cursor_style())

    @property
    def alt_screen(self) -> bool:
        """Whether the alternate screen is shown."""
        return is_alternate(self._terminal)

    @property
    def bracketed_paste(self) -> bool:
        """Whether bracketed paste is enabled."""
        return mode(self._terminal, BRACKETED_PASTE)

    def modes(self) -> Modes:
        """Return the current modes."""
        return read_modes(self._terminal)

    # Changing

    def feed(self, data: bytes) -> list[Effect]:
        """Process output of the program."""
        data, effects = self.tap.scan(data)
        if b"\x7f" in data:
            # DEL is not a graphic character (ECMA-48, 8.3), but libghostty's fast path prints it.
            data = data.translate(None, b"\x7f")
        self._grid.watch_for_marks(data)
        at = 0
        for start, end, text in self._unsupported.find(data, self.cols):
            # The ESC goes to the terminal, to end an unfinished character or string before it.
            escape = max(start + 1, at)
            self._put(data[at:escape])
            erases = text[-1] in b"JK"
            # At a right margin (mode 69), the glyph is erased too, as in xterm.
            if erases and not (is_wrap_pending(self._terminal) and cursor(self._terminal)[0] == self.cols - 1):
                at = escape
                continue
            self._put(_CANCEL)
            at = end
            if text.endswith(b"J"):
                self._erase_below()
            elif text.endswith(b"p"):
                soft_reset(self._terminal)
            elif text.endswith(b"t"):
                self._stack_title(text)
        self._put(data[at:] if at else data)
        # DECCOLM changed the grid, but the clients determine a pane's size.
        if number(self._terminal, lib.GHOSTTY_TERMINAL_DATA_COLS) != self.cols:
            self._resize_grid(self.cols, self.rows)
        if self._sink.has_effects:
            self._collect(effects)
        return effects

    def _put(self, data: bytes) -> None:
        """Write to the terminal, and limit the history."""
        size = len(data)
        if size <= _SLICE:
            _write(self._terminal, data, size)
            self._untrimmed += size
            if self._untrimmed >= _SLICE:
                self._trim()
        else:
            start = ffi.from_buffer("uint8_t[]", data)
            for at in range(0, size, _SLICE):
                _write(self._terminal, start + at, min(_SLICE, size - at))
                self._trim()

    def _erase_below(self) -> None:
        """Execute ED with a wrap pending: the cursor is after the last glyph of its row, so the row is kept."""
        below = cursor(self._terminal)[1] + 1
        # If there is nothing to erase, the wrap stays pending.
        if self.spans(below, self.rows - below):
            erase_below(self._terminal)

    def _stack_title(self, text: bytes) -> None:
        """Push or pop the title (XTWINOPS 22 and 23)."""
        operation, _, which = text[2:-1].partition(b";")
        if which.split(b";")[0].lstrip(b"0") == b"1":
            return  # the icon name is not the title
        # A title set in this chunk has not been reported yet.
        has_title = self._title is not None or self._sink.title
        titles = self._unsupported.titles
        if operation == b"22":
            titles.append(self._read_title() if has_title else "")
            del titles[:-_MOST_TITLES]
        elif titles:
            title = titles.pop()
            # Programs push and pop around the alternate screen; popping must not create a title where there was none.
            if title or has_title:
                self._put(b"\x1b]2;%b\x1b\\" % title.encode("utf-8", "replace"))

    def _collect(self, effects: list[Effect]) -> None:
        sink = self._sink
        sink.has_effects = False
        if sink.replies:
            effects.extend(map(Reply, sink.replies))
            sink.replies.clear()
        if sink.title:
            sink.title = False
            title = self._read_title()
            if title != self._title:
                self._title = title
                effects.append(TitleChanged(title))
        if sink.bell:
            sink.bell = False
            effects.append(Bell())

    def _read_title(self) -> str:
        text = ffi.new("GhosttyString*")
        check(_get(self._terminal, lib.GHOSTTY_TERMINAL_DATA_TITLE, text), "title")
        return ffi.buffer(text.ptr, text.len)[:].decode("utf-8", "replace") if text.len else ""

    def resize(self, cols: int, rows: int) -> list[Effect]:
        """Resize the grid."""
        check_limits(cols, rows)
        self._sink.cols, self._sink.rows = cols, rows
        self._grid.forget_changes()
        self._resize_grid(cols, rows)
        self.cols, self.rows = cols, rows
        self._set_limits()
        if number(self._terminal, lib.GHOSTTY_TERMINAL_DATA_VT_GROUND) and is_alternate(self._terminal):
            repair_cut_glyphs(self._terminal, self._grid, cols, rows)
        effects: list[Effect] = []
        if self._sink.has_effects:
            self._collect(effects)
        return effects

    def _resize_grid(self, cols: int, rows: int) -> None:
        # Without reflow, which needs autowrap, a wide character could be cut in half (see repair_cut_glyphs).
        with with_mode(self._terminal, AUTOWRAP, on=True):
            check(lib.ghostty_terminal_resize(self._terminal, cols, rows, CELL_WIDTH, CELL_HEIGHT), "resize")

    def set_history_limit(self, rows: int) -> None:
        """Limit the scrollback to ``rows`` rows."""
        check_limits(self.cols, self.rows, rows)
        self._limit = rows
        self._set_limits()

    # The history limit. The library's line limit makes scrolling many times slower once it is reached, and its byte
    # limit cannot guarantee a number of rows, because a row's size depends on its styles. But only at the byte limit
    # does the library reuse the memory of old rows; otherwise page faults slow down scrolling. So while there are too
    # few rows, the byte limit is high. Once there are enough, with some to spare, it is set to their size. It is raised
    # again when the spare rows run short, because newer rows are larger. Spare rows are never returned.

    def _set_limits(self) -> None:
        set_size_option(self._terminal, "SCROLLBACK_MAX_LINES", None)
        self._page_rows = _PAGE_BYTES // (8 * self.cols + 8) + 1
        self._spare = 3 * self._page_rows + self._limit // 50
        self._loosen()
        self._trim()

    def _loosen(self) -> None:
        """Let the history grow, up to a limit that only hostile input reaches."""
        self._bytes = (self._limit + 2 * self._spare) * self.cols * _STYLED_CELL_BYTES if self._limit else 0
        set_size_option(self._terminal, "SCROLLBACK_MAX_BYTES", self._bytes)
        self._tight = False

    def _tighten(self) -> None:
        """Trim the history to the rows wanted and some to spare, and limit it to their current size."""
        set_size_option(self._terminal, "SCROLLBACK_MAX_LINES", self._limit + self._spare)
        set_size_option(self._terminal, "SCROLLBACK_MAX_LINES", None)
        rows = scrollback(self._terminal)
        # The size of the rows is unknown, so lower the limit until the library drops a page.
        while self._bytes > _PAGE_BYTES and scrollback(self._terminal) >= rows:
            self._bytes -= max(_PAGE_BYTES // 2, self._bytes // 200)
            set_size_option(self._terminal, "SCROLLBACK_MAX_BYTES", self._bytes)
        self._tight = True

    def _trim(self) -> None:
        """Adjust the byte limit to the number of rows; called at least every ``_SLICE`` bytes."""
        self._untrimmed = 0
        rows = scrollback(self._terminal)
        enough = self._limit + self._spare
        if self._tight and not self._limit + self._page_rows <= rows <= 2 * enough and rows:
            self._loosen()
        if self._limit and not self._tight and rows > enough + self._page_rows:
            self._tighten()

    # Encoding

    def encode_key(self, key: Key) -> bytes:
        """Return the bytes to send for a key press in the current modes."""
        extended = keys.encode(self._terminal, key)
        if extended is not None:
            return extended
        modal = key.name in encoding.MODAL_KEYS
        arrows, keypad, backarrow = (modal and mode(self._terminal, number) for number in (1, 66, 67))
        return encoding.encode_key(key, cursor=arrows, keypad=keypad, backarrow=backarrow)

    # Lifetime

    def checkpoint(self) -> bytes:
        """Return the whole state as bytes, including an unfinished sequence."""
        image = snapshot(self._terminal, self._grid, self.cols, self.rows)
        return pack(Checkpoint(self._limit, self._title, self._unsupported.dump(), self.tap.dump(), image))

    def close(self) -> None:
        """Free the native terminal."""
        if self._terminal is not None:
            ffi.release(self._terminal)
            # Any later use must fail in Python instead of accessing freed memory.
            del self._grid
            self._terminal = None

    # Helpers

    def _copy_primary(self) -> Any:
        """Return a copy of the terminal that shows the primary screen."""
        copy = decode_snapshot(snapshot(self._terminal, self._grid, self.cols, self.rows))
        write(copy, b"\x18\x1b[?1049l")  # CAN first: the copy may be inside a sequence
        return copy


def create(cols: int, rows: int, *, history: int, position: int) -> GhosttyEngine:
    """Create an engine that starts at a stream position."""
    return GhosttyEngine(new_terminal(cols, rows), cols, rows, history, Tap(position), None)


def restore(checkpoint: bytes) -> GhosttyEngine:
    """Rebuild an engine from ``GhosttyEngine.checkpoint``.

    Raises:
        ValueError: The bytes are not a checkpoint, or have an unsupported version.
    """
    parts = unpack(checkpoint)
    tap = Tap.load(parts.tap)
    terminal = decode_snapshot(parts.snapshot)
    size = ffi.new("uint16_t[2]")
    check(_get(terminal, lib.GHOSTTY_TERMINAL_DATA_COLS, size), "cols")
    check(_get(terminal, lib.GHOSTTY_TERMINAL_DATA_ROWS, size + 1), "rows")
    engine = GhosttyEngine(terminal, size[0], size[1], parts.history, tap, parts.title)
    engine._unsupported = UnsupportedSequences.load(parts.unsupported)  # noqa: SLF001 - its own module
    return engine

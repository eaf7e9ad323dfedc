"""Rows of a libghostty terminal as text and as styled spans, read in bulk.

Text comes from the library's formatter, one call for all rows. Spans come from a render state, which provides each row
as an array of packed cells; only a style new to its page costs another call. One library call per cell would be a
hundred times slower, and one Python step per cell five times.

Rows are counted from the oldest row of the scrollback, as in the library's "screen" coordinates.
"""

from __future__ import annotations

import re
from itertools import compress
from typing import TYPE_CHECKING, Any

from phux_core.engine.ghostty.native import check, ffi, grid_ref, lib, scroll_viewport, sized
from phux_core.engine.protocol import DEFAULT_STYLE, MAX_SIZE, UNDERLINES, Color, Lines, Span, Style

if TYPE_CHECKING:
    from phux_core.engine.links import Links

# The layout of packed cells and rows; tests/contract/engine/test_ghostty_binding.py verifies it.
TAG_BACKGROUND = 2  # bit of the content tag: no text, the content is a background color
CONTENT_SHIFT, CONTENT_MASK = 2, 0x1FFFFF
STYLE_SHIFT, STYLE_MASK = 26, 0xFFFF
WIDE_SHIFT, SEMANTIC_SHIFT = 42, 46
ROW_WRAPPED, ROW_STYLED = 1 << 32, 1 << 35
ROW_PROMPT = 1 << 37  # one of two bits; the other marks continuation rows of a prompt

# Masks of a packed cell: all bits, the bits that affect its appearance, and the same for a background-only cell.
_CELL = (1 << 64) - 1
_ATTRIBUTES = STYLE_MASK << STYLE_SHIFT | 3 << WIDE_SHIFT | 3 << SEMANTIC_SHIFT
_BACKGROUND = 3 | 0xFFFFFF << CONTENT_SHIFT
# The same for a row of maximum length as one number, 64 bits per cell: bit 0, the code point (shifted down), the bits
# set only for characters above the first 256, the appearance.
_EACH = int.from_bytes(b"\1\0\0\0\0\0\0\0" * MAX_SIZE, "little")
_EACH_CODEPOINT = _EACH * CONTENT_MASK
_EACH_BEYOND_LATIN = _EACH * (CONTENT_MASK & ~0xFF)
_EACH_ATTRIBUTES = _EACH * _ATTRIBUTES
_SEMANTICS = (None, "input", "prompt", None)
# Columns of a cell's glyph, by the library's width. The right half of a wide character has no glyph of its own, nor has
# the filler at the end of a row where a wide character did not fit.
_WIDTHS = (1, 2, 0, 0)
_SHAPES = {
    lib.GHOSTTY_RENDER_STATE_CURSOR_VISUAL_STYLE_UNDERLINE: "underline",
    lib.GHOSTTY_RENDER_STATE_CURSOR_VISUAL_STYLE_BAR: "bar",
}
_MAX_STYLES = 4096
# Text that certainly has no combining characters: ASCII, Latin and Greek letters, box drawing, symbols, kana,
# ideographs, most of Hangul.
_NO_MARKS = re.compile(
    rb"(?:[\x00-\x7f]+|[\xc3-\xcb\xce\xcf][\x80-\xbf]|\xe2[\x84-\xb2][\x80-\xbf]|\xe3[\x81\x83][\x80-\xbf]"
    rb"|[\xe4-\xe9\xeb\xec][\x80-\xbf][\x80-\xbf])*+"
)
_MOST_CHECKED = 4096  # bytes; longer chunks are not worth checking
_new = tuple.__new__

# Styles by their C struct's bytes: programs use few, and creating a NamedTuple of eleven fields is slow.
_styles: dict[bytes, Style] = {}


class Grid:
    """Reads the rows of one terminal. Holds scratch memory, so it is not thread-safe."""

    __slots__ = (
        *("_filled", "_kept", "_links", "_options", "_out", "_point", "_ref", "_row", "_selection", "_size", "_style"),
        "_terminal",
    )

    def __init__(self, terminal: Any, links: Links) -> None:
        self._terminal = terminal
        self._links = links
        self._kept: _Rendering | None = None
        self._filled: set[int] = set()
        self._point = ffi.new("PhuxPoint*", {"tag": lib.GHOSTTY_POINT_TAG_SCREEN})
        self._ref = sized("GhosttyGridRef")
        self._row = ffi.new("GhosttyRow*")
        self._style = sized("GhosttyStyle")
        self._selection = sized("GhosttySelection")
        self._out = ffi.new("uint8_t**")
        self._size = ffi.new("size_t*")
        options = sized("GhosttyTerminalSelectionFormatOptions")
        options.emit = lib.GHOSTTY_FORMATTER_FORMAT_PLAIN
        options.unwrap = False
        options.trim = True
        options.selection = self._selection
        self._options = options

    def lines(self, top: int, count: int, cols: int) -> Lines:
        """Return rows ``top`` to ``top + count - 1``, all of which must exist."""
        selection = self._selection
        selection.end = self._refer(cols - 1, top + count - 1)[0]
        selection.start = self._refer(0, top)[0]
        check(
            lib.ghostty_terminal_selection_format_alloc(
                self._terminal, ffi.NULL, self._options[0], self._out, self._size
            ),
            "selection_format",
        )
        data = ffi.buffer(self._out[0], self._size[0])[:] if self._size[0] else b""
        lib.ghostty_free(ffi.NULL, self._out[0], self._size[0])
        text = [line.rstrip(" ") for line in data.decode("utf-8", "replace").split("\n")]
        # The formatter omits trailing blank rows.
        text += [""] * (count - len(text))
        return Lines(text, self._wrapped(top, count))

    def _refer(self, x: int, y: int) -> Any:
        point = self._point
        point.x, point.y = x, y
        check(grid_ref(self._terminal, point[0], self._ref), "grid_ref")
        return self._ref

    def _wrapped(self, top: int, count: int) -> list[bool]:
        # Inlined, because this runs once per row for every snapshot.
        terminal, point, ref, row = self._terminal, self._point, self._ref, self._row
        read = lib.ghostty_grid_ref_row
        point.x = 0
        wrapped: list[bool] = []
        for y in range(top, top + count):
            point.y = y
            grid_ref(terminal, point[0], ref)
            read(ref, row)
            if row[0] & ROW_PROMPT and wrapped and wrapped[-1]:
                wrapped[-1] = not self._begins_prompt(y)
            wrapped.append(row[0] & ROW_WRAPPED != 0)
        if wrapped[-1:] == [True]:
            wrapped[-1] = not self._begins_prompt(top + count)
        return wrapped

    def _begins_prompt(self, y: int) -> bool:
        """Return whether a row starts with a prompt, and so a new line.

        zsh and fish wrap the row above to get there if the output does not end with a newline.
        """
        point, row, cell = self._point, self._row, ffi.new("GhosttyCell*")
        point.x, point.y = 0, y
        if grid_ref(self._terminal, point[0], self._ref) != lib.GHOSTTY_SUCCESS:
            return False  # no such row
        lib.ghostty_grid_ref_row(self._ref, row)
        lib.ghostty_grid_ref_cell(self._ref, cell)
        return bool(row[0] & ROW_PROMPT) and _SEMANTICS[cell[0] >> SEMANTIC_SHIFT & 3] == "prompt"

    def cut_rows(self, cols: int, rows: int) -> list[int]:
        """Return the rows of the screen whose last column holds the left half of a wide character."""
        cell = ffi.new("GhosttyCell*")
        point = ffi.new("PhuxPoint*", {"tag": lib.GHOSTTY_POINT_TAG_ACTIVE, "x": cols - 1})
        cut = []
        for y in range(rows):
            point.y = y
            check(grid_ref(self._terminal, point[0], self._ref), "grid_ref")
            lib.ghostty_grid_ref_cell(self._ref, cell)
            if cell[0] >> WIDE_SHIFT & 3 == lib.GHOSTTY_CELL_WIDE_WIDE:
                cut.append(y)
        return cut

    def spans(self, top: int, count: int, history: int) -> list[Span]:
        """Return rows ``top`` to ``top + count - 1``, all of which must exist; row ``history`` is numbered 0."""
        spans: list[Span] = []
        self.forget_changes()
        rendering = _Rendering()
        try:
            at, end = top, top + count
            while at < end:
                # A render state only sees the viewport, so scroll it over the history and back.
                viewport = min(at, history)
                self._scroll(viewport, history)
                at = self._read(rendering.update(self._terminal), viewport, at, end, history, spans)
        finally:
            if top < history:
                self._scroll(history, history)
            rendering.free()
        return spans

    def changed(self, history: int) -> dict[int, list[Span]]:
        """Return the rows of the screen that may have changed since the last call, all of them the first time.

        The library flags changed rows, and updating a render state clears the flags. So one render state is kept; code
        that updates another render state has to call ``forget_changes``.
        """
        if self._kept is None:
            self._kept = _Rendering()
        rows = self._kept.update(self._terminal)
        changed: dict[int, list[Span]] = {}
        cache = _Appearances()
        y = ffi.new("uint16_t*")
        while lib.ghostty_render_state_row_iterator_next_dirty(rows, y):
            row = y[0]
            if row - 1 in self._filled and row - 1 not in changed:
                # A wide character also affects the filler at the end of the row above, which the library does not flag.
                self.forget_changes()
                return self.changed(history)
            self._filled.discard(row)
            if self._read_row(rows, row + history, row, cache, changed.setdefault(row, [])):
                self._filled.add(row)
        self._kept.clean()
        return changed

    def cursor_style(self) -> tuple[str, bool]:
        """Return the cursor's shape, and whether it blinks."""
        if self._kept is None:
            self._kept = _Rendering()
        self._kept.update(self._terminal)
        shape, blinking = ffi.new("int*"), ffi.new("bool*")
        self._kept.get(lib.GHOSTTY_RENDER_STATE_DATA_CURSOR_VISUAL_STYLE, shape)
        self._kept.get(lib.GHOSTTY_RENDER_STATE_DATA_CURSOR_BLINKING, blinking)
        return _SHAPES.get(shape[0], "block"), bool(blinking[0])

    def watch_for_marks(self, data: bytes) -> None:
        """Forget changes if output may have combining characters: the library does not flag rows that they change."""
        if self._kept is None or data.isascii():
            return
        if len(data) > _MOST_CHECKED or _NO_MARKS.fullmatch(data) is None:
            self.forget_changes()

    def forget_changes(self) -> None:
        """Free the state that ``changed`` keeps."""
        if self._kept is not None:
            self._kept.free()
            self._kept = None
            self._filled.clear()

    def _scroll(self, row: int, history: int) -> None:
        if row < history:
            behavior = {"tag": lib.GHOSTTY_SCROLL_VIEWPORT_ROW, "row": row}
        else:
            behavior = {"tag": lib.GHOSTTY_SCROLL_VIEWPORT_BOTTOM}
        scroll_viewport(self._terminal, ffi.new("PhuxScroll*", behavior)[0])

    def _read(self, rows: Any, y: int, at: int, end: int, history: int, spans: list[Span]) -> int:
        """Add the spans of rows ``at`` to ``end``, given a render state's viewport at ``y``; return the next row."""
        cache = _Appearances()
        while y < end and lib.ghostty_render_state_row_iterator_next(rows):
            if y >= at:
                self._read_row(rows, y, y - history, cache, spans)
            y += 1
        return y

    def _read_row(self, rows: Any, y: int, row: int, cache: _Appearances, spans: list[Span]) -> bool:
        """Add the spans of the iterator's current row; return whether its last cell is a filler."""
        view, raw_row = cache.view, cache.raw_row
        lib.ghostty_render_state_row_get(rows, lib.GHOSTTY_RENDER_STATE_ROW_DATA_CELLS_RAW, view)
        cells = int.from_bytes(ffi.buffer(view.ptr, view.len * 8), "little")
        if not cells:
            return False
        lib.ghostty_render_state_row_get(rows, lib.GHOSTTY_RENDER_STATE_ROW_DATA_RAW, raw_row)
        page = int(ffi.cast("uintptr_t", self._refer(0, y).node)) if raw_row[0] & ROW_STYLED else 0
        self._cut(cells, y, row, cache.pages.setdefault(page, {}), cache.same, spans)
        return bool(cells >> 64 * (view.len - 1) + WIDE_SHIFT & 3 == lib.GHOSTTY_CELL_WIDE_SPACER_HEAD)

    def _cut(
        self,
        cells: int,
        y: int,
        row: int,
        appearances: dict[int, _Appearance],
        same: dict[_Appearance, _Appearance],
        spans: list[Span],
    ) -> None:
        """Split one row of cells into spans.

        Args:
            cells: The row as one big number, 64 bits per cell, so that an operation on all cells is a few operations on
                that number; Python code runs only once per span.
            y: The row, counted from the oldest one.
            row: The row's number in spans.
            appearances: Appearances by the bits that determine them; filled here.
            same: See ``_Appearances``; filled here.
            spans: Receives the spans.
        """
        size = (cells.bit_length() + 63) // 64
        text = cells >> CONTENT_SHIFT & _EACH_CODEPOINT
        keys = cells & _EACH_ATTRIBUTES
        backgrounds = cells >> 1 & _EACH
        if backgrounds:
            text ^= text & backgrounds * CONTENT_MASK
            keys |= cells & backgrounds * _BACKGROUND
        halves = cells >> WIDE_SHIFT + 1 & _EACH
        if halves:
            # The right half of a wide character joins its left half; a filler has both bits set.
            halves ^= halves & cells >> WIDE_SHIFT
            keys ^= (keys ^ keys << 64) & halves * _CELL
        marked = cells & _EACH
        if backgrounds:
            marked ^= marked & backgrounds
        columns = text.to_bytes(size * 8, "little")
        if text & _EACH_BEYOND_LATIN:
            glyphs = memoryview(columns).cast("I")[::2].tobytes().decode("utf-32-le", "replace").replace("\0", " ")
        else:
            glyphs = columns[::8].decode("latin-1").replace("\0", " ")
        clusters: list[str] | None = None
        if marked:
            clusters = list(glyphs)
            for col in compress(range(size), _lanes(marked, size)):
                clusters[col] = self._grapheme(col, y)
        # The columns whose appearance differs from the previous cell's.
        changes = (keys ^ keys >> 64) & (1 << 64 * (size - 1)) - 1
        starts = compress(range(1, size), _lanes(changes, size - 1)) if changes else ()
        key_at = _lanes(keys, size)
        run: _Appearance | None = None
        start = 0
        for col in (0, *starts):
            key = key_at[col]
            appearance = appearances.get(key)
            if appearance is None:
                appearance = self._appearance(key, col, y)
                appearance = appearances[key] = same.setdefault(appearance, appearance)
            if appearance is run:
                continue
            if run is not None:
                if run[2] == 1 and run[0] is not DEFAULT_STYLE and clusters is None:
                    # The common case, inlined.
                    spans.append(_new(Span, (row, start, col - start, 1, glyphs[start:col], run[0], run[1], None)))
                else:
                    _flush(row, start, (clusters or glyphs)[start:col], run, spans)
            run, start = appearance, col
        if run is not None:
            _flush(row, start, (clusters or glyphs)[start:], run, spans)

    def _appearance(self, cell: int, col: int, y: int) -> _Appearance:
        semantic = _SEMANTICS[cell >> SEMANTIC_SHIFT & 3]
        width = _WIDTHS[cell >> WIDE_SHIFT & 3]
        if width < 1:
            return DEFAULT_STYLE, None, width
        content = cell >> CONTENT_SHIFT
        if cell & TAG_BACKGROUND:
            background: Color = content & 0xFF
            if cell & 1:
                background = (content & 0xFF, content >> 8 & 0xFF, content >> 16 & 0xFF)
            return Style(bg=background), semantic, width
        if not cell >> STYLE_SHIFT & STYLE_MASK:
            return DEFAULT_STYLE, semantic, width
        check(lib.ghostty_grid_ref_style(self._refer(col, y), self._style), "grid_ref_style")
        return self._links.resolve(_style(self._style)), semantic, width

    def _grapheme(self, col: int, y: int) -> str:
        ref = self._refer(col, y)
        size = self._size
        lib.ghostty_grid_ref_graphemes(ref, ffi.NULL, 0, size)
        codepoints = ffi.new("uint32_t[]", max(size[0], 1))
        check(lib.ghostty_grid_ref_graphemes(ref, codepoints, len(codepoints), size), "grid_ref_graphemes")
        return "".join(map(chr, codepoints[0 : size[0]]))


_Appearance = tuple[Style, str | None, int]
"""The common properties of a span's cells: style, semantic, width."""


class _Appearances:
    """A cache of appearances while rows are read, and scratch memory for reading.

    Attributes:
        pages: Appearances by their bits, which are only valid within a page; a reference's node identifies the page.
        same: Appearances by value, so that equal appearances are one object.
    """

    __slots__ = ("pages", "raw_row", "same", "view")

    def __init__(self) -> None:
        self.pages: dict[int, dict[int, _Appearance]] = {}
        self.same: dict[_Appearance, _Appearance] = {}
        self.view = ffi.new("GhosttyCellsView*")
        self.raw_row = ffi.new("GhosttyRow*")


class _Rendering:
    """A render state of the library, and an iterator over its rows."""

    __slots__ = ("_rows", "_state")

    def __init__(self) -> None:
        state = ffi.new("GhosttyRenderState*")
        check(lib.ghostty_render_state_new(ffi.NULL, state), "render_state_new")
        self._state = ffi.gc(state[0], lib.ghostty_render_state_free)
        rows = ffi.new("GhosttyRenderStateRowIterator*")
        check(lib.ghostty_render_state_row_iterator_new(ffi.NULL, rows), "row_iterator_new")
        self._rows = ffi.gc(rows[0], lib.ghostty_render_state_row_iterator_free)

    def update(self, terminal: Any) -> Any:
        """Update from the terminal; return the iterator, before the first row."""
        check(lib.ghostty_render_state_update(self._state, terminal), "render_state_update")
        rows = ffi.new("GhosttyRenderStateRowIterator*", self._rows)
        self.get(lib.GHOSTTY_RENDER_STATE_DATA_ROW_ITERATOR, rows)
        return rows[0]

    def get(self, data: int, out: Any) -> None:
        """Read a value into the memory at ``out``."""
        check(lib.ghostty_render_state_get(self._state, data, out), "render_state_get")

    def clean(self) -> None:
        """Record that all changes were read."""
        check(lib.ghostty_render_state_clean(self._state), "render_state_clean")

    def free(self) -> None:
        """Free the memory of both now."""
        ffi.release(self._rows)
        ffi.release(self._state)


def _flush(row: int, col: int, glyphs: str | list[str], appearance: _Appearance, spans: list[Span]) -> None:
    style, semantic, width = appearance
    count = len(glyphs)
    if width != 1:
        # Every other column is the right half of the column before. A single column is half a wide character, cut by
        # a resize and not yet repaired. A filler is not a cell.
        count = count // 2 if width else 0
        if not count:
            return
        glyphs = glyphs[: 2 * count : 2]
    elif style is DEFAULT_STYLE and semantic is None:
        # Omit blank cells without visible style.
        first, last = 0, count
        while last and glyphs[last - 1] == " ":
            last -= 1
        if not last:
            return
        while glyphs[first] == " ":
            first += 1
        glyphs = glyphs[first:last]
        count = last - first
        col += first
    text = glyphs if isinstance(glyphs, str) else "".join(glyphs)
    each = None if len(text) == count else tuple(glyphs)
    # tuple's constructor takes half the time of the class's.
    spans.append(_new(Span, (row, col, count, width, text, style, semantic, each)))


def _lanes(cells: int, size: int) -> memoryview[int]:
    """Split a row given as one number into cells."""
    return memoryview(cells.to_bytes(size * 8, "little")).cast("Q")


def _style(native: Any) -> Style:
    key = ffi.buffer(native)[:]
    style = _styles.get(key)
    if style is None:
        if len(_styles) >= _MAX_STYLES:
            _styles.clear()
        style = _styles[key] = Style(
            bold=native.bold,
            faint=native.faint,
            italic=native.italic,
            underline=UNDERLINES[native.underline - 1] if 1 <= native.underline <= len(UNDERLINES) else None,
            blink=native.blink,
            inverse=native.inverse,
            invisible=native.invisible,
            strikethrough=native.strikethrough,
            overline=native.overline,
            fg=_color(native.fg_color),
            bg=_color(native.bg_color),
            underline_color=_color(native.underline_color),
        )
        if style == DEFAULT_STYLE:
            style = _styles[key] = DEFAULT_STYLE
    return style


def _color(native: Any) -> Color:
    if native.tag == lib.GHOSTTY_STYLE_COLOR_PALETTE:
        return int(native.value.palette)
    if native.tag == lib.GHOSTTY_STYLE_COLOR_RGB:
        rgb = native.value.rgb
        return int(rgb.r), int(rgb.g), int(rgb.b)
    return None

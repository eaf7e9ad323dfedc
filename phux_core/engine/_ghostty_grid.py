"""Rows of a libghostty terminal as text and as styled spans, read in bulk.

Text comes from the library's formatter, one call for all rows. Spans come from a render state, which hands out each
row as an array of packed cells; only a style that was not seen before in its page costs another call. Asking the
library cell by cell would take a hundred times as long.

Rows are counted from the oldest row of the scrollback here, as the library's "screen" coordinates are.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

from phux_core.engine._ghostty_native import (
    CONTENT_MASK,
    CONTENT_SHIFT,
    ROW_STYLED,
    ROW_WRAPPED,
    SEMANTIC_SHIFT,
    STYLE_MASK,
    STYLE_SHIFT,
    TAG_BACKGROUND,
    TAG_GRAPHEME,
    WIDE_SHIFT,
    check,
    ffi,
    grid_ref,
    lib,
    scroll_viewport,
    sized,
)
from phux_core.engine.protocol import DEFAULT_STYLE, Color, Lines, Span, Style

_ATTRIBUTES = ~(CONTENT_MASK << CONTENT_SHIFT)
_UNEVEN = 3 << WIDE_SHIFT | TAG_GRAPHEME
_SEMANTICS = (None, "input", "prompt", None)
# Columns that a cell's glyph takes, by how wide the library says it is. The right half of a wide character has no
# glyph of its own, and neither has the cell left over at the end of a row where a wide one did not fit.
_RIGHT_HALF, _FILLER = 0, -1
_WIDTHS = (1, 2, _RIGHT_HALF, _FILLER)
_MAX_STYLES = 4096

# Styles by their C struct's bytes: programs use few, and a NamedTuple of eleven fields is not free to make.
_styles: dict[bytes, Style] = {}


class Grid:
    """Reads the rows of one terminal. Holds scratch memory, so it is not for two threads at once."""

    __slots__ = ("_options", "_out", "_point", "_ref", "_row", "_selection", "_size", "_style", "_terminal")

    def __init__(self, terminal: Any) -> None:
        self._terminal = terminal
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
        """Rows ``top`` to ``top + count - 1``, all of which must exist."""
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
        text = [line.rstrip() for line in data.decode("utf-8", "replace").split("\n")]
        # The formatter leaves out blank rows at the end.
        text += [""] * (count - len(text))
        return Lines(text, self._wrapped(top, count))

    def _refer(self, x: int, y: int) -> Any:
        point = self._point
        point.x, point.y = x, y
        check(grid_ref(self._terminal, point[0], self._ref), "grid_ref")
        return self._ref

    def _wrapped(self, top: int, count: int) -> list[bool]:
        # Spelled out, because this runs once a row on the way to every snapshot.
        terminal, point, ref, row = self._terminal, self._point, self._ref, self._row
        read = lib.ghostty_grid_ref_row
        point.x = 0
        wrapped = []
        for y in range(top, top + count):
            point.y = y
            grid_ref(terminal, point[0], ref)
            read(ref, row)
            wrapped.append(row[0] & ROW_WRAPPED != 0)
        return wrapped

    def cut_rows(self, cols: int, rows: int) -> list[int]:
        """The rows of the shown screen whose last column holds the left half of a wide character."""
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
        """Rows ``top`` to ``top + count - 1``, all of which must exist, numbered from the end of ``history``.

        Args:
            top: First row, counted from the oldest one of the scrollback.
            count: How many rows.
            history: How many rows of scrollback there are.
        """
        spans: list[Span] = []
        state = ffi.new("GhosttyRenderState*")
        check(lib.ghostty_render_state_new(ffi.NULL, state), "render_state_new")
        rows = ffi.new("GhosttyRenderStateRowIterator*")
        check(lib.ghostty_render_state_row_iterator_new(ffi.NULL, rows), "row_iterator_new")
        try:
            at, end = top, top + count
            while at < end:
                # A render state sees the viewport only, so that is moved over history and back.
                viewport = min(at, history)
                self._scroll(viewport, history)
                check(lib.ghostty_render_state_update(state[0], self._terminal), "render_state_update")
                check(
                    lib.ghostty_render_state_get(state[0], lib.GHOSTTY_RENDER_STATE_DATA_ROW_ITERATOR, rows),
                    "row_iterator",
                )
                at = self._read(rows[0], viewport, at, end, history, spans)
        finally:
            if top < history:
                self._scroll(history, history)
            lib.ghostty_render_state_row_iterator_free(rows[0])
            lib.ghostty_render_state_free(state[0])
        return spans

    def _scroll(self, row: int, history: int) -> None:
        if row < history:
            behavior = {"tag": lib.GHOSTTY_SCROLL_VIEWPORT_ROW, "row": row}
        else:
            behavior = {"tag": lib.GHOSTTY_SCROLL_VIEWPORT_BOTTOM}
        scroll_viewport(self._terminal, ffi.new("PhuxScroll*", behavior)[0])

    def _read(self, rows: Any, y: int, at: int, end: int, history: int, spans: list[Span]) -> int:
        """Add the spans of rows ``at`` to ``end`` that a render state of the viewport at ``y`` shows."""
        view = ffi.new("GhosttyCellsView*")
        raw_row = ffi.new("GhosttyRow*")
        looks: dict[tuple[int, int], _Look] = {}
        while y < end and lib.ghostty_render_state_row_iterator_next(rows):
            if y >= at:
                lib.ghostty_render_state_row_get(rows, lib.GHOSTTY_RENDER_STATE_ROW_DATA_CELLS_RAW, view)
                data = ffi.buffer(view.ptr, view.len * 8)[:]
                used = (len(data.rstrip(b"\0")) + 7) // 8
                if used:
                    lib.ghostty_render_state_row_get(rows, lib.GHOSTTY_RENDER_STATE_ROW_DATA_RAW, raw_row)
                    cells = memoryview(data).cast("Q")[:used].tolist()
                    self._cut(cells, y, y - history, raw_row[0], looks, spans)
            y += 1
        return y

    def _cut(
        self,
        cells: list[int],
        y: int,
        row: int,
        flags: int,
        looks: dict[tuple[int, int], _Look],
        spans: list[Span],
    ) -> None:
        """Cut one row of cells into spans."""
        page = 0
        if flags & ROW_STYLED:
            # Style numbers mean something within their page only, and the page is what a reference's node is.
            page = int(ffi.cast("uintptr_t", self._refer(0, y).node))
        keys = [cell if cell & TAG_BACKGROUND else cell & _ATTRIBUTES for cell in cells]
        distinct = set(keys)
        if any(key & _UNEVEN and not key & TAG_BACKGROUND for key in distinct):
            glyphs: str | list[str] = self._glyphs(cells, y)
        else:
            # The common row, a cell a column and a code point a cell, is cut out of one string.
            glyphs = "".join(
                [" " if cell & TAG_BACKGROUND else chr(cell >> CONTENT_SHIFT & CONTENT_MASK or 32) for cell in cells]
            )
        run: _Look | None = None
        start = col = 0
        for key, group in groupby(keys):
            look = looks.get((page, key))
            if look is None:
                look = looks[page, key] = self._look(key, col, y)
            # The right half of a wide character goes with its left half.
            if look is not run and look[2] != _RIGHT_HALF and look != run:
                if run is not None:
                    _flush(row, start, glyphs[start:col], run, spans)
                run, start = None if look[2] == _FILLER else look, col
            col += len(list(group))
        if run is not None:
            _flush(row, start, glyphs[start:col], run, spans)

    def _glyphs(self, cells: list[int], y: int) -> list[str]:
        """What each column of an uneven row shows."""
        glyphs = []
        for col, cell in enumerate(cells):
            if cell & TAG_BACKGROUND:
                glyphs.append(" ")
            elif cell >> WIDE_SHIFT & 2:
                glyphs.append("")
            elif cell & TAG_GRAPHEME:
                glyphs.append(self._grapheme(col, y))
            else:
                glyphs.append(chr(cell >> CONTENT_SHIFT & CONTENT_MASK or 32))
        return glyphs

    def _look(self, cell: int, col: int, y: int) -> _Look:
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
        return _style(self._style), semantic, width

    def _grapheme(self, col: int, y: int) -> str:
        ref = self._refer(col, y)
        size = self._size
        lib.ghostty_grid_ref_graphemes(ref, ffi.NULL, 0, size)
        codepoints = ffi.new("uint32_t[]", max(size[0], 1))
        check(lib.ghostty_grid_ref_graphemes(ref, codepoints, len(codepoints), size), "grid_ref_graphemes")
        return "".join(map(chr, codepoints[0 : size[0]]))


_Look = tuple[Style, str | None, int]
"""What the cells of a span share: style, semantic, width."""


def _flush(row: int, col: int, glyphs: str | list[str], look: _Look, spans: list[Span]) -> None:
    style, semantic, width = look
    if style is DEFAULT_STYLE and semantic is None and width == 1:
        # Blank cells that look like nothing at all say nothing.
        first, last = 0, len(glyphs)
        while last and glyphs[last - 1] == " ":
            last -= 1
        if not last:
            return
        while glyphs[first] == " ":
            first += 1
        glyphs = glyphs[first:last]
        col += first
    count = len(glyphs) // width
    if count:  # none: half a wide character, cut by a resize, that nobody has mended yet
        text = glyphs if isinstance(glyphs, str) else "".join(glyphs)
        spans.append(Span(row, col, count, width, text, style, semantic))


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
            underline=native.underline != 0,
            blink=native.blink,
            inverse=native.inverse,
            invisible=native.invisible,
            strikethrough=native.strikethrough,
            overline=native.overline,
            fg=_color(native.fg_color),
            bg=_color(native.bg_color),
        )
        if style == DEFAULT_STYLE:
            style = _styles[key] = DEFAULT_STYLE  # an underline colour alone is no style of ours
    return style


def _color(native: Any) -> Color:
    if native.tag == lib.GHOSTTY_STYLE_COLOR_PALETTE:
        return int(native.value.palette)
    if native.tag == lib.GHOSTTY_STYLE_COLOR_RGB:
        rgb = native.value.rgb
        return int(rgb.r), int(rgb.g), int(rgb.b)
    return None

"""Convert rows of the pyte engine to the protocol's spans."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from phux_core.engine.protocol import Span
from phux_core.engine.pyte.rows import DEFAULT, Row, runs
from phux_core.engine.pyte.widths import WIDE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.engine.pyte.styles import Entry

# Glyphs of one width.
_SAME_WIDTH = re.compile(f"(?:[^{WIDE}]{WIDE})+|(?:[^{WIDE}](?!{WIDE}))+")


def spans_of(number: int, row: Row, entries: dict[str, Entry]) -> list[Span]:
    """Split one row into spans; ``entries`` are styles and semantics by id."""
    text = row.text
    if not text:
        return []
    spans: list[Span] = []
    marks = row.marks or {}
    for first, last, style, width in _pieces(row):
        start, end = first, last
        if style == DEFAULT and width == 1:
            # Blank cells without visible style are omitted. A space with a mark is not blank.
            while end > start and text[end - 1] == " " and end - 1 not in marks:
                end -= 1
            while start < end and text[start] == " " and start not in marks:
                start += 1
            if start == end:
                continue
        count = (end - start) // width
        glyphs: tuple[str, ...] | None = None
        shown = text[start:end]
        if marks:
            glyphs = tuple(cell + marks.get(column, "") for column, cell in enumerate(shown, start) if cell != WIDE)
            shown = "".join(glyphs)
            glyphs = None if len(shown) == count else glyphs
        elif width == 2:
            shown = shown.replace(WIDE, "")
        drawn, semantic = entries[style]
        spans.append(Span(number, start, count, width, shown, drawn, semantic, glyphs))
    return spans


def _pieces(row: Row) -> Iterator[tuple[int, int, str, int]]:
    """Split a row into pieces of one style and glyph width: start, end, style id, width."""
    text = row.text
    plain = text.isascii() or WIDE not in text
    for start, end, style in runs(row.styles.ljust(len(text), DEFAULT)):
        if plain:
            yield start, end, style, 1
        else:
            for match in _SAME_WIDTH.finditer(text, start, end):
                yield match.start(), match.end(), style, 2 if WIDE in match[0] else 1

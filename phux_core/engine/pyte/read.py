"""Convert rows of the pyte engine to the protocol's spans."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from phux_core.engine.protocol import Span
from phux_core.engine.pyte.rows import DEFAULT, Row, runs
from phux_core.engine.pyte.widths import WIDE

if TYPE_CHECKING:
    from phux_core.engine.pyte.styles import Entry

# Glyphs of one width.
_SAME_WIDTH = re.compile(f"(?:[^{WIDE}]{WIDE})+|(?:[^{WIDE}](?!{WIDE}))+")


def spans_of(number: int, row: Row, entries: dict[str, Entry]) -> list[Span]:
    """Split one row into spans.

    Args:
        number: The row's number in the spans.
        entries: Styles and semantics by id.
    """
    text = row.text
    if not text:
        return []
    spans: list[Span] = []
    plain = text.isascii() or WIDE not in text
    for start, end, style in runs(row.styles.ljust(len(text), DEFAULT)):
        if plain:
            _add(spans, number, row, start, end, 1, style, entries)
        else:
            for match in _SAME_WIDTH.finditer(text, start, end):
                width = 2 if WIDE in match[0] else 1
                _add(spans, number, row, match.start(), match.end(), width, style, entries)
    return spans


def _add(
    spans: list[Span],
    number: int,
    row: Row,
    start: int,
    end: int,
    width: int,
    style: str,
    entries: dict[str, Entry],
) -> None:
    text = row.text[start:end]
    if style == DEFAULT and width == 1:
        # Blank cells without visible style are omitted. A space with a mark is not blank.
        marked = row.marks or {}
        while end > start and row.text[end - 1] == " " and end - 1 not in marked:
            end -= 1
        while start < end and row.text[start] == " " and start not in marked:
            start += 1
        if start == end:
            return
        text = row.text[start:end]
    count = (end - start) // width
    glyphs: tuple[str, ...] | None = None
    if row.marks:
        glyphs = tuple(cell + row.marks.get(column, "") for column, cell in enumerate(text, start) if cell != WIDE)
        text = "".join(glyphs)
        glyphs = None if len(text) == count else glyphs
    elif width == 2:
        text = text.replace(WIDE, "")
    drawn, semantic = entries[style]
    spans.append(Span(number, start, count, width, text, drawn, semantic, glyphs))

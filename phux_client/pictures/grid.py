"""The cells of a screen as runs of text with one style each."""

from phux_core.width import columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from phux_client.flows._types import Document

    Glyph: TypeAlias = tuple[str, int]
    """The text of a cell, and its columns, 1 or 2."""

PLAIN: "Document" = {
    **dict.fromkeys(("bold", "faint", "italic", "underline", "blink", "inverse", "invisible"), False),
    **dict.fromkeys(("strikethrough", "overline"), False),
    "fg": {"kind": "default"},
    "bg": {"kind": "default"},
}
"""The style of cells without a style."""


class Run:
    """Adjacent cells of a row that have the same style.

    Attributes:
        col: The column of the first cell.
        end: The column after the last one.
        glyphs: The text of each cell with its columns.
    """

    __slots__ = ("col", "end", "glyphs", "style")

    def __init__(self, col: int, style: "Document") -> None:
        self.col = self.end = col
        self.style = style
        self.glyphs: list[Glyph] = []

    @property
    def text(self) -> str:
        """The text of all cells."""
        return "".join(text for text, _width in self.glyphs)

    def add(self, text: str, width: int) -> None:
        """Add a cell."""
        self.glyphs.append((text, width))
        self.end += width


def rows_of(document: "Document") -> "list[list[Run]]":
    """Return the rows of a ScreenState document as runs; rows of the scrollback come first, and have no styles."""
    styles: dict[int, dict[int, Document]] = {}
    for cell in document.get("cells") or ():
        styles.setdefault(cell["row"], {})[cell["col"]] = cell["style"]
    scrollback = [_runs(line, {}) for line in document["scrollback"]]
    return scrollback + [_runs(line, styles.get(y, {})) for y, line in enumerate(document["lines"])]


def _runs(line: str, styles: "dict[int, Document]") -> list[Run]:
    runs: list[Run] = []
    col = 0
    last = max(styles, default=-1)
    for text, width in _glyphs(line, last):
        style = styles.get(col, PLAIN)
        if not runs or runs[-1].style != style:
            runs.append(Run(col, style))
        runs[-1].add(text, width)
        col += width
    return runs


def _glyphs(line: str, last: int) -> "Iterator[Glyph]":
    """Iterate over the glyphs of a line, and over blanks up to the last column with a style."""
    col = 0
    glyph, width = "", 0
    for character in line:
        own = columns(character)
        if own == 0 and glyph:
            glyph += character if character.isprintable() else ""  # no controls of the direction
            continue
        if glyph:
            yield glyph, width
            col += width
        glyph, width = character if character.isprintable() else "\ufffd", max(own, 1)
    if glyph:
        yield glyph, width
        col += width
    for _ in range(col, last + 1):
        yield " ", 1

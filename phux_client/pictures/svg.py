"""A screen as an SVG image that needs no fonts but a monospace one, and no script."""

import re
from xml.sax.saxutils import escape

from phux_client.pictures.boxes import shapes_of
from phux_client.pictures.themes import css

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document
    from phux_client.pictures.grid import Run
    from phux_client.pictures.themes import Rgb, Theme

CELL_WIDTH, CELL_HEIGHT = 8.4, 17
"""The size of a cell, for a font of 14 pixels."""
FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"
FONT_SIZE, _BASELINE = 14, 13
PADDING = 8
_LIGHT, _HEAVY = 1.2, 2.4
_CURSOR_WIDTH = 2.0
_REPLACEMENT = "\ufffd"
# The last character that every monospace font is expected to have.
_LAST_COMMON = "\u024f"
# Characters that XML does not allow.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def to_svg(rows: "list[list[Run]]", document: "Document", theme: "Theme") -> str:
    """Return an SVG image of rows of runs."""
    width = document["cols"] * CELL_WIDTH + 2 * PADDING
    height = len(rows) * CELL_HEIGHT + 2 * PADDING
    size = f'width="{_n(width)}" height="{_n(height)}"'
    view = f"{-PADDING} {-PADDING} {_n(width)} {_n(height)}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="{view}">',
        f'<rect x="{-PADDING}" y="{-PADDING}" {size} fill="{css(theme.background)}"/>',
        f'<g font-family="{FONT}" font-size="{FONT_SIZE}">',
    ]
    for y, runs in enumerate(rows):
        for run in runs:
            parts += _background(run, y, theme)
        for run in runs:
            parts += _run(run, y, theme)
    parts += _cursor(rows, document, theme)
    return "\n".join((*parts, "</g>", "</svg>", ""))


def _background(run: "Run", y: int, theme: "Theme") -> "list[str]":
    background = theme.colors(run.style)[1]
    if background == theme.background:
        return []
    # As wide as the next cell begins, so that no background shows between two cells.
    return [
        _rectangle(run.col * CELL_WIDTH, y * CELL_HEIGHT, (run.end - run.col) * CELL_WIDTH, CELL_HEIGHT, background)
    ]


def _run(run: "Run", y: int, theme: "Theme") -> "list[str]":
    style = run.style
    color = theme.colors(style)[0]
    parts = []
    col, text, start = run.col, "", run.col
    glyphs = [] if style["invisible"] else run.glyphs
    for glyph, width in glyphs:
        shapes = shapes_of(glyph)
        # Glyphs that may come from another font are placed by themselves.
        if shapes or width > 1 or glyph > _LAST_COMMON:
            parts += _text(text, start, y, style, color)
            if shapes:
                parts += [_shape(shape, col, y, color) for shape in shapes]
            else:
                parts += _text(glyph, col, y, style, color, width=width)
            text, start = "", col + width
        else:
            text += glyph
        col += width
    return parts + _text(text, start, y, style, color) + _lines(run, y, theme, color)


def _text(text: str, col: int, y: int, style: "Document", color: "Rgb", *, width: int | None = None) -> "list[str]":
    if not text.strip():
        return []
    own = ' font-weight="bold"' if style["bold"] else ""
    own += ' font-style="italic"' if style["italic"] else ""
    # Renderers treat blanks differently, so none is left at the ends, and those between words do not collapse.
    stripped = text.strip()
    col += len(text) - len(text.lstrip())
    length = (len(stripped) if width is None else width) * CELL_WIDTH
    # The length makes columns line up whatever the font.
    own += f' textLength="{_n(length)}" lengthAdjust="spacingAndGlyphs"'
    shown = escape(_NOT_XML.sub(_REPLACEMENT, stripped.replace(" ", "\u00a0")))
    place = f'x="{_n(col * CELL_WIDTH)}" y="{y * CELL_HEIGHT + _BASELINE}"'
    return [f'<text {place} fill="{css(color)}"{own}>{shown}</text>']


def _lines(run: "Run", y: int, theme: "Theme", color: "Rgb") -> "list[str]":
    """Draw the lines of a style: under, through and over the text."""
    style = run.style
    left, right, top = run.col * CELL_WIDTH, run.end * CELL_WIDTH, y * CELL_HEIGHT
    parts = []
    if style["underline"]:
        own = style.get("underline_color")
        under = color if own is None else theme.color(own, color)
        parts += _underline(style.get("underline_style") or "single", left, right, top + _BASELINE + 2, under)
    if style["strikethrough"]:
        parts.append(_line(left, top + 9, right, top + 9, color))
    if style["overline"]:
        parts.append(_line(left, top + 0.6, right, top + 0.6, color))
    return parts


def _underline(kind: str, left: float, right: float, y: float, color: "Rgb") -> "list[str]":
    if kind == "double":
        return [_line(left, y - 0.8, right, y - 0.8, color, 0.9), _line(left, y + 1.2, right, y + 1.2, color, 0.9)]
    if kind == "curly":
        # One wave for each cell.
        waves = round((right - left) / CELL_WIDTH)
        quarter = CELL_WIDTH / 4
        wave = f"q{_n(quarter)} -3 {_n(2 * quarter)} 0t{_n(2 * quarter)} 0"
        path = f"M{_n(left)} {_n(y)}" + wave * waves
        return [f'<path d="{path}" fill="none" stroke="{css(color)}" stroke-width="1"/>']
    dashes = {"dotted": "1.4 1.4", "dashed": "4.2 4.2"}.get(kind)
    return [_line(left, y, right, y, color, dashes=dashes)]


def _shape(shape: "tuple[str, float, float, float, float]", col: int, y: int, color: "Rgb") -> str:
    kind, a, b, c, d = shape
    left, top = col * CELL_WIDTH, y * CELL_HEIGHT
    if kind.startswith("fill"):
        opacity = float(kind.split()[1])
        x, width = left + a * CELL_WIDTH, c * CELL_WIDTH
        return _rectangle(x, top + b * CELL_HEIGHT, width, d * CELL_HEIGHT, color, opacity)
    x1, y1, x2, y2 = left + a * CELL_WIDTH, top + b * CELL_HEIGHT, left + c * CELL_WIDTH, top + d * CELL_HEIGHT
    if kind == "arc":
        center = f"{_n(left + CELL_WIDTH / 2)} {_n(top + CELL_HEIGHT / 2)}"
        path = f"M{_n(x1)} {_n(y1)}Q{center} {_n(x2)} {_n(y2)}"
        return f'<path d="{path}" fill="none" stroke="{css(color)}" stroke-width="{_LIGHT}"/>'
    return _line(x1, y1, x2, y2, color, _HEAVY if kind == "heavy" else _LIGHT, is_box=True)


def _cursor(rows: "list[list[Run]]", document: "Document", theme: "Theme") -> "list[str]":
    cursor = document["cursor"]
    if cursor is None or not cursor["visible"]:
        return []
    y = cursor["y"] + len(document["scrollback"])
    left, top = cursor["x"] * CELL_WIDTH, y * CELL_HEIGHT
    shape = document.get("cursor_shape") or "block"
    if shape == "bar":
        return [_rectangle(left, top, _CURSOR_WIDTH, CELL_HEIGHT, theme.cursor)]
    width, text = 1, ""
    for run in rows[y]:
        col = run.col
        for glyph, columns in run.glyphs:
            if col <= cursor["x"] < col + columns:
                left, width, text, style = col * CELL_WIDTH, columns, glyph, run.style
            col += columns
    if shape == "underline":
        return [_rectangle(left, top + CELL_HEIGHT - 2, width * CELL_WIDTH, 2, theme.cursor)]
    block = [_rectangle(left, top, width * CELL_WIDTH, CELL_HEIGHT, theme.cursor)]
    return block + (_text(text, round(left / CELL_WIDTH), y, style, theme.background, width=width) if text else [])


def _rectangle(x: float, y: float, width: float, height: float, color: "Rgb", opacity: float = 1.0) -> str:
    own = "" if opacity == 1.0 else f' fill-opacity="{opacity:g}"'
    size = f'width="{_n(width)}" height="{_n(height)}"'
    return f'<rect x="{_n(x)}" y="{_n(y)}" {size} fill="{css(color)}"{own} shape-rendering="crispEdges"/>'


def _line(
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    color: "Rgb",
    width: float = _LIGHT,
    *,
    dashes: str | None = None,
    is_box: bool = False,
) -> str:
    own = f' stroke-dasharray="{dashes}"' if dashes else ""
    own += ' stroke-linecap="square" shape-rendering="crispEdges"' if is_box else ""
    ends = f'x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"'
    return f'<line {ends} stroke="{css(color)}" stroke-width="{width:g}"{own}/>'


def _n(number: float) -> str:
    """Return a number with at most two digits after the point."""
    return f"{number:.2f}".rstrip("0").rstrip(".")

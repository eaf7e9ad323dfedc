"""The screen of an engine as calls return it (docs/wire.md).

Cells are sent as runs with a table of styles. That is a thousandth of the size of the JSON document that the client
creates from them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_core.engine.protocol import DEFAULT_STYLE

if TYPE_CHECKING:
    from phux_core.engine.protocol import Color, Engine, Lines, Span, Style


def screen_document(
    engine: Engine, lines: Lines, spans: list[Span] | None = None, *, scrollback: int | None = None
) -> dict[str, Any]:
    """Return the screen of an engine, given its rows and their spans, which add cells.

    Args:
        scrollback: The number of scrollback rows: None for none, 0 for all, N for the newest N.
    """
    cursor = engine.cursor()
    wanted = engine.history_rows if scrollback == 0 else scrollback
    history = engine.lines(-wanted, wanted) if wanted else None
    screen: dict[str, Any] = {
        "cols": engine.cols,
        "rows": engine.rows,
        "cursor": {"x": cursor.x, "y": cursor.y, "visible": cursor.visible},
        "cursor_shape": cursor.shape,
        "lines": lines.text,
        "scrollback": history.text if history else [],
        "soft_wrap": {"lines": _wrapped(lines), "scrollback": _wrapped(history) if history else []},
        "title": engine.title,
        "alt_screen": engine.alt_screen,
    }
    if spans is not None:
        screen["cells"] = _cells(spans)
    return screen


def _wrapped(lines: Lines) -> list[int]:
    return [row for row, wrapped in enumerate(lines.wrapped) if wrapped]


def _cells(spans: list[Span]) -> dict[str, Any]:
    styles: dict[Style, int] = {}
    runs = [
        [span.row, span.col, span.count, span.width, styles.setdefault(span.style, len(styles)), span.semantic]
        for span in spans
        if span.style != DEFAULT_STYLE or span.semantic is not None
    ]
    return {"styles": [_style(style) for style in styles], "runs": runs}


def _style(style: Style) -> dict[str, Any]:
    document = style._asdict() | {"fg": _color(style.fg), "bg": _color(style.bg), "underline": bool(style.underline)}
    del document["underline_color"], document["link"]
    if style.underline not in {None, "single"}:
        document["underline_style"] = style.underline
    if style.underline_color is not None:
        document["underline_color"] = _color(style.underline_color)
    return document


def _color(color: Color) -> dict[str, Any]:
    if color is None:
        return {"kind": "default"}
    if isinstance(color, int):
        return {"kind": "palette", "index": color}
    red, green, blue = color
    return {"kind": "rgb", "r": red, "g": green, "b": blue}

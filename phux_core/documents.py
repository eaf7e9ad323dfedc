"""Conversion of JSON documents to shapes, with cattrs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import attrs
from cattrs import BaseValidationError, Converter

from phux_core import shapes
from phux_core.errors import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Mapping

Shape = TypeVar("Shape")

EVENTS: dict[str, type[Any]] = {str(attrs.fields_dict(kind)["event"].default): kind for kind in get_args(shapes.Event)}
"""Every event class by the name in its ``event`` key."""


def _make_converter() -> Converter:
    converter = Converter()

    def structure_cells(value: list[Any] | None, _kind: object) -> list[shapes.CellInfo] | None:
        if value is None:
            return None
        # A screen has thousands of cells and few styles, and equal styles are often the same object.
        styles: dict[int, shapes.CellStyle] = {}
        cells = []
        for cell in value:
            raw = cell["style"]
            style = styles.get(id(raw))
            if style is None:
                style = styles[id(raw)] = converter.structure(raw, shapes.CellStyle)
            cells.append(shapes.CellInfo(col=cell["col"], row=cell["row"], semantic=cell.get("semantic"), style=style))
        return cells

    def structure_layout(value: Any, _kind: object) -> int | shapes.LayoutSplit:
        return value if isinstance(value, int) else converter.structure(value, shapes.LayoutSplit)

    converter.register_structure_hook_func(lambda kind: kind == int | shapes.LayoutSplit, structure_layout)
    converter.register_structure_hook_func(lambda kind: kind == (list[shapes.CellInfo] | None), structure_cells)
    return converter


_converter = _make_converter()


def load(kind: type[Shape], document: Mapping[str, Any]) -> Shape:
    """Convert a document to a shape, ignoring unknown keys.

    Raises:
        ProtocolError: The document does not match the shape.
    """
    try:
        return _converter.structure(document, kind)
    except (BaseValidationError, KeyError, TypeError, ValueError) as error:
        raise ProtocolError(f"the server's reply is not a valid {kind.__name__}") from error


def load_event(document: Mapping[str, Any]) -> shapes.Event | None:
    """Convert a document to an event; return None if this release does not know it."""
    kind = EVENTS.get(document["event"])
    return None if kind is None else cast("shapes.Event", load(kind, document))

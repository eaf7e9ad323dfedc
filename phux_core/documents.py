"""JSON documents to shapes and back, by cattrs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import attrs
from cattrs import BaseValidationError, Converter

from phux_core import shapes
from phux_core.errors import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Shape = TypeVar("Shape")

_COLORS: dict[str, type[Any]] = {
    "default": shapes.DefaultColor,
    "palette": shapes.PaletteColor,
    "rgb": shapes.RgbColor,
}
EVENTS: dict[str, type[Any]] = {str(attrs.fields_dict(kind)["event"].default): kind for kind in get_args(shapes.Event)}
"""Every event class by the name in its ``event`` key."""


def _make_converter() -> Converter:
    converter = Converter()

    def unstructure_without_absent(kind: type[Any]) -> Callable[[Any], dict[str, Any]]:
        attributes = [(field.name, field.default is None) for field in attrs.fields(kind)]

        def unstructure(shape: Any) -> dict[str, Any]:  # in the order of the fields, which is the contract's
            values = ((name, getattr(shape, name), optional) for name, optional in attributes)
            return {
                name: converter.unstructure(value)
                for name, value, optional in values
                if not optional or value is not None
            }

        return unstructure

    def structure_color(value: Any, _kind: object) -> shapes.CellColor:
        return cast("shapes.CellColor", converter.structure(value, _COLORS[value["kind"]]))

    def structure_cells(value: list[Any], _kind: object) -> list[shapes.CellInfo]:
        # A screen has thousands of cells and a handful of styles; flows give equal styles as one object.
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
    converter.register_unstructure_hook_factory(attrs.has, unstructure_without_absent)
    converter.register_structure_hook_func(lambda kind: kind == shapes.CellColor, structure_color)
    converter.register_structure_hook_func(lambda kind: kind == list[shapes.CellInfo], structure_cells)
    converter.register_structure_hook_func(
        lambda kind: kind == (list[shapes.CellInfo] | None),
        lambda value, kind: None if value is None else structure_cells(value, kind),
    )
    return converter


_converter = _make_converter()


def load(kind: type[Shape], document: Mapping[str, Any]) -> Shape:
    """Read a document as a shape; keys that the shape does not know are ignored.

    Raises:
        ProtocolError: It does not fit.
    """
    try:
        return _converter.structure(document, kind)
    except (BaseValidationError, KeyError, TypeError, ValueError) as error:
        raise ProtocolError(f"the server's answer is no {kind.__name__}") from error


def load_event(document: Mapping[str, Any]) -> shapes.Event | None:
    """Read an event.

    Returns:
        The event, or None if it is one that this release does not know.
    """
    kind = EVENTS.get(document["event"])
    return None if kind is None else cast("shapes.Event", load(kind, document))


def dump(shape: object) -> dict[str, Any]:
    """Write a shape as a document."""
    return cast("dict[str, Any]", _converter.unstructure(shape))

"""One name for a pane in all results: ``target``, with the value that every tool accepts, such as ``@5``.

The library has several: the number ``pane`` or ``terminal_id``, or the selector ``terminal``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from phux_client.flows import Document

_NAMES = ("terminal_id", "terminal", "pane")
"""The names of a pane's id, the most specific first; beside ``terminal_id``, ``pane`` is an index in a window."""


def with_targets(value: Any) -> Any:
    """Return a document with every pane named by ``target``."""
    if isinstance(value, list):
        return [with_targets(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    name = next((name for name in _NAMES if name in value), None)
    found: Document = {}
    for key, inner in value.items():
        if key == name:
            found["target"] = _selector(inner)
        elif key not in _NAMES:
            found[key] = with_targets(inner)
    return found


def tree_with_targets(tree: Document) -> Document:
    """Return a Tree document with every pane named by its selector."""

    def of_layout(layout: Any) -> Any:
        if not isinstance(layout, dict):
            return _selector(layout)
        return {**layout, "first": of_layout(layout["first"]), "second": of_layout(layout["second"])}

    def of_window(window: Document) -> Document:
        panes = [{"target" if key == "id" else key: value for key, value in pane.items()} for pane in window["panes"]]
        panes = [{**pane, "target": _selector(pane["target"])} for pane in panes]
        return {**window, "zoomed": _selector(window["zoomed"]), "layout": of_layout(window["layout"]), "panes": panes}

    sessions = [
        {**session, "windows": [of_window(window) for window in session["windows"]]} for session in tree["sessions"]
    ]
    return {**tree, "focused_pane": _selector(tree["focused_pane"]), "sessions": sessions}


def _selector(pane: object) -> object:
    return f"@{pane}" if isinstance(pane, int) else pane


def schema_with_targets(schema: Document) -> Document:
    """Return the schema of a document after ``with_targets``."""
    found: Document = {}
    for key, value in schema.items():
        if key == "properties":
            named = {name: schema_with_targets(inner) for name, inner in value.items() if name not in _NAMES}
            found[key] = named | ({} if len(named) == len(value) else {"target": {"type": "string"}})
        else:
            found[key] = schema_with_targets(value) if isinstance(value, dict) else value
    return found

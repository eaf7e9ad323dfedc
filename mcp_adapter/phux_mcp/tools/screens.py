"""Fit screens and their changes into a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_mcp.highlights import highlights

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_client.flows import Document
    from phux_mcp.budget import Budget

# The least bytes of an entry; more entries than fit at this size need not be tried.
_ENTRY_BYTES = {"cells": 200, "highlights": 60}
_HINT = "use a larger max_bytes for more, or phux_logs for earlier output"


def within(screen: Document, budget: Budget, *, cells: bool = True) -> Document:
    """Remove parts of a screen, or of its changes, until the rest fits.

    Cells are removed first, because highlights show them in fewer bytes; then the oldest scrollback, then highlights,
    then rows from the top. Removed rows of a screen become blank, so that the others keep their numbers.

    Args:
        screen: The document.
        budget: The budget.
        cells: Whether to keep the cells, and not only the highlights.
    """
    if "cells" in screen:
        kept = screen if cells else {name: part for name, part in screen.items() if name != "cells"}
        screen = {**kept, "highlights": _highlights(screen)}
    for name, least in _ENTRY_BYTES.items():
        entries = screen.get(name, [])
        screen = _first(screen, name, min(len(entries), budget.bytes // least))
    for leave_out in (_without("cells"), _without_history, _without("highlights"), _without_rows):
        if budget.excess(screen) <= 1:
            break
        screen = leave_out(screen, budget)
    return screen


def _highlights(screen: Document) -> list[Document]:
    rows = (
        {row["row"]: row["text"] for row in screen["changed"]}
        if "changed" in screen
        else dict(enumerate(screen["lines"]))
    )
    return highlights(screen["cells"], rows)


def _first(screen: Document, name: str, count: int) -> Document:
    entries = screen.get(name, [])
    return _less(screen, name, len(entries) - count, **{name: entries[:count]})


def _without(name: str) -> Callable[[Document, Budget], Document]:
    def leave_out(screen: Document, budget: Budget) -> Document:
        return budget.fill(len(screen.get(name, [])), lambda count: _first(screen, name, count))

    return leave_out


def _without_history(screen: Document, budget: Budget) -> Document:
    history = screen.get("scrollback", [])

    def build(count: int) -> Document:
        first = len(history) - count
        wrapped = [row - first for row in screen["soft_wrap"]["scrollback"] if row >= first]
        soft_wrap = {**screen["soft_wrap"], "scrollback": wrapped}
        return _less(screen, "scrollback_rows", first, scrollback=history[first:], soft_wrap=soft_wrap)

    return budget.fill(len(history), build) if history else screen


def _without_rows(screen: Document, budget: Budget) -> Document:
    name = "changed" if "changed" in screen else "lines"
    rows = screen[name]

    def build(count: int) -> Document:
        first = len(rows) - count
        blank = [""] * first if name == "lines" else []
        return _less(screen, "rows", first, **{name: [*blank, *rows[first:]]})

    return budget.fill(len(rows), build)


def _less(screen: Document, what: str, number: int, **parts: object) -> Document:
    """Replace parts with shorter ones, and record the number of omitted entries."""
    if number == 0:
        return screen
    omitted = screen.get("omitted", {})
    return {**screen, **parts, "omitted": {**omitted, what: omitted.get(what, 0) + number, "hint": _HINT}}

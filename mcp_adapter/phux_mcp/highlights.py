"""Styled cells as runs of text: enough to show the selected entry of a menu, in a fraction of the bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_client.regions import STYLES, text_by_column

if TYPE_CHECKING:
    from collections.abc import Mapping

    from phux_client.flows import Document


def highlights(cells: list[Document], text_of_row: Mapping[int, str]) -> list[Document]:
    """Join adjacent cells that look alike into runs; their styles, such as ``inverse fg=4``, include shell marks."""
    runs: list[Document] = []
    known: dict[int, list[str]] = {}
    for cell in cells:
        row, col, style = cell["row"], cell["col"], _words(cell)
        if row not in known:
            known[row] = text_by_column(text_of_row.get(row, ""))
        is_wide = known[row][col + 1 : col + 2] == [""]
        end = col + (2 if is_wide else 1)
        last = runs[-1] if runs else {}
        if (last.get("row"), last.get("end"), last.get("style")) == (row, col, style):
            last["end"] = end
        else:
            runs.append({"row": row, "col": col, "end": end, "style": style})
    for run in runs:
        run["text"] = "".join(known[run["row"]][run["col"] : run["end"]]).rstrip()
    return [
        {name: run[name] for name in ("row", "col", "text", "style")}
        for run in runs
        # A blank with only a foreground color shows nothing.
        if run["text"] or "bg" in run["style"] or "inverse" in run["style"]
    ]


def _words(cell: Document) -> str:
    style = cell["style"]
    words = [name for name in STYLES if style[name]]
    for name in ("fg", "bg"):
        color = style[name]
        if color["kind"] == "palette":
            words.append(f"{name}={color['index']}")
        elif color["kind"] == "rgb":
            words.append(f"{name}=#{color['r']:02x}{color['g']:02x}{color['b']:02x}")
    if "semantic" in cell:
        words.append(cell["semantic"])
    return " ".join(words)

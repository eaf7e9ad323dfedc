"""Styled cells as runs of text: enough to see which entry of a menu is selected, in a fraction of the bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_core.width import columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    Document = dict[str, Any]

_SIMPLE = (
    *("bold", "faint", "italic", "underline", "blink", "inverse", "invisible", "strikethrough"),
    "overline",
)


def highlights(cells: list[Document], text_of_row: Mapping[int, str]) -> list[Document]:
    """Join cells that stand side by side and look alike.

    Args:
        cells: The cells of a ScreenState.
        text_of_row: The rows they stand in.

    Returns:
        Runs with ``row``, ``col``, ``text`` and ``style``, such as ``inverse fg=4``; marks of the shell stand there.
    """
    runs: list[Document] = []
    wide: dict[int, set[int]] = {}
    for cell in cells:
        row, col, style = cell["row"], cell["col"], _words(cell)
        if row not in wide:
            wide[row] = _wide_columns(text_of_row.get(row, ""))
        end = col + (2 if col in wide[row] else 1)
        last = runs[-1] if runs else {}
        if (last.get("row"), last.get("end"), last.get("style")) == (row, col, style):
            last["end"] = end
        else:
            runs.append({"row": row, "col": col, "end": end, "style": style})
    for run in runs:
        run["text"] = _slice(text_of_row.get(run["row"], ""), run["col"], run["end"]).rstrip()
    return [
        {name: run[name] for name in ("row", "col", "text", "style")}
        for run in runs
        # A blank that only has a colour of letters shows nothing.
        if run["text"] or "bg" in run["style"] or "inverse" in run["style"]
    ]


def _wide_columns(text: str) -> set[int]:
    """Find the columns in which wide characters begin."""
    found, place = set(), 0
    for character in text if not text.isascii() else "":
        width = columns(character)
        if width == 2:
            found.add(place)
        place += width
    return found


def _words(cell: Document) -> str:
    style = cell["style"]
    words = [name for name in _SIMPLE if style[name]]
    for name in ("fg", "bg"):
        color = style[name]
        if color["kind"] == "palette":
            words.append(f"{name}={color['index']}")
        elif color["kind"] == "rgb":
            words.append(f"{name}=#{color['r']:02x}{color['g']:02x}{color['b']:02x}")
    if "semantic" in cell:
        words.append(cell["semantic"])
    return " ".join(words)


def _slice(text: str, first: int, end: int) -> str:
    """Cut columns out of a row; a wide character belongs to its left one."""
    place, cut = 0, []
    for character in text:
        width = columns(character)
        # What takes no column belongs to what stands before it.
        if first <= (place if width else place - 1) < end:
            cut.append(character)
        place += width
    return "".join(cut)

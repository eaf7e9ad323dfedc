"""Styled cells as runs of text."""

from __future__ import annotations

from phux_mcp.highlights import highlights

PLAIN = dict.fromkeys(
    ("bold", "faint", "italic", "underline", "blink", "inverse", "invisible", "strikethrough", "overline"), False
) | {"fg": {"kind": "default"}, "bg": {"kind": "default"}}


def cells(row, first, count, width=1, semantic=None, **style):
    more = {} if semantic is None else {"semantic": semantic}
    return [
        {"col": col, "row": row, **more, "style": PLAIN | style} for col in range(first, first + count * width, width)
    ]


def test_cells_that_look_alike_are_one_run():
    found = highlights(cells(0, 2, 4, inverse=True) + cells(0, 6, 2, bold=True), {0: "> item ok"})
    assert found == [
        {"row": 0, "col": 2, "text": "item", "style": "inverse"},
        {"row": 0, "col": 6, "text": " o", "style": "bold"},
    ]


def test_rows_and_gaps_end_a_run():
    found = highlights(
        cells(0, 0, 1, bold=True) + cells(0, 2, 1, bold=True) + cells(1, 0, 1, bold=True), {0: "a b", 1: "c"}
    )
    assert [(run["row"], run["col"], run["text"]) for run in found] == [(0, 0, "a"), (0, 2, "b"), (1, 0, "c")]


def test_colours_and_marks_are_told_in_words():
    palette, rgb = {"kind": "palette", "index": 4}, {"kind": "rgb", "r": 1, "g": 2, "b": 255}
    (run,) = highlights(cells(0, 0, 1, underline=True, fg=palette, bg=rgb, semantic="prompt"), {0: "$"})
    assert run["style"] == "underline fg=4 bg=#0102ff prompt"


def test_wide_characters_count_twice_and_combining_ones_not():
    found = highlights(cells(0, 0, 2, width=2, bold=True) + cells(0, 4, 1, inverse=True), {0: "\u6f22\u5b57e\u0301x"})
    assert [run["text"] for run in found] == ["\u6f22\u5b57", "e\u0301"]


def test_blanks_are_told_only_where_they_can_be_seen():
    assert highlights(cells(0, 0, 3, bold=True), {0: ""}) == []
    assert highlights(cells(0, 0, 3, inverse=True), {0: ""})[0]["style"] == "inverse"

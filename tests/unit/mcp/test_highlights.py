"""Highlights: styled cells grouped into runs of text."""

from __future__ import annotations

from styles import PLAIN_STYLE

from phux_mcp.highlights import highlights


def cells(row, first, count, width=1, semantic=None, **style):
    more = {} if semantic is None else {"semantic": semantic}
    return [
        {"col": col, "row": row, **more, "style": PLAIN_STYLE | style}
        for col in range(first, first + count * width, width)
    ]


def test_adjacent_cells_with_the_same_style_form_one_run():
    found = highlights(cells(0, 2, 4, inverse=True) + cells(0, 6, 2, bold=True), {0: "> item ok"})
    assert found == [
        {"row": 0, "col": 2, "text": "item", "style": "inverse"},
        {"row": 0, "col": 6, "text": " o", "style": "bold"},
    ]


def test_a_run_ends_at_a_gap_and_at_the_end_of_a_row():
    found = highlights(
        cells(0, 0, 1, bold=True) + cells(0, 2, 1, bold=True) + cells(1, 0, 1, bold=True), {0: "a b", 1: "c"}
    )
    assert [(run["row"], run["col"], run["text"]) for run in found] == [(0, 0, "a"), (0, 2, "b"), (1, 0, "c")]


def test_a_style_is_described_by_attributes_colors_and_semantic_type():
    palette, rgb = {"kind": "palette", "index": 4}, {"kind": "rgb", "r": 1, "g": 2, "b": 255}
    (run,) = highlights(cells(0, 0, 1, underline=True, fg=palette, bg=rgb, semantic="prompt"), {0: "$"})
    assert run["style"] == "underline fg=4 bg=#0102ff prompt"


def test_wide_characters_occupy_two_columns_and_combining_characters_none():
    found = highlights(cells(0, 0, 2, width=2, bold=True) + cells(0, 4, 1, inverse=True), {0: "\u6f22\u5b57e\u0301x"})
    assert [run["text"] for run in found] == ["\u6f22\u5b57", "e\u0301"]


def test_blank_cells_are_reported_only_with_a_visible_style():
    assert highlights(cells(0, 0, 3, bold=True), {0: ""}) == []
    assert highlights(cells(0, 0, 3, inverse=True), {0: ""})[0]["style"] == "inverse"

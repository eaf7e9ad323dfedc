"""The layout operations: arrange, split, remove, swap, resize, neighbours and presets."""

from __future__ import annotations

import json

import pytest

from phux_core import layout
from phux_core.errors import BadRequestError, BadSizeError, LimitError
from phux_core.layout import Rect, arrange


def right(first, second, ratio=0.5):
    return {"direction": "right", "ratio": ratio, "first": first, "second": second}


def down(first, second, ratio=0.5):
    return {"direction": "down", "ratio": ratio, "first": first, "second": second}


def widths(tree, cols=80, rows=24):
    return {pane: rect.cols for pane, rect in arrange(tree, cols, rows).panes.items()}


def heights(tree, cols=80, rows=24):
    return {pane: rect.rows for pane, rect in arrange(tree, cols, rows).panes.items()}


def test_a_single_pane_fills_a_window_of_any_size():
    assert arrange(7, 80, 24).panes == {7: Rect(0, 0, 80, 24)}
    assert arrange(7, 1, 1).panes == {7: Rect(0, 0, 1, 1)}
    assert arrange(7, 1, 1).dividers == []


def test_the_sides_of_a_split_are_separated_by_a_divider_of_one_cell():
    arranged = arrange(right(1, down(2, 3)), 80, 24)
    assert arranged.panes == {1: Rect(0, 0, 40, 24), 2: Rect(41, 0, 39, 12), 3: Rect(41, 13, 39, 11)}
    assert [(line.direction, line.rect, line.path) for line in arranged.dividers] == [
        ("right", Rect(40, 0, 1, 24), ()),
        ("down", Rect(41, 12, 39, 1), ("second",)),
    ]


def test_at_returns_the_pane_or_divider_at_a_cell_or_none():
    arranged = arrange(right(1, down(2, 3)), 80, 24)
    assert arranged.at(0, 0) == 1
    assert arranged.at(79, 23) == 3
    assert arranged.at(40, 5).path == ()
    assert arranged.at(41, 12).path == ("second",)
    assert arranged.at(80, 0) is None
    assert arranged.at(-1, 0) is None


def test_a_zoomed_pane_fills_the_window():
    arranged = arrange(right(1, 2), 80, 24, zoomed=2)
    assert arranged.panes == {2: Rect(0, 0, 80, 24)}
    assert arranged.dividers == []


def test_a_window_too_small_for_its_panes_is_arranged_at_the_minimum_size():
    arranged = arrange(right(1, right(2, 3)), 3, 0)
    assert (arranged.cols, arranged.rows) == (8, 1) == layout.minimum(right(1, right(2, 3)))
    assert arranged.panes == {1: Rect(0, 0, 2, 1), 2: Rect(3, 0, 2, 1), 3: Rect(6, 0, 2, 1)}


def test_arranging_in_a_smaller_window_does_not_change_ratios():
    tree = layout.split(right(1, 2, 0.25), 80, 24, 2, 3, "down", cells=5)
    before = arrange(tree, 80, 24).panes
    arrange(tree, 5, 3)
    assert arrange(tree, 80, 24).panes == before


@pytest.mark.parametrize(
    ("size", "expected"),
    [({}, 39), ({"cells": 20}, 20), ({"percent": 25}, 20), ({"percent": 1}, 2), ({"percent": 99}, 77)],
)
def test_a_new_pane_gets_the_requested_size(size, expected):
    assert widths(layout.split(1, 80, 24, 1, 2, "right", **size))[2] == expected


@pytest.mark.parametrize(("direction", "cells"), [("right", 1), ("right", 78), ("down", 0), ("down", 23), ("down", -4)])
def test_the_error_for_an_impossible_size_of_a_new_pane_names_the_allowed_range(direction, cells):
    with pytest.raises(BadSizeError, match=rf"cannot have {cells}$") as caught:
        layout.split(1, 80, 24, 1, 2, direction, cells=cells)
    assert caught.value.remedy == ("use 2 to 77" if direction == "right" else "use 1 to 22")


@pytest.mark.parametrize("percent", [0, 100, -1, 2**40])
def test_a_percentage_outside_1_to_99_is_refused(percent):
    with pytest.raises(BadSizeError, match="is out of range"):
        layout.split(1, 80, 24, 1, 2, "right", percent=percent)


def test_the_error_for_splitting_a_small_pane_names_the_required_size():
    with pytest.raises(BadSizeError, match="@1 has 4 columns, too few to split: two panes and their divider need 5"):
        layout.split(1, 4, 24, 1, 2, "right")
    with pytest.raises(BadSizeError, match="@1 has 2 rows, too few to split: two panes and their divider need 3"):
        layout.split(1, 80, 2, 1, 2, "down")
    assert heights(layout.split(1, 80, 3, 1, 2, "down"), rows=3) == {1: 1, 2: 1}


def test_the_depth_of_nested_splits_is_limited():
    tree = 1
    for pane in range(2, layout.MAX_DEPTH + 2):
        tree = layout.split(tree, 1000, 1000, 1, pane, "right", cells=2)
    assert layout.depth(tree) == layout.MAX_DEPTH
    json.dumps(tree)
    with pytest.raises(LimitError, match="nested 64 splits deep"):
        layout.split(tree, 1000, 1000, 1, 999, "right", cells=2)
    assert layout.split(tree, 1000, 1000, 2, 999, "down"), "pane 2 is nested less deeply"


def test_the_sibling_of_a_removed_pane_replaces_the_split():
    tree = right(1, down(2, 3))
    assert layout.remove(tree, 1) == down(2, 3)
    assert layout.remove(tree, 2) == right(1, 3)
    assert layout.remove(1, 1) is None


def test_swap_exchanges_two_panes_or_replaces_one():
    assert layout.swap(right(1, down(2, 3)), 1, 3) == right(3, down(2, 1))
    assert layout.swap(right(1, 2), 2, 9) == right(1, 9)


def test_panes_are_listed_in_layout_order():
    assert list(layout.panes(right(down(4, 1), down(2, 3)))) == [4, 1, 2, 3]


def test_moving_a_divider_leaves_the_other_dividers_in_place():
    tree = layout.preset("even-horizontal", [1, 2, 3, 4], 83, 24)
    assert widths(tree, 83) == {1: 20, 2: 20, 3: 20, 4: 20}
    for pane, expected in {1: [25, 15, 20, 20], 2: [20, 25, 15, 20], 3: [20, 20, 25, 15], 4: [20, 20, 25, 15]}.items():
        assert list(widths(layout.push(tree, 83, 24, pane, "right", 5), 83).values()) == expected
    assert list(widths(layout.push(tree, 83, 24, 4, "left", 5), 83).values()) == [20, 20, 15, 25]


def test_a_divider_moved_far_moves_other_dividers_and_stops_at_minimum_sizes():
    tree = layout.preset("even-horizontal", [1, 2, 3], 80, 24)
    assert widths(layout.push(tree, 80, 24, 1, "right", 10_000)) == {1: 74, 2: 2, 3: 2}
    assert widths(layout.push(tree, 80, 24, 3, "left", 10_000)) == {1: 2, 2: 2, 3: 74}


def test_moving_a_divider_that_does_not_exist_changes_nothing():
    assert layout.push(right(1, 2), 80, 24, 1, "down", 3) == right(1, 2)
    assert not layout.has_divider(right(1, 2), 1, "down")
    assert layout.has_divider(right(1, 2), 2, "right")


@pytest.mark.parametrize("pane", [1, 2, 3])
@pytest.mark.parametrize("cells", [2, 17, 26, 40, 74])
def test_set_length_sets_the_width_of_a_pane(pane, cells):
    tree = layout.preset("even-horizontal", [1, 2, 3], 80, 24)
    assert widths(layout.set_length(tree, 80, 24, pane, "right", cells))[pane] == cells


def test_the_error_for_an_impossible_length_names_the_allowed_range():
    tree = right(1, right(2, 3))
    for cells in (1, 75, 0, -1, 10**9):
        with pytest.raises(BadSizeError, match=rf"@1 has 40 columns and cannot have {cells} in a window of 80x24") as e:
            layout.set_length(tree, 80, 24, 1, "right", cells)
        assert e.value.remedy == "use 2 to 74, or resize the window"
    with pytest.raises(BadSizeError, match="@1 has 24 rows and cannot have 10") as caught:
        layout.set_length(tree, 80, 24, 1, "down", 10)
    assert caught.value.remedy == "resize the window"


def test_the_neighbour_is_the_pane_that_shares_the_longest_edge():
    tree = right(1, down(2, 3, 0.25))
    assert layout.neighbour(tree, 80, 24, 1, "right") == 3
    assert layout.neighbour(tree, 80, 24, 2, "left") == 1
    assert layout.neighbour(tree, 80, 24, 2, "down") == 3
    assert layout.neighbour(tree, 80, 24, 3, "up") == 2
    for pane, side in ((1, "left"), (1, "up"), (3, "down"), (2, "right")):
        assert layout.neighbour(tree, 80, 24, pane, side) is None


def test_a_one_row_pane_next_to_the_end_of_a_divider_has_a_neighbour():
    tree = right(down(1, 2), down(3, down(4, 5), 0.25))
    assert arrange(tree, 11, 5).panes[4] == Rect(6, 2, 5, 1)
    assert layout.neighbour(tree, 11, 5, 4, "left") == 1


def test_presets_arrange_panes_as_their_names_say():
    five = [1, 2, 3, 4, 5]
    across = arrange(layout.preset("even-horizontal", five, 84, 24), 84, 24).panes
    assert [rect.cols for rect in across.values()] == [16] * 5
    assert [rect.x for rect in across.values()] == [0, 17, 34, 51, 68]
    below = arrange(layout.preset("even-vertical", five, 84, 24), 84, 24).panes
    assert [rect.rows for rect in below.values()] == [4] * 5
    main = arrange(layout.preset("main-vertical", five, 81, 23), 81, 23).panes
    assert main[1] == Rect(0, 0, 40, 23)
    assert [main[pane] for pane in five[1:]] == [Rect(41, 6 * place, 40, 5) for place in range(4)]
    tiled = arrange(layout.preset("tiled", five, 81, 23), 81, 23).panes
    assert [(rect.x, rect.y) for rect in tiled.values()] == [(0, 0), (41, 0), (0, 8), (41, 8), (0, 16)]
    assert tiled[5].cols == 81


@pytest.mark.parametrize("name", layout.PRESETS)
def test_presets_preserve_the_order_of_panes_and_are_not_deeply_nested(name):
    assert layout.preset(name, [7], 1, 1) == 7
    many = layout.preset(name, list(range(300)), 1000, 1000)
    assert list(layout.panes(many)) == list(range(300))
    assert layout.depth(many) <= 12


def test_a_preset_that_does_not_fit_and_an_unknown_preset_are_refused():
    with pytest.raises(BadSizeError, match="30 panes as even-horizontal need at least 89x1; the window has 80x24"):
        layout.preset("even-horizontal", list(range(30)), 80, 24)
    with pytest.raises(BadRequestError, match="unknown layout 'spiral'"):
        layout.preset("spiral", [1], 80, 24)

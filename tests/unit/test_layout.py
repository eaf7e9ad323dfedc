"""Layouts: what each operation does, in cells."""

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


def test_a_lone_pane_has_the_whole_window_whatever_its_size():
    assert arrange(7, 80, 24).panes == {7: Rect(0, 0, 80, 24)}
    assert arrange(7, 1, 1).panes == {7: Rect(0, 0, 1, 1)}
    assert arrange(7, 1, 1).dividers == []


def test_a_split_has_one_divider_cell_between_its_sides():
    arranged = arrange(right(1, down(2, 3)), 80, 24)
    assert arranged.panes == {1: Rect(0, 0, 40, 24), 2: Rect(41, 0, 39, 12), 3: Rect(41, 13, 39, 11)}
    assert [(line.direction, line.rect, line.path) for line in arranged.dividers] == [
        ("right", Rect(40, 0, 1, 24), ()),
        ("down", Rect(41, 12, 39, 1), ("second",)),
    ]


def test_a_cell_belongs_to_a_pane_or_a_divider_and_none_outside():
    arranged = arrange(right(1, down(2, 3)), 80, 24)
    assert arranged.at(0, 0) == 1
    assert arranged.at(79, 23) == 3
    assert arranged.at(40, 5).path == ()
    assert arranged.at(41, 12).path == ("second",)
    assert arranged.at(80, 0) is None
    assert arranged.at(-1, 0) is None


def test_a_zoomed_pane_is_all_there_is():
    arranged = arrange(right(1, 2), 80, 24, zoomed=2)
    assert arranged.panes == {2: Rect(0, 0, 80, 24)}
    assert arranged.dividers == []


def test_a_window_too_small_for_its_panes_is_arranged_as_if_it_were_just_large_enough():
    arranged = arrange(right(1, right(2, 3)), 3, 0)
    assert (arranged.cols, arranged.rows) == (8, 1) == layout.minimum(right(1, right(2, 3)))
    assert arranged.panes == {1: Rect(0, 0, 2, 1), 2: Rect(3, 0, 2, 1), 3: Rect(6, 0, 2, 1)}


def test_ratios_outlive_a_window_that_was_small_for_a_while():
    tree = layout.split(right(1, 2, 0.25), 80, 24, 2, 3, "down", cells=5)
    before = arrange(tree, 80, 24).panes
    arrange(tree, 5, 3)
    assert arrange(tree, 80, 24).panes == before


@pytest.mark.parametrize(
    ("asked", "got"), [({}, 39), ({"cells": 20}, 20), ({"percent": 25}, 20), ({"percent": 1}, 2), ({"percent": 99}, 77)]
)
def test_a_new_pane_gets_what_was_asked_for(asked, got):
    assert widths(layout.split(1, 80, 24, 1, 2, "right", **asked))[2] == got


@pytest.mark.parametrize(("direction", "cells"), [("right", 1), ("right", 78), ("down", 0), ("down", 23), ("down", -4)])
def test_a_new_pane_cannot_get_more_than_is_there(direction, cells):
    with pytest.raises(BadSizeError, match=rf"cannot have {cells}$") as caught:
        layout.split(1, 80, 24, 1, 2, direction, cells=cells)
    assert caught.value.remedy == ("use 2 to 77" if direction == "right" else "use 1 to 22")


@pytest.mark.parametrize("percent", [0, 100, -1, 2**40])
def test_a_part_is_from_1_to_99_percent(percent):
    with pytest.raises(BadSizeError, match="is out of range"):
        layout.split(1, 80, 24, 1, 2, "right", percent=percent)


def test_what_is_too_small_is_not_split_and_the_error_has_the_sizes():
    with pytest.raises(BadSizeError, match="@1 has 4 columns, too few to split: two panes and their divider need 5"):
        layout.split(1, 4, 24, 1, 2, "right")
    with pytest.raises(BadSizeError, match="@1 has 2 rows, too few to split: two panes and their divider need 3"):
        layout.split(1, 80, 2, 1, 2, "down")
    assert heights(layout.split(1, 80, 3, 1, 2, "down"), rows=3) == {1: 1, 2: 1}


def test_splits_are_not_nested_without_end():
    tree = 1
    for pane in range(2, layout.MAX_DEPTH + 2):
        tree = layout.split(tree, 1000, 1000, 1, pane, "right", cells=2)
    assert layout.depth(tree) == layout.MAX_DEPTH
    json.dumps(tree)
    with pytest.raises(LimitError, match="nested 64 splits deep"):
        layout.split(tree, 1000, 1000, 1, 999, "right", cells=2)
    assert layout.split(tree, 1000, 1000, 2, 999, "down")  # another one is not as deep


def test_closing_a_pane_promotes_its_sibling():
    tree = right(1, down(2, 3))
    assert layout.remove(tree, 1) == down(2, 3)
    assert layout.remove(tree, 2) == right(1, 3)
    assert layout.remove(1, 1) is None


def test_panes_change_places_and_a_stranger_takes_one():
    assert layout.swap(right(1, down(2, 3)), 1, 3) == right(3, down(2, 1))
    assert layout.swap(right(1, 2), 2, 9) == right(1, 9)


def test_the_order_of_panes_is_that_of_the_layout():
    assert list(layout.panes(right(down(4, 1), down(2, 3)))) == [4, 1, 2, 3]


def test_only_the_divider_that_is_moved_moves():
    tree = layout.preset("even-horizontal", [1, 2, 3, 4], 83, 24)
    assert widths(tree, 83) == {1: 20, 2: 20, 3: 20, 4: 20}
    for pane, expected in {1: [25, 15, 20, 20], 2: [20, 25, 15, 20], 3: [20, 20, 25, 15], 4: [20, 20, 25, 15]}.items():
        assert list(widths(layout.push(tree, 83, 24, pane, "right", 5), 83).values()) == expected
    assert list(widths(layout.push(tree, 83, 24, 4, "left", 5), 83).values()) == [20, 20, 15, 25]


def test_a_divider_that_is_pushed_far_pushes_others_and_stops_at_the_edge():
    tree = layout.preset("even-horizontal", [1, 2, 3], 80, 24)
    assert widths(layout.push(tree, 80, 24, 1, "right", 10_000)) == {1: 74, 2: 2, 3: 2}
    assert widths(layout.push(tree, 80, 24, 3, "left", 10_000)) == {1: 2, 2: 2, 3: 74}


def test_a_pane_without_a_divider_on_an_axis_is_not_pushed_there():
    assert layout.push(right(1, 2), 80, 24, 1, "down", 3) == right(1, 2)
    assert not layout.has_divider(right(1, 2), 1, "down")
    assert layout.has_divider(right(1, 2), 2, "right")


@pytest.mark.parametrize("pane", [1, 2, 3])
@pytest.mark.parametrize("cells", [2, 17, 26, 40, 74])
def test_a_pane_gets_the_width_it_is_given(pane, cells):
    tree = layout.preset("even-horizontal", [1, 2, 3], 80, 24)
    assert widths(layout.set_length(tree, 80, 24, pane, "right", cells))[pane] == cells


def test_a_width_that_cannot_be_had_is_refused_with_what_can():
    tree = right(1, right(2, 3))
    for cells in (1, 75, 0, -1, 10**9):
        with pytest.raises(BadSizeError, match=rf"@1 has 40 columns and cannot have {cells} in a window of 80x24") as e:
            layout.set_length(tree, 80, 24, 1, "right", cells)
        assert e.value.remedy == "use 2 to 74, or resize the window"
    with pytest.raises(BadSizeError, match="@1 has 24 rows and cannot have 10") as caught:
        layout.set_length(tree, 80, 24, 1, "down", 10)
    assert caught.value.remedy == "resize the window"


def test_the_neighbour_is_the_one_that_shares_most_of_the_edge():
    tree = right(1, down(2, 3, 0.25))
    assert layout.neighbour(tree, 80, 24, 1, "right") == 3
    assert layout.neighbour(tree, 80, 24, 2, "left") == 1
    assert layout.neighbour(tree, 80, 24, 2, "down") == 3
    assert layout.neighbour(tree, 80, 24, 3, "up") == 2
    for pane, side in ((1, "left"), (1, "up"), (3, "down"), (2, "right")):
        assert layout.neighbour(tree, 80, 24, pane, side) is None


def test_a_pane_of_one_row_that_faces_a_divider_has_a_neighbour_all_the_same():
    tree = right(down(1, 2), down(3, down(4, 5), 0.25))
    assert arrange(tree, 11, 5).panes[4] == Rect(6, 2, 5, 1)
    assert layout.neighbour(tree, 11, 5, 4, "left") == 1


def test_the_presets_are_what_their_names_say():
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
def test_presets_keep_a_single_pane_and_are_not_deep(name):
    assert layout.preset(name, [7], 1, 1) == 7
    many = layout.preset(name, list(range(300)), 1000, 1000)
    assert list(layout.panes(many)) == list(range(300))
    assert layout.depth(many) <= 12


def test_a_preset_that_needs_more_room_is_refused():
    with pytest.raises(BadSizeError, match="30 panes as even-horizontal need at least 89x1; the window has 80x24"):
        layout.preset("even-horizontal", list(range(30)), 80, 24)
    with pytest.raises(BadRequestError, match="unknown layout 'spiral'"):
        layout.preset("spiral", [1], 80, 24)

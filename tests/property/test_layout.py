"""Whatever is done to a layout, it tiles its window exactly."""

from __future__ import annotations

import contextlib
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from phux_core import layout
from phux_core.errors import BadSizeError, LimitError

EXAMPLES = settings(deadline=None, max_examples=200)

sizes = st.tuples(st.integers(1, 60), st.integers(1, 30))
places = st.integers(0, 10**6)
amounts = st.integers(-5, 80)
operations = st.one_of(
    st.tuples(st.just("split"), places, st.sampled_from(["right", "down"]), st.none() | amounts, st.booleans()),
    st.tuples(st.just("remove"), places),
    st.tuples(st.just("swap"), places, places),
    st.tuples(st.just("push"), places, st.sampled_from(layout.SIDES), amounts),
    st.tuples(st.just("drag"), places, amounts),
    st.tuples(st.just("set"), places, st.sampled_from(["right", "down"]), amounts),
    st.tuples(st.just("preset"), st.sampled_from(layout.PRESETS)),
    st.tuples(st.just("move"), places, places, st.sampled_from(["right", "down"])),
    st.tuples(st.just("window"), sizes),
)


def check_tiles(tree, cols, rows):
    """Paint every pane and divider, and see that each cell is painted once."""
    arranged = layout.arrange(tree, cols, rows)
    least = layout.minimum(tree)
    lone = isinstance(tree, int)
    assert (arranged.cols, arranged.rows) == ((cols, rows) if lone else (max(cols, least[0]), max(rows, least[1])))
    seen = set()
    for rect in [*arranged.panes.values(), *(divider.rect for divider in arranged.dividers)]:
        assert rect.cols >= 1
        assert rect.rows >= 1
        cells = {(x, y) for x in range(rect.x, rect.x + rect.cols) for y in range(rect.y, rect.y + rect.rows)}
        assert not cells & seen
        seen |= cells
    assert seen == {(x, y) for x in range(arranged.cols) for y in range(arranged.rows)}
    assert list(arranged.panes) == list(layout.panes(tree))
    assert len(arranged.dividers) == len(arranged.panes) - 1
    if not lone:
        assert all(rect.cols >= layout.MIN_COLS and rect.rows >= layout.MIN_ROWS for rect in arranged.panes.values())
    for pane, rect in arranged.panes.items():
        assert arranged.at(rect.x, rect.y) == pane
    for divider in arranged.dividers:
        assert arranged.at(divider.rect.x, divider.rect.y) is divider


def apply(tree, cols, rows, operation, new):
    """Do one thing to a layout; what is refused leaves it as it was."""
    panes = list(layout.panes(tree))
    name, *arguments = operation

    def pick(place):
        return panes[place % len(panes)]

    if name == "split":
        place, direction, amount, percent = arguments
        size = {} if amount is None else {"percent" if percent else "cells": amount}
        return layout.split(tree, cols, rows, pick(place), new, direction, **size)
    if name == "remove":
        return layout.remove(tree, pick(arguments[0])) or tree
    if name == "swap":
        return layout.swap(tree, pick(arguments[0]), pick(arguments[1]))
    if name == "push":
        return layout.push(tree, cols, rows, pick(arguments[0]), arguments[1], arguments[2])
    if name == "drag":
        dividers = layout.arrange(tree, cols, rows).dividers
        if not dividers:
            return tree
        return layout.move_divider(tree, cols, rows, dividers[arguments[0] % len(dividers)].path, arguments[1])
    if name == "set":
        place, direction, cells = arguments
        changed = layout.set_length(tree, cols, rows, pick(place), direction, cells)
        rect = layout.arrange(changed, cols, rows).panes[pick(place)]
        assert (rect.cols if direction == "right" else rect.rows) == cells
        return changed
    if name == "preset":
        return layout.preset(arguments[0], panes, cols, rows)
    source, target, direction = pick(arguments[0]), pick(arguments[1]), arguments[2]
    rest = layout.remove(tree, source)
    return tree if rest is None or source == target else layout.split(rest, cols, rows, target, source, direction)


@EXAMPLES
@given(sizes, st.lists(operations, max_size=25))
def test_any_sequence_of_operations_tiles_the_window_exactly(size, sequence):
    (cols, rows), tree = size, 1
    for number, operation in enumerate(sequence, start=2):
        before = json.dumps(tree)
        changed = tree
        if operation[0] == "window":
            cols, rows = operation[1]
        else:
            with contextlib.suppress(BadSizeError, LimitError):
                changed = apply(tree, cols, rows, operation, number)
        assert json.dumps(tree) == before  # layouts are values
        tree = json.loads(json.dumps(changed))  # and go through JSON unharmed
        assert tree == changed
        check_tiles(tree, cols, rows)


@EXAMPLES
@given(sizes, st.lists(operations, max_size=15), places, st.integers(-60, 60))
def test_a_moved_divider_moves_nothing_else_as_long_as_there_is_room(size, sequence, place, by):
    (cols, rows), tree = size, 1
    for number, operation in enumerate(sequence, start=2):
        if operation[0] != "window":
            try:
                tree = apply(tree, cols, rows, operation, number)
            except (BadSizeError, LimitError):
                continue
    before = layout.arrange(tree, cols, rows)
    if not before.dividers:
        return
    moved = before.dividers[place % len(before.dividers)]
    after = layout.arrange(layout.move_divider(tree, cols, rows, moved.path, by), cols, rows)
    for old, new in zip(before.dividers, after.dividers, strict=True):
        if old.path == moved.path or old.direction != moved.direction:
            continue
        shift = new.rect.x - old.rect.x if old.direction == "right" else new.rect.y - old.rect.y
        # Another one may only be pushed along, in the same direction, and only when its panes have no cell to spare.
        assert shift * by >= 0
        assert abs(shift) <= abs(by)


@EXAMPLES
@given(sizes, st.lists(operations, max_size=15))
def test_neighbours_touch_and_a_pane_at_the_edge_has_none(size, sequence):
    (cols, rows), tree = size, 1
    for number, operation in enumerate(sequence, start=2):
        if operation[0] != "window":
            try:
                tree = apply(tree, cols, rows, operation, number)
            except (BadSizeError, LimitError):
                continue
    arranged = layout.arrange(tree, cols, rows)
    for pane, rect in arranged.panes.items():
        at_edge = {
            "left": rect.x == 0,
            "up": rect.y == 0,
            "right": rect.x + rect.cols == arranged.cols,
            "down": rect.y + rect.rows == arranged.rows,
        }
        for side, edge in at_edge.items():
            found = layout.neighbour(tree, cols, rows, pane, side)
            assert (found is None) == edge

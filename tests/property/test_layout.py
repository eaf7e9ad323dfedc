"""A layout tiles its window exactly after any sequence of operations."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections import Counter
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from phux_core import layout
from phux_core.errors import BadSizeError, LimitError
from phux_core.shapes import Side

EXAMPLES = settings(deadline=None, max_examples=200)

directions = st.sampled_from(["right", "down"])
sizes = st.one_of(
    st.tuples(st.integers(1, 9), st.integers(1, 5)),
    st.tuples(st.integers(1, 60), st.integers(1, 30)),
    st.tuples(st.integers(60, 300), st.integers(20, 100)),
)
places = st.integers(0, 10**6)
amounts = st.integers(-5, 80)
operations = st.one_of(
    st.tuples(st.just("split"), places, directions, st.none() | amounts, st.booleans()),
    st.tuples(st.just("remove"), places),
    st.tuples(st.just("swap"), places, places),
    st.tuples(st.just("push"), places, st.sampled_from(get_args(Side)), amounts),
    st.tuples(st.just("drag"), places, amounts),
    st.tuples(st.just("set"), places, directions, st.integers(1, 30) | amounts),
    st.tuples(st.just("preset"), st.sampled_from(layout.PRESETS)),
    st.tuples(st.just("move"), places, places, directions),
    st.tuples(st.just("window"), sizes),
)
shapes = st.recursive(
    st.none(), lambda part: st.tuples(directions, st.floats(0, 1), part, part), max_leaves=30
)  # lists of operations alone rarely create a nested layout


def build(shape, number=1):
    """Create a layout of the given shape, with panes numbered from left to right."""
    if shape is None:
        return number
    direction, ratio, before, after = shape
    first = build(before, number)
    second = build(after, number + len(list(layout.panes(first))))
    return {"direction": direction, "ratio": ratio, "first": first, "second": second}


def overlap(one, other):
    across = min(one.x + one.cols, other.x + other.cols) - max(one.x, other.x)
    down = min(one.y + one.rows, other.y + other.rows) - max(one.y, other.y)
    return across > 0 and down > 0


def check_tiles(tree, cols, rows):
    """Check that every cell belongs to exactly one pane or one divider."""
    arranged = layout.arrange(tree, cols, rows)
    least = layout.minimum(tree)
    lone = isinstance(tree, int)
    assert (arranged.cols, arranged.rows) == ((cols, rows) if lone else (max(cols, least[0]), max(rows, least[1])))
    parts = [*arranged.panes.values(), *(divider.rect for divider in arranged.dividers)]
    for rect in parts:
        assert rect.cols >= 1
        assert rect.rows >= 1
        assert rect.x >= 0
        assert rect.y >= 0
        assert rect.x + rect.cols <= arranged.cols
        assert rect.y + rect.rows <= arranged.rows
    assert not any(overlap(*pair) for pair in itertools.combinations(parts, 2))
    assert sum(rect.cols * rect.rows for rect in parts) == arranged.cols * arranged.rows
    assert list(arranged.panes) == list(layout.panes(tree))
    assert len(arranged.dividers) == len(arranged.panes) - 1
    if not lone:
        assert all(rect.cols >= layout.MIN_COLS and rect.rows >= layout.MIN_ROWS for rect in arranged.panes.values())
    for pane, rect in arranged.panes.items():
        assert arranged.at(rect.x, rect.y) == pane
        assert arranged.at(rect.x + rect.cols - 1, rect.y + rect.rows - 1) == pane
    for divider in arranged.dividers:
        assert arranged.at(divider.rect.x, divider.rect.y) is divider
    assert arranged.at(arranged.cols, 0) is arranged.at(0, arranged.rows) is arranged.at(-1, 0) is None


def apply(tree, cols, rows, operation, new):
    """Return the layout after one operation; raise an error if the operation is refused."""
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


def test_the_layout_tiles_the_window_exactly_after_any_operations():
    done, deepest = Counter(), Counter()

    @EXAMPLES
    @given(sizes, shapes, st.lists(operations, min_size=5, max_size=25))
    def tiles(size, shape, sequence):
        (cols, rows), tree = size, build(shape)
        check_tiles(tree, cols, rows)
        for number, operation in enumerate(sequence, start=100):
            before = json.dumps(tree)
            changed = tree
            if operation[0] == "window":
                cols, rows = operation[1]
            else:
                with contextlib.suppress(BadSizeError, LimitError):
                    changed = apply(tree, cols, rows, operation, number)
            done[operation[0]] += json.dumps(changed) != before
            assert json.dumps(tree) == before  # operations return a new layout
            tree = json.loads(json.dumps(changed))  # JSON preserves the layout
            assert tree == changed
            check_tiles(tree, cols, rows)
            deepest[layout.depth(tree)] += 1

    tiles()
    # Check the coverage: every operation changed a layout at least once, and some layouts were deeply nested.
    assert {"split", "remove", "swap", "push", "drag", "set", "preset", "move"} <= set(+done)
    assert max(deepest) >= 4


def build_and_change(shape, cols, rows, sequence):
    """Create a layout and apply the operations to it."""
    tree = build(shape)
    for number, operation in enumerate(sequence, start=100):
        if operation[0] != "window":
            with contextlib.suppress(BadSizeError, LimitError):
                tree = apply(tree, cols, rows, operation, number)
    return tree


@EXAMPLES
@given(sizes, shapes, st.lists(operations, max_size=8), places, st.integers(-60, 60))
def test_a_moved_divider_pushes_parallel_dividers_at_most_as_far(size, shape, sequence, place, by):
    cols, rows = size
    tree = build_and_change(shape, cols, rows, sequence)
    before = layout.arrange(tree, cols, rows)
    if not before.dividers:
        return
    moved = before.dividers[place % len(before.dividers)]
    after = layout.arrange(layout.move_divider(tree, cols, rows, moved.path, by), cols, rows)
    for old, new in zip(before.dividers, after.dividers, strict=True):
        if old.path == moved.path or old.direction != moved.direction:
            continue
        shift = new.rect.x - old.rect.x if old.direction == "right" else new.rect.y - old.rect.y
        # A parallel divider may only be pushed in the same direction, when a pane between the two has its minimum size.
        assert shift * by >= 0
        assert abs(shift) <= abs(by)


@EXAMPLES
@given(sizes, shapes, st.lists(operations, max_size=8))
def test_a_pane_has_a_neighbour_on_each_side_except_at_the_edges_of_the_window(size, shape, sequence):
    cols, rows = size
    tree = build_and_change(shape, cols, rows, sequence)
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

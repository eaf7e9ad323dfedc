"""The events that describe a change of the tree."""

from __future__ import annotations

import pytest

from phux_core.server.pane_record import PaneRecord
from phux_core.server.tree.diff import changes, tree_state
from phux_core.server.tree.records import Tree


def record(id_):
    return PaneRecord(id_, 80, 24, "sh", "/", 1000 + id_, 1.5)


@pytest.fixture
def tree():
    """Return a tree: session a has window 1 (panes 1 and 2) and window 2 (pane 3); session b has window 3 (pane 4)."""
    made = Tree()
    session = made.add_session("a", "one", record(made.take_pane_id()))
    window = session.windows[0]
    window.panes.append(record(made.take_pane_id()))
    window.lay_out({"direction": "right", "ratio": 0.5, "first": 1, "second": 2})
    made.add_window(session, "two", record(made.take_pane_id()))
    made.add_session("b", "sh", record(made.take_pane_id()))
    return made


def events_of(tree, change):
    before = tree_state(tree)
    change()
    return list(changes(before, tree_state(tree)))


def test_an_unchanged_tree_causes_no_events(tree):
    assert events_of(tree, lambda: None) == []
    assert events_of(Tree(), lambda: None) == []


def test_a_new_session_causes_events_for_its_window_and_the_focus(tree):
    assert events_of(tree, lambda: tree.add_session("c", "sh", record(5))) == [
        ("session_added", {"session": 3, "name": "c"}),
        ("window_added", {"window": 4, "session": 3, "index": 0}),
        ("focus_changed", {"session": 3, "window": 4, "pane": 5}),
    ]


def test_a_new_window_does_not_change_the_focus(tree):
    assert events_of(tree, lambda: tree.add_window(tree.sessions[1], "x", record(5), 7)) == [
        ("window_added", {"window": 4, "session": 1, "index": 7})
    ]


def test_a_new_layout_size_or_zoom_causes_layout_changed(tree):
    window = tree.sessions[1].windows[0]
    expected = [("layout_changed", {"window": 1})]
    assert events_of(tree, lambda: window.lay_out({**window.layout, "ratio": 0.25})) == expected
    assert events_of(tree, lambda: setattr(window, "cols", 100)) == expected
    assert events_of(tree, lambda: setattr(window, "zoomed", 1)) == expected


def test_focus_changed_names_the_session_window_and_pane_that_have_the_focus(tree):
    window = tree.sessions[1].windows[0]
    assert events_of(tree, lambda: window.focus(2)) == [("focus_changed", {"session": 1, "window": 1, "pane": 2})]
    assert events_of(tree, lambda: tree.sessions[1].focus(2)) == [
        ("focus_changed", {"session": 1, "window": 2, "pane": 3})
    ]
    assert events_of(tree, lambda: window.focus(1)) == [], "the window is not active"
    assert events_of(tree, lambda: tree.focus(1)) == [("focus_changed", {"session": 1, "window": 2, "pane": 3})]


def test_a_removed_pane_causes_layout_changed_and_focus_changed(tree):
    assert events_of(tree, lambda: tree.remove_pane(1)) == [
        ("layout_changed", {"window": 1}),
        ("focus_changed", {"session": 1, "window": 1, "pane": 2}),
    ]


def test_removing_the_last_pane_closes_its_window_and_session(tree):
    assert events_of(tree, lambda: tree.remove_pane(3)) == [("window_closed", {"window": 2, "session": 1})]
    assert events_of(tree, lambda: tree.remove_pane(4)) == [
        ("window_closed", {"window": 3, "session": 2}),
        ("session_closed", {"session": 2, "name": "b"}),
        ("focus_changed", {"session": 1, "window": 1, "pane": 1}),
    ]


def test_a_moved_window_causes_only_window_moved(tree):
    def move():
        window = tree.sessions[1].windows[1]
        tree.remove_window(tree.sessions[1], window)
        tree.sessions[2].add(window, 4)

    assert events_of(tree, move) == [("window_moved", {"window": 2, "session": 2, "index": 4})]

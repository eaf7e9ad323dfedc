"""What is told when the tree changes."""

from __future__ import annotations

import pytest

from phux_core.server.pane_record import PaneRecord
from phux_core.server.tree.diff import changes, tree_state
from phux_core.server.tree.records import Tree


def record(id_):
    return PaneRecord(id_, 80, 24, "sh", "/", 1000 + id_, 1.5)


@pytest.fixture
def tree():
    """Session 1, called a, with the windows 1 (panes 1 and 2, side by side) and 2 (pane 3); session 2, called b."""
    made = Tree()
    session = made.add_session("a", "one", record(made.take_pane_id()))
    window = session.windows[0]
    window.panes.append(record(made.take_pane_id()))
    window.lay_out({"direction": "right", "ratio": 0.5, "first": 1, "second": 2})
    made.add_window(session, "two", record(made.take_pane_id()))
    made.add_session("b", "sh", record(made.take_pane_id()))
    return made


def told(tree, change):
    before = tree_state(tree)
    change()
    return list(changes(before, tree_state(tree)))


def test_an_unchanged_tree_has_no_events(tree):
    assert told(tree, lambda: None) == []
    assert told(Tree(), lambda: None) == []


def test_a_new_session_has_events_for_its_window_and_the_focus(tree):
    assert told(tree, lambda: tree.add_session("c", "sh", record(5))) == [
        ("session_added", {"session": 3, "name": "c"}),
        ("window_added", {"window": 4, "session": 3, "index": 0}),
        ("focus_changed", {"session": 3, "window": 4, "pane": 5}),
    ]


def test_a_new_window_leaves_the_focus_where_it_is(tree):
    assert told(tree, lambda: tree.add_window(tree.sessions[1], "x", record(5), 7)) == [
        ("window_added", {"window": 4, "session": 1, "index": 7})
    ]


def test_a_new_layout_size_or_zoom_changes_the_layout(tree):
    window = tree.sessions[1].windows[0]
    look = [("layout_changed", {"window": 1})]
    assert told(tree, lambda: window.lay_out({**window.layout, "ratio": 0.25})) == look
    assert told(tree, lambda: setattr(window, "cols", 100)) == look
    assert told(tree, lambda: setattr(window, "zoomed", 1)) == look


def test_focus_changed_names_the_session_in_which_it_moved(tree):
    window = tree.sessions[1].windows[0]
    assert told(tree, lambda: window.focus(2)) == [("focus_changed", {"session": 1, "window": 1, "pane": 2})]
    assert told(tree, lambda: tree.sessions[1].focus(2)) == [("focus_changed", {"session": 1, "window": 2, "pane": 3})]
    assert told(tree, lambda: window.focus(1)) == []  # a window that is not the current one
    assert told(tree, lambda: tree.focus(1)) == [("focus_changed", {"session": 1, "window": 2, "pane": 3})]


def test_a_removed_pane_changes_the_layout_and_the_focus(tree):
    assert told(tree, lambda: tree.remove_pane(1)) == [
        ("layout_changed", {"window": 1}),
        ("focus_changed", {"session": 1, "window": 1, "pane": 2}),
    ]


def test_the_last_pane_of_a_window_and_of_a_session_close_them(tree):
    assert told(tree, lambda: tree.remove_pane(3)) == [("window_closed", {"window": 2, "session": 1})]
    assert told(tree, lambda: tree.remove_pane(4)) == [
        ("window_closed", {"window": 3, "session": 2}),
        ("session_closed", {"session": 2, "name": "b"}),
        ("focus_changed", {"session": 1, "window": 1, "pane": 1}),
    ]


def test_a_window_that_moves_is_not_a_new_one(tree):
    def move():
        window = tree.sessions[1].windows[1]
        tree.remove_window(tree.sessions[1], window)
        tree.sessions[2].add(window, 4)

    assert told(tree, move) == [("window_moved", {"window": 2, "session": 2, "index": 4})]

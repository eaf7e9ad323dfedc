"""The tree of sessions, windows and panes: ids, focus, layout and storage."""

from __future__ import annotations

import json

import pytest

from phux_core import layout
from phux_core.errors import NoSuchTargetError
from phux_core.server.pane_record import PaneRecord
from phux_core.server.tree.records import SessionRecord, Tree, WindowRecord


def record(id_, *, dead=False, cwd="/"):
    return PaneRecord(id_, 80, 24, "sh", cwd, 1000 + id_, 1.5, dead=dead)


@pytest.fixture
def tree():
    """Return a tree with three sessions of one pane each, of which 'c' was created last."""
    made = Tree()
    for name in "abc":
        made.add_session(name, "sh", record(made.take_pane_id()))
    return made


@pytest.fixture
def wide():
    """Return a tree: its session has two windows with two panes each, and the second of each is active."""
    windows = [
        WindowRecord(
            10, 0, "one", [record(1), record(2)], 2, layout.preset("even-horizontal", [1, 2], 161, 24), 161, 24
        ),
        WindowRecord(
            11, 1, "two", [record(3), record(4)], 4, layout.preset("even-horizontal", [3, 4], 161, 24), 161, 24
        ),
    ]
    session = SessionRecord(5, "work", 1.0, windows, 11)
    return Tree({5: session}, [5], 6, 12, 5)


def test_a_new_session_has_one_window_one_pane_and_the_focus(tree):
    session = tree.session_named("c")
    assert [window.index for window in session.windows] == [0]
    assert tree.focused_session() is session
    assert tree.focused_pane() == 3
    assert session.created_at == 1.5
    assert tree.find_pane(3) == (session, session.windows[0], session.windows[0].panes[0])


def test_ids_increase_and_are_never_reused(tree):
    tree.remove_pane(3)
    session = tree.add_session("c", "sh", record(tree.take_pane_id()))
    assert (session.id, session.windows[0].id, session.windows[0].panes[0].id) == (4, 4, 4)


def test_ids_are_not_reused_by_the_next_service(tree):
    for pane in (1, 2, 3):
        tree.remove_pane(pane)
    again = Tree.load(tree.dump())
    assert again.take_pane_id() == 4
    assert again.add_session("a", "sh", record(9)).id == 4


def test_a_pane_id_that_was_taken_but_not_used_is_not_reused(tree):
    assert (tree.take_pane_id(), tree.take_pane_id()) == (4, 5)


def test_a_new_session_is_named_with_the_smallest_free_number(tree):
    assert tree.free_name(set()) == "0"
    tree.add_session("0", "sh", record(4))
    tree.add_session("2", "sh", record(5))
    assert tree.free_name(set()) == "1"
    assert tree.free_name({"1"}) == "3"
    assert tree.free_name({"1", "3"}) == "4"


def test_sessions_are_found_by_their_exact_name(tree):
    assert tree.session_named("a").id == 1
    assert tree.session_named("A") is None
    assert tree.session_named("") is None


def test_the_focus_returns_to_the_previous_session(tree):
    tree.focus(1)
    assert tree.focus_order == [2, 3, 1]
    tree.remove_pane(1)
    assert tree.focused_session().name == "c"
    tree.remove_pane(3)
    tree.remove_pane(2)
    assert tree.focused_session() is None
    assert tree.focused_pane() is None
    assert tree.sessions == {}


def test_removing_the_active_pane_focuses_another_pane_of_its_window(wide):
    wide.remove_pane(4)
    assert wide.focused_pane() == 3
    assert wide.sessions[5].active_window == 11


def test_removing_an_inactive_pane_keeps_the_focus(wide):
    wide.remove_pane(3)
    assert wide.focused_pane() == 4


def test_removing_the_last_pane_removes_its_window_and_moves_the_focus(wide):
    wide.remove_pane(3)
    wide.remove_pane(4)
    assert [window.id for window in wide.sessions[5].windows] == [10]
    assert wide.sessions[5].active_window == 10
    assert wide.focused_pane() == 2


def test_removing_the_last_window_removes_its_session(wide):
    for pane in (1, 2, 3, 4):
        wide.remove_pane(pane)
    assert wide.sessions == {}
    assert wide.focus_order == []


def test_removing_an_unknown_pane_changes_nothing(tree):
    before = tree.dump()
    tree.remove_pane(99)
    assert tree.dump() == before
    assert tree.find_pane(99) is None


def test_panes_of_returns_the_panes_of_a_session_window_or_pane(wide):
    def ids(scope, id_):
        return [pane.id for pane in wide.panes_of(scope, id_)]

    assert ids("session", 5) == [1, 2, 3, 4]
    assert ids("window", 11) == [3, 4]
    assert ids("pane", 4) == [4]
    assert [pane.id for pane in wide.panes()] == [1, 2, 3, 4]


@pytest.mark.parametrize(("scope", "id_"), [("session", 1), ("window", 5), ("pane", 10)])
def test_panes_of_refuses_an_unknown_target(wide, scope, id_):
    with pytest.raises(NoSuchTargetError, match=f"there is no {scope}"):
        wide.panes_of(scope, id_)


def test_panes_may_be_removed_while_iterating_over_the_result_of_panes_of(wide):
    for pane in wide.panes_of("session", 5):
        wide.remove_pane(pane.id)
    assert wide.sessions == {}


def test_a_session_is_alive_while_one_of_its_programs_runs(wide):
    session = wide.sessions[5]
    for pane in list(session.panes())[:3]:
        pane.dead = True
    assert session.alive
    wide.find_pane(4)[2].dead = True
    assert not session.alive


def test_a_tree_is_unchanged_after_dump_and_load(tree, wide):
    dead = wide.find_pane(2)[2]
    dead.dead, dead.exit_signal, dead.died_at = True, 9, 123.25
    for one in (Tree(), tree, wide):
        again = Tree.load(one.dump())
        assert again == one
        assert list(again.sessions) == list(one.sessions)
        assert again.dump() == one.dump()


def test_a_directory_that_is_not_utf8_is_unchanged_after_dump_and_load():
    tree = Tree()
    tree.add_session("a", "sh", record(1, cwd="/caf\udce9"))
    assert Tree.load(tree.dump()).find_pane(1)[2].cwd == "/caf\udce9"
    json.loads(tree.dump().decode("ascii"))


def test_removing_a_pane_does_not_remove_another_with_the_same_pid(tree):
    tree.find_pane(1)[2].pid = tree.find_pane(2)[2].pid
    tree.remove_pane(2)
    assert [pane.id for pane in tree.panes()] == [1, 3]


# Layout and focus


def test_panes_are_in_the_order_of_the_layout(wide):
    window = wide.sessions[5].windows[0]
    window.lay_out({"direction": "down", "ratio": 0.5, "first": 2, "second": 1})
    assert [pane.id for pane in window.panes] == window.shown == [2, 1]


def test_the_sibling_of_a_removed_pane_gets_its_space(wide):
    window = wide.sessions[5].windows[0]
    wide.remove_pane(1)
    assert window.layout == 2
    assert window.arrangement.panes[2].cols == window.cols == 161


def test_windows_get_the_lowest_free_index_and_are_sorted(tree):
    session = tree.sessions[1]
    for index in (None, 5, None):
        tree.add_window(session, "w", record(tree.take_pane_id()), index)
    assert [window.index for window in session.windows] == [0, 1, 2, 5]
    tree.remove_window(session, session.windows[1])
    assert session.free_index() == 1
    assert [window.id for window in session.windows] == [1, 6, 5]


def test_the_focus_returns_to_the_previous_window(tree):
    session = tree.sessions[1]
    two = tree.add_window(session, "two", record(10))
    three = tree.add_window(session, "three", record(11))
    for window in (three.id, session.windows[0].id, two.id):
        session.focus(window)
    tree.remove_window(session, two)
    assert session.active_window == session.windows[0].id
    tree.remove_window(session, session.windows[0])
    assert session.active_window == three.id


def test_the_focus_returns_to_the_previous_pane(tree):
    window = tree.sessions[1].windows[0]
    for pane in (10, 11, 12):
        window.panes.append(record(pane))
    four = {
        "direction": "right",
        "ratio": 0.5,
        "first": 10,
        "second": {"direction": "down", "ratio": 0.5, "first": 11, "second": 12},
    }
    window.lay_out({"direction": "right", "ratio": 0.5, "first": 1, "second": four})
    for pane in (12, 10, 11):
        window.focus(pane)
    tree.remove_pane(11)
    assert window.active_pane == 10
    tree.remove_pane(10)
    assert window.active_pane == 12


def test_focusing_another_pane_ends_a_zoom(wide):
    window = wide.sessions[5].windows[0]
    window.zoomed = 2
    window.focus(2)
    assert window.zoomed == 2
    assert list(window.arrangement.panes) == [2]
    window.focus(1)
    assert window.zoomed is None


def test_removing_a_zoomed_pane_ends_the_zoom(wide):
    window = wide.sessions[5].windows[0]
    window.panes.append(record(9))
    window.lay_out({"direction": "right", "ratio": 0.5, "first": window.layout, "second": 9})
    window.zoomed = 2
    wide.remove_pane(1)
    assert window.zoomed == 2
    wide.remove_pane(9)
    assert window.zoomed is None, "the pane is the only one of its window"
    window.panes.append(record(9))
    window.lay_out({"direction": "right", "ratio": 0.5, "first": 2, "second": 9})
    window.zoomed = 2
    wide.remove_pane(2)
    assert (window.zoomed, window.active_pane) == (None, 9)


def test_a_dead_pane_leaves_the_layout_and_stays_in_the_window(wide):
    window = wide.sessions[5].windows[1]
    wide.find_pane(4)[2].dead = True
    assert wide.retire(4) is window
    assert window.layout == 3
    assert [pane.id for pane in window.panes] == [3, 4]
    assert wide.focused_pane() == 3
    assert wide.retire(4) is None
    wide.remove_pane(3)  # the dead pane is the only one left, so it returns to the layout
    assert (window.layout, window.active_pane) == (4, 4)
    assert wide.sessions[5].active_window == 10, "the focus moves to a window with a running program"


def test_one_pane_of_a_window_with_only_dead_panes_stays_in_the_layout(wide):
    window = wide.sessions[5].windows[1]
    for pane in window.panes:
        pane.dead = True
    assert window.drop_dead()
    assert (window.layout, window.active_pane) == (4, 4)
    assert not window.drop_dead()


def test_the_last_dead_pane_of_a_window_stays_in_the_layout_and_loses_the_focus(wide):
    session = wide.sessions[5]
    for pane in (3, 4):
        wide.find_pane(pane)[2].dead = True
        wide.retire(pane)
    assert session.windows[1].layout == 4
    assert session.active_window == 10
    assert wide.focused_pane() == 2
    for pane in (1, 2):
        wide.find_pane(pane)[2].dead = True
        wide.retire(pane)
    assert session.active_window == 10, "no other window has a running program"


def test_layout_zoom_size_and_focus_order_are_unchanged_after_dump_and_load(wide):
    window = wide.sessions[5].windows[0]
    window.focus(1)
    window.zoomed, window.size_policy, window.cols = 1, "manual", 120
    wide.sessions[5].focus(10)
    again = Tree.load(wide.dump())
    assert again == wide
    assert again.sessions[5].windows[0].layout == window.layout

"""Any sequence of layout changes keeps windows and panes consistent: tiled, ordered, with one focus."""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from phux_core import layout
from phux_core.errors import RequestError
from phux_core.server.pane_record import PaneRecord
from phux_core.server.tree.arranger import Arranger, decide
from phux_core.server.tree.diff import changes, tree_state
from phux_core.server.tree.records import Tree
from phux_core.shapes import Side

EXAMPLES = settings(deadline=None, max_examples=100)


class Terminal:
    """The part of a pane that an arranger uses: resizing."""

    def __init__(self, record):
        self.record = record

    def resize(self, cols, rows):
        assert cols >= 1
        assert rows >= 1
        self.record.cols, self.record.rows = cols, rows

    def set_kernel_size(self):
        pass


class FakeService:
    """The parts of a service that an arranger uses: a tree, terminals and change callbacks."""

    def __init__(self):
        self.tree = Tree()
        self.panes = {}
        self.written = b""
        self.views = {}
        self.arranger = Arranger(
            self.tree, self.panes, "smallest", write_tree=self.write_tree, tree_changed=self.tree_changed
        )

    def new(self):
        record = PaneRecord(self.tree.take_pane_id(), 80, 24, "sh", "/", 1, 0.5)
        self.panes[record.id] = Terminal(record)
        return record

    def write_tree(self):
        self.written = self.tree.dump()

    def tree_changed(self):
        self.arranger.follow_views()
        self.write_tree()


sides = st.sampled_from(get_args(Side))
directions = st.sampled_from(["right", "down"])
indexes = st.none() | st.integers(0, 4)
policies = st.none() | st.sampled_from(["smallest", "largest", "latest", "manual", "default"])
views = st.lists(st.tuples(st.integers(1, 90), st.integers(1, 40)), max_size=2)


class Pick:
    """A session, window or pane chosen when the operation is applied; sometimes one that does not exist."""

    def __init__(self, kind, number):
        self.kind = kind
        self.number = number

    def __repr__(self):
        return f"{self.kind}#{self.number}"

    def __call__(self, tree):
        windows = [window for session in tree.sessions.values() for window in session.windows]
        existing = {
            "session": list(tree.sessions),
            "window": [window.id for window in windows],
            "pane": [pane.id for pane in tree.panes()],
        }[self.kind]
        return existing[self.number % len(existing)] if existing and self.number else 9999


def picks(kind):
    return st.builds(Pick, st.just(kind), st.integers(0, 12))


panes, windows, sessions = picks("pane"), picks("window"), picks("session")
operations = st.one_of(
    st.tuples(st.just("session")),
    st.tuples(st.just("window"), sessions, indexes),
    st.tuples(st.just("split"), panes, directions),
    st.tuples(st.just("split"), panes, directions),
    st.tuples(st.just("split"), panes, directions),
    st.tuples(st.just("remove"), st.lists(panes, min_size=1, max_size=3)),
    st.tuples(st.just("die"), panes),
    st.tuples(st.just("select"), st.just("session"), sessions),
    st.tuples(st.just("select"), st.just("window"), windows),
    st.tuples(st.just("select"), st.just("pane"), panes),
    st.tuples(st.just("resize_pane"), panes, st.none() | st.integers(-1, 100), st.none() | st.integers(-1, 40)),
    st.tuples(st.just("resize_window"), windows, st.integers(0, 100), st.none() | st.integers(0, 40), policies),
    st.tuples(st.just("push_divider"), panes, sides, st.integers(0, 40)),
    st.tuples(st.just("zoom"), panes, st.none() | st.booleans()),
    st.tuples(st.just("apply_preset"), windows, st.sampled_from(layout.PRESETS)),
    st.tuples(st.just("swap_panes"), panes, panes),
    st.tuples(st.just("swap_windows"), windows, windows),
    st.tuples(st.just("move_window"), windows, sessions, indexes),
    st.tuples(st.just("move_pane"), panes, panes, directions, st.none(), st.none()),
    st.tuples(st.just("move_pane"), panes, panes, directions, st.none() | st.integers(0, 40), st.none()),
    st.tuples(st.just("break_pane"), panes, sessions, indexes),
    st.tuples(st.just("set_views"), sessions, views),
)


NAMES = (
    *("session", "window", "split", "remove", "die", "select", "resize_pane", "resize_window", "push_divider", "zoom"),
    *("apply_preset", "swap_panes", "swap_windows", "move_window", "move_pane", "break_pane", "set_views"),
)
INITIAL_STEPS = (
    ("session",),
    ("split", Pick("pane", 12), "right"),
    ("split", Pick("pane", 12), "down"),
    ("window", Pick("session", 12), None),
    ("session",),
    ("split", Pick("pane", 11), "down"),
)


def apply(service, name, arguments):
    tree, arranger = service.tree, service.arranger
    arguments = [[each(tree) for each in one] if name == "remove" else one for one in arguments]
    arguments = [one(tree) if isinstance(one, Pick) else one for one in arguments]
    if name == "session":
        tree.add_session(tree.free_name(set()), "sh", service.new())
    elif name == "window":
        session = tree.session(arguments[0])
        arranger.check_index(session, arguments[1])
        record = service.new()
        record.cols, record.rows = arranger.size_for(session, (session.current.cols, session.current.rows))
        tree.add_window(session, "sh", record, arguments[1])
    elif name == "split":
        target, direction = arguments
        _session, window, _pane = arranger.find_shown(target)
        divided = layout.split(window.layout, window.cols, window.rows, target, tree.next_pane_id, direction)
        window.panes.append(service.new())
        window.lay_out(divided)
        window.zoomed = None
        window.drop_dead()
        arranger.fit(window)
    elif name == "die":
        tree.pane(arguments[0])[2].dead = True
        arranger.retire(arguments[0])
    else:
        getattr(arranger, name)(*arguments)
        if name == "set_views":
            service.views[arguments[0]] = arguments[1]
    service.tree_changed()  # the service calls this after creating or removing panes


def check(service):
    tree = service.tree
    seen = []
    for session in tree.sessions.values():
        assert session.windows
        indexes = [window.index for window in session.windows]
        assert indexes == sorted(set(indexes))
        assert session.active_window in [window.id for window in session.windows]
        assert set(session.recent) <= {window.id for window in session.windows}
        for window in session.windows:
            ids = [pane.id for pane in window.panes]
            seen += ids
            shown = window.shown
            assert ids[: len(shown)] == shown
            assert all(pane.dead for pane in window.panes[len(shown) :])
            assert len(shown) == 1 or not any(pane.dead for pane in window.panes[: len(shown)])  # docs/decisions/0007
            assert window.active_pane in shown
            assert window.zoomed is None or window.zoomed == window.active_pane
            assert set(window.recent) <= set(ids)
            views = service.views.get(session.id)
            if views and window.size_policy != "manual" and window.id == session.active_window:
                assert (window.cols, window.rows) == decide(window.size_policy or "smallest", views, (0, 0))
            for pane, place in window.arrangement.panes.items():
                record = service.panes[pane].record
                assert (record.cols, record.rows) == (place.cols, place.rows)
    assert len(seen) == len(set(seen))
    assert sorted(tree.focus_order) == sorted(tree.sessions)
    assert Tree.load(tree.dump()) == tree


def make_service():
    """Create two sessions with split windows, without which most random changes would have no effect."""
    service = FakeService()
    for name, *arguments in INITIAL_STEPS:
        apply(service, name, arguments)
    return service


def test_any_sequence_of_changes_keeps_every_window_consistent():
    done = Counter()

    @EXAMPLES
    @given(st.lists(operations, min_size=10, max_size=40))
    def keep_windows_consistent(steps):
        service = make_service()
        for name, *arguments in steps:
            before, state_before = service.tree.dump(), tree_state(service.tree)
            try:
                apply(service, name, arguments)
            except RequestError:
                assert service.tree.dump() == before, "a refused change must have no effect"
            check(service)
            state_after = tree_state(service.tree)
            if before == service.tree.dump():
                assert list(changes(state_before, state_after)) == []
            else:
                done[name] += 1

    keep_windows_consistent()
    # Every operation must have changed something at least once.
    assert {name for name in NAMES if not done[name]} == set()


@EXAMPLES
@given(st.lists(operations, min_size=5, max_size=25))
def test_taking_over_a_tree_does_not_change_it(steps):
    service = make_service()
    for name, *arguments in steps:
        with contextlib.suppress(RequestError):
            apply(service, name, arguments)
    before = service.tree.dump()
    service.arranger.take_over()
    assert service.tree.dump() == before

"""Documents of panes and of the tree."""

from __future__ import annotations

import types

import pytest
from fake_loop import FakeLoop

from phux_core import engine as engines
from phux_core.server.documents import read_screen, tree_document
from phux_core.server.pane_record import PaneRecord
from phux_core.server.screen.terminal import Terminal
from phux_core.server.tree.records import Tree


@pytest.fixture
def record():
    return PaneRecord(1, 10, 3, "sh", "/", 1, 0.0)


@pytest.fixture
def pane(record):
    """The parts of a pane that a document is built from; the watch cannot be made to look."""
    terminal = Terminal(
        1, FakeLoop(0.0), engines.create("pyte", 10, 3), [0, 0], lambda *_: pytest.fail("the engine raised")
    )
    watch = types.SimpleNamespace(state="awaiting_input", foreground=None)
    return types.SimpleNamespace(record=record, terminal=terminal, watch=watch, seq=0)


def test_reading_a_screen_reports_the_state_without_a_look(pane):
    assert read_screen(pane, scrollback=None, cells=False)["state"] == "awaiting_input"


def test_reading_the_tree_reports_states_without_a_look(pane, record):
    tree = Tree()
    tree.add_session("work", "sh", record)
    document = tree_document(tree, {1: pane}, {})
    assert document["sessions"][0]["windows"][0]["panes"][0]["state"] == "awaiting_input"

"""Calls that create panes leave the tree unchanged if they are refused or fail."""

from __future__ import annotations

import asyncio
import json
import types

import pytest

from phux_core.errors import LimitError, NameInUseError, RefusedError
from phux_core.server.api.new_calls import MAX_PANES, new_session, new_window, split
from phux_core.server.pane_record import PaneRecord
from phux_core.server.receipts import Receipt
from phux_core.server.tree.arranger import Arranger
from phux_core.server.tree.records import Tree

PROGRAM = {"cwd": "/", "command": ["sh"], "env": {}}


@pytest.fixture
def service():
    """Return a service that has one session and cannot start programs."""
    tree = Tree()
    tree.add_session("work", "sh", PaneRecord(tree.take_pane_id(), 80, 24, "sh", "/", 1, 0.5))
    service = types.SimpleNamespace(
        tree=tree, stopping=False, reserved_names=set(), starting=0, panes={1: types.SimpleNamespace(id=1, fd=-1)}
    )
    service.claim = lambda _key: None
    service.arranger = Arranger(tree, service.panes, "smallest", write_tree=lambda: None, tree_changed=lambda: None)
    return service


def calls(service, program=PROGRAM):
    """Return one call of each kind that creates a pane."""
    return (
        new_session(service, "other", None, 80, 24, None, None, Receipt(), **program),
        new_window(service, 1, None, None, False, Receipt(), **program),
        split(service, 1, "right", None, None, False, Receipt(), **program),
    )


def test_creating_a_pane_beyond_the_limit_is_refused(service):
    service.panes |= dict.fromkeys(range(2, MAX_PANES + 1))
    before = service.tree.dump()
    for coroutine in calls(service):
        with pytest.raises(LimitError, match="2000 panes are open"):
            asyncio.run(coroutine)
    assert service.tree.dump() == before


def test_the_child_process_of_a_pane_that_cannot_be_created_is_discarded(service):
    async def spawn(pane, *_words, **_more):
        return types.SimpleNamespace(pane=pane, pid=1, master=-1, journal=None, status=None)

    def add_pane(*_words, **_more):
        raise MemoryError

    discarded = []
    service.keeper = types.SimpleNamespace(spawn=spawn)
    service.settings = types.SimpleNamespace(socket="/s", log_panes=True, log_root="", owned=False, shell=None)
    service.add_pane = add_pane
    service.discard = lambda child: discarded.append(child.pane)
    before = json.loads(service.tree.dump())
    for coroutine in calls(service, PROGRAM | {"command": ["/bin/sh"]}):
        with pytest.raises(MemoryError):
            asyncio.run(coroutine)
    assert discarded == [2, 3, 4]
    after = json.loads(service.tree.dump())
    assert (after["sessions"], after["focus_order"]) == (before["sessions"], before["focus_order"])


def test_creating_a_pane_is_refused_while_the_server_is_ending(service):
    service.stopping = True
    for coroutine in calls(service):
        with pytest.raises(RefusedError, match="the server is ending"):
            asyncio.run(coroutine)


def test_the_name_of_an_existing_session_is_refused(service):
    with pytest.raises(NameInUseError, match="a session called 'work' exists already"):
        asyncio.run(new_session(service, "work", None, 80, 24, None, None, Receipt(), **PROGRAM))

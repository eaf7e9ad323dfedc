"""Making panes: what is refused before anything is started."""

from __future__ import annotations

import asyncio
import json
import types

import pytest

from phux_core.errors import LimitError, NameInUseError, RefusedError
from phux_core.server.pane_record import PaneRecord
from phux_core.server.tree.arranger import Arranger
from phux_core.server.tree.records import Tree
from phux_core.server.tree.spawner import MAX_PANES, Maker, Program

PROGRAM = Program("/", ["sh"], {}, None)


@pytest.fixture
def service():
    """A service with one session, which could start nothing if it came to that."""
    tree = Tree()
    tree.add_session("work", "sh", PaneRecord(tree.take_pane_id(), 80, 24, "sh", "/", 1, 0.5))
    service = types.SimpleNamespace(tree=tree, stopping=False, panes={1: types.SimpleNamespace(id=1, fd=-1)})
    service.arranger = Arranger(service, "smallest")
    return service


def making(maker, program=PROGRAM):
    return (
        maker.new_session("other", None, program, 80, 24),
        maker.new_window(1, None, None, program, select=False),
        maker.split(1, "right", None, None, program, select=False),
    )


def test_there_are_at_most_so_many_panes(service):
    service.panes |= dict.fromkeys(range(2, MAX_PANES + 1))
    before = service.tree.dump()
    for coroutine in making(Maker(service, None)):
        with pytest.raises(LimitError, match="2000 panes are open"):
            asyncio.run(coroutine)
    assert service.tree.dump() == before


def test_a_pane_that_cannot_be_brought_to_life_leaves_nothing_behind(service):
    async def spawn(pane, *_words, **_more):
        return types.SimpleNamespace(pane=pane, pid=1, master=-1, journal=None, status=None)

    def add_pane(*_words, **_more):
        raise MemoryError

    discarded = []
    service.keeper = types.SimpleNamespace(spawn=spawn)
    service.settings = types.SimpleNamespace(socket="/s", log_panes=True, log_root="", owned=False)
    service.add_pane = add_pane
    service.discard = lambda child: discarded.append(child.pane)
    before = json.loads(service.tree.dump())
    for coroutine in making(Maker(service, None), Program("/", ["/bin/sh"], {}, None)):
        with pytest.raises(MemoryError):
            asyncio.run(coroutine)
    assert discarded == [2, 3, 4]
    after = json.loads(service.tree.dump())
    assert (after["sessions"], after["focus_order"]) == (before["sessions"], before["focus_order"])


def test_a_server_that_is_ending_makes_nothing(service):
    service.stopping = True
    for coroutine in making(Maker(service, None)):
        with pytest.raises(RefusedError, match="the server is ending"):
            asyncio.run(coroutine)


def test_a_name_that_lives_is_not_given_twice(service):
    with pytest.raises(NameInUseError, match="a session called 'work' lives already"):
        asyncio.run(Maker(service, None).new_session("work", None, PROGRAM, 80, 24))

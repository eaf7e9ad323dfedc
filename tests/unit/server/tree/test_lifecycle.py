"""Removal of dead panes and shutdown of the server, with a clock that each test advances."""

from __future__ import annotations

import asyncio
import os
import socket
import time

import pytest
from fake_loop import FakeLoop

from phux_core.clock import boottime
from phux_core.keeper import journal
from phux_core.keeper.channel import Channel
from phux_core.keeper.feed_mark import FeedMark
from phux_core.server.api.dispatch import dispatch
from phux_core.server.keeper_link import receive_inheritance
from phux_core.server.pane_record import PaneRecord
from phux_core.server.service import Service
from phux_core.server.settings import Settings
from phux_core.server.tree import lifecycle
from phux_core.server.tree.lifecycle import MAX_DEAD, Lifecycle
from phux_core.server.tree.records import Tree

EPOCH = 1_000_000.0


class FakeServer(FakeLoop):
    """A fake event loop, clock and service with a real tree; it records removed panes and shutdowns."""

    def __init__(self, monkeypatch, **options):
        super().__init__()
        self.tree = Tree()
        self.clients = []
        self.shutdowns = []
        self.removed = []
        self.settings = Settings("/s", **{"keep_dead": 100.0} | options)
        monkeypatch.setattr(lifecycle, "boottime", self.boottime)

    def boottime(self):
        return EPOCH + self.now

    def start(self):
        self.lifecycle = Lifecycle(
            self, self.tree, self.settings, self.clients, remove_panes=self._remove, shutdown=self.shutdowns.append
        )
        self.lifecycle.tree_changed()
        return self

    def _remove(self, panes):
        self.removed += panes
        for pane in panes:
            self.tree.remove_pane(pane)
        self.lifecycle.tree_changed()

    def add(self, *, dead_since=None):
        """Add a session with one pane, which is dead if ``dead_since`` is given."""
        pane = self.tree.take_pane_id()
        record = PaneRecord(pane, 80, 24, "sh", "/", 1, EPOCH, dead=dead_since is not None)
        record.dead_since = None if dead_since is None else EPOCH + dead_since
        self.tree.add_session(f"s{pane}", "sh", record)
        return pane

    def die(self, pane):
        record = self.tree.find_pane(pane)[2]
        record.dead, record.dead_since = True, self.boottime()
        self.lifecycle.tree_changed()


@pytest.fixture
def make_server(monkeypatch):
    return lambda **options: FakeServer(monkeypatch, **options)


def test_a_dead_pane_is_removed_after_the_time_in_the_settings(make_server):
    server = make_server()
    pane, _alive = server.add(), server.add()
    server.start()
    server.advance(5)
    server.die(pane)
    server.advance(99.9)
    assert server.removed == []
    server.advance(0.2)
    assert server.removed == [pane]
    assert server.shutdowns == []


def test_each_dead_pane_is_kept_for_the_full_time(make_server):
    server = make_server()
    first, second, _alive = server.add(), server.add(), server.add()
    server.start()
    server.die(first)
    server.advance(60)
    server.die(second)
    server.advance(41)
    assert server.removed == [first]
    server.advance(60)
    assert server.removed == [first, second]


def test_dead_panes_are_kept_for_five_minutes_by_default(make_server):
    server = make_server(keep_dead=None)
    pane, _alive = server.add(), server.add()
    server.start()
    server.die(pane)
    server.advance(299)
    assert server.removed == []
    server.advance(2)
    assert server.removed == [pane]


def test_dead_panes_are_removed_immediately_if_the_time_is_zero(make_server):
    server = make_server(keep_dead=0.0)
    pane, _alive = server.add(), server.add()
    server.start()
    server.die(pane)
    server.advance(0.01)
    assert server.removed == [pane]


def test_the_oldest_of_too_many_dead_panes_are_removed(make_server):
    server = make_server()
    panes = [server.add() for _ in range(MAX_DEAD + 3)]
    server.add()
    server.start()
    for pane in panes[:MAX_DEAD]:
        server.advance(0.001)
        server.die(pane)
    assert server.removed == []
    for pane in panes[MAX_DEAD:]:
        server.advance(0.001)
        server.die(pane)
    assert server.removed == panes[:3]


def test_any_number_of_panes_may_die_at_once(make_server):
    server = make_server()
    panes = [server.add() for _ in range(1000)]
    server.add()
    server.start()
    for pane in panes:
        record = server.tree.find_pane(pane)[2]
        record.dead, record.dead_since = True, server.boottime()
    server.lifecycle.tree_changed()
    server.advance(1)
    assert server.removed == panes[: 1000 - MAX_DEAD]


def test_a_new_service_removes_a_dead_pane_whose_time_has_expired(make_server):
    server = make_server()
    pane, _alive = server.add(dead_since=-500), server.add()
    server.start()
    server.advance(1)
    assert server.removed == [pane]


def test_the_server_ends_with_its_last_session(make_server):
    server = make_server()
    pane = server.add()
    server.start()
    server.tree.remove_pane(pane)
    server.lifecycle.tree_changed()
    assert server.shutdowns == ["its last session has ended"]


def test_a_server_with_an_owner_does_not_end_with_its_last_session(make_server):
    server = make_server(owned=True)
    pane = server.add()
    server.start()
    server.clients.append("a client")
    server.tree.remove_pane(pane)
    server.lifecycle.tree_changed()
    server.advance(100)
    server.clients.pop()
    server.lifecycle.client_disconnected()
    assert server.shutdowns == []


def test_the_server_ends_when_its_last_dead_pane_is_removed(make_server):
    server = make_server()
    pane = server.add()
    server.start()
    server.die(pane)
    assert server.shutdowns == []
    server.advance(101)
    assert set(server.shutdowns) == {"its last session has ended"}  # the service ignores repeated requests


def test_a_foreground_server_does_not_end_before_its_first_session(make_server):
    server = make_server().start()
    server.lifecycle.tree_changed()
    server.advance(1000)
    assert server.shutdowns == []


def test_a_background_server_ends_if_no_session_is_created(make_server):
    server = make_server(log="/log").start()
    server.advance(60)
    assert server.shutdowns == ["no session was created"]


def test_a_server_that_a_program_owns_waits_for_its_first_session_for_ever(make_server):
    server = make_server(log="/log", owned=True).start()
    server.advance(100)
    assert server.shutdowns == []


def test_an_unused_server_does_not_end_while_a_client_is_connected(make_server):
    server = make_server(log="/log").start()
    server.clients.append("a client")
    server.advance(60)
    assert server.shutdowns == []
    server.clients.pop()
    server.lifecycle.client_disconnected()
    server.advance(60)
    assert server.shutdowns == ["no session was created"]


def test_an_unused_server_does_not_end_once_a_session_is_created(make_server):
    server = make_server(log="/log").start()
    server.advance(1)
    server.add()
    server.lifecycle.tree_changed()
    server.advance(60)
    assert server.shutdowns == []


def test_an_idle_server_ends_even_if_programs_are_running(make_server):
    server = make_server(exit_after_idle=10.0)
    server.add()
    server.start()
    server.advance(9.9)
    assert server.shutdowns == []
    server.advance(0.2)
    assert server.shutdowns == ["no client for 10 s"]


def test_the_idle_time_restarts_when_the_last_client_disconnects(make_server):
    server = make_server(exit_after_idle=10.0)
    server.add()
    server.start()
    server.advance(9)
    server.clients.append("a client")
    server.clients.append("a client")
    server.advance(50)
    server.clients.pop()
    server.lifecycle.client_disconnected()
    server.advance(50)
    assert server.shutdowns == []
    server.clients.pop()
    server.lifecycle.client_disconnected()
    server.advance(9)
    assert server.shutdowns == []
    server.advance(2)
    assert server.shutdowns == ["no client for 10 s"]


def test_a_new_service_starts_although_it_must_remove_a_dead_pane():
    # If every new service failed here, the keeper would restart services forever, and no program could be reached.
    tree = Tree()
    for name, dead in (("old", True), ("live", False)):
        record = PaneRecord(tree.take_pane_id(), 80, 24, "sh", "/", os.getpid(), time.time() - 9999, dead=dead)
        record.dead_since = boottime() - 9999 if dead else None
        tree.add_session(name, "sh", record)
    mark = FeedMark.create()
    master, slave = os.openpty()
    ours, theirs = socket.socketpair()
    keeper, service_end = Channel(ours), Channel(theirs)
    with socket.socket(socket.AF_UNIX) as listener:
        hello = {
            "op": "hello",
            "restarts": 1,
            "keeper_pid": 1,
            "started_at": 0.0,
            "started_on_clock": 0.0,
            "suspect": None,
            "set_aside": [],
        }
        keeper.send(hello, fds=[listener.fileno(), mark.fd, listener.fileno()])
    for pane in (1, 2):
        memory = journal.create()
        keeper.send({"op": "journal", "pane": pane}, fds=[memory])
        os.close(memory)
    keeper.send({"op": "child", "pane": 2, "pid": os.getpid(), "status": None}, fds=[master])
    keeper.send({"op": "blob", "key": "tree"}, tree.dump())
    keeper.send({"op": "begin"})
    inheritance = receive_inheritance(service_end)
    os.close(master)

    async def come_up():
        loop = asyncio.get_running_loop()
        service = Service(Settings("/s", engine="pyte"), service_end, inheritance, loop, dispatch)
        while service.tree.session_named("old") is not None:
            await asyncio.sleep(0)
        names = [session.name for session in service.tree.sessions.values()]
        service.clients.stop_listening()
        for pane in list(service.panes.values()):
            pane.close()
        return names

    try:
        assert asyncio.run(asyncio.wait_for(come_up(), 10)) == ["live"]
    finally:
        os.close(mark.fd)
        os.close(inheritance.feed_mark.fd)
        inheritance.questions._end.close()
        os.close(slave)
        keeper.close()
        service_end.close()

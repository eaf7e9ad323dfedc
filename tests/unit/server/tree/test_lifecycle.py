"""Removal of dead panes and shutdown of the server, with a clock that the tests advance."""

from __future__ import annotations

import asyncio
import os
import socket
import time

import pytest

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


class Timer:
    def __init__(self, at, callback, args):
        self.at, self.callback, self.args, self.cancelled = at, callback, args, False

    def cancel(self):
        self.cancelled = True


class FakeServer:
    """A fake loop, clock and service around a real tree; records removed panes and shutdowns."""

    def __init__(self, monkeypatch, **options):
        self.now = 0.0
        self.timers = []
        self.tree = Tree()
        self.clients = []
        self.shutdowns = []
        self.removed = []
        self.settings = Settings("/s", **{"keep_dead": 100.0} | options)
        monkeypatch.setattr(lifecycle, "time", self)

    def time(self):
        return EPOCH + self.now

    def call_later(self, delay, callback, *args):
        timer = Timer(self.now + delay, callback, args)
        self.timers.append(timer)
        return timer

    def call_soon(self, callback, *args):
        return self.call_later(0, callback, *args)

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

    def pass_time(self, seconds):
        end = self.now + seconds
        while True:
            due = [timer for timer in self.timers if not timer.cancelled and timer.at <= end]
            if not due:
                break
            timer = min(due, key=lambda timer: timer.at)
            self.timers.remove(timer)
            self.now = max(self.now, timer.at)
            timer.callback(*timer.args)
        self.now = end

    def add(self, *, died_at=None):
        """Add a session with one pane, dead since ``died_at`` if given."""
        pane = self.tree.take_pane_id()
        record = PaneRecord(pane, 80, 24, "sh", "/", 1, EPOCH, dead=died_at is not None)
        record.died_at = None if died_at is None else EPOCH + died_at
        self.tree.add_session(f"s{pane}", "sh", record)
        return pane

    def die(self, pane):
        record = self.tree.find_pane(pane)[2]
        record.dead, record.died_at = True, self.time()
        self.lifecycle.tree_changed()


@pytest.fixture
def make_server(monkeypatch):
    return lambda **options: FakeServer(monkeypatch, **options)


def test_a_dead_pane_is_removed_after_a_while(make_server):
    server = make_server()
    pane, _alive = server.add(), server.add()
    server.start()
    server.pass_time(5)
    server.die(pane)
    server.pass_time(99.9)
    assert server.removed == []
    server.pass_time(0.2)
    assert server.removed == [pane]
    assert server.shutdowns == []


def test_each_dead_pane_is_kept_for_the_full_time(make_server):
    server = make_server()
    first, second, _alive = server.add(), server.add(), server.add()
    server.start()
    server.die(first)
    server.pass_time(60)
    server.die(second)
    server.pass_time(41)
    assert server.removed == [first]
    server.pass_time(60)
    assert server.removed == [first, second]


def test_dead_panes_are_kept_for_five_minutes_by_default(make_server):
    server = make_server(keep_dead=None)
    pane, _alive = server.add(), server.add()
    server.start()
    server.die(pane)
    server.pass_time(299)
    assert server.removed == []
    server.pass_time(2)
    assert server.removed == [pane]


def test_dead_panes_are_removed_at_once_if_the_time_is_zero(make_server):
    server = make_server(keep_dead=0.0)
    pane, _alive = server.add(), server.add()
    server.start()
    server.die(pane)
    server.pass_time(0.01)
    assert server.removed == [pane]


def test_the_oldest_of_too_many_dead_panes_are_removed(make_server):
    server = make_server()
    panes = [server.add() for _ in range(MAX_DEAD + 3)]
    server.add()
    server.start()
    for pane in panes[:MAX_DEAD]:
        server.pass_time(0.001)
        server.die(pane)
    assert server.removed == []
    for pane in panes[MAX_DEAD:]:
        server.pass_time(0.001)
        server.die(pane)
    assert server.removed == panes[:3]


def test_any_number_of_panes_may_die_at_once(make_server):
    server = make_server()
    panes = [server.add() for _ in range(1000)]
    server.add()
    server.start()
    for pane in panes:
        record = server.tree.find_pane(pane)[2]
        record.dead, record.died_at = True, server.time()
    server.lifecycle.tree_changed()
    server.pass_time(1)
    assert server.removed == panes[: 1000 - MAX_DEAD]


def test_a_pane_overdue_before_the_start_of_the_service_is_removed(make_server):
    server = make_server()
    pane, _alive = server.add(died_at=-500), server.add()
    server.start()
    server.pass_time(1)
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
    server.pass_time(100)
    server.clients.pop()
    server.lifecycle.client_disconnected()
    assert server.shutdowns == []


def test_the_server_ends_when_its_last_dead_pane_is_removed(make_server):
    server = make_server()
    pane = server.add()
    server.start()
    server.die(pane)
    assert server.shutdowns == []
    server.pass_time(101)
    assert set(server.shutdowns) == {"its last session has ended"}  # the service ignores repeated shutdowns


def test_a_server_without_a_session_yet_does_not_end(make_server):
    server = make_server().start()
    server.lifecycle.tree_changed()
    server.pass_time(1000)
    assert server.shutdowns == []


def test_a_server_whose_first_session_is_not_created_ends_soon(make_server):
    server = make_server(log="/log").start()
    server.pass_time(60)
    assert server.shutdowns == ["no session was created"]


def test_an_unused_server_does_not_end_while_a_client_is_connected(make_server):
    server = make_server(log="/log").start()
    server.clients.append("a client")
    server.pass_time(60)
    assert server.shutdowns == []
    server.clients.pop()
    server.lifecycle.client_disconnected()
    server.pass_time(60)
    assert server.shutdowns == ["no session was created"]


def test_an_unused_server_does_not_end_once_a_session_is_created(make_server):
    server = make_server(log="/log").start()
    server.pass_time(1)
    server.add()
    server.lifecycle.tree_changed()
    server.pass_time(60)
    assert server.shutdowns == []


def test_an_idle_server_ends_even_if_programs_are_running(make_server):
    server = make_server(exit_after_idle=10.0)
    server.add()
    server.start()
    server.pass_time(9.9)
    assert server.shutdowns == []
    server.pass_time(0.2)
    assert server.shutdowns == ["no client for 10 s"]


def test_the_idle_time_restarts_when_the_last_client_disconnects(make_server):
    server = make_server(exit_after_idle=10.0)
    server.add()
    server.start()
    server.pass_time(9)
    server.clients.append("a client")
    server.clients.append("a client")
    server.pass_time(50)
    server.clients.pop()
    server.lifecycle.client_disconnected()
    server.pass_time(50)
    assert server.shutdowns == []
    server.clients.pop()
    server.lifecycle.client_disconnected()
    server.pass_time(9)
    assert server.shutdowns == []
    server.pass_time(2)
    assert server.shutdowns == ["no client for 10 s"]


def test_a_new_service_comes_up_with_a_dead_pane_that_is_overdue():
    # The keeper restarts a service that dies; if the new one cannot start either, no program can be reached.
    tree = Tree()
    for name, dead in (("old", True), ("live", False)):
        record = PaneRecord(tree.take_pane_id(), 80, 24, "sh", "/", os.getpid(), time.time() - 9999, dead=dead)
        record.died_at = time.time() - 9999 if dead else None
        tree.add_session(name, "sh", record)
    mark = FeedMark.create()
    master, slave = os.openpty()
    ours, theirs = socket.socketpair()
    keeper, service_end = Channel(ours), Channel(theirs)
    with socket.socket(socket.AF_UNIX) as listener:
        hello = {"op": "hello", "restarts": 1, "keeper_pid": 1, "started_at": 0.0, "suspect": None, "set_aside": []}
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
        loop.remove_reader(service._listener)
        service._listener.close()
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

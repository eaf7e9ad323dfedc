"""When panes and the server end by themselves, with a loop whose clock is moved by hand."""

from __future__ import annotations

import asyncio
import os
import socket
import time

import pytest

from phux_core.keeper import journal
from phux_core.keeper.channel import Channel
from phux_core.keeper.feed_mark import FeedMark
from phux_core.server.api.reader import Reader
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


class World:
    """A loop, a clock, a tree and what the service would do; everything that ends is noted."""

    def __init__(self, monkeypatch, **options):
        self.now = 0.0
        self.timers = []
        self.tree = Tree()
        self.shutdowns = []
        self.cleared = []
        self.options = {"keep_dead_s": 100.0, "exit_after_idle_s": None, "empty_exit": True, "unused_exit": False}
        self.options |= options
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
            self, self.tree, remove_panes=self._remove, shutdown=self.shutdowns.append, **self.options
        )
        self.lifecycle.begin()
        return self

    def _remove(self, panes):
        self.cleared += panes
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
        """Add a session of one pane, dead since ``died_at`` if given."""
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
def world(monkeypatch):
    return lambda **options: World(monkeypatch, **options)


def test_a_dead_pane_is_removed_after_a_while(world):
    here = world()
    pane, _alive = here.add(), here.add()
    here.start()
    here.pass_time(5)
    here.die(pane)
    here.pass_time(99.9)
    assert here.cleared == []
    here.pass_time(0.2)
    assert here.cleared == [pane]
    assert here.shutdowns == []


def test_each_dead_pane_has_its_own_time(world):
    here = world()
    first, second, _alive = here.add(), here.add(), here.add()
    here.start()
    here.die(first)
    here.pass_time(60)
    here.die(second)
    here.pass_time(41)
    assert here.cleared == [first]
    here.pass_time(60)
    assert here.cleared == [first, second]


def test_the_default_is_five_minutes(world):
    here = world(keep_dead_s=None)
    pane, _alive = here.add(), here.add()
    here.start()
    here.die(pane)
    here.pass_time(299)
    assert here.cleared == []
    here.pass_time(2)
    assert here.cleared == [pane]


def test_dead_panes_need_not_be_kept_at_all(world):
    here = world(keep_dead_s=0.0)
    pane, _alive = here.add(), here.add()
    here.start()
    here.die(pane)
    here.pass_time(0.01)
    assert here.cleared == [pane]


def test_the_oldest_of_too_many_dead_panes_are_removed(world):
    here = world()
    panes = [here.add() for _ in range(MAX_DEAD + 3)]
    here.add()
    here.start()
    for pane in panes[:MAX_DEAD]:
        here.pass_time(0.001)
        here.die(pane)
    assert here.cleared == []
    for pane in panes[MAX_DEAD:]:
        here.pass_time(0.001)
        here.die(pane)
    assert here.cleared == panes[:3]


def test_any_number_of_panes_may_die_at_once(world):
    here = world()
    panes = [here.add() for _ in range(1000)]
    here.add()
    here.start()
    for pane in panes:
        record = here.tree.find_pane(pane)[2]
        record.dead, record.died_at = True, here.time()
    here.lifecycle.tree_changed()
    here.pass_time(1)
    assert here.cleared == panes[: 1000 - MAX_DEAD]


def test_a_pane_overdue_before_the_start_of_the_service_is_removed(world):
    here = world()
    pane, _alive = here.add(died_at=-500), here.add()
    here.start()
    here.pass_time(1)
    assert here.cleared == [pane]


def test_the_server_ends_with_its_last_session(world):
    here = world()
    pane = here.add()
    here.start()
    here.tree.remove_pane(pane)
    here.lifecycle.tree_changed()
    assert here.shutdowns == ["its last session has ended"]


def test_a_server_with_an_owner_does_not_end_with_its_last_session(world):
    here = world(empty_exit=False)
    pane = here.add()
    here.start()
    here.lifecycle.client_connected()
    here.tree.remove_pane(pane)
    here.lifecycle.tree_changed()
    here.pass_time(100)
    here.lifecycle.client_disconnected()
    assert here.shutdowns == []


def test_the_server_ends_when_its_last_dead_pane_is_removed(world):
    here = world()
    pane = here.add()
    here.start()
    here.die(pane)
    assert here.shutdowns == []
    here.pass_time(101)
    assert set(here.shutdowns) == {"its last session has ended"}  # the service takes it once


def test_a_server_without_a_session_yet_does_not_end(world):
    here = world().start()
    here.lifecycle.tree_changed()
    here.pass_time(1000)
    assert here.shutdowns == []


def test_a_server_whose_first_session_is_not_created_ends_soon(world):
    here = world(unused_exit=True).start()
    here.pass_time(60)
    assert here.shutdowns == ["no session was created"]


def test_an_unused_server_does_not_end_while_a_client_is_connected(world):
    here = world(unused_exit=True).start()
    here.lifecycle.client_connected()
    here.pass_time(60)
    assert here.shutdowns == []
    here.lifecycle.client_disconnected()
    here.pass_time(60)
    assert here.shutdowns == ["no session was created"]


def test_an_unused_server_does_not_end_once_a_session_was_created(world):
    here = world(unused_exit=True).start()
    here.pass_time(1)
    here.add()
    here.lifecycle.tree_changed()
    here.pass_time(60)
    assert here.shutdowns == []


def test_an_idle_server_ends_whatever_runs(world):
    here = world(exit_after_idle_s=10.0)
    here.add()
    here.start()
    here.pass_time(9.9)
    assert here.shutdowns == []
    here.pass_time(0.2)
    assert here.shutdowns == ["no client for 10 s"]


def test_the_idle_time_restarts_when_the_last_client_disconnects(world):
    here = world(exit_after_idle_s=10.0)
    here.add()
    here.start()
    here.pass_time(9)
    here.lifecycle.client_connected()
    here.lifecycle.client_connected()
    here.pass_time(50)
    here.lifecycle.client_disconnected()
    here.pass_time(50)
    assert here.shutdowns == []
    here.lifecycle.client_disconnected()
    here.pass_time(9)
    assert here.shutdowns == []
    here.pass_time(2)
    assert here.shutdowns == ["no client for 10 s"]


def test_a_new_service_comes_up_with_a_dead_pane_that_is_overdue():
    # The keeper restarts a service that dies; one that cannot come up would leave every program without one.
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
        service = Service(Settings("/s", engine="pyte"), service_end, inheritance, loop, Reader)
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
        os.close(slave)
        keeper.close()
        service_end.close()

"""A state watch: the moments at which it looks at a pane, and the changes that it reports."""

from __future__ import annotations

import asyncio
import itertools
import types

import pytest
from fake_loop import FakeLoop

from phux_core.server.kernel.foreground import Foreground
from phux_core.server.shell.state_watch import StateWatch

PANE = 100


def make_foreground(*, pgid=PANE, pid=None, name="bash", shell="bash", canonical=False, echo=False, waiting=True):
    return Foreground(pgid, pid or pgid, name, "/", shell, True, canonical, echo, waiting)


class Watched:
    def __init__(self):
        self.loop = FakeLoop(1000.0)
        self.begin = self.loop.now
        self.state, self.foreground = "running", None
        self.looks = []
        self.changes = []
        self.unread = False
        self.watch = self.make_watch(self.look, lambda state, foreground: self.changes.append((state, foreground)))

    def make_watch(self, look, on_change):
        return StateWatch(self.loop, look, on_change, lambda: self.unread)

    def look(self):
        self.looks.append(round((self.loop.now - self.begin) * 1000))
        return self.state, self.foreground


@pytest.fixture
def pane():
    return Watched()


def test_a_new_watch_is_running_and_does_not_look(pane):
    pane.loop.advance(10)
    assert (pane.watch.state, pane.watch.foreground, pane.looks, pane.changes) == ("running", None, [], [])


def test_a_watch_looks_at_its_pane_20_ms_after_the_last_touch(pane):
    pane.state = "prompt"
    pane.watch.touch()
    pane.loop.advance(0.015)
    pane.watch.touch()
    pane.loop.advance(10)
    assert pane.looks == [35]
    assert pane.changes == [("prompt", None)]
    assert pane.watch.state == "prompt"


def test_constant_touches_cause_ten_looks_a_second_and_few_timers(pane):
    for _ in range(1000):
        pane.watch.touch()
        pane.loop.advance(0.001)
        assert len(pane.loop.pending) <= 1
    assert 9 <= len(pane.looks) <= 11
    assert pane.looks[0] == 100
    assert pane.loop.made <= 80


@pytest.mark.parametrize(("state", "share"), [("running", 0.2), ("awaiting_input", 1), ("awaiting_secret", 1)])
def test_a_watch_repeats_its_looks_with_growing_gaps_in_active_states(pane, state, share):
    pane.state = state
    pane.watch.touch()
    pane.loop.advance(7)
    for look, after in itertools.pairwise(pane.looks):
        assert after - look == pytest.approx(max(50, look * share), abs=2)
    assert len(pane.loop.pending) == 1


def test_gaps_between_looks_grow_to_ten_seconds(pane):
    pane.watch.touch()
    pane.loop.advance(1000)
    gaps = [second - first for first, second in itertools.pairwise(pane.looks)]
    assert gaps == sorted(gaps)
    assert gaps[-1] == 10_000
    assert len(gaps) < 150


@pytest.mark.parametrize("state", ["prompt", "fullscreen", "dead"])
def test_a_watch_does_not_repeat_its_looks_in_resting_states(pane, state):
    pane.state = state
    pane.watch.touch()
    pane.loop.advance(60)
    assert pane.looks == [20]
    assert not pane.loop.pending
    pane.watch.touch()
    pane.loop.advance(60)
    assert pane.looks == [20, 60020]


def test_a_touch_causes_an_earlier_look_and_resets_the_gaps(pane):
    pane.watch.touch()
    pane.loop.advance(3)
    pane.looks.clear()
    pane.watch.touch()
    pane.loop.advance(0.2)
    assert pane.looks == [3020, 3070, 3120, 3170]


def test_a_program_that_starts_to_wait_without_output_is_reported(pane):
    pane.watch.touch()
    pane.loop.advance(5)
    pane.state = "awaiting_input"
    pane.loop.advance(1)
    assert pane.changes == [("awaiting_input", None)]


def test_look_now_looks_immediately(pane):
    pane.state = "prompt"
    pane.watch.look_now()
    assert (pane.looks, pane.changes) == ([0], [("prompt", None)])
    assert not pane.loop.pending


def test_look_now_cancels_the_next_repeated_look(pane):
    pane.watch.touch()
    pane.loop.advance(3)
    pane.state = "prompt"
    pane.watch.look_now()
    pane.looks.clear()
    pane.loop.advance(60)
    assert pane.looks == []


def test_look_now_does_not_cancel_the_look_after_a_touch(pane):
    pane.watch.touch()
    pane.loop.advance(0.01)
    pane.state = "prompt"
    pane.watch.look_now()
    pane.loop.advance(1)
    assert pane.looks == [10, 20]
    assert pane.changes == [("prompt", None)]


def test_look_if_due_looks_only_after_a_touch(pane):
    pane.state = "prompt"
    pane.watch.touch()
    pane.loop.advance(0.01)
    pane.watch.look_if_due()
    assert (pane.watch.state, pane.looks) == ("prompt", [10])
    pane.loop.advance(1)
    pane.watch.look_if_due()
    assert pane.looks == [10, 20]


def test_a_foreground_is_reported_only_if_its_name_or_pid_changed(pane):
    pane.foreground = make_foreground()
    pane.watch.look_now()
    pane.foreground = make_foreground(waiting=False, canonical=True)
    pane.watch.look_now()
    assert pane.watch.foreground == pane.foreground
    assert len(pane.changes) == 1
    pane.foreground = make_foreground(name="zsh")
    pane.watch.look_now()
    pane.foreground = make_foreground(pid=7)
    pane.watch.look_now()
    pane.foreground = None
    pane.watch.look_now()
    assert len(pane.changes) == 4


def test_a_closed_watch_does_not_look(pane):
    pane.watch.touch()
    pane.watch.close()
    assert not pane.loop.pending
    pane.watch.touch()
    pane.watch.look_now()
    pane.loop.advance(10)
    assert pane.looks == []


def test_settle_looks_only_before_the_first_look_and_while_input_is_unread(pane):
    pane.foreground = types.SimpleNamespace(pid=7, name="bash")
    pane.watch.settle()
    assert len(pane.looks) == 1
    pane.watch.settle()
    assert len(pane.looks) == 1
    pane.unread = True
    pane.watch.settle()
    assert len(pane.looks) == 2


def test_settle_does_not_look_at_a_dead_pane_again(pane):
    pane.state = "dead"
    pane.watch.look_now()
    pane.watch.settle()
    assert len(pane.looks) == 1


def test_the_change_callback_may_close_the_watch(pane):
    pane.state = "awaiting_input"
    pane.watch = pane.make_watch(pane.look, lambda state, foreground: pane.watch.close())
    pane.watch.touch()
    pane.loop.advance(10)
    assert pane.looks == [20]
    assert not pane.loop.pending


def test_the_look_callback_may_close_the_watch(pane):
    def look():
        pane.watch.close()
        return pane.look()

    pane.watch = pane.make_watch(look, lambda state, foreground: pane.changes.append(state))
    pane.watch.touch()
    pane.loop.advance(10)
    assert (pane.looks, pane.changes) == ([20], [])
    assert not pane.loop.pending


def test_the_change_callback_may_touch_the_watch(pane):
    pane.state = "prompt"
    pane.watch = pane.make_watch(pane.look, lambda state, foreground: pane.watch.touch())
    pane.watch.touch()
    pane.loop.advance(10)
    assert pane.looks == [20, 40]


def test_a_look_that_raises_does_not_end_the_watch(pane):
    calls = []

    def look():
        calls.append(pane.loop.now)
        if len(calls) == 1:
            raise RuntimeError
        return "prompt", None

    pane.watch = pane.make_watch(look, lambda state, foreground: None)
    pane.watch.touch()
    with pytest.raises(RuntimeError):
        pane.loop.advance(1)
    pane.watch.touch()
    pane.loop.advance(1)
    assert pane.watch.state == "prompt"


def test_a_watch_reports_a_change_on_an_asyncio_loop():
    async def run():
        loop = asyncio.get_running_loop()
        reported = loop.create_future()
        looks = iter([("running", None), ("running", None), ("prompt", None)])
        watch = StateWatch(loop, lambda: next(looks), lambda state, _: reported.set_result(state), lambda: False)
        watch.touch()
        state = await asyncio.wait_for(reported, 20)
        watch.close()
        return state

    assert asyncio.run(run()) == "prompt"

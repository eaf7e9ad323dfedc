"""When a pane's terminal is put to rest."""

from __future__ import annotations

import pytest

from phux_core import engine as engines
from phux_core.server.screen import hibernation as rest
from phux_core.server.screen.hibernation import Rest


class Timer:
    def cancel(self):
        pass


class Loop:
    """A loop whose clock stands still until it is moved."""

    def __init__(self):
        self.now = 100.0
        self.timers = []
        self.somebody_looks = False

    def time(self):
        return self.now

    def call_later(self, delay, call, *args):
        self.timers.append((self.now + delay, lambda: call(*args)))
        return Timer()

    def pass_time(self, seconds):
        self.now += seconds
        due, self.timers = [t for t in self.timers if t[0] <= self.now], [t for t in self.timers if t[0] > self.now]
        for _when, call in due:
            call()


def _no_successor(error, _position):
    raise error


@pytest.fixture
def resting():
    loop = Loop()
    made = Rest(loop, engines.create("pyte", 20, 4), lambda: loop.somebody_looks, _no_successor)
    yield loop, made
    made.close()


def test_a_terminal_that_nobody_needs_rests_after_a_while(resting):
    loop, made = resting
    loop.pass_time(rest.REST_AFTER_S - 1)
    assert not made.engine.at_rest
    loop.pass_time(1)
    assert made.engine.at_rest
    loop.pass_time(60)
    assert not loop.timers


def test_one_that_is_needed_again_and_again_has_one_timer_and_stays_awake(resting):
    loop, made = resting
    for _ in range(10):
        loop.pass_time(rest.REST_AFTER_S / 2)
        made.engine.feed(b"text")
        made.later()
        assert len(loop.timers) == 1
    assert not made.engine.at_rest
    loop.pass_time(rest.REST_AFTER_S)
    assert made.engine.at_rest


def test_one_that_somebody_looks_at_stays_awake_until_nobody_does(resting):
    loop, made = resting
    loop.somebody_looks = True
    loop.pass_time(rest.REST_AFTER_S)
    loop.pass_time(rest.REST_AFTER_S)
    assert not made.engine.at_rest
    loop.somebody_looks = False
    loop.pass_time(rest.REST_AFTER_S)
    assert made.engine.at_rest


def test_one_that_was_woken_rests_again(resting):
    loop, made = resting
    loop.pass_time(rest.REST_AFTER_S)
    assert made.engine.lines(0, 1).text == [""]
    loop.pass_time(rest.REST_AFTER_S)
    assert made.engine.at_rest


@pytest.mark.parametrize("data", [b"\x1b[?1049h", b"\r\n" * 1000], ids=["alternate screen", "long history"])
def test_one_that_would_take_long_to_wake_stays_awake(resting, data):
    loop, made = resting
    made.engine.feed(data)
    made.later()
    loop.pass_time(rest.REST_AFTER_S)
    loop.pass_time(rest.REST_AFTER_S)
    assert not made.engine.at_rest

"""Events that wait, and what happens to those that do not fit."""

from __future__ import annotations

import pytest

from phux_client import event_buffer
from phux_client.event_buffer import MAX_EVENTS, EventBuffer


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(event_buffer, "MAX_EVENTS", 3)
    return EventBuffer()


def event(number):
    return {"event": "bell", "terminal": "@1", "seq": number}


def test_events_come_out_in_the_order_they_came():
    buffer = EventBuffer()
    for number in range(5):
        buffer.put(event(number))
    assert [buffer.take()["seq"] for _ in range(5)] == [0, 1, 2, 3, 4]
    assert len(buffer) == 0
    assert not buffer


def test_it_holds_as_many_as_it_says_and_then_counts():
    buffer = EventBuffer()
    for number in range(MAX_EVENTS):
        buffer.put(event(number))
    assert len(buffer) == MAX_EVENTS
    for number in range(10):
        buffer.put(event(number))
    assert len(buffer) == MAX_EVENTS + 1
    taken = [buffer.take() for _ in range(len(buffer))]
    assert [one["seq"] for one in taken[:-1]] == list(range(MAX_EVENTS))
    assert taken[-1] == {"event": "dropped", "count": 10}
    assert not buffer


def test_the_word_on_dropped_ones_comes_where_they_would_have_been(small):
    for number in range(5):
        small.put(event(number))
    assert small.take()["seq"] == 0
    small.put(event(5))  # there is room again, but it must not come before the word on the others
    assert [small.take().get("seq") for _ in range(3)] == [1, 2, None]
    small.put(event(6))
    assert small.take() == event(6)


def test_dropping_can_happen_again(small):
    for _round in range(2):
        for number in range(4):
            small.put(event(number))
        taken = [small.take() for _ in range(len(small))]
        assert taken[-1] == {"event": "dropped", "count": 1}
        assert len(taken) == 4

"""The buffer of unread events, and the ``dropped`` event for events that do not fit."""

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


def test_events_are_taken_in_the_order_in_which_they_were_put():
    buffer = EventBuffer()
    for number in range(5):
        buffer.put(event(number))
    assert [buffer.take()["seq"] for _ in range(5)] == [0, 1, 2, 3, 4]
    assert len(buffer) == 0
    assert not buffer


def test_a_full_buffer_counts_further_events_as_dropped():
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


def test_the_dropped_event_comes_where_the_dropped_events_would_have_been(small):
    for number in range(5):
        small.put(event(number))
    assert small.take()["seq"] == 0
    small.put(event(5))  # dropped although there is room, because the dropped event must come first
    assert [small.take().get("seq") for _ in range(3)] == [1, 2, None]
    small.put(event(6))
    assert small.take() == event(6)


def test_an_emptied_buffer_can_drop_events_again(small):
    for _round in range(2):
        for number in range(4):
            small.put(event(number))
        taken = [small.take() for _ in range(len(small))]
        assert taken[-1] == {"event": "dropped", "count": 1}
        assert len(taken) == 4

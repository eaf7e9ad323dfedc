"""Events are pushed to the subscriptions of their pane and of all panes."""

from __future__ import annotations

import json

import pytest

from phux_core.server.push.hub import EventHub
from validation import validate


class Subscriber:
    def __init__(self):
        self.events = []

    def push_event(self, subscription, event):
        self.events.append((subscription, event))

    def push_encoded(self, subscription, event):
        self.push_event(subscription, json.loads(event))


@pytest.fixture
def hub():
    return EventHub()


def test_an_event_is_pushed_to_subscriptions_of_its_pane_and_of_all_panes(hub):
    one, every, other = Subscriber(), Subscriber(), Subscriber()
    first = hub.subscribe(one, 1)
    second = hub.subscribe(every, None)
    hub.subscribe(other, 2)
    hub.emit("dirty", pane=1, seq=5)
    event = {"event": "dirty", "terminal": "@1", "seq": 5}
    assert one.events == [(first, event)]
    assert every.events == [(second, event)]
    assert other.events == []


def test_an_event_without_a_pane_is_pushed_only_to_subscriptions_of_all_panes(hub):
    one, every = Subscriber(), Subscriber()
    hub.subscribe(one, 1)
    hub.subscribe(every, None)
    hub.emit("dropped", count=2)
    assert one.events == []
    assert every.events == [(2, {"event": "dropped", "count": 2})]


def test_pane_zero_has_its_own_subscriptions(hub):
    zero, one = Subscriber(), Subscriber()
    hub.subscribe(zero, 0)
    hub.subscribe(one, 1)
    hub.emit("bell", pane=0, seq=0)
    assert zero.events == [(1, {"event": "bell", "terminal": "@0", "seq": 0})]
    assert one.events == []


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("dirty", {}),
        ("idle", {}),
        ("bell", {}),
        ("title_changed", {"title": "t"}),
        ("pane_spawned", {}),
        ("pane_closed", {"exit_status": 0}),
        ("pane_closed", {"exit_status": None, "signal": "SIGKILL"}),
    ],
)
def test_events_match_the_schema(hub, name, payload):
    subscriber = Subscriber()
    hub.subscribe(subscriber, None)
    hub.emit(name, pane=3, seq=7, **payload)
    ((_number, event),) = subscriber.events
    validate("event", event)
    assert list(event) == ["event", "terminal", *payload, "seq"]


def test_events_are_pushed_in_order(hub):
    subscriber = Subscriber()
    hub.subscribe(subscriber, 1)
    for seq in range(10):
        hub.emit("bell", pane=1, seq=seq)
    assert [event["seq"] for _number, event in subscriber.events] == list(range(10))


def test_two_subscriptions_of_one_client_are_independent(hub):
    subscriber = Subscriber()
    first, second = hub.subscribe(subscriber, 1), hub.subscribe(subscriber, None)
    hub.emit("bell", pane=1, seq=1)
    assert [number for number, _event in subscriber.events] == [first, second]
    hub.unsubscribe(subscriber, first)
    hub.emit("bell", pane=1, seq=2)
    assert [number for number, _event in subscriber.events] == [first, second, second]


def test_a_client_cannot_end_the_subscription_of_another_client(hub):
    owner, other = Subscriber(), Subscriber()
    number = hub.subscribe(owner, None)
    hub.unsubscribe(other, number)
    hub.unsubscribe(owner, number + 1)
    assert hub.numbers_of(owner) == [number]
    hub.unsubscribe(owner, number)
    hub.unsubscribe(owner, number)
    assert hub.numbers_of(owner) == []


def test_a_disconnected_client_gets_no_events(hub):
    disconnected, connected = Subscriber(), Subscriber()
    hub.subscribe(disconnected, 1)
    hub.subscribe(connected, 1)
    hub.subscribe(disconnected, None)
    assert hub.numbers_of(disconnected) == [1, 3]
    hub.drop_subscriber(disconnected)
    hub.emit("bell", pane=1, seq=1)
    assert disconnected.events == []
    assert len(connected.events) == 1
    assert hub.numbers_of(disconnected) == []


def test_subscription_numbers_start_at_the_given_number_and_are_never_reused():
    hub = EventHub(1000)
    subscriber = Subscriber()
    first = hub.subscribe(subscriber, None)
    hub.unsubscribe(subscriber, first)
    assert (first, hub.subscribe(subscriber, None)) == (1000, 1001)


def test_a_client_may_disconnect_while_an_event_is_pushed(hub):
    class Leaver(Subscriber):
        def push_event(self, subscription, event):
            super().push_event(subscription, event)
            hub.drop_subscriber(self)

    leaver, stayer = Leaver(), Subscriber()
    hub.subscribe(leaver, None)
    hub.subscribe(stayer, None)
    hub.emit("bell", pane=1, seq=1)
    hub.emit("bell", pane=1, seq=2)
    assert len(leaver.events) == 1
    assert len(stayer.events) == 2


def test_an_event_without_subscriptions_is_dropped(hub):
    hub.emit("bell", pane=1, seq=1)

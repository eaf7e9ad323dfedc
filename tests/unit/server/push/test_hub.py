"""Who is told what."""

from __future__ import annotations

import pytest

from phux_core.server.push.hub import EventHub
from validation import validate


class Listener:
    def __init__(self):
        self.heard = []

    def push_event(self, subscription, event):
        self.heard.append((subscription, event))


@pytest.fixture
def hub():
    return EventHub()


def test_an_event_is_pushed_to_subscriptions_of_its_pane_and_of_all_panes(hub):
    one, every, other = Listener(), Listener(), Listener()
    first = hub.subscribe(one, 1)
    second = hub.subscribe(every, None)
    hub.subscribe(other, 2)
    hub.emit("dirty", pane=1, seq=5)
    event = {"event": "dirty", "terminal": "@1", "seq": 5}
    assert one.heard == [(first, event)]
    assert every.heard == [(second, event)]
    assert other.heard == []


def test_an_event_without_a_pane_is_pushed_only_to_subscriptions_of_all_panes(hub):
    one, every = Listener(), Listener()
    hub.subscribe(one, 1)
    hub.subscribe(every, None)
    hub.emit("dropped", count=2)
    assert one.heard == []
    assert every.heard == [(2, {"event": "dropped", "count": 2})]


def test_pane_zero_is_a_pane(hub):
    zero, one = Listener(), Listener()
    hub.subscribe(zero, 0)
    hub.subscribe(one, 1)
    hub.emit("bell", pane=0, seq=0)
    assert zero.heard == [(1, {"event": "bell", "terminal": "@0", "seq": 0})]
    assert one.heard == []


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
    listener = Listener()
    hub.subscribe(listener, None)
    hub.emit(name, pane=3, seq=7, **payload)
    ((_number, event),) = listener.heard
    validate("event", event)
    assert list(event) == ["event", "terminal", *payload, "seq"]


def test_events_are_pushed_in_order(hub):
    listener = Listener()
    hub.subscribe(listener, 1)
    for seq in range(10):
        hub.emit("bell", pane=1, seq=seq)
    assert [event["seq"] for _number, event in listener.heard] == list(range(10))


def test_two_subscriptions_of_one_client_are_independent(hub):
    listener = Listener()
    first, second = hub.subscribe(listener, 1), hub.subscribe(listener, None)
    hub.emit("bell", pane=1, seq=1)
    assert [number for number, _event in listener.heard] == [first, second]
    assert hub.unsubscribe(listener, first)
    hub.emit("bell", pane=1, seq=2)
    assert [number for number, _event in listener.heard] == [first, second, second]


def test_a_client_cannot_end_a_subscription_of_another(hub):
    mine, yours = Listener(), Listener()
    number = hub.subscribe(mine, None)
    assert not hub.unsubscribe(yours, number)
    assert not hub.unsubscribe(mine, number + 1)
    assert hub.unsubscribe(mine, number)
    assert not hub.unsubscribe(mine, number)


def test_a_disconnected_client_gets_no_events(hub):
    gone, here = Listener(), Listener()
    hub.subscribe(gone, 1)
    hub.subscribe(here, 1)
    hub.subscribe(gone, None)
    assert hub.numbers_of(gone) == [1, 3]
    hub.drop_subscriber(gone)
    hub.emit("bell", pane=1, seq=1)
    assert gone.heard == []
    assert len(here.heard) == 1
    assert hub.numbers_of(gone) == []


def test_numbers_start_at_the_first_number_and_are_never_reused():
    hub = EventHub(1000)
    listener = Listener()
    first = hub.subscribe(listener, None)
    hub.unsubscribe(listener, first)
    assert (first, hub.subscribe(listener, None)) == (1000, 1001)


def test_a_client_may_disconnect_while_events_are_pushed(hub):
    class Leaver(Listener):
        def push_event(self, subscription, event):
            super().push_event(subscription, event)
            hub.drop_subscriber(self)

    leaver, stayer = Leaver(), Listener()
    hub.subscribe(leaver, None)
    hub.subscribe(stayer, None)
    hub.emit("bell", pane=1, seq=1)
    hub.emit("bell", pane=1, seq=2)
    assert len(leaver.heard) == 1
    assert len(stayer.heard) == 2


def test_an_event_without_subscriptions_is_dropped(hub):
    hub.emit("bell", pane=1, seq=1)

"""The client's end of the protocol: replies, events, cancelled requests and repeated requests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phux_client.connection import Attempts, ClientConnection
from phux_core import errors, wire

HELLO = wire.encode({"hello": {"protocol": list(wire.PROTOCOL), "server": "test"}})


def reply(number, **document):
    return wire.encode({"id": number, "ok": document})


def event(subscription, **document):
    return wire.encode({"subscription": subscription, "event": {"event": "bell", **document}})


def connected():
    connection = ClientConnection()
    connection.receive(HELLO)
    connection.sent(len(connection.outgoing))
    return connection


def outgoing_headers(connection):
    decoder = wire.Decoder(max_header=wire.MAX_REQUEST_HEADER, max_payload=wire.MAX_REQUEST_PAYLOAD)
    return [header for header, _payload in decoder.feed(connection.outgoing)]


def sent_calls(connection):
    return [(header["call"], header["params"]) for header in outgoing_headers(connection)]


def test_the_handshake_is_sent_with_the_first_request():
    connection = ClientConnection("tool/1")
    connection.request("status", {})
    first, second = outgoing_headers(connection)
    assert first["hello"]["client"] == "tool/1"
    assert second["call"] == "status"


@given(st.lists(st.integers(1, 40), max_size=30))
def test_replies_and_events_are_matched_however_the_stream_is_split(cuts):
    connection = ClientConnection()
    one, two = connection.request("status", {}), connection.request("tree", {})
    subscription = connection.request("subscribe", {})
    stream = (
        HELLO + event(7, n=1) + reply(two, b=2) + reply(subscription, subscription=7) + reply(one, a=1) + event(7, n=2)
    )
    arrived = []
    for size in [*cuts, len(stream)]:
        if stream:
            arrived += connection.receive(stream[:size])
            stream = stream[size:]
    assert arrived == [("event", 7), ("reply", two), ("reply", subscription), ("reply", one), ("event", 7)]
    assert connection.take_reply(one) == {"a": 1}
    assert connection.take_reply(two) == {"b": 2}
    assert connection.take_reply(subscription) == {"subscription": 7}
    assert [connection.take_event(7)["n"], connection.take_event(7)["n"]] == [1, 2]
    assert not connection.has_event(7)


def test_a_frame_without_a_request_or_subscription_is_a_push():
    connection = connected()
    assert connection.receive(wire.encode({"attachment": 1, "bell": 2})) == [("push", {"attachment": 1, "bell": 2})]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", errors.DisconnectedError),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", errors.ProtocolError),
        (wire.encode({"hello": {"protocol": [99, 0]}}), errors.VersionError),
        (wire.encode({"id": 1, "ok": {}}), errors.ProtocolError),
        (wire.encode({"error": {"code": "limit", "message": "full"}}), errors.LimitError),
    ],
)
def test_a_failed_connection_raises_its_error_for_every_request(data, kind):
    connection = ClientConnection()
    one = connection.request("status", {})
    two = connection.request("tree", {})
    connection.receive(data)
    for number in (one, two):
        with pytest.raises(kind):
            connection.take_reply(number)


def test_an_error_reply_is_raised_only_for_its_request():
    connection = connected()
    one, two = connection.request("status", {}), connection.request("tree", {})
    connection.receive(wire.encode({"id": one, "error": {"code": "busy", "message": "no"}}) + reply(two))
    with pytest.raises(errors.BusyError):
        connection.take_reply(one)
    assert connection.take_reply(two) == {}
    assert connection.failure is None


def test_a_cancelled_request_that_was_not_sent_is_removed():
    connection = connected()
    first = connection.request("kill_server", {})
    connection.request("status", {})
    connection.abandon(first)
    assert sent_calls(connection) == [("status", {})]


def test_a_cancelled_request_that_was_partly_sent_is_sent_completely():
    connection = connected()
    first = connection.request("status", {})
    whole = connection.outgoing
    connection.sent(3)
    assert connection.never_sent() == set()
    connection.abandon(first)
    assert connection.outgoing.startswith(whole[3:])
    connection.sent(len(whole) - 3)
    assert sent_calls(connection) == [("cancel", {"request": first})]


def test_cancelling_a_run_sends_a_cancel_request():
    connection = connected()
    run = connection.request("run", {"pane": 1, "id": "x", "command": "true"})
    connection.sent(len(connection.outgoing))
    connection.abandon(run)
    assert sent_calls(connection) == [("cancel", {"request": run})]
    assert connection.receive(reply(run)) == [], "the late reply is ignored"


def test_a_subscription_whose_request_was_cancelled_is_ended_when_the_reply_arrives():
    connection = connected()
    subscribe = connection.request("subscribe", {})
    connection.sent(len(connection.outgoing))
    connection.abandon(subscribe)
    connection.sent(len(connection.outgoing))
    connection.receive(event(5) + reply(subscribe, subscription=5))
    assert sent_calls(connection) == [("unsubscribe", {"subscription": 5})]
    assert not connection.has_subscription(5)


def test_events_of_an_ended_subscription_are_discarded():
    connection = connected()
    subscribe = connection.request("subscribe", {})
    connection.receive(reply(subscribe, subscription=5) + event(5))
    assert connection.has_event(5)
    connection.unsubscribe(5)
    assert not connection.has_subscription(5)
    connection.receive(event(5) + reply(subscribe + 1))
    assert not connection.has_event(5)


LOST = errors.DisconnectedError("gone")


def test_a_call_that_is_neither_repeatable_nor_keyed_is_not_sent_again():
    assert Attempts("status", {}, 30).lost(LOST, sent=True) < 1
    assert Attempts("kill", {}, 30).lost(LOST, sent=True) < 1
    with pytest.raises(errors.DisconnectedError) as caught:
        Attempts("attach", {}, 30).lost(errors.DisconnectedError("gone"), sent=True)
    assert caught.value.executed is None


def test_a_request_that_was_not_sent_is_always_sent_again():
    assert Attempts("attach", {}, 30).lost(LOST, sent=False) < 1


def test_an_error_says_that_a_request_that_was_never_sent_was_not_executed():
    attempts = Attempts("kill", {}, 30)
    assert attempts.timed_out().executed is False
    attempts.lost(LOST, sent=False)
    assert attempts.timed_out().to_document()["executed"] is False
    attempts.lost(LOST, sent=True)
    assert attempts.timed_out().executed is None
    assert "executed" not in attempts.timed_out().to_document()


def test_each_request_that_changes_something_has_a_key_of_its_own():
    one, other = Attempts("zoom", {}, 30).key, Attempts("zoom", {}, 30).key
    assert one is not None
    assert one != other
    assert Attempts("tree", {}, 30).key is None


def test_the_key_is_sent_beside_the_parameters():
    connection = connected()
    connection.request("kill", {"scope": "pane", "id": 1}, "k1")
    assert outgoing_headers(connection)[0]["key"] == "k1"


def test_a_request_counts_as_sent_when_its_last_byte_was_sent():
    connection = connected()
    number = connection.request("status", {})
    connection.sent(len(connection.outgoing) - 1)
    assert not connection.was_sent(number)
    connection.sent(1)
    assert connection.was_sent(number)


def test_a_request_is_repeated_for_a_limited_time_while_the_service_restarts(caplog, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("phux_client.connection.time.monotonic", lambda: now[0])
    restarting = errors.from_wire({"code": "service_restarting", "message": "the service died 9 times; see LOG"})
    attempts = Attempts("kill", {}, 30)
    while now[0] < 6:
        now[0] += attempts.lost(restarting, sent=True)
    assert attempts.timed_out() is restarting
    assert [record.message for record in caplog.records] == ["phux: the service died 9 times; see LOG; waiting for it"]
    now[0] += 3
    with pytest.raises(errors.PhuxError, match="died 9 times"):
        attempts.lost(restarting, sent=True)


def test_a_request_that_always_ends_the_connection_is_not_repeated_forever():
    attempts = Attempts("status", {}, 30)
    with pytest.raises(errors.DisconnectedError):
        for _ in range(100):
            attempts.begin()
            attempts.lost(errors.DisconnectedError("gone"), sent=True)


def test_connections_that_lasted_for_a_while_do_not_count_as_failed_attempts(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("phux_client.connection.time.monotonic", lambda: now[0])
    attempts = Attempts("run", {"timeout_ms": 60_000}, 100)
    for number in range(30):
        assert attempts.begin() == {"timeout_ms": 60_000 - 1_500 * number}
        now[0] += 1.5
        attempts.lost(errors.DisconnectedError("gone"), sent=True)


def test_a_timeout_of_zero_is_sent_unchanged():
    assert Attempts("run", {"timeout_ms": 0}, 30).begin() == {"timeout_ms": 0}


@pytest.mark.parametrize("minor", [-1, 0, 1])
def test_a_server_one_minor_version_older_or_newer_works(minor, monkeypatch):
    monkeypatch.setattr(wire, "PROTOCOL", (1, 4))
    connection = ClientConnection()
    number = connection.request("status", {})
    connection.receive(wire.encode({"hello": {"protocol": [1, 4 + minor], "server": "phux/0.9.0", "new": 1}}))
    assert connection.failure is None
    connection.receive(wire.encode({"id": number, "error": {"code": "bad_request", "message": "no parameter `x`"}}))
    with pytest.raises(errors.BadRequestError) as caught:
        connection.take_reply(number)
    assert ("the server is phux/0.9.0" in caught.value.message) == (minor != 0)


@pytest.mark.parametrize("protocol", [[1, 6], [1, 2], [2, 4], [0, 4], [1], "1.4", None, [1, "4"]])
def test_other_versions_of_the_protocol_are_refused_with_both_versions(protocol, monkeypatch):
    monkeypatch.setattr(wire, "PROTOCOL", (1, 4))
    connection = ClientConnection()
    connection.receive(wire.encode({"hello": {"protocol": protocol, "server": "phux/9.9.0"}}))
    assert isinstance(connection.failure, errors.VersionError)
    assert "phux/9.9.0" in connection.failure.message
    assert "protocol [1, 4]" in connection.failure.message

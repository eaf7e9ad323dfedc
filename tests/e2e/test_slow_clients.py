"""Slow, silent or numerous clients: memory stays bounded, and no other client waits for them."""

from __future__ import annotations

import resource
import statistics
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from rawwire import RawClient, frame
from servers import Cli, embedded_server, eventually

MIB = 1024 * 1024

# A program that causes an event with a long title for each line. After each line, it waits for the reply to a query,
# because titles that the service reads together cause one event.
FLOOD = """
import itertools, os, time, tty
tty.setraw(0)
os.write(1, b"waiting")
os.read(0, 1)
for number in itertools.count():
    os.write(1, b"\\x1b]2;%d %s\\x07\\x07line %d\\r\\n\\x1b[5n" % (number, b"t" * 900, number))
    while os.read(0, 1) != b"n":
        pass
    time.sleep(0.0003)
"""


@pytest.fixture(scope="module")
def path():
    with embedded_server() as server:
        with RawClient(server.socket) as client:
            client.get("new_session", name="stays", cwd="/", command=["sleep", "1000"])
        yield server.socket


@pytest.fixture(scope="module", autouse=True)
def mute(path):
    """Connections that send no hello, opened first and checked last, so that no test waits for their timeout."""
    silent = RawClient(path, greet=False, timeout_s=15)
    hesitant = RawClient(path, greet=False, timeout_s=15)
    hesitant.send_bytes(frame({"hello": {"protocol": [1, 0]}})[:10])
    with silent, hesitant:
        yield silent, hesitant


@pytest.fixture
def client(path):
    with RawClient(path) as client:
        yield client


@pytest.fixture
def own():
    """A separate server, for tests that would keep a shared one busy."""
    with embedded_server() as server, RawClient(server.socket, timeout_s=60) as client:
        yield client, server.socket


@pytest.fixture
def flood(client):
    """A pane that causes thousands of events once Enter is pressed."""
    pane = client.get("new_session", cwd="/", command=[sys.executable, "-c", FLOOD])["pane_id"]
    client.see(pane, "waiting")
    yield pane
    client.ask("kill", scope="pane", id=pane)


def start(client, pane):
    client.get("input", pane=pane, items=[{"key": "Enter"}])
    client.see(pane, "line 1")


def memory(client):
    """Return the resident memory of the service in bytes."""
    status = Path(f"/proc/{client.get('status')['service_pid']}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


def delays(client, pane, *, for_s=0.0, growth=0):
    """Take snapshots for some seconds, and until the pane has written some bytes; return the duration of each."""
    taken = []
    first = client.get("snapshot", pane=pane)["seq"]
    deadline = time.monotonic() + for_s
    while True:
        before = time.monotonic()
        seq = client.get("snapshot", pane=pane)["seq"]
        taken.append(time.monotonic() - before)
        if time.monotonic() > deadline and seq - first >= growth:
            return taken
        time.sleep(0.002)


def send_until_full(client, data):
    """Send bytes until the server accepts no more; return the number accepted."""
    client.sock.settimeout(1)
    sent = 0
    try:
        while sent < len(data):
            sent += client.sock.send(data[sent:])
    except TimeoutError:
        pass
    client.sock.settimeout(10)
    return sent


def test_a_subscriber_that_stops_reading_uses_little_memory_and_gets_the_number_of_lost_events(path, client, flood):
    with RawClient(path) as slow:
        subscription = slow.get("subscribe", pane=flood)["subscription"]
        start(client, flood)
        before = memory(client)
        taken = delays(client, flood, growth=3 * MIB)
        assert memory(client) - before < 32 * MIB
        assert statistics.median(taken) < 0.1
        assert max(taken) < 1
        client.get("kill", scope="pane", id=flood)
        dropped = None
        seen = 0
        while dropped is None:
            received = slow.receive()
            assert received["subscription"] == subscription
            if received["event"]["event"] == "dropped":
                dropped = received["event"]
            seen += 1
        assert seen > 100
        assert dropped["count"] > 100
        assert "ok" in slow.ask("status")


def test_a_subscriber_that_reads_again_receives_later_events(path, client, flood):
    with RawClient(path) as slow:
        slow.get("subscribe", pane=flood)
        start(client, flood)
        # After events were dropped, later ones must arrive again.
        delays(client, flood, growth=3 * MIB)
        places = []
        dropped = 0
        while dropped == 0 or len(places) < 2000:
            event = slow.receive()["event"]
            if event["event"] == "dropped":
                dropped += event["count"]
                places.clear()
            else:
                places.append(event["seq"])
        assert places == sorted(places)


def test_a_client_that_does_not_read_does_not_block_a_pane(path, client, flood):
    with RawClient(path) as slow:
        slow.get("subscribe")
        start(client, flood)
        first = client.get("snapshot", pane=flood)["seq"]
        eventually(lambda: client.get("snapshot", pane=flood)["seq"] > first + 3 * MIB // 2, within_s=20)


def test_thousands_of_unread_snapshots_are_not_buffered(own):
    client, path = own
    command = ["sh", "-c", "seq -f '%060.0f' 1 4000; echo full; sleep 1000"]
    pane = client.get("new_session", cwd="/", command=command)["pane_id"]
    client.see(pane, "full")
    request = {"call": "snapshot", "params": {"pane": pane, "scrollback": 0}}
    size = len(str(client.get("snapshot", pane=pane, scrollback=0)))
    assert size > 200_000
    with RawClient(path) as greedy:
        before = memory(client)
        send_until_full(greedy, b"".join(frame({"id": number, **request}) for number in range(1000)))
        asked = time.monotonic()
        client.get("snapshot", pane=pane)
        waited = time.monotonic() - asked
        grown = memory(client) - before
        assert waited < 1, f"another client waited {waited:.1f} s, and memory grew by {grown // MIB} MiB"
        assert grown < 64 * MIB, f"{grown // MIB} MiB for replies of {size} bytes"
        # The client gets all replies once it reads.
        assert [greedy.receive()["id"] for _ in range(50)] == list(range(50))


@pytest.mark.parametrize("call", ["logs", "search"])
def test_large_replies_are_not_prepared_for_a_client_that_does_not_read(own, call):
    client, path = own
    command = ["sh", "-c", "seq 1 350000; echo full; sleep 1000"]
    pane = client.get("new_session", cwd="/", command=command)["pane_id"]
    client.see(pane, "full", within_s=30)
    params = {
        "logs": {"pane": pane, "lines": 350_000, "max_bytes": 16 * MIB},
        "search": {"pattern": "[0-9]", "max_matches": 25_000},
    }[call]
    size = len(str(client.get(call, **params)))
    assert size > 2 * MIB
    with RawClient(path, timeout_s=30) as greedy:
        before = memory(client)
        greedy.send_bytes(b"".join(frame({"id": n, "call": call, "params": params}) for n in range(250)))
        # Both clients are served alternately: without a bound, 12 unread replies would be buffered.
        for _ in range(12):
            client.get(call, **params)
        grown = memory(client) - before
        assert grown < 8 * size, f"{grown // MIB} MiB for unread replies of {size // MIB} MiB"
        # The client gets all replies once it reads.
        assert all(len(str(greedy.receive()["ok"])) == size for _ in range(4))
    eventually(lambda: client.get("status")["clients"] == 1)


def test_a_long_pipeline_of_cheap_requests_does_not_delay_others(own):
    client, path = own
    pane = client.get("new_session", cwd="/", command=["sleep", "1000"])["pane_id"]
    request = {"call": "snapshot", "params": {"pane": pane, "cells": True}}
    with RawClient(path) as busy:
        send_until_full(busy, b"".join(frame({"id": number, **request}) for number in range(3000)))
        taken = delays(client, pane, for_s=0.5)
        assert max(taken) < 0.25, f"another client waited {max(taken):.2f} s"


def test_a_client_that_types_and_never_reads_uses_bounded_memory(path, client):
    pane = client.get("new_session", cwd="/", command=["cat"])["pane_id"]
    typing = {"call": "input", "params": {"pane": pane, "items": [{"text": "x\n"}]}}
    with RawClient(path) as rude:
        before = memory(client)
        send_until_full(rude, b"".join(frame({"id": number, **typing}) for number in range(20_000)))
        asked = time.monotonic()
        client.get("snapshot", pane=pane)
        assert time.monotonic() - asked < 1
        assert memory(client) - before < 64 * MIB
    client.get("kill", scope="pane", id=pane)


def test_twenty_thousand_subscriptions_of_one_client_do_not_delay_others(path, client, flood):
    with RawClient(path) as greedy:
        before = memory(client)
        greedy.sock.settimeout(30)
        refused = 0
        for first in range(0, 20_000, 1000):
            greedy.send_bytes(
                b"".join(frame({"id": number, "call": "subscribe"}) for number in range(first, first + 1000))
            )
            replies = [received for received in (greedy.receive() for _ in range(1000)) if "id" in received]
            refused += sum("error" in reply for reply in replies)
            assert all(reply["error"]["code"] == "limit" for reply in replies if "error" in reply)
        start(client, flood)
        taken = delays(client, flood, for_s=2)
        assert max(taken) < 1, f"{refused} subscriptions were refused, and a snapshot took {max(taken):.1f} s"
        assert memory(client) - before < 64 * MIB


def test_two_hundred_idle_connections_do_not_delay_others(path, client):
    connections = [RawClient(path) for _ in range(200)]
    try:
        assert client.get("status")["clients"] >= 201
        taken = delays(client, 1, for_s=0.3)
        assert statistics.median(taken) < 0.05
        assert all("ok" in one.ask("status") for one in connections)
    finally:
        for one in connections:
            one.sock.close()
    eventually(lambda: client.get("status")["clients"] < 10)


def test_a_client_that_disconnects_with_pending_replies_leaves_nothing_behind(path, client, flood):
    start(client, flood)
    clients = client.get("status")["clients"]
    for _ in range(5):
        with RawClient(path) as slow:
            slow.get("subscribe")
            for number in range(100, 200):
                slow.send({"id": number, "call": "snapshot", "params": {"pane": flood, "cells": True}})
    eventually(lambda: client.get("status")["clients"] <= clients)


def test_a_client_that_sends_no_hello_gets_an_error_and_is_disconnected(mute, client):
    for connection in mute:
        (told,) = connection.everything()
        assert told["error"]["code"] == "protocol"
        assert "hello" in told["error"]["message"]
    assert "ok" in client.ask("status")


@pytest.mark.skipif(resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 2000, reason="too few descriptors are allowed here")
def test_a_server_with_too_many_clients_can_be_looked_at_and_ended(own, tmp_path):
    client, path = own
    client.get("new_session", name="stays", cwd="/", command=["sleep", "1000"])
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (2000, limits[1]))
    cli = Cli(path, tmp_path)
    try:
        with ExitStack() as many:
            for _ in range(1023):
                many.enter_context(RawClient(path))
            assert cli("ls").code == cli("status").code == 0
            refused = cli("run", "stays", "true", "--json").error
            assert refused["error"] == {
                "code": "limit",
                "message": "1024 clients are connected, which is the maximum",
            }
            assert "kill --server" in refused["remedy"]
            for _ in range(16):
                many.enter_context(RawClient(path))
            assert cli("ls", "--json").error["error"]["code"] == "limit"
        eventually(lambda: client.get("status")["clients"] < 10)
        assert cli("send-keys", "stays", "x").code == 0
        assert cli("kill", "--server").code == 0
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)

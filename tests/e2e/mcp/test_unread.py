"""A host that sends requests without reading replies: memory stays bounded, and no reply is lost."""

from __future__ import annotations

import json
import os
import select
import subprocess
from pathlib import Path

import pytest

from servers import BIN

MIB = 1024 * 1024
REQUESTS = 20_000


def memory(pid):
    """Return the resident memory of a process in bytes."""
    (line,) = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


class SilentHost:
    """A host that reads only on request.

    Args:
        env: The adapter's environment.
        revision: The revision of the handshake.
    """

    def __init__(self, env, revision):
        self.process = subprocess.Popen(
            [BIN / "phux-mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, bufsize=0
        )
        os.set_blocking(self.process.stdin.fileno(), False)
        self.replies = open(self.process.stdout.fileno(), "rb", closefd=False)  # noqa: SIM115  closed by end()
        assert self.send([{"id": "first", "method": "initialize", "params": {"protocolVersion": revision}}]) == 0
        assert self.receive()["id"] == "first"

    def send(self, messages):
        """Send messages until the adapter accepts no more for a second; return the number of unsent bytes."""
        left = memoryview(b"".join(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n" for message in messages))
        self.unsent = self._write(left)
        return len(self.unsent)

    def _write(self, left):
        poll = select.poll()
        poll.register(self.process.stdin.fileno(), select.POLLOUT)
        while left and poll.poll(1000):
            left = left[self.process.stdin.write(left[: select.PIPE_BUF]) or 0 :]
        return left

    def receive(self):
        return json.loads(self.replies.readline())

    def receive_all(self, count):
        """Read replies, and send the rest of the requests meanwhile."""
        received = []
        while len(received) < count:
            received.append(self.receive())
            poll = select.poll()
            poll.register(self.process.stdin.fileno(), select.POLLOUT)
            if self.unsent and poll.poll(0):
                self.unsent = self.unsent[self.process.stdin.write(self.unsent[: select.PIPE_BUF]) or 0 :]
        return received

    def end(self):
        self.process.stdin.close()
        self.process.kill()
        self.process.wait(10)
        self.replies.close()
        self.process.stdout.close()


@pytest.fixture
def silent(cli):
    hosts = []

    def start(revision="2025-11-25"):
        hosts.append(SilentHost(cli.env, revision))
        return hosts[-1]

    yield start
    for host in hosts:
        host.end()


def test_unread_replies_stop_the_adapter_from_reading_and_are_all_delivered_later(silent):
    host = silent()
    before = memory(host.process.pid)
    left = host.send({"id": number, "method": "tools/list"} for number in range(REQUESTS))
    grown = memory(host.process.pid) - before
    assert left > 0
    assert grown < 32 * MIB, f"{grown // MIB} MiB"
    received = host.receive_all(2000)
    assert [reply["id"] for reply in received] == list(range(2000))
    assert all(reply["result"]["tools"] for reply in received)
    assert memory(host.process.pid) - before < 32 * MIB


@pytest.mark.parametrize(
    "message",
    [
        {"method": "prompts/list"},
        {"method": "no/such/method", "params": {"x": "y" * 1000}},
        {"method": "tools/call", "params": {"name": "phux_ls"}},
        {"method": "tools/call", "params": {"name": "phux_snapshot", "arguments": {"cells": True}}},
    ],
    ids=["prompts", "errors", "calls", "screens"],
)
def test_memory_is_bounded_for_every_kind_of_request(silent, cli, message):
    cli.json("new", "-s", "work", "--", "sh", "-c", "seq 1 2000; sleep 1000")
    host = silent()
    before = memory(host.process.pid)
    host.send({"id": number, **message} for number in range(REQUESTS))
    grown = memory(host.process.pid) - before
    assert grown < 64 * MIB, f"{grown // MIB} MiB"
    assert len(host.receive_all(500)) == 500


def test_a_batch_is_limited_to_256_requests(silent):
    host = silent("2025-03-26")
    before = memory(host.process.pid)
    batch = [{"jsonrpc": "2.0", "id": number, "method": "tools/list"} for number in range(REQUESTS)]
    host.process.stdin.flush()
    line = memoryview(json.dumps(batch).encode() + b"\n")
    assert not host._write(line)
    refused = host.receive()
    assert "at most 256" in refused["error"]["message"]
    line = memoryview(json.dumps(batch[:256]).encode() + b"\n")
    assert not host._write(line)
    assert len(host.receive()) == 256
    assert memory(host.process.pid) - before < 64 * MIB


def test_a_call_that_waits_can_be_cancelled_once_the_host_reads_again(silent, cli):
    cli.json("new", "-s", "work", "--", "sh", "-c", "sleep 1000")
    host = silent()
    never = {"name": "phux_wait", "arguments": {"target": "work", "until": "never", "timeout_secs": 600}}
    host.send([{"id": "waits", "method": "tools/call", "params": never}])
    requests = [{"id": number, "method": "tools/list"} for number in range(2000)]
    cancel = {"method": "notifications/cancelled", "params": {"requestId": "waits"}}
    host.send([*requests, cancel, {"id": "last", "method": "ping"}])
    ids = [reply["id"] for reply in host.receive_all(2001)]
    assert ids == [*range(2000), "last"]  # a cancelled request gets no reply

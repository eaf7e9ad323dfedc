"""Tasks that share one connection: a task that is cancelled leaves it usable for the others, under asyncio and trio."""

from __future__ import annotations

import contextlib
import socket

import anyio
import pytest
from anyio import wait_all_tasks_blocked

from phux_client.aio.backend import Stream
from phux_client.aio.link import Link
from phux_client.flows import Request
from phux_core import errors, wire

pytestmark = pytest.mark.anyio

# Far more than the socket takes at once.
LARGE = Request("input", pane=1, items=[{"text": "x" * 200_000}])


class Server:
    """The other end of a connection, which reads only when told to."""

    def __init__(self, sock):
        self._sock = sock
        self._decoder = wire.Decoder(max_header=wire.MAX_REQUEST_HEADER, max_payload=wire.MAX_REQUEST_PAYLOAD)
        self.calls = []

    async def answer_until(self, last, *, but=None):
        """Read requests and answer each but one call, until a certain one was answered."""
        while last not in self.calls:
            await anyio.wait_readable(self._sock)
            for header, _payload in self._decoder.feed(self._sock.recv(65536)):
                if "hello" in header:
                    self._sock.send(wire.encode({"hello": {"protocol": list(wire.PROTOCOL), "server": "test"}}))
                else:
                    self.calls.append(header["call"])
                    if header["call"] != but:
                        self._sock.send(wire.encode({"id": header["id"], "ok": {"call": header["call"]}}))


@pytest.fixture
async def connection():
    """A link that is connected, and the server's end."""
    ours, theirs = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    ours.setblocking(False)
    theirs.setblocking(False)
    link = Link("", 20.0)
    link._slot.stream = Stream(ours, None)
    link._streams.append(link._slot.stream)
    with theirs:
        yield link, Server(theirs)
        link.close()


class Call:
    """A request in a task of its own."""

    def __init__(self, link, request):
        self._link = link
        self._request = request
        self._scope = anyio.CancelScope()
        self.is_done = anyio.Event()
        self.result = None

    async def run(self):
        with self._scope, contextlib.suppress(errors.PhuxError):
            self.result = await self._link.request(self._request)
        self.is_done.set()

    def cancel(self):
        self._scope.cancel()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["large first", "large last"])
async def test_a_request_that_is_cancelled_half_sent_does_not_disturb_another(connection, order):
    link, server = connection
    large, other = Call(link, LARGE), Call(link, Request("status"))
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            for index in order:
                tasks.start_soon((large, other)[index].run)
                await wait_all_tasks_blocked()
            assert link._slot.stream.protocol.outgoing
            large.cancel()
            await wait_all_tasks_blocked()
            await server.answer_until("status")
    assert other.result == {"call": "status"}
    assert large.result is None


async def test_a_task_that_waits_to_read_sends_what_a_cancelled_one_left(connection):
    link, server = connection
    waiting, large, last = (Call(link, request) for request in (Request("tree"), LARGE, Request("commands")))
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.answer_until, "status")
            await link.request(Request("status"))  # the handshake is over
            for call in (waiting, large, last):
                tasks.start_soon(call.run)
                await wait_all_tasks_blocked()
            large.cancel()
            await wait_all_tasks_blocked()
            await server.answer_until("commands", but="tree")
            await last.is_done.wait()
            waiting.cancel()
    assert last.result == {"call": "commands"}


async def test_the_next_request_sends_the_rest_of_one_that_was_cancelled_half_sent(connection):
    link, server = connection
    large = Call(link, LARGE)
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(large.run)
            await wait_all_tasks_blocked()
            large.cancel()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.answer_until, "status")
            assert await link.request(Request("status")) == {"call": "status"}
    assert server.calls == ["input", "status"]


async def test_the_task_that_receives_for_all_can_be_cancelled(connection):
    link, server = connection
    calls = [Call(link, Request(call)) for call in ("tree", "commands", "status")]
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            for call in calls:
                tasks.start_soon(call.run)
                await wait_all_tasks_blocked()
            calls[0].cancel()
            await wait_all_tasks_blocked()
            await server.answer_until("status")
    assert [call.result for call in calls] == [None, {"call": "commands"}, {"call": "status"}]

"""Tasks that share a connection can still use it after one of them is cancelled, under asyncio and trio."""

from __future__ import annotations

import contextlib
import socket

import anyio
import pytest
from anyio import wait_all_tasks_blocked

from phux_client.aio.backend import Stream
from phux_client.aio.link import Link
from phux_client.flows import Request
from phux_client.unix_socket import ServerSocket
from phux_core import errors, wire

pytestmark = pytest.mark.anyio

# Far larger than the send buffer of the socket.
LARGE = Request("input", pane=1, items=[{"text": "x" * 200_000}])


class Server:
    """The server's end of a connection; it reads only in ``reply_until``."""

    def __init__(self, sock):
        self._sock = sock
        self._decoder = wire.Decoder(max_header=wire.MAX_REQUEST_HEADER, max_payload=wire.MAX_REQUEST_PAYLOAD)
        self.calls = []

    async def reply_until(self, last, *, but=None):
        """Reply to all requests except the call ``but``, until the call ``last`` has arrived."""
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
    """Yield a connected link and the server's end of its connection."""
    plain, theirs = socket.socketpair()
    ours = ServerSocket(fileno=plain.detach())
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
    """A request that runs in its own task and can be cancelled."""

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


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["large request first", "large request last"])
async def test_cancelling_a_partly_sent_request_does_not_affect_another_request(connection, order):
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
            await server.reply_until("status")
    assert other.result == {"call": "status"}
    assert large.result is None


async def test_a_waiting_task_sends_the_rest_of_a_cancelled_request(connection):
    link, server = connection
    waiting, large, last = (Call(link, request) for request in (Request("tree"), LARGE, Request("commands")))
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.reply_until, "status")
            await link.request(Request("status"))  # to complete the handshake
            for call in (waiting, large, last):
                tasks.start_soon(call.run)
                await wait_all_tasks_blocked()
            large.cancel()
            await wait_all_tasks_blocked()
            await server.reply_until("commands", but="tree")
            await last.is_done.wait()
            waiting.cancel()
    assert last.result == {"call": "commands"}


async def test_the_next_request_sends_the_rest_of_a_cancelled_request_first(connection):
    link, server = connection
    large = Call(link, LARGE)
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(large.run)
            await wait_all_tasks_blocked()
            large.cancel()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.reply_until, "status")
            assert await link.request(Request("status")) == {"call": "status"}
    assert server.calls == ["input", "cancel", "status"]


async def test_other_tasks_receive_replies_after_the_task_that_reads_is_cancelled(connection):
    link, server = connection
    calls = [Call(link, Request(call)) for call in ("tree", "commands", "status")]
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            for call in calls:
                tasks.start_soon(call.run)
                await wait_all_tasks_blocked()
            calls[0].cancel()
            await wait_all_tasks_blocked()
            await server.reply_until("status")
    assert [call.result for call in calls] == [None, {"call": "commands"}, {"call": "status"}]

"""The server's end of a connection to a client that does not read or violates the protocol."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket

import pytest

from phux_core.errors import DisconnectedError
from phux_core.server import connection as module
from phux_core.server.connection import HIGH_WATER
from rawwire import HELLO, frame

LARGE = "x" * 2 * HIGH_WATER


class Host:
    """A service that prepares large replies and counts them."""

    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.prepared = 0
        self.gone = asyncio.Event()

    def execute(self, connection, _name, _params, _key):
        return self.large(connection)

    async def large(self, connection):
        async with connection.large_reply():
            self.prepared += 1
            await asyncio.sleep(0)
            return {"text": LARGE}

    def connected(self, connection):
        self.connection = connection

    def disconnected(self, _connection):
        self.gone.set()

    def on_resume(self, _connection):
        pass


@contextlib.asynccontextmanager
async def connected():
    """Yield a service and a client after the handshake; fail if the event loop reported an error."""
    loop = asyncio.get_running_loop()
    loop_errors = []
    loop.set_exception_handler(lambda _loop, context: loop_errors.append(context))
    host = Host()
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    await loop.connect_accepted_socket(lambda: module.Connection(host), ours)
    await loop.sock_sendall(theirs, frame(HELLO))
    await receive(theirs)
    try:
        yield host, theirs
    finally:
        theirs.close()
        await host.gone.wait()
        assert not loop_errors


async def receive(client):
    """Read one frame without a payload, and return its header."""
    lengths = await receive_exactly(client, 8)
    return json.loads(await receive_exactly(client, int.from_bytes(lengths[:4], "big")))


async def receive_exactly(client, size):
    data = b""
    while len(data) < size:
        piece = await asyncio.get_running_loop().sock_recv(client, size - len(data))
        assert piece, "the server closed the connection"
        data += piece
    return data


async def settle():
    """Run enough iterations of the event loop for all pending callbacks."""
    for _ in range(100):
        await asyncio.sleep(0)


def requests(count):
    return b"".join(frame({"id": number, "call": "logs"}) for number in range(count))


def test_large_replies_are_prepared_only_as_fast_as_the_client_reads():
    async def scenario():
        async with connected() as (host, client):
            await asyncio.get_running_loop().sock_sendall(client, requests(100))
            await settle()
            assert host.prepared <= module.MOST_LARGE_REPLIES
            received = [(await receive(client))["id"] for _ in range(100)]
            assert received == list(range(100))
            assert host.prepared == 100

    asyncio.run(scenario())


def test_pending_large_replies_are_cancelled_when_the_client_disconnects():
    async def scenario():
        async with connected() as (host, client):
            await asyncio.get_running_loop().sock_sendall(client, requests(100))
            await settle()
            client.close()
            await host.gone.wait()
            with pytest.raises(DisconnectedError):
                async with host.connection.large_reply():
                    pass
            while len(asyncio.all_tasks()) > 1:
                await asyncio.sleep(0)
            assert host.prepared <= module.MOST_LARGE_REPLIES

    asyncio.run(scenario())


def test_a_client_that_leaves_too_many_bytes_unread_is_disconnected(monkeypatch):
    monkeypatch.setattr(module, "MOST_UNSENT", 3 * HIGH_WATER)

    async def scenario():
        async with connected() as (host, _client):
            pushed = 0
            while not host.gone.is_set():
                host.connection.push({"text": LARGE})
                pushed += 1
                await settle()
            assert pushed <= 4

    asyncio.run(scenario())


def test_the_abort_timer_causes_no_error_after_the_client_has_read_the_protocol_error(monkeypatch):
    monkeypatch.setattr(module, "ERROR_S", 0.05)

    async def scenario():
        async with connected() as (host, client):
            loop = asyncio.get_running_loop()
            host.connection.push({"text": LARGE})
            await loop.sock_sendall(client, frame({"id": "none"}))
            # The server reads a client's requests only while the client reads, so the error follows the large frame.
            assert (await receive(client))["text"] == LARGE
            assert (await receive(client))["error"]["code"] == "protocol"
            await host.gone.wait()
            ended = loop.create_future()
            loop.call_later(2 * module.ERROR_S, ended.set_result, None)
            await ended

    asyncio.run(scenario())

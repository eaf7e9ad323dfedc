"""Bytes of the wire: the decoder and the client's connection return frames or protocol errors, however bytes are cut."""

from __future__ import annotations

import contextlib
import json

from mutation import mutate
from phux_client.connection import ClientConnection
from phux_core import wire
from phux_core.errors import PhuxError, ProtocolError

_HELLO = {"hello": {"protocol": [1, 0], "server": "phux"}}
_ERROR = {"code": "no_such_target", "message": "there is no pane @9", "remedy": ""}
_FRAMES = (
    {"id": 1, "ok": {"sessions": []}},
    {"id": 1, "error": _ERROR},
    {"id": 2, "ok": {"subscription": 5}},
    {"id": 3, "ok": {}},
    {"subscription": 5, "event": {"event": "bell", "pane": 1, "seq": 7}},
    {"subscription": 9, "event": {"event": "dropped", "count": 3}},
    {"attachment": 1, "frame": "paint"},
    {"error": _ERROR},
    {"hello": {"protocol": [2, 0]}},
    {"id": None, "ok": None, "event": None, "subscription": []},
    {"error": 1},
)


def make(chance):
    frames = chance.choices(_FRAMES, k=chance.randint(0, 6))
    headers = [json.dumps(header).encode() for header in (_HELLO, *frames)]
    headers = [mutate(chance, header) if chance.random() < 0.3 else header for header in headers]
    stream = b"".join(wire.frame(header, chance.randbytes(chance.choice((0, 0, 9)))) for header in headers)
    return mutate(chance, stream) if chance.random() < 0.3 else stream


def _decode(pieces):
    decoder = wire.Decoder(max_header=100_000, max_payload=100_000)
    frames = []
    try:
        for piece in pieces:
            frames += decoder.feed(piece)
    except ProtocolError:
        return frames, True
    return frames, False


def _converse(pieces):
    connection = ClientConnection()
    requests = [connection.request("tree", {}), connection.request("subscribe", {}), connection.request("status", {})]
    connection.sent(len(connection.outgoing))
    connection.abandon(requests[2])
    arrived = []
    for piece in pieces:
        if connection.failure is None:
            arrived += connection.receive(piece)
    for subscription in {key for kind, key in arrived if kind == "event"}:
        with contextlib.suppress(PhuxError):
            while connection.take_event(subscription) is not None:
                pass
        connection.unsubscribe(subscription)
    for request in requests:
        with contextlib.suppress(PhuxError):
            connection.take_reply(request)
    return arrived, type(connection.failure)


@contextlib.contextmanager
def checker():
    def check(data):
        half = len(data) // 2
        pieces = [piece for piece in (data[:half], data[half:]) if piece]
        assert repr(_decode(pieces)[1]) == repr(_decode([data])[1])
        assert repr(_converse(pieces)) == repr(_converse([data] if data else []))

    yield check

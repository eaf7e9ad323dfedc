"""Frames: what is encoded is decoded, what is no frame is refused."""

from __future__ import annotations

import json
import struct

import pytest

from phux_core import wire
from phux_core.errors import ProtocolError


def decoder(max_header=1000, max_payload=1000):
    return wire.Decoder(max_header=max_header, max_payload=max_payload)


def raw(body: bytes, payload: bytes = b"") -> bytes:
    return struct.pack(">II", len(body), len(payload)) + body + payload


def test_a_frame_is_two_lengths_json_and_bytes():
    assert wire.encode({"a": 1}, b"xyz") == b'\0\0\0\x07\0\0\0\x03{"a":1}xyz'
    assert wire.encode({"a": "ü"}) == raw('{"a":"ü"}'.encode())


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"a": None, "b": [1, {"c": True}], "d": 1.5},
        {"text": "日本 \U0001f680 \x00\n\x1b"},
        {"path": b"caf\xe9".decode("utf-8", "surrogateescape")},
        {"lone": "\ud800"},
    ],
)
def test_what_goes_in_comes_out(header):
    assert list(decoder().feed(wire.encode(header, b"\0\xff"))) == [(header, b"\0\xff")]


def test_bytes_that_are_no_utf8_travel_as_escapes_in_plain_utf8():
    body = wire.encode({"path": "caf\udce9"})[8:]
    assert json.loads(body.decode("utf-8")) == {"path": "caf\udce9"}


def test_many_frames_in_one_piece_come_out_in_order():
    frames = [({"n": n}, bytes([n]) * n) for n in range(20)]
    taken = decoder()
    assert list(taken.feed(b"".join(wire.encode(*frame) for frame in frames))) == frames


def test_a_frame_comes_out_with_its_last_byte_and_not_before():
    frame = wire.encode({"a": 1}, b"payload")
    taken = decoder()
    for byte in frame[:-1]:
        assert list(taken.feed(bytes([byte]))) == []
    assert list(taken.feed(frame[-1:])) == [({"a": 1}, b"payload")]


def test_the_rest_of_a_piece_waits_for_the_next():
    one, two = wire.encode({"n": 1}), wire.encode({"n": 2}, b"p")
    taken = decoder()
    assert list(taken.feed(one + two[:5])) == [({"n": 1}, b"")]
    assert list(taken.feed(two[5:])) == [({"n": 2}, b"p")]


def test_an_empty_piece_is_nothing():
    assert list(decoder().feed(b"")) == []


def test_a_reader_that_stops_in_the_middle_loses_nothing():
    taken = decoder()
    first = next(iter(taken.feed(wire.encode({"n": 1}) + wire.encode({"n": 2}))))
    assert first == ({"n": 1}, b"")
    assert list(taken.feed(b"")) == [({"n": 2}, b"")]


def test_a_frame_exactly_as_large_as_allowed_passes():
    frame = wire.encode({"a": "x" * 92}, b"y" * 50)
    assert struct.unpack(">II", frame[:8]) == (100, 50)
    assert len(list(decoder(100, 50).feed(frame))) == 1


@pytest.mark.parametrize(("header", "payload"), [(101, 0), (0, 51), (2**32 - 1, 0), (2, 2**32 - 1)])
def test_a_frame_larger_than_allowed_is_refused_by_its_first_eight_bytes(header, payload):
    taken = decoder(100, 50)
    with pytest.raises(ProtocolError, match="larger than") as caught:
        list(taken.feed(struct.pack(">II", header, payload)))
    assert str(max(header, payload)) in caught.value.message


@pytest.mark.parametrize(
    "body",
    [b"", b" ", b"{", b"nope", b'{"a":}', b"\xff\xfe", b'{"a":"\xff"}', b'{"a":1}{', b"'a'", b"{'a':1}"],
)
def test_a_header_that_is_not_json_is_refused(body):
    with pytest.raises(ProtocolError, match="not JSON"):
        list(decoder().feed(raw(body)))


@pytest.mark.parametrize("body", [b"[]", b"null", b"1", b'"a"', b"true"])
def test_a_header_that_is_no_object_is_refused(body):
    with pytest.raises(ProtocolError, match="object"):
        list(decoder().feed(raw(body)))


@pytest.mark.parametrize("body", [b"[" * 200_000, b'{"a":' * 200_000, b'{"n":' + b"9" * 200_000 + b"}"])
def test_a_header_made_to_hurt_the_parser_is_refused(body):
    with pytest.raises(ProtocolError):
        list(decoder(max_header=2_000_000).feed(raw(body)))


def test_good_frames_before_a_bad_one_still_come_out():
    frames = decoder().feed(wire.encode({"n": 1}) + raw(b"nope"))
    assert next(frames) == ({"n": 1}, b"")
    with pytest.raises(ProtocolError):
        next(frames)


def test_a_request_may_hold_an_environment_as_large_as_linux_allows():
    assert wire.MAX_REQUEST_HEADER >= 2 * 1024 * 1024
    frame = wire.encode({"env": {f"V{n}": "x" * 1000 for n in range(2000)}})
    assert len(list(decoder(wire.MAX_REQUEST_HEADER, 0).feed(frame))) == 1

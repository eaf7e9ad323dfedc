"""Frames of the wire protocol: encoding, decoding, limits and invalid frames."""

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


def test_a_frame_consists_of_two_lengths_json_and_payload():
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
def test_an_encoded_frame_is_decoded_unchanged(header):
    assert list(decoder().feed(wire.encode(header, b"\0\xff"))) == [(header, b"\0\xff")]


def test_surrogate_escapes_are_encoded_as_json_escapes_in_valid_utf8():
    body = wire.encode({"path": "caf\udce9"})[8:]
    assert json.loads(body.decode("utf-8")) == {"path": "caf\udce9"}


def test_many_frames_in_one_piece_are_decoded_in_order():
    frames = [({"n": n}, bytes([n]) * n) for n in range(20)]
    frame_decoder = decoder()
    assert list(frame_decoder.feed(b"".join(wire.encode(*frame) for frame in frames))) == frames


def test_a_frame_is_returned_only_after_its_last_byte():
    frame = wire.encode({"a": 1}, b"payload")
    frame_decoder = decoder()
    for byte in frame[:-1]:
        assert list(frame_decoder.feed(bytes([byte]))) == []
    assert list(frame_decoder.feed(frame[-1:])) == [({"a": 1}, b"payload")]


def test_a_partial_frame_is_completed_by_the_next_piece():
    one, two = wire.encode({"n": 1}), wire.encode({"n": 2}, b"p")
    frame_decoder = decoder()
    assert list(frame_decoder.feed(one + two[:5])) == [({"n": 1}, b"")]
    assert list(frame_decoder.feed(two[5:])) == [({"n": 2}, b"p")]


def test_an_empty_piece_returns_no_frames():
    assert list(decoder().feed(b"")) == []


def test_frames_that_were_not_consumed_are_returned_by_the_next_feed():
    frame_decoder = decoder()
    first = next(iter(frame_decoder.feed(wire.encode({"n": 1}) + wire.encode({"n": 2}))))
    assert first == ({"n": 1}, b"")
    assert list(frame_decoder.feed(b"")) == [({"n": 2}, b"")]


def test_a_frame_of_exactly_the_maximum_size_is_decoded():
    frame = wire.encode({"a": "x" * 92}, b"y" * 50)
    assert struct.unpack(">II", frame[:8]) == (100, 50)
    assert len(list(decoder(100, 50).feed(frame))) == 1


@pytest.mark.parametrize(("header", "payload"), [(101, 0), (0, 51), (2**32 - 1, 0), (2, 2**32 - 1)])
def test_an_oversized_frame_is_refused_after_its_first_eight_bytes(header, payload):
    frame_decoder = decoder(100, 50)
    with pytest.raises(ProtocolError, match="exceeds the limits") as caught:
        list(frame_decoder.feed(struct.pack(">II", header, payload)))
    assert str(max(header, payload)) in caught.value.message


@pytest.mark.parametrize(
    "body",
    [b"", b" ", b"{", b"nope", b'{"a":}', b"\xff\xfe", b'{"a":"\xff"}', b'{"a":1}{', b"'a'", b"{'a':1}"],
)
def test_a_header_that_is_not_json_is_refused(body):
    with pytest.raises(ProtocolError, match="not JSON"):
        list(decoder().feed(raw(body)))


@pytest.mark.parametrize("body", [b"[]", b"null", b"1", b'"a"', b"true"])
def test_a_header_that_is_not_an_object_is_refused(body):
    with pytest.raises(ProtocolError, match="object"):
        list(decoder().feed(raw(body)))


@pytest.mark.parametrize("body", [b"[" * 200_000, b'{"a":' * 200_000, b'{"n":' + b"9" * 200_000 + b"}"])
def test_a_header_that_overloads_the_json_parser_is_refused(body):
    with pytest.raises(ProtocolError):
        list(decoder(max_header=2_000_000).feed(raw(body)))


def test_valid_frames_before_an_invalid_one_are_returned():
    frames = decoder().feed(wire.encode({"n": 1}) + raw(b"nope"))
    assert next(frames) == ({"n": 1}, b"")
    with pytest.raises(ProtocolError):
        next(frames)


def test_a_request_may_contain_an_environment_of_two_megabytes():
    assert wire.MAX_REQUEST_HEADER >= 2 * 1024 * 1024
    frame = wire.encode({"env": {f"V{n}": "x" * 1000 for n in range(2000)}})
    assert len(list(decoder(wire.MAX_REQUEST_HEADER, 0).feed(frame))) == 1

"""The text before the stream of a server on another machine is skipped, wherever reads split it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phux_client.connection import ClientConnection
from phux_client.preamble import Preamble, preamble
from phux_core import errors, wire

HELLO = wire.encode({"hello": {"protocol": list(wire.PROTOCOL), "server": "test"}})
NONCE = "0123456789abcdef"
# An echo of the command, and what looks like a preamble.
NOISE = f"Welcome!\nexec sh -c 'n=$1' sh {NONCE} phux proxy\nphux: phux:0123 ok\n\0\xff".encode("latin-1")


def pieces(data, cuts):
    for size in cuts:
        yield data[:size]
        data = data[size:]
    yield data


@given(st.lists(st.integers(1, 60), max_size=20), st.sampled_from([b"", NOISE, b"phux:" + NONCE[:5].encode()]))
def test_noise_is_skipped_and_nothing_is_sent_before_the_preamble(cuts, noise):
    over = []
    connection = ClientConnection(None, Preamble("box", NONCE, lambda: over.append(1)))
    connection.request("status", {})
    before = noise + preamble(NONCE, "started")
    seen = 0
    for piece in pieces(before + HELLO + wire.encode({"id": 1, "ok": {}}), cuts):
        if seen < len(before):
            assert connection.outgoing == b""
        if piece:
            connection.receive(piece)
        seen += len(piece)
    assert connection.failure is None
    assert connection.take_reply(1) == {}
    assert connection.outgoing != b""
    assert over == [1]


def test_an_unsent_request_had_no_effect_even_if_the_noise_never_ends():
    connection = ClientConnection(None, Preamble("box", NONCE, lambda: None))
    number = connection.request("status", {})
    for _ in range(300):
        connection.receive(b"y\n" * 32768)
    assert isinstance(connection.failure, errors.HostError)
    assert "printed" in connection.failure.message
    assert connection.failure.reason == "no_answer"
    assert not connection.was_sent(number)


def test_a_missing_phux_and_an_error_of_the_proxy_name_the_host():
    connection = ClientConnection(None, Preamble("box", NONCE, lambda: None))
    connection.receive(preamble(NONCE, "missing"))
    assert isinstance(connection.failure, errors.HostError)
    assert connection.failure.reason == "no_phux"
    connection = ClientConnection(None, Preamble("box", NONCE, lambda: None))
    connection.receive(preamble(NONCE, "ok") + wire.encode({"error": {"code": "no_server", "message": "none on /s"}}))
    assert isinstance(connection.failure, errors.NoServerError)
    assert connection.failure.message == "box: none on /s"


@pytest.mark.parametrize(
    ("noise", "line"), [(b"\n\n  Maintenance \nx", "Maintenance"), (b"", ""), (b"\xff\n", "\ufffd")]
)
def test_the_first_line_of_the_noise_is_kept_for_errors(noise, line):
    one = Preamble("box", NONCE, lambda: None)
    one.feed(noise)
    assert one.first_line == line

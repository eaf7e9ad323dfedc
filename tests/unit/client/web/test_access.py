"""Tokens, hosts, origins and addresses of the live view."""

from __future__ import annotations

import pytest

from phux_client.web.access import Gate, Tokens, check_reach, parse_bind
from phux_core.errors import BadRequestError


def test_each_level_has_its_own_long_token():
    tokens = Tokens(read_only=False)
    assert {tokens.level(token) for token in tokens.by_level.values()} == {"control", "watch"}
    assert len(set(tokens.by_level.values())) == 2
    assert all(len(token) >= 40 for token in tokens.by_level.values())
    assert tokens.by_level != Tokens(read_only=False).by_level


@pytest.mark.parametrize("token", [None, "", "x", 1, b"bytes", ["x"], "\ud800", "ü" * 43])
def test_a_wrong_token_allows_nothing(token):
    tokens = Tokens(read_only=False)
    assert tokens.level(token) is None
    assert tokens.level(tokens.by_level["control"] + "x") is None
    assert tokens.level(tokens.by_level["control"][:-1]) is None


def test_read_only_has_no_token_for_control():
    assert set(Tokens(read_only=True).by_level) == {"watch"}


@pytest.mark.parametrize(
    ("host", "is_allowed"),
    [
        ("127.0.0.1:8737", True),
        ("localhost:1", True),
        ("LOCALHOST", True),
        ("[::1]:8737", True),
        ("[::1]", True),
        ("127.0.0.2:8737", False),
        ("evil.example:8737", False),
        ("localhost.evil.example", False),
        ("localhost:port", False),
        ("user@localhost", False),
        ("::1", False),
        ("", False),
        (None, False),
    ],
)
def test_without_tls_only_names_of_this_machine_are_allowed(host, is_allowed):
    assert Gate(is_secure=False).allows_host(host) is is_allowed


def test_only_our_own_page_may_connect():
    gate = Gate(is_secure=False)
    assert gate.allows_origin("http://localhost:8737", "localhost:8737")
    for origin in ("https://localhost:8737", "http://localhost:8738", "http://127.0.0.1:8737", "null", "", None):
        assert not gate.allows_origin(origin, "localhost:8737")
    assert not gate.allows_origin("http://evil.example", "evil.example")


def test_behind_tls_the_certificate_decides_about_names():
    gate = Gate(is_secure=True)
    assert gate.allows_origin("https://build.example:8737", "build.example:8737")
    assert not gate.allows_origin("http://build.example:8737", "build.example:8737")
    assert not gate.allows_origin("https://evil.example", "build.example:8737")


@pytest.mark.parametrize(
    "text", ["", "8737", ":8737", "host:80", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:-1", "[::1]", "1.2.3:4"]
)
def test_a_bad_address_is_refused_with_an_example(text):
    with pytest.raises(BadRequestError) as caught:
        parse_bind(text)
    assert "127.0.0.1:8737" in caught.value.remedy


def test_only_loopback_addresses_need_no_tls():
    check_reach("127.0.0.1", 80, allow_remote=False, has_tls=False)
    check_reach("::1", 80, allow_remote=False, has_tls=False)
    check_reach("0.0.0.0", 80, allow_remote=True, has_tls=True)
    for allow_remote, has_tls in ((False, False), (False, True), (True, False)):
        with pytest.raises(BadRequestError) as caught:
            check_reach("192.0.2.1", 80, allow_remote=allow_remote, has_tls=has_tls)
        assert "ssh -L 80:127.0.0.1:80" in caught.value.remedy

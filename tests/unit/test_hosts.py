"""Destinations of ssh, addresses of servers, and targets qualified by a host."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phux_core import hosts
from phux_core.errors import BadHostError


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("box", (None, "box", None)),
        ("me@box", ("me", "box", None)),
        ("me@corp.example@box:2222", ("me@corp.example", "box", 2222)),
        ("ssh://me@box:22", ("me", "box", 22)),
        ("[fe80::1%eth0]:22", (None, "fe80::1%eth0", 22)),
        ("::1", (None, "::1", None)),
        ("me@[::1]", ("me", "::1", None)),
        ("bücher.example", (None, "bücher.example", None)),
    ],
)
def test_a_destination_is_parsed_and_written_back(text, parts):
    found = hosts.parse(text)
    assert (found.user, found.host, found.port) == parts
    again = hosts.parse(str(found))
    assert (again.user, again.host, again.port) == parts


NONE = [
    *("", "-oProxyCommand=x", "me@-x", "-me@box", "@box", "a b", "box;x", "a'b", "box:", "box:0", "box:65536", "box:٣"),
    *("[::1", "[::1]x", "a/b", "box\n", "$(x)", "`x`", "x" * 300),
]


@pytest.mark.parametrize("text", NONE)
def test_other_texts_are_no_destination(text):
    with pytest.raises(BadHostError):
        hosts.parse(text)


@given(st.text(max_size=30))
def test_every_accepted_destination_is_safe_for_ssh_and_shells(text):
    try:
        found = hosts.parse(text)
    except BadHostError:
        return
    for part in (found.host, found.user or "x"):
        assert part[0] != "-"
        assert not set(part) & set(" \t\n\"'`$;&|<>()*?[]{}!\\#~=,/")


@pytest.mark.parametrize(
    ("given", "env", "address"),
    [
        ((None, "box"), {}, "ssh://box"),
        ((None, "ssh://me@box:22/"), {}, "ssh://me@box:22"),
        (("/s", "box"), {}, "ssh://box/s"),
        ((None, None), {"PHUX_HOST": "box", "PHUX_SOCKET": "/local"}, "ssh://box"),
        (("/s", None), {"PHUX_HOST": "box"}, "/s"),
        ((None, "local"), {"PHUX_HOST": "box", "PHUX_SOCKET": "/local"}, "/local"),
        ((None, None), {"PHUX_SOCKET": "ssh://box/s"}, "ssh://box/s"),
        ((None, "local"), {"PHUX_SOCKET": "ssh://box/s", "XDG_RUNTIME_DIR": "/"}, "/phux/phux.sock"),
        (("ssh://box", None), {}, "ssh://box"),
        (("ssh://other", "box"), {}, None),
        (("relative", "box"), {}, None),
        ((None, "box/s"), {}, "ssh://box/s"),
    ],
)
def test_the_address_comes_from_the_options_before_the_environment(given, env, address, monkeypatch):
    for name in ("PHUX_HOST", "PHUX_SOCKET", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    if address is None:
        with pytest.raises(BadHostError):
            hosts.server_address(*given)
    else:
        assert hosts.server_address(*given) == address
        assert hosts.is_remote(address) == address.startswith("ssh://")


def test_an_address_is_split_into_destination_and_socket():
    assert hosts.split_address("ssh://me@box:22/run/s") == ("me@box:22", "/run/s")
    assert hosts.split_address("ssh://box") == ("box", None)


@pytest.mark.parametrize(
    ("target", "parts"),
    [
        ("box/work:0.1", ("box", "work:0.1")),
        ("me@box:22/@3", ("me@box:22", "@3")),
        ("ssh://box/work", ("ssh://box", "work")),
        ("work:0.1", (None, "work:0.1")),
        ("@3", (None, "@3")),
        ("20260101T120000Z-4711-a1b2/1", (None, "20260101T120000Z-4711-a1b2/1")),
        ("box/20260101T120000Z-4711-a1b2/1", ("box", "20260101T120000Z-4711-a1b2/1")),
    ],
)
def test_a_target_may_be_qualified_by_a_host(target, parts):
    assert hosts.split_target(target) == parts


def test_an_environment_without_variables_means_this_machine(monkeypatch):
    for name in ("PHUX_HOST", "PHUX_SOCKET", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    assert hosts.server_address() == f"/tmp/phux-{os.getuid()}/phux.sock"

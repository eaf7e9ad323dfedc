"""The adapter replies to any input with valid JSON-RPC messages and keeps running."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from phux_mcp.jsonrpc import Lines, RpcError, encode, parse
from phux_mcp.links import Links
from phux_mcp.main import load_toolset
from phux_mcp.server import Server

TOOLSET = load_toolset("phux", "read-only")
REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
CODES = {-32700, -32600, -32601, -32602, -32603, -32002, -32022}

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
METHODS = st.sampled_from(
    [
        "initialize",
        "ping",
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/templates/list",
        "resources/unsubscribe",
        "server/discover",
        "notifications/cancelled",
        "notifications/initialized",
        "nonsense",
    ]
)
PARAMS = VALUES | st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["phux_ls", "run-and-fix", "x"]) | VALUES,
        "arguments": VALUES,
        "protocolVersion": st.sampled_from(REVISIONS) | VALUES,
        "_meta": VALUES | st.just({"io.modelcontextprotocol/protocolVersion": "2026-07-28"}),
        "cursor": VALUES,
        "uri": VALUES,
        "requestId": VALUES,
    },
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | VALUES,
        "id": VALUES,
        "method": METHODS | VALUES,
        "params": PARAMS,
        "result": VALUES,
    },
)
LINES = (
    st.binary(max_size=60)
    | (MESSAGES | st.lists(MESSAGES, max_size=3) | VALUES).map(lambda value: json.dumps(value).encode())
    | st.tuples(MESSAGES, st.integers(0, 60)).map(lambda pair: json.dumps(pair[0]).encode()[: pair[1]])
)


def converse(lines):
    """Send lines and a request with the id "last" to an adapter without a server, and return its messages."""

    async def main():
        sent = []
        links = Links()
        server = Server(TOOLSET, links, sent.append, lambda: False)
        for line in lines:
            server.take_line(line)
        while server.running:
            await asyncio.wait(server.running)
            await asyncio.sleep(0)
        server.take_line(b'{"jsonrpc":"2.0","id":"last","method":"nonsense"}')
        await server.close()
        await links.close()
        return sent

    return [json.loads(line) for line in asyncio.run(main())]


def ids_in(line):
    """Return the ids in a line, with None for a message without an id; empty if the line cannot be parsed."""
    try:
        value = parse(line)
    except RpcError:
        return []
    return [one.get("id") for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict)]


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(LINES, max_size=5))
def test_every_reply_is_json_rpc_and_the_adapter_keeps_running(lines):
    messages = converse([line.replace(b"\n", b" ") for line in lines])
    assert messages.pop()["id"] == "last"
    known = [message_id for line in lines for message_id in ids_in(line.replace(b"\n", b" "))]
    for message in [one for some in messages for one in (some if isinstance(some, list) else [some])]:
        assert message["jsonrpc"] == "2.0"
        assert ("result" in message) != ("error" in message)
        assert message["id"] is None or message["id"] in known
        if "error" in message:
            assert message["error"]["code"] in CODES - {-32603}
            assert message["error"]["message"]


@given(st.lists(st.binary(max_size=30)), st.integers(1, 40))
def test_lines_do_not_depend_on_how_the_bytes_are_split(pieces, longest):
    data = b"".join(pieces)
    cut, whole = Lines(longest), Lines(longest)
    by_pieces = [line for piece in pieces for line in cut.feed(piece)] + list(cut.close())
    at_once = [*whole.feed(data), *whole.close()]
    assert by_pieces == at_once
    expected = [line if len(line) <= longest else None for line in data.split(b"\n")]
    assert at_once == (expected if data.rpartition(b"\n")[2] else expected[:-1])


@given(VALUES)
def test_an_encoded_value_is_one_line_and_parses_to_the_same_value(value):
    line = encode(value)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert parse(line) == value


def test_nesting_that_exhausts_the_stack_is_a_parse_error():
    parse(b"[" * 64 + b"]" * 64)
    with pytest.raises(RpcError) as caught:
        parse(b"[" * 200_000 + b"]" * 200_000)
    assert caught.value.code == -32700

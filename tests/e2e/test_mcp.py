"""``phux-mcp`` as a host sees it: lines in, lines out."""

from __future__ import annotations

import json
import subprocess

import pytest

from servers import BIN
from validation import validate


@pytest.fixture
def ask(cli):
    process = subprocess.Popen(
        [BIN / "phux-mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=cli.env, cwd=cli.cwd
    )

    def send(line: bytes | dict[str, object], *, answered: bool = True):
        process.stdin.write((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline()) if answered else None

    yield send
    process.stdin.close()
    assert process.wait(10) == 0
    process.stdout.close()


def call(ask, tool, **arguments):
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    result = ask(request)["result"]
    (block,) = result["content"]
    return result["isError"], block["text"]


def test_the_handshake_is_the_seeds(ask):
    reply = ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2024-11-05"}})
    assert reply["result"]["protocolVersion"] == "2024-11-05"
    assert reply["result"]["capabilities"] == {"tools": {}}
    assert reply["result"]["serverInfo"]["name"] == "phux"
    ask({"jsonrpc": "2.0", "method": "notifications/initialized"}, answered=False)
    assert ask({"jsonrpc": "2.0", "id": 2, "method": "ping"}) == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_the_catalog_has_the_tools_with_schemas(ask):
    tools = ask({"jsonrpc": "2.0", "id": "a", "method": "tools/list"})["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["phux_ls", "phux_snapshot", "phux_send_keys", "phux_wait", "phux_new"]
    for tool in tools:
        assert tool["inputSchema"]["type"] == "object"


def test_the_tools_work_a_terminal(ask):
    assert call(ask, "phux_new", name="work", command=["sh"]) == (
        False,
        '{\n  "session": "work",\n  "terminal_id": 1\n}',
    )
    failed, text = call(ask, "phux_ls")
    assert json.loads(text) == {"sessions": [{"name": "work", "window_count": 1, "attached_client_count": 0}]}
    assert json.loads(call(ask, "phux_send_keys", target="work", keys=["echo $((6*7))", "Enter"])[1]) == {
        "sent": True,
        "pane": "@1",
    }
    assert json.loads(call(ask, "phux_wait", target="work", until="42", timeout_secs=10)[1])["outcome"] == "met"
    failed, text = call(ask, "phux_snapshot", target="work", scrollback=0, cells=True)
    assert not failed
    validate("screen-state", json.loads(text))
    assert json.loads(call(ask, "phux_wait", until="never", timeout_secs=0)[1])["outcome"] == "timed_out"


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("phux_snapshot", {"target": "nothere"}, "nothere"),
        ("phux_snapshot", {"target": 3}, "target"),
        ("phux_snapshot", {"scrollback": -1}, "scrollback"),
        ("phux_snapshot", {"nonsense": 1}, "nonsense"),
        ("phux_send_keys", {"target": "x"}, "keys"),
        ("phux_send_keys", {"target": "x", "keys": []}, "keys"),
        ("phux_send_keys", {"target": "x", "keys": "Enter"}, "keys"),
        ("phux_wait", {"timeout_secs": -1}, "timeout_secs"),
        ("phux_ls", {"socket": "/nowhere/phux.sock"}, "phux new"),
    ],
)
def test_a_failing_tool_is_an_answer_and_no_error(ask, tool, arguments, says):
    failed, text = call(ask, tool, **arguments)
    assert failed
    assert says in text


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{nonsense", -32700),
        (b"\xff\xfe", -32700),
        (b"[1]", -32600),
        (b'{"id": 1}', -32600),
        (b'{"id": 1, "method": "nonsense"}', -32601),
        (b'{"id": 1, "method": "tools/call"}', -32602),
        (b'{"id": 1, "method": "tools/call", "params": {"name": "nonsense"}}', -32602),
        (b'{"id": 1, "method": "tools/call", "params": []}', -32602),
        (b"[" * 100_000, -32700),
    ],
)
def test_nothing_that_arrives_stops_the_loop(ask, line, code):
    assert ask(line)["error"]["code"] == code
    ask({"jsonrpc": "2.0", "method": "notifications/nonsense"}, answered=False)
    assert ask({"jsonrpc": "2.0", "id": 9, "method": "ping"})["id"] == 9

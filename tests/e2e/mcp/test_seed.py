"""Revision 2024-11-05: the contract of the first phux-mcp, sentence by sentence."""

from __future__ import annotations

import json

import pytest

from phux_core.version import __version__
from validation import validate

SIX = ["phux_ls", "phux_snapshot", "phux_send_keys", "phux_run", "phux_wait", "phux_new"]


@pytest.fixture
def seed(host):
    return host.begin("2024-11-05")


@pytest.fixture(scope="module")
def shared_seed(shared):
    return shared.begin("2024-11-05")


@pytest.fixture
def work(seed):
    """An adapter with a session."""
    seed.pane = f"@{seed.document('phux_new', name='work')['terminal_id']}"
    return seed


@pytest.fixture(scope="module")
def standing(start_shared):
    """An adapter with a session that no test changes; adapters of other tests may see the session."""
    host = start_shared().begin("2024-11-05")
    host.pane = f"@{host.document('phux_new', name='standing')['terminal_id']}"
    return host


# Transport and lifecycle


def test_initialize_returns_only_version_capabilities_and_server(host):
    assert host.result("initialize", {"protocolVersion": "2024-11-05"}) == {
        "protocolVersion": "2024-11-05",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "phux", "version": __version__},
    }


def test_initialized_is_a_notification_and_ping_returns_an_empty_result(shared_seed):
    shared_seed.notify("notifications/initialized")
    assert shared_seed.ask("ping") | {"id": 0} == {"jsonrpc": "2.0", "id": 0, "result": {}}


def test_one_message_is_one_line(seed, work):
    seed.document("phux_run", target="work", command="printf 'a\\nb\\n'")
    seed.send(b'{"jsonrpc":"2.0","id":"x","method":"ping"}')
    assert seed.receive() == {"jsonrpc": "2.0", "id": "x", "result": {}}


def test_a_malformed_line_is_a_parse_error_with_a_null_id_and_the_loop_continues(shared_seed):
    shared_seed.send(b"{nonsense")
    reply = shared_seed.receive()
    assert (reply["id"], reply["error"]["code"]) == (None, -32700)
    assert shared_seed.result("ping") == {}


def test_an_unknown_method_is_an_error_for_a_request_and_nothing_for_a_notification(shared_seed):
    assert shared_seed.error("nonsense")["code"] == -32601
    shared_seed.notify("notifications/nonsense")
    shared_seed.notify("nonsense")
    assert shared_seed.is_silent()
    assert shared_seed.result("ping") == {}


@pytest.mark.parametrize("method", ["resources/list", "prompts/list", "server/discover"])
def test_features_of_later_revisions_are_absent(shared_seed, method):
    assert shared_seed.error(method)["code"] in {-32601, -32602}


def test_a_host_without_a_handshake_is_served(host):
    assert sorted(tool["name"] for tool in host.result("tools/list")["tools"]) == sorted(SIX)


# The catalog


def test_the_catalog_has_six_tools_with_input_schemas(shared_seed):
    tools = shared_seed.result("tools/list")["tools"]
    assert [tool["name"] for tool in tools] == SIX
    for tool in tools:
        assert set(tool) == {"name", "description", "inputSchema"}
        assert tool["inputSchema"]["type"] == "object"


@pytest.mark.parametrize(
    ("tool", "parameters", "required"),
    [
        ("phux_ls", {"socket": "string"}, []),
        (
            "phux_snapshot",
            {"target": "string", "scrollback": "number", "cells": "boolean", "socket": "string"},
            [],
        ),
        ("phux_send_keys", {"target": "string", "keys": "array", "socket": "string"}, ["target", "keys"]),
        (
            "phux_run",
            {"target": "string", "command": "string", "timeout_secs": "number", "socket": "string"},
            ["target", "command"],
        ),
        (
            "phux_wait",
            {
                "target": "string",
                "until": "string",
                "idle_ms": "number",
                "timeout_secs": "number",
                "socket": "string",
            },
            [],
        ),
        ("phux_new", {"name": "string", "command": "array", "cwd": "string", "socket": "string"}, ["name"]),
    ],
)
def test_the_tools_have_the_parameters_of_the_contract(shared_seed, tool, parameters, required):
    (found,) = [entry for entry in shared_seed.result("tools/list")["tools"] if entry["name"] == tool]
    schema = found["inputSchema"]
    assert {name: one["type"] for name, one in schema["properties"].items()} == parameters
    assert schema.get("required", []) == required


def test_ls_returns_the_sessions_sorted_by_name(seed):
    assert seed.document("phux_ls") == {"sessions": []}
    for name in ("zeta", "alpha"):
        seed.document("phux_new", name=name)
    assert seed.document("phux_ls") == {
        "sessions": [
            {"name": "alpha", "window_count": 1, "attached_client_count": 0},
            {"name": "zeta", "window_count": 1, "attached_client_count": 0},
        ]
    }
    reply = seed.ask("tools/call", {"name": "phux_ls"})
    assert reply["result"]["isError"] is False


def test_new_returns_name_and_pane_and_rejects_a_name_in_use(seed, tmp_path):
    made = seed.document("phux_new", name="work", command=["sh", "-c", "pwd; cat"], cwd=str(tmp_path))
    assert made == {"session": "work", "terminal_id": made["terminal_id"]}
    assert seed.document("phux_wait", target="work", until=str(tmp_path)[:40], timeout_secs=10)["outcome"] == "met"
    assert "work" in seed.failure("phux_new", name="work")
    shell = seed.document("phux_new", name="shell", command=[])
    assert shell == {"session": "shell", "terminal_id": made["terminal_id"] + 1}


def test_new_does_not_start_a_server(seed, tmp_path):
    missing = str(tmp_path / "none" / "phux.sock")
    assert "phux" in seed.failure("phux_new", name="work", socket=missing)


def test_snapshot_returns_a_screen_state_with_cells_only_when_requested(work):
    screen = work.document("phux_snapshot", target="work")
    validate("screen-state", screen)
    assert screen["schema_version"] == 3
    assert screen["scrollback"] == []
    assert "cells" not in screen
    styled = work.document("phux_snapshot", target=work.pane, cells=True, scrollback=200)
    validate("screen-state", styled)
    assert isinstance(styled["cells"], list)


def test_snapshot_returns_no_scrollback_all_of_it_or_the_newest_rows(work):
    work.document("phux_run", target="work", command="seq 1 100")
    assert work.document("phux_snapshot", target="work")["scrollback"] == []
    everything = work.document("phux_snapshot", target="work", scrollback=0)["scrollback"]
    assert {"1", "50", "70"} <= set(everything)
    assert work.document("phux_snapshot", target="work", scrollback=3)["scrollback"] == everything[-3:]


def test_a_target_defaults_to_the_last_focused_session(work):
    assert f"@{work.document('phux_snapshot')['pane']}" == work.pane
    assert work.document("phux_wait", idle_ms=50)["outcome"] == "met"


@pytest.mark.parametrize("target", [".", "=", "standing", "standing:0", "standing:0.0", "@"])
def test_every_form_of_target_resolves(standing, target):
    target = standing.pane if target == "@" else target
    assert f"@{standing.document('phux_snapshot', target=target)['pane']}" == standing.pane


def test_send_keys_types_and_returns_the_pane(work):
    sent = work.document("phux_send_keys", target="work", keys=["echo $((6*7))", "Enter"])
    assert sent == {"sent": True, "pane": work.pane}
    assert work.document("phux_wait", target="work", until="42", timeout_secs=10)["outcome"] == "met"


def test_run_returns_a_run_result(work):
    result = work.document("phux_run", target="work:0.0", command="echo hi; false")
    assert (result["command"], result["exit_code"], result["output"]) == ("echo hi; false", 1, "hi")
    assert result["truncated"] is False
    assert isinstance(result["duration_ms"], int)
    validate("run-result", result)


def test_a_run_that_times_out_returns_the_body_of_the_contract(work):
    result = work.document("phux_run", target="work", command="sleep 5", timeout_secs=0.2)
    assert set(result) == {"outcome", "command", "duration_ms"}
    assert (result["outcome"], result["command"]) == ("timed_out", "sleep 5")
    work.document("phux_send_keys", target="work", keys=["C-c"])


def test_wait_prefers_until_and_returns_outcome_and_polls(work):
    met = work.document("phux_wait", target="work", until="$", timeout_secs=10)
    assert set(met) == {"outcome", "polls"}
    assert met["outcome"] == "met"
    assert met["polls"] >= 1
    # With a text that never appears, idleness does not end the wait.
    missed = work.document("phux_wait", target="work", until="never", idle_ms=0, timeout_secs=0.3)
    assert missed["outcome"] == "timed_out"
    assert work.document("phux_wait", target="work")["outcome"] == "met"


# The envelope


def test_a_result_is_one_text_block_of_pretty_json(work):
    result = work.call("phux_run", target="work", command="true")
    assert set(result) == {"content", "isError"}
    (block,) = result["content"]
    assert block["text"] == json.dumps(json.loads(block["text"]), indent=2)
    assert result["isError"] is False


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("phux_snapshot", {"target": "nothere"}, "nothere"),
        ("phux_snapshot", {"target": "@@"}, "@@"),
        ("phux_snapshot", {"target": 3}, "`target` of phux_snapshot is 3; send a string"),
        ("phux_snapshot", {"scrollback": -1}, "`scrollback` of phux_snapshot is -1; send a whole number from 0"),
        ("phux_snapshot", {"scrollback": 1.5}, "1.5"),
        ("phux_snapshot", {"cells": 1}, "true or false"),
        ("phux_snapshot", {"nonsense": 1}, "no parameter 'nonsense'; it accepts target"),
        ("phux_snapshot", {"since": 1}, "no parameter 'since'"),
        ("phux_send_keys", {"target": "x"}, "needs the parameter `keys`"),
        ("phux_send_keys", {"target": "x", "keys": []}, "at least one"),
        ("phux_send_keys", {"target": "x", "keys": "Enter"}, "a list of strings"),
        ("phux_send_keys", {"target": "x", "keys": [1]}, "a list of strings"),
        ("phux_run", {"target": "x"}, "needs the parameter `command`"),
        (
            "phux_run",
            {"target": "x", "command": "true", "timeout_secs": -1},
            "`timeout_secs` of phux_run is -1; send a number from 0",
        ),
        ("phux_wait", {"timeout_secs": -1}, "`timeout_secs` of phux_wait is -1"),
        ("phux_wait", {"idle_ms": "soon"}, "`idle_ms` of phux_wait is 'soon'; send a whole number"),
        ("phux_new", {"name": "a:b"}, "a:b"),
        ("phux_new", {"name": "a", "cwd": "/nowhere/at/all"}, "/nowhere/at/all"),
        ("phux_new", {"name": "a", "command": ["/nowhere/at/all"]}, "/nowhere/at/all"),
        ("phux_ls", {"socket": "/nowhere/phux.sock"}, "phux new"),
    ],
)
def test_a_failing_tool_returns_a_result_with_a_hint_instead_of_a_protocol_error(shared_seed, tool, arguments, says):
    assert says in shared_seed.failure(tool, **arguments)


@pytest.mark.parametrize(
    "params",
    [None, {}, {"name": 3}, {"name": "nonsense"}, {"name": "phux_ls", "arguments": []}, {"name": "phux_act"}],
)
def test_an_invalid_call_is_a_protocol_error(shared_seed, params):
    assert shared_seed.error("tools/call", params)["code"] == -32602


def test_the_socket_comes_from_the_argument_then_from_the_environment(start_host, socket, tmp_path):
    elsewhere = start_host(PHUX_SOCKET=str(tmp_path / "none.sock")).begin("2024-11-05")
    assert "none.sock" in elsewhere.failure("phux_ls")
    assert elsewhere.document("phux_ls", socket=socket) == {"sessions": []}

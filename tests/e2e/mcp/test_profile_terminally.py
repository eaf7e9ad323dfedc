"""``--profile terminally``: the tools of the Terminally plan, with its schemas and results."""

from __future__ import annotations

import json
import os
import signal

import pytest

from servers import BIN, eventually

STRING, NUMBER, BOOLEAN = {"type": "string"}, {"type": "number"}, {"type": "boolean"}
TAKES = {
    "create_tab": ({"name": "string", "cwd": "string", "env": "object", "login": "boolean"}, []),
    "list_tabs": ({}, []),
    "read_logs_from_tab": ({"window_id": "string", "lines": "number", "strip_ansi": "boolean"}, ["window_id"]),
    "execute_command": (
        {"window_id": "string", "command": "string", "timeout_ms": "number", "strip_ansi": "boolean"},
        ["window_id", "command"],
    ),
    "start_process": (
        {"window_id": "string", "command": "string", "append_newline": "boolean"},
        ["window_id", "command"],
    ),
    "stop_process": ({"window_id": "string", "signal": "string"}, ["window_id"]),
    "stream_logs_from_tab": (
        {"window_id": "string", "from_byte": "number", "max_bytes": "number", "strip_ansi": "boolean"},
        ["window_id"],
    ),
    "close_tab": ({"window_id": "string"}, ["window_id"]),
    "set_history_limit": ({"limit": "number"}, ["limit"]),
}
GIVES = {
    "create_tab": ["window_id"],
    "list_tabs": ["tabs"],
    "read_logs_from_tab": ["content"],
    "execute_command": ["output"],
    "start_process": ["started"],
    "stop_process": ["success"],
    "stream_logs_from_tab": ["chunk", "next_byte"],
    "close_tab": ["success"],
    "set_history_limit": ["success"],
}


@pytest.fixture
def host(start_host):
    return start_host("--profile", "terminally").begin("2025-11-25")


@pytest.fixture(scope="module")
def standing(start_shared):
    """An adapter without tabs, for tests that create none."""
    return start_shared("--profile", "terminally").begin("2025-11-25")


@pytest.fixture
def tab(host):
    return host.document("create_tab", name="my tab")["window_id"]


def test_the_tools_have_the_parameters_and_results_of_the_plan(standing):
    tools = {tool["name"]: tool for tool in standing.result("tools/list")["tools"]}
    assert list(tools) == list(TAKES)
    for name, (parameters, required) in TAKES.items():
        schema = tools[name]["inputSchema"]
        assert {key: one["type"] for key, one in schema["properties"].items()} == parameters
        assert schema.get("required", []) == required
        assert tools[name]["outputSchema"]["required"] == GIVES[name]
    assert tools["create_tab"]["inputSchema"]["properties"]["env"]["additionalProperties"] == {"type": "string"}


def test_list_tabs_returns_ids_and_names_and_marks_the_active_tab(host, tab):
    assert host.document("list_tabs") == {"tabs": [{"window_id": tab, "name": "my tab", "active": True}]}
    other = host.document("create_tab")
    assert set(other) == {"window_id", "name"}
    tabs = host.document("list_tabs")["tabs"]
    assert [one["active"] for one in tabs] == [False, True]
    assert len({one["window_id"] for one in tabs}) == 2


def test_a_tab_may_have_any_name_and_can_be_closed(host, tab):
    names = ["feature/x", "a:b", "src/a.py:12", "#1", "-v", "end.", "."]
    made = [host.document("create_tab", name=name) for name in names]
    assert [one["name"] for one in made] == names
    assert [one["name"] for one in host.document("list_tabs")["tabs"]] == ["my tab", *names]
    for one in made:
        assert host.document("close_tab", window_id=one["window_id"]) == {"success": True}
    assert [one["name"] for one in host.document("list_tabs")["tabs"]] == ["my tab"]
    assert "list_tabs" in host.failure("close_tab", window_id="@99")
    assert "list_tabs" in host.failure("close_tab", window_id="my tab")


def test_concurrent_calls_create_distinct_tabs(host):
    calls = [host.start("create_tab", name=f"tab {number}") for number in range(5)]
    made = [host.reply(call)["result"]["structuredContent"] for call in calls]
    assert len({one["window_id"] for one in made}) == 5
    assert [one["name"] for one in made] == [f"tab {number}" for number in range(5)]


def test_a_tab_gets_its_directory_variables_and_login_shell(host, tmp_path):
    made = host.document("create_tab", cwd=str(tmp_path), env={"MINE": "yes"}, login=True)
    ran = host.document("execute_command", window_id=made["window_id"], command='echo "$PWD $MINE $SHELL $0"')
    assert ran["output"].split() == [str(tmp_path), "yes", "/bin/sh", "/bin/sh"]


def test_a_command_returns_only_its_output_and_exit_code(host, tab):
    assert host.document("execute_command", window_id=tab, command="echo hi") == {
        "output": "hi",
        "exit_code": 0,
        "timed_out": False,
    }
    assert host.document(
        "execute_command", window_id=tab, command="echo no >&2; exit_code() { return 7; }; exit_code"
    ) == {
        "output": "no",
        "exit_code": 7,
        "timed_out": False,
    }


def test_ansi_sequences_are_kept_or_stripped(host, tab):
    command = "printf '\\033[31mred\\033[m\\n'"
    kept = host.document("execute_command", window_id=tab, command=command)["output"]
    assert "\x1b[31mred" in kept
    assert host.document("execute_command", window_id=tab, command=command, strip_ansi=True)["output"] == "red"


def test_a_command_that_times_out_is_interrupted_and_its_tab_stays_usable(host, tab):
    ran = host.document(
        "execute_command", window_id=tab, command="echo begun; sleep 30", timeout_ms=600, strip_ansi=True
    )
    assert ran["timed_out"] is True
    assert "begun" in ran["output"]
    assert host.document("execute_command", window_id=tab, command="echo after")["output"] == "after"


def test_a_command_in_a_tab_whose_program_has_ended_fails_with_a_hint_to_create_tab(host, tab):
    assert host.document("execute_command", window_id=tab, command="exit 3")["exit_code"] == 3
    eventually(lambda: host.call("start_process", window_id=tab, command="true")["isError"])
    said = host.failure("execute_command", window_id=tab, command="true")
    assert said.startswith(f"the program in the tab {tab} has ended")
    assert "create_tab" in said


def test_commands_in_one_tab_run_one_after_the_other(host, tab):
    calls = [host.start("execute_command", window_id=tab, command=f"sleep 0.1; echo {number}") for number in range(4)]
    assert [host.reply(call)["result"]["structuredContent"]["output"] for call in calls] == ["0", "1", "2", "3"]


def test_a_process_is_started_read_and_stopped(host, tab):
    loop = "while :; do echo tick; sleep 0.05; done"
    assert host.document("start_process", window_id=tab, command=loop) == {"started": True}
    eventually(lambda: "tick" in host.document("read_logs_from_tab", window_id=tab)["content"].splitlines()[-2:])
    assert host.document("stop_process", window_id=tab) == {"success": True}
    assert host.document("execute_command", window_id=tab, command="echo stopped")["output"] == "stopped"
    host.document("start_process", window_id=tab, command="sleep 100")
    eventually(lambda: not host.call("stop_process", window_id=tab, signal="SIGTERM")["isError"])
    assert host.document("execute_command", window_id=tab, command="echo again")["output"] == "again"


def test_a_command_may_be_typed_without_enter(host, tab):
    host.document("start_process", window_id=tab, command="echo typed", append_newline=False)
    eventually(lambda: host.document("read_logs_from_tab", window_id=tab)["content"].endswith("echo typed"))


def test_read_logs_returns_the_requested_number_of_lines_or_500(host, tab):
    host.document("execute_command", window_id=tab, command="seq 1 2000 | sed 's/^/line /'")
    read = host.document("read_logs_from_tab", window_id=tab, lines=200, strip_ansi=True)
    assert (read["returned_lines"], read["truncated"]) == (200, True)
    assert len(host.document("read_logs_from_tab", window_id=tab, strip_ansi=True)["content"].splitlines()) == 500


def test_logs_are_streamed_by_bytes_without_gaps_even_after_the_service_died(host, tab, cli):
    host.document("execute_command", window_id=tab, command="seq 1 3000")

    def everything():
        chunks, place, eof = [], 0, False
        while not eof:
            read = host.document("stream_logs_from_tab", window_id=tab, from_byte=place, max_bytes=4000)
            assert read["next_byte"] <= place + 4000
            chunks.append(read["chunk"])
            place, eof = read["next_byte"], read["eof"]
        return "".join(chunks)

    before = everything()
    numbers = [line for line in before.split("\r\n") if line.isdecimal()]
    assert numbers == [str(number) for number in range(1, 3001)]
    os.kill(cli.json("status")["service_pid"], signal.SIGKILL)
    assert eventually(everything).startswith(before)


def test_the_history_limit_applies_to_current_and_later_tabs(host, tab, cli):
    assert host.document("set_history_limit", limit=50) == {"success": True}
    later = host.document("create_tab")["window_id"]
    for one in (tab, later):
        host.document("execute_command", window_id=one, command="seq 1 500")
    for window in cli.json("tree")["sessions"][0]["windows"]:
        pane = window["panes"][0]["id"]
        assert len(cli.json("snapshot", f"@{pane}", "--scrollback")["scrollback"]) <= 50
    assert "limit" in host.failure("set_history_limit", limit=-1)


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("execute_command", {"window_id": "@99", "command": "true"}, "list_tabs"),
        ("execute_command", {"window_id": "@1", "command": "true", "timeout_ms": 0}, "above 0"),
        ("stop_process", {"window_id": "@1", "signal": "SIGKILL"}, "SIGINT or SIGTERM"),
        ("read_logs_from_tab", {"window_id": "@1", "lines": -1}, "`lines` of read_logs_from_tab is -1"),
        ("create_tab", {"env": {"A": 1}}, "an object of strings"),
        ("create_tab", {"cwd": "/nowhere/at/all"}, "/nowhere/at/all"),
    ],
)
def test_invalid_arguments_are_rejected_with_a_hint(standing, tool, arguments, says):
    assert says in standing.failure(tool, **arguments)


def test_a_server_is_started_when_none_runs(start_host, cli, runtime):
    socket = str(runtime / "phux" / "phux.sock")
    host = start_host("--profile", "terminally", PHUX_SOCKET=socket).begin("2024-11-05")
    try:
        assert host.document("create_tab", name="first")["name"] == "first"
    finally:
        assert cli("kill", "--server", PHUX_SOCKET=socket).code == 0


def test_the_tab_that_the_host_runs_in_is_not_stopped(cli):
    cli.json("new", "-s", "terminally")
    lines = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}},
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "stop_process", "arguments": {"window_id": "@1"}},
        },
    ]
    (cli.cwd / "calls").write_text("".join(json.dumps(line) + "\n" for line in lines))
    # The shell is the parent of the adapter, as a host is.
    command = f"{BIN / 'phux-mcp'} --profile terminally < calls > replies; true"
    assert cli("run", "terminally", command, "--timeout", "30").code == 0
    reply = json.loads((cli.cwd / "replies").read_text().splitlines()[-1])
    assert reply["result"]["isError"]
    assert "cannot stop @1: this host runs in it" in reply["result"]["content"][0]["text"]

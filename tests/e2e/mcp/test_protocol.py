"""The protocol: revisions, invalid lines, concurrent calls, cancellation, progress, and the end of the connection."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from mcp_host import ENVELOPE, REVISIONS, STATELESS
from servers import BIN, eventually
from validation import validate

HANDSHAKE = REVISIONS[:-1]


# Revisions


@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_known_revision_is_echoed(shared, revision):
    result = shared.result("initialize", {"protocolVersion": revision})
    assert result["protocolVersion"] == revision
    assert ("instructions" in result) == (revision != "2024-11-05")
    assert ("resources" in result["capabilities"]) == (revision != "2024-11-05")


@pytest.mark.parametrize("wanted", ["1999-01-01", STATELESS, "", 7, None])
def test_an_unknown_revision_is_answered_with_the_newest_that_has_a_handshake(shared, wanted):
    assert shared.result("initialize", {"protocolVersion": wanted})["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("name", ["\ud800", "x" * 1_000_000, "a\nb", ""], ids=["surrogate", "long", "newline", "none"])
def test_a_host_with_any_name_is_served(start_shared, name):
    host = start_shared()
    client = {"name": name, "version": "1"}
    host.result("initialize", {"protocolVersion": "2025-11-25", "clientInfo": client})
    assert host.document("phux_ls")["sessions"] == []


def test_each_revision_lists_tools_in_its_own_format(start_host):
    shapes = {}
    for revision in REVISIONS:
        result = start_host().begin(revision).result("tools/list")
        shapes[revision] = set().union(*result["tools"])
        assert ("resultType" in result) == (revision == STATELESS)
    plain = {"name", "description", "inputSchema"}
    assert shapes["2024-11-05"] == plain
    assert shapes["2025-03-26"] == plain | {"annotations"}
    for revision in REVISIONS[2:]:
        of_tasks = {"execution"} if revision == "2025-11-25" else set()
        assert shapes[revision] == plain | {"annotations", "title", "outputSchema"} | of_tasks


def test_the_server_describes_itself_from_2025_11_25_on(start_host):
    for revision in HANDSHAKE:
        info = start_host().result("initialize", {"protocolVersion": revision})["serverInfo"]
        assert ("icons" in info) == ("description" in info) == (revision == "2025-11-25")
    host = start_host()
    host.revision = STATELESS
    info = host.result("server/discover")["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert info["icons"][0]["src"].startswith("data:image/png;base64,")
    assert "icons" not in host.result("tools/list")["_meta"]["io.modelcontextprotocol/serverInfo"]


def test_prompts_and_resources_have_titles_from_2025_06_18_on(start_host):
    for revision in ("2025-03-26", "2025-06-18"):
        host = start_host().begin(revision)
        for kind in ("prompts", "resources", "resources/templates"):
            (entries,) = host.result(f"{kind}/list").values()
            assert {"title" in entry for entry in entries} == {revision == "2025-06-18"}


def test_structured_content_accompanies_the_text_from_2025_06_18_on(start_host):
    for revision in REVISIONS:
        result = start_host().begin(revision).call("phux_ls")
        assert json.loads(result["content"][0]["text"]) == {"sessions": []}
        structured = result.get("structuredContent")
        assert (structured is not None) == (revision >= "2025-06-18")
        if structured is not None:
            validate("session-list", structured)


def test_every_result_of_the_stateless_revision_has_its_additional_fields(host):
    host.revision = STATELESS
    found = host.result("server/discover")
    assert found["supportedVersions"] == [STATELESS]
    assert found["resultType"] == "complete"
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "phux"
    for method in ("tools/list", "prompts/list", "resources/list", "resources/templates/list"):
        result = host.result(method)
        assert (result["ttlMs"], result["cacheScope"]) == (0, "private")
    assert host.call("phux_ls")["resultType"] == "complete"


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        (None, -32602),
        ({}, -32602),
        ({"io.modelcontextprotocol/protocolVersion": STATELESS}, -32602),
        (ENVELOPE | {"io.modelcontextprotocol/protocolVersion": 7}, -32602),
        (ENVELOPE | {"io.modelcontextprotocol/protocolVersion": "1999-01-01"}, -32022),
        (ENVELOPE | {"io.modelcontextprotocol/protocolVersion": "2025-11-25"}, -32022),
    ],
)
def test_a_stateless_request_with_an_invalid_envelope_is_refused(host, meta, code):
    error = host.error("server/discover", {} if meta is None else {"_meta": meta})
    assert error["code"] == code
    if code == -32022:
        assert error["data"]["supported"] == [STATELESS]


@pytest.mark.parametrize("method", ["ping", "resources/subscribe", "logging/setLevel"])
def test_the_stateless_revision_has_no_legacy_methods(host, method):
    assert host.begin(STATELESS).error(method)["code"] == -32601


def test_a_stateless_connection_rejects_bare_requests_until_a_handshake(host):
    host.begin(STATELESS)
    host.revision = None
    assert host.error("tools/list")["code"] == -32602
    host.begin("2025-06-18")
    assert "resultType" not in host.result("tools/list")
    assert host.result("tools/list", {"_meta": ENVELOPE})["resultType"] == "complete"


# Batches


def test_a_batch_gets_a_batch_of_replies_in_the_only_revision_with_batches(host):
    host.begin("2025-03-26")
    host.send(
        [
            {"jsonrpc": "2.0", "id": 1, "method": "ping"},
            {"jsonrpc": "2.0", "method": "notifications/nonsense"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "phux_ls"}},
            {"jsonrpc": "2.0", "id": 3, "method": "nonsense"},
            7,
        ]
    )
    replies = {reply["id"]: reply for reply in host.receive()}
    assert replies[1]["result"] == {}
    assert replies[2]["result"]["isError"] is False
    assert replies[3]["error"]["code"] == -32601
    assert replies[None]["error"]["code"] == -32600
    host.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
    assert host.is_silent()
    host.send([])
    assert host.receive()["error"]["code"] == -32600


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-06-18", "2025-11-25", STATELESS])
def test_a_batch_is_an_error_in_all_other_revisions(host, revision):
    host.begin(revision).send([{"jsonrpc": "2.0", "id": 1, "method": "ping"}])
    assert host.receive()["error"]["code"] == -32600


def test_the_other_calls_of_a_batch_continue_after_one_is_cancelled(host):
    host.begin("2025-03-26").document("phux_new", name="work")
    host.send(
        [
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "phux_wait", "arguments": {"until": "no"}},
            },
            {"jsonrpc": "2.0", "id": 2, "method": "ping"},
        ]
    )
    host.notify("notifications/cancelled", {"requestId": 1})
    assert [reply["id"] for reply in host.receive()] == [2]


# Invalid lines


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        (b"{nonsense", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"p\xffng"}', -32700, None),
        (b"[" * 100_000, -32700, None),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001,
            -32700,
            None,
        ),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', -32700, None),
        (b"7", -32600, None),
        (b"null", -32600, None),
        (b"[1]", -32600, None),
        (b'{"jsonrpc":"2.0","id":1}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600, 1),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 1),
        (b'{"id":1,"method":"ping"}', -32600, 1),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}', -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":7}', -32602, 1),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"nonsense"}', -32601, "\ud800"),
        (b"x" * 10_000_000, -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"nonsense","params":{"x":"' + b"x" * 10_000_000 + b'"}}', -32601, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"' + b"x" * 20_000_000 + b'"}}', -32700, None),
    ],
    ids=lambda value: value[:40] if isinstance(value, bytes) else None,
)
def test_an_invalid_line_is_an_error_and_the_adapter_continues(shared, line, code, request_id):
    shared.send(line)
    reply = shared.receive()
    assert (reply["error"]["code"], reply["id"]) == (code, request_id)
    assert shared.result("ping") == {}


def test_blank_lines_responses_and_requests_without_an_id_are_ignored(shared):
    for line in (b"", b"  \t", b'{"jsonrpc":"2.0","id":1,"result":{}}', b'{"jsonrpc":"2.0","method":"tools/list"}'):
        shared.send(line)
    assert shared.is_silent()
    assert shared.result("ping") == {}


def test_null_params_or_arguments_count_as_omitted(shared):
    shared.send(b'{"jsonrpc":"2.0","id":"a","method":"ping","params":null}')
    assert shared.reply("a")["result"] == {}
    assert not shared.result("tools/call", {"name": "phux_ls", "arguments": None})["isError"]


def test_a_duplicate_id_is_rejected_and_the_first_call_continues(modern):
    modern.document("phux_new", name="work")
    wait = {"name": "phux_wait", "arguments": {"target": "work", "until": "done now", "output_only": False}}
    modern.send({"jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": wait})
    modern.send({"jsonrpc": "2.0", "id": "same", "method": "ping"})
    assert modern.receive()["error"]["code"] == -32600
    modern.document("phux_send_keys", target="work", keys=["done now"])
    assert modern.reply("same")["result"]["structuredContent"]["outcome"] == "met"
    modern.send({"jsonrpc": "2.0", "id": "same", "method": "ping"})
    assert modern.receive() == {"jsonrpc": "2.0", "id": "same", "result": {}}


# Concurrent calls


def test_calls_run_concurrently_and_replies_keep_their_ids(modern):
    modern.document("phux_new", name="work")
    waiting = [
        modern.start("phux_wait", target="work", until=f"word{number}.", output_only=False) for number in range(20)
    ]
    assert modern.document("phux_ls")["sessions"][0]["name"] == "work"
    for number in reversed(range(20)):
        modern.document("phux_send_keys", target="work", keys=[f"word{number}."])
        assert modern.reply(waiting[number])["result"]["structuredContent"]["line"].endswith(f"word{number}.")


def test_calls_beyond_the_limit_are_rejected_and_the_others_continue(modern):
    modern.document("phux_new", name="work")
    waiting = [modern.start("phux_wait", target="work", until="never", timeout_secs=1) for _ in range(130)]
    outcomes = [modern.reply(request)["result"] for request in waiting]
    refused = [result for result in outcomes if result["isError"]]
    assert len(refused) == 2
    assert "128 calls" in refused[0]["content"][0]["text"]


def test_a_cancelled_call_gets_no_reply_and_releases_the_pane(modern, cli):
    modern.document("phux_new", name="work")
    for request in [modern.start("phux_wait", target="work", until="never") for _ in range(3)]:
        modern.notify("notifications/cancelled", {"requestId": request, "reason": "not needed"})
    held = modern.start("phux_act", target="work", keys=["x"], until="never", timeout_secs=60)
    eventually(lambda: "x" in modern.document("phux_snapshot", target="work")["lines"][0])
    modern.notify("notifications/cancelled", {"requestId": held})
    # The pane is free: another act does not wait.
    assert modern.document("phux_act", target="work", keys=["C-u"], idle_ms=50, timeout_secs=5)["outcome"] == "met"
    modern.send(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "phux_wait", "arguments": {"until": "no", "timeout_secs": 0.5}},
        }
    )
    for nonsense in ({}, {"requestId": None}, {"requestId": 424242}, {"requestId": {}}, {"requestId": True}):
        modern.notify("notifications/cancelled", nonsense)
    assert modern.receive()["id"] == 1  # the id true did not cancel it
    assert modern.is_silent()
    assert modern.result("ping") == {}


def test_a_queued_command_is_never_typed_after_its_call_was_cancelled(modern, cli):
    modern.document("phux_new", name="work")
    first = modern.start("phux_run", target="work", command="sleep 3")
    modern.document("phux_wait", target="work", state=["running"], timeout_secs=10)
    held = modern.start("phux_act", target="work", keys=["NEVER"], until="never", timeout_secs=60)
    modern.notify("notifications/cancelled", {"requestId": held})
    modern.reply(first)
    assert modern.document("phux_run", target="work", command="echo fine")["output"] == "fine"
    assert "NEVER" not in "".join(modern.document("phux_snapshot", target="work")["lines"])


def test_a_cancelled_run_leaves_the_pane_busy_like_a_timeout(modern):
    modern.document("phux_new", name="work")
    running = modern.start("phux_run", target="work", command="sleep 60")
    modern.document("phux_wait", target="work", state=["running"], timeout_secs=10)
    modern.notify("notifications/cancelled", {"requestId": running})
    refused = modern.reply(modern.start("phux_run", target="work", command="echo no", timeout_secs=20))["result"]
    assert refused["isError"]
    assert "sleep is in the foreground" in refused["content"][0]["text"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("phux_wait", {"target": "work", "regex": "(a+)+Z$"}),
        ("phux_wait", {"target": "work", "stop": "(a+)+Z$", "until": "never"}),
        ("phux_act", {"target": "work", "keys": ["a" * 60 + "!"], "regex": "(a+)+Z$", "output_only": False}),
        ("phux_logs", {"target": "work", "grep": "(a+)+Z$"}),
        ("phux_search", {"pattern": "(a+)+Z$"}),
    ],
    ids=["wait", "stop", "act", "logs", "search"],
)
def test_a_catastrophic_pattern_fails_only_its_own_call(modern, tool, arguments):
    modern.document("phux_new", name="work")
    modern.document("phux_run", target="work", command=f"echo {'a' * 60}!")
    endless = modern.start(tool, **arguments)
    assert modern.result("ping") == {}
    result = modern.reply(endless)["result"]
    assert result["isError"]
    assert "matching the pattern took" in result["content"][0]["text"]
    assert modern.document("phux_wait", target="work", regex="a+!$")["outcome"] == "met"


def test_the_result_of_a_command_is_returned_even_if_its_filter_fails(modern):
    modern.document("phux_new", name="work")
    command = f"echo {'a' * 60}!; echo last; (exit 7)"
    ran = modern.document("phux_run", target="work", command=command, grep="(a+)+$Z", tail=1)
    assert (ran["exit_code"], ran["output"].splitlines()[-1]) == (7, "last")
    assert "matching the pattern took" in ran["hint"]
    ran = modern.document("phux_run", target="work", command="echo fine; (exit 3)", grep="(")
    assert (ran["exit_code"], ran["output"]) == (3, "fine")
    assert "the pattern" in ran["hint"]


def test_a_cancelled_search_leaves_no_process_running(modern, cli):
    modern.document("phux_new", name="work")
    modern.document("phux_run", target="work", command=f"echo {'a' * 60}!")
    modern.document("phux_search", pattern="a!")
    service = cli.json("status")["service_pid"]
    children = Path(f"/proc/{service}/task/{service}/children")
    (worker,) = children.read_text().split()
    os.kill(int(worker), signal.SIGSTOP)  # so that the search does not end
    searching = modern.start("phux_search", pattern="a!")
    modern.document("phux_ls")  # sent to the same service after the search
    modern.notify("notifications/cancelled", {"requestId": searching})
    eventually(lambda: worker not in children.read_text().split())
    assert modern.document("phux_search", pattern="a!$")["matches"]


# Progress


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("phux_run", {"target": "work", "command": "echo begun; sleep 1"}),
        ("phux_wait", {"target": "work", "until": "never", "timeout_secs": 1}),
    ],
)
def test_progress_is_reported_for_a_token_and_increases(modern, tool, arguments):
    modern.document("phux_new", name="work")
    modern.reply(modern.start(tool, token="mine", **arguments))
    told = [message["params"] for message in modern.notifications if message["method"] == "notifications/progress"]
    assert len(told) >= 2
    assert {params["progressToken"] for params in told} == {"mine"}
    values = [params["progress"] for params in told]
    assert values == sorted(set(values))
    if tool == "phux_run":
        assert "begun" in {params["message"] for params in told}
    assert modern.is_silent()


def test_every_event_of_a_watch_is_reported_as_progress(modern):
    modern.document("phux_new", name="work")
    watching = modern.start("phux_watch", token=7, target="work", events=["bell"], max_events=2)
    eventually(
        lambda: (
            modern.document("phux_send_keys", target="work", keys=["printf '\\a'", "Enter"])
            and (modern.notifications or not modern.is_silent(0.2))
        )
    )
    modern.document("phux_send_keys", target="work", keys=["printf '\\a'", "Enter"])
    result = modern.reply(watching)["result"]["structuredContent"]
    assert [event["event"] for event in result["events"]] == ["bell", "bell"]
    assert (result["count"], result["outcome"]) == (2, "max_events")
    told = [message["params"]["progress"] for message in modern.notifications]
    assert told == [1, 2]


def test_a_call_without_a_token_reports_no_progress(modern):
    modern.document("phux_new", name="work")
    modern.document("phux_run", target="work", command="sleep 0.5")
    assert modern.notifications == []


# The server's life


def test_the_first_call_starts_a_server_and_so_does_the_first_after_its_end(start_host, cli, runtime):
    env = {"PHUX_SOCKET": str(runtime / "phux" / "phux.sock")}
    host = start_host("--safety", "destructive", **env).begin("2025-11-25")
    for _ in range(2):
        host.document("phux_new", name="work")
        assert host.document("phux_run", target="work", command="echo hi")["output"] == "hi"
        assert host.document("phux_kill", target="work")["killed"] == 1  # the server ends with its last session
        eventually(lambda: cli("ls", **env).code != 0)
    assert host.document("phux_ls")["sessions"] == []
    assert cli("kill", "--server", **env).code == 0


def test_without_a_server_stored_logs_can_be_read_and_other_tools_say_how_to_start_one(start_host, cli, runtime):
    env = {"PHUX_SOCKET": str(runtime / "phux" / "phux.sock")}
    cli("new", "-d", "-s", "old", **env)
    ran = json.loads(cli("run", "--json", "old", "echo needle; false", **env).out)
    assert cli("kill", "--server", **env).code == 0
    host = start_host("--no-start", **env).begin("2025-11-25")
    assert "needle" in host.document("phux_logs", target="old")["content"]
    (match,) = host.document("phux_search", pattern="^needle$")["matches"]
    assert match["log"]
    (entry,) = host.document("phux_commands")["commands"]
    assert (entry["command"], entry["exit_code"]) == ("echo needle; false", 1)
    stored = f"{match['log']}.{ran['command_id'].partition('.')[2]}"
    assert host.document("phux_logs", command_id=stored)["content"] == "needle"
    failed = host.call("phux_ls")
    assert failed["isError"]
    assert failed["structuredContent"]["code"] == "no_server"
    assert "--start" in failed["structuredContent"]["remedy"]
    assert failed["structuredContent"]["remedy"] in failed["content"][0]["text"]
    oldest = start_host(**env).begin("2024-11-05")
    assert "phux new" in oldest.failure("phux_ls")


def test_calls_survive_the_death_of_the_service(modern, cli):
    modern.document("phux_new", name="work")
    waiting = modern.start("phux_wait", target="work", until="after all")
    os.kill(cli.json("status")["service_pid"], signal.SIGKILL)
    eventually(lambda: not modern.call("phux_send_keys", target="work", keys=["echo after all", "Enter"])["isError"])
    assert modern.reply(waiting)["result"]["structuredContent"]["outcome"] == "met"


# The end of the adapter


def test_the_adapter_exits_with_0_at_the_end_of_stdin(modern):
    modern.document("phux_new", name="work")
    modern.start("phux_wait", target="work", until="never")
    began = time.monotonic()
    assert modern.close() == 0
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_adapter_exits_with_0_on_a_signal(modern, number):
    modern.document("phux_new", name="work")
    modern.start("phux_wait", target="work", until="never")
    modern.process.send_signal(number)
    assert modern.process.wait(10) == 0


def test_requests_sent_before_the_end_of_stdin_are_answered(cli, tmp_path):
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "phux_ls"}},
    ]
    asked = "\n".join(map(json.dumps, lines)).encode()  # and no newline at the end
    (tmp_path / "asked").write_bytes(asked)
    for stdin in (subprocess.PIPE, (tmp_path / "asked").open("rb")):
        given = {"input": asked} if stdin == subprocess.PIPE else {"stdin": stdin}
        done = subprocess.run([BIN / "phux-mcp"], env=cli.env, capture_output=True, timeout=20, **given)
        assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]
        assert (done.returncode, done.stderr) == (0, b"")
        if stdin != subprocess.PIPE:
            stdin.close()


def test_the_verb_mcp_runs_the_adapter(cli):
    asked = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    done = subprocess.run([BIN / "phux", "mcp"], env=cli.env, input=asked, capture_output=True, timeout=20)
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert "--safety" in cli("mcp", "--help").out
    assert cli("mcp", "--nonsense").code == 2

"""Secrets that the person types on a page of the adapter, and calls that a host polls as tasks."""

from __future__ import annotations

import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request

import anyio
import pytest

from mcp_host import ENVELOPE, STATELESS
from servers import BIN, eventually

ASK = "stty -echo; read -p 'Password: ' x; stty echo; echo got ${#x} characters"
ELICITS = {"elicitation": {"form": {}, "url": {}}}
TASKS = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


def send_secret(url, secret, **headers):
    """Open the page, as a browser does, and send the form."""
    with urllib.request.urlopen(url, timeout=10) as page:
        text = page.read().decode()
    assert 'type="password"' in text
    assert "Password:" in text
    origin = {"Origin": "http://" + urllib.parse.urlsplit(url).netloc} | headers
    form = urllib.parse.urlencode({"secret": secret}).encode()
    with urllib.request.urlopen(urllib.request.Request(url, form, origin), timeout=10) as answer:
        return answer.read().decode()


@pytest.fixture
def asked(host):
    """A host that offers URLs to the person, and a session."""
    host.send(
        {
            "jsonrpc": "2.0",
            "id": "begin",
            "method": "initialize",
            "params": {"protocolVersion": "2025-11-25", "capabilities": ELICITS, "clientInfo": {"name": "t"}},
        }
    )
    capabilities = host.reply("begin")["result"]["capabilities"]
    assert capabilities["tasks"] == {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
    host.revision = "2025-11-25"
    host.document("phux_new", name="work")
    return host


def question_to(host):
    """Return the next request to the host."""
    message = host.receive()
    while "method" not in message or "id" not in message:
        host.notifications.append(message)
        message = host.receive()
    assert (message["method"], message["params"]["mode"]) == ("elicitation/create", "url")
    return message


def test_a_secret_goes_from_the_page_to_the_program_and_never_to_the_host(asked):
    running = asked.start("phux_run", target="work", command=ASK)
    request = question_to(asked)
    url = request["params"]["url"]
    assert "Password:" in request["params"]["message"]
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{43}", url)
    asked.send({"jsonrpc": "2.0", "id": request["id"], "result": {"action": "accept"}})
    for wrong in (url[:-1], url.rpartition("/")[0] + "/"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(wrong, timeout=10)
    with pytest.raises(urllib.error.HTTPError, match="403"):  # the form of another site
        send_secret(url, "wrong", Origin="http://evil.example")
    with pytest.raises(urllib.error.HTTPError, match="404"):  # a name that was bound to this address
        urllib.request.urlopen(urllib.request.Request(url, headers={"Host": "evil.example"}), timeout=10)
    assert "was sent" in send_secret(url, "päss <wörd>&")
    result = asked.reply(running)["result"]["structuredContent"]
    assert result["exit_code"] == 0
    assert "got 1" in result["output"]
    complete = [one for one in asked.notifications if one["method"] == "notifications/elicitation/complete"]
    assert [one["params"]["elicitationId"] for one in complete] == [request["params"]["elicitationId"]]
    with pytest.raises(OSError):  # the page is gone
        urllib.request.urlopen(url, timeout=10)
    log = asked.text("phux_logs", target="work")
    assert "wörd" not in log


def test_a_secret_that_is_typed_elsewhere_ends_the_offer(asked):
    running = asked.start("phux_run", target="work", command=ASK)
    request = question_to(asked)
    asked.document("phux_send_keys", target="work", keys=["x", "Enter"])
    assert "got 1" in asked.reply(running)["result"]["structuredContent"]["output"]
    withdrawn = [one["params"] for one in asked.notifications if one["method"] == "notifications/cancelled"]
    assert withdrawn == [{"requestId": request["id"]}]
    with pytest.raises(OSError):
        urllib.request.urlopen(request["params"]["url"], timeout=10)


def test_a_secret_that_the_person_declines_or_does_not_type_in_time_is_reported(asked):
    running = asked.start("phux_run", target="work", command=ASK)
    asked.send({"jsonrpc": "2.0", "id": question_to(asked)["id"], "result": {"action": "decline"}})
    declined = asked.reply(running)["result"]["structuredContent"]
    assert declined["outcome"] == "awaiting_secret"
    asked.document("phux_send_keys", target="work", keys=["x", "Enter"])
    assert asked.document("phux_wait", command_id=declined["command_id"])["outcome"] == "finished"
    running = asked.start("phux_run", target="work", command=ASK, yield_s=1.5)
    url = question_to(asked)["params"]["url"]
    late = asked.reply(running)["result"]["structuredContent"]
    assert late["outcome"] == "awaiting_secret"
    waiting = asked.start("phux_wait", command_id=late["command_id"])
    send_secret(url, "typed later")
    assert asked.reply(waiting)["result"]["structuredContent"]["outcome"] == "finished"


@pytest.mark.parametrize("mode", ["legacy", STATELESS])
def test_the_official_client_offers_the_page_and_the_command_runs_once(official, mode):
    async def use(client, urls):
        await client.call_tool("phux_new", {"name": "work"})
        ran = await client.call_tool("phux_run", {"target": "work", "command": f"echo once >> ran; {ASK}; cat ran"})
        assert ran.structured_content["output"].endswith("characters\nonce")
        assert len(urls) == 1

    official(use, mode)


@pytest.fixture
def official(mcp, cli):
    """Connect the official client; its person types the secret."""

    def run(use, mode):
        urls = []

        async def elicit(_context, params):
            urls.append(params.url)
            await anyio.to_thread.run_sync(send_secret, params.url, "secret")
            return mcp.types.ElicitResult(action="accept")

        async def main():
            server = mcp.StdioServerParameters(command=str(BIN / "phux-mcp"), env=cli.env, cwd=cli.cwd)
            with anyio.fail_after(40), open(os.devnull, "w") as errors:
                transport = mcp.client.stdio.stdio_client(server, errlog=errors)
                async with mcp.Client(transport, mode=mode, elicitation_callback=elicit) as client:
                    await use(client, urls)

        anyio.run(main)

    return run


def test_a_state_that_belongs_to_no_call_is_refused(host):
    host.begin(STATELESS)
    params = {"name": "phux_ls", "arguments": {}, "requestState": "made up", "inputResponses": {}}
    assert host.error("tools/call", params)["code"] == -32602


# Tasks


def as_task(host, command, **arguments):
    params = {"name": "phux_run", "arguments": {"target": "work", "command": command, **arguments}, "task": {"ttl": 1}}
    task = host.result("tools/call", params)["task"]
    assert task["status"] == "working"
    assert {"taskId", "createdAt", "lastUpdatedAt", "ttl", "pollInterval"} <= set(task)
    return task["taskId"]


def test_a_call_can_be_made_as_a_task_and_its_result_be_read_later(asked):
    support = {tool["name"]: tool.get("execution") for tool in asked.result("tools/list")["tools"]}
    assert {name for name, found in support.items() if found} == {"phux_run", "phux_wait"}
    done, failed = as_task(asked, "sleep 0.5; echo done"), as_task(asked, "x", target="nothere")
    assert asked.result("tasks/get", {"taskId": done})["status"] == "working"
    result = asked.result("tasks/result", {"taskId": done})  # waits for the end
    assert result["structuredContent"]["output"] == "done"
    assert result["_meta"] == {"io.modelcontextprotocol/related-task": {"taskId": done}}
    assert asked.result("tasks/get", {"taskId": done})["status"] == "completed"
    assert asked.result("tasks/result", {"taskId": failed})["isError"]
    listed = {task["taskId"]: task["status"] for task in asked.result("tasks/list")["tasks"]}
    assert listed == {done: "completed", failed: "failed"}
    assert asked.error("tasks/cancel", {"taskId": done})["code"] == -32602
    assert asked.error("tasks/get", {"taskId": "other"})["code"] == -32602
    no_task = {"name": "phux_ls", "arguments": {}, "task": {}}
    assert asked.error("tools/call", no_task)["code"] == -32601


def test_a_cancelled_task_interrupts_its_command(asked):
    task = as_task(asked, "sleep 100")
    asked.document("phux_wait", target="work", state=["running"])
    assert asked.result("tasks/cancel", {"taskId": task})["status"] == "cancelled"
    asked.document("phux_wait", target="work", state=["prompt"], timeout_secs=10)
    assert asked.error("tasks/result", {"taskId": task})["code"] == -32000
    (entry,) = asked.document("phux_commands", target="work")["commands"]
    assert entry["exit_code"] == 130


def test_a_task_asks_the_person_for_a_secret(asked):
    task = as_task(asked, ASK)
    request = question_to(asked)
    assert request["params"]["_meta"] == {"io.modelcontextprotocol/related-task": {"taskId": task}}
    assert asked.result("tasks/get", {"taskId": task})["status"] == "input_required"
    asked.send({"jsonrpc": "2.0", "id": request["id"], "result": {"action": "accept"}})
    send_secret(request["params"]["url"], "12345")
    assert "got 5 characters" in asked.result("tasks/result", {"taskId": task})["structuredContent"]["output"]


def test_in_the_stateless_revision_a_long_call_becomes_a_task_of_a_host_that_knows_tasks(host):
    host.begin(STATELESS)

    def ask(method, *, kind="result", **params):
        meta = {**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": {**TASKS, **ELICITS}}
        host.send({"jsonrpc": "2.0", "id": "x", "method": method, "params": {"_meta": meta, **params}})
        return host.reply("x")[kind]

    def call(tool, **arguments):
        return ask("tools/call", name=tool, arguments=arguments)

    assert ask("server/discover")["capabilities"]["extensions"] == TASKS["extensions"]
    call("phux_new", name="work")
    short = call("phux_run", target="work", command="echo short")
    assert (short["resultType"], short["structuredContent"]["output"]) == ("complete", "short")
    task = call("phux_run", target="work", command=f"sleep 2; {ASK}")
    assert (task["resultType"], task["status"]) == ("task", "working")
    task_id = task["taskId"]
    eventually(lambda: ask("tasks/get", taskId=task_id)["status"] == "input_required")
    ((key, request),) = ask("tasks/get", taskId=task_id)["inputRequests"].items()
    assert "elicitationId" not in request["params"]
    assert ask("tasks/update", taskId=task_id, inputResponses={key: {"action": "accept"}, "other": 1})["resultType"]
    send_secret(request["params"]["url"], "123")
    eventually(lambda: ask("tasks/get", taskId=task_id)["status"] == "completed")
    ended = ask("tasks/get", taskId=task_id)
    assert ended["resultType"] == "complete"
    assert "got 3 characters" in json.dumps(ended["result"])
    assert ask("tasks/result", kind="error", taskId=task_id)["code"] == -32601
    assert host.error("tasks/get", {"taskId": task_id})["code"] == -32021  # without the capability
    cancelled = call("phux_run", target="work", command="sleep 100")["taskId"]
    assert ask("tasks/cancel", taskId=cancelled)["resultType"] == "complete"
    assert ask("tasks/get", taskId=cancelled)["status"] == "cancelled"

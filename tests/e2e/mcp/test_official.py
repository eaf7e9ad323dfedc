"""The official clients as peers: PyPI's mcp in every revision it supports, npm's inspector in all its modes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from mcp_host import REVISIONS, STATELESS
from servers import BIN

pytestmark = pytest.mark.filterwarnings("ignore:.*2026-07-28")

INSPECTOR = Path(sys.prefix) / "inspector" / "node_modules" / ".bin"
TOOLS = {
    *("phux_ls", "phux_tree", "phux_snapshot", "phux_wait", "phux_watch"),
    *("phux_send_keys", "phux_paste", "phux_run", "phux_act"),
    *("phux_new", "phux_split", "phux_select", "phux_rename", "phux_resize"),
}


@pytest.fixture
def official(mcp, cli, monkeypatch):
    """Connect the official client in a revision, and call a function with the client and its notifications."""

    def run(revision, use):
        # In its handshake, the client offers this revision.
        if revision != STATELESS:
            monkeypatch.setattr(mcp.client.session, "LATEST_HANDSHAKE_VERSION", revision)
        server = mcp.StdioServerParameters(command=str(BIN / "phux-mcp"), env=cli.env, cwd=cli.cwd)

        async def main():
            told = []

            async def handle(message):
                told.append(message)

            with anyio.fail_after(40), open(os.devnull, "w") as errors:
                mode = STATELESS if revision == STATELESS else "legacy"
                async with mcp.Client(
                    mcp.client.stdio.stdio_client(server, errlog=errors), mode=mode, message_handler=handle
                ) as client:
                    assert client.protocol_version == revision
                    await use(client, told)

        anyio.run(main)

    return run


@pytest.mark.parametrize("revision", REVISIONS)
def test_official_client_lists_and_calls_tools_with_progress_and_cancellation(mcp, official, revision):
    async def use(client, _told):
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names >= (TOOLS if revision != "2024-11-05" else set())
        assert "phux_run" in names
        if revision != STATELESS:
            await client.send_ping()
        made = await client.call_tool("phux_new", {"name": "work"})
        assert not made.is_error
        # The client itself checks structured content against the output schema.
        ran = await client.call_tool("phux_run", {"target": "work", "command": "echo $((6*7)); false"})
        assert json.loads(ran.content[0].text)["output"] == "42"
        assert (ran.structured_content is not None) == (revision >= "2025-06-18")
        assert (await client.call_tool("phux_run", {"target": "nothere", "command": "x"})).is_error
        with pytest.raises(mcp.MCPError):
            await client.call_tool("nonsense", {})

        values = []

        async def progress(value, _total, _message):
            values.append(value)

        await client.call_tool("phux_run", {"target": "work", "command": "sleep 0.9"}, progress_callback=progress)
        assert len(values) >= 2
        with anyio.move_on_after(0.3) as scope:
            await client.call_tool("phux_wait", {"target": "work", "until": "never"})
        assert scope.cancelled_caught
        assert not (await client.call_tool("phux_ls", {})).is_error

    official(revision, use)


@pytest.mark.parametrize("revision", [revision for revision in REVISIONS if revision >= "2025-06-18"])
def test_every_tool_result_matches_its_output_schema(official, revision):
    async def use(client, _told):
        await client.list_tools()

        async def call(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result.content[0].text
            assert result.structured_content is not None
            return result.structured_content

        await call("phux_new", name="work")
        first = await call("phux_snapshot", target="work", cells=True, scrollback=0)
        await call("phux_ls")
        await call("phux_tree")
        await call("phux_send_keys", target="work", keys=["echo hi", "Enter"])
        await call("phux_paste", target="work", text="# pasted")
        await call("phux_wait", target="work", until="hi")
        await call("phux_wait", target="work", until="never", timeout_secs=0)
        await call("phux_act", target="work", keys=["C-c"], idle_ms=50, cells=True)
        await call("phux_snapshot", target="work", since=first["seq"])
        await call("phux_run", target="work", command="true")
        await call("phux_run", target="work", command="sleep 3", timeout_secs=0.1)
        await call("phux_send_keys", target="work", keys=["C-c"])
        await call("phux_watch", target="work", timeout_secs=0.2)
        made = await call("phux_split", target="work", direction="down")
        await call("phux_split", target="work", window=True, name="second")
        await call("phux_select", target=made["target"])
        await call("phux_rename", target="work:second", name="other")
        await call("phux_resize", target=made["target"], rows=5)

    official(revision, use)


@pytest.mark.parametrize("revision", [revision for revision in REVISIONS if revision > "2024-11-05"])
def test_official_client_reads_resources_and_prompts_and_is_notified_of_changes(mcp, official, revision):
    async def use(client, told):
        await client.call_tool("phux_new", {"name": "work"})
        uris = {str(resource.uri) for resource in (await client.list_resources()).resources}
        assert {"phux://sessions", "phux://pane/1/screen", "phux://pane/1/log"} <= uris
        templates = {one.uri_template for one in (await client.list_resource_templates()).resource_templates}
        assert templates == {"phux://pane/{id}/screen", "phux://pane/{id}/log", "phux://command/{id}"}
        tree = json.loads((await client.read_resource("phux://sessions")).contents[0].text)
        assert tree["sessions"][0]["name"] == "work"
        assert (await client.read_resource("phux://pane/1/screen")).contents[0].text == "$"
        with pytest.raises(mcp.MCPError):
            await client.read_resource("phux://pane/99/screen")
        assert {prompt.name for prompt in (await client.list_prompts()).prompts} == {
            "run-and-fix",
            "drive-a-TUI",
            "watch-a-server",
        }
        prompt = await client.get_prompt("run-and-fix", {"command": "make"})
        assert "`make`" in prompt.messages[0].content.text
        with pytest.raises(mcp.MCPError):
            await client.get_prompt("run-and-fix", {})
        if revision == STATELESS:
            async with client.listen(resource_subscriptions=["phux://pane/1/screen"]) as changes:
                await client.call_tool("phux_send_keys", {"target": "work", "keys": ["hello"]})
                assert (await anext(aiter(changes))).uri == "phux://pane/1/screen"
            async with client.listen(resources_list_changed=True) as changes:
                await client.call_tool("phux_new", {"name": "other"})
                await anext(aiter(changes))
        else:
            await client.subscribe_resource("phux://pane/1/screen")
            await client.call_tool("phux_send_keys", {"target": "work", "keys": ["hello"]})
            while not any("phux://pane/1/screen" in str(message) for message in told):
                await anyio.sleep(0.01)
            await client.unsubscribe_resource("phux://pane/1/screen")
            await client.call_tool("phux_new", {"name": "other"})
            while not any("list_changed" in str(message) for message in told):
                await anyio.sleep(0.01)
        found = await client.complete(
            mcp.types.ResourceTemplateReference(uri="phux://pane/{id}/log"), {"name": "id", "value": ""}
        )
        assert found.completion.values == ["1", "2"]
        assert "hello" in (await client.read_resource("phux://pane/1/screen")).contents[0].text

    official(revision, use)


def test_official_client_detects_the_stateless_revision(mcp, cli):
    server = mcp.StdioServerParameters(command=str(BIN / "phux-mcp"), env=cli.env)

    async def main():
        async with mcp.Client(server, mode="auto") as client:
            assert client.protocol_version == STATELESS
            assert client.server_info.name == "phux"
            assert client.instructions

    anyio.run(main)


@pytest.mark.skipif(
    not (INSPECTOR / "mcp-inspector").exists(), reason="npm's inspector is not installed; .ci/run installs it"
)
@pytest.mark.parametrize("era", ["legacy", "auto", "modern"])
def test_the_inspector_reports_no_errors(cli, era):
    def inspect(*words):
        node = [INSPECTOR / "node", INSPECTOR / "mcp-inspector"]
        done = subprocess.run(
            [*node, "--cli", BIN / "phux-mcp", "--protocol-era", era, "-e", f"PHUX_SOCKET={cli.socket}", *words],
            env=cli.env | {"HOME": str(cli.cwd), "PATH": f"{INSPECTOR}:{cli.env['PATH']}"},
            cwd=cli.cwd,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout), done.stderr

    listed, complaints = inspect("--method", "tools/list", "--strict")
    assert {tool["name"] for tool in listed["tools"]} >= TOOLS
    assert complaints.strip() == ""
    made, _ = inspect("--method", "tools/call", "--tool-name", "phux_new", "--tool-arg", "name=work")
    assert made["structuredContent"]["session"] == "work"
    if era == "auto":  # only the handshake differs
        return
    read, _ = inspect("--method", "resources/read", "--uri", "phux://pane/1/screen")
    assert read["contents"][0]["text"] in {"$", "#"}  # the inspector passes on few variables, and not PS1
    prompts, _ = inspect("--method", "prompts/list")
    assert len(prompts["prompts"]) == 3

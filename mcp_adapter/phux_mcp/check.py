"""``phux mcp check``: act as a host of this adapter in each revision, and report the results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from phux_mcp.revisions import META_CAPABILITIES, META_REVISION, REVISIONS, Revision

if TYPE_CHECKING:
    import argparse

    Message = dict[str, Any]

# For all checks of one revision.
_TIMEOUT_S = 60.0


class CheckError(Exception):
    """The adapter behaved incorrectly."""


def main(options: argparse.Namespace) -> int:
    """Check every revision with a private phux server, print one line for each, and return 0 if all passed."""
    from phux_client.embedding import EmbeddedServer

    failed = False
    with EmbeddedServer() as server:
        for revision in REVISIONS.values():
            try:
                print(f"ok      {revision.name}  {_check(revision, options, server.socket)}", flush=True)
            except (CheckError, OSError, ValueError, KeyError) as error:
                failed = True
                print(f"failed  {revision.name}  {error!r}", flush=True)
    return int(failed)


def _check(revision: Revision, options: argparse.Namespace, socket: str) -> str:
    words = ["--profile", options.profile, *(["--safety", options.safety] if options.safety else [])]
    command = [sys.executable, "-P", "-m", "phux_mcp", *words]
    env = {**os.environ, "PHUX_SOCKET": socket}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as process:
        timer = threading.Timer(_TIMEOUT_S, process.kill)
        timer.start()
        try:
            results = _use(_Host(process, revision), revision, options.profile)
            process.communicate()
            _expect(process.returncode == 0, "the adapter did not exit with 0 at the end of its input")
        finally:
            timer.cancel()
            process.kill()
    return ", ".join(results)


def _use(host: _Host, revision: Revision, profile: str) -> list[str]:
    """Make requests, call the tools that are allowed, and return the results."""
    began = time.monotonic()
    if revision.stateless:
        host.ask("server/discover")
    else:
        client = {"name": "phux-check", "version": "1"}
        params = {"protocolVersion": revision.name, "capabilities": {}, "clientInfo": client}
        agreed = host.ask("initialize", params)["protocolVersion"]
        _expect(agreed == revision.name, f"the adapter answered with the revision {agreed}")
        host.send({"method": "notifications/initialized"})
    first_ms = (time.monotonic() - began) * 1000
    tools = host.ask("tools/list")["tools"]
    size = len(json.dumps(tools, separators=(",", ":")).encode())
    results = [f"{len(tools)} tools in {size / 1000:.1f} KB", f"first reply after {first_ms:.0f} ms"]
    host.ask("no/such/method", error=-32601)
    host.ask("tools/call", {"name": "no_such_tool", "arguments": {}}, error=-32602)
    if profile == "phux":
        if "phux_new" in {tool["name"] for tool in tools}:
            session = f"check-{revision.name}"
            host.call("phux_new", name=session)
            ran = host.call("phux_run", target=session, command="echo $((6*7)); false")
            _expect((ran["output"], ran["exit_code"]) == ("42", 1), f"phux_run returned {ran}")
        began = time.monotonic()
        host.call("phux_ls")
        results.append(f"phux_ls in {(time.monotonic() - began) * 1000:.1f} ms")
    return results


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise CheckError(otherwise)


class _Host:
    """A host of an adapter."""

    def __init__(self, process: subprocess.Popen[bytes], revision: Revision) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._input = process.stdin
        self._output = process.stdout
        self._revision = revision
        self._last_id = 0

    def send(self, message: Message) -> None:
        self._input.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._input.flush()

    def ask(self, method: str, params: Message | None = None, error: int | None = None) -> Message:
        """Send a request, check that it succeeds, or fails with the code ``error``, and return its result or error."""
        params = params or {}
        if self._revision.stateless:
            params = {**params, "_meta": {META_REVISION: self._revision.name, META_CAPABILITIES: {}}}
        self._last_id += 1
        self.send({"id": self._last_id, "method": method, "params": params})
        line = self._output.readline()
        _expect(bool(line), f"the adapter ended, or did not answer {method} in time")
        reply: Message = json.loads(line)
        kind = "result" if error is None else "error"
        _expect(kind in reply and reply["id"] == self._last_id, f"{method} was answered with {reply}")
        answer: Message = reply[kind]
        _expect(answer.get("code") == error, f"{method} returned {answer} instead of the error {error}")
        return answer

    def call(self, tool: str, **arguments: object) -> Message:
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        text = result["content"][0]["text"]
        _expect(not result["isError"], f"{tool} failed: {text}")
        _expect(("structuredContent" in result) == self._revision.structured, f"{tool} returned {sorted(result)}")
        document: Message = json.loads(text)
        return document

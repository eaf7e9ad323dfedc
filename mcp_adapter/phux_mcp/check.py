"""``phux mcp check``: act as a host of this adapter in each revision, and report the results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Self

from phux_mcp.revisions import META_CAPABILITIES, META_REVISION, REVISIONS, Revision

if TYPE_CHECKING:
    import argparse

    Message = dict[str, Any]

# For all checks of one revision.
_TIMEOUT_S = 60.0


class CheckError(Exception):
    """The adapter behaved incorrectly."""


def main(options: argparse.Namespace) -> int:
    """Check every revision with a private phux server, and print one line for each.

    Returns:
        0 if every check passed.
    """
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
    with _Player(revision, options, socket) as player:
        began = time.monotonic()
        if revision.stateless:
            player.ask("server/discover")
        else:
            client = {"name": "phux-check", "version": "1"}
            agreed = player.ask("initialize", protocolVersion=revision.name, capabilities={}, clientInfo=client)[
                "protocolVersion"
            ]
            _expect(agreed == revision.name, f"it answered with the revision {agreed}")
            player.send({"method": "notifications/initialized"})
        first_ms = (time.monotonic() - began) * 1000
        tools = player.ask("tools/list")["tools"]
        size = len(json.dumps(tools, separators=(",", ":")).encode())
        results = [f"{len(tools)} tools in {size / 1000:.1f} KB", f"first reply after {first_ms:.0f} ms"]
        player.expect_error(-32601, "no/such/method")
        player.expect_error(-32602, "tools/call", name="no_such_tool", arguments={})
        if options.profile == "phux":
            results.append(_use(player, revision, [tool["name"] for tool in tools]))
        _expect(player.close() == 0, "it did not exit with 0 at the end of its input")
    return ", ".join(results)


def _use(player: _Player, revision: Revision, names: list[str]) -> str:
    """Call the tools that are allowed."""
    if "phux_new" in names:
        session = f"check-{revision.name}"
        player.call("phux_new", revision, name=session)
        ran = player.call("phux_run", revision, target=session, command="echo $((6*7)); false")
        _expect((ran["output"], ran["exit_code"]) == ("42", 1), f"phux_run returned {ran}")
    began = time.monotonic()
    player.call("phux_ls", revision)
    return f"phux_ls in {(time.monotonic() - began) * 1000:.1f} ms"


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise CheckError(otherwise)


class _Player:
    """A host for the check. Kills the adapter if it takes too long."""

    def __init__(self, revision: Revision, options: argparse.Namespace, socket: str) -> None:
        words = ["--profile", options.profile, *(["--safety", options.safety] if options.safety else [])]
        self._revision = revision
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "phux_mcp", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PHUX_SOCKET": socket},
        )
        self._next_id = 1
        self._timer = threading.Timer(_TIMEOUT_S, self._process.kill)

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._timer.cancel()
        self._process.kill()
        self.close()

    def close(self) -> int:
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()
        return self._process.wait()

    def send(self, message: Message) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def _request(self, method: str, params: Message) -> Message:
        assert self._process.stdout is not None
        if self._revision.stateless:
            params = {**params, "_meta": {META_REVISION: self._revision.name, META_CAPABILITIES: {}}}
        self._next_id += 1
        self.send({"id": self._next_id, "method": method, "params": params})
        line = self._process.stdout.readline()
        _expect(bool(line), f"it ended, or did not answer {method} in time")
        reply: Message = json.loads(line)
        _expect(reply.get("id") == self._next_id, f"{method} was answered with {reply}")
        return reply

    def ask(self, method: str, **params: object) -> Message:
        reply = self._request(method, params)
        _expect("result" in reply, f"{method} failed: {reply.get('error')}")
        result: Message = reply["result"]
        return result

    def expect_error(self, code: int, method: str, **params: object) -> None:
        reply = self._request(method, params)
        _expect(reply.get("error", {}).get("code") == code, f"{method} returned {reply} instead of the error {code}")

    def call(self, tool: str, revision: Revision, **arguments: object) -> Message:
        result = self.ask("tools/call", name=tool, arguments=arguments)
        text = result["content"][0]["text"]
        _expect(not result["isError"], f"{tool} failed: {text}")
        _expect(("structuredContent" in result) == revision.structured, f"{tool} returned {sorted(result)}")
        document: Message = json.loads(text)
        return document

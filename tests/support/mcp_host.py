"""An MCP host for tests, which runs the installed ``phux-mcp`` on pipes and gives access to every message."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from typing import TYPE_CHECKING, Any, Self

from servers import BIN

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

STATELESS = "2026-07-28"
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", STATELESS)
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Host:
    """A host that runs one adapter.

    Args:
        env: The adapter's environment.
        cwd: Its working directory.
        arguments: Its command-line arguments.
    """

    def __init__(self, env: Mapping[str, str], cwd: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [BIN / "phux-mcp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(env),
            cwd=cwd,
        )
        self.revision: str | None = None
        self.pane = ""  # the selector of the pane that a test uses
        self.notifications: list[dict[str, Any]] = []
        self._early: dict[Any, dict[str, Any]] = {}
        self._next_id = 1000
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def send(self, message: bytes | dict[str, Any] | list[Any]) -> None:
        """Send a line, given as bytes or as a JSON value."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self, timeout_s: float = 20) -> Any:
        """Return the next message."""
        line = self._lines.get(timeout=timeout_s)
        assert line, f"the adapter exited: {self.process.stderr.read().decode()}"
        return json.loads(line)

    def is_silent(self, for_s: float = 0.3) -> bool:
        """Return True if no line arrives within ``for_s`` seconds."""
        try:
            line = self._lines.get(timeout=for_s)
        except queue.Empty:
            return True
        self._lines.put(line)
        return False

    def request(self, method: str, params: dict[str, Any] | None = None, **more: Any) -> int:
        """Send a request, and return its id."""
        self._next_id += 1
        params = dict(params or {})
        if self.revision == STATELESS and method != "initialize":
            params["_meta"] = {**ENVELOPE, **params.get("_meta", {})}
        self.send({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params, **more})
        return self._next_id

    def reply(self, request_id: Any, timeout_s: float = 20) -> dict[str, Any]:
        """Return the reply to a request, and append notifications that arrive before it to ``notifications``."""
        while request_id not in self._early:
            message = self.receive(timeout_s)
            if "id" in message:
                self._early[message["id"]] = message
            else:
                self.notifications.append(message)
        return self._early.pop(request_id)

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request, and return its reply."""
        return self.reply(self.request(method, params))

    def result(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request that must succeed, and return its result."""
        reply = self.ask(method, params)
        assert "result" in reply, reply
        return reply["result"]

    def error(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request that must fail, and return its error."""
        reply = self.ask(method, params)
        assert "error" in reply, reply
        return reply["error"]

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params or {}})

    def begin(self, revision: str) -> Host:
        """Perform the handshake of a protocol revision."""
        self.revision = revision
        if revision == STATELESS:
            self.result("server/discover")
        else:
            client = {"name": "test", "version": "1"}
            params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": client}
            assert self.result("initialize", params)["protocolVersion"] == revision
            self.notify("notifications/initialized")
        return self

    def start(self, tool: str, *, token: Any = None, **arguments: Any) -> int:
        """Start a tool call, and return the request's id."""
        meta = {} if token is None else {"_meta": {"progressToken": token}}
        return self.request("tools/call", {"name": tool, "arguments": arguments, **meta})

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool, and return its result."""
        reply = self.reply(self.start(tool, **arguments))
        assert "result" in reply, reply
        return reply["result"]

    def text(self, tool: str, **arguments: Any) -> str:
        """Call a tool that must not fail, and return its only text block."""
        result = self.call(tool, **arguments)
        (block,) = [block for block in result["content"] if block["type"] != "resource_link"]
        assert block["type"] == "text"
        assert not result["isError"], block["text"]
        return block["text"]

    def document(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must not fail, and return its document: the structured content, or without one, the text."""
        result = self.call(tool, **arguments)
        assert not result["isError"], result["content"]
        return result.get("structuredContent") or json.loads(result["content"][0]["text"])

    def failure(self, tool: str, **arguments: Any) -> str:
        """Call a tool that must fail, and return its message."""
        result = self.call(tool, **arguments)
        (block,) = result["content"]
        assert result["isError"], block["text"]
        return block["text"]

    def close(self, timeout_s: float = 10) -> int:
        """Close the adapter's stdin, wait until it exits, and return its exit status."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        status = self.process.wait(timeout_s)
        self._reader.join(timeout_s)
        self.process.stdout.close()
        self.process.stderr.close()
        return status

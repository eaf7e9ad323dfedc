"""An MCP server on pipes, and a client that only reads lines."""

from __future__ import annotations

import json
import os
import subprocess
import time


class Peer:
    """An MCP server on pipes."""

    def __init__(self, words, env):
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, bufsize=0
        )
        self.lines = self.process.stdout
        self.rest = b""
        self.next_id = 0

    def begin(self):
        """Initialize the connection, and return the seconds from the start of the process to the reply."""
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        first = time.perf_counter() - self.began
        self.send({"method": "notifications/initialized"})
        return first

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def request(self, method, params):
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})

    def receive(self):
        while b"\n" not in self.rest:
            data = os.read(self.lines.fileno(), 1 << 20)
            assert data, "the MCP server exited"
            self.rest += data
        line, _, self.rest = self.rest.partition(b"\n")
        reply = json.loads(line)
        assert "error" not in reply, reply
        return reply["result"]

    def ask(self, method, **params):
        self.request(method, params)
        return self.receive()

    def call(self, tool, **arguments):
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result
        return result

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.lines.close()

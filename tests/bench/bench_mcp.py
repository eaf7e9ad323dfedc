"""Compare phux-mcp with a FastMCP server for tmux: ``python tests/bench/bench_mcp.py [--rounds N]``.

Both servers offer the same tools, and the same line-based client measures both in one run. The benchmark prints the
calls per second for listing sessions, sequentially and sixteen at a time; the latency of running `true`; and the time
from the start of the process to its first reply and to the first result of a tool.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import libtmux

from phux_client import blocking
from phux_client.embedding import EmbeddedServer

HERE = Path(__file__).parent
ADAPTER = Path(sys.executable).parent / "phux-mcp"


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


def sequential_calls_per_s(peer, tool, rounds):
    for _ in range(20):
        peer.call(tool)
    began = time.perf_counter()
    for _ in range(rounds):
        peer.call(tool)
    return rounds / (time.perf_counter() - began)


def concurrent_calls_per_s(peer, tool, rounds, width=16):
    began = time.perf_counter()
    for _ in range(rounds // width):
        for _ in range(width):
            peer.request("tools/call", {"name": tool, "arguments": {}})
        for _ in range(width):
            peer.receive()
    return (rounds // width * width) / (time.perf_counter() - began)


def run_latency_ms(peer, tool, rounds):
    times = []
    for number in range(rounds + 5):
        began = time.perf_counter()
        peer.call(tool, target="bench", command="true")
        if number >= 5:
            times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def start_times_ms(words, env, tool, times=5):
    """Return the shortest times of several starts: to the first reply, and to the first result of a tool."""
    first, tool_result = [], []
    for _ in range(times):
        peer = Peer(words, env)
        first.append(peer.begin() * 1000)
        peer.call(tool)
        tool_result.append((time.perf_counter() - peer.began) * 1000)
        peer.close()
    return min(first), min(tool_result)


def measure(words, env, names, rounds):
    first, tool_result = start_times_ms(words, env, names["ls"])
    peer = Peer(words, env)
    peer.begin()
    result = {
        "ls, calls/s": sequential_calls_per_s(peer, names["ls"], rounds),
        "ls, 16 at a time, calls/s": concurrent_calls_per_s(peer, names["ls"], rounds),
        "run true, ms": run_latency_ms(peer, names["run"], max(10, rounds // 10)),
        "first reply, ms": first,
        "first result of a tool, ms": tool_result,
    }
    peer.close()
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=300)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as directory, EmbeddedServer() as ours:
        with blocking.connect(ours.socket) as phux:
            phux.new_session("bench", command=["bash", "--norc"])
        tmux_socket = str(Path(directory) / "tmux.sock")
        tmux = libtmux.Server(socket_path=tmux_socket, config_file="/dev/null")
        tmux.new_session("bench", window_command="bash --norc", x=80, y=24)
        try:
            env = {**os.environ, "PHUX_SOCKET": ours.socket}
            mine = measure([ADAPTER], env, {"ls": "phux_ls", "run": "phux_run"}, rounds)
            peer_words = [sys.executable, HERE / "fastmcp_tmux.py", tmux_socket]
            theirs = measure(peer_words, env, {"ls": "tmux_ls", "run": "tmux_run"}, rounds)
        finally:
            tmux.kill()
    print(f"{'':<28}{'phux-mcp':>12}{'FastMCP+tmux':>14}{'ratio':>8}")
    for name, value in mine.items():
        ratio = value / theirs[name] if name.endswith("calls/s") else theirs[name] / value
        print(f"{name:<28}{value:>12.1f}{theirs[name]:>14.1f}{ratio:>7.1f}x")


if __name__ == "__main__":
    main()

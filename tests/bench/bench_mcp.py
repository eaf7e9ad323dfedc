"""The MCP adapter: ``python tests/bench/bench_mcp.py [--rounds N]``.

Side by side in one run: phux-mcp over phux, and a FastMCP server over libtmux and tmux that does the same. One raw line client
for both. Prints calls per second of a list of sessions, one call after the other and sixteen at a time; the latency of a run of
`true`; and the time from the start of the process to its first reply, and to the first answer of a tool.
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
        """Shake hands; the time from the start to the reply comes back."""
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
            assert data, "the server has ended"
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


def one_after_the_other(peer, tool, rounds):
    for _ in range(20):
        peer.call(tool)
    began = time.perf_counter()
    for _ in range(rounds):
        peer.call(tool)
    return rounds / (time.perf_counter() - began)


def side_by_side(peer, tool, rounds, width=16):
    began = time.perf_counter()
    for _ in range(rounds // width):
        for _ in range(width):
            peer.request("tools/call", {"name": tool, "arguments": {}})
        for _ in range(width):
            peer.receive()
    return (rounds // width * width) / (time.perf_counter() - began)


def latency_of_run(peer, tool, rounds):
    times = []
    for number in range(rounds + 5):
        began = time.perf_counter()
        peer.call(tool, target="bench", command="true")
        if number >= 5:
            times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def starts(words, env, tool, times=5):
    """Time from the start to the first reply, and to the first answer of a tool, in milliseconds; the best of several."""
    first, answer = [], []
    for _ in range(times):
        peer = Peer(words, env)
        first.append(peer.begin() * 1000)
        peer.call(tool)
        answer.append((time.perf_counter() - peer.began) * 1000)
        peer.close()
    return min(first), min(answer)


def measure(words, env, names, rounds):
    first, answer = starts(words, env, names["ls"])
    peer = Peer(words, env)
    peer.begin()
    result = {
        "ls, calls/s": one_after_the_other(peer, names["ls"], rounds),
        "ls, 16 at a time, calls/s": side_by_side(peer, names["ls"], rounds),
        "run true, ms": latency_of_run(peer, names["run"], max(10, rounds // 10)),
        "first reply, ms": first,
        "first answer of a tool, ms": answer,
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

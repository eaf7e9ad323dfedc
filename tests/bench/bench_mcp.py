"""Compare phux-mcp with a FastMCP server for tmux: ``python tests/bench/bench_mcp.py [--rounds N]``.

Both servers offer the same tools, and the same line-based client measures both in one run. The benchmark prints the
calls per second for listing sessions, sequentially and sixteen at a time; the latency of running `true`; and the time
from the start of the process to its first reply and to the first result of a tool. Then it compares phux-mcp with the
library, which does the same without MCP.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import libtmux

sys.path.insert(0, str(Path(__file__).parent))
from mcp_peer import Peer
from targets import Targets

import phux_client
from phux_client import blocking
from phux_client.embedding import EmbeddedServer

HERE = Path(__file__).parent
ADAPTER = Path(sys.executable).parent / "phux-mcp"
TURNS = 7


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


def latency_ms(call, rounds):
    """Return the median duration of a call after a warm-up."""
    times = []
    for number in range(rounds + 5):
        began = time.perf_counter()
        call()
        if number >= 5:
            times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def compare_with_library(peer, socket, rounds, targets):
    """Compare the latency of tools with that of the async library, in turns, and print the ratios."""
    with asyncio.Runner() as runner:
        phux = phux_client.Phux(socket)
        pane = next(one for one in runner.run(phux.sessions()) if one.name == "library").pane
        pairs = {
            "phux_ls": (lambda: peer.call("phux_ls"), phux.sessions),
            "phux_run true": (
                lambda: peer.call("phux_run", target="library", command="true"),
                lambda: pane.run("true"),
            ),
        }
        for name, (tool, call) in pairs.items():
            turns = [(latency_ms(tool, rounds), runner.run(async_latency_ms(call, rounds))) for _ in range(TURNS)]
            ours, theirs = (statistics.median(times) for times in zip(*turns, strict=True))
            shown = targets.check(f"{name}, against the library", ours / theirs, at_most=2)
            print(f"{name:<28}{ours:>12.2f}{theirs:>14.2f}   {shown}")
        phux.close()


async def async_latency_ms(call, rounds):
    """Return the median duration of an async call after a warm-up."""
    times = []
    for number in range(rounds + 5):
        began = time.perf_counter()
        await call()
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
        "run true, ms": latency_ms(
            lambda: peer.call(names["run"], target="bench", command="true"), max(10, rounds // 10)
        ),
        "first reply, ms": first,
        "first result of a tool, ms": tool_result,
    }
    peer.close()
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=300)
    rounds = parser.parse_args().rounds
    targets = Targets()
    with tempfile.TemporaryDirectory() as directory, EmbeddedServer() as ours, blocking.connect(ours.socket) as phux:
        phux.new_session("bench", command=["bash", "--norc"])
        phux.new_session("library", command=["bash"], env={"HOME": directory})
        tmux_socket = str(Path(directory) / "tmux.sock")
        tmux = libtmux.Server(socket_path=tmux_socket, config_file="/dev/null")
        tmux.new_session("bench", window_command="bash --norc", x=80, y=24)
        env = {**os.environ, "PHUX_SOCKET": ours.socket}
        try:
            mine = measure([ADAPTER], env, {"ls": "phux_ls", "run": "phux_run"}, rounds)
            peer_words = [sys.executable, HERE / "fastmcp_tmux.py", tmux_socket]
            theirs = measure(peer_words, env, {"ls": "tmux_ls", "run": "tmux_run"}, rounds)
        finally:
            tmux.kill()
        print(f"{'':<28}{'phux-mcp':>12}{'FastMCP+tmux':>14}   ratio")
        for name, value in mine.items():
            ratio = value / theirs[name] if name.endswith("calls/s") else theirs[name] / value
            at_least = 5 if name.endswith("calls/s") else 1
            print(f"{name:<28}{value:>12.1f}{theirs[name]:>14.1f}   {targets.check(name, ratio, at_least=at_least)}")
        print(f"\n{'ms':<28}{'phux-mcp':>12}{'library':>14}   ratio")
        peer = Peer([ADAPTER], env)
        peer.begin()
        compare_with_library(peer, ours.socket, max(10, rounds // 5), targets)
        peer.close()
    return targets.finish()


if __name__ == "__main__":
    sys.exit(main())

"""Count the tokens that a model reads: ``python tests/bench/bench_tokens.py [--against CHECKOUT]``.

Twelve scripted tasks call the tools of phux-mcp as a model does, in revision 2025-06-18. For each task, the benchmark
prints the tokens of the texts of all results; then those of the catalog, as hosts pass it to models (names,
descriptions and input schemas). ``--against`` runs the same tasks with the adapter of another checkout.

With rs-bpe from PyPI, tokens are those of o200k_base; otherwise they are the adapter's own estimate, which is high.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from mcp_peer import Peer
from targets import Targets

from phux_client.embedding import EmbeddedServer
from phux_mcp.budget import tokens as estimated

try:
    from rs_bpe.bpe import openai
except ImportError:
    count = estimated
    COUNTED_BY = "estimate"
else:
    _encode = openai.o200k_base().encode
    COUNTED_BY = "o200k_base"

    def count(text):
        return len(_encode(text))


MENU = """\
import os, sys, termios, tty
names, chosen = ["build", "test", "lint", "deploy", "quit"], 0
before = termios.tcgetattr(0)
tty.setraw(0)
while True:
    rows = "\\r\\n".join(f"\\x1b[7m> {name}\\x1b[m" if at == chosen else f"  {name}" for at, name in enumerate(names))
    sys.stdout.write("\\x1b[H\\x1b[2JChoose a task\\r\\n\\r\\n" + rows)
    sys.stdout.flush()
    key = os.read(0, 10)
    if key == b"\\r":
        break
    chosen = (chosen + {b"\\x1b[B": 1, b"\\x1b[A": -1}.get(key, 0)) % len(names)
termios.tcsetattr(0, termios.TCSADRAIN, before)
print(f"\\x1b[H\\x1b[2Jran {names[chosen]}")
"""
TESTS = """\
echo "collected 24 items"
for i in $(seq 1 24); do echo "tests/test_shop.py::test_case_$i PASSED"; done | sed 's/_17 PASSED/_17 FAILED/'
echo "E       assert total(cart) == 42"
echo "E       assert 41 == 42"
echo "1 failed, 23 passed in 0.31s"
exit 1
"""
SERVER = """\
echo "compiling"; sleep 0.3; echo "listening on http://127.0.0.1:8000"
for i in 1 2 3 4 5; do echo "GET /$i 200"; done
exec sleep 100
"""


class Model:
    """Calls tools, and counts the tokens of their results."""

    def __init__(self, peer):
        self._peer = peer
        self.tools = {tool["name"]: tool for tool in peer.ask("tools/list")["tools"]}
        self.tokens = 0

    def __call__(self, tool, **arguments):
        result = self._peer.call(tool, **arguments)
        late = result["structuredContent"].get("outcome") == "timed_out" and arguments["timeout_secs"] > 1
        assert not late, (tool, arguments, result)
        self.tokens += sum(count(block["text"]) for block in result["content"] if block["type"] == "text")
        return result["structuredContent"]

    def styled(self, tool, **arguments):
        """Call a tool for styled text, in the way that this version offers."""
        has_highlights = "highlights" in self.tools[tool]["inputSchema"]["properties"]
        return self(tool, **arguments, **{"highlights" if has_highlights else "cells": True})


def start_a_session(call):
    call("phux_ls")
    call("phux_new", name="build")
    call("phux_run", target="build", command="true")
    call("phux_run", target="build", command="pwd")


def find_a_failing_test(call):
    call("phux_run", target="work", command="sh tests.sh")
    call("phux_run", target="work", command="sh tests.sh", grep="FAILED|^E ")


def read_long_output(call):
    ran = call("phux_run", target="work", command="seq 1 20000; false", tail=20)
    call("phux_logs", command_id=ran["command_id"], grep="^1999.$")


def watch_a_server(call):
    started = call("phux_run", target="work", command="sh server.sh", detach=True)
    call("phux_wait", target="work", until="listening on", since=started["since"], timeout_secs=20)
    call("phux_logs", command_id=started["command_id"], tail=5)
    call("phux_signal", target="work", signal="INT")
    call("phux_wait", target="work", state=["prompt"], timeout_secs=20)


def use_a_repl(call):
    call("phux_act", target="work", keys=["python3 -q -i -S", "Enter"], until=">>>", timeout_secs=20)
    for line in ("import math", "math.factorial(20)", "[n for n in range(30) if n % 7 == 0]"):
        call("phux_act", target="work", keys=[line, "Enter"], idle_ms=100)
    call("phux_act", target="work", keys=["raise SystemExit", "Enter"], state=["prompt"], timeout_secs=20)


def edit_with_vim(call):
    call("phux_act", target="work", keys=["vim -u NONE -N notes.txt", "Enter"], state=["fullscreen"], timeout_secs=20)
    call("phux_act", target="work", keys=["i", "Buy milk", "Escape"], idle_ms=200)
    call("phux_act", target="work", keys=[":wq", "Enter"], state=["prompt"], timeout_secs=20)


def choose_from_a_menu(call):
    call.styled("phux_act", target="work", keys=["python3 -S menu.py", "Enter"], until="quit", timeout_secs=20)
    call.styled("phux_act", target="work", keys=["Down"], idle_ms=100)
    call.styled("phux_act", target="work", keys=["Down"], idle_ms=100)
    call("phux_act", target="work", keys=["Enter"], state=["prompt"], timeout_secs=20)


def read_a_screen(call):
    seen = call("phux_snapshot", target="work")
    call("phux_run", target="work", command="ls -l")
    call("phux_snapshot", target="work", since=seen["seq"])


def read_colors(call):
    call("phux_run", target="work", command="clear; ls -l --color=always")
    call.styled("phux_snapshot", target="work")


def arrange_panes(call):
    call("phux_split", target="work", direction="down", size="30%")
    call("phux_split", target="work", window=True, name="logs")
    call("phux_rename", target="work:logs", name="tail")
    call("phux_resize", target="work:0.1", rows=5)
    call("phux_select", target="work:0.0")
    call("phux_tree")


def look_at_the_past(call):
    for number in range(18):
        call("phux_run", target="history", command=f"echo step {number}")
    call("phux_run", target="history", command="make all")
    call("phux_commands", target="history")
    call("phux_search", pattern="step 1[0-3]", session="history")


def answer_a_question(call):
    call("phux_run", target="work", command="read -p 'Continue? ' answer; echo got $answer", timeout_secs=1)
    call("phux_act", target="work", keys=["yes", "Enter"], until="got yes", timeout_secs=20)
    call("phux_send_keys", target="work", keys=["echo typed", "Enter"])
    call("phux_paste", target="work", text="# pasted")
    call("phux_wait", target="work", until="# pasted", output_only=False, timeout_secs=20)
    call("phux_send_keys", target="work", keys=["C-u"])


TASKS = (
    *(start_a_session, find_a_failing_test, read_long_output, watch_a_server, use_a_repl, edit_with_vim),
    *(choose_from_a_menu, read_a_screen, read_colors, arrange_panes, look_at_the_past, answer_a_question),
)


def measure(words, more):
    """Return the tokens of each task, and of the catalog without and with what hosts keep from models."""
    tokens = {}
    with tempfile.TemporaryDirectory() as directory, EmbeddedServer() as server:
        for name, text in {"menu.py": MENU, "tests.sh": TESTS, "server.sh": SERVER}.items():
            Path(directory, name).write_text(text)
        env = {**os.environ, "PHUX_SOCKET": server.socket, "HOME": directory, "PS1": "$ ", "SHELL": "/bin/bash"} | more
        peer = Peer(words, env)
        peer.begin()
        call = Model(peer)
        for name in ("work", "history"):
            peer.call("phux_new", name=name, cwd=directory)
        for task in TASKS:
            call.tokens = 0
            task(call)
            tokens[task.__name__.replace("_", " ")] = call.tokens
        shown = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in call.tools.values()]
        catalogs = (count(_compact(shown)), count(_compact(list(call.tools.values()))))
        peer.close()
    return tokens, catalogs


def _compact(document):
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--against", type=Path, metavar="CHECKOUT")
    other = parser.parse_args().against
    targets = Targets()
    words = [sys.executable, "-P", "-m", "phux_mcp"]
    now, catalogs = measure(words, {})
    path = os.pathsep.join(str(other / part) for part in (".", "cli", "mcp_adapter")) if other else ""
    before, catalogs_before = measure(words, {"PYTHONPATH": path}) if other else ({}, ())
    print(f"{'tokens (' + COUNTED_BY + ')':<28}{'before':>8}{'now':>8}")
    for name, value in now.items():
        print(f"{name:<28}{before.get(name, ''):>8}{value:>8}")
    total, total_before = sum(now.values()), sum(before.values())
    ratio = targets.check("all tasks, now / before", total / total_before, at_most=0.6) if other else ""
    print(f"{'all tasks':<28}{total_before or '':>8}{total:>8}   {ratio}")
    share = targets.check("catalog, in thousands", catalogs[0] / 1000, at_most=3)
    print(f"{'catalog':<28}{catalogs_before[0] if other else '':>8}{catalogs[0]:>8}   {share}")
    print(f"{'with output schemas':<28}{catalogs_before[1] if other else '':>8}{catalogs[1]:>8}")
    return targets.finish()


if __name__ == "__main__":
    sys.exit(main())

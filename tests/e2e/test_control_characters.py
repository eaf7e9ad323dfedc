"""No control character of a program's output, title or file name reaches a terminal: every verb, attach, and MCP."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tty
from pathlib import Path

import pytest

from mcp_host import STATELESS, Host
from outers import attached
from phux_cli.verbs import VERBS
from phux_client import blocking
from phux_core import escapes
from servers import SHELL, clean_environment, embedded_server

BIDI = "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
C0 = "".join(map(chr, range(1, 32)))
C1 = "".join(map(chr, range(0x80, 0xA0)))
ALL = "\x1b]0;C0\a" + C0 + "\x7f" + C1 + BIDI + "\x1b[31m\x9b32m\x1bPdcs\x1b\\"
# At most 255 bytes, and no slash.
NAME = "\x1b]2;n\a" + C0 + "\x7f" + C1 + BIDI
# What `cp` writes to a terminal before and after the progress of a copy.
ERASED_PROGRESS = "\r\x1b[K"
COLORED = re.compile(r"\x1b\[(?:32|36|1;31|1;33)m(.*?)\x1b\[m")
FORBIDDEN = re.compile(f"[\0-\x08\x0b-\x1f\x7f-\x9f{BIDI}]")
# Prints all controls in every order of encoding, sets a title and a directory with them, and does it again.
PROGRAM = """#!{python}
import sys, time
controls = {controls!r}
out = sys.stdout.buffer
while True:
    out.write(b"needle " + bytes(range(0x80, 0xA0)) + controls.encode() + b"\\r\\nneedle\\r\\n")
    title = "".join(one for one in controls if one >= "\\x80" and one != "\\x9c")
    out.write(b"\\x1b]2;title " + title.encode() + str(time.time()).encode() + b"\\x1b\\\\")
    out.write(b"\\x1b]2;" + title.encode() + b"\\a\\r\\nneedle " + title.encode() + b"\\r\\n")
    out.flush()
    time.sleep(0.3)
"""
# One verb after the other in one process, so that not each has to start Python. NUL ends the output of one.
RUNNER = """
import json, os, sys
from phux_cli.main import main
lines = os.fdopen(os.dup(0))
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # some verbs read stdin
for line in lines:
    try:
        main(json.loads(line))
    except SystemExit:
        pass
    sys.stdout.flush()
    sys.stderr.flush()
    sys.stdout.buffer.write(b"\\0")
    sys.stdout.buffer.flush()
"""
# Command lines whose output contains what a program chose. Those of `Ended` panes come last.
LINES = {
    "new": [["new", "-d", "-s", "made", "--", "PROGRAM"], ["new", "-d", "-s", "x", "--", "./PROGRAM-MISSING"]],
    "detach": [["detach", "hostile"]],
    "ls": [["ls"]],
    "tree": [["tree"], ["tree", "--json"]],
    "new-window": [["new-window", "hostile", "--", "PROGRAM"]],
    "split": [["split", "hostile", "--", "PROGRAM"]],
    "select": [["select", "hostile:0"], ["select", "--json", "hostile:0"]],
    "rename": [["rename", "hostile:0", "PROGRAM"]],
    "resize": [["resize", "hostile:0", "90x30"]],
    "move": [["move", "hostile:0", "hostile:5"]],
    "swap": [["swap", "hostile:0", "hostile:1"]],
    "zoom": [["zoom", "hostile:0"]],
    "layout": [["layout", "hostile:0", "tiled"]],
    "snapshot": [["snapshot", "@1"], ["snapshot", "@1", "--cells", "--json"], ["snapshot", "@1", "--since", "0"]],
    "send-keys": [["send-keys", "shell", "-l", "echo", "CONTROLS"], ["send-keys", "shell", "C-c"]],
    "paste": [["paste", "shell", "CONTROLS"], ["send-keys", "shell", "C-c"]],
    "mouse": [["mouse", "@1", "click", "CONTROLS", "--timeout", "0"], ["mouse", "@1", "click", "0,0"]],
    "act": [["act", "@1", "x", "--until", "needle"], ["act", "@1", "x", "--stop", "needle", "--json"]],
    "run": [
        ["run", "shell", "cat controls"],
        ["run", "shell", "cat controls", "--raw"],
        ["run", "shell", "cat controls", "--json"],
        ["run", "shell", "CONTROLS"],
    ],
    "start": [["start", "shell", "cat controls; sleep 0.1"]],
    "signal": [["signal", "shell", "CONTROLS"]],
    "stop": [["stop", "shell"]],
    "commands": [["commands"], ["commands", "--json"]],
    "output": [
        [*line, *flags] for line in [["output", "2.1"]] for flags in ([], ["--raw"], ["--stripped"], ["--json"])
    ],
    "logs": [
        *(["logs", "@1", *flags] for flags in ([], ["--raw"], ["--stripped"], ["--json"], ["--grep", "needle"])),
        ["logs", "--list"],
        ["logs", "--list", "--json"],
    ],
    "search": [["search", "needle", "--context", "2"], ["search", "needle", "--all", "--json"]],
    "history-limit": [["history-limit", "hostile", "100"]],
    "wait": [
        ["wait", "@1", "--regex", "needle .", "--gone", "nothing-like-it"],
        ["wait", "@1", "--stop", "needle .", "--until", "absent", "--timeout", "9"],
        ["wait", "@1", "--until", "needle", "--json"],
    ],
    "watch": [
        ["watch", "@1", "--until", "title_changed", "--timeout", "9"],
        ["watch", "@1", "--until", "title_changed", "--timeout", "9", "--json"],
    ],
    "replay": [["replay", "hostile"], ["replay", "CONTROLS"]],
    "export": [["export", "hostile", "--format", "cast"], ["export", "CONTROLS", "--format", "html"]],
    "web": [["web", "--bind", "CONTROLS"]],
    "skill": [["skill", "full"]],
    "completion": [["completion", "zsh"], ["completion", "--", "kill", ""]],
    "status": [["status"]],
    "fleet": [["fleet", "run", "--on", "local", "--json", "cat controls"]],
    "doctor": [["doctor"], ["doctor", "--json"]],
    "schema": [["schema", "CONTROLS"]],
    "cp": [["cp", "CONTROLS", "/none/CONTROLS"], ["cp", "CONTROLS", ":CONTROLS"], ["cp", ":PROGRAM", "PROGRAM"]],
    "host": [["host", "check", "CONTROLS"], ["host", "check", "CONTROLS", "--json"]],
    "upgrade": [["upgrade"], ["upgrade", "--json"]],
    "kill": [["kill", "made"]],
    # `attach`, and the two verbs that become another program, have tests of their own or only fail here.
    "attach": [["attach", "CONTROLS"]],
    "mcp": [],
    "proxy": [],  # passes on the stream of the server
    "server": [["server", "--engine", "CONTROLS"]],
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A directory whose name has control characters, with a program whose name has them, and a file of them."""
    place = tmp_path_factory.mktemp("hostile") / NAME
    place.mkdir()
    program = place / NAME
    program.write_text(PROGRAM.format(python=sys.executable, controls=ALL), encoding="utf-8")
    program.chmod(0o700)
    Path(place, "controls").write_bytes(ALL.encode() + bytes(range(0x80, 0xA0)) + b"\n")
    return place


@pytest.fixture(scope="module")
def server(place):
    with embedded_server() as server:
        with blocking.Phux(server.socket) as phux:
            phux.new_session("hostile", command=[str(place / NAME)], cwd=str(place))
            phux.new_session("shell", cwd=str(place), shell=SHELL).pane.run("cat controls")
            phux.pane("hostile").wait(until="needle")
        yield server


@pytest.fixture(scope="module")
def phux_cli(server, place):
    """Run the CLI with stdout and stderr on one terminal, and return what the terminal gets."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    with subprocess.Popen(
        [sys.executable, "-c", RUNNER],
        env={**clean_environment(), "PHUX_SOCKET": server.socket},
        cwd=place,
        stdin=subprocess.PIPE,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)

        def run(*words: str) -> str:
            process.stdin.write(json.dumps(words).encode() + b"\n")
            process.stdin.flush()
            taken = b""
            while not taken.endswith(b"\0"):
                taken += os.read(ours, 65536)
            return COLORED.sub(r"\1", taken[:-1].decode())

        yield run
        process.stdin.close()
    os.close(ours)


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_prints_no_control_characters(phux_cli, place, verb):
    stand_ins = {"PROGRAM": str(place / NAME), "./PROGRAM-MISSING": f"./missing{NAME}", "CONTROLS": ALL}
    for line in LINES[verb]:
        printed = phux_cli(*(stand_ins.get(word, word) for word in line)).replace(ERASED_PROGRESS, "")
        assert FORBIDDEN.findall(printed) == [], line
    for wrong in ([verb, f"--{ALL}"], [verb, ALL, ALL, ALL, "--json"], [verb, ALL]):
        if verb not in {"mcp", "server", "new"} or wrong[1].startswith("--"):
            printed = phux_cli(*wrong)
            assert printed, wrong
            assert FORBIDDEN.findall(printed) == [], wrong


def test_an_unknown_verb_with_control_characters_is_reported_without_them(phux_cli):
    printed = phux_cli(ALL)
    assert "there is no verb" in printed
    assert FORBIDDEN.findall(printed) == []


def test_a_program_has_printed_every_control_character(server):
    with blocking.Phux(server.socket) as phux:
        raw = phux.logs("@1", mode="raw").content.encode("utf-8", "surrogateescape")
    assert ALL.encode() in raw.replace(b"\r\n", b"\n")


def test_raw_output_is_unchanged_if_stdout_is_no_terminal(server, place):
    words = [sys.executable, "-m", "phux_cli.main", "run", "shell", "--raw", "cat controls"]
    found = subprocess.run(words, env={**clean_environment(), "PHUX_SOCKET": server.socket}, stdout=subprocess.PIPE)
    assert b"\x1b]0;C0\a\x01\x02" in found.stdout


def test_attach_and_its_pickers_show_no_control_characters_of_programs(server):
    with attached(server.socket, "hostile") as client:
        client.shows("needle")
        client.type("\x01w")
        client.shows("shell")
        client.type("q")
        client.type("\x01:select CONTROLS\r".replace("CONTROLS", "\u202e\u009b31m"))
        client.shows("31m")
    titles = re.findall(r"\x1b\](.*?)\a", client.raw.decode())
    assert titles
    for title in titles:
        assert title.startswith("2;")
        assert FORBIDDEN.findall(title) == []
    shown = escapes.strip(client.raw).decode()
    assert set(FORBIDDEN.findall(shown)) <= {"\r", "\b", "\a"}  # cursor motion, and the bell


def test_texts_of_mcp_have_no_control_characters(server):
    env = {**clean_environment(), "PHUX_SOCKET": server.socket}
    with Host(env, Path("/")).begin(STATELESS) as host:
        for tool, arguments in (
            ("phux_tree", {}),
            ("phux_snapshot", {"target": "@1"}),
            ("phux_logs", {"target": "@1", "mode": "raw"}),
            ("phux_snapshot", {"target": ALL}),
        ):
            text = host.call(tool, **arguments)["content"][0]["text"]
            assert FORBIDDEN.findall(text) == [], tool

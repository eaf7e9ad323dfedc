"""Every program in docs/examples runs against a real server and does what it says."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from outers import attached
from phux_client import blocking
from servers import BIN, Cli, clean_environment, eventually, process_gone

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
TYPESCRIPT = Path(sys.prefix) / "typescript" / "node_modules"
BUILD = """#!/bin/sh
echo $$ >"$1.pid"
while [ "$(ls ./*.pid | wc -l)" -lt 10 ]; do :; done  # until all builds run
[ "$1" != 3 ] || { echo cannot compile; exit 2; }
exec sleep 1000
"""
TEST = """
import unittest
from calculator import add
class TestAdd(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)
"""


class Runner:
    """Runs examples as a user does, in an own directory."""

    def __init__(self, socket: str, directory: Path) -> None:
        self.directory = directory
        self.started: list[subprocess.Popen[str]] = []
        path = f"{BIN}:{os.environ['PATH']}"
        self.env = clean_environment() | {"PHUX_SOCKET": socket, "PATH": path, "HOME": str(directory)}

    def start(self, *command: str | Path, **more: str) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            command, env=self.env | more, cwd=self.directory, stdout=pipe, stderr=pipe, text=True, bufsize=1
        )
        self.started.append(process)
        return process

    def __call__(self, name: str, *arguments: str, code: int = 0, **more: str) -> str:
        """Run an example, check its exit code, and return what it prints on stdout and stderr."""
        program = [sys.executable] if name.endswith(".py") else ["sh"]
        process = self.start(*program, EXAMPLES / name, *arguments, **more)
        out, err = process.communicate(timeout=90)
        assert process.returncode == code, err
        return out + err


@pytest.fixture
def run(shared_server, tmp_path):
    runner = Runner(shared_server.socket, tmp_path)
    yield runner
    for process in runner.started:
        process.kill()
        process.communicate()
    with blocking.connect(shared_server.socket) as phux:
        for session in phux.sessions():
            session.kill()


def test_an_agent_makes_a_failing_test_suite_pass(run, tmp_path):
    (tmp_path / "calculator.py").write_text("def add(a, b):\n    return a - b\n")
    (tmp_path / "test_calculator.py").write_text(TEST)
    lines = run("agent_loop.py", str(tmp_path)).splitlines()
    assert (lines[0], lines[-1]) == ("python3 -B -m unittest -b: exit 1", "python3 -B -m unittest -b: exit 0")
    assert "a + b" in (tmp_path / "calculator.py").read_text()


@pytest.mark.skipif(shutil.which("vim") is None, reason="needs vim")
def test_vim_replaces_a_text_and_its_error_is_reported(run, tmp_path):
    (tmp_path / "notes").write_text("colour colour\nred\ncolour\n")
    assert run("edit_with_vim.py", "notes", "colour", "color") == "3 substitutions on 2 lines\n"
    assert (tmp_path / "notes").read_text() == "color color\nred\ncolor\n"
    assert "E486: Pattern not found: blue" in run("edit_with_vim.py", "notes", "blue", "green", code=1)


@pytest.mark.skipif(shutil.which("fzf") is None, reason="needs fzf")
def test_fzf_returns_the_only_match(run):
    assert run("choose_with_fzf.py", "seq 100 200", "142") == "142\n"


@pytest.mark.skipif(shutil.which("whiptail") is None, reason="needs whiptail")
def test_a_menu_is_driven_by_its_highlighted_row(run):
    assert run("choose_from_menu.py", "Cherry") == "c\n"
    assert "the menu has no Nuts" in run("choose_from_menu.py", "Nuts", code=1)


def test_a_repl_returns_exact_results(run):
    first, second = run("repl.py").splitlines()
    assert first == "[0, 1, 4, 9, 16] 332833500"
    assert "TypeError: list indices must be integers" in second


def test_a_dev_server_is_started_awaited_and_restarted(run, tmp_path):
    (tmp_path / "index.html").write_text("hello\n")
    assert run("dev_server.py", str(tmp_path)).splitlines() == ["hello", "changed", "1 request since the restart"]


def test_the_first_failed_build_stops_the_others(run, tmp_path):
    (tmp_path / "build.sh").write_text(BUILD)
    (tmp_path / "build.sh").chmod(0o755)
    assert "build 3 failed: cannot compile" in run("parallel_builds.py", code=1)
    pids = [int(path.read_text()) for path in tmp_path.glob("*.pid")]
    assert len(pids) == 10
    eventually(lambda: all(process_gone(pid) for pid in pids))


def test_items_run_on_a_fleet(run):
    assert sorted(run("fleet.py", "local", "echo item {}", "a", "b").splitlines()) == [
        "a on local: item a",
        "b on local: item b",
    ]
    assert "c failed" in run("fleet.py", "local", "test {} = d", "c", code=1)


@pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed; .ci/run installs it")
def test_items_run_in_a_pool_of_terminals_on_ray(run):
    env = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_memory_monitor_refresh_ms": "0"}
    lines = run("ray_pool.py", "echo item {}", "a", "b", **env).splitlines()
    assert {"a item a", "b item b", "2 done, 0 failed"} <= set(lines)


@pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")
def test_a_pipeline_reports_its_steps_and_ends_at_the_first_failure(run, tmp_path):
    (tmp_path / "VERSION").write_text("1.2\n")
    assert run("pipeline.sh") == "4 steps, 4 succeeded\n"
    assert (tmp_path / "build/notes.txt").read_text() == "release 1.2\n"
    (tmp_path / "VERSION").unlink()
    assert run("pipeline.sh", code=1).startswith("failed: version=$(cat VERSION)\n")
    assert Cli(run.env["PHUX_SOCKET"], tmp_path).json("ls")["sessions"] == []


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen")
def test_a_password_prompt_is_answered_also_with_the_name_of_a_key(run, tmp_path):
    run("password.py", "key", PASSPHRASE="Enter")
    check = ["ssh-keygen", "-y", "-P", "Enter", "-f", tmp_path / "key"]
    assert subprocess.run(check, capture_output=True, check=True, timeout=30).stdout.startswith(b"ssh-ed25519 ")


def test_a_person_and_an_agent_share_a_pane(run, shared_server, tmp_path):
    with blocking.connect(shared_server.socket) as phux, phux.new_session("pair", cwd=str(tmp_path)) as session:
        pane = session.pane
        helper = run.start(sys.executable, "-u", EXAMPLES / "pair.py", "pair")
        eventually(lambda: phux.status().clients == 2)
        with attached(shared_server.socket, "pair", engine="pyte") as terminal:
            pane.wait(state="prompt", timeout_s=20)
            terminal.type("gti status\r")
            terminal.shows("git status")
            pane.wait(until="$ git status", timeout_s=20)
            terminal.type("\x15exit\r")
            pane.wait(exit=True, timeout_s=20)
    out, err = helper.communicate(timeout=30)
    assert (out, err) == ("'gti status' -> 'git status'\n", "")


@pytest.mark.skipif(not TYPESCRIPT.exists(), reason="needs the packages that .ci/run installs with npm")
def test_typescript_uses_types_that_are_generated_from_the_schemas(run, tmp_path):
    project = tmp_path / "project"
    shutil.copytree(EXAMPLES / "typescript", project)
    (project / "node_modules").symlink_to(TYPESCRIPT)
    built = subprocess.run(
        ["npm", "run", "--silent", "build"], cwd=project, env=run.env, capture_output=True, text=True, timeout=100
    )
    assert built.returncode == 0, built.stdout + built.stderr
    cli = Cli(run.env["PHUX_SOCKET"], tmp_path)
    cli.json("new", "-s", "typed", "-c", "/", "--", "sh")
    consumer = run.start("node", project / "build/consumer.js", "typed")
    assert consumer.stdout.readline() == "hello 0\n"
    assert consumer.stdout.readline() == "1 pane is at its prompt\n"
    eventually(lambda: cli.json("status")["clients"] == 2)
    cli.json("run", "typed", "cd /usr")
    cli.json("send-keys", "typed", "exit 4", "Enter")
    out, err = consumer.communicate(timeout=30)
    assert err == ""
    assert sorted(out.splitlines()) == ["cd /usr: exit 0", "closed: exit 4", "now in /usr"]


def test_an_mcp_host_calls_tools_end_to_end(run, shared_server):
    lines = run("mcp_host.py").splitlines()
    assert "phux_act" in lines[0]
    assert lines[1:] == ["3 /usr", "awaiting_input"]
    with blocking.connect(shared_server.socket) as phux:
        assert [session.name for session in phux.sessions()] == ["host"]


def test_every_example_is_in_the_index():
    index = (EXAMPLES / "README.md").read_text()
    names = {path.name for path in EXAMPLES.iterdir()} - {"README.md"}
    assert {name for name in names if f"]({name}" in index} == names


def test_examples_end_their_sessions_when_interrupted(run, shared_server):
    process = run.start(sys.executable, EXAMPLES / "choose_with_fzf.py", "sleep 1000", "x")
    with blocking.connect(shared_server.socket) as phux:
        eventually(phux.sessions)
        eventually(phux.sessions()[0].pane.commands)  # the program has the session, and uses it
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert phux.sessions() == []

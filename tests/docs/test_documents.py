"""The documents match the code: generated parts are current, and examples run."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path

import pytest

import config_table
import error_table
import key_table
import schema_table
import wire_table
from outers import PHUX, OwnTerminal, attached, environment
from phux_cli import manual
from phux_cli.main import load_verb
from phux_cli.verbs import VERBS
from phux_client import blocking
from phux_core import config
from servers import BIN, Cli, clean_environment, embedded_server, server_without_sessions

ROOT = Path(__file__).parents[2]


def test_the_cli_manual_is_current():
    current = (ROOT / "docs" / "cli.md").read_text()
    assert current == manual.render(), "outdated; run python -m phux_cli.manual > docs/cli.md"


def test_the_man_page_is_current_and_valid():
    current = ROOT / "docs" / "phux.1"
    assert current.read_text() == manual.render_man(), "outdated; run python -m phux_cli.manual man > docs/phux.1"
    if shutil.which("groff"):
        command = ["groff", "-man", "-Tutf8", "-ww", str(current)]
        shown = subprocess.run(command, capture_output=True, text=True, check=True)
        assert shown.stderr == ""
        assert "Read a pane's screen" in shown.stdout


@pytest.mark.parametrize(
    "table",
    [wire_table, error_table, config_table, key_table, schema_table],
    ids=["wire", "errors", "config", "keys", "schemas"],
)
def test_the_generated_tables_are_current(table):
    assert table.PART.read() == table.render().strip("\n") + "\n", f"outdated; run python {table.__file__}"


@pytest.mark.parametrize(
    "document", ["docs/config.md", "docs/attach.md", "docs/coming-from/tmux.md", "docs/tutorials/people.md"]
)
def test_the_example_config_file_is_valid(document):
    (example,) = _blocks(document, "toml")
    assert config.parse(example, document)


def test_every_promise_about_security_names_existing_tests():
    file, named = "", 0
    for line in (ROOT / "docs" / "security.md").read_text().splitlines():
        for path, name in re.findall(r"`([\w/.]*)::(\w+)`", line):
            file = path or file
            assert f"def {name}(" in (ROOT / file).read_text(), f"{file} has no {name}"
            named += 1
    assert named


EXAMPLES = [(verb, example) for verb in VERBS for example in load_verb(verb).EXAMPLES]


LEAVE = {"attach": ("[work]", "\x01d"), "replay": ("? keys", "q")}
"""What a verb that needs a terminal shows, and the keys that end it."""


@pytest.mark.parametrize(("verb", "example"), EXAMPLES, ids=[example for _verb, example in EXAMPLES])
def test_every_example_of_the_manual_runs(verb, example, tmp_path, shared_server):
    # Ids of panes and commands begin at 1 in a server of its own.
    needs_own = re.search(r"@[0-9]|\b1\.1\b|--server", example)
    with server_without_sessions(None if needs_own else shared_server) as server:
        cli = Cli(server.socket, tmp_path)
        if verb == "server":
            cli.env["PHUX_SOCKET"] = str(tmp_path / "phux.sock")
        elif verb != "new":
            with blocking.connect(server.socket) as phux:
                pane = phux.new_session("work", command=["sh"], cwd=str(tmp_path)).pane
                pane.wait(state="prompt", timeout_s=20)
                if verb == "mouse":  # a screen with what the examples click, and a program that uses the mouse
                    pane.run(r"clear; printf '\033[?1000h1 Inbox\nArchive\nOK\n'")
        if getattr(load_verb(verb), "NEEDS_TERMINAL", False):
            shown, keys = LEAVE[verb]
            with OwnTerminal([PHUX, *example.split()[1:]], environment(server.socket), engine="pyte") as terminal:
                terminal.shows(shown)
                terminal.type(keys)
                assert terminal.wait() == 0
            return
        env = cli.env | {"PATH": f"{BIN}:{cli.env['PATH']}"}
        if getattr(load_verb(verb), "ENDS_ON_SIGNAL", False):
            with subprocess.Popen(example.split(), env=env, cwd=tmp_path, stdout=subprocess.PIPE) as process:
                assert process.stdout.readline()
                process.send_signal(signal.SIGINT)
                assert process.wait(30) == 0
            return
        finished = subprocess.run(
            ["sh", "-c", example],
            env=env,
            cwd=tmp_path,
            capture_output=True,
            timeout=60,
        )
        assert finished.returncode == 0, finished.stderr


def _blocks(document: str, language: str) -> list[str]:
    text = (ROOT / document).read_text()
    return [textwrap.dedent(block) for block in re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)]


SKILL = "cli/phux_cli/skill"


TRANSCRIPTS = [
    "README.md",
    "docs/quickstart.md",
    "docs/running.md",
    "docs/schemas.md",
    "docs/shell-integration.md",
    "docs/coming-from/tmux.md",
    "docs/tutorials/people.md",
    f"{SKILL}/quick.md",
    f"{SKILL}/full.md",
]


@pytest.mark.parametrize("document", TRANSCRIPTS)
def test_transcripts_show_the_output_of_the_commands(document, tmp_path):
    """Run all transcripts of a page, one after the other, with the same server."""
    transcript = "".join(_blocks(document, "console"))
    steps = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", transcript, re.MULTILINE)
    assert len(steps) >= 5
    env = clean_environment() | {
        "PHUX_SOCKET": str(tmp_path / "phux.sock"),
        "XDG_STATE_HOME": str(tmp_path / "state"),  # so that pane ids start at 1
        "PATH": f"{BIN}:{clean_environment()['PATH']}",
    }
    try:
        for command, expected in steps:
            finished = subprocess.run(
                ["sh", "-c", command],
                env=env,
                cwd=tmp_path,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=60,
            )
            assert finished.stdout == expected, command
    finally:  # the last step ends the server, unless an earlier step failed
        subprocess.run([BIN / "phux", "kill", "--server"], env=env, capture_output=True, timeout=60)


def test_the_transcript_of_the_live_view_shows_its_urls(tmp_path):
    (transcript,) = _blocks("docs/web.md", "console")
    printed = transcript.partition("$ phux web\n")[2]
    with embedded_server() as server:
        assert "$ phux new -d -s work\n" in transcript
        assert Cli(server.socket, tmp_path)("new", "-d", "-s", "work").out in transcript
        command = [BIN / "phux", "web", "--bind", "127.0.0.1:0", "--socket", server.socket]
        with subprocess.Popen(command, env=clean_environment(), stdout=subprocess.PIPE, text=True) as process:
            lines = [process.stdout.readline() for _line in printed.splitlines()]
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0
    assert re.sub(r":[0-9]+/#[\w-]{40,}", "", "".join(lines)) == re.sub(r":8737/#\w+", "", printed)


def test_the_quick_guide_for_models_has_less_than_2_kb():
    assert len((ROOT / SKILL / "quick.md").read_bytes()) < 2000


def run_python(program, directory, **variables):
    """Run a program in its own home directory, check that stderr is empty, and return the lines it prints."""
    finished = subprocess.run(
        [sys.executable, "-c", program],
        env=clean_environment() | {"HOME": str(directory)} | variables,
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert finished.stderr == ""
    return finished.stdout.splitlines()


PROGRAMS = {
    "README.md": ["42", "[1.0, 0.0]"],
    "docs/api.md": [],
    "docs/tutorials/agents.md": ["exit code 1", "python3 is in the foreground of @1", "4", "exit code 0"],
    "docs/training.md": ["episode 0: reward 0.9, exit code 0", "episode 2: reward 0.9, exit code 0"],
    "docs/coming-from/libtmux.md": [],
    "docs/coming-from/pexpect.md": [],
}
"""Pages whose examples in Python are programs, and text that they print."""


@pytest.mark.parametrize("document", PROGRAMS)
def test_programs_of_a_page_run(document, tmp_path):
    programs = [program for program in _blocks(document, "python") if re.search("^(import|from) ", program)]
    assert programs
    printed = "\n".join(line for program in programs for line in run_python(program, tmp_path))
    for text in PROGRAMS[document]:
        assert text in printed
        printed = printed.partition(text)[2]


def run_bodies(bodies, directory):
    """Run examples of a page, each in its own coroutine with a client."""
    lines = ["import anyio, phux_client", "async def main():", "  async with phux_client.embedded() as phux:"]
    for number, body in enumerate(bodies):
        lines += [f"    async def example_{number}():", textwrap.indent(body, " " * 6)]
        lines += [f"    await example_{number}()", f"    print({number})"]
    printed = run_python("\n".join([*lines, "anyio.run(main)"]), directory)
    assert printed == [str(number) for number in range(len(bodies))]


def test_the_python_of_the_library_page_runs(tmp_path):
    program, *bodies = _blocks("docs/library.md", "python")
    assert run_python(program, tmp_path) == ["1 hello"]
    assert len(bodies) >= 7
    run_bodies(bodies, tmp_path)


@pytest.mark.parametrize("document", ["docs/running.md", "docs/concepts.md", "docs/tutorials/agents.md"])
def test_the_python_of_a_page_runs(document, tmp_path):
    bodies = [body for body in _blocks(document, "python") if not body.startswith("import ")]
    assert bodies
    run_bodies(bodies, tmp_path)


def test_the_python_of_the_page_on_logs_runs(tmp_path):
    of_stored_logs, of_the_past = _blocks("docs/logs.md", "python")
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        phux.new_session("earlier", command=["echo", "hello"]).pane.wait(state="dead", timeout_s=20)
        shutil.copytree(phux.status().logs.directory, tmp_path / "phux/logs")
    assert run_python(of_stored_logs, tmp_path, XDG_STATE_HOME=str(tmp_path)) == ["earlier hello"]
    finished = [line.split()[1:] for line in run_python(of_the_past, tmp_path)]
    assert finished == [["1.1", "0"], ["1.2", "0"]]


def test_the_python_of_the_page_on_fleets_runs(tmp_path):
    program, *bodies = _blocks("docs/fleets.md", "python")
    with embedded_server() as server:
        printed = run_python(program.replace('"box1", "box2", ', ""), tmp_path, PHUX_SOCKET=server.socket)
        assert printed[-1].split()[-1].isdigit()
        assert len(printed) == 2
        lines = ["import anyio, phux_client", "async def main():", *(textwrap.indent(body, "  ") for body in bodies)]
        printed = run_python("\n".join([*lines, "anyio.run(main)"]), tmp_path, PHUX_SOCKET=server.socket)
    assert [line.split()[0] for line in printed] == ["local"] * 3


@pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed; .ci/run installs it")
@pytest.mark.timeout(240)
def test_the_programs_of_the_page_on_ray_run(tmp_path):
    first, second = _blocks("docs/ray.md", "python")
    # Ray takes long to start, so both programs use one cluster.
    finished = subprocess.run(
        [sys.executable, "-c", first.replace("ray.shutdown()\n", "") + second.replace("ray.init()\n", "")],
        env=clean_environment() | {"RAY_USAGE_STATS_ENABLED": "0"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert finished.returncode == 0, finished.stderr
    printed = finished.stdout.splitlines()
    assert printed[0] == "['0', '2', '4', '6']"
    assert printed[-1] == "3"


def test_the_python_of_the_page_on_recordings_runs(tmp_path):
    (program,) = _blocks("docs/recordings.md", "python")
    run_python(program, tmp_path)


def test_the_tests_of_the_page_on_testing_pass(tmp_path):
    directory = tmp_path / "testing"
    shutil.copytree(ROOT / "docs" / "examples" / "testing", directory)
    stored = [path.read_text() for path in directory.glob("test_*.py")]
    assert sorted(_blocks("docs/testing.md", "python")) == sorted(stored)
    (directory / "pytest.ini").write_text("[pytest]\n")
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:asyncio", "."],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert "5 passed" in finished.stdout, finished.stdout


def test_the_python_of_the_wire_page_prints_the_tree(tmp_path):
    (program,) = _blocks("docs/wire.md", "python")
    with embedded_server(engine="pyte") as server:
        hello, reply = run_python(program, tmp_path, PHUX_SOCKET=server.socket)
    assert "capabilities" in hello
    assert "sessions" in reply


def test_the_mcp_setup_of_the_readme_works(tmp_path):
    block = _blocks("README.md", "sh")[-1]
    env = clean_environment() | {"HOME": str(tmp_path), "PATH": f"{BIN}:{os.environ['PATH']}"}
    finished = subprocess.run(
        ["sh", "-e", "-c", block], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert any(path.is_file() and b"phux" in path.read_bytes() for path in tmp_path.rglob("*.json"))


@pytest.mark.timeout(300)  # pip installs all dependencies
def test_the_first_command_of_the_readme_works_in_a_fresh_clone(tmp_path):
    first, second, *_others = _blocks("README.md", "sh")
    assert second.strip() == ".ci/run"
    clone = tmp_path / "clone"
    shutil.copytree(
        ROOT,
        clone,
        ignore=shutil.ignore_patterns(".git", ".venv*", ".*_cache", "__pycache__", ".hypothesis", "node_modules"),
    )
    env = clean_environment() | {"XDG_RUNTIME_DIR": str(tmp_path), "VIRTUAL_ENV": "", "PIP_NO_COMPILE": "1"}
    try:
        finished = subprocess.run(
            ["bash", "-c", first], env=env, cwd=clone, capture_output=True, text=True, timeout=300
        )
        assert finished.returncode == 0, finished.stderr
        assert '"exit_code": 0' in finished.stdout
        assert "Linux" in finished.stdout or "Darwin" in finished.stdout
    finally:
        # The server ends with its last session, unless the command failed.
        subprocess.run([clone / ".venv/bin/phux", "kill", "--server"], env=env, capture_output=True, timeout=60)


def run_shell(script, directory):
    """Run a script in a directory, with a server of its own, and return the output."""
    env = clean_environment() | {
        "HOME": str(directory),
        "PHUX_SOCKET": str(directory / "phux.sock"),
        "XDG_STATE_HOME": str(directory / "state"),
        "PATH": f"{BIN}:{os.environ['PATH']}",
    }
    try:
        finished = subprocess.run(
            ["sh", "-e", "-c", script], env=env, cwd=directory, capture_output=True, text=True, timeout=100
        )
        assert finished.returncode == 0, finished.stdout + finished.stderr
        return finished.stdout
    finally:
        subprocess.run([BIN / "phux", "kill", "--server"], env=env, capture_output=True, timeout=60)


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return str(listening.getsockname()[1])


def test_the_job_of_the_readme_and_those_of_the_ci_tutorial_run(tmp_path):
    (of_readme,) = [block for block in _blocks("README.md", "sh") if "phux new -d -s job" in block]
    run_shell(of_readme.replace("8765", free_port()), tmp_path)
    assert "<html" in (tmp_path / "job.html").read_text()[:200]

    job, builds = _blocks("docs/tutorials/ci.md", "sh")
    job = job.replace("8765", free_port())
    assert run_shell(job, tmp_path).splitlines()[-2:] == ["200", "ended 2 panes"]
    assert not (tmp_path / "tests.html").exists()
    failing = job.replace("print(", "broken(")
    assert run_shell(f"({failing}) || echo failed with $?", tmp_path).splitlines()[-1] == "failed with 1"
    assert "<html" in (tmp_path / "tests.html").read_text()[:200]
    assert run_shell(builds, tmp_path).splitlines()[-1] == "1 of 3 builds failed"


def test_the_keys_of_the_tutorial_for_people_do_what_it_says(tmp_path):
    keys = re.findall(r"^\| `C-a (\S+)` \|", (ROOT / "docs/tutorials/people.md").read_text(), re.MULTILINE)
    assert keys == ["c", "%", "Left", "z", "w", "?", "d"]
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        phux.new_session("work", command=["sh"])

        def shape():
            (session,) = phux.tree().sessions
            return [(len(window.panes), window.zoomed is not None) for window in session.windows]

        with attached(server.socket) as terminal:
            for key, windows in {
                "c": [(1, False)] * 2,
                "%": [(1, False), (2, False)],
                "\x1b[D": [(1, False), (2, False)],
                "z": [(1, False), (2, True)],
            }.items():
                terminal.shows("[work]")
                terminal.type(f"\x01{key}")
                terminal.until(lambda windows=windows: shape() == windows)
            assert phux.pane(".").id == phux.window("work:1").panes()[0].id
            terminal.type("\x01w")
            terminal.shows("Enter: choose")
            terminal.type("q")
            terminal.type("\x01?")
            terminal.shows("detach")
            terminal.type("q")
            terminal.type("\x01d")
            assert terminal.wait() == 0

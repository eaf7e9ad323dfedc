"""The documents match the code: generated parts are current, and examples run."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import config_table
import error_table
import key_table
import wire_table
from outers import PHUX, OwnTerminal, environment
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
    "table", [wire_table, error_table, config_table, key_table], ids=["wire", "errors", "config", "keys"]
)
def test_the_generated_tables_are_current(table):
    assert table.PART.read() == table.render().strip("\n") + "\n", f"outdated; run python {table.__file__}"


@pytest.mark.parametrize("document", ["docs/config.md", "docs/attach.md"])
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
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


SKILL = "cli/phux_cli/skill"


@pytest.mark.parametrize(
    "document",
    ["README.md", "docs/running.md", "docs/shell-integration.md", f"{SKILL}/quick.md", f"{SKILL}/full.md"],
)
def test_transcripts_show_the_output_of_the_commands(document, tmp_path):
    (transcript,) = _blocks(document, "console")
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


def test_the_python_of_the_readme_runs(tmp_path):
    (program,) = _blocks("README.md", "python")
    assert "42" in run_python(program, tmp_path)


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


def test_the_python_of_the_page_on_running_commands_runs(tmp_path):
    bodies = _blocks("docs/running.md", "python")
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


def test_the_python_of_the_page_on_recordings_runs(tmp_path):
    (program,) = _blocks("docs/recordings.md", "python")
    run_python(program, tmp_path)


def test_the_python_of_the_wire_page_prints_the_tree(tmp_path):
    (program,) = _blocks("docs/wire.md", "python")
    with embedded_server(engine="pyte") as server:
        hello, reply = run_python(program, tmp_path, PHUX_SOCKET=server.socket)
    assert "capabilities" in hello
    assert "sessions" in reply


def test_the_mcp_setup_of_the_readme_works(tmp_path):
    _first, _second, block = _blocks("README.md", "sh")
    env = clean_environment() | {"HOME": str(tmp_path), "PATH": f"{BIN}:{os.environ['PATH']}"}
    finished = subprocess.run(
        ["sh", "-e", "-c", block], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert any(path.is_file() and b"phux" in path.read_bytes() for path in tmp_path.rglob("*.json"))


@pytest.mark.timeout(300)  # pip installs all dependencies
def test_the_first_command_of_the_readme_works_in_a_fresh_clone(tmp_path):
    first, second, _mcp = _blocks("README.md", "sh")
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


def _anchors(document):
    """Return the anchors that GitHub derives from a page's headings."""
    headings = re.findall(r"^#+ (.*)", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_in_the_documents_has_a_target():
    for document in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")):
        for link, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", document.read_text()):
            if "://" not in link:
                target = document.parent / link if link else document
                assert target.exists(), f"{document.name}: {link}"
                assert not anchor or anchor in _anchors(target), f"{document.name}: {link}#{anchor}"

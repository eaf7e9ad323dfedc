"""Every command and every condition in the guides for models (`phux skill`) works as it is written."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from phux_client import blocking
from servers import Cli

SKILL = Path(__file__).parents[2] / "cli/phux_cli/skill"
GUIDES = {name: (SKILL / f"{name}.md").read_text() for name in ("quick", "full")}
# Examples of the placeholders. The pane has printed "needle", and its first command has the id ID.
EXAMPLES = {
    "TARGET": "work",
    "NAME": "tree",
    "'CMD'": "'echo needle'",
    "PROGRAM ARG...": "echo needle",
    "KEYS...": "'echo needle' Enter",
    "TEXT": "needle",
    "RE": "needle",
    "SEQ": "0",
    "N": "5",
    "MS": "100",
    "S": "prompt",
}
# What a command needs to succeed at a prompt.
MORE = {
    "phux wait": "--state prompt",
    "phux wait work": "--state prompt",
    "phux attach": "--help",
    "phux attach work": "--help",
}
ENDS_SLEEP = ("phux stop", "phux signal")
CONDITIONS = {"--command-done": "--since 0", "--gone needle": "--since 0", "--stop needle": "--until never"}


def commands() -> list[str]:
    """Return the commands outside of transcripts, without comments."""
    found: dict[str, None] = {}
    for text in GUIDES.values():
        prose = re.sub(r"```console\n.*?```", "", text, flags=re.DOTALL)
        for inline, block in re.findall(r"`(phux [^`]+)`|^    (phux .*?)(?: +#.*)?$", prose, re.MULTILINE):
            found[inline or block] = None
    return list(found)


def conditions() -> list[str]:
    """Return the conditions in the table of `wait`."""
    rows = re.findall(r"^\| (`--[^|]*) \|", GUIDES["full"], re.MULTILINE)
    return [condition for row in rows for condition in re.findall(r"`(--[^`]+)`", row)]


def filled(words: str, command_id: str) -> str:
    pattern = "|".join(re.escape(name) for name in (*EXAMPLES, "ID"))
    return re.sub(rf"(?<![\w'])(?:{pattern})(?![\w])", lambda each: (EXAMPLES | {"ID": command_id})[each[0]], words)


@pytest.fixture
def shell(shared_server, tmp_path):
    """A session with a command that has printed "needle", and the environment for `phux`."""
    with blocking.connect(shared_server.socket) as phux, phux.new_session("work", command=["sh"]) as session:
        ran = session.pane.run("echo needle")
        yield session.pane, ran.command_id, Cli(shared_server.socket, tmp_path)


def execute(cli: Cli, command: str) -> subprocess.CompletedProcess[str]:
    env = cli.env | {"PATH": f"{cli.program.parent}:{cli.env['PATH']}"}
    more = {"env": env, "cwd": cli.cwd, "capture_output": True, "text": True, "timeout": 60}
    return subprocess.run(["sh", "-c", command], input="echo pasted\n", **more)


@pytest.mark.parametrize("command", commands())
def test_every_command_of_the_guides_runs(shell, command):
    pane, command_id, cli = shell
    if command.startswith(ENDS_SLEEP):
        pane.start("sleep 1000")
        pane.wait(state="running", timeout_s=20)
    words = filled(command, command_id)
    more = next((more for start, more in MORE.items() if words.partition(" --")[0] == start), "")
    finished = execute(cli, f"{words} {more}")
    assert finished.returncode == 0, f"{words} {more}: {finished.stderr}"


@pytest.mark.parametrize("condition", conditions())
def test_every_condition_of_the_full_guide_ends_a_wait(shell, condition):
    pane, command_id, cli = shell
    if condition == "--exit":
        pane.send_keys("exit", "Enter")
    if condition == "--gone TEXT":
        pane.send_keys("clear", "Enter")
    words = filled(condition, command_id)
    target = "" if condition.startswith("--command-id") else "work"
    finished = execute(cli, f"phux wait {target} {words} {CONDITIONS.get(words, '')} --timeout 20")
    assert finished.returncode == (1 if words.startswith("--stop") else 0), finished.stderr

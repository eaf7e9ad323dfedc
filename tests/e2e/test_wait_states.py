"""A state ends a wait only after all input typed before the call was read, whatever the other conditions."""

from __future__ import annotations

import os
import shutil

import pytest

from servers import Cli
from shell_panes import SHELLS

# Conditions besides a state; none of them is met.
CONDITIONS = {
    "nothing": {},
    "until": {"until": "never"},
    "regex": {"regex": "nev[e]r"},
    "stop": {"until": "never", "stop": "^never"},
    "gone": {"gone": "@prompt"},
    "idle": {"idle_ms": 60_000},
    "exit": {"exit": True},
    "since": {"since": "@now"},
    "since and until": {"since": "@now", "until": "never"},
    "output only": {"until": "never", "output_only": True},
    "everything": {"until": "never", "regex": "nev[e]r", "gone": "@prompt", "idle_ms": 60_000, "exit": True},
}
# The command, the prompt, and a line that creates a file after a moment.
REPLS = {
    "python3": (["python3", "-q"], ">>>", "import time; time.sleep(0.1); open('%s', 'w').close()"),
    "plain python3": (
        ["env", "PYTHON_BASIC_REPL=1", "TERM=dumb", "python3", "-q"],
        ">>>",
        "import time; time.sleep(0.1); open('%s', 'w').close()",
    ),
    "sqlite3": (["sqlite3"], "sqlite>", ".shell sleep 0.1; : >%s"),
    "node": (
        ["node"],
        ">",
        "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200); fs.writeFileSync('%s', '')",
    ),
    "read": (["sh", "-c", "while printf '> ' && read -r _ file; do sleep 0.1; : >$file; done"], ">", "make %s"),
    "secret": (
        ["sh", "-c", "stty -echo; while printf '> ' && read -r _ file; do sleep 0.1; : >$file; done"],
        ">",
        "make %s",
    ),
}


def options(pane, conditions, prompt):
    """Return the conditions, with placeholders replaced by the values of this pane."""
    values = {"@now": lambda: pane.snapshot().seq, "@prompt": lambda: prompt}
    return {name: values[value]() if value in values else value for name, value in conditions.items()}


@pytest.mark.parametrize("shell", SHELLS)
def test_prompt_counts_only_after_an_entered_line_was_executed(open_shell, shell, tmp_path):
    pane = open_shell(shell)
    for name, conditions in CONDITIONS.items():
        pane.wait(state="prompt", timeout_s=20)
        file, more = tmp_path / name.replace(" ", ""), options(pane, conditions, "$")
        pane.send_keys(f"sleep 0.1; : >{file.name}", "Enter")
        assert pane.wait(state="prompt", timeout_s=20, **more).met == "state", name
        assert file.exists(), name


@pytest.mark.parametrize("shell", SHELLS)
def test_prompt_counts_only_after_lines_typed_ahead_were_executed(open_shell, shell, tmp_path):
    pane = open_shell(shell)
    for name in ("nothing", "until", "gone", "output only"):
        for turn in range(2):
            pane.wait(state="prompt", timeout_s=20)
            file, more = tmp_path / f"{name}{turn}".replace(" ", ""), options(pane, CONDITIONS[name], "$")
            pane.send_keys("sleep 0.1", "Enter", f"sleep 0.1; : >{file.name}", "Enter")
            assert pane.wait(state="prompt", timeout_s=20, **more).met == "state", name
            assert file.exists(), name


@pytest.mark.parametrize("repl", REPLS)
def test_awaiting_input_counts_only_after_an_entered_line_was_executed(phux, tmp_path, repl):
    command, prompt, line = REPLS[repl]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    state = "awaiting_secret" if repl == "secret" else "awaiting_input"
    session = phux.new_session(None, command=command, cwd=str(tmp_path))
    pane = session.pane
    for name, conditions in CONDITIONS.items():
        pane.wait(until=prompt, timeout_s=20)
        pane.wait(state=state, timeout_s=20)
        file, more = tmp_path / name.replace(" ", ""), options(pane, conditions, prompt)
        pane.send_keys(line % file.name, "Enter")
        assert pane.wait(state=state, timeout_s=20, **more).met == "state", name
        assert file.exists(), name
    session.kill()


def test_the_state_of_a_snapshot_is_never_older_than_earlier_input(phux, tmp_path):
    go = tmp_path / "go"
    os.mkfifo(go)
    session = phux.new_session(None, command=["sh", "-c", "while read -r _; do cat go; done"], cwd=str(tmp_path))
    pane = session.pane
    for _ in range(100):
        pane.wait(state="awaiting_input", timeout_s=20)
        pane.send_keys("x", "Enter")
        assert pane.snapshot().state == "running"
        go.write_text("")
    session.kill()


@pytest.mark.parametrize("shell", ["bash", "dash"])
def test_act_and_the_cli_also_wait_until_an_entered_line_was_executed(open_shell, server, shell, tmp_path):
    pane, cli = open_shell(shell), Cli(server.socket, tmp_path)
    pane.wait(state="prompt", timeout_s=20)
    for turn in range(2):
        file = tmp_path / f"act{turn}"
        acted = pane.act(f"sleep 0.1; : >{file.name}", "Enter", state="prompt", until="never", timeout_s=20)
        assert (acted.met, file.exists()) == ("state", True)
        file = tmp_path / f"cli{turn}"
        pane.send_keys(f"sleep 0.5; : >{file.name}", "Enter")
        waited = cli.json("wait", pane.selector, "--state", "prompt", "--until", "never", "--timeout", "20")
        assert (waited["met"], file.exists()) == ("state", True)

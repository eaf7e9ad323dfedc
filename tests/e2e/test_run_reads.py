"""Commands that read from the terminal in the shell itself, and commands whose end no mark tells."""

from __future__ import annotations

import time

import pytest

from phux_core import errors
from shell_panes import POSIX


@pytest.fixture(params=[*POSIX, "bash --norc", "dash in bash"])
def pane(request, open_shell, phux):
    """A pane with a shell of each kind, with marks and without."""
    if request.param == "bash --norc":
        return phux.new_session(command=["bash", "--norc"], env={"PS1": "$ "}).pane
    if request.param == "dash in bash":
        pane = open_shell("bash")
        pane.send_keys("PS1='inner$ ' dash", "Enter")
        pane.wait(regex=r"^inner\$ $", timeout_s=10)
        return pane
    return open_shell(request.param)


def left_to_itself(pane, command):
    """Run what does not end by itself, and give what is said of it."""
    with pytest.raises(errors.TimedOutError) as caught:
        pane.run(command, timeout_s=0.5)
    return caught.value.message


def test_a_read_of_the_shell_itself_waits_for_input_and_gets_nobodys_command(pane):
    assert "waits for input" in left_to_itself(pane, "read x; echo got=$x")
    assert pane.info().state == "awaiting_input"
    with pytest.raises(errors.BusyError) as caught:
        pane.run("echo second")
    assert "send-keys" in caught.value.remedy
    pane.send_keys("answer", "Enter")
    pane.wait(regex="^got=answer$", timeout_s=10)
    assert pane.run("echo third", queue=True, timeout_s=10).output == "third"


def test_a_command_that_waits_for_the_end_of_a_read(pane):
    left_to_itself(pane, "read x; echo got=$x")
    pane.send_keys("answer", "Enter")
    assert pane.run("echo $x", queue=True, timeout_s=10).output == "answer"


@pytest.mark.parametrize("command", ["kill -INT $$", "echo a; kill -INT $$; echo b"])
def test_a_shell_that_interrupts_itself_ends_the_run(pane, command):
    began = time.monotonic()
    result = pane.run(command, timeout_s=20)
    assert time.monotonic() - began < 10
    assert result.exit_code in {130, 255}, "255 where nobody can say"
    assert "b" not in result.output
    assert pane.run("echo after", queue=True, timeout_s=10).output == "after"


@pytest.mark.parametrize(
    "change",
    [
        "unset PROMPT_COMMAND; PS1='new > '",
        "PROMPT_COMMAND=(); PS1='new > '",
        "PROMPT_COMMAND=('PS1=\"new > \"')",
        "printf 'one\\ntwo\\n'; declare -a PROMPT_COMMAND=(true); PS1='new > '",
    ],
)
def test_bash_whose_hooks_are_all_thrown_away_at_once(open_shell, change):
    pane = open_shell("bash")
    pane.run("true")
    result = pane.run(change, timeout_s=20)
    assert (result.exit_code, result.output) == (255, "one\ntwo" if "one" in change else "")
    assert pane.info().state == "prompt"
    for _ in range(2):
        result = pane.run("echo hi; (exit 3)", timeout_s=20)
        assert (result.exit_code, result.output) == (3, "hi")


@pytest.mark.parametrize("command", ["read -e x", "read -n 1 x", "read -s -n 1 x", "select x in a b; do break; done"])
def test_bash_that_reads_with_its_editor_or_by_key_is_not_at_its_prompt(open_shell, command):
    pane = open_shell("bash")
    pane.run("true")
    assert "waits for" in left_to_itself(pane, command)
    assert pane.info().state in {"awaiting_input", "awaiting_secret"}
    with pytest.raises(errors.BusyError):
        pane.run("echo second")
    pane.send_keys("1", "Enter")
    pane.wait(state="prompt", timeout_s=10)

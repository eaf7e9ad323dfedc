"""A pane whose shell asks a question before or at its prompt awaits input, and no run types an answer."""

from __future__ import annotations

import shutil
import time

import pytest

from phux_core import errors
from shell_panes import SHELLS, wait_for_program

QUESTIONS = {
    "bash": (".bashrc", "PS1='$ '\nread -p 'Delete all? ' a\n"),
    "bash by key": (".bashrc", "PS1='$ '\nread -n1 -p 'Delete all? ' a\n"),
    "zsh": (".zshrc", "PS1='$ '\nread 'a?Delete all? '\n"),
    "zsh by key": (".zshrc", "PS1='$ '\nread -q 'a?Delete all? '\n"),
    "fish": (".config/fish/config.fish", "function fish_prompt; echo -n '$ '; end\nread -P 'Delete all? ' a\n"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_in_an_rc_file_awaits_input_and_gets_no_command(open_shell, question):
    file, text = QUESTIONS[question]
    pane = open_shell(question.split()[0], rc={file: text})
    pane.wait(until="Delete all?", timeout_s=20)
    assert pane.wait(state="awaiting_input", timeout_s=20).state == "awaiting_input"
    with pytest.raises(errors.BusyError, match="question before its prompt"):
        pane.run("echo typed", timeout_s=20)
    assert not any("typed" in line for line in pane.snapshot().lines)
    pane.send_keys("y") if "key" in question else pane.send_keys("y", "Enter")
    assert pane.run("echo $a", queue=True, timeout_s=20).output == "y"


def test_a_correction_that_zsh_offers_awaits_input_and_gets_no_command(open_shell):
    pane = open_shell("zsh", rc={".zshrc": "PS1='$ '\nsetopt correct\n"})
    pane.wait(state="prompt", timeout_s=20)
    pane.send_keys("ecoh hi", "Enter")
    pane.wait(until="[nyae]", timeout_s=20)
    pane.wait(state="awaiting_input", timeout_s=20)
    with pytest.raises(errors.BusyError, match="asks a question"):
        pane.run("echo typed", timeout_s=20)
    pane.send_keys("y")
    assert pane.wait(until="hi", output_only=True, timeout_s=20).met_line == "hi"


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "ksh", "busybox"])
def test_a_continuation_prompt_awaits_input(open_shell, shell):
    pane = open_shell(shell)
    pane.wait(state="prompt", timeout_s=20)
    pane.send_keys("echo 'open", "Enter")
    assert pane.wait(state="awaiting_input", timeout_s=20).state == "awaiting_input"
    pane.send_keys("C-c")
    pane.wait(state="prompt", timeout_s=20)
    assert pane.run("(exit 7)", timeout_s=20).exit_code == 7


def test_a_shell_that_an_rc_file_executes_is_used_at_once(open_shell):
    began = time.monotonic()
    pane = open_shell("bash", rc={".bashrc": "exec zsh -f\n"})
    result = pane.run("echo hi; (exit 4)", timeout_s=20)
    assert (result.output, result.exit_code) == ("hi", 4)
    assert time.monotonic() - began < 5


NESTED = {
    "bash": (".bashrc", "PS1='$ '\nzsh -f\n"),
    "zsh": (".zshrc", "PS1='$ '\nbash --norc\n"),
    "fish": (".config/fish/config.fish", "function fish_prompt; echo -n '$ '; end\nbash --norc\n"),
    "fish by exec": (".config/fish/config.fish", "exec bash --norc\n"),
}


@pytest.mark.parametrize("case", NESTED)
def test_a_run_is_executed_by_the_shell_that_a_startup_file_starts(open_shell, case):
    file, text = NESTED[case]
    pane = open_shell(case.split()[0], rc={file: text})
    pane.wait(state="prompt", timeout_s=20)
    result = pane.run("echo hi; (exit 4)", timeout_s=20)
    assert (result.output, result.exit_code) == ("hi", 4)
    if "exec" not in case:
        pane.send_keys("exit", "Enter")
        wait_for_program(pane, case)
        assert pane.run("echo outer", timeout_s=20).output == "outer"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_full_screen_program_of_a_startup_file_refuses_a_run_at_once(open_shell, shell):
    pane = open_shell(shell, rc={NESTED[shell][0]: "printf '\\e[?1049h'; cat; printf '\\e[?1049l'\n"})
    pane.wait(state="fullscreen", timeout_s=20)
    began = time.monotonic()
    with pytest.raises(errors.BusyError, match="uses the alternate screen"):
        pane.run("echo typed", timeout_s=20)
    assert time.monotonic() - began < 2
    pane.send_keys("C-d")
    assert pane.run("echo typed", queue=True, timeout_s=20).output == "typed"


def test_run_works_in_a_shell_that_cannot_be_integrated(open_shell, tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").symlink_to(shutil.which("zsh") or pytest.skip("zsh is not installed"))
    monkeypatch.setitem(SHELLS, "zsh as sh", [str(tmp_path / "bin" / "sh")])
    pane = open_shell("zsh as sh")
    assert pane.wait(state="prompt", timeout_s=20).state == "prompt"
    result = pane.run("echo hi; (exit 4)", timeout_s=20)
    assert (result.output, result.exit_code) == ("hi", 4)

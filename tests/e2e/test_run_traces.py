"""Runs in shells that show what they read and execute: of the command that may be seen, of ours nothing."""

from __future__ import annotations

import re

import pytest

from servers import eventually
from shell_panes import INTEGRATED, SHELLS

UNMARKED = [name for name in SHELLS if name not in INTEGRATED]
# Our files, our variables, and where we send what nobody is to see.
OURS = re.compile(r"/r[0-9a-f]{6}$|\b_[pq]\b|/dev/", re.MULTILINE)
COMMANDS = ["printf nonl", "echo a\necho b", "false", "cat <<E\na\nE", "(exit 3)", "f() { return 4; }; f", "x=1", ":"]


@pytest.fixture(params=UNMARKED)
def pane(request, open_shell):
    return open_shell(request.param)


def traces(output):
    """Take the signs before what was traced away: bash repeats its sign as deep as it is."""
    return re.sub(r"^\++ ", "+ ", output, flags=re.MULTILINE)


@pytest.mark.parametrize("option", ["-x", "-v", "-xv"])
def test_the_output_has_nothing_of_ours(pane, option):
    codes = [pane.run(command, timeout_s=20).exit_code for command in COMMANDS]
    pane.run(f"set {option}", timeout_s=20)
    results = [pane.run(command, timeout_s=20) for command in COMMANDS]
    assert [result.exit_code for result in results] == codes == [0, 0, 1, 0, 3, 4, 0, 0]
    assert [result.output for result in results if OURS.search(result.output)] == []
    if pane.info().foreground.command == "bash":  # POSIX shells trace how the file with such a command is read
        assert not OURS.search(pane.run("if", timeout_s=20).output)
    off = pane.run("set +xv", timeout_s=20)
    assert not OURS.search(off.output)
    assert pane.run("printf nonl", timeout_s=20).output == "nonl"


def test_a_trace_of_the_command_itself_stays(pane):
    pane.run("set -x", timeout_s=20)
    assert traces(pane.run("printf nonl", timeout_s=20).output) == "+ printf nonl\nnonl"
    assert traces(pane.run("echo a\necho b", timeout_s=20).output) == "+ echo a\na\n+ echo b\nb"
    assert traces(pane.run("false", timeout_s=20).output) == "+ false"
    assert pane.run("echo $?", timeout_s=20).output.endswith("\n1")
    for command in ("if", "echo 'open\nx"):
        broken = pane.run(command, timeout_s=20)
        assert broken.exit_code != 0
        assert re.search("yntax error|unexpected EOF", broken.output)
    assert traces(pane.run("set +x; echo off", timeout_s=20).output) in {"+ set +x\noff", "off"}, "ksh tells less"


def test_a_sign_of_the_users_own(pane):
    pane.run("PS4='> traced: '", timeout_s=20)
    pane.run("set -x", timeout_s=20)
    output = pane.run("echo a", timeout_s=20).output
    assert re.sub("^>+", ">", output) == "> traced: echo a\na"


def test_what_a_command_writes_that_looks_like_ours_stays(pane):
    for text in ("+ . /tmp/r123456", "_q=0", "{ _q=$?; } 2>/dev/null", "+ 2> /dev/null"):
        assert pane.run(f"echo '{text}'", timeout_s=20).output == text


def test_more_output_than_is_kept_at_hand(open_shell):
    pane = open_shell("dash")
    pane.run("set -x", timeout_s=20)
    lines = pane.run("seq 1 1000000; echo end", timeout_s=60, max_bytes=10_000_000).output.split("\n")
    assert (lines[0], lines[1], lines[-2:]) == ("+ seq 1 1000000", "1", ["+ echo end", "end"])
    assert len(lines) == 1_000_003
    entry = pane.commands()[-1]
    assert pane.output(entry.id).content.startswith("+ seq 1 1000000\n1\n")


@pytest.mark.parametrize("inner", ["bash --norc", "dash"])
def test_a_shell_in_a_shell_with_marks(open_shell, inner):
    pane = open_shell("bash")
    pane.send_keys(inner, "Enter")
    eventually(lambda: (info := pane.info()).foreground and info.foreground.pid != info.pid)
    pane.wait(state="prompt", timeout_s=10)
    pane.run("set -x", timeout_s=20)
    assert traces(pane.run("printf nonl", timeout_s=20).output) == "+ printf nonl\nnonl"


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_command_from_a_file_in_a_shell_with_marks(open_shell, shell):
    pane = open_shell(shell)
    pane.run("PS4='+ '", timeout_s=20)
    pane.run("set -x", timeout_s=20)
    assert traces(pane.run("echo a\necho b", timeout_s=20).output) == "+ echo a\na\n+ echo b\nb"
    for command in ("if", "echo 'open\nx"):
        assert not OURS.search(pane.run(command, timeout_s=20).output)


@pytest.mark.parametrize("shell", ["bash --norc", "ksh"])
def test_a_trap_for_errors_runs_once(open_shell, shell):
    pane = open_shell(shell)
    pane.run("trap 'echo trapped' ERR; set -x", timeout_s=20)
    for command in ("false", "true\nfalse"):
        result = pane.run(command, timeout_s=20)
        assert result.exit_code == 1
        assert result.output.splitlines().count("trapped") == 1
    assert "trapped" not in pane.run("false && true", timeout_s=20).output.splitlines()

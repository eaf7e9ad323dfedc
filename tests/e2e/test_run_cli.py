"""``phux run`` in pipelines: exit codes, unchanged words, and only the result on stdout."""

from __future__ import annotations

import subprocess

import pytest

from servers import BIN


@pytest.fixture
def cli(cli):
    cli.json("new", "-s", "build")
    return cli


def test_flags_are_accepted_after_the_command(cli):
    result = cli("run", "build", "echo hello", "--json")
    assert result.code == 0
    assert result.document["command"] == "echo hello"
    assert result.document["output"] == "hello"
    assert list(result.document)[1:6] == ["command", "exit_code", "output", "duration_ms", "truncated"]


def test_output_and_exit_code_are_those_of_the_command(cli):
    result = cli("run", "build", "echo out; exit_code() { return 42; }; exit_code")
    assert (result.code, result.out, result.err) == (42, "out\n", "")
    assert cli("run", "build", "true").out == ""
    process = subprocess.run(
        ["sh", "-c", f"{BIN}/phux run build false || {BIN}/phux run build 'echo composed'"],
        env=cli.env,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert process.stdout == "composed\n"


def test_exit_codes_of_signals_and_255_are_returned(cli):
    assert cli("run", "build", "sh -c 'kill -9 $$'").code == 137
    assert cli("run", "build", "sh -c 'exit 255'").code == 255


def test_an_unknown_exit_code_is_explained_and_exits_125(cli):
    cli.json("new", "-s", "plain", "--shell", "/bin/bash")
    cli("run", "plain", "shopt -u promptvars")  # PS1 cannot report the exit code then
    result = cli("run", "plain", "echo out; unset PROMPT_COMMAND")
    assert (result.code, result.out) == (125, "out\n")
    assert "did not report its exit code" in result.err
    cli("run", "plain", "true")
    result = cli("run", "plain", "echo out; unset PROMPT_COMMAND", "--json")
    assert result.code == 125
    assert (result.document["exit_code"], result.document["exit_known"]) == (255, False)


def test_words_reach_the_program_unchanged(cli):
    result = cli("run", "build", "--", "printf", "[%s]", "a b", "", "it's", "--json", "$HOME")
    assert result.out == "[a b][][it's][--json][$HOME]\n"
    assert cli("run", "build", "printf", "%s,", "two words", "three").out == "two words,three,\n"
    assert cli.json("run", "build", "--", "ls", "-d", "/")["command"] == "ls -d /"


def test_a_flag_of_the_command_is_rejected_without_two_dashes(cli):
    result = cli("run", "build", "ls", "-d", "/")
    assert result.code == 2
    assert "--" in result.err


def test_run_exits_125_at_its_timeout(cli):
    result = cli("run", "build", "env sleep 5; echo late", "--timeout", "0.3", "--json")
    assert result.code == 125
    assert result.out == ""
    assert result.error["error"]["code"] == "timed_out"
    busy = cli("run", "build", "echo now", "--json")
    assert busy.code == 1
    assert busy.error["error"]["code"] == "busy"
    assert "sleep" in busy.error["error"]["message"]
    cli("send-keys", "build", "C-c")
    assert cli("run", "build", "echo now", "--queue", "--timeout", "20").out == "now\n"


def test_interrupt_ends_the_command_at_the_timeout_and_exits_125(cli):
    assert cli("run", "build", "env sleep 60", "--timeout", "0.3", "--interrupt").code == 125
    assert cli("run", "build", "echo now", "--queue", "--timeout", "20").out == "now\n"


def test_max_bytes_truncates_the_output_and_raw_keeps_colors(cli):
    result = cli.json("run", "build", "seq 1 2000", "--max-bytes", "100")
    assert result["truncated"]
    assert result["omitted_bytes"] > 8000
    assert result["output"].startswith("1\n2\n")
    assert result["output"].endswith("\n2000")
    assert cli("run", "build", r"printf '\033[31mred\033[0m\n'", "--raw").out == "\x1b[31mred\x1b[0m\n"


@pytest.mark.parametrize(
    "words",
    [
        ("run",),
        ("run", "build"),
        ("run", "build", ""),
        ("run", "build", "x", "--timeout", "-1"),
        ("run", "build", "x", "--max-bytes", "no"),
    ],
)
def test_invalid_arguments_exit_2(cli, words):
    assert cli(*words).code == 2


def test_a_missing_pane_or_server_exits_1(cli, tmp_path):
    assert cli("run", "nowhere", "true").code == 1
    assert cli("run", "build", "true", PHUX_SOCKET=str(tmp_path / "none.sock")).code == 1


def test_run_in_a_dead_pane_exits_1(cli):
    assert cli("run", "build", "exit 3").code == 3
    result = cli("run", "build", "true", "--json")
    assert result.code == 1
    assert result.error["error"]["code"] in {"pane_closed", "no_such_target", "no_server"}

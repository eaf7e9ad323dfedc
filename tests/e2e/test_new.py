"""``phux new`` through the installed script."""

from __future__ import annotations

import subprocess

import pytest

from phux_client import blocking
from servers import BIN, Cli

# Signals 32 and 33 are glibc's own; programs started with posix_spawn, system() or popen() ignore them.
_INTERNAL_SIGNALS = 3 << 31


def test_new_creates_a_session_and_prints_its_name_and_pane(cli):
    made = cli.json("new", "-s", "work")
    assert made == {"session": "work", "terminal_id": 1}
    assert cli.json("ls")["sessions"] == [{"name": "work", "windows": 1, "attached": False}]


def test_without_a_name_the_lowest_free_number_is_used(cli):
    for words, name in ((("new", "-d"), "0"), (("new",), "1"), (("kill", "0"), None), (("new", "-d"), "0")):
        finished = cli(*words)
        assert finished.code == 0
        assert name is None or f"created session {name!r}" in finished.out


@pytest.mark.parametrize("words", [("--json",), ("--json", "-d"), ("-d", "-n", "editor", "--json", "--", "cat")])
def test_json_without_a_name_is_rejected_and_creates_nothing(cli, words):
    finished = cli("new", *words)
    assert finished.code == 1
    assert finished.error["error"]["code"] == "bad_name"
    assert "-s NAME" in finished.error["remedy"]
    assert cli.json("ls")["sessions"] == []


def test_pane_ids_are_never_reused(cli):
    first = cli.json("new", "-s", "a")["terminal_id"]
    cli.json("new", "-s", "keep")
    cli("kill", "a")
    assert cli.json("new", "-s", "a")["terminal_id"] > first


def test_new_with_the_flag_for_existing_sessions_finds_or_creates_one(cli):
    first = cli.json("new", "-A", "-s", "work", "--", "cat")
    assert cli.json("new", "-A", "-s", "work", "--", "top") == first
    assert "found session 'work', pane @1" in cli("new-session", "-A", "-d", "-s", "work").out
    assert cli.json("new", "-A", "-s", "other")["terminal_id"] == 2
    assert cli("new", "-A", "-d").code == 1


def test_a_name_in_use_is_an_error_and_nothing_is_created(cli):
    cli.json("new", "-s", "work")
    finished = cli("new", "--json", "-s", "work")
    assert finished.code == 1
    assert finished.error["error"]["code"] == "name_in_use"
    assert len(cli.json("ls")["sessions"]) == 1


def test_the_program_gets_directory_environment_and_size(cli, tmp_path):
    (tmp_path / "sub").mkdir()
    script = 'pwd; echo "$COLOR $TERM $COLORTERM $PHUX_SOCKET $PHUX_PANE [$COLUMNS]"; stty size'
    made = cli.json("new", "-s", "w", "-c", "sub", "-e", "COLOR=red", "--size", "200x50", "--", "sh", "-c", script)
    screen = cli.json("wait", "w", "--exit", "--timeout", "10")
    assert screen["lines"][:3] == [
        str(tmp_path / "sub"),
        f"red xterm-256color truecolor {cli.socket} @{made['terminal_id']} []",
        "50 200",
    ]
    assert (screen["cols"], screen["rows"]) == (200, 50)


def test_without_options_a_pane_is_80_by_24_with_the_callers_shell_and_directory(cli, tmp_path):
    cli.json("new", "-s", "w", SHELL="/bin/bash", PS1="")
    cli("send-keys", "w", 'echo "at $PWD in $0"; stty size', "Enter")
    screen = cli.json("wait", "w", "--until", "24 80", "--timeout", "10")
    assert f"at {tmp_path} in /bin/bash" in "".join(screen["lines"])  # a long path wraps


def test_a_given_variable_overrides_the_terminals_own(cli):
    cli.json("new", "-s", "w", "-e", "TERM=vt100", "--", "sh", "-c", 'echo "<$TERM>"')
    assert "<vt100>" in cli.json("wait", "w", "--exit", "--timeout", "10")["lines"]


def test_arguments_reach_the_program_unchanged(cli):
    cli.json("new", "-s", "w", "--", "printf", "%s\\n", "two words", "--json", "$HOME", "it's", "")
    assert cli.json("wait", "w", "--exit", "--timeout", "10")["lines"][:5] == [
        "two words",
        "--json",
        "$HOME",
        "it's",
        "",
    ]


def test_a_relative_command_is_found_from_its_directory(cli, tmp_path):
    (tmp_path / "tool").write_text("#!/bin/sh\necho from tool\n")
    (tmp_path / "tool").chmod(0o700)
    cli.json("new", "-s", "w", "--", "./tool")
    assert "from tool" in cli.json("wait", "w", "--exit", "--timeout", "10")["lines"]


@pytest.mark.parametrize(
    ("words", "code", "names"),
    [
        (("-s", "w", "--", "no-such-program"), "cannot_execute", "no-such-program"),
        (("-s", "w", "--", "/etc/passwd"), "cannot_execute", "/etc/passwd"),
        (("-s", "w", "--", "./missing"), "cannot_execute", "./missing"),
        (("-s", "w", "-c", "/no/such/dir"), "bad_cwd", "/no/such/dir"),
        (("-s", "w", "-c", "/etc/passwd"), "bad_cwd", "/etc/passwd"),
        (("-s", "w", "--size", "0x24"), "bad_size", "0"),
        (("--size=-1x24",), "bad_size", "-1x24"),
        (("-s", "w", "--size", "80x100000"), "bad_size", "100000"),
        (("--size", "big"), "usage", "big"),
        (("-s", ""), "bad_name", "empty"),
        (("-s", "a:b"), "bad_name", "a:b"),
        (("-s", "a/b"), "bad_name", "a/b"),
        (("-s", "@1"), "bad_name", "@1"),
        (("-s", "=x"), "bad_name", "=x"),
        (("-s", "tab\there"), "bad_name", "tab"),
        (("-s", "x" * 65), "bad_name", "65"),
        (("-e", "NOVALUE"), "usage", "NOVALUE"),
        (("-e", "=x"), "usage", "=x"),
    ],
)
def test_bad_input_is_an_error_and_creates_nothing(shared_server, tmp_path, words, code, names):
    finished = Cli(shared_server.socket, tmp_path)("new", "--json", *words)
    assert finished.error["error"]["code"] == code
    assert names in finished.error["error"]["message"]
    assert finished.error["remedy"]
    with blocking.connect(shared_server.socket) as phux:
        assert phux.sessions() == []


def test_a_script_without_a_usable_interpreter_is_an_error_that_names_the_script(cli, tmp_path):
    (tmp_path / "broken").write_text("#!/no/such/interpreter\n")
    (tmp_path / "broken").chmod(0o700)
    finished = cli("new", "--json", "-s", "w", "--", "./broken")
    assert finished.error["error"]["code"] == "cannot_execute"
    assert "broken" in finished.error["error"]["message"]
    assert cli.json("ls")["sessions"] == []


def test_names_with_spaces_and_unicode_work_in_selectors(cli):
    name = "бюро 2 ✓"
    cli.json("new", "-s", name)
    assert cli.json("ls")["sessions"][0]["name"] == name
    assert cli.json("snapshot", f"{name}:0.0")["pane"] == 1
    assert cli("kill", name).code == 0


def test_without_json_the_result_is_printed_as_text(cli):
    finished = cli("new", "-s", "work")
    assert finished.out == "created session 'work', pane @1\n"


def test_signals_that_python_ignores_are_not_ignored_in_the_pane(cli):
    # SIGPIPE must end `yes` without an error message.
    cli.json("new", "-s", "w", "--", "sh", "-c", "yes | head -n 1; echo done")
    screen = cli.json("wait", "w", "--exit", "--timeout", "10")
    assert screen["lines"][:2] == ["y", "done"]


def test_signals_ignored_by_the_program_that_starts_the_server_are_not_ignored_in_the_pane(cli):
    # nohup ignores SIGHUP, and a script's background jobs SIGINT: C-c would never work in the pane.
    starter = f"trap '' HUP INT QUIT TERM USR1; exec {BIN}/phux new -s w -- grep Sig /proc/self/status"
    subprocess.run(["sh", "-c", starter], env=cli.env, cwd=cli.cwd, check=True, capture_output=True)
    lines = cli.json("wait", "w", "--exit", "--timeout", "10")["lines"]
    signals = [int(line.split()[1], 16) for line in lines if line.startswith(("SigIgn", "SigBlk"))]
    assert [mask & ~_INTERNAL_SIGNALS for mask in signals] == [0, 0]

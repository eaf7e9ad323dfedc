"""Rules for every verb: flags anywhere, one document or nothing, documented errors, silent broken pipes."""

from __future__ import annotations

import json
import subprocess

import pytest

from servers import BIN
from validation import validate


def test_version_and_help_need_no_server(cli):
    assert cli("--version").out.startswith("phux 0.")
    finished = cli("ls", "--help")
    assert finished.code == 0
    assert finished.out.startswith("usage: phux ls")


# tests/unit/cli/test_usage.py parses the command lines of every verb.
@pytest.mark.parametrize("words", [("nonsense",), ("ls", "extra"), ("kill", "work", "--server")])
def test_an_invalid_command_line_exits_2_with_a_reason(cli, words):
    finished = cli(*words)
    assert finished.code == 2
    assert finished.out == ""
    assert finished.err.startswith("phux: ")
    documented = cli(*words, "--json")
    assert documented.code == 2
    assert documented.error["error"]["code"] == "usage"
    assert documented.error["remedy"]


def test_flags_are_accepted_before_and_after_the_target(cli):
    cli.json("new", "-s", "work", "--", "cat")
    for words in (
        ("snapshot", "--json", "work", "--cells"),
        ("send-keys", "work", "--json", "x", "-l", "y"),
        ("paste", "work", "x", "--json"),
        ("wait", "--idle", "10", "work", "--json"),
        ("kill", "work", "--json"),
    ):
        finished = cli(*words)
        assert finished.code == 0, (words, finished.err)
        assert finished.document


def test_errors_without_json_are_sentences(cli):
    finished = cli("snapshot", "nothere")
    assert finished.code == 1
    assert finished.out == ""
    assert (
        finished.err
        == "phux: no session is called 'nothere'\nphux: list sessions, windows and panes with `phux tree`\n"
    )


def test_a_closed_pipe_causes_no_error_message(cli):
    cli.json("new", "-s", "work", "--", "sh", "-c", "seq 1 9000; cat")
    cli.json("wait", "work", "--until", "9000", "--timeout", "10")
    finished = subprocess.run(
        f"{BIN}/phux snapshot work --json --scrollback | head -n 1", shell=True, capture_output=True, env=cli.env
    )
    assert finished.stdout == b"{\n"
    assert finished.stderr == b""
    closed = subprocess.run(f"{BIN}/phux ls >&-", shell=True, capture_output=True, env=cli.env)
    assert b"Traceback" not in closed.stderr


def test_a_closed_pipe_does_not_change_the_exit_code(cli):
    cli.json("new", "-s", "work")
    for words, code in (
        ("run work false --json", 1),
        ("run work 'echo out; (exit 7)'", 7),
        ("wait work --until never --timeout 0.1 --json", 124),
        ("act work true Enter --until never --timeout 0.1", 124),
        ("ls --json", 0),
    ):
        # The reader exits before phux writes.
        line = f"{{ sleep 0.1; {BIN}/phux {words}; echo $? >&2; }} | true"
        finished = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=cli.env)
        assert finished.stderr.splitlines()[-1] == str(code), words
        assert "Traceback" not in finished.stderr


def test_output_that_cannot_be_written_is_an_error(cli):
    cli.json("new", "-s", "work")
    for words in ("ls --json", "snapshot work --json", "run work true --json"):
        finished = subprocess.run(
            f"{BIN}/phux {words} >/dev/full", shell=True, capture_output=True, text=True, env=cli.env
        )
        document = json.loads(finished.stderr)
        validate("error", document)
        assert (finished.returncode, document["error"]["code"]) == (1, "output")
        assert document["remedy"]


def test_words_after_two_dashes_are_used_or_rejected_and_never_ignored(cli):
    cli.json("new", "-s", "one", "--", "sh", "-c", "echo first; cat")
    cli.json("new", "-s", "two", "--", "sh", "-c", "echo second; cat")
    cli.json("wait", "one", "--until", "first", "--timeout", "10")
    assert "first" in cli("snapshot", "--json", "--", "one").document["lines"]
    for words in (
        ("ls", "--", "one"),
        ("status", "--", "--json"),
        ("snapshot", "one", "--", "two"),
        ("paste", "one", "a", "--", "b"),
    ):
        finished = cli(*words)
        assert (finished.code, finished.out) == (2, ""), words


def test_ctrl_c_ends_a_wait_quietly_with_130(cli):
    cli.json("new", "-s", "work", "--", "cat")
    script = f"{BIN}/phux wait work --until never & pid=$!; sleep 0.5; kill -INT $pid; wait $pid; echo $?"
    # Without job control, the shell would make its background jobs ignore SIGINT.
    finished = subprocess.run(
        ["bash", "-c", f"set -m; {script}"], capture_output=True, text=True, env=cli.env, timeout=20
    )
    assert finished.stdout.strip().endswith("130"), finished
    assert "Traceback" not in finished.stderr


def test_kill_reports_the_count_and_exits_1_for_a_missing_target(cli):
    cli.json("new", "-s", "work")
    assert cli.json("kill", "work")["killed"] == 1
    finished = cli("kill", "work", "--json")
    assert finished.code == 1


def test_kill_accepts_a_window_or_a_pane(cli):
    cli.json("new", "-s", "stay")
    for target in ("work:0", "work:0.0", "@4"):
        cli.json("new", "-s", "work")
        assert cli.json("kill", target)["killed"] == 1, target
        assert [session["name"] for session in cli.json("ls")["sessions"]] == ["stay"]


def test_kill_ends_programs_that_ignore_the_hangup(cli):
    cli.json("new", "-s", "stay")
    cli.json(
        "new", "-s", "stubborn", "--", "sh", "-c", "trap '' HUP TERM INT; echo trap''ped; while :; do sleep 1; done"
    )
    cli.json("wait", "stubborn", "--until", "trapped", "--timeout", "10")
    assert cli.json("kill", "stubborn")["killed"] == 1


def test_a_dead_pane_stays_readable_until_it_is_killed_or_its_name_is_reused(cli):
    cli.json("new", "-s", "stay")
    cli.json("new", "-s", "job", "--", "sh", "-c", "echo result; exit 4")
    cli.json("wait", "job", "--exit", "--timeout", "10")
    assert [session["name"] for session in cli.json("ls")["sessions"]] == ["job", "stay"]
    assert cli.json("snapshot", "job")["lines"][0] == "result"
    assert cli("send-keys", "job", "x", "--json").error["error"]["code"] == "pane_closed"
    assert cli.json("new", "-s", "job", "--", "cat")["terminal_id"] == 3
    assert cli("snapshot", "@2", "--json").error["error"]["code"] == "no_such_target"
    assert cli.json("kill", "job")["killed"] == 1


def test_error_documents_are_one_line(cli):
    finished = cli("snapshot", "nothere", "--json")
    (line,) = finished.err.splitlines()
    validate("error", json.loads(line))

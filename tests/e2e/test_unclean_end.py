"""The end of a server whose keeper is killed: nothing survives it, and the next server reports what was lost."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from phux_client import blocking
from phux_core.logs import places
from servers import BIN, Cli, eventually, kill_service, process_gone
from shell_panes import make_home

LOST = (
    "the previous server was killed, and its programs were lost: @1 in session work, running 1.2; @2 in session other"
)


@pytest.fixture
def cli(tmp_path):
    os.chmod(tmp_path, 0o700)
    env = make_home(tmp_path / "home") | {"SHELL": "/bin/bash", "XDG_STATE_HOME": str(tmp_path / "state")}
    cli = Cli(str(tmp_path / "phux.sock"), tmp_path, env)
    yield cli
    cli("kill", "--server")


def processes(cli):
    """Return the processes of the server: its keeper, its service and the programs in its panes."""
    status = cli.json("status")
    panes = [p["pid"] for s in cli.json("tree")["sessions"] for w in s["windows"] for p in w["panes"]]
    return [status["keeper_pid"], status["service_pid"], *panes]


def kill_keeper(cli, *, service_too=False):
    """Kill the keeper, and wait until all processes of the server are gone."""
    keeper, service, *panes = processes(cli)
    if service_too:
        os.kill(keeper, signal.SIGSTOP)  # it must not replace the service
        os.kill(service, signal.SIGKILL)
    os.kill(keeper, signal.SIGKILL)
    eventually(lambda: all(process_gone(pid) for pid in (keeper, service, *panes)))


def begin(cli):
    """Create two sessions, one of which runs a command."""
    cli.json("new", "-s", "work")
    cli.json("new", "-s", "other", "--", "sleep", "1000")
    assert cli("run", "work", "echo before").out == "before\n"
    assert cli.json("start", "work", "echo begun; sleep 1000")["command_id"] == "1.2"
    cli.json("wait", "work", "--until", "begun", "--output-only", "--timeout", "20")
    eventually(lambda: any("sleep 1000" in path.read_text() for path in cli.cwd.glob(f"**/{places.COMMANDS}")))


@pytest.mark.parametrize("service_too", [False, True])
def test_the_next_server_reports_what_was_lost_and_its_logs_are_readable(cli, service_too):
    begin(cli)
    server = cli.json("status")["logs"]["server"]
    kill_keeper(cli, service_too=service_too)
    made = cli("new", "-s", "next", "--", "sleep", "1000")
    assert made.code == 0
    assert LOST in made.err
    panes = [
        {"terminal": "@1", "session": "work", "running": ["1.2"]},
        {"terminal": "@2", "session": "other", "running": []},
    ]
    assert cli.json("status")["unclean_end"] == {"server": server, "panes": panes}
    assert LOST in cli("status").out
    assert f"BAD  unclean end: {LOST}" in cli("doctor").out
    assert cli("output", "1.1").out == "before\n"
    assert "begun" in cli("output", "1.2").out
    commands = cli.json("commands", "@1")["commands"]
    assert {command["id"]: command["state"] for command in commands} == {"1.1": "finished", "1.2": "lost"}


def test_a_server_that_starts_slowly_reports_it_too(cli):
    begin(cli)
    kill_keeper(cli)
    (cli.cwd / "sitecustomize.py").write_text(
        "import sys, time\nif 'phux_core.server' in sys.orig_argv:\n    time.sleep(2)\n"  # the keeper answers after one
    )
    assert LOST in cli("new", "-s", "next", "--", "sleep", "1000", PYTHONPATH=str(cli.cwd)).err


def test_it_is_reported_by_one_server_also_after_the_death_of_its_service(cli):
    begin(cli)
    kill_keeper(cli)
    assert LOST in cli("new", "-s", "next", "--", "sleep", "1000").err
    assert cli("new", "-s", "more", "--", "sleep", "1000").err == ""
    with blocking.connect(cli.socket) as phux:
        before = phux.status().unclean_end
        assert [pane.terminal for pane in before.panes] == ["@1", "@2"]
        kill_service(phux)
        eventually(lambda: phux.status().unclean_end == before)  # until then, the keeper may answer
    assert cli("kill", "--server").code == 0
    assert cli("new", "-s", "next", "--", "sleep", "1000").err == ""
    assert "unclean_end" not in cli.json("status")
    assert "BAD" not in cli("doctor").out


@pytest.mark.parametrize("how", ["kill", "SIGTERM"])
def test_a_clean_end_is_not_reported(cli, how):
    for number in range(8):
        cli.json("new", "-s", f"s{number}", "--", *(["yes"] if number % 2 else ["sleep", "1000"]))
    pids = processes(cli)
    if how == "kill":
        assert cli("kill", "--server").code == 0
    else:
        os.kill(pids[0], signal.SIGTERM)
    eventually(lambda: all(map(process_gone, pids)))
    assert cli("new", "-s", "next", "--", "sleep", "1000").err == ""
    assert "unclean_end" not in cli.json("status")


def test_the_end_of_a_server_on_another_socket_is_not_reported(cli, tmp_path):
    cli.json("new", "-s", "mine", "--", "sleep", "1000")
    other = Cli(str(tmp_path / "other.sock"), tmp_path, cli.env)
    other.env["PHUX_SOCKET"] = other.socket
    other.json("new", "-s", "other", "--", "sleep", "1000")
    kill_keeper(other)
    cli("kill", "--server")
    assert cli("new", "-s", "next", "--", "sleep", "1000").err == ""


def test_programs_that_ignore_the_hang_up_do_not_survive_the_keeper(cli, tmp_path):
    pid_file = tmp_path / "pid"
    cli.json("new", "-s", "work")
    cli.json("start", "work", f"sh -c 'trap \"\" HUP TERM; echo $$ > {pid_file}; exec sleep 1000'")
    job = int(eventually(lambda: pid_file.exists() and pid_file.read_text()))
    try:
        kill_keeper(cli)
        eventually(lambda: process_gone(job))
    finally:
        if not process_gone(job):
            os.kill(job, signal.SIGKILL)


def test_following_a_log_fails_if_the_server_is_killed(cli):
    cli.json("new", "-s", "work", "--", "sh", "-c", "echo begun; exec sleep 1000")
    cli.json("wait", "work", "--until", "begun", "--timeout", "10")
    command = [BIN / "phux", "logs", "work", "--follow"]
    with subprocess.Popen(command, env=cli.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begun\n"
        kill_keeper(cli)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (1, "")
    assert "phux logs @1 --from-byte" in err


@pytest.mark.parametrize("target", [["work"], []], ids=["pane", "server"])
def test_a_watch_fails_if_the_server_is_killed(cli, target):
    cli.json("new", "-s", "work", "--", "cat")
    with subprocess.Popen(
        [BIN / "phux", "watch", *target, "--json"],
        env=cli.env,
        cwd=Path(cli.cwd),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as watching:
        eventually(lambda: cli.json("status")["clients"] == 2)
        cli("send-keys", "work", "x", "Enter")
        assert "dirty" in watching.stdout.readline()
        kill_keeper(cli)
        _events, error = watching.communicate(timeout=20)
    assert watching.returncode == 1
    assert '"code": "no_server"' in error
    assert "the server was killed while @1 ran" in error

"""A server with few file descriptors refuses panes that it could not keep, and each later service takes over all panes."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
from pathlib import Path

import pytest

from rawwire import HELLO, RawClient
from servers import BIN, Cli, eventually, process_gone

LIMIT = 96


@pytest.fixture
def cli(tmp_path):
    """A server whose limit is ``LIMIT`` descriptors, with the session ``first``."""
    (tmp_path / "phux").mkdir(mode=0o700)
    cli = Cli(str(tmp_path / "phux" / "phux.sock"), tmp_path, {"XDG_STATE_HOME": str(tmp_path / "state")})
    line = f'ulimit -n {LIMIT}; exec "$0" new -d -s first'
    subprocess.run(["sh", "-c", line, BIN / "phux"], env=cli.env, check=True, capture_output=True, timeout=30)
    pid = cli.json("status")["keeper_pid"]
    yield cli
    cli("kill", "--server")
    eventually(lambda: process_gone(pid))


def test_a_server_without_descriptors_for_a_pane_refuses_it_and_loses_none(cli):
    names = ["first"]
    while (made := cli("new", "-d", "-s", f"s{len(names)}", "--json")).code == 0:
        names.append(f"s{len(names)}")
        assert len(names) < LIMIT
    assert made.error["error"]["code"] == "limit"
    assert f"its limit is {LIMIT}" in made.error["error"]["message"]
    for restarts in (1, 2):
        service = cli.json("status")["service_pid"]
        os.kill(service, signal.SIGKILL)
        eventually(lambda pid=service: process_gone(pid))
        eventually(lambda: "problem" not in cli.json("status"))  # until then, the keeper may answer
        status = cli.json("status")
        assert (status["service_restarts"], status["panes"]) == (restarts, len(names))
        assert "problem" not in status["logs"]
    for name in names:
        assert cli("run", name, "echo alive").out == "alive\n"
    assert cli("kill", names[-1]).code == 0
    assert cli("new", "-d", "-s", "again").code == 0


def test_a_server_without_descriptors_for_a_client_refuses_it_and_can_be_looked_at_and_ended(cli):
    with contextlib.ExitStack() as many:
        error = {}
        while "error" not in error:
            client = many.enter_context(RawClient(cli.socket))
            error = client.ask("commands")
        assert error["error"]["message"].endswith(f"for another client: its limit is {LIMIT}")
        assert cli("ls").code == cli("status").code == 0
        assert cli("run", "first", "true", "--json").error["error"]["code"] == "limit"
        refusal = {}
        while "error" not in refusal:  # the connections of the reserved calls are used up
            client = many.enter_context(RawClient(cli.socket, greet=False))
            client.send(HELLO)
            refusal = client.receive()
        assert refusal["error"] == error["error"]
    eventually(lambda: cli("run", "first", "echo well").out == "well\n")


@contextlib.contextmanager
def free_descriptors(pid, count):
    """Leave a process ``count`` free descriptors."""
    limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    used = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
    free = [number for number in range(len(used) + count + 1) if number not in used]
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (free[count], limits[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)


@pytest.mark.parametrize("count", range(6))
def test_a_keeper_without_descriptors_reports_the_limit_and_keeps_every_shell(cli, count):
    keeper = cli.json("status")["keeper_pid"]
    shell = cli("run", "first", "echo $$").out
    with free_descriptors(keeper, count):
        failed = cli("new", "-d", "-s", "second", "--json")
        assert failed.error["error"]["code"] == "limit"
        assert "too many open files" in failed.error["error"]["message"]
        assert cli("run", "first", "echo $$").out == shell
    assert cli("new", "-d", "-s", "second").code == 0


def test_a_keeper_without_descriptors_starts_a_service_once_it_has_some(cli):
    before = cli.json("status")
    shell = cli("run", "first", "echo $$").out
    with free_descriptors(before["keeper_pid"], 0):
        os.kill(before["service_pid"], signal.SIGKILL)
        log = Path(before["log"])
        eventually(lambda: "cannot start a service: [Errno 24] Too many open files" in log.read_text())
    assert cli("run", "first", "echo $$").out == shell

"""A server with few file descriptors refuses panes that it could not keep, and each later service takes over all panes."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

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
        status = cli.json("status")
        assert (status["service_restarts"], status["panes"]) == (restarts, len(names))
        assert "problem" not in status["logs"]
    for name in names:
        assert cli("run", name, "echo alive").out == "alive\n"
    assert cli("kill", names[-1]).code == 0
    assert cli("new", "-d", "-s", "again").code == 0

"""The directory of the socket is deleted under a running server, as logind does at logout: clients find the server again."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from phux_client import blocking
from phux_core import paths
from phux_core.keeper.listener import Listener
from servers import Cli, eventually, process_gone


@pytest.fixture
def user(tmp_path):
    """A user's own server with a session: the CLI, the directory of the socket, and the keeper's pid."""
    directory = tmp_path / "phux"
    directory.mkdir(mode=0o700)
    cli = Cli(str(directory / "phux.sock"), tmp_path, {"XDG_STATE_HOME": str(tmp_path / "state")})
    assert cli("new", "-d", "-s", "work", "--", "cat").code == 0
    pid = cli.json("status")["keeper_pid"]
    yield cli, directory, pid
    if not process_gone(pid):
        os.kill(pid, signal.SIGTERM)
        eventually(lambda: process_gone(pid))


@pytest.mark.parametrize("what", ["socket", "directory"])
def test_clients_find_the_server_again_after_its_socket_was_deleted(user, what):
    cli, directory, pid = user
    if what == "socket":
        os.unlink(cli.socket)
    else:
        shutil.rmtree(directory)
    eventually(lambda: os.path.exists(cli.socket))
    assert cli.json("status")["keeper_pid"] == pid
    assert cli("send-keys", "work", "hello", "Enter").code == 0
    assert cli("wait", "work", "--until", "hello", "--timeout", "20").code == 0
    assert oct(os.stat(cli.socket).st_mode & 0o777) == "0o600"
    assert cli("kill", "--server").code == 0
    assert not os.path.exists(cli.socket)


def test_the_next_service_accepts_clients_on_the_new_socket(user):
    cli, directory, _pid = user
    shutil.rmtree(directory)
    eventually(lambda: os.path.exists(cli.socket))
    service = cli.json("status")["service_pid"]
    os.kill(service, signal.SIGKILL)
    eventually(lambda: process_gone(service))
    assert cli.json("status")["service_restarts"] == 1
    log = Path(paths.log_path(cli.socket)).read_text()
    assert "was deleted and bound again" in log
    assert "was killed by SIGKILL" in log


def test_a_connection_survives_the_loss_of_the_socket(user):
    cli, directory, _pid = user
    with blocking.connect(cli.socket) as phux:
        shutil.rmtree(directory)
        assert phux.pane("work").snapshot().state == "awaiting_input"


def test_the_socket_of_another_server_is_left_alone_and_taken_over_at_its_end(user):
    cli, _directory, pid = user
    os.unlink(cli.socket)
    other = Listener(cli.socket)
    eventually(lambda: "a server is already listening" in Path(paths.log_path(cli.socket)).read_text())
    other.close()
    eventually(lambda: os.path.exists(cli.socket))
    assert cli.json("status")["keeper_pid"] == pid


def test_the_socket_returns_when_its_parent_directory_does(tmp_path):
    runtime = tmp_path / "runtime"
    (runtime / "phux").mkdir(parents=True, mode=0o700)
    cli = Cli(str(runtime / "phux" / "phux.sock"), tmp_path, {"XDG_STATE_HOME": str(tmp_path / "state")})
    assert cli("new", "-d", "-s", "work", "--", "cat").code == 0
    shutil.rmtree(runtime)
    assert cli("ls").code != 0
    runtime.mkdir(mode=0o700)
    eventually(lambda: os.path.exists(cli.socket))
    assert cli("kill", "--server").code == 0

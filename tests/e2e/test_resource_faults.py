"""A server on a system without free terminals or processes, or with state it cannot write, refuses and recovers."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from servers import BIN, Cli, eventually, process_gone

OTHER_UID = 54321
IDENTITY = {"user": OTHER_UID, "group": OTHER_UID, "extra_groups": []}
SET_LIMIT = """
import resource, sys
pid, soft = map(int, sys.argv[1:])
before, hard = resource.prlimit(pid, resource.RLIMIT_NPROC)
resource.prlimit(pid, resource.RLIMIT_NPROC, (soft, hard))
print(before)
"""
# Not the keeper: it has no terminal, so nothing but the panes uses this instance of devpts.
FEW_TERMINALS = """
mount -t devpts -o newinstance,ptmxmode=0666,mode=0600,max=3 devpts /dev/pts && mount --bind /dev/pts/ptmx /dev/ptmx &&
exec "$0" new -d -s first -- cat
"""


@pytest.fixture
def few_terminals(tmp_path):
    """A server, with the session ``first``, on a system with three terminals."""
    os.chmod(tmp_path, 0o700)
    cli = Cli(str(tmp_path / "phux.sock"), tmp_path, {"XDG_STATE_HOME": str(tmp_path / "state")})
    inside = ["unshare", "-m", "sh", "-c", FEW_TERMINALS, BIN / "phux"]
    begun = subprocess.run(inside, env=cli.env, cwd=tmp_path, capture_output=True, timeout=30)
    if begun.returncode:
        pytest.skip(f"devpts cannot be mounted here: {begun.stderr.decode().strip()}")
    yield cli
    cli("kill", "--server")


def test_a_system_without_free_terminals_refuses_a_pane_and_has_one_after_another_was_killed(few_terminals):
    cli = few_terminals
    for name in ("second", "third"):
        assert cli("new", "-d", "-s", name, "--", "cat").code == 0
    for _ in range(2):
        error = cli("new", "-d", "-s", "fourth", "--json", "--", "cat").error
        assert error["error"]["code"] == "limit"
        assert "no pseudo-terminal is left" in error["error"]["message"]
        assert "kill some panes" in error["remedy"]
    assert cli.json("status")["panes"] == 3
    assert cli.json("status")["service_restarts"] == 0
    assert cli("kill", "second").code == 0
    assert cli("new", "-d", "-s", "fourth", "--", "cat").code == 0


class OtherUser(Cli):
    """``phux`` as another user, whom limits concern; root has none."""

    identity = IDENTITY

    def limit_processes(self, pid, count):
        """Set the soft limit of a process, which root may not do in every container; return the old limit."""
        words = [sys.executable, "-c", SET_LIMIT, str(pid), str(count)]
        return int(subprocess.run(words, check=True, capture_output=True, cwd=self.cwd, **IDENTITY).stdout)


@pytest.fixture
def other_user():
    """A user without processes, with a private directory."""
    if os.getuid() != 0 or sys.platform != "linux":
        pytest.skip("only root can run programs as another user")
    place = Path("/tmp") / f"phux-test-{os.getpid()}"
    place.mkdir(mode=0o700)
    os.chown(place, OTHER_UID, OTHER_UID)
    cli = OtherUser(str(place / "phux.sock"), place, {"XDG_STATE_HOME": str(place / "state"), "HOME": str(place)})
    try:
        if cli("--version").code:
            pytest.skip("other users cannot execute this checkout")
        yield cli
        cli("kill", "--server")
    except PermissionError:
        pytest.skip("other users cannot execute this checkout")
    finally:
        shutil.rmtree(place)


def test_a_user_without_free_processes_gets_the_limit_and_a_pane_once_there_are_some(other_user):
    cli = other_user
    assert cli("new", "-d", "-s", "first", "--", "cat").code == 0
    status = cli.json("status")
    keeper = status["keeper_pid"]
    limit = cli.limit_processes(keeper, 1)
    error = cli("new", "-d", "-s", "second", "--json", "--", "cat").error
    assert error["error"]["code"] == "limit"
    assert "no more processes are allowed" in error["error"]["message"]
    assert "ulimit -u" in error["remedy"]
    os.kill(status["service_pid"], signal.SIGKILL)
    eventually(lambda: process_gone(status["service_pid"]))
    eventually(lambda: "cannot start a service" in Path(status["log"]).read_text())
    told = json.loads(eventually(lambda: cli("status", "--json").out, within_s=20))
    assert "Resource temporarily unavailable" in told["problem"]
    assert "Resource temporarily unavailable" in cli("doctor").out
    cli.limit_processes(keeper, limit)
    eventually(lambda: cli("new", "-d", "-s", "second", "--", "cat").code == 0, within_s=20)
    assert {session["name"] for session in cli.json("ls")["sessions"]} == {"first", "second"}


def test_a_state_directory_without_permission_is_reported_until_it_is_given(other_user):
    cli = other_user
    logs = Path(cli.cwd) / "state/phux/logs"
    for directory in (logs.parent.parent, logs.parent, logs):
        directory.mkdir(mode=0o700)
        os.chown(directory, OTHER_UID, OTHER_UID)
    logs.chmod(0o500)
    assert cli("new", "-d", "-s", "work", "--", "/bin/sh").code == 0
    assert cli("run", "work", "echo it goes on").out == "it goes on\n"
    assert cli.json("status")["logs"]["problem"] == "Permission denied"
    assert "panes are not logged: Permission denied" in cli("status").out
    assert f"BAD  logs: the server cannot write logs to {logs}: Permission denied" in cli("doctor").out
    logs.chmod(0o700)
    eventually(lambda: cli("logs", "work").code == 0 and "problem" not in cli.json("status")["logs"])
    assert "it goes on" in cli("logs", "work").out
    assert "BAD" not in cli("doctor").out


def test_a_log_directory_that_was_replaced_by_a_link_is_not_used_until_it_is_restored(tmp_path):
    os.chmod(tmp_path, 0o700)
    cli = Cli(str(tmp_path / "phux.sock"), tmp_path, {"XDG_STATE_HOME": str(tmp_path / "state")})
    logs, elsewhere = tmp_path / "state/phux/logs", tmp_path / "elsewhere"
    cli.json("new", "-s", "work")
    try:
        assert cli("run", "work", "echo before").out == "before\n"
        logs.rename(elsewhere)
        logs.symlink_to(elsewhere)
        assert "before" in cli("logs", "work").out  # from the journal
        assert cli("run", "work", "echo meanwhile").out == "meanwhile\n"
        assert cli.json("status")["logs"]["problem"] == "Not a directory"
        assert "panes are not logged: Not a directory" in cli("status").out
        assert "BAD  logs: the server cannot write logs" in cli("doctor").out
        assert not any(b"meanwhile" in path.read_bytes() for path in elsewhere.glob("*/*/*.log"))
        logs.unlink()
        elsewhere.rename(logs)
        eventually(lambda: cli("logs", "work").code == 0 and "problem" not in cli.json("status")["logs"])
        assert {"before", "meanwhile"} <= set(cli("logs", "work").out.splitlines())
        assert any(b"meanwhile" in path.read_bytes() for path in logs.glob("*/*/*.log"))
    finally:
        cli("kill", "--server")

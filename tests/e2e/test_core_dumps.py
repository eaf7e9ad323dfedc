"""The server's processes, whose memory may contain typed secrets, leave no core dumps; programs in panes may."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from pathlib import Path

import pytest

from phux_client import blocking
from servers import BIN, SHELL, Cli, eventually, kill_service


def core_limit(pid):
    (line,) = (line for line in Path(f"/proc/{pid}/limits").read_text().splitlines() if "core file" in line)
    return line.split()[4:6]


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="limits of processes are read from /proc")
def test_a_crash_of_the_server_leaves_no_core_dump_and_children_keep_their_limit(tmp_path):
    os.chmod(tmp_path, 0o700)
    _soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    if hard != resource.RLIM_INFINITY:
        pytest.skip("the limit of core dumps cannot be raised here")
    cli = Cli(str(tmp_path / "phux.sock"), tmp_path, {"XDG_STATE_HOME": str(tmp_path)})
    started = [
        "sh",
        "-c",
        'ulimit -c unlimited; exec "$@"',
        "sh",
        BIN / "phux",
        "new",
        "-d",
        "-s",
        "a",
        "--shell",
        SHELL,
    ]
    subprocess.run(started, env=cli.env, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    try:
        with blocking.Phux(cli.socket) as phux:
            status = phux.status()
            assert core_limit(status.keeper_pid) == core_limit(status.service_pid) == ["1", "unlimited"]
            kill_service(phux, signal.SIGSEGV)
            assert phux.pane("a").run("ulimit -c").output == "unlimited"
            # A program in a pane dumps core as in any other terminal: the crash above would have done so too.
            if Path("/proc/sys/kernel/core_pattern").read_text() == "core\n":
                assert [*tmp_path.rglob("core*")] == []
                phux.pane("a").run("sh -c 'kill -SEGV $$'")
                eventually(lambda: [*tmp_path.rglob("core*")])
    finally:
        cli("kill", "--server")

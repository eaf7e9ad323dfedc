"""The keeper and a service that dies at a bad moment: a scripted one, so that the moment is always the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from phux_core.keeper import supervisor
from phux_core.keeper.children import SpawnError
from phux_core.keeper.listener import Listener

SERVICE = """
import os, signal, socket, sys
from phux_core.keeper.channel import Channel
from phux_core.server.keeper_link import receive_inheritance

go, told, fd = sys.argv[1], sys.argv[2], int(sys.argv[3])
channel = Channel(socket.socket(fileno=fd))
inherited = receive_inheritance(channel)
if "tree" in inherited.blobs:
    with open(told, "wb") as file:
        file.write(inherited.blobs["tree"])
    channel.send({"op": "shutdown"})
    channel.wait()
else:
    channel.send({"op": "put", "key": "tree"}, b"before")
    channel.send({"op": "spawn", "id": 1, "pane": 1, "argv": [], "cwd": "/", "env": {}, "cols": 80, "rows": 24})
    open(go).close()
    channel.send({"op": "put", "key": "tree"}, b"after")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def signals():
    """Gives back what a keeper takes for itself."""
    numbers = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    os.close(signal.set_wakeup_fd(-1))
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.usefixtures("signals")
def test_what_a_service_said_before_it_died_is_heard_although_it_cannot_be_answered(tmp_path, monkeypatch):
    go, told = tmp_path / "go", tmp_path / "told"
    os.mkfifo(go)
    tmp_path.chmod(0o700)
    listener = Listener(str(tmp_path / "s"))

    def start(channel_fd):
        command = [sys.executable, "-P", "-c", SERVICE, str(go), str(told), str(channel_fd)]
        return subprocess.Popen(command, pass_fds=(channel_fd,))

    keeper = supervisor.Supervisor(listener, start)

    def spawn(*_words, **_more):
        """Take long: meanwhile the service says more, and dies."""
        go.open("w").close()
        assert keeper._service is not None
        os.waitid(os.P_PID, keeper._service.pid, os.WEXITED | os.WNOWAIT)
        raise SpawnError("which nobody will hear")

    monkeypatch.setattr(supervisor, "spawn", spawn)
    keeper.run()
    assert told.read_bytes() == b"after"

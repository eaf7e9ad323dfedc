"""The keeper and a service that dies at a bad moment: a scripted one, so that the moment is always the same."""

from __future__ import annotations

import json
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


def starter(code, *arguments):
    """Start a scripted service; the channel's descriptor is its last argument."""
    return lambda channel_fd: subprocess.Popen(
        [sys.executable, "-P", "-c", code, *arguments, str(channel_fd)], pass_fds=(channel_fd,)
    )


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
    keeper = supervisor.Supervisor(listener, starter(SERVICE, str(go), str(told)))

    def spawn(*_words, **_more):
        """Take long: meanwhile the service says more, and dies."""
        go.open("w").close()
        assert keeper._service is not None
        os.waitid(os.P_PID, keeper._service.pid, os.WEXITED | os.WNOWAIT)
        raise SpawnError("which nobody will hear")

    monkeypatch.setattr(supervisor, "spawn", spawn)
    keeper.run()
    assert told.read_bytes() == b"after"


# A service whose first lives go wrong in some way; the one after them tells what it was told, and ends the server.
FAULTY_SERVICE = """
import json, os, signal, socket, sys, time
from phux_core.keeper.channel import Channel
from phux_core.server.keeper_link import receive_inheritance

told, fd = sys.argv[1], int(sys.argv[2])
channel = Channel(socket.socket(fileno=fd))
inherited = receive_inheritance(channel)
hello, mark = inherited.hello, inherited.feed_mark.cell
if hello["restarts"] < LIVES:
    FAULT
with open(told, "w") as file:
    json.dump(hello, file)
channel.send({"op": "shutdown"})
channel.wait()
"""


def hello_after(tmp_path, fault, lives):
    """Run a keeper through lives of a service that goes wrong; give what the last one was told."""
    tmp_path.chmod(0o700)
    told = tmp_path / "told"
    code = FAULTY_SERVICE.replace("FAULT", fault).replace("LIVES", str(lives))
    keeper = supervisor.Supervisor(Listener(str(tmp_path / "s")), starter(code, str(told)))
    keeper.run()
    return json.loads(told.read_text())


REBUILDS = "mark[0], mark[1] = 7, 1"


@pytest.mark.usefixtures("signals")
def test_a_service_that_hangs_while_it_rebuilds_is_killed_and_after_the_second_time_the_pane_is_set_aside(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(supervisor, "STUCK_S", 0.5)
    hello = hello_after(tmp_path, f"{REBUILDS}; signal.pause()", 2)
    assert (hello["restarts"], hello["set_aside"], hello["suspect"]) == (2, [7], None)
    said = capsys.readouterr().err
    assert said.count("made no progress for 0.5 s and was killed while rebuilding @7") == 2


@pytest.mark.usefixtures("signals")
def test_a_service_that_hangs_before_it_rebuilds_anything_accuses_no_pane(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "STUCK_S", 0.5)
    hello = hello_after(tmp_path, "signal.pause()", 2)
    assert (hello["restarts"], hello["set_aside"]) == (2, [])


@pytest.mark.usefixtures("signals")
def test_a_long_replay_that_makes_progress_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "STUCK_S", 0.5)
    steps = """
    mark[0] = 7
    for mark[1] in range(1, 25):
        time.sleep(0.1)
"""
    assert hello_after(tmp_path, steps.strip(), 1)["restarts"] == 0


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize(
    ("death", "set_aside", "suspect", "said"),
    [
        ("os._exit(70)", [7], None, "exited with status 70 after an exception while rebuilding @7"),
        ("os.abort()", [7], 7, "was killed by SIGABRT while rebuilding @7"),
        ("os.kill(os.getpid(), signal.SIGKILL)", [], None, "was killed by SIGKILL while rebuilding @7"),
    ],
)
def test_what_two_deaths_while_rebuilding_mean(tmp_path, capsys, death, set_aside, suspect, said):
    hello = hello_after(tmp_path, f"{REBUILDS}; {death}", 2)
    assert (hello["set_aside"], hello["suspect"]) == (set_aside, suspect)
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("signals")
def test_a_ready_service_in_between_clears_the_pane(tmp_path):
    ready = "hello['restarts'] == 1 and channel.send({'op': 'ready'})"
    assert hello_after(tmp_path, f"{ready}; {REBUILDS}; os._exit(1)", 2)["set_aside"] == []


@pytest.mark.usefixtures("signals")
def test_a_service_that_closes_its_channel_may_still_say_how_it_ends(tmp_path, capsys):
    hello = hello_after(tmp_path, "channel.close(); time.sleep(0.3); os._exit(70)", 1)
    assert hello["restarts"] == 1
    assert "exited with status 70 after an exception" in capsys.readouterr().err


@pytest.mark.usefixtures("signals")
def test_one_that_does_not_end_then_is_killed(tmp_path, capsys):
    hello = hello_after(tmp_path, "channel.close(); signal.pause()", 1)
    assert hello["restarts"] == 1
    assert "closed its channel, did not exit and was killed" in capsys.readouterr().err

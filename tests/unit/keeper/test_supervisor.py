"""The keeper handles failures of its service. Here, the service is a script that fails at a known point."""

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

IMPORTS = """
import json, os, signal, socket, sys, time
from phux_core.keeper.channel import Channel
from phux_core.server.keeper_link import receive_inheritance
print(flush=True)
"""

SERVICE = """
go, received, fd = sys.argv[1], sys.argv[2], int(sys.argv[3])
channel = Channel(socket.socket(fileno=fd))
inherited = receive_inheritance(channel)
if "tree" in inherited.blobs:
    with open(received, "wb") as file:
        file.write(inherited.blobs["tree"])
    channel.send({"op": "shutdown"})
    channel.wait()
else:
    channel.send({"op": "put", "key": "tree"}, b"before")
    channel.send({"op": "spawn", "id": 1, "pane": 1, "argv": [], "cwd": "/", "env": {}, "cols": 80, "rows": 24, "secret": ""})
    open(go).close()
    channel.send({"op": "put", "key": "tree"}, b"after")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def starter(code, *arguments):
    """Return a function that starts a scripted service, and passes the channel's descriptor as its last argument."""

    def start(channel_fd, _python):
        command = [sys.executable, "-P", "-c", IMPORTS + code, *arguments, str(channel_fd)]
        process = subprocess.Popen(command, pass_fds=(channel_fd,), stdout=subprocess.PIPE)
        assert process.stdout is not None
        # Until it has imported everything, which takes long on a busy machine, the keeper counts no missing answer.
        process.stdout.readline()
        process.stdout.close()
        return process

    return start


@pytest.fixture
def signals():
    """Restore the signal handlers and the wakeup descriptor that a keeper replaces."""
    numbers = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    os.close(signal.set_wakeup_fd(-1))
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.usefixtures("signals")
def test_messages_of_a_dead_service_are_handled_although_a_reply_to_it_fails(tmp_path, monkeypatch):
    go, received = tmp_path / "go", tmp_path / "received"
    os.mkfifo(go)
    tmp_path.chmod(0o700)
    listener = Listener(str(tmp_path / "s"))
    keeper = supervisor.Supervisor(listener, starter(SERVICE, str(go), str(received)))

    def spawn(*_args, **_kwargs):
        """Fail after the service has sent another message and died."""
        go.open("w").close()
        assert keeper._service is not None
        os.waitid(os.P_PID, keeper._service.pid, os.WEXITED | os.WNOWAIT)
        raise SpawnError("not received by any service")

    monkeypatch.setattr(supervisor, "spawn", spawn)
    keeper.run()
    assert received.read_bytes() == b"after"


# The first FAILURES services execute FAULT. The next one writes the hello message that it received to a file and shuts
# the server down.
FAULTY_SERVICE = """
received, fd = sys.argv[1], int(sys.argv[2])
channel = Channel(socket.socket(fileno=fd))
inherited = receive_inheritance(channel)
hello, mark = inherited.hello, inherited.feed_mark.cell
if hello["restarts"] < FAILURES:
    FAULT
with open(received, "w") as file:
    json.dump(hello, file)
channel.send({"op": "shutdown"})
channel.wait()
"""


# A service that is not stuck starts a Python in this time, on a busy machine, too.
STUCK_S = 1.5


def hello_after(tmp_path, fault, failures):
    """Run a keeper whose first services fail, and return the hello message that the last service received."""
    tmp_path.chmod(0o700)
    received = tmp_path / "received"
    code = FAULTY_SERVICE.replace("FAULT", fault).replace("FAILURES", str(failures))
    keeper = supervisor.Supervisor(Listener(str(tmp_path / "s")), starter(code, str(received)))
    keeper.run()
    return json.loads(received.read_text())


MARK_REBUILDING = "mark[0], mark[1] = 7, 1"


@pytest.mark.usefixtures("signals")
def test_a_pane_is_set_aside_after_two_services_hung_while_rebuilding_it_and_were_killed(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(supervisor, "STUCK_S", STUCK_S)
    hello = hello_after(tmp_path, f"{MARK_REBUILDING}; signal.pause()", 2)
    assert (hello["restarts"], hello["set_aside"], hello["suspect"]) == (2, [7], None)
    logged = capsys.readouterr().err
    assert logged.count("made no progress for 1.5 s and was killed while rebuilding @7") == 2


@pytest.mark.usefixtures("signals")
def test_no_pane_is_set_aside_if_services_hang_before_they_rebuild_a_pane(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "STUCK_S", STUCK_S)
    hello = hello_after(tmp_path, "signal.pause()", 2)
    assert (hello["restarts"], hello["set_aside"]) == (2, [])


@pytest.mark.usefixtures("signals")
def test_a_ready_service_that_does_not_answer_is_replaced(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(supervisor, "STUCK_S", STUCK_S)
    hello = hello_after(tmp_path, 'channel.send({"op": "ready"}); signal.pause()', 1)
    assert (hello["restarts"], hello["set_aside"], hello["suspect"]) == (1, [], None)
    assert "the service did not answer for 1.5 s and was killed" in capsys.readouterr().err


@pytest.mark.usefixtures("signals")
def test_a_ready_service_that_answers_is_not_replaced(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "STUCK_S", 1.0)
    answers = """
    channel.send({"op": "ready"})
    answered = 0
    while answered < 12:
        channel.wait()
        for message in channel.receive():
            assert message.header["op"] == "ping"
            channel.send({"op": "pong"})
            answered += 1
"""
    assert hello_after(tmp_path, answers.strip(), 1)["restarts"] == 0


@pytest.mark.usefixtures("signals")
def test_a_service_that_makes_progress_in_a_long_replay_is_not_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "STUCK_S", 1.0)
    steps = """
    mark[0] = 7
    for mark[1] in range(1, 14):
        time.sleep(0.1)
"""
    assert hello_after(tmp_path, steps.strip(), 1)["restarts"] == 0


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize(
    ("death", "set_aside", "suspect", "logged"),
    [
        ("os._exit(70)", [7], None, "exited with status 70 after an exception while rebuilding @7"),
        ("os.abort()", [7], 7, "was killed by SIGABRT while rebuilding @7"),
        ("os.kill(os.getpid(), signal.SIGKILL)", [], None, "was killed by SIGKILL while rebuilding @7"),
    ],
)
def test_two_deaths_while_rebuilding_a_pane_set_the_pane_aside_unless_caused_by_external_signals(
    tmp_path, capsys, death, set_aside, suspect, logged
):
    hello = hello_after(tmp_path, f"{MARK_REBUILDING}; {death}", 2)
    assert (hello["set_aside"], hello["suspect"]) == (set_aside, suspect)
    assert logged in capsys.readouterr().err


@pytest.mark.usefixtures("signals")
def test_a_pane_is_not_set_aside_if_a_service_rebuilt_all_panes_between_the_deaths(tmp_path):
    rebuilt = "hello['restarts'] == 1 and channel.send({'op': 'rebuilt'})"
    assert hello_after(tmp_path, f"{rebuilt}; {MARK_REBUILDING}; os._exit(1)", 2)["set_aside"] == []


@pytest.mark.usefixtures("signals")
def test_the_exit_status_of_a_service_that_closed_its_channel_is_logged(tmp_path, capsys):
    hello = hello_after(tmp_path, "channel.close(); time.sleep(0.3); os._exit(70)", 1)
    assert hello["restarts"] == 1
    assert "exited with status 70 after an exception" in capsys.readouterr().err


@pytest.mark.usefixtures("signals")
def test_a_service_that_closes_its_channel_but_does_not_exit_is_killed(tmp_path, capsys):
    hello = hello_after(tmp_path, "channel.close(); signal.pause()", 1)
    assert hello["restarts"] == 1
    assert "closed its channel, did not exit and was killed" in capsys.readouterr().err

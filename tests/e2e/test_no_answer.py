"""A service that does not answer: timeouts hold, and the server can still be ended."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest

import phux_client
from faults import faulty_server
from phux_client import blocking
from phux_client.flows import waiting
from servers import Cli, embedded_server, eventually, process_gone

DYING = """
from phux_core.server import service
adopt = service.Service._adopt
def dying(self, inheritance):
    if is_on():
        os._exit(3)
    adopt(self, inheritance)
service.Service._adopt = dying
"""

# The keeper, forked from the same template, replaces a service that does not answer for three seconds instead of ten.
IMPATIENT = """
from phux_core.keeper import supervisor
supervisor.STUCK_S = 3.0
"""


@pytest.fixture
def frozen():
    """A server whose service is stopped (SIGSTOP): its socket, and the service's pid."""
    with embedded_server() as server:
        with blocking.connect(server.socket) as phux:
            phux.new_session("work", command=["cat"])
            service_pid = phux.status().service_pid
        os.kill(service_pid, signal.SIGSTOP)
        yield server.socket, service_pid
        with contextlib.suppress(ProcessLookupError):
            os.kill(service_pid, signal.SIGCONT)


def took(call):
    began = time.monotonic()
    with pytest.raises(phux_client.TransportError):
        call()
    return time.monotonic() - began


def test_timeouts_hold_if_the_service_does_not_answer(frozen):
    def seconds(call):
        with blocking.Phux(frozen[0]) as phux:
            pane = blocking.Pane(phux, 1)
            return took(lambda: call(pane))

    calls = {
        "run": lambda pane: pane.run("true", timeout_s=0.5),
        "wait": lambda pane: pane.wait(until="x", timeout_s=0.5),
        "act": lambda pane: pane.act("x", until="x", timeout_s=0.5),
    }
    with ThreadPoolExecutor() as threads:
        times = dict(zip(calls, threads.map(seconds, calls.values()), strict=True))
    assert max(times.values()) < 4, times


def test_timeouts_of_the_cli_include_the_search_for_the_target(frozen, tmp_path):
    cli = Cli(frozen[0], tmp_path)

    def seconds(line):
        began = time.monotonic()
        assert cli(*line.split(), "--timeout", "0.5").code != 0
        return time.monotonic() - began

    lines = ["run work true", "run work true --queue", "act work x", "wait work", "wait --command-id 1.1", "watch work"]
    with ThreadPoolExecutor() as threads:
        times = dict(zip(lines, threads.map(seconds, lines), strict=True))
    assert max(times.values()) < 8, times  # the service is replaced after 10


@pytest.mark.parametrize("backend", ["blocking", "asyncio", "trio"])
def test_kill_server_ends_a_server_whose_service_is_stopped(frozen, backend):
    socket, service_pid = frozen

    async def kill():
        async with phux_client.Phux(socket) as phux:
            await phux.kill_server()

    if backend == "blocking":
        with blocking.Phux(socket) as phux:
            phux.kill_server()
    else:
        anyio.run(kill, backend=backend)
    eventually(lambda: process_gone(service_pid), within_s=5)
    with pytest.raises(phux_client.NoServerError), blocking.connect(socket):
        pass


def test_the_keeper_reports_the_status_of_a_server_whose_service_is_stopped(frozen, tmp_path):
    socket, service_pid = frozen
    cli = Cli(socket, tmp_path)
    status = cli.json("status")
    assert "it has not answered for" in status["problem"]
    assert (status["service_pid"], status["panes"], status["service_restarts"]) == (service_pid, 1, 0)
    assert "it has not answered for" in cli("status").out
    os.kill(service_pid, signal.SIGCONT)
    eventually(lambda: "problem" not in cli.json("status"))
    assert cli.json("status")["service_restarts"] == 0


def test_a_call_made_while_the_service_is_stopped_is_executed_once_it_continues(frozen, tmp_path):
    socket, service_pid = frozen
    cli = Cli(socket, tmp_path)
    assert "problem" in cli.json("status")
    with ThreadPoolExecutor() as threads:
        listed = threads.submit(cli, "ls")
        assert "problem" in cli.json("status")
        os.kill(service_pid, signal.SIGCONT)
        assert (listed.result().code, listed.result().err) == (0, "")


@pytest.mark.parametrize("is_connected", [True, False])
def test_a_request_whose_caller_gave_up_is_not_executed_by_a_service_that_was_frozen(frozen, is_connected):
    socket, service_pid = frozen
    with blocking.Phux(socket, timeout_s=1) as phux:
        pane = blocking.Pane(phux, 1)
        if is_connected:
            os.kill(service_pid, signal.SIGCONT)
            phux.status()
            os.kill(service_pid, signal.SIGSTOP)
        with pytest.raises(phux_client.TimedOutError):
            pane.send_keys("typed", "Enter")
        with pytest.raises(phux_client.TimedOutError):
            pane.resize(40, 10)
        os.kill(service_pid, signal.SIGCONT)
        pane.send_keys("later", "Enter")
        pane.wait(until="later", timeout_s=20)
        assert (pane.snapshot().lines[0], pane.info().cols) == ("later", 80)


def test_the_keeper_reports_the_status_of_a_server_whose_service_keeps_dying(tmp_path):
    with faulty_server(tmp_path, DYING) as server:
        cli = Cli(server.socket, tmp_path)
        assert cli("new", "-d", "--", "cat").code == 0
        server.on()
        os.kill(cli.json("status")["service_pid"], signal.SIGKILL)
        status = cli.json("status")
        assert "it exited with status 3" in status["problem"]
        assert status["panes"] == 1
        server.off()
        eventually(lambda: "problem" not in cli.json("status"))


def test_the_cli_ends_a_server_whose_service_is_stopped(frozen, tmp_path):
    socket, service_pid = frozen
    killed = Cli(socket, tmp_path).json("kill", "--server")
    assert killed["killed"] == 1
    assert "it has not answered for" in killed["problem"]
    eventually(lambda: process_gone(service_pid), within_s=5)
    assert Cli(socket, tmp_path)("kill", "--server", "--json").error["error"]["code"] == "no_server"


def test_the_cli_ends_a_server_whose_service_never_gets_ready(tmp_path):
    with faulty_server(tmp_path, DYING) as server:
        cli = Cli(server.socket, tmp_path)
        assert cli("new", "-d", "--", "cat").code == 0
        status = cli.json("status")
        server.on()
        os.kill(status["service_pid"], signal.SIGKILL)
        killed = cli("kill", "--server")
        assert killed.code == 0
        assert killed.out == "ended the server and all its panes; its service did not answer\n"
        eventually(lambda: process_gone(status["keeper_pid"]), within_s=5)


def test_killing_a_missing_server_is_an_error(tmp_path):
    tmp_path.chmod(0o700)
    with pytest.raises(phux_client.NoServerError), blocking.Phux(str(tmp_path / "none.sock")) as phux:
        phux.kill_server()


def test_a_service_that_stays_frozen_is_replaced_and_waits_continue(tmp_path):
    with faulty_server(tmp_path, IMPATIENT) as server, blocking.connect(server.socket) as phux:
        pane = phux.new_session("work", command=["cat"]).pane
        service_pid = phux.status().service_pid
        os.kill(service_pid, signal.SIGSTOP)
        pane.send_keys("hello", "Enter")  # answered by the next service, which repeats what it can
        assert pane.wait(until="hello", timeout_s=30).met == "until"
        status = phux.status()
    assert (status.service_restarts, process_gone(service_pid)) == (1, True)


@pytest.mark.parametrize("condition", [{"exit": True}, {"until": "x"}])
def test_a_wait_reports_that_the_keeper_was_killed(condition, monkeypatch):
    look, looked = waiting._View.look, threading.Event()
    monkeypatch.setattr(waiting._View, "look", lambda *words: looked.set() or look(*words))
    with embedded_server() as server, blocking.connect(server.socket) as phux, ThreadPoolExecutor() as threads:
        pane = phux.new_session("work", command=["cat"]).pane
        keeper = phux.status().keeper_pid

        def wait():
            with blocking.connect(server.socket) as other:
                return blocking.Pane(other, pane.id).wait(**condition, timeout_s=20)

        result = threads.submit(wait)
        assert looked.wait(20)
        os.kill(keeper, signal.SIGKILL)
        with pytest.raises(phux_client.NoServerError, match=f"the server ended during the wait.*@{pane.id}"):
            result.result()

"""While no service is ready, clients get an error, the keeper keeps trying, and SIGTERM ends everything."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from pathlib import Path

import pytest

from faults import FaultyServer, faulty_server, kill_any_service, service_pids
from phux_core import errors
from rawwire import HELLO, RawClient, frame
from servers import Cli, embedded_server, eventually, process_gone

# How a service dies while it starts, and how the keeper reports it.
DEATHS = {
    "raise RuntimeError('a fault at the start')": "exited with status 70 after an exception",
    "os._exit(3)": "exited with status 3",
    "os.abort()": "was killed by SIGABRT",
}
AT_START = """
from phux_core.server import service
adopt = service.Service._adopt
def faulty(self, inheritance):
    if is_on():
        FAULT
    adopt(self, inheritance)
service.Service._adopt = faulty
"""
FROZEN = AT_START.replace("FAULT", "os.kill(os.getpid(), 19)")
# The keeper, forked from the same template, then reports after half a second instead of three, and replaces a service
# without progress after two seconds instead of ten.
SOON = """
from phux_core.keeper import restarts, supervisor
restarts.NOTICE_AFTER_S = 0.5
supervisor.STUCK_S = 2.0
"""


def dying(how: str) -> str:
    return AT_START.replace("FAULT", how)


def dying_and_soon_reported(how: str) -> str:
    return SOON + dying(how)


def open_programs(path):
    """Start a program that ends on SIGHUP, and one that does not; return their process ids and the keeper's."""
    with RawClient(path) as client:
        client.get("new_session", name="w", cwd="/", command=["sleep", "1000"])
        client.get(
            "new_session", name="v", cwd="/", command=["sh", "-c", "trap '' HUP TERM; while :; do sleep 1; done"]
        )
        status = client.get("status")
        panes = [pane["pid"] for s in client.get("tree")["sessions"] for w in s["windows"] for pane in w["panes"]]
    return panes, status["keeper_pid"], status["service_pid"]


def begin_loop(server: FaultyServer):
    """Make the service die at each start."""
    panes, keeper, service = open_programs(server.socket)
    server.on()
    os.kill(service, signal.SIGKILL)
    eventually(lambda: process_gone(service))
    return panes, keeper


def answer_of_keeper(path, *, within_s=10.0, send=True):
    """Connect as a client, and return the one frame received, and the time it took."""
    began = time.monotonic()
    with RawClient(path, greet=False, timeout_s=within_s) as client:
        if send:
            client.send(HELLO)
        frames = client.everything()
    assert len(frames) == 1, frames
    return frames[0], time.monotonic() - began


# Reports to clients


def test_clients_are_told_of_service_deaths_after_three_seconds(tmp_path):
    with faulty_server(tmp_path, dying("os._exit(3)")) as server:
        began = time.monotonic()
        begin_loop(server)
        told, took_s = answer_of_keeper(server.socket)
        assert told["error"]["code"] == "service_restarting"
        assert time.monotonic() - began > 2.9
        assert took_s < 6


@pytest.mark.parametrize("how", DEATHS)
def test_a_client_gets_the_cause_of_service_deaths(tmp_path, how):
    with faulty_server(tmp_path, dying_and_soon_reported(how)) as server:
        panes, _keeper = begin_loop(server)
        told, _took_s = answer_of_keeper(server.socket)
        error = told["error"]
        assert set(told) == {"error"}
        assert error["code"] == "service_restarting"
        assert DEATHS[how] in error["message"]
        assert "times in a row" in error["message"]
        assert error["log"] == str(server.log)
        assert str(server.log) in error["message"]
        assert error["remedy"]
        assert type(errors.from_wire(error)) is errors.ServiceRestartingError
        log = server.log.read_text()
        assert DEATHS[how] in log
        assert ("RuntimeError: a fault at the start" in log) == ("RuntimeError" in how)
        assert not any(map(process_gone, panes))
        server.off()
        eventually(lambda: is_served(server.socket), within_s=5)
        assert not any(map(process_gone, panes))


def is_served(path):
    """Return the status of the service, or None if the keeper replies instead."""
    try:
        with RawClient(path, timeout_s=5) as client:
            return client.get("status")
    except AssertionError:
        return None


def test_a_short_restart_is_not_reported_and_fails_no_connection():
    with embedded_server() as server:
        _panes, _keeper, service = open_programs(server.socket)
        for _ in range(2):
            os.kill(service, signal.SIGKILL)
            eventually(lambda pid=service: process_gone(pid))
            clients = [RawClient(server.socket, greet=False, timeout_s=20) for _ in range(20)]
            for client in clients:
                client.send(HELLO)
            assert all("hello" in client.receive() for client in clients)
            service = clients[0].get("status")["service_pid"]
            for client in clients:
                client.sock.close()


def test_a_frozen_start_is_reported_and_ended(tmp_path):
    """A service that is stopped while it starts is reported like one that dies."""
    with faulty_server(tmp_path, SOON + FROZEN) as server:
        _panes, keeper = begin_loop(server)
        told, _took_s = answer_of_keeper(server.socket)
        assert told["error"]["code"] == "service_restarting"
        frozen = service_pids(keeper)
        server.off()
        eventually(lambda: is_served(server.socket), within_s=30)
        assert service_pids(keeper) != frozen
        assert "made no progress" in server.log.read_text()


def test_misbehaving_clients_do_not_prevent_reports_to_others(tmp_path):
    with faulty_server(tmp_path, dying_and_soon_reported("os._exit(3)")) as server:
        panes, keeper = begin_loop(server)
        answer_of_keeper(server.socket)
        # Clients that send and read nothing, send half a frame, send far too much, or disconnect at once.
        silent = [connect(server.socket) for _ in range(200)]
        half = connect(server.socket)
        half.sendall(frame(HELLO)[:7])
        loud = connect(server.socket)
        loud.setblocking(False)
        for _ in range(64):
            try:
                loud.send(b"x" * 65536)
            except OSError:
                break
        for _ in range(50):
            connect(server.socket).close()
        for _ in range(3):
            told, took_s = answer_of_keeper(server.socket)
            assert told["error"]["code"] == "service_restarting"
            assert took_s < 2
        # The keeper also replies to clients that sent nothing, and then disconnects them.
        for one in silent:
            one.settimeout(10)
            assert b"service_restarting" in read_all(one)
            one.close()
        half.close()
        loud.close()
        open_files = len(os.listdir(f"/proc/{keeper}/fd"))
        assert open_files < 100
        server.off()
        eventually(lambda: is_served(server.socket), within_s=5)
        assert not any(map(process_gone, panes))


def connect(path):
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.connect(path)  # waits while many others connect
    sock.settimeout(10)
    return sock


def read_all(sock):
    data = b""
    while received := sock.recv(65536):
        data += received
    return data


def test_the_keeper_accepts_no_client_once_a_service_is_ready(tmp_path):
    with faulty_server(tmp_path, dying_and_soon_reported("os._exit(3)")) as server:
        begin_loop(server)
        answer_of_keeper(server.socket)
        server.off()
        eventually(lambda: is_served(server.socket), within_s=5)
        for _ in range(200):
            with RawClient(server.socket) as client:
                assert client.get("status")["clients"] >= 1


def test_the_cli_prints_the_cause(tmp_path):
    with faulty_server(tmp_path, dying_and_soon_reported("os._exit(3)")) as server:
        begin_loop(server)
        answer_of_keeper(server.socket)
        finished = Cli(server.socket, tmp_path)("ls", "--json", timeout_s=60)
        assert finished.code == 1
        assert str(server.log) in finished.err
        assert json.loads(finished.err.splitlines()[-1])["error"]["code"] in {"service_restarting", "timed_out"}


# Kills


def test_ten_kills_within_three_seconds_are_survived():
    with embedded_server("ghostty") as server:
        with RawClient(server.socket) as client:
            made = client.get("new_session", name="w", cwd="/", command=["sh", "-c", "seq 1 5000; exec sleep 1000"])
            client.see(1, "5000")
            before = client.get("snapshot", pane=1, scrollback=5000)
            keeper = client.get("status")["keeper_pid"]
        assert made
        began = time.monotonic()
        for number in range(10):
            eventually(lambda number=number: time.monotonic() >= began + 0.3 * number)
            for pid in service_pids(keeper):
                os.kill(pid, signal.SIGKILL)
        ended = time.monotonic()
        assert ended - began < 3.5
        eventually(lambda: is_served(server.socket), within_s=10)
        took_s = time.monotonic() - ended
        assert took_s < 4
        with RawClient(server.socket) as client:
            after = client.get("snapshot", pane=1, scrollback=5000)
            assert (after["lines"], after["seq"]) == (before["lines"], before["seq"])
            assert client.get("status")["engine_notes"] == []


def test_five_kills_a_second_apart_delay_no_client():
    with embedded_server() as server:
        _panes, keeper, _service = open_programs(server.socket)
        for _ in range(5):
            kill_any_service(keeper)
            began = time.monotonic()
            eventually(lambda: is_served(server.socket), within_s=10)
            assert time.monotonic() - began < 3
            eventually(lambda since=began: time.monotonic() >= since + 1.2)


# The end of the server


def assert_ends(panes, keeper, path, *, within_s=5.0):
    os.kill(keeper, signal.SIGTERM)
    eventually(lambda: all(map(process_gone, (*panes, keeper))), within_s=within_s)
    assert not os.path.lexists(path)


@pytest.mark.parametrize("how", ["os._exit(3)", "os.kill(os.getpid(), 19)"])
@pytest.mark.parametrize("wait", ["at once", "after a report to a client"])
def test_sigterm_ends_everything_while_no_service_starts(tmp_path, how, wait):
    with faulty_server(tmp_path, dying_and_soon_reported(how)) as server:
        panes, keeper = begin_loop(server)
        if wait != "at once":
            answer_of_keeper(server.socket)
        assert_ends(panes, keeper, server.socket)


def test_sigterm_ends_everything_during_the_longest_pause(tmp_path):
    with faulty_server(tmp_path, dying("os._exit(3)")) as server:
        panes, keeper = begin_loop(server)
        eventually(lambda: "next start in 2.00 s" in server.log.read_text(), within_s=20)
        assert_ends(panes, keeper, server.socket)


def test_sigterm_ends_everything_while_the_service_is_stopped():
    with embedded_server() as server:
        panes, keeper, service = open_programs(server.socket)
        os.kill(service, signal.SIGSTOP)
        assert_ends(panes, keeper, server.socket)
        eventually(lambda: process_gone(service), within_s=1)


def test_sigterm_ends_everything_while_clients_wait_and_do_not_read(tmp_path):
    with faulty_server(tmp_path, dying_and_soon_reported("os._exit(3)")) as server:
        panes, keeper = begin_loop(server)
        waiting = [connect(server.socket) for _ in range(100)]
        answer_of_keeper(server.socket)
        waiting += [connect(server.socket) for _ in range(20)]
        assert_ends(panes, keeper, server.socket)
        for one in waiting:
            one.close()


def test_no_shell_outlives_a_keeper_ended_while_its_service_dies(tmp_path):
    with faulty_server(tmp_path, dying("os.kill(os.getpid(), 9)")) as server:
        panes, keeper = begin_loop(server)
        children = Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()
        assert set(map(str, panes)) <= set(children)
        assert_ends(panes, keeper, server.socket)

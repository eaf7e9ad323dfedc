"""Calls survive repeated deaths of the service, and every client gets a reply."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time

import anyio
import pytest

import phux_client
from faults import service_pids
from phux_client import blocking
from rawwire import RawClient
from servers import Cli, embedded_server, eventually


@pytest.fixture
def server():
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        phux.new_session("work", command=["bash"])
        yield server


def kill_repeatedly(socket, times, gap_s):
    """Kill the service a number of times, each time as soon as the next one answers and the gap has passed."""
    with blocking.Phux(socket) as phux:
        for _ in range(times):
            pid = phux.status().service_pid
            time.sleep(gap_s)  # the lifetime of each service
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("kind", ["blocking", "asyncio", "trio"])
def test_a_run_survives_any_number_of_service_deaths(server, kind):
    killer = threading.Thread(target=kill_repeatedly, args=(server.socket, 5, 0.4))
    command = f"echo begin; while [ ! -e {server.socket}.over ]; do sleep 0.1; done; echo done; (exit 5)"

    def run():
        with blocking.connect(server.socket) as phux:
            return phux.pane("work").run(command, timeout_s=60)

    async def run_async():
        async with phux_client.connect(server.socket) as phux:
            return await (await phux.pane("work")).run(command, timeout_s=60)

    def finish():
        killer.join()
        with open(f"{server.socket}.over", "w"):
            pass

    finisher = threading.Thread(target=finish)
    killer.start()
    finisher.start()
    result = run() if kind == "blocking" else anyio.run(run_async, backend=kind)
    finisher.join()
    assert (result.exit_code, result.output) == (5, "begin\ndone")
    with blocking.connect(server.socket) as phux:
        assert phux.status().service_restarts == 5
        (ran,) = [entry for entry in phux.pane("work").commands() if entry.command == command]
        assert ran.exit_code == 5


def test_the_cli_gets_a_reply_after_ten_immediate_kills(server, tmp_path):
    cli = Cli(server.socket, tmp_path)
    keeper = cli.json("status")["keeper_pid"]
    began = time.monotonic()
    kills = 0
    while kills < 10 and time.monotonic() - began < 3:
        for pid in service_pids(keeper):
            os.kill(pid, signal.SIGKILL)
            kills += 1
    assert cli("ls").code == 0
    assert time.monotonic() - began < 10
    assert cli.json("run", "work", "echo alive")["output"] == "alive"


def test_a_wait_keeps_its_timeout_while_the_service_dies_repeatedly(server):
    stop = threading.Event()

    def kill():
        with blocking.Phux(server.socket) as phux:
            while not stop.is_set():
                with contextlib.suppress(ProcessLookupError):  # the keeper may report the last service
                    os.kill(phux.status().service_pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    with blocking.Phux(server.socket) as phux:
        pane = phux.pane("work")
        killer.start()
        try:
            began = time.monotonic()
            with pytest.raises(phux_client.TransportError):
                pane.wait(until="never", timeout_s=1.5)
            assert time.monotonic() - began < 5
        finally:
            stop.set()
            killer.join()
    with blocking.Phux(server.socket) as phux:
        assert eventually(lambda: phux.pane("work").run("echo well").output) == "well"


def test_what_is_created_while_the_service_dies_is_created_exactly_once(server):
    random.seed(1)
    stop = threading.Event()

    def kill():
        with blocking.Phux(server.socket) as phux:
            while not stop.is_set():
                status = phux.status()
                stop.wait(random.uniform(0, 0.05))  # the lifetime of each service
                if status.problem is None:  # else the keeper answered, and no service might ever be ready
                    os.kill(status.service_pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    with blocking.connect(server.socket) as phux:
        killer.start()
        try:
            for number in range(5):
                session = phux.new_session(f"s{number}", command=["sleep", "1000"])
                window = session.new_window("extra", command=["sleep", "1000"])
                window.split("right", command=["sleep", "1000"])
        finally:
            stop.set()
            killer.join()
        assert phux.status().service_restarts >= 3
        made = {session.name: session for session in phux.tree().sessions}
        assert set(made) == {"work", *(f"s{number}" for number in range(5))}
        for number in range(5):
            assert [len(window.panes) for window in made[f"s{number}"].windows] == [1, 2]
        pids = {pane.pid for session in made.values() for window in session.windows for pane in window.panes}
        eventually(
            lambda: set(children_of(phux.status().keeper_pid)) - set(service_pids(phux.status().keeper_pid)) == pids
        )


def children_of(keeper):
    with open(f"/proc/{keeper}/task/{keeper}/children") as file:
        return [int(pid) for pid in file.read().split()]


def test_a_repeated_request_returns_what_the_first_one_created(server):
    with RawClient(server.socket) as client:
        first = client.get("new_session", cwd="/", command=["sleep", "1000"], key="one")
        assert client.get("new_session", cwd="/", command=["sleep", "1000"], key="one") == first
        other = client.get("new_session", cwd="/", command=["sleep", "1000"], key="other")
        assert other["session"] != first["session"]
        window = client.get("new_window", session=first["session_id"], command=["sleep", "1000"], key="two")
        assert client.get("new_window", session=first["session_id"], key="two") == window
        pane = client.get("split", pane=window["pane_id"], direction="down", command=["sleep", "1000"], key="3")
        assert client.get("split", pane=window["pane_id"], direction="down", key="3") == pane

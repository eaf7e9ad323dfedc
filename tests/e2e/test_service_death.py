"""The service dies: programs are not affected, and clients recover."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import anyio
import pytest

import phux_client
from phux_client import blocking
from rawwire import RawClient
from servers import BIN, Cli, clean_environment, embedded_server, eventually, process_gone

ECHO = ["sh", "-c", 'stty -echo; echo ready; while read -r line; do echo "<$line>"; done']


@pytest.fixture
def server():
    with embedded_server() as server:
        yield server


@pytest.fixture
def phux(server):
    with blocking.connect(server.socket) as phux:
        yield phux


def kill_service(path):
    """Kill the service with SIGKILL, and return when it is gone."""
    with RawClient(path) as client:
        pid = client.get("status")["service_pid"]
        os.kill(pid, signal.SIGKILL)
        assert client.receive() is None
    eventually(lambda: process_gone(pid))
    return pid


def pane_pids(tree):
    return {pane.id: pane.pid for s in tree.sessions for w in s.windows for pane in w.panes}


def running(pids):
    return not any(process_gone(pid) for pid in pids.values())


# Recovery


def test_programs_keep_running_and_the_tree_is_restored(phux, server):
    phux.new_session("one", command=["sleep", "1000"], size=(100, 30), cwd="/")
    phux.new_session("two", command=ECHO, cwd="/tmp").pane.wait(state="awaiting_secret", timeout_s=10)
    phux.new_session("бюро 3", command=["sleep", "1000"])
    before = phux.tree()
    pids = pane_pids(before)
    kill_service(server.socket)
    assert phux.tree() == before
    assert running(pids)
    status = phux.status()
    assert status.service_restarts == 1
    assert (status.sessions, status.panes, status.dead_panes) == (3, 3, 0)


def test_the_verbs_work_and_new_output_is_shown_after_a_service_death(server, tmp_path):
    cli = Cli(server.socket, tmp_path)
    cli.json("new", "-s", "w", "--", *ECHO)
    cli.json("wait", "w", "--until", "ready", "--timeout", "10")
    before = cli.json("status")
    kill_service(server.socket)
    assert cli.json("ls")["sessions"] == [{"name": "w", "windows": 1, "attached": False}]
    cli.json("send-keys", "w", "after", "Enter")
    cli.json("wait", "w", "--until", "<after>", "--timeout", "10")
    assert "<after>" in cli.json("snapshot", "w")["lines"]
    after = cli.json("status")
    assert after["keeper_pid"] == before["keeper_pid"]
    assert after["service_pid"] != before["service_pid"]
    assert after["service_restarts"] == 1
    assert after["uptime_s"] >= before["uptime_s"]


def test_output_written_while_the_service_was_down_is_shown(phux, server):
    service = phux.status().service_pid
    script = f"while kill -0 {service} 2>/dev/null; do sleep 0.01; done; echo written while down; sleep 1000"
    pane = phux.new_session("w", command=["sh", "-c", script]).pane
    kill_service(server.socket)
    assert pane.wait(until="written while down", timeout_s=10)


def test_ids_are_not_reused_after_a_service_death(phux, server):
    phux.new_session("a", command=["sleep", "1000"])
    gone = phux.new_session("b", command=["sleep", "1000"])
    gone.kill()
    kill_service(server.socket)
    again = phux.new_session("b", command=["sleep", "1000"])
    assert again.pane.id > gone.pane.id
    assert again.id > gone.id


def test_a_session_whose_creation_was_confirmed_is_not_lost(server):
    # After the reply, the keeper must know the session.
    for number in range(3):
        with RawClient(server.socket) as client:
            service = client.get("status")["service_pid"]
            client.get("new_session", name=f"s{number}", cwd="/", command=["sleep", "1000"])
            os.kill(service, signal.SIGKILL)
        with RawClient(server.socket) as client:
            names = [session["name"] for session in client.get("tree")["sessions"]]
            assert names == [f"s{one}" for one in range(number + 1)]


# Programs that end without a service


def test_the_exit_status_of_a_program_that_ended_without_a_service_is_reported(phux, server):
    service = phux.status().service_pid
    script = f"while kill -0 {service} 2>/dev/null; do sleep 0.01; done; echo bye; exit 7"
    pane = phux.new_session("w", command=["sh", "-c", script]).pane
    kill_service(server.socket)
    screen = pane.wait(exit=True, timeout_s=10)
    assert (screen.state, screen.exit_status) == ("dead", 7)
    assert "bye" in screen.lines


def test_an_exit_that_was_sent_but_not_received_is_sent_again(phux, server):
    pane = phux.new_session("w", command=["sh", "-c", "read x; echo bye; exit 9"]).pane
    victim = phux.new_session("v", command=["sleep", "1000"]).pane
    pids = pane_pids(phux.tree())
    status = phux.status()
    with stopped(status.service_pid):
        os.kill(pids[victim.id], signal.SIGKILL)
        # The keeper has reaped the program, and reported its end to the stopped service.
        eventually(lambda: not Path(f"/proc/{pids[victim.id]}").exists())
        os.kill(status.service_pid, signal.SIGKILL)
    screen = victim.wait(exit=True, timeout_s=10)
    assert screen.state == "dead"
    assert victim.info().exit_status is None
    pane.send_keys("Enter")
    assert pane.wait(exit=True, timeout_s=10).exit_status == 9


def test_a_dead_pane_is_known_after_a_service_death(phux, server):
    phux.new_session("stays", command=["sleep", "1000"])
    pane = phux.new_session("w", command=["sh", "-c", "exit 3"]).pane
    pane.wait(exit=True, timeout_s=10)
    before = phux.tree()
    kill_service(server.socket)
    assert phux.tree() == before
    screen = pane.snapshot()
    assert (screen.state, screen.exit_status) == ("dead", 3)
    with pytest.raises(phux_client.PaneClosedError):
        pane.send_keys("x")
    assert pane.kill() == 1
    assert [session.name for session in phux.ls().sessions] == ["stays"]


def test_an_expired_dead_pane_is_cleared_and_the_new_service_survives(tmp_path):
    socket = tmp_path / "s"
    tmp_path.chmod(0o700)
    process = subprocess.Popen(
        [BIN / "phux", "server", "--socket", str(socket), "--keep-dead", "2"],
        env=clean_environment(),
        stderr=subprocess.DEVNULL,
    )
    try:
        eventually(socket.exists)
        with RawClient(str(socket)) as client:
            client.get("new_session", name="stays", cwd="/", command=["sleep", "1000"])
            client.get("new_session", name="short", cwd="/", command=["true"])
            eventually(lambda: client.get("status")["dead_panes"] == 1)
            died = time.monotonic()
            service = client.get("status")["service_pid"]
            with stopped(service):
                eventually(lambda: time.monotonic() > died + 2.1)
                os.kill(service, signal.SIGKILL)
        with RawClient(str(socket)) as client:
            status = client.get("status")
            assert status["service_restarts"] == 1
            eventually(lambda: client.get("status")["sessions"] == 1)
    finally:
        process.terminate()
        process.wait(10)


@contextlib.contextmanager
def stopped(pid):
    """Stop a process; at the end continue it, if it still exists."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


# Clients connected at the time


def test_handles_of_a_blocking_client_work_after_a_service_death(phux, server):
    session = phux.new_session("w", command=ECHO)
    pane = session.pane
    pane.wait(until="ready", timeout_s=10)
    kill_service(server.socket)
    assert pane.snapshot().state != "dead"
    kill_service(server.socket)
    assert pane.send_keys("typed", "Enter") == 6
    pane.wait(until="<typed>", timeout_s=10)
    kill_service(server.socket)
    assert session.kill() == 1


def test_a_blocking_wait_in_progress_survives_a_service_death(phux, server):
    pane = phux.new_session("w", command=ECHO).pane
    pane.wait(until="ready", timeout_s=10)
    outcome = []

    def wait():
        with blocking.connect(server.socket) as waiting:
            outcome.append(waiting.pane("w").wait(until="<the end>", timeout_s=30))

    thread = threading.Thread(target=wait)
    thread.start()
    eventually(lambda: phux.status().clients == 2)
    kill_service(server.socket)
    eventually(lambda: phux.status().clients == 2)
    pane.send_keys("the end", "Enter")
    thread.join(15)
    assert not thread.is_alive()
    assert "<the end>" in outcome[0].lines


def test_an_interrupted_blocking_call_types_exactly_once(phux, server):
    pane = phux.new_session("w", command=ECHO).pane
    pane.wait(until="ready", timeout_s=10)
    service = phux.status().service_pid
    outcome = []
    connected = threading.Event()
    stopped = threading.Event()

    def type_it():
        pane.snapshot()  # each thread has its own connection
        connected.set()
        stopped.wait(10)
        outcome.append(pane.send_keys("x", "Enter"))

    thread = threading.Thread(target=type_it)
    thread.start()
    assert connected.wait(10)
    os.kill(service, signal.SIGSTOP)
    stopped.set()
    thread.join(0.3)
    assert thread.is_alive()
    os.kill(service, signal.SIGKILL)
    thread.join(10)
    assert not thread.is_alive()
    assert outcome == [2]
    assert pane.send_keys("y", "Enter") == 2
    assert pane.wait(until="<y>", timeout_s=10).lines[:3] == ["ready", "<x>", "<y>"]


def test_a_program_gets_no_sigwinch_at_its_start_or_when_a_service_dies(phux, server):
    script = "trap 'echo changed' WINCH; echo ready; while read line; do echo \"<$line>\"; done"
    pane = phux.new_session("w", command=["sh", "-c", script]).pane
    pane.wait(until="ready", timeout_s=10)
    kill_service(server.socket)
    pane.send_keys("typed", "Enter")
    assert "changed" not in pane.wait(until="<typed>", timeout_s=10).text


@pytest.mark.anyio
async def test_handles_of_an_async_client_work_after_a_service_death(server):
    async with phux_client.connect(server.socket) as phux:
        session = await phux.new_session("w", command=ECHO)
        pane = session.pane
        await pane.wait(until="ready", timeout_s=10)
        await anyio.to_thread.run_sync(kill_service, server.socket)
        assert (await pane.snapshot()).state != "dead"
        await anyio.to_thread.run_sync(kill_service, server.socket)
        await anyio.wait_all_tasks_blocked()  # the client has noticed the death
        assert await pane.send_keys("typed", "Enter") == 6
        await pane.wait(until="<typed>", timeout_s=10)
        async with phux.watch("w") as events:
            await anyio.to_thread.run_sync(kill_service, server.socket)
            while (await events.next(timeout_s=10)).event != "dropped":
                pass
            await pane.send_keys("more", "Enter")
            while (await events.next(timeout_s=10)).event != "dirty":  # the new service may report the state first
                pass
        assert await session.kill() == 1


@pytest.mark.anyio
async def test_an_async_call_started_after_the_death_does_not_count_as_interrupted(server):
    # The event loop has not read the end of the connection yet, but the kernel knows it.
    async with phux_client.connect(server.socket) as phux:
        pane = (await phux.new_session("w", command=ECHO)).pane
        await pane.wait(until="ready", timeout_s=10)
        kill_service(server.socket)
        assert await pane.send_keys("typed", "Enter") == 6


@pytest.mark.anyio
async def test_async_waits_and_reads_in_progress_survive_a_service_death(server):
    async with phux_client.connect(server.socket) as phux:
        pane = (await phux.new_session("w", command=ECHO)).pane
        await pane.wait(until="ready", timeout_s=10)
        seen = []

        async def wait(text):
            seen.append((await pane.wait(until=text, timeout_s=30)).lines)

        async def read():
            seen.append((await pane.snapshot()).lines)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait, "<the end>")
            tasks.start_soon(wait, "<the end>")
            await anyio.wait_all_tasks_blocked()
            service = (await phux.status()).service_pid
            os.kill(service, signal.SIGSTOP)
            for _ in range(5):
                tasks.start_soon(read)
            await anyio.wait_all_tasks_blocked()
            os.kill(service, signal.SIGKILL)
            with anyio.fail_after(15):
                while len(seen) < 5:
                    await anyio.sleep(0.01)
                assert len(seen) == 5
                await pane.send_keys("the end", "Enter")
                while len(seen) < 7:
                    await anyio.sleep(0.01)


@pytest.mark.anyio
async def test_an_interrupted_async_call_types_exactly_once(server):
    async with phux_client.connect(server.socket) as phux:
        pane = (await phux.new_session("w", command=ECHO)).pane
        await pane.wait(until="ready", timeout_s=10)
        service = (await phux.status()).service_pid
        outcome = []

        async def type_it():
            outcome.append(await pane.send_keys("x", "Enter"))

        os.kill(service, signal.SIGSTOP)
        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(type_it)
                await anyio.wait_all_tasks_blocked()
                assert outcome == []
                os.kill(service, signal.SIGKILL)
        assert outcome == [2]
        assert await pane.send_keys("y", "Enter") == 2
        assert (await pane.wait(until="<y>", timeout_s=10)).lines[:3] == ["ready", "<x>", "<y>"]


# Repeated deaths, and the end of the keeper


def test_repeated_service_deaths_are_reported_and_end_no_program(server):
    with RawClient(server.socket) as client:
        client.get("new_session", name="w", cwd="/", command=["sh", "-c", "trap '' HUP; while :; do sleep 0.2; done"])
        client.get("new_session", name="v", cwd="/", command=["sleep", "1000"])
        keeper = client.get("status")["keeper_pid"]
        pids = [pane["pid"] for s in client.get("tree")["sessions"] for w in s["windows"] for pane in w["panes"]]
    log = Path(f"{server.socket}.log")
    for number in range(5):
        with RawClient(server.socket) as client:
            assert client.get("status")["service_restarts"] == number
        kill_service(server.socket)
    lines = eventually(
        lambda: (found := [line for line in log.read_text().splitlines() if "SIGKILL" in line])[4:] and found
    )
    assert all("2 running programs" in line and "was killed by SIGKILL" in line for line in lines)
    delays = [float(line.rpartition(" in ")[2].removesuffix(" s")) for line in lines]
    assert delays[0] == 0
    assert delays == sorted(delays)
    assert delays[-1] <= 2
    assert not any(process_gone(pid) for pid in (*pids, keeper))
    with RawClient(server.socket) as client:
        assert client.get("status")["service_restarts"] == 5
    os.kill(keeper, signal.SIGTERM)
    eventually(lambda: all(process_gone(pid) for pid in (*pids, keeper)), within_s=5)
    assert not os.path.lexists(server.socket)


def test_a_hanging_service_does_not_prevent_the_server_from_ending(server):
    with RawClient(server.socket) as client:
        client.get("new_session", cwd="/", command=["sleep", "1000"])
        status = client.get("status")
        pid = client.get("tree")["sessions"][0]["windows"][0]["panes"][0]["pid"]
        with stopped(status["service_pid"]):
            os.kill(status["keeper_pid"], signal.SIGTERM)
            eventually(
                lambda: all(process_gone(one) for one in (status["keeper_pid"], status["service_pid"], pid)),
                within_s=6,
            )
    assert not os.path.lexists(server.socket)


def test_a_signal_to_the_service_alone_restarts_the_service(phux):
    phux.new_session("w", command=["sleep", "1000"])
    before = phux.status()
    os.kill(before.service_pid, signal.SIGTERM)
    eventually(lambda: process_gone(before.service_pid))
    assert phux.status().service_restarts == 1
    assert [session.name for session in phux.ls().sessions] == ["w"]


def test_a_killed_keeper_ends_everything_and_new_starts_another_server(runtime, tmp_path):
    cli = Cli("", tmp_path, {"XDG_RUNTIME_DIR": str(runtime)})
    cli.json("new", "-s", "old", "--", "sleep", "1000")
    first = cli.json("status")
    with RawClient(first["socket"]) as client:
        pane = client.get("tree")["sessions"][0]["windows"][0]["panes"][0]
        pid, before = pane["pid"], pane["id"]
        os.kill(first["keeper_pid"], signal.SIGKILL)
        assert client.receive() is None
    eventually(lambda: all(process_gone(one) for one in (first["service_pid"], pid)))
    assert os.path.lexists(first["socket"])  # no process was left to remove it
    assert cli("ls", "--json").error["error"]["code"] == "no_server"
    try:
        made = cli.json("new", "-s", "new", "--", "sleep", "1000")
        assert made["session"] == "new"
        assert made["terminal_id"] > before, "ids are never reused"
        assert [session["name"] for session in cli.json("ls")["sessions"]] == ["new"]
        assert cli.json("status")["keeper_pid"] != first["keeper_pid"]
    finally:
        cli("kill", "--server")

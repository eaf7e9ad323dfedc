"""``embedded()``: a private server that ends when its owner ends, for whatever reason."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest

import phux_client
from phux_client import blocking
from servers import clean_environment, eventually, process_gone

ASYNC_OWNER = """
import json, os, sys
import anyio, phux_client

async def main():
    async with phux_client.embedded() as phux:
        await phux.new_session("w", command=["sleep", "1000"])
        status, tree = await phux.status(), await phux.tree()
        pid = tree.sessions[0].windows[0].panes[0].pid
        print(json.dumps({"socket": phux.socket, "pids": [status.keeper_pid, status.service_pid, pid]}), flush=True)
        BODY

anyio.run(main, backend=sys.argv[1])
"""
BLOCKING_OWNER = """
import json, os, sys, time
from phux_client import blocking

with blocking.embedded() as phux:
    phux.new_session("w", command=["sleep", "1000"])
    status, tree = phux.status(), phux.tree()
    pid = tree.sessions[0].windows[0].panes[0].pid
    print(json.dumps({"socket": phux.socket, "pids": [status.keeper_pid, status.service_pid, pid]}), flush=True)
    BODY
"""
KINDS = ["asyncio", "trio", "blocking"]


def owner(kind, body, *options):
    """Start another process with an embedded server, which then runs some code."""
    script = BLOCKING_OWNER if kind == "blocking" else ASYNC_OWNER
    return subprocess.Popen(
        [sys.executable, *options, "-c", script.replace("BODY", body), kind],
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def pids_of(status, tree):
    return [status.keeper_pid, status.service_pid, *(p.pid for s in tree.sessions for w in s.windows for p in w.panes)]


def test_a_blocking_embedded_server_is_gone_at_exit():
    with blocking.embedded() as phux:
        phux.new_session("one", command=["sleep", "1000"])
        phux.new_session("two", command=["sh", "-c", "trap '' HUP; while :; do sleep 0.2; done"])
        pids = pids_of(phux.status(), phux.tree())
        assert len(pids) == 4
        directory = os.path.dirname(phux.socket)
        assert os.stat(directory).st_mode & 0o777 == 0o700
    assert all(process_gone(pid) for pid in pids)
    assert not os.path.lexists(directory)


@pytest.mark.anyio
async def test_an_async_embedded_server_is_gone_at_exit():
    async with phux_client.embedded() as phux:
        await phux.new_session("one", command=["sleep", "1000"])
        pids = pids_of(await phux.status(), await phux.tree())
        directory = os.path.dirname(phux.socket)
    assert all(process_gone(pid) for pid in pids)
    assert not os.path.lexists(directory)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_the_server_is_gone_when_a_signal_ends_its_owner(kind, number):
    process = owner(kind, "sys.stdin.read()")
    told = json.loads(process.stdout.readline())
    directory = os.path.dirname(told["socket"])
    try:
        process.send_signal(number)
        process.communicate(timeout=10)
        assert process.returncode != 0
        eventually(lambda: all(process_gone(pid) for pid in told["pids"]), within_s=5)
        eventually(lambda: not os.path.lexists(directory), within_s=2)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


@pytest.mark.parametrize("kind", KINDS)
def test_the_owner_ends_without_warnings(kind):
    process = owner(kind, "", "-W", "error")
    assert process.communicate(timeout=30)[1] == ""


@pytest.mark.parametrize("kind", KINDS)
def test_exit_in_the_body_ends_the_program_with_its_code(kind):
    process = owner(kind, "sys.exit(3)")
    told = json.loads(process.stdout.readline())
    _, stderr = process.communicate(timeout=10)
    assert process.returncode == 3, stderr
    assert stderr == ""
    assert all(process_gone(pid) for pid in told["pids"])
    assert not os.path.lexists(os.path.dirname(told["socket"]))


@pytest.mark.parametrize("kind", KINDS)
def test_a_child_process_of_the_owner_does_not_keep_the_server_alive(kind):
    # A process started inside the block must not inherit the pipe that keeps the server alive.
    body = "import subprocess; print(subprocess.Popen(['sleep', '1000'], stdout=2).pid, flush=True); os._exit(0)"
    process = owner(kind, body)
    told = json.loads(process.stdout.readline())
    bystander = int(process.stdout.readline())
    try:
        process.wait(10)
        eventually(lambda: all(process_gone(pid) for pid in told["pids"]), within_s=5)
        assert not process_gone(bystander)
    finally:
        os.kill(bystander, signal.SIGKILL)
        process.communicate()
        shutil.rmtree(os.path.dirname(told["socket"]), ignore_errors=True)


def test_two_blocking_embedded_servers_are_isolated():
    with blocking.embedded() as one, blocking.embedded() as two:
        assert one.socket != two.socket
        one.new_session("same", command=["sleep", "1000"])
        assert two.ls().sessions == []
        two.new_session("same", command=["sleep", "1000"])
        one.kill_server()
        assert [session.name for session in two.ls().sessions] == ["same"]


@pytest.mark.anyio
async def test_two_async_embedded_servers_are_isolated():
    async with phux_client.embedded() as one, phux_client.embedded() as two:
        await one.new_session("mine", command=["sleep", "1000"])
        assert (await two.ls()).sessions == []


def test_a_pane_has_the_socket_of_its_embedded_server_in_its_environment():
    with blocking.embedded() as phux:
        pane = phux.new_session("w", command=["sh", "-c", "echo $PHUX_SOCKET; sleep 1000"], size=(200, 24)).pane
        pane.wait(until=phux.socket, timeout_s=10)


class OwnError(Exception):
    pass


@pytest.mark.parametrize(
    "error", [OwnError("mine"), ValueError("x"), KeyError("x"), ExceptionGroup("own", [OwnError()])], ids=repr
)
def test_an_exception_in_a_blocking_body_propagates_unchanged(error):
    with pytest.raises(type(error)) as caught, blocking.embedded() as phux:
        keeper = phux.status().keeper_pid
        raise error
    assert caught.value is error
    assert process_gone(keeper)


@pytest.mark.anyio
@pytest.mark.parametrize("error", [OwnError("mine"), ValueError("x"), ExceptionGroup("own", [OwnError()])], ids=repr)
async def test_an_exception_in_an_async_body_propagates_unchanged(error):
    with pytest.raises(type(error)) as caught:
        async with phux_client.embedded() as phux:
            keeper = (await phux.status()).keeper_pid
            raise error
    assert caught.value is error
    assert process_gone(keeper)


@pytest.mark.anyio
async def test_a_refusal_in_an_async_body_can_be_caught_by_its_class():
    with pytest.raises(phux_client.NoSuchTargetError):
        async with phux_client.embedded() as phux:
            await phux.new_session("w", command=["sleep", "1000"])
            await phux.pane("nobody")


@pytest.mark.anyio
async def test_the_server_is_gone_after_its_body_was_cancelled():
    pids = []
    with anyio.move_on_after(20) as scope:
        async with phux_client.embedded() as phux:
            await phux.new_session("w", command=["sleep", "1000"])
            pids += pids_of(await phux.status(), await phux.tree())
            scope.cancel()
            await anyio.sleep_forever()
    assert scope.cancelled_caught
    assert pids
    assert all(process_gone(pid) for pid in pids)


@pytest.mark.parametrize("after_s", [0.0, 0.02, 0.1])
def test_a_server_cancelled_by_asyncio_while_it_starts_is_gone(after_s, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    async def use():
        async with phux_client.embedded():
            await asyncio.sleep(60)

    async def give_up():
        task = asyncio.create_task(use())
        await asyncio.sleep(after_s)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(give_up())
    eventually(lambda: os.listdir(tmp_path) == [])


def test_an_embedded_server_keeps_running_without_sessions():
    with blocking.embedded() as phux:
        phux.new_session("one").kill()
        keeper = phux.status().keeper_pid
        time.sleep(1.5)  # other servers end after a second without sessions
        assert phux.new_session("two").name == "two"
        assert phux.status().keeper_pid == keeper


@pytest.mark.parametrize("engine", ["pyte", "ghostty"])
def test_the_engine_can_be_chosen(engine):
    if engine == "ghostty":
        pytest.importorskip("pyghostty", reason="libghostty has no wheel for this system")
    with blocking.embedded(engine=engine) as phux:
        assert phux.status().engine == engine
        pane = phux.new_session("w", command=["sh", "-c", "printf '\\033[31mred\\033[0m ok'; sleep 1000"]).pane
        screen = pane.wait(until="red ok", timeout_s=10)
        assert screen.lines[0] == "red ok"


@pytest.mark.anyio
async def test_the_engine_can_be_chosen_for_an_async_embedded_server():
    async with phux_client.embedded(engine="pyte") as phux:
        assert (await phux.status()).engine == "pyte"


def test_an_engine_that_does_not_exist_is_refused_and_leaves_nothing_behind(tmp_path):
    script = (
        "import os, phux_client\n"
        "from phux_client import blocking\n"
        "try:\n"
        "    with blocking.embedded(engine='nonsense'): pass\n"
        "except phux_client.BadRequestError as error:\n"
        "    print(error.message, error.remedy)\n"
        "try:\n"
        "    print('left behind:', os.waitpid(-1, 0))\n"
        "except ChildProcessError:\n"
        "    print('no child is left')\n"
    )
    env = clean_environment() | {"TMPDIR": str(tmp_path)}
    finished = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=30)
    assert "nonsense" in finished.stdout, finished.stderr
    assert "pyte" in finished.stdout
    assert list(tmp_path.iterdir()) == []
    assert "no child is left" in finished.stdout


def test_the_server_may_be_ended_inside_the_block():
    with blocking.embedded() as phux:
        phux.kill_server()
        with contextlib.suppress(phux_client.TransportError):
            phux.ls()


IDLE_TEMPLATE = """
import os, select
from phux_client import blocking
with blocking.embedded() as phux:
    keeper = phux.status().keeper_pid
    stat = open(f"/proc/{keeper}/stat").read()
    template = int(stat.rpartition(")")[2].split()[1])
    assert b"phux_core.server.template" in open(f"/proc/{template}/cmdline", "rb").read()
    ended = os.pidfd_open(template)
assert select.select([ended], [], [], 20)[0]
with blocking.embedded() as phux:
    print(len(phux.ls().sessions))
"""


def test_an_idle_template_ends_and_the_next_server_starts_another():
    told = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", IDLE_TEMPLATE],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert told.stdout == "0\n", told.stderr


SPARE = """
import os, select, signal, sys
from phux_client import blocking

def parent(pid):
    return int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])

def children(pid):
    found = set()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if parent(name) == pid:
                found.add(int(name))
        except OSError:
            pass
    return found

with blocking.embedded() as phux:
    keeper = phux.status().keeper_pid
    template = parent(keeper)
    while not (spare := children(template) - {keeper}):
        pass
    while not (service := children(*spare)):
        pass
ends = [os.pidfd_open(pid) for pid in spare | service]
if sys.argv[1] == "used":
    with blocking.embedded() as phux:
        status = phux.status()
        assert ({status.keeper_pid}, {status.service_pid}) == (spare, service)
elif sys.argv[1] == "killed":
    os.kill(*spare, signal.SIGKILL)
    assert select.select(ends[:1], [], [], 10)[0]
else:
    os.kill(template, signal.SIGKILL)
while ends:
    ended = select.select(ends, [], [], 10)[0]
    assert ended, "a spare process is still running"
    ends = [fd for fd in ends if fd not in ended]
with blocking.embedded() as phux:
    print(phux.new_session().pane.run("echo hi").output)
"""


@pytest.mark.parametrize("case", ["used", "killed", "orphaned"])
def test_the_next_server_is_forked_ahead_and_leaves_no_process_behind(case):
    told = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SPARE, case],
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert told.stdout == "hi\n", told.stderr


def test_a_forked_service_is_restarted_after_it_was_killed():
    with blocking.embedded() as phux:
        pane = phux.new_session().pane
        for number in range(3):
            os.kill(phux.status().service_pid, signal.SIGKILL)
            assert pane.run(f"echo {number}").output == str(number)
        assert phux.status().service_restarts == 3


def test_a_server_uses_the_current_environment_and_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PHUX_ENGINE", "pyte")
    with blocking.embedded() as phux:
        assert phux.status().engine == "pyte"
    monkeypatch.setenv("PHUX_ENGINE", "none-such")
    with pytest.raises(phux_client.BadRequestError, match="none-such"), blocking.embedded():
        pass


def test_many_private_servers_start_at_once_from_threads():
    with ThreadPoolExecutor(8) as pool:

        def once(number):
            with blocking.embedded() as phux:
                return phux.new_session(command=["sh"]).pane.run(f"echo {number}").output

        assert list(pool.map(once, range(16))) == [str(number) for number in range(16)]

"""Several hosts used together: private servers on their sockets, a dead one, and one behind a real sshd."""

from __future__ import annotations

import json
import os
import signal

import anyio
import pytest

import phux_client
from outers import PHUX, OwnTerminal, environment
from phux_client import blocking
from phux_client.fleets import mapping, members
from phux_core import errors
from servers import Cli, embedded_server
from sshd import far_host

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def pair():
    """The sockets of two servers."""
    with embedded_server() as first, embedded_server() as second:
        yield [first.socket, second.socket]


@pytest.fixture
def dead(tmp_path):
    """The path of a socket without a server."""
    tmp_path.chmod(0o700)
    return str(tmp_path / "none.sock")


def kill(socket):
    with blocking.connect(socket) as phux:
        os.kill(phux.status().keeper_pid, signal.SIGKILL)


async def echo(phux, item):
    async with await phux.new_session(command=["sh"]) as session:
        return (await session.pane.run(f"echo {item}", timeout_s=60)).output


async def test_each_host_has_a_result_or_an_error(pair, dead):
    async with phux_client.fleet([pair[0], dead, pair[1]]) as fleet:
        results = await fleet.run_all("echo hi; exit 3", cwd="/")
        assert [result.host for result in results] == fleet.hosts == [pair[0], dead, pair[1]]
        assert [(result.value.output, result.value.exit_code) for result in results if result.value] == [("hi", 3)] * 2
        assert isinstance(results[1].error, errors.NoServerError)
        listed = await fleet.sessions()
        assert [result.value for result in listed] == [[], None, []]
        assert [result.error is None for result in await fleet.each(lambda phux: phux.status())] == [True, False, True]
        with pytest.raises(ZeroDivisionError):
            await fleet.each(lambda _phux: 1 / 0)
        with pytest.raises(errors.BadHostError, match="is not in the fleet"):
            await fleet.connect("box")


def test_the_same_host_twice_is_refused(pair, runtime, monkeypatch):
    for names in (["a", "a"], ["a", "ssh://a"], ["local", str(runtime / "phux/phux.sock")], [pair[0], "b", pair[0]]):
        with pytest.raises(errors.BadHostError, match="is in the fleet twice"):
            phux_client.fleet(names)
    monkeypatch.setenv("PHUX_SOCKET", pair[0])
    with pytest.raises(errors.BadHostError, match="twice, also as 'local'"):
        phux_client.fleet(["local", pair[0]])
    for names, message in (([], "no hosts"), ("local", "is a list"), (["a b"], "contains a character")):
        with pytest.raises(errors.BadHostError, match=message):
            phux_client.fleet(names)


async def test_items_run_wherever_there_is_room_and_a_dead_host_does_not_matter(pair, dead):
    running, most = {}, {}

    async def task(phux, item):
        running[phux.socket] = running.get(phux.socket, 0) + 1
        most[phux.socket] = max(most.get(phux.socket, 0), running[phux.socket])
        try:
            if item == 5:
                raise ValueError(item)
            return await echo(phux, item)
        finally:
            running[phux.socket] -= 1

    async with phux_client.fleet([dead, *pair]) as fleet:
        results = {result.item: result async for result in fleet.map(task, range(12), per_host=2)}
        assert sorted(results) == list(range(12))
        assert isinstance(results.pop(5).error, ValueError)
        assert all(result.value == str(item) and result.attempts == 1 for item, result in results.items())
        assert {result.host for result in results.values()} == {*pair}
        assert set(most.values()) == {2}
        with pytest.raises(errors.BadRequestError):
            fleet.map(task, [], per_host=0)
        assert [result async for result in fleet.map(task, [])] == []


async def test_items_of_a_lost_host_move_and_none_is_lost_or_reported_twice(pair):
    with embedded_server() as victim:
        reached = anyio.Event()

        async def task(phux, item):
            if phux.socket == victim.socket:
                async with await phux.new_session(command=["sh"]) as session:
                    reached.set()
                    return await session.pane.run("sleep 1000")
            await reached.wait()
            return await echo(phux, item)

        async with (
            phux_client.fleet([victim.socket, *pair]) as fleet,
            fleet.map(task, range(20), per_host=3) as results,
        ):
            await reached.wait()
            await anyio.to_thread.run_sync(kill, victim.socket)
            found = [result async for result in results]
    assert sorted(result.item for result in found) == list(range(20))
    assert [result.value for result in found] == [str(result.item) for result in found]
    assert {result.host for result in found} == {*pair}
    assert 1 <= sum(result.attempts == 2 for result in found) <= 3


async def test_a_host_that_stops_answering_is_lost(pair, monkeypatch):
    monkeypatch.setattr(mapping, "_CHECK_S", 0.1)
    monkeypatch.setattr(members, "ANSWER_S", 1.0)
    with embedded_server() as victim, blocking.connect(victim.socket) as phux:
        pids = (phux.status().keeper_pid, phux.status().service_pid)
        started = anyio.Event()

        async def task(phux, item):
            if phux.socket == victim.socket:
                started.set()
                for pid in pids:
                    os.kill(pid, signal.SIGSTOP)
                await anyio.sleep_forever()
            await started.wait()
            return item

        try:
            async with phux_client.fleet([victim.socket, pair[0]]) as fleet:
                found = [result async for result in fleet.map(task, range(4), per_host=1)]
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
    assert sorted(result.value for result in found) == [0, 1, 2, 3]
    assert {result.host for result in found} == {pair[0]}


async def test_every_item_is_an_error_if_no_host_is_left(dead):
    with embedded_server() as victim:

        async def task(phux, item):
            await phux.status()
            if item == 2:
                await anyio.to_thread.run_sync(kill, victim.socket)
                while True:
                    await phux.status()
            return item

        async with phux_client.fleet([victim.socket, dead]) as fleet:
            found = [result async for result in fleet.map(task, range(5), per_host=1)]
    assert [(result.item, result.value, result.attempts) for result in found[:2]] == [(0, 0, 1), (1, 1, 1)]
    assert {result.item for result in found[2:]} == {2, 3, 4}
    assert all(isinstance(result.error, errors.TransportError) for result in found[2:])
    assert {result.item: result.attempts for result in found[2:]} == {2: 1, 3: 0, 4: 0}
    assert "no host is left" in str(found[-1].error)
    assert dead in str(found[-1].error)


async def test_tasks_wait_for_a_slow_reader_and_end_with_the_block(pair):
    read, ended = [], []

    def items():
        for number in range(1000):
            read.append(number)
            yield number

    async def task(_phux, item):
        if item == 7:
            try:
                await anyio.sleep_forever()
            finally:
                ended.append(item)
        return item

    async with phux_client.fleet(pair) as fleet:
        results = fleet.map(task, items(), per_host=2)
        async for result in results:
            if result.item == 20:
                break
        await anyio.wait_all_tasks_blocked()
        assert len(read) < 40
        assert ended == []
    assert ended == [7]
    with pytest.raises(StopAsyncIteration):
        await anext(results)


async def test_an_error_of_the_items_is_raised_by_the_stream(pair):
    async def task(_phux, item):
        return item

    async with phux_client.fleet(pair) as fleet:
        with pytest.raises(ZeroDivisionError):
            async for _result in fleet.map(task, (1 // number for number in (1, 0))):
                pass


async def test_a_task_group_that_fails_in_the_block_behaves_as_without_a_fleet(pair):
    async def fail():
        raise KeyError("mine")

    with pytest.raises(ExceptionGroup) as caught:
        async with phux_client.fleet(pair) as fleet, fleet.watch(), anyio.create_task_group() as group:
            group.start_soon(fail)
            await anyio.sleep_forever()
    assert [type(error) for error in caught.value.exceptions] == [KeyError]


async def test_a_fleet_is_opened_in_one_task_and_closed_in_another(pair):
    opened = []

    async def open_it():
        fleet = await phux_client.fleet(pair).__aenter__()
        stream = await fleet.watch().__aenter__()
        opened.extend([fleet, stream])

    async def close_it():
        await opened[0].__aexit__(None, None, None)

    for step in (open_it, close_it):
        async with anyio.create_task_group() as group:
            group.start_soon(step)
    with pytest.raises(StopAsyncIteration):
        await anext(opened[1])


async def test_events_of_all_hosts_arrive_with_their_host_and_a_lost_host_is_an_error(pair, dead):
    with embedded_server() as victim:
        async with phux_client.fleet([victim.socket, dead, *pair]) as fleet, fleet.watch() as events:
            assert len([result for result in await fleet.run_all("true") if result.error]) == 1
            lost, closed = set(), set()
            async for result in events:
                if result.error is not None:
                    lost.add(result.host)
                elif result.value.event == "session_closed":
                    closed.add(result.host)
                    if result.host == victim.socket:
                        await anyio.to_thread.run_sync(kill, victim.socket)
                if lost == {dead, victim.socket} and closed == {victim.socket, *pair}:
                    break


def test_the_cli_prints_a_line_of_json_per_result(pair, dead, tmp_path):
    cli = Cli(pair[0], tmp_path)
    hosts = f"local,{pair[1]}"
    finished = cli("fleet", "run", "--on", hosts, "--", "sh", "-c", "echo hi there")
    lines = {line["host"]: line for line in map(json.loads, finished.out.splitlines())}
    assert (finished.code, set(lines)) == (0, {"local", pair[1]})
    assert {line["result"]["output"] for line in lines.values()} == {"hi there"}
    assert cli("fleet", "run", "--on", hosts, "false").code == 1
    with embedded_server() as victim:
        listed = cli("fleet", "ls", "--on", hosts, "--on", dead)
        watched = cli("fleet", "watch", "--on", victim.socket, "--on", dead, "--timeout", "1")
    lines = [json.loads(line) for line in listed.out.splitlines()]
    assert (listed.code, [line["error"] and line["error"]["code"] for line in lines].count("no_server")) == (0, 1)
    assert [line["result"]["sessions"] for line in lines if line["result"]] == [[], []]
    assert (watched.code, json.loads(watched.out)["host"]) == (124, dead)
    assert (
        "is in the fleet twice" in cli("fleet", "ls", "--on", f"{hosts},{pair[0]}", "--json").error["error"]["message"]
    )
    assert cli("fleet", "ls", "extra").code == 2
    assert cli("fleet", "ls", "--host", "box").code == 2


def test_the_cli_draws_a_table_on_a_terminal(pair):
    command = [
        PHUX,
        "fleet",
        "run",
        "--on",
        f"local,{pair[1]}",
        "--on",
        "no.invalid",
        "--",
        "sh",
        "-c",
        "echo one; exit 4",
    ]
    with OwnTerminal(command, environment(pair[0]), (120, 24), engine="pyte") as terminal:
        assert terminal.wait() == 1
        text = "\n".join(terminal.screen())
    assert "3 of 3 hosts done, 3 failed" in text
    assert text.count("exit 4") == 2
    assert "one" in text
    assert "error" in text


async def test_a_host_behind_ssh_is_part_of_a_fleet(pair, monkeypatch):
    with far_host() as box:
        for name, value in box.env.items():
            monkeypatch.setenv(name, value)
        async with phux_client.fleet(["box", pair[0], "box2"], start=True) as fleet:
            results = {result.host: result for result in await fleet.run_all("id -u", timeout_s=60)}
            assert results["box"].value.output == str(box.uid)
            assert results[pair[0]].value.output == str(os.getuid())
            assert isinstance(results["box2"].error, errors.HostError)

            seen = set()

            async def task(phux, item):
                if phux.socket == "ssh://box":
                    seen.add(item)
                return await echo(phux, item)

            found = [result async for result in fleet.map(task, range(6), per_host=1)]
            assert sorted(result.value for result in found) == list("012345")
            assert seen

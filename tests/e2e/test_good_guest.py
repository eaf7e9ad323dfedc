"""The async client does not interfere with its host program's task groups, fixtures, generators and exit stacks."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys

import anyio
import pytest
import trio

import phux_client
from servers import clean_environment, eventually

USERS_TESTS = """
import asyncio
import pytest, pytest_asyncio
import phux_client

@pytest_asyncio.fixture(SCOPE)
async def phux():
    async with phux_client.embedded() as phux:
        yield phux

@pytest_asyncio.fixture(SCOPE)
async def pane(phux):
    session = await phux.new_session(command=["sh"])
    yield session.pane
    await session.kill()

@pytest.mark.asyncio(SCOPE)
async def test_run(pane):
    assert (await pane.run("echo hi")).output == "hi"

@pytest.mark.asyncio(SCOPE)
async def test_failing_group(phux, pane):
    async def fails():
        await pane.snapshot()
        raise RuntimeError
    with pytest.raises(ExceptionGroup):
        async with asyncio.TaskGroup() as group:
            group.create_task(fails())
            group.create_task(pane.wait(until="never"))
    assert (await pane.run("echo again")).output == "again"
"""


@pytest.fixture(params=["connect", "embedded"])
def opened(request, socket):
    """The two ways to open a client."""
    return lambda: phux_client.connect(socket) if request.param == "connect" else phux_client.embedded()


def test_a_handled_failure_of_a_task_group_stays_handled(opened):
    async def fails(phux):
        await phux.status()
        raise RuntimeError("expected")

    async def main():
        async with opened() as phux:
            pane = (await phux.new_session(command=["cat"])).pane
            for _ in range(3):
                try:
                    async with asyncio.TaskGroup() as group:
                        group.create_task(fails(phux))
                        group.create_task(pane.wait(until="never"))
                except* RuntimeError:
                    pass
                await phux.ls()
                with pytest.raises(phux_client.TimedOutError):
                    await pane.wait(until="never", timeout_s=0.05)
        return "left"

    assert asyncio.run(main()) == "left"


def test_a_timeout_around_a_call_leaves_the_client_usable(socket):
    async def main():
        async with phux_client.connect(socket) as phux:
            pane = (await phux.new_session(command=["cat"])).pane
            for _ in range(5):
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.02):
                        await pane.wait(until="never")
            await pane.send_keys("here", "Enter")
            assert "here" in (await pane.wait(until="here", timeout_s=10)).text

    asyncio.run(main())


def test_a_client_may_be_opened_in_one_task_and_closed_in_another(opened):
    async def main():
        stack = contextlib.AsyncExitStack()
        phux = await asyncio.create_task(stack.enter_async_context(opened()))
        pane = (await asyncio.create_task(phux.new_session(command=["cat"]))).pane
        await asyncio.gather(*(pane.snapshot() for _ in range(20)))
        await asyncio.create_task(stack.aclose())
        with pytest.raises(phux_client.TransportError, match="closed"):
            await phux.status()

    asyncio.run(main())


def test_a_client_may_be_opened_in_one_trio_task_and_closed_in_another(opened):
    async def main():
        opening = opened()
        held = []

        async def enter():
            held.append(await opening.__aenter__())

        async def leave():
            await opening.__aexit__(None, None, None)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(enter)
        await held[0].ls()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(leave)

    trio.run(main)


def test_an_async_generator_may_hold_a_client(opened):
    async def clients():
        async with opened() as phux:
            yield phux

    async def main():
        generator = clients()
        phux = await asyncio.create_task(anext(generator))
        await phux.ls()
        await asyncio.create_task(generator.aclose())

    asyncio.run(main())


def test_another_task_reads_after_the_reading_task_was_cancelled(socket):
    async def main():
        async with phux_client.connect(socket) as phux:
            pane = (await phux.new_session(command=["cat"])).pane
            await pane.wait(state="awaiting_input", timeout_s=20)
            async with pane.watch() as events:
                first = asyncio.create_task(pane.wait(until="never"))
                others = [asyncio.create_task(pane.wait(until="here", timeout_s=20)) for _ in range(10)]
                next_event = asyncio.create_task(events.next(timeout_s=20))
                for other in others:
                    await phux.status()  # now the task has subscribed, or waits for the reply
                    assert not other.done()
                first.cancel()
                await asyncio.wait([first])
                await pane.send_keys("here", "Enter")
                assert [waited.met for waited in await asyncio.gather(*others)] == ["until"] * 10
                assert (await next_event).event in {"dirty", "state_changed"}  # cat may be reported as running first

    asyncio.run(main())


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_request_larger_than_the_sockets_buffers_is_sent_while_events_arrive(socket, backend):
    async def main():
        async with phux_client.connect(socket) as phux:
            reader = (await phux.new_session(command=["sh", "-c", "stty raw -echo; cat > /dev/null"])).pane
            flood = (await phux.new_session(command=["sh", "-c", "cat; yes flood"])).pane
            await reader.wait(idle_ms=50, timeout_s=10)
            async with flood.watch(output=True):
                await flood.send_keys("C-d")
                for _ in range(3):
                    assert await reader.paste("x" * 900_000) == 900_000

    anyio.run(main, backend=backend)


def test_unread_events_do_not_delay_calls(socket):
    async def main():
        async with phux_client.connect(socket) as phux:
            flood = (await phux.new_session(command=["sh", "-c", "cat; yes flood | head -c 5000000; echo over"])).pane
            async with flood.watch(output=True) as events:
                await flood.send_keys("C-d")
                with phux_client.blocking.connect(socket) as other:
                    await anyio.to_thread.run_sync(lambda: other.pane(flood.id).wait(until="over", timeout_s=30))
                assert (await phux.status()).sessions == 1
                assert (await events.next(timeout_s=10)).event

    asyncio.run(main())


def test_a_client_works_in_fixtures_of_pytest_asyncio(tmp_path):
    """pytest-asyncio runs the two halves of a fixture in different tasks."""
    pytest.importorskip("pytest_asyncio")
    for scope in ("function", "module"):
        fixture = USERS_TESTS.replace("fixture(SCOPE)", f"fixture(scope='{scope}', loop_scope='module')")
        (tmp_path / f"test_{scope}.py").write_text(fixture.replace("SCOPE", "loop_scope='module'"))
    (tmp_path / "pytest.ini").write_text("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "pytest_asyncio", "-p", "no:cacheprovider", "-W", "error"]
    done = subprocess.run(command, cwd=tmp_path, env=clean_environment(), capture_output=True, text=True, timeout=60)
    assert "4 passed" in done.stdout, done.stdout + done.stderr


def test_a_closed_client_has_no_descriptor_left(socket):
    async def main():
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(3):
            async with phux_client.connect(socket) as phux:
                pane = (await phux.new_session(command=["cat"])).pane
                waits = [asyncio.create_task(pane.wait(until="never")) for _ in range(3)]
                await pane.snapshot()
            done, _ = await asyncio.wait(waits)
            assert {type(task.exception()) for task in done} <= {
                phux_client.TransportError,
                phux_client.DisconnectedError,
            }
        eventually(lambda: len(os.listdir("/proc/self/fd")) <= before)

    asyncio.run(main())

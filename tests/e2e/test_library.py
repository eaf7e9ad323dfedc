"""The async library against a real server, under asyncio and trio."""

from __future__ import annotations

import json
import os
import socket as socket_module
import statistics
import threading
import time

import anyio
import pytest

import phux_client
from phux_client import blocking
from phux_core import errors, shapes
from servers import embedded_server, eventually, process_gone
from validation import to_document, validate

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def shared_socket():
    with embedded_server("ghostty") as server:
        yield server.socket


@pytest.fixture
async def phux(shared_socket):
    async with phux_client.connect(shared_socket) as phux:
        yield phux


@pytest.fixture
def name(request):
    return request.node.name[:64].replace("/", "-").replace(":", "-")


async def test_a_session_is_created_read_typed_into_and_killed(socket, tmp_path):
    async with phux_client.connect(socket) as phux:
        work = await phux.new_session("work", cwd=str(tmp_path), command=None, env={}, size=(120, 40))
        assert [session.name for session in await phux.sessions()] == ["work"]
        pane = await phux.pane("work:0.0")
        screen = await pane.snapshot(scrollback=200, cells=True)
        assert isinstance(screen, phux_client.ScreenState)
        assert (screen.cols, screen.rows, screen.pane) == (120, 40, pane.id)
        await pane.send_keys("echo make test", "Enter")
        screen = await pane.wait(until="make test", timeout_s=10)
        assert "make test" in screen.text
        assert await work.kill() == 1


async def test_shapes_are_valid_documents(phux, name):
    session = await phux.new_session(name, command=["sh", "-c", r"printf '\033[7mx\033[m'; cat"])
    await session.pane.wait(until="x", timeout_s=10)
    for schema, shape in (
        ("screen-state", await session.pane.snapshot(cells=True, scrollback=0)),
        ("tree", await phux.tree()),
        ("status", await phux.status()),
        ("session-list", await phux.ls()),
    ):
        validate(schema, to_document(shape))


async def test_many_requests_run_at_once_on_one_connection(phux, name):
    session = await phux.new_session(name, command=["cat"])
    slow_done = anyio.Event()

    async def slow():
        with pytest.raises(phux_client.TimedOutError):
            await session.pane.wait(until="never", timeout_s=0.5)
        slow_done.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(slow)
        for _ in range(50):
            tasks.start_soon(session.pane.snapshot)
        for _ in range(20):
            await session.pane.snapshot()
        assert not slow_done.is_set()
    assert (await phux.status()).clients == 1


async def test_a_cancelled_call_leaves_the_connection_usable(phux, name):
    session = await phux.new_session(name, command=["cat"])
    for _ in range(20):
        with anyio.move_on_after(0.001):
            await session.pane.wait(until="never")
    assert (await session.pane.snapshot()).state != "dead"


async def test_a_cancelled_wait_ends_its_subscription(phux, name):
    session = await phux.new_session(name, command=["cat"])
    with anyio.move_on_after(0.1):
        await session.pane.wait(until="never")
    async with phux.watch(session.pane.id) as events:
        await session.pane.send_keys("x")
        assert (await events.next(timeout_s=5)).event == "dirty"
    await phux.status()
    stream = phux._link._slot.stream
    assert stream is not None
    assert not any(map(stream.protocol.has_subscription, range(100)))


@pytest.mark.parametrize(
    ("code", "kind", "call"),
    [
        ("no_such_target", phux_client.NoSuchTargetError, lambda phux: phux.pane("nowhere")),
        ("no_such_target", phux_client.NoSuchTargetError, lambda phux: phux.kill("@999")),
        ("bad_selector", phux_client.BadSelectorError, lambda phux: phux.pane("@x")),
        ("bad_name", phux_client.BadNameError, lambda phux: phux.new_session("a:b")),
        ("bad_size", phux_client.BadSizeError, lambda phux: phux.new_session("s", size=(0, 0))),
        ("bad_size", phux_client.BadSizeError, lambda phux: phux.new_session("s", size=(80, 100_000))),
        ("bad_cwd", phux_client.BadCwdError, lambda phux: phux.new_session("s", cwd="/no/such")),
        ("cannot_execute", phux_client.CannotExecuteError, lambda phux: phux.new_session("s", command=["nope"])),
        ("bad_request", phux_client.BadRequestError, lambda phux: phux.new_session("s", command="ls -l")),
        ("bad_request", phux_client.BadRequestError, lambda phux: phux.new_session("s", env={"A=B": "c"})),
        ("bad_request", phux_client.BadRequestError, lambda phux: phux.new_session("s", command=["a\0b"])),
    ],
)
async def test_errors_have_a_common_base_and_stable_codes(phux, code, kind, call):
    with pytest.raises(kind) as caught:
        await call(phux)
    assert caught.value.code == code
    assert isinstance(caught.value, phux_client.PhuxError)
    assert caught.value.message
    assert [session.name for session in await phux.sessions() if session.name == "s"] == []


async def test_a_name_in_use_is_refused_while_its_session_lives(phux, name):
    await phux.new_session(name, command=["cat"])
    with pytest.raises(phux_client.NameInUseError):
        await phux.new_session(name, command=["cat"])


async def test_only_one_of_several_concurrent_calls_gets_a_name(phux, name):
    outcomes = []

    async def make():
        try:
            outcomes.append((await phux.new_session(name, command=["cat"])).name)
        except phux_client.NameInUseError:
            outcomes.append("refused")

    async with anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(make)
    assert sorted(outcomes) == sorted([name] + ["refused"] * 4)


async def test_connecting_without_a_server_raises_no_server_error(tmp_path):
    tmp_path.chmod(0o700)
    with pytest.raises(phux_client.NoServerError) as caught:
        async with phux_client.connect(str(tmp_path / "none.sock")):
            pass
    assert "phux new" in caught.value.remedy


async def test_connect_with_start_starts_only_one_server(runtime):
    async with phux_client.connect(start=True) as phux:
        await phux.new_session("work", command=["cat"])
        async with phux_client.connect(start=True) as again:
            assert (await again.status()).keeper_pid == (await phux.status()).keeper_pid
        await phux.kill_server()
    assert not (runtime / "phux" / "phux.sock").exists()


async def test_the_timeout_of_connect_covers_a_server_that_never_replies(tmp_path):
    tmp_path.chmod(0o700)
    path = str(tmp_path / "mute.sock")
    with socket_module.socket(socket_module.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        started = time.monotonic()
        with pytest.raises(phux_client.TimedOutError):
            async with phux_client.connect(path, timeout_s=0.3):
                pass
        with pytest.raises(phux_client.TimedOutError):
            await anyio.to_thread.run_sync(lambda: blocking.connect(path, timeout_s=0.3))
        assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", phux_client.ProtocolError),
        (b"\0\0\0\2\0\0\0\0[]", phux_client.ProtocolError),
        (b"\0\0\0\2\0\0\0\0{}", phux_client.ProtocolError),
        (None, phux_client.VersionError),
        (b"", phux_client.DisconnectedError),
    ],
)
async def test_a_peer_that_is_not_a_phux_server_causes_a_specific_error(tmp_path, answer, kind):
    tmp_path.chmod(0o700)
    path = str(tmp_path / "odd.sock")
    if answer is None:
        body = json.dumps({"hello": {"protocol": [99, 0]}}).encode()
        answer = len(body).to_bytes(4, "big") + bytes(4) + body
    listener = socket_module.socket(socket_module.AF_UNIX)
    listener.bind(path)
    listener.listen()

    def serve():
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            peer.recv(4096)
            peer.sendall(answer)
            peer.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        with pytest.raises(kind):
            async with phux_client.connect(path, timeout_s=5):
                pass
        with pytest.raises(kind):
            await anyio.to_thread.run_sync(lambda: blocking.connect(path, timeout_s=5))
    finally:
        listener.shutdown(socket_module.SHUT_RDWR)
        listener.close()


async def test_events_report_the_lifecycle_of_a_pane(phux, name):
    async with phux.watch() as events:
        script = r"read go; printf '\033]2;a title\007\a'; exit 5"
        session = await phux.new_session(name, command=["sh", "-c", script])
        await session.pane.send_keys("go", "Enter")
        seen = []
        async for event in events:
            validate("event", to_document(event))
            if getattr(event, "terminal", None) == session.pane.selector:
                seen.append(event)
            if isinstance(event, shapes.PaneClosed) and event.terminal == session.pane.selector:
                break
    names = [event.event for event in seen]
    assert names[0] == "pane_spawned"
    assert {"dirty", "title_changed", "bell"} <= set(names)
    assert [event.title for event in seen if event.event == "title_changed"] == ["a title"]
    assert seen[-1].exit_status == 5
    numbers = [event.seq for event in seen]
    assert numbers == sorted(numbers)


async def test_the_signal_that_ends_a_program_is_reported(phux, name):
    async with phux.watch() as events:
        session = await phux.new_session(name, command=["sh", "-c", "kill -TERM $$"])
        while True:
            event = await events.next(timeout_s=10)
            if isinstance(event, shapes.PaneClosed) and event.terminal == session.pane.selector:
                break
    assert (event.exit_status, event.signal) == (None, "SIGTERM")


async def test_a_wait_returns_soon_after_the_text_appears(phux, name):
    session = await phux.new_session(name, command=["sh", "-c", "while read x; do echo got-$x; done"])
    await session.pane.wait(idle_ms=50, timeout_s=10)
    taken = []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(session.pane.wait)
        for number in range(7):
            started = time.monotonic()
            await session.pane.send_keys(f"it-{number}", "Enter")
            await session.pane.wait(until=f"got-it-{number}", timeout_s=10)
            taken.append(time.monotonic() - started)
        tasks.cancel_scope.cancel()
    # The default idle time alone is half a second. The median tolerates a busy machine.
    assert statistics.median(taken) < 0.25


async def test_paste_and_send_keys_return_the_number_of_typed_bytes(phux, name):
    session = await phux.new_session(name, command=["cat"])
    assert await session.pane.send_keys("Enter") == 1
    assert await session.pane.paste("zwölf") == 6
    assert (await session.pane.info()).command == "cat"


async def test_kill_server_returns_when_the_server_is_gone():
    server = embedded_server()
    try:
        async with phux_client.connect(server.socket) as phux:
            status = await phux.status()
            await phux.new_session("work")
            await phux.kill_server()
        assert not os.path.exists(server.socket)
        eventually(lambda: process_gone(status.service_pid), within_s=2)
    finally:
        server.close()


async def test_calls_after_the_end_of_the_server_raise_no_server_error():
    server = embedded_server()
    try:
        async with phux_client.connect(server.socket) as phux:
            await anyio.to_thread.run_sync(server.close)
            with pytest.raises(phux_client.NoServerError):
                await phux.status()
    finally:
        server.close()


async def test_a_connection_can_create_a_session_after_the_last_one_was_killed(runtime):
    async with phux_client.connect(start=True) as phux:
        for _ in range(3):
            session = await phux.new_session("work", command=["cat"])
            assert await session.kill() == 1
        assert os.path.exists(runtime / "phux" / "phux.sock")
    eventually(lambda: not os.path.exists(runtime / "phux" / "phux.sock"), within_s=5)


async def test_a_client_that_stays_connected_does_not_keep_an_empty_server(runtime):
    async with phux_client.connect(start=True) as phux:
        session = await phux.new_session("work", command=["cat"])
        await session.kill()
        with anyio.fail_after(10):
            await phux._link.wait_closed()
    assert not os.path.exists(runtime / "phux" / "phux.sock")


def test_renaming_and_resizing_are_reported_as_events(socket):
    with blocking.Phux(socket) as phux:
        session = phux.new_session("before", command=["cat"])
        with phux.watch() as events:
            session.rename("after")
            session.pane.resize(100, 30)
            told = [events.next(timeout_s=10)]
            while told[-1].event != "resized":
                told.append(events.next(timeout_s=10))
        renamed = next(event for event in told if event.event == "renamed")
        assert (renamed.what, renamed.id, renamed.name) == ("session", session.id, "after")
        assert (told[-1].terminal, told[-1].cols, told[-1].rows) == (session.pane.selector, 100, 30)
        assert [entry.name for entry in phux.ls().sessions] == ["after"]
        assert (session.pane.info().cols, session.pane.info().rows) == (100, 30)
        other = phux.new_session("other", command=["cat"])
        with pytest.raises(errors.NameInUseError):
            other.rename("after")
        with pytest.raises(errors.BadNameError):
            other.rename("no:colon")
        with pytest.raises(errors.BadSizeError):
            other.pane.resize(0, 5)
        assert other.name == "other"

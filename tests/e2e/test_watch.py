"""``watch`` on real programs: by the installed script, and by the library under asyncio and trio."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys

import pytest

import phux_client
from phux_client import blocking
from rawwire import RawClient
from servers import BIN, Cli, clean_environment, eventually
from validation import validate

READ = ["sh", "-c", "stty -echo; echo ready; while read -r x; do echo $x; done"]
# A program that causes more events than all buffers hold. After each title, it waits for the reply to a query, because
# titles that the service reads together cause one event.
TITLES = r"""
import os, tty
tty.setraw(0)
os.write(1, b"ready")
os.read(0, 1)
for number in range(3000):
    os.write(1, b"\x1b]2;%d %s\x07\x1b[5n" % (number, b"x" * 900))
    while os.read(0, 1) != b"n":
        pass
os.write(1, b"over")
os.read(0, 1)
"""


@pytest.fixture
def phux(socket):
    with blocking.connect(socket) as phux:
        phux.new_session("keep", command=["cat"])
        yield phux


@pytest.fixture
def pane(phux):
    pane = phux.new_session("work", command=READ).pane
    pane.wait(until="ready", timeout_s=20)
    pane.wait(idle_ms=50, timeout_s=20)
    return pane


class Watch:
    """A running ``phux watch``."""

    def __init__(self, cli, *words):
        self.process = subprocess.Popen(
            [BIN / "phux", "watch", *words],
            env=cli.env,
            cwd=cli.cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def watch(cli):
    running = []

    def watch(*words):
        running.append(Watch(cli, *words))
        return running[-1]

    yield watch
    for each in running:
        each.__exit__()


def begin(watching, nudge):
    """Cause events until the watch prints one, and return its output; from then on, it misses no event."""
    out = watching.process.stdout.fileno()

    def told():
        nudge()
        # Longer than a pane takes to become idle: until then, there is no further event.
        return select.select([out], [], [], 0.2)[0]

    eventually(told, within_s=20)
    return os.read(out, 1 << 16).decode()


def type_into(pane):
    return lambda: pane.send_keys("x", "Enter")


def test_json_lines_are_valid_and_printed_as_events_happen(watch, pane):
    watching = watch("work", "--json")
    text = begin(watching, type_into(pane))
    pane.wait(idle_ms=100, timeout_s=20)
    pane.send_keys("x", "Enter")
    pane.send_keys("C-d")
    text += watching.process.stdout.read()
    assert watching.process.wait(20) == 0
    events = [json.loads(line) for line in text.splitlines()]
    for event in events:
        validate("event", event)
    assert {event["terminal"] for event in events} == {pane.selector}
    assert {"dirty", "pane_closed"} <= {event["event"] for event in events}
    assert events[-1]["event"] == "pane_closed"
    assert events[-1]["exit_status"] == 0
    assert watching.process.stderr.read() == ""


def test_without_json_events_are_printed_in_columns(watch, pane):
    watching = watch("work", "--until", "pane_closed")
    text = begin(watching, type_into(pane))
    pane.wait(idle_ms=100, timeout_s=20)
    pane.send_keys("x", "Enter")
    pane.send_keys("C-d")
    lines = (text + watching.process.stdout.read()).splitlines()
    assert f"{pane.selector}\tdirty" in lines
    assert lines[-1] == f"{pane.selector}\tpane_closed exit=0"


def test_until_ends_the_watch_after_that_event(watch, pane):
    watching = watch("work", "--json", "--until", "idle", "--until", "bell")
    text = begin(watching, type_into(pane)) + watching.process.stdout.read()
    assert watching.process.wait(20) == 0
    names = [json.loads(line)["event"] for line in text.splitlines()]
    assert names[-1] == "idle"
    assert names.count("idle") == 1


def test_the_whole_server_is_watched_without_a_target(watch, pane, phux):
    watching = watch("--json", "--until", "pane_spawned")
    text = begin(watching, type_into(pane))
    other = phux.new_session("other", command=["cat"]).pane
    events = [json.loads(line) for line in (text + watching.process.stdout.read()).splitlines()]
    assert (events[-1]["event"], events[-1]["terminal"]) == ("pane_spawned", other.selector)
    assert pane.selector in {event.get("terminal") for event in events}


def test_watch_exits_124_at_its_timeout(cli, pane):
    finished = cli("watch", "--json", "work", "--timeout", "0.2")
    assert finished.code == 124
    assert finished.error["error"]["code"] == "timed_out"


def test_a_dead_pane_reports_only_its_end(cli, pane):
    pane.send_keys("C-d")
    pane.wait(exit=True, timeout_s=20)
    finished = cli("watch", "work")
    assert (finished.code, finished.out) == (0, f"{pane.selector}\tpane_closed exit=0\n")
    finished = cli("watch", "--json", "work", "--until", "bell")
    assert (finished.code, json.loads(finished.err)["error"]["code"]) == (1, "pane_closed")


def test_the_end_of_the_server_ends_the_watch(watch, pane, phux):
    watching = watch("--json")
    begin(watching, type_into(pane))
    phux.kill_server()
    rest = watching.process.stdout.read()
    assert watching.process.wait(20) == 0
    assert "dropped" not in rest


def test_an_unknown_event_is_rejected_before_connecting(tmp_path):
    cli = Cli(str(tmp_path / "none.sock"), tmp_path, clean_environment())
    finished = cli("watch", "--json", "--until", "bells")
    assert (finished.code, finished.error["error"]["code"]) == (2, "usage")
    assert "pane_closed" in finished.error["error"]["message"]
    assert cli("watch", "--json").error["error"]["code"] == "no_server"


def test_a_closed_pipe_ends_the_watch_silently(watch, pane):
    watching = watch("work")
    begin(watching, type_into(pane))
    watching.process.stdout.close()

    def ended():
        pane.send_keys("x", "Enter")
        with contextlib.suppress(subprocess.TimeoutExpired):
            return watching.process.wait(0.2) is not None

    eventually(ended, within_s=20)
    assert watching.process.returncode == 0
    assert watching.process.stderr.read() == ""
    watching.process.stdout = None


def test_an_interrupt_exits_130(watch, pane):
    watching = watch("work")
    begin(watching, type_into(pane))
    watching.process.send_signal(signal.SIGINT)
    assert watching.process.wait(20) == 130


def test_a_service_death_is_reported_and_the_watch_continues(watch, pane, phux):
    watching = watch("work", "--json", "--until", "pane_closed")
    text = begin(watching, type_into(pane))
    os.kill(phux.status().service_pid, signal.SIGKILL)
    phux.tree()
    while '"dropped"' not in text:
        text += watching.process.stdout.readline()
    pane.send_keys("C-d")
    text += watching.process.stdout.read()
    events = [json.loads(line) for line in text.splitlines()]
    assert {"event": "dropped", "count": 0} in events
    assert events[-1]["event"] == "pane_closed"


def test_a_slow_reader_blocks_no_pane_and_gets_the_number_of_lost_events(watch, phux):
    pane = phux.new_session("titles", command=[sys.executable, "-c", TITLES]).pane
    pane.wait(until="ready", timeout_s=20)
    watching = watch("--json")
    begin(watching, lambda: phux.new_session(None, command=["true"]))
    pane.send_keys("x")
    pane.wait(until="over", timeout_s=60)  # although the test does not read the watch
    events = []
    for line in watching.process.stdout:
        events.append(json.loads(line))
        if events[-1]["event"] == "dropped":
            pane.send_keys("x")
        elif events[-1]["event"] == "pane_closed" and events[-1]["terminal"] == pane.selector:
            break
    for event in {event["event"]: event for event in events}.values():
        validate("event", event)
    (dropped,) = (event for event in events if event["event"] == "dropped")
    assert dropped["count"] > 0
    assert sum(event["event"] == "title_changed" for event in events) > 100


# The library


@pytest.mark.anyio
async def test_the_events_of_a_pane_end_when_it_closes(socket):
    async with phux_client.connect(socket) as phux:
        pane = (await phux.new_session("work", command=READ)).pane
        await pane.wait(until="ready", timeout_s=20)
        async with pane.watch() as events:
            await pane.send_keys("C-d")
            names = [event.event async for event in events]
            with pytest.raises(phux_client.PaneClosedError):
                await events.next()
        assert names[-1] == "pane_closed"


@pytest.mark.anyio
async def test_events_is_accepted_as_the_old_name_of_watch_with_a_warning(socket):
    async with phux_client.connect(socket) as phux:
        await phux.new_session("work", command=["cat"])
        with pytest.warns(DeprecationWarning, match="'events' is called 'watch' now") as warned:
            watch = phux.events("work")
        assert warned[0].filename == __file__
        async with watch as events:
            await phux.kill("work")
            assert [event.event async for event in events][-1] == "pane_closed"


def test_the_blocking_client_accepts_events_as_the_old_name_of_watch(phux):
    with pytest.warns(DeprecationWarning, match="'events' is called 'watch' now"):
        watch = phux.events()
    with watch as events:
        phux.kill("keep")
        assert any(event.event == "pane_closed" for event in events)


@pytest.mark.anyio
async def test_a_watch_with_output_yields_the_text_of_a_pane(socket):
    async with phux_client.connect(socket) as phux:
        pane = (await phux.new_session("work", command=READ)).pane
        seq = (await pane.wait(until="ready", timeout_s=20)).seq
        async with phux.watch("work", output=True, since=seq) as events:
            await pane.send_keys("one", "Enter", "two", "Enter", "C-d")
            lines = [line async for event in events if event.event == "output" for line in event.text]
        assert {"one", "two"} <= set(lines)
        async with pane.watch(output=True, since=0) as events:
            text = []
            while "two" not in text:
                text += (await events.next(timeout_s=20)).text
        assert text[0] == "ready"


def test_text_continues_at_its_position_after_a_service_death(phux, pane):
    with pane.watch(output=True, since=0) as events:
        while events.next(timeout_s=20).event != "output":
            pass
        os.kill(phux.status().service_pid, signal.SIGKILL)
        lines = []
        phux.tree()
        pane.send_keys("one", "Enter", "C-d")
        for event in events:
            lines += event.text if event.event == "output" else []
    assert lines == ["one"]


def test_a_late_reader_gets_all_text_and_blocks_no_pane(socket, phux):
    command = ["sh", "-c", "stty -echo; echo ready; read x; seq 1 500000; echo over; cat"]
    pane = phux.new_session("flood", command=command).pane
    seq = pane.wait(until="ready", timeout_s=20).seq
    with RawClient(socket) as slow:
        slow.get("subscribe", pane=pane.id, output=True, since=seq)
        pane.send_keys("Enter")
        pane.wait(until="over", since=seq, timeout_s=60)
        lines = set()
        while "over" not in lines:
            event = slow.receive()["event"]
            if event["event"] == "output":
                assert "gap" not in event
                lines.update(event["text"])
    assert len(lines) >= 500_001
    assert {str(number) for number in range(1, 500_001)} <= lines


@pytest.mark.parametrize("params", [{"output": True}, {"pane": 1, "since": 0}, {"pane": 1, "output_only": True}])
def test_an_invalid_text_subscription_is_rejected(socket, phux, params):
    with RawClient(socket) as client:
        reply = client.ask("subscribe", **params)
        assert reply["error"]["code"] == "bad_request"
        assert "output" in reply["error"]["remedy"]

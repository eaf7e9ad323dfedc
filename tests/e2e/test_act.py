"""``act``: keys, a wait and the changes under one lock; changes since a sequence number; cancelled requests."""

from __future__ import annotations

import json
import os
import signal
import threading

import anyio
import pytest

from phux_client import BusyError, PaneClosedError, StoppedError, TimedOutError, blocking, connect, flows
from rawwire import RawClient
from servers import eventually
from validation import validate


@pytest.fixture
def phux(socket):
    with blocking.connect(socket) as phux:
        yield phux


@pytest.fixture
def pane(phux):
    return phux.new_session("work").pane


def test_changes_returns_only_the_new_rows(phux, pane):
    seen = pane.snapshot()
    assert pane.changes(seen.seq).changed == []
    pane.send_keys("echo one; echo two", "Enter")
    pane.wait(regex="^two$", timeout_s=10)
    changes = pane.changes(seen.seq)
    assert not changes.full
    assert [row.text for row in changes.changed][:3] == ["$ echo one; echo two", "one", "two"]
    validate("screen-changes", phux.drive(flows.changes(phux.caller, pane.id, seen.seq, cells=True)))


def test_a_scrolled_screen_reports_only_new_rows(pane):
    pane.run("seq 1 40")
    seen = pane.snapshot()
    pane.run("echo new")
    changes = pane.changes(seen.seq)
    assert changes.scrolled == 2
    assert len(changes.changed) <= 3
    assert "new" in [row.text for row in changes.changed]


def test_a_change_of_color_alone_is_reported(pane):
    pane.run("printf 'a\\nb\\n'")
    seen = pane.snapshot(cells=True)
    pane.send_keys("printf '\\033[s\\033[H\\033[7m%s\\033[m\\033[u' '$'", "Enter")
    pane.wait(idle_ms=200)
    assert 0 in {row.row for row in pane.changes(seen.seq, cells=True).changed}


def test_a_resize_reports_the_whole_screen_as_changed(pane):
    seen = pane.snapshot()
    pane.resize(100, 30)
    assert pane.changes(seen.seq).full


def test_the_whole_screen_is_reported_as_changed_after_the_service_died(phux, pane):
    seen = pane.snapshot()
    os.kill(phux.status().service_pid, signal.SIGKILL)
    assert eventually(lambda: pane.changes(seen.seq)).changed == []  # the program wrote nothing
    pane.run("echo more")
    changes = pane.changes(seen.seq - 1)
    assert changes.full
    assert len(changes.changed) == 24


def test_act_types_waits_and_returns_the_changed_rows(pane):
    done = pane.act("echo $((6*7))", "Enter", regex="^42$")
    assert (done.outcome, done.met, done.met_line) == ("met", "regex", "42")
    assert "42" in [row.text for row in done.changed]
    again = pane.act("echo next", "Enter", since=done.seq, state="prompt")
    assert again.since == done.seq


def test_old_text_does_not_end_an_act(pane):
    pane.run("echo ready")
    with pytest.raises(TimedOutError):
        pane.act("true", "Enter", until="ready", timeout_s=0.5)


def test_an_act_that_executes_no_command_finds_the_prompt(pane):
    for keys in (["Enter"], ["half a line", "C-c"], ["C-l"]):
        assert pane.act(*keys, state="prompt", timeout_s=10).met == "state"


@pytest.mark.parametrize(
    ("program", "before", "state", "keys"),
    [
        (["fish"], None, "prompt", ["C-c"]),
        (["sh", "-c", "stty -echo; echo ready; cat >/dev/null"], "ready", "awaiting_secret", ["a line", "Enter"]),
        (["sh", "-c", "stty -icanon -echo; echo ready; cat >/dev/null"], "ready", "awaiting_input", ["x"]),
        (["vim", "-u", "NONE"], "VIM", "fullscreen", ["Escape"]),
    ],
)
def test_an_act_whose_keys_make_the_program_write_nothing_finds_its_state(phux, program, before, state, keys):
    silent = phux.new_session(command=program).pane
    silent.wait(until=before, state=None if before else state, timeout_s=20)
    silent.wait(idle_ms=300, timeout_s=20)
    assert silent.act(*keys, state=state, timeout_s=10).met == "state"


def test_an_act_in_a_nested_shell_finds_its_prompt(pane):
    assert pane.act("sh", "Enter", state="prompt", timeout_s=10).met == "state"
    changes = pane.act("sleep 0.2; echo do''ne", "Enter", state="prompt", timeout_s=10)
    assert "done" in [row.text for row in changes.changed]


def test_an_act_that_times_out_is_an_error_with_the_rows_that_changed(pane):
    with pytest.raises(TimedOutError, match=r"within 0\.5 s: its state is 'prompt'") as caught:
        pane.act("echo $((6*7))", "Enter", until="never", timeout_s=0.5)
    assert caught.value.changes.outcome == "timed_out"
    assert "42" in [row.text for row in caught.value.changes.changed]


def test_an_act_that_is_stopped_is_an_error_with_the_rows_that_changed(pane):
    with pytest.raises(StoppedError, match="matched first in @1: 'boom'") as caught:
        pane.act("echo boom", "Enter", until="never", stop="^boom$")
    assert caught.value.changes.outcome == "stopped"
    assert "boom" in [row.text for row in caught.value.changes.changed]


def test_an_act_that_ends_the_program_is_an_error_with_its_exit_status(pane):
    with pytest.raises(PaneClosedError, match="ended before a condition held") as caught:
        pane.act("exit 3", "Enter", until="never")
    changes = caught.value.changes
    assert (changes.outcome, changes.state, changes.exit_status) == ("ended", "dead", 3)
    with pytest.raises(PaneClosedError) as caught:
        pane.act("x")
    assert caught.value.changes is None


def test_an_act_requires_keys_and_a_valid_timeout(pane):
    for words, timeout_s in ((), 1), (("x",), -1):
        with pytest.raises(Exception, match=r"keys|timeout"):
            pane.act(*words, timeout_s=timeout_s)


def test_acts_and_runs_in_one_pane_run_one_after_the_other(pane):
    acted = []
    thread = threading.Thread(
        target=lambda: acted.append(pane.act("sleep 2; echo acted", "Enter", regex="^acted$")),
    )
    thread.start()
    pane.wait(until="sleep 2", timeout_s=10)
    with pytest.raises(BusyError, match="acts"):
        pane.act("x", timeout_s=0.1)
    ran = pane.run("echo ran", queue=True)
    thread.join(20)
    assert (acted[0].met_line, ran.output) == ("acted", "ran")
    assert acted[0].seq <= ran.seq.start


def test_the_lock_of_a_pane_is_released_when_its_connection_closes(socket, pane):
    with RawClient(socket) as wire:
        assert wire.get("subscribe", pane=pane.id, hold_ms=1000)["subscription"]
        with pytest.raises(BusyError):
            pane.act("x", timeout_s=0.1)
    eventually(lambda: pane.act("C-u", idle_ms=10).outcome == "met")


def test_only_a_pane_can_be_locked(socket, pane):
    with RawClient(socket) as wire:
        assert "only a pane" in wire.ask("subscribe", hold_ms=1000)["error"]["message"]


def test_a_cancelled_act_releases_the_pane(socket, pane, anyio_backend):
    async def main():
        async with connect(socket) as phux:
            mine = await phux.pane(pane.id)
            for delay in (0, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.01) * 5:
                with anyio.move_on_after(delay):
                    await mine.act("C-u", until="never", timeout_s=60)
                assert (await mine.act("C-u", idle_ms=1, timeout_s=5)).outcome == "met"

    anyio.run(main, backend=anyio_backend)


def test_a_run_cancelled_after_it_was_typed_releases_the_pane(socket, pane):
    with RawClient(socket) as wire:
        wire.send({"id": 1, "call": "run", "params": {"pane": pane.id, "id": "mine", "command": "sleep 3; echo over"}})
        pane.wait(state="running", timeout_s=10)
        wire.send({"id": 2, "call": "cancel", "params": {"request": 1}})
        assert wire.receive() == {"id": 2, "ok": {}}
        wire.send({"id": 3, "call": "cancel", "params": {"request": 1}})
        assert wire.receive() == {"id": 3, "ok": {}}
        # Another client may act while the command still runs.
        assert pane.act("x", idle_ms=10, timeout_s=2).outcome == "met"
        pane.wait(regex="^x?over$", timeout_s=10)
        wire.send({"id": 4, "call": "status"})
        assert wire.receive()["id"] == 4, "a cancelled request gets no reply"


def test_a_run_cancelled_before_it_was_typed_is_not_typed(socket, pane, anyio_backend):
    async def main():
        async with connect(socket) as phux:
            mine = await phux.pane(pane.id)
            await mine.send_keys("sleep 1", "Enter")
            await mine.wait(state="running", timeout_s=10)
            with anyio.move_on_after(0.3):
                await mine.run("echo never", queue=True)
            await mine.wait(state="prompt", timeout_s=10)
            assert (await mine.run("echo after")).output == "after"
            assert "never" not in (await mine.snapshot()).text

    anyio.run(main, backend=anyio_backend)


def test_act_and_snapshot_print_the_changed_rows(cli):
    cli.json("new", "-s", "work")
    seen = cli.json("snapshot", "work")["seq"]
    acted = cli("act", "work", "echo $((6*7))", "Enter", "--regex", "^42$")
    assert acted.code == 0
    assert "  1 42" in acted.out.splitlines()
    late = cli("act", "work", "echo late", "Enter", "--until", "never", "--timeout", "0.2", "--json")
    assert (late.code, json.loads(late.err)["error"]["code"]) == (124, "timed_out")
    assert json.loads(late.out)["outcome"] == "timed_out"
    stopped = cli("act", "work", "echo bad", "Enter", "--stop", "^bad$", "--until", "never", "--json")
    assert (stopped.code, json.loads(stopped.err)["error"]["code"]) == (1, "stopped")
    assert json.loads(stopped.out)["outcome"] == "stopped"
    assert "42" in cli("snapshot", "work", "--since", str(seen)).out
    document = cli("snapshot", "work", "--since", str(seen), "--json")
    assert document.code == 0

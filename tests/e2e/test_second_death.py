"""Service deaths at bad moments: no loss after an earlier error, a second death or a lack of resources."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import threading
import time

import pytest

import phux_client
from faults import PANIC, faulty_server
from phux_client import blocking
from phux_core.server.pane import LARGE_JOURNAL
from rawwire import RawClient
from servers import BIN, Cli, embedded_server, eventually, kill_service, process_gone


@pytest.fixture
def phux():
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        yield phux


def open_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def test_a_failed_reuse_of_a_name_keeps_the_dead_pane_and_the_next_service_intact(phux):
    phux.new_session("live", command=["cat"])
    phux.new_session("a", command=["sh", "-c", "echo last words"]).pane.wait(exit=True, timeout_s=10)
    with pytest.raises(phux_client.CannotExecuteError):
        phux.new_session("a", command=["no-such-command"])
    assert "last words" in phux.pane("a").snapshot().text
    kill_service(phux)
    assert "last words" in phux.pane("a").snapshot().text


def test_a_program_unknown_to_the_service_does_not_prevent_the_start_of_later_services(phux):
    phux.new_session("live", command=["cat"])
    status = phux.status()
    os.kill(status.service_pid, signal.SIGSTOP)
    with subprocess.Popen(
        [BIN / "phux", "new", "-s", "orphan", "--", "sh", "-c", "trap '' HUP; exec sleep 60"],
        env=os.environ | {"PHUX_SOCKET": phux.socket},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as asking:
        os.kill(status.service_pid, signal.SIGCONT)
        # Kill the service between the fork and the reply; nothing may be lost at any moment.
        time.sleep(0.002)
        os.kill(status.service_pid, signal.SIGKILL)
        eventually(lambda: phux.status().service_restarts == 1, within_s=20)
        kill_service(phux)
        asking.wait(40)
    assert next(session.name for session in phux.sessions()) == "live"
    assert phux.pane("live").snapshot().state != "dead"


def test_the_id_of_a_program_unknown_to_the_service_is_not_reused(phux):
    live = phux.new_session("live", command=["cat"]).pane
    status = phux.status()
    with RawClient(phux.socket) as asking:
        os.kill(status.keeper_pid, signal.SIGSTOP)
        stubborn = ["sh", "-c", "trap '' HUP; exec sleep 60"]
        split = {"pane": live.id, "direction": "right", "command": stubborn, "env": dict(os.environ)}
        asking.send({"id": 1000, "call": "split", "params": split})
        for _ in range(2):  # by the second reply, the service has asked the keeper for the program
            asking.get("status")
        os.kill(status.service_pid, signal.SIGKILL)
        os.kill(status.keeper_pid, signal.SIGCONT)
        assert asking.receive() is None
    assert phux.status().service_restarts == 1
    made = live.split(command=["cat"])
    assert made.id == live.id + 2
    made.send_keys("still here", "Enter")
    made.wait(until="still here", timeout_s=10)
    pid = made.info().pid
    assert made.kill() == 1
    assert process_gone(pid)
    assert [pane.id for pane in phux.window("live").info().panes] == [live.id]


def test_a_signal_without_a_name_ends_only_the_service(phux):
    phux.new_session("live", command=["cat"])
    kill_service(phux, 40)
    assert phux.pane("live").snapshot().state != "dead"


def test_programs_that_cannot_be_executed_leave_no_descriptor_behind(phux, tmp_path):
    (tmp_path / "broken").write_text("#!/no/such/interpreter\n")
    (tmp_path / "broken").chmod(0o700)
    phux.new_session("live", command=["cat"])
    keeper = phux.status().keeper_pid
    before = open_files(keeper)
    for _ in range(10):
        with pytest.raises(phux_client.CannotExecuteError):
            phux.new_session(command=[str(tmp_path / "broken")])
    assert open_files(keeper) == before


def test_killed_panes_leave_no_descriptor_behind(phux):
    phux.new_session("live", command=["cat"])
    status = phux.status()
    before = open_files(status.keeper_pid), open_files(status.service_pid)
    for _ in range(5):
        phux.new_session("gone", command=["cat"]).kill()
    eventually(lambda: (open_files(status.keeper_pid), open_files(status.service_pid)) == before)


def test_more_panes_than_select_supports_are_restored(phux):
    # The keeper has two descriptors per pane, and select() supports 1024.
    first = phux.new_session("first", command=["cat"])
    for number in range(519):
        phux.new_session(f"s{number}", command=["cat"])
    kill_service(phux)
    assert phux.status().panes == 520
    first.pane.send_keys("still here", "Enter")
    first.pane.wait(until="still here", timeout_s=10)


def test_without_descriptors_panes_are_refused_and_a_new_service_still_starts(tmp_path):
    tmp_path.chmod(0o700)
    cli = Cli(str(tmp_path / "phux.sock"), tmp_path)
    limit = ["sh", "-c", f"ulimit -n 64; exec {BIN}/phux server --engine pyte"]
    with subprocess.Popen(limit, env=cli.env, stderr=subprocess.DEVNULL) as server:
        try:
            eventually(lambda: cli("status").code == 0)
            with blocking.connect(cli.socket) as phux:
                made = 0
                with pytest.raises(phux_client.PhuxError):
                    for made in range(100):  # noqa: B007
                        phux.new_session(command=["cat"])
                assert made > 5
                kill_service(phux)
                assert phux.status().panes == made
        finally:
            server.terminate()
            assert server.wait(15) == 0


def test_the_note_on_an_engine_survives_the_next_service_death(tmp_path):
    with faulty_server(tmp_path, PANIC, "ghostty") as server, blocking.connect(server.socket) as phux:
        pane = phux.new_session("bad", command=["cat"]).pane
        pane.send_keys("CRASH-NOW", "Enter")
        eventually(lambda: phux.status().service_restarts == 1)
        notes = phux.status().engine_notes
        assert [note.engine for note in notes] == ["pyte"]
        kill_service(phux)
        assert phux.status().engine_notes == notes


def test_a_server_ends_with_its_last_session_after_a_service_death(runtime):
    with blocking.connect(start=True) as phux:
        session = phux.new_session("only", command=["cat"])
        status = phux.status()
        os.kill(status.service_pid, signal.SIGSTOP)  # so that it cannot make the keeper end
        os.kill(status.service_pid, signal.SIGKILL)
        eventually(lambda: phux.status().service_restarts == 1)
        session.kill()
        phux.close()
        eventually(lambda: not os.path.exists(runtime / "phux" / "phux.sock"), within_s=10)


def test_the_keeper_has_a_checkpoint_before_the_journal_is_truncated(phux):
    lines = 16 * 1024 * 1024 // 100 + 20_000
    script = f"yes {'x' * 90} | head -n {lines} | cat -n; echo end; exec cat"
    pane = phux.new_session("flood", command=["sh", "-c", script]).pane
    keeper = phux.status().keeper_pid
    os.kill(keeper, signal.SIGSTOP)  # a slow keeper
    resume = threading.Timer(0.7, os.kill, (keeper, signal.SIGCONT))
    resume.start()
    pane.wait(until="end", timeout_s=60)
    resume.join()
    kill_service(phux)
    assert len(pane.snapshot(scrollback=0).scrollback) == 10_000


def test_the_journal_of_an_idle_pane_is_freed_and_its_screen_survives(phux):
    pane = phux.new_session("flood", command=["sh", "-c", "seq 1 40000; echo end; exec cat"]).pane
    pane.wait(until="end", timeout_s=60)
    keeper = phux.status().keeper_pid
    assert journal_bytes(keeper) > LARGE_JOURNAL
    eventually(lambda: journal_bytes(keeper) < 2**16, within_s=20)
    before = pane.snapshot(scrollback=0)
    kill_service(phux)
    after = pane.snapshot(scrollback=0)
    assert (after.lines, after.scrollback, after.seq) == (before.lines, before.scrollback, before.seq)


def journal_bytes(keeper):
    """Return the memory that the journals in the keeper use."""
    links = [f"/proc/{keeper}/fd/{fd}" for fd in os.listdir(f"/proc/{keeper}/fd")]
    return sum(512 * os.stat(link).st_blocks for link in links if "phux-journal" in os.readlink(link))


@pytest.mark.parametrize(
    ("flood", "size"),
    [
        ("seq 1 400000", sum(len(f"{number}\r\n") for number in range(1, 400_001))),
        ("head -c 4000000 /dev/zero", 4_000_000),
    ],
    ids=["numbers", "NULs"],
)
def test_a_flood_loses_no_byte_through_many_deaths(phux, flood, size):
    pane = phux.new_session("flood", command=["sh", "-c", f"{flood}; echo end; exec cat"]).pane
    for _ in range(4):
        time.sleep(0.03)
        kill_service(phux)
    pane.wait(until="end", timeout_s=60)
    assert pane.snapshot().seq == size + len("end\r\n")


def test_connecting_right_after_the_last_session_ended_starts_another_server(runtime):
    for _ in range(5):
        with blocking.connect(start=True) as phux:
            phux.new_session("once", command=["sleep", "100"]).kill()
    with blocking.connect(start=True) as phux:
        phux.kill_server()


def test_many_threads_may_use_one_blocking_client(phux):
    pane = phux.new_session("w", command=["cat"]).pane
    failures = []

    def work(number):
        try:
            for turn in range(5):
                since = pane.snapshot().seq  # the text may scroll away before the wait starts
                pane.send_keys(f"t{number}-{turn}x", "Enter")
                pane.wait(until=f"t{number}-{turn}x", since=since, timeout_s=20)
        except phux_client.PhuxError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []


def test_a_kill_and_the_end_of_the_server_satisfy_a_wait_for_exit():
    with embedded_server() as server:
        with blocking.connect(server.socket) as phux:
            phux.new_session("stay", command=["cat"])
        for end in (lambda phux: phux.kill("w"), lambda phux: phux.kill_server()):
            with blocking.connect(server.socket) as phux, blocking.connect(server.socket) as other:
                pane = phux.new_session("w", command=["sleep", "100"]).pane
                killer = threading.Timer(0.3, end, (other,))
                killer.start()
                assert pane.wait(exit=True, timeout_s=20).state == "dead"
                killer.join()


def test_an_embedded_server_ends_although_a_forked_child_holds_its_pipe():
    server = embedded_server()
    with blocking.connect(server.socket) as phux:
        keeper = phux.status().keeper_pid
    child = os.fork()
    if child == 0:
        time.sleep(30)
        os._exit(0)
    try:
        started = time.monotonic()
        server.close()
        assert time.monotonic() - started < 5
        assert process_gone(keeper)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_pane_has_the_original_descriptor_limit(phux):
    soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    pane = phux.new_session("limit", command=["sh", "-c", "echo limit $(ulimit -n)"]).pane
    assert f"limit {soft}" in pane.wait(exit=True, timeout_s=10).text


SLOW_RESULTS = """
import time
from phux_core.server.run import follower
read = follower.read_result
def slow(*words):
    if is_on():
        time.sleep(3)
    return read(*words)
follower.read_result = slow
"""


def test_a_run_is_not_refused_while_the_result_of_one_of_an_earlier_service_is_rendered(tmp_path):
    with faulty_server(tmp_path, SLOW_RESULTS) as server, blocking.connect(server.socket) as phux:
        pane = phux.new_session("w", command=["bash"]).pane
        pane.start(f"until test -e {tmp_path}/go; do sleep 0.01; done; seq 1 400000")
        kill_service(phux)
        server.on()
        (tmp_path / "go").touch()
        pane.wait(state="prompt", timeout_s=30)
        assert pane.run("echo again", timeout_s=20).output == "again"

"""Faults caused by one pane's output, marks, checkpoint or journal affect neither other panes nor its own shell."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from faults import faulty_server, kill_any_service
from phux_client import blocking
from phux_core.errors import BusyError, InternalError, TransportError
from servers import embedded_server, eventually, process_gone
from servers import kill_service as kill_and_wait
from shell_panes import make_home

BOTH = pytest.mark.parametrize("engine", ["ghostty", "pyte"])

PANE_SCRIPT = 'while read -r line; do echo "<$line>"; done'

# The shell's own variables contain the nonce, so a script that it sources can write any mark.
FORGE = r"""
nonce=$__phux_nonce; __phux_count=$((__phux_count + 1))
test -n "$nonce" && printf '\033]7748;%s;%s;KIND;DIGITS;\007' "$nonce" "$__phux_count" && echo forged
"""


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """The home directory of the shells, with short rc files."""
    for name, value in make_home(tmp_path / "home").items():
        monkeypatch.setenv(name, value)


def open_bash(phux, name="w"):
    return phux.new_session(name, command=["bash"]).pane


def connected_again(socket):
    """Connect to a service that is restarting."""

    def connect():
        try:
            return blocking.connect(socket, timeout_s=30)
        except TransportError:  # the keeper reports a restart that takes more than three seconds
            return None

    return eventually(connect, within_s=30)


def notes(phux):
    return [(note.terminal, note.note) for note in phux.status().engine_notes]


def assert_usable(pane, phux):
    """Check that the pane runs commands and its log can be read, now and after another service death."""
    for number in range(2):
        result = pane.run(f"echo usable $((40 + {number}))", timeout_s=20)
        assert (result.exit_code, result.output.strip()) == (0, f"usable {40 + number}")
        assert f"usable {40 + number}" in pane.snapshot().text
        assert f"usable {40 + number}" in pane.logs().content
        kill_and_wait(phux)


# Marks


@pytest.mark.parametrize("kind", ["L", "D"])
@pytest.mark.parametrize("digits", [4301, 60_000])
def test_a_mark_with_thousands_of_digits_does_not_affect_the_pane_even_when_replayed(tmp_path, kind, digits):
    script = tmp_path / "forge.sh"
    script.write_text(FORGE.replace("KIND", kind).replace("DIGITS", "9" * digits))
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        pane = open_bash(phux)
        other = phux.new_session("other", command=["sh", "-c", PANE_SCRIPT]).pane
        # Typed, because the mark may end a run.
        pane.send_keys(f". {script}", "Enter")
        pane.wait(until="forged", timeout_s=20)
        kill_and_wait(phux)
        kill_and_wait(phux)
        assert notes(phux) == []
        other.send_keys("x", "Enter")
        other.wait(until="<x>", timeout_s=10)
        pane.wait(state="prompt", timeout_s=10)
        assert_usable(pane, phux)
        assert "Traceback" not in Path(f"{server.socket}.log").read_text()


MARK_FAULT = """
from phux_core.server.shell import marks
parse = marks.ShellMarks.parse
def faulty(self, mark):
    if b"BOOM" in mark.data and is_on():
        raise RuntimeError("a fault in tracking marks")
    return parse(self, mark)
marks.ShellMarks.parse = faulty
"""
MARKS = r"for i in 1 2 3; do printf '\033]7748;BOOM;%s\007' $i; done; echo said"


def test_a_fault_in_tracking_marks_affects_only_its_pane_and_is_logged_once(tmp_path):
    with faulty_server(tmp_path, MARK_FAULT) as server, blocking.connect(server.socket) as phux:
        pane, other = open_bash(phux), open_bash(phux, "other")
        server.on()
        restarts = phux.status().service_restarts
        assert pane.run(MARKS, timeout_s=20).output.strip() == "said"
        assert [terminal for terminal, _note in notes(phux)] == [f"@{pane.id}"]
        assert "could not be processed" in notes(phux)[0][1]
        assert other.run("echo well", timeout_s=20).exit_code == 0
        assert server.log.read_text().count("RuntimeError: a fault in tracking marks") == 1
        # The next service replays the same marks.
        kill_and_wait(phux)
        assert phux.status().service_restarts == restarts + 1
        assert "could not be restored" in notes(phux)[0][1]
        assert_usable(pane, phux)
        assert other.run("echo well", timeout_s=20).exit_code == 0


LOOK_FAULT = """
from phux_core.server.shell import pane_shell
look = pane_shell.look
def faulty(*words):
    if is_on():
        raise RuntimeError("a fault in looking")
    return look(*words)
pane_shell.look = faulty
"""


def test_a_fault_in_detecting_the_state_does_not_prevent_reading(tmp_path):
    with faulty_server(tmp_path, LOOK_FAULT) as server, blocking.connect(server.socket) as phux:
        pane = open_bash(phux)
        say(pane, "BOOMING")
        server.on()
        kill_and_wait(phux)
        assert [session.name for session in phux.ls().sessions] == ["w"]
        assert phux.tree().sessions[0].windows[0].panes[0].id == pane.id
        assert "BOOMING" in pane.snapshot().text
        assert [terminal for terminal, _note in notes(phux)] == [f"@{pane.id}"]
        server.off()
        assert_usable(pane, phux)


RECORD_FAULT = """
from phux_core.server.history.pane_ledger import PaneLedger
from phux_core.server.history.pane_log import PaneLog
from phux_core.server.run.follower import RunFollower
from phux_core.server.service import Service
original = KIND.METHOD
def faulty(self, *words, **named):
    if is_on():
        raise RuntimeError("a fault in recording")
    return original(self, *words, **named)
KIND.METHOD = faulty
"""


@pytest.mark.parametrize(
    "place",
    [
        *("PaneLedger.flush", "PaneLog.catch_up", "PaneLog.update", "RunFollower.note_start"),
        *("RunFollower.pane_died", "PaneLedger.pane_died", "PaneLog.ended", "RunFollower.settle"),
        "Service._keep_checkpoint",
    ],
)
def test_a_fault_in_recording_output_or_commands_ends_no_service(tmp_path, place):
    kind, method = place.split(".")
    code = RECORD_FAULT.replace("KIND", kind).replace("METHOD", method)
    with faulty_server(tmp_path, code) as server, blocking.connect(server.socket) as phux:
        pane, ending = open_bash(phux), open_bash(phux, "ending")
        pane.run("echo before", timeout_s=20)
        server.on()
        pane.resize(71, 20)
        ending.send_keys("exit 3", "Enter")
        eventually(lambda: phux.status().dead_panes == 1)
        assert phux.status().service_restarts == 0
        kill_and_wait(phux)
        pane.resize(72, 20)
        assert phux.status().service_restarts == 1
        assert "before" in pane.snapshot().text
        assert "before" in pane.logs().content
        server.off()
        assert_usable(pane, phux)
        assert notes(phux)


# The engine

FEED_FAULT = """
from phux_core.engine.ghostty import engine as ghostty
from phux_core.engine.pyte import engine as pyte
def make_faulty(kind, method):
    original = getattr(kind, method)
    def faulty(self, *args):
        if is_on() and (method != "feed" or b"BOOM" in args[0]):
            FAULT
        return original(self, *args)
    setattr(kind, method, faulty)
for kind in KINDS:
    make_faulty(kind, "METHOD")
"""


def fault(what, method="feed", kinds="(ghostty.GhosttyEngine, pyte.PyteEngine)"):
    return FEED_FAULT.replace("FAULT", what).replace("METHOD", method).replace("KINDS", kinds)


def say(pane, text):
    """Run a command that prints a text which its command line does not contain; return the result."""
    half = len(text) // 2
    return pane.run(f"printf '%s%s\\n' {text[:half]} {text[half:]}", timeout_s=20)


@BOTH
def test_an_engine_that_raises_is_replaced_and_the_running_command_still_ends(tmp_path, engine):
    code = fault("raise RuntimeError('a fault of the engine')")
    with faulty_server(tmp_path, code, engine) as server, blocking.connect(server.socket) as phux:
        pane, other = open_bash(phux), open_bash(phux, "other")
        server.on()
        for _ in range(3):
            result = say(pane, "BOOMING")
            assert (result.exit_code, result.output.strip()) == (0, "BOOMING")
        assert [terminal for terminal, _note in notes(phux)] == [f"@{pane.id}"]
        assert phux.status().engine_notes[0].engine == "pyte"
        assert server.log.read_text().count("RuntimeError: a fault of the engine") == 1
        assert other.run("echo well", timeout_s=20).exit_code == 0
        assert phux.status().service_restarts == 0
        assert_usable(pane, phux)


@BOTH
def test_a_pane_whose_replay_raises_has_a_blank_screen_and_keeps_its_shell_and_log(tmp_path, engine):
    code = fault("raise RuntimeError('a fault of the engine')")
    with faulty_server(tmp_path, code, engine) as server, blocking.connect(server.socket) as phux:
        pane, other = open_bash(phux), open_bash(phux, "other")
        say(pane, "BOOMING")
        other.run("echo well", timeout_s=20)
        for one in (pane, other):
            one.wait(state="prompt", timeout_s=20)
        before, seq = phux.tree(), pane.snapshot().seq
        server.on()
        kill_and_wait(phux)
        assert phux.tree() == before
        screen = pane.snapshot()
        assert (screen.text.strip(), screen.seq, screen.state) == ("", seq, "prompt")
        assert "BOOMING" in pane.logs().content
        assert "well" in other.snapshot().text
        assert len(notes(phux)) == 1
        assert "could not be rebuilt" in notes(phux)[0][1]
        assert_usable(pane, phux)
        assert "could not be rebuilt" in notes(phux)[0][1]


@BOTH
def test_a_run_ends_correctly_although_its_terminal_could_not_be_rebuilt(tmp_path, engine):
    code = fault("raise RuntimeError('a fault of the engine')")
    go = tmp_path / "go"
    os.mkfifo(go)
    with faulty_server(tmp_path, code, engine) as server, blocking.connect(server.socket) as phux:
        pane = open_bash(phux)
        started = pane.start(f"printf '%s%s\\n' BOO MING; cat {go}; (exit 3)")
        pane.wait(until="BOOMING", output_only=True, timeout_s=10)
        server.on()
        kill_and_wait(phux)
        go.write_text("the rest\n")
        ended = phux.wait_command(started.command_id, timeout_s=20)
        assert ended.exit_code == 3
        assert "the rest" in pane.output(started.command_id).content


# Repeated deaths


@pytest.mark.parametrize(
    ("engine", "how", "deaths"),
    [
        ("ghostty", "os.abort()", 2),
        ("pyte", "os._exit(9)", 2),
    ],
)
def test_a_pane_that_ends_the_service_while_it_is_rebuilt_is_set_aside(tmp_path, engine, how, deaths):
    with faulty_server(tmp_path, fault(how), engine) as server, blocking.connect(server.socket) as phux:
        pane, other = open_bash(phux), open_bash(phux, "other")
        say(pane, "BOOMING")
        other.run("echo well", timeout_s=20)
        status = phux.status()
        pids, seq = [pane.info().pid, other.info().pid], pane.snapshot().seq
        server.on()
        os.kill(status.service_pid, signal.SIGKILL)
        eventually(lambda: process_gone(status.service_pid))
        with connected_again(server.socket) as again:
            assert again.status().service_restarts == 1 + deaths
            assert [again.pane(one.id).info().pid for one in (pane, other)] == pids
            screen = again.pane(pane.id).snapshot()
            assert (screen.text.strip(), screen.seq) == ("", seq)
            assert "BOOMING" in again.pane(pane.id).logs().content
            assert "well" in again.pane(other.id).snapshot().text
            assert [terminal for terminal, _note in notes(again)] == [f"@{pane.id}"]
            assert "crashed repeatedly" in notes(again)[0][1]
            assert_usable(again.pane(pane.id), again)
            assert again.status().service_restarts == 3 + deaths
        log = server.log.read_text()
        assert log.count(f"while rebuilding @{pane.id}") == deaths


def test_a_run_whose_pane_is_set_aside_fails_and_is_not_typed_again(tmp_path):
    typed = tmp_path / "typed"
    with faulty_server(tmp_path, fault("os._exit(9)")) as server, blocking.connect(server.socket) as phux:
        pane = open_bash(phux)
        say(pane, "BOOMING")
        keeper = phux.status().keeper_pid
        with blocking.connect(server.socket) as waiting:
            outcome = []

            def run():
                try:
                    outcome.append(waiting.pane(pane.id).run(f"echo x >> {typed}; sleep 1000", timeout_s=60))
                except Exception as error:  # noqa: BLE001
                    outcome.append(error)

            thread = threading.Thread(target=run)
            thread.start()
            eventually(typed.exists)
            server.on()
            kill_any_service(keeper)
            thread.join(30)
            assert not thread.is_alive()
        # BusyError if the next service knows of the pane's program, but not of the run.
        assert isinstance(outcome[0], InternalError | BusyError)
        assert typed.read_text() == "x\n"


def test_a_service_killed_from_outside_while_it_rebuilds_loses_no_screen(tmp_path):
    """The keeper does not blame the pane for kills from outside."""
    code = fault("open(SWITCH_SEEN, 'w').close(); time.sleep(60)").replace("SWITCH_SEEN", repr(str(tmp_path / "seen")))
    with faulty_server(tmp_path, "import time\n" + code) as server, blocking.connect(server.socket) as phux:
        pane = open_bash(phux)
        say(pane, "BOOMING")
        status = phux.status()
        before = pane.snapshot().text
        server.on()
        os.kill(status.service_pid, signal.SIGKILL)
        for _ in range(5):
            eventually((tmp_path / "seen").exists)
            (tmp_path / "seen").unlink()
            kill_any_service(status.keeper_pid)
        eventually((tmp_path / "seen").exists)
        server.off()
        kill_any_service(status.keeper_pid)
        assert pane.snapshot().text == before
        assert notes(phux) == []


# More than the journal holds

LARGE = f"yes {'x' * 78} | head -n 220000"  # 17.6 MB; the journal holds 16 MiB
VERSION = {
    "ghostty": "from phux_core.engine.ghostty import checkpoint as state",
    "pyte": "from phux_core.engine.pyte import state",
}


def test_a_pane_that_wrote_more_than_its_journal_holds_runs_again_after_a_crash_of_the_engine(tmp_path):
    code = fault("os.abort()", kinds="(ghostty.GhosttyEngine,)")
    with faulty_server(tmp_path, code, "ghostty") as server, blocking.connect(server.socket) as phux:
        pane = open_bash(phux)
        assert pane.run(LARGE, timeout_s=60).exit_code == 0
        server.on()
        result = say(pane, "BOOMING")
        assert (result.exit_code, result.output.strip()) == (0, "BOOMING")
        assert [note.engine for note in phux.status().engine_notes] == ["pyte"]
        assert_usable(pane, phux)


UPGRADE = """
from phux_core.server import service
adopt = service.Service._adopt
def upgraded(self, inheritance):
    if is_on():
        state._VERSION = 99
    adopt(self, inheritance)
service.Service._adopt = upgraded
"""


@BOTH
def test_a_pane_recovers_after_an_upgrade_that_cannot_read_its_checkpoint(tmp_path, engine):
    code = f"{VERSION[engine]}\n{UPGRADE}"
    with faulty_server(tmp_path, code, engine) as server, blocking.connect(server.socket) as phux:
        pane = open_bash(phux)
        assert pane.run(LARGE, timeout_s=60).exit_code == 0
        seq = pane.snapshot().seq
        server.on()
        kill_and_wait(phux)
        assert pane.snapshot().seq == seq
        assert "checkpoint could not be used" in notes(phux)[0][1]
        assert_usable(pane, phux)

"""`phux replay` in an emulated terminal: playing, keys, sizes, its end, and recordings that are gone or damaged."""

from __future__ import annotations

import re
import shutil
import signal
import termios
from pathlib import Path

import pytest

from outers import PHUX, OwnTerminal, environment
from phux_client import blocking
from servers import Cli, embedded_server, eventually, kill_service

SEGMENT = 4 * 1024 * 1024
COUNT = "for i in 1 2 3 4 5 6 7 8 9; do printf '\\033[3%dm%d\\033[m\\n' $i $i; sleep 0.05; done"


@pytest.fixture
def server():
    with embedded_server() as started:
        yield started


@pytest.fixture
def phux(server):
    with blocking.connect(server.socket) as connected:
        yield connected


@pytest.fixture
def pane(phux):
    pane = phux.new_session("work", command=["bash"], size=(80, 12)).pane
    pane.run("echo first")
    pane.run(COUNT)
    pane.run("sleep 0.05; false")
    pane.run("sleep 0.05; clear; echo last")
    return pane


def replay(socket, *words, size=(80, 13), **env):
    return OwnTerminal([PHUX, "replay", *words], environment(socket, **env), size)


def rows(screen):
    return [line.removesuffix("·" * 999).rstrip() for line in screen]


def status(terminal):
    return terminal.screen()[-1]


def test_a_replay_ends_with_the_last_screen_and_starts_again_on_a_key(server, pane):
    with replay(server.socket, "work", "--speed", "10") as terminal:
        terminal.until(lambda: status(terminal).startswith("[end]"))
        assert rows(terminal.screen())[:12] == pane.snapshot().lines
        terminal.type(" ")
        terminal.until(lambda: status(terminal).startswith("[playing 10x]"))
        terminal.shows("first")
        terminal.type("q")
        assert terminal.wait() == 0


def test_a_replay_takes_the_time_of_the_recording_divided_by_its_speed(server, pane, phux):
    first, last = (pane.snapshot(at=at).at for at in ("+0s", "-0s"))
    with replay(server.socket, "work", "--speed", "0.1") as terminal:
        terminal.shows("[playing 0.1x]")
        terminal.type("+")
        terminal.shows("[playing 0.25x]")
        terminal.type("--")
        terminal.shows("[playing 0.1x]")
    assert first < last


def test_colors_are_those_of_the_recording(server, pane):
    with replay(server.socket, "work", "--speed", "0.1") as terminal:
        terminal.shows("[playing")
        terminal.type("G")
        terminal.until(lambda: status(terminal).startswith("[end]"))
        terminal.type("p")  # to `clear`
        terminal.until(lambda: "9" in terminal.screen())
        colors = {span.text: span.style.fg for span in terminal.engine.spans(0, 12) if span.style.fg is not None}
    assert colors == {str(number): number for number in range(1, 8)}


def test_keys_pause_and_step_between_commands(server, pane):
    with replay(server.socket, "work", "--speed", "0.1") as terminal:
        terminal.shows("[playing")
        terminal.type(" ")
        terminal.until(lambda: status(terminal).startswith("[paused]"))
        assert terminal.quiet() == b""
        for command in ("echo first", "for i in", "sleep 0.05; false", "sleep 0.05; clear"):
            terminal.type("n")
            terminal.until(lambda command=command: re.match(rf"\[paused\].*\$ {command}", status(terminal)))
        assert "9" in terminal.screen()
        terminal.type("n")
        terminal.shows("there is no later command")
        for command in ("sleep 0.05; false", "for i in", "echo first"):
            terminal.type("p")
            terminal.until(lambda command=command: f"$ {command}" in status(terminal))
        terminal.until(lambda: "first" not in terminal.screen())
        terminal.type("G")
        terminal.until(lambda: status(terminal).startswith("[end]"))
        assert rows(terminal.screen())[:2] == pane.snapshot().lines[:2]
        terminal.type("g")
        terminal.until(lambda: "last" not in terminal.screen())


def test_the_keys_are_listed(server, pane):
    with replay(server.socket, "work") as terminal:
        terminal.shows("? keys")
        terminal.type("?")
        terminal.shows("go to the start of the next command")
        terminal.type("q")
        terminal.until(lambda: not any("go to the start" in line for line in terminal.screen()))
        terminal.type("q")
        assert terminal.wait() == 0


def test_long_pauses_are_shortened(server, phux):
    pane = phux.new_session("slow", command=["sh", "-c", "echo one; sleep 1000; echo two"]).pane
    pane.wait(until="one", timeout_s=20)
    directory = Path(phux.status().logs.directory, phux.status().logs.server, f"pane-{pane.id}")
    pane.kill()
    timeline = directory / "00000001.time"
    lines = timeline.read_text().splitlines()
    ms = int(re.findall(r"\d+", lines[-1])[0]) + 3_600_000  # as if it had ended an hour later
    timeline.write_text("\n".join([*lines, f'[{ms},5,"bell",{{}}]', ""]))
    with replay(server.socket, pane.selector, "--max-idle", "0.1") as terminal:
        terminal.until(lambda: status(terminal).startswith("[end]"))
        assert "1:00:00/1:00:00" in status(terminal)


def test_a_part_is_played(server, pane):
    start = next(entry for entry in pane.timeline().entries if entry.command == COUNT)
    end = next(entry for entry in pane.timeline().entries if entry.exit_code == 1)
    with replay(server.socket, "work", "--from", str(start.seq), "--to", end.at, "--speed", "100") as terminal:
        terminal.until(lambda: status(terminal).startswith("[end]"))
        assert "9" in terminal.screen()
    with replay(server.socket, "work", "--from", str(start.seq), "--to", end.at, "--speed", "0.1") as terminal:
        terminal.until(lambda: status(terminal).startswith("[playing"))
        assert "first" in terminal.screen()


@pytest.mark.parametrize("size", [(60, 13), (20, 5), (100, 30), (8, 2), (1, 1)])
def test_a_recording_fits_every_terminal(server, pane, size):
    with replay(server.socket, "work", "--speed", "100", size=size) as terminal:
        terminal.quiet()
        terminal.type("?")
        terminal.quiet()
        terminal.type("?q")
        assert terminal.wait() == 0
        assert not terminal.engine.alt_screen


def test_a_recording_that_is_wider_than_the_terminal_shows_the_part_with_the_cursor(server, phux):
    pane = phux.new_session("wide", command=["sh"], size=(100, 12), env={"PS1": ""}).pane
    pane.run("printf '%090d' 7; sleep 0.1")
    with replay(server.socket, "wide", "--from", "+0s", size=(40, 13)) as terminal:
        terminal.type("G")
        terminal.until(lambda: status(terminal).startswith("[end]"))
        terminal.resize(110, 13)
        terminal.shows("0" * 89 + "7")
        assert terminal.screen()[3].endswith("··········")
        terminal.resize(40, 8)
        terminal.until(lambda: status(terminal).startswith("[end]") and len(terminal.screen()) == 8)


def test_a_recording_with_new_sizes_shows_each(server, phux):
    pane = phux.new_session("sized", command=["bash"], size=(20, 4)).pane
    pane.run("echo small")
    pane.resize(cols=50, rows=10)
    pane.run("echo large")
    with replay(server.socket, "sized", "--speed", "100", size=(60, 13)) as terminal:
        terminal.until(lambda: status(terminal).startswith("[end]"))
        assert terminal.screen()[9].endswith("·" * 10)
        terminal.type(" ")
        terminal.type("g ")
        terminal.until(lambda: terminal.screen()[0].endswith("·" * 40))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_restores_the_terminal(server, pane, number):
    with replay(server.socket, "work", "--speed", "0.1") as terminal:
        before = termios.tcgetattr(terminal._process.fd)
        terminal.shows("[playing")
        assert terminal.engine.alt_screen
        assert not termios.tcgetattr(terminal._process.fd)[3] & termios.ECHO
        terminal.signal(number)
        assert terminal.wait() == 128 + number
        assert not terminal.engine.alt_screen
        assert terminal.engine.cursor().visible
        assert before[3] & termios.ECHO


def test_a_replay_can_be_suspended(server, pane):
    with OwnTerminal(["bash", "--norc", "-i"], environment(server.socket, PS1="here> "), (60, 13)) as terminal:
        terminal.shows("here>")
        terminal.type(f"{PHUX} replay work --speed 0.1\r")
        terminal.shows("[playing")
        terminal.type("\x1a")
        terminal.shows("Stopped")
        terminal.type("fg\r")
        terminal.shows("[playing")
        terminal.type("q")
        terminal.until(lambda: not terminal.engine.alt_screen)


def test_a_closed_pane_a_log_and_a_session_that_is_gone_are_played_with_and_without_a_server(server, phux, tmp_path):
    pane = phux.new_session("gone", command=["bash"]).pane
    pane.run("echo remembered")
    logs = phux.status().logs
    targets = (pane.selector, f"{logs.server}/{pane.id}", "gone")
    phux.new_session("other")
    pane.kill()
    shutil.copytree(logs.directory, tmp_path / "phux" / "logs")
    for target in targets:
        with replay(server.socket, target, "--speed", "100") as terminal:
            terminal.shows("remembered")
    for target in targets:
        with replay(str(tmp_path / "none.sock"), target, "--speed", "100", XDG_STATE_HOME=str(tmp_path)) as terminal:
            terminal.shows("remembered")
            terminal.type("q")
            assert terminal.wait() == 0


def test_a_replay_survives_the_death_of_the_service(server, phux, pane):
    with replay(server.socket, "work", "--speed", "0.1") as terminal:
        terminal.shows("[playing")
        kill_service(phux)
        terminal.type("G")
        terminal.until(lambda: status(terminal).startswith("[end]"), within_s=30)
        assert "last" in terminal.screen()


def test_a_recording_that_is_deleted_while_it_is_played_is_reported(server, phux, pane):
    with replay(server.socket, "work", "--speed", "0.1") as terminal:
        terminal.shows("[playing")
        directory = Path(phux.status().logs.directory, phux.status().logs.server, f"pane-{pane.id}")
        pane.kill()
        shutil.rmtree(directory)
        terminal.type("G")
        assert terminal.wait() == 1
        assert not terminal.engine.alt_screen
        assert any(line.startswith("phux: ") for line in terminal.screen())


def test_what_cannot_be_played_is_refused_with_what_can(server, phux, pane, tmp_path):
    cli = Cli(server.socket, tmp_path)
    assert "needs a terminal" in cli("replay", "work").err
    phux.new_session("quiet", command=["bash"], log=False)
    end = pane.snapshot().seq
    for words, message in (
        (("nowhere",), "nowhere"),
        (("quiet",), "is not logged"),
        (("work", "--from", str(end + 1)), f"0 to {end}"),
        (("work", "--from", "-1d"), "before the start"),
        (("work", "--from", "2020-01-01T00:00:00Z"), "use a time from"),
        (("work", "--from", "-0s", "--to", "+0s"), "after its end"),
        (("work", "--from", "yesterday"), "not a moment"),
        (("work", "--speed", "0"), "0.1 to 100"),
        (("work", "--speed", "fast"), "0.1 to 100"),
        (("work", "--max-idle", "-1"), "max-idle"),
    ):
        with replay(server.socket, *words, size=(200, 13)) as terminal:
            terminal.shows(message)
            assert terminal.wait() in {1, 2}
            assert not terminal.engine.alt_screen


def test_a_log_without_times_is_refused(server, phux, pane):
    directory = Path(phux.status().logs.directory, phux.status().logs.server, f"pane-{pane.id}")
    pane.kill()
    for path in directory.glob("*.time"):
        path.unlink()
    with replay(server.socket, pane.selector, size=(200, 13)) as terminal:
        terminal.shows("it has no times")
        assert terminal.wait() == 1


def test_output_that_is_missing_is_skipped(server, phux):
    pane = phux.new_session("big", command=["bash"]).pane
    pane.run("seq 3000000", timeout_s=60)
    pane.run("clear; echo after")
    directory = Path(phux.status().logs.directory, phux.status().logs.server, f"pane-{pane.id}")
    eventually(lambda: any(int(path.stem) >= 2 * SEGMENT for path in directory.glob("*.screen")))
    pane.kill()
    segments = sorted(directory.glob("*.log"))
    segments[1].unlink()
    with replay(server.socket, pane.selector, "--speed", "100") as terminal:
        terminal.until(lambda: status(terminal).startswith("[end]"), within_s=30)
        assert "after" in terminal.screen()
    segments[0].unlink()  # now the log begins later
    with replay(server.socket, pane.selector, "--speed", "100") as terminal:
        terminal.until(lambda: status(terminal).startswith("[end]"), within_s=30)
        assert "after" in terminal.screen()

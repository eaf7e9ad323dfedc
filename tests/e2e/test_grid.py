"""`phux watch --grid` in an emulated terminal: tiles, their order, keys, sizes, restarts and its end."""

from __future__ import annotations

import os
import signal
import termios

import pytest

from outers import PHUX, OwnTerminal, environment
from phux_client import blocking
from servers import Cli, embedded_server, kill_service

SIZE = (100, 31)


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
    return phux.new_session("work", command=["sh"], size=(60, 12), env={"PS1": "$ "}).pane


def grid(socket, size=SIZE, **env):
    return OwnTerminal([PHUX, "watch", "--grid"], environment(socket, **env), size)


def heading(terminal, name):
    """Return the upper edge of a tile."""
    return next((line[line.index(f" {name}") :] for line in terminal.screen() if f" {name}" in line), "")


def order(terminal, *names):
    """Return the sessions in the order of their tiles."""
    text = "\n".join(terminal.screen())
    return sorted((name for name in names if f" {name}:0.0 " in text), key=lambda name: text.index(f" {name}:0.0 "))


def spans(terminal):
    terminal.pump()
    return terminal.engine.spans(0, terminal.engine.rows)


def sizes(phux):
    windows = [window for session in phux.tree().sessions for window in session.windows]
    return [(window.cols, window.rows) for window in windows], [one.attached_clients for one in phux.tree().sessions]


def test_tiles_show_live_rows_and_nothing_is_attached_or_resized(server, phux, pane):
    other = phux.new_session("other", command=["sh"], size=(200, 50)).pane
    before = sizes(phux)
    with grid(server.socket) as terminal:
        terminal.until(lambda: heading(terminal, "work:0.0 sh") and heading(terminal, "other:0.0 sh"))
        pane.run("echo hello from work; false")
        other.run("printf '\\033[31mred\\033[m\\n'")
        terminal.shows("hello from work")
        terminal.shows("exit 1")
        terminal.shows("exit 0")
        terminal.until(lambda: any(span.text.startswith("red") and span.style.fg == 1 for span in spans(terminal)))
        terminal.resize(60, 20)
        terminal.until(lambda: "2 panes" in terminal.screen()[-1])
        assert sizes(phux) == before
        terminal.type("q")
        assert terminal.wait() == 0
        assert not terminal.engine.alt_screen
        assert terminal.engine.cursor().visible


def test_panes_that_await_input_come_first_and_then_running_ones(server, phux, pane):
    names = ("work", "busy", "asks", "secret")
    busy, asks, secret = (phux.new_session(name, command=["bash"]).pane for name in names[1:])
    with grid(server.socket) as terminal:
        terminal.until(lambda: len(order(terminal, *names)) == 4)
        busy.start("sleep 1000")
        terminal.until(lambda: order(terminal, *names)[0] == "busy")
        secret.send_keys("read -s -p 'Password: ' x", "Enter")
        terminal.until(lambda: order(terminal, *names)[:2] == ["secret", "busy"])
        asks.send_keys("read -p 'Sure? ' x", "Enter")
        terminal.until(lambda: order(terminal, *names)[:3] == ["asks", "secret", "busy"])
        terminal.until(lambda: "awaiting secret" in heading(terminal, "secret:0.0"))
        assert "2 awaiting" in terminal.screen()[-1]
        terminal.until(lambda: "busy:0.0 sleep" in "".join(terminal.screen()))
        secret.send_keys("hidden", "Enter")
        asks.send_keys("no", "Enter")
        busy.stop()
        terminal.until(lambda: order(terminal, *names) == ["work", "busy", "asks", "secret"])
        assert "hidden" not in "".join(terminal.screen())


def test_panes_come_and_go(server, phux, pane):
    with grid(server.socket) as terminal:
        terminal.until(lambda: heading(terminal, "work:0.0"))
        right = pane.split("right", command=["sh"])
        terminal.until(lambda: heading(terminal, "work:0.1"))
        ended = phux.new_session("ended", command=["sh", "-c", "echo last words; exit 3"]).pane
        terminal.until(lambda: "exited 3" in heading(terminal, "ended:0.0"))
        terminal.shows("last words")
        right.kill()
        terminal.until(lambda: not heading(terminal, "work:0.1"))
        phux.session("ended").rename("renamed")
        terminal.until(lambda: heading(terminal, "renamed:0.0"))
        ended.kill()
        terminal.until(lambda: not heading(terminal, "renamed:0.0"))


def test_keys_select_list_and_quit(server, phux):
    for number in range(6):
        phux.new_session(f"s{number}", command=["sh"])
    with grid(server.socket, (60, 16)) as terminal:
        terminal.until(lambda: "┏━ s0:0.0" in "\n".join(terminal.screen()))
        terminal.type("l")
        terminal.until(lambda: "┏━ s1:0.0" in "\n".join(terminal.screen()))
        terminal.type("\x1b[B")
        terminal.until(lambda: "┏━ s3:0.0" in "\n".join(terminal.screen()))
        terminal.type("G")
        terminal.until(lambda: "┏━ s5:0.0" in "\n".join(terminal.screen()))
        terminal.type("\t")
        terminal.shows("no pane awaits input")
        terminal.type("?")
        terminal.shows("attach to its session")
        terminal.type("q")
        terminal.until(lambda: "attach to its session" not in "".join(terminal.screen()))
        terminal.type("\x1b")
        assert terminal.wait() == 0


def test_enter_attaches_to_the_session_and_detaching_comes_back(server, phux, pane):
    phux.new_session("other", command=["sh"])
    with grid(server.socket) as terminal:
        terminal.until(lambda: "┏━ work:0.0" in "\n".join(terminal.screen()))
        terminal.type("l")
        terminal.until(lambda: "┏━ other:0.0" in "\n".join(terminal.screen()))
        terminal.type("\r")
        terminal.shows("[other]")
        terminal.type("echo $((6 * 7))\r")
        terminal.shows("42")
        terminal.type("\x01d")
        terminal.until(lambda: "┏━ other:0.0" in "\n".join(terminal.screen()))
        terminal.shows("detached")
        pane.run("echo still live")
        terminal.shows("still live")
        terminal.type("\r")
        terminal.shows("[other]")
        terminal.signal(signal.SIGTERM)
        assert terminal.wait() == 128 + signal.SIGTERM
        assert not terminal.engine.alt_screen


def test_inside_a_pane_enter_explains_why_it_cannot_attach(server, phux, pane):
    with grid(server.socket, PHUX_PANE=pane.selector) as terminal:
        terminal.until(lambda: heading(terminal, "work:0.0"))
        terminal.type("\r")
        terminal.shows("already a pane")
        terminal.type("q")
        assert terminal.wait() == 0


def test_a_grid_survives_a_restart_of_the_service(server, phux, pane):
    with grid(server.socket) as terminal:
        terminal.until(lambda: heading(terminal, "work:0.0"))
        for number in range(2):
            kill_service(phux)
            pane.run(f"echo again {number}")
            terminal.shows(f"again {number}", within_s=30)
        terminal.until(lambda: "1 pane" in terminal.screen()[-1])


def test_the_end_of_the_server_restores_the_terminal(server, phux, pane):
    with grid(server.socket) as terminal:
        terminal.until(lambda: heading(terminal, "work:0.0"))
        os.kill(phux.status().keeper_pid, signal.SIGKILL)
        assert terminal.wait() == 1
        assert not terminal.engine.alt_screen
        assert any("phux: the server has stopped" in line for line in terminal.screen())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_restores_the_terminal(server, phux, pane, number):
    with grid(server.socket) as terminal:
        terminal.until(lambda: heading(terminal, "work:0.0"))
        assert not termios.tcgetattr(terminal._process.fd)[3] & termios.ECHO
        terminal.signal(number)
        assert terminal.wait() == 128 + number
        assert not terminal.engine.alt_screen
        assert termios.tcgetattr(terminal._process.fd)[3] & termios.ECHO


@pytest.mark.parametrize("size", [(40, 12), (20, 4), (1, 1), (300, 90)])
def test_a_grid_fits_every_terminal(server, phux, pane, size):
    for number in range(3):
        phux.new_session(f"s{number}", command=["sh"])
    with grid(server.socket, size) as terminal:
        terminal.quiet()
        terminal.type("?")
        terminal.quiet()
        terminal.resize(size[1] + 20, size[0])
        terminal.type("?")
        terminal.until(lambda: "4 panes" in terminal.screen()[-1] or size[1] < 12)
        terminal.type("q")
        assert terminal.wait() == 0


def test_hostile_titles_and_output_stay_in_their_tile(server, phux, pane):
    hostile = phux.new_session("hostile", command=["sh"], size=(200, 12), env={"PS1": "$ "}).pane
    hostile.send_keys(r"printf '\033]2;\033\\\033]2;a\302\233\342\200\256title👩‍👩‍👧%0200d\007' 1", "Enter")
    hostile.send_keys(r"printf '\033[2J\033[H%0400d\033[12;200H#\033]0;x\007' 7", "Enter")
    with grid(server.socket, (80, 24)) as terminal:
        terminal.shows("0000000000")
        pane.run("echo unharmed")
        terminal.shows("unharmed")
        screen = terminal.screen()
        top = next(y for y, line in enumerate(screen) if "hostile:0.0" in line)
        left = screen[top].index("hostile:0.0") > 40
        edges = {(line[40:] if left else line[:40])[0] for line in screen[top + 1 : top + 8]}
        assert edges <= set("│┃")
        assert b"\x07" not in terminal.raw
        assert "\u202e" not in "".join(screen)


def test_many_busy_panes_cost_little_and_keys_stay_responsive(server, phux):
    for number in range(50):
        pane = phux.new_session(f"s{number}", command=["sh"]).pane
        if number < 10:
            pane.send_keys("while :; do echo $((n += 1)); done", "Enter")
    with grid(server.socket, (160, 50)) as terminal:
        terminal.until(lambda: "50 panes" in terminal.screen()[-1], within_s=30)
        terminal.until(lambda: "┏━ s0:0.0" in "\n".join(terminal.screen()))
        before = len(terminal.raw)
        for number in range(1, 6):
            terminal.type("l")
            terminal.until(lambda number=number: f"┏━ s{number}:0.0" in "\n".join(terminal.screen()))
        assert len(terminal.raw) - before < 2_000_000
        assert phux.status(), "the service answers"


def test_wrong_uses_are_refused(server, phux, pane, tmp_path):
    cli = Cli(server.socket, tmp_path)
    assert "needs a terminal" in cli("watch", "--grid").err
    for more in (("work",), ("--until", "idle"), ("--timeout", "1"), ("--json",)):
        refused = cli("watch", "--grid", *more)
        assert (refused.code, "leave out" in refused.err) == (2, True)
    with grid(str(tmp_path / "none.sock")) as terminal:
        assert terminal.wait() == 1
        assert any("no server is running" in line for line in terminal.screen())
        assert not terminal.engine.alt_screen

"""A wait for ``fullscreen``, and ``act``, return the completely drawn screen, even on a busy machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time

import pytest

from servers import Cli

ROWS = 24


@pytest.fixture(scope="module", autouse=True)
def _busy_machine():
    """Run three busy loops, so that programs are interrupted while they draw."""
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    yield
    for hog in hogs:
        hog.kill()
        hog.wait()


@pytest.fixture(params=["bash", "dash"])
def pane(request, open_shell, tmp_path):
    (tmp_path / "text").write_text("".join(f"line {number}\n" for number in range(500)))
    pane = open_shell(request.param)
    pane.wait(state="prompt", timeout_s=20)
    return pane


# The command line, a check that the screen is drawn, and the keys that end the program.
PROGRAMS = {
    "vim": ("vim -u NONE -N", lambda rows: sum(row.startswith("~") for row in rows) >= ROWS - 3, [":q!", "Enter"]),
    "less": ("less text", lambda rows: rows[0] == "line 0" and rows[ROWS - 2] == "line 22", ["q"]),
    "htop": ("htop", lambda rows: "F10" in rows[ROWS - 1] and any("PID" in row for row in rows), ["q"]),
    "fzf": ("fzf <text", lambda rows: any("500/500" in row for row in rows) and "  line 5" in rows, ["C-c"]),
    "nano": ("nano -R text", lambda rows: "line 0" in rows and "Exit" in rows[ROWS - 1], ["C-x"]),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_wait_for_fullscreen_returns_the_drawn_screen(pane, program):
    line, is_painted, leave = PROGRAMS[program]
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    for turn in range(6):
        if turn % 3 == 2:
            acted = pane.act(line, "Enter", state="fullscreen", timeout_s=20)
            changed = {row.row: row.text for row in acted.changed}
            rows = [changed.get(row, "") for row in range(ROWS)]
        else:
            more = {"until": "never seen"} if turn % 3 else {}
            pane.send_keys(line, "Enter")
            rows = pane.wait(state="fullscreen", timeout_s=20, **more).lines
        assert is_painted(rows), rows
        assert pane.act(*leave, state="prompt", timeout_s=20).outcome == "met"


def test_act_returns_all_rows_redrawn_after_keys(pane):
    assert pane.act("vim -u NONE -N text", "Enter", state="fullscreen", timeout_s=20).outcome == "met"
    for target in (100, 300, 200):
        acted = pane.act(f"{target}Gzt", regex=f"line {target - 1}$", timeout_s=20)
        rows = {row.row: row.text for row in acted.changed}
        assert [rows[row] for row in range(ROWS - 1)] == [f"line {target - 1 + row}" for row in range(ROWS - 1)]
    pane.act(":q!", "Enter", state="prompt", timeout_s=20)


def test_the_cli_returns_the_drawn_screen(pane, server, tmp_path):
    cli = Cli(server.socket, tmp_path)
    pane.send_keys("less text", "Enter")
    screen = cli.json("wait", pane.selector, "--state", "fullscreen", "--timeout", "20")
    assert screen["lines"][ROWS - 2] == "line 22"
    pane.act("q", state="prompt", timeout_s=20)


@pytest.mark.parametrize(
    "line",
    [
        r"printf '\033[?1049h'; while :; do printf x; done",
        r"printf '\033[?1049h'; sleep 60",
        r"printf '\033[?1049h'; yes",
    ],
    ids=["writes slowly", "is silent", "floods"],
)
def test_a_program_that_never_draws_its_screen_does_not_block_the_wait(pane, line):
    pane.send_keys(line, "Enter")
    assert pane.wait(state="fullscreen", timeout_s=20).met == "state"
    started = time.monotonic()
    assert pane.wait(state="fullscreen", timeout_s=20).met == "state"
    assert time.monotonic() - started < 5
    pane.send_keys("C-c")


def test_an_alternate_screen_left_before_it_was_drawn_does_not_end_the_wait(pane):
    # The first command leaves its alternate screen before the time allowed for drawing expires.
    first, second = r"printf '\033[?1049h'; sleep 0.1; printf '\033[?1049l'", r"printf '\033[?1049h\033[Hword'; cat"
    pane.send_keys(f"{first}; sleep 0.3; {second}", "Enter")
    assert pane.wait(state="fullscreen", timeout_s=20).lines[0] == "word"

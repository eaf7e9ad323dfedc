"""Every screen is restored exactly after the service was killed, and continues."""

from __future__ import annotations

import time

import pytest

from phux_client import blocking
from phux_core.keeper import journal
from servers import embedded_server, kill_service


@pytest.fixture(params=["ghostty", "pyte"])
def phux(request):
    with embedded_server(engine=request.param) as server, blocking.connect(server.socket) as phux:
        yield phux


def picture(pane):
    return pane.snapshot(scrollback=0, cells=True)


def test_screens_histories_titles_and_modes_are_restored(phux):
    script = (
        r"printf '\033]2;my title\007'; seq 1 300; printf '\033[1;31mred\033[m 漢字\033[?2004h\033[5;10H'; exec cat"
    )
    work = phux.new_session("work", command=["sh", "-c", script]).pane
    work.wait(until="red", timeout_s=10)
    full = phux.new_session("full", command=["vim", "-u", "NONE", "-n", "/etc/passwd"], size=(100, 30)).pane
    full.wait(until="root:", timeout_s=10)
    full.wait(idle_ms=200)
    dead = phux.new_session("dead", command=["sh", "-c", "seq 1 50; exit 3"]).pane
    dead.wait(exit=True, timeout_s=10)
    before = [picture(pane) for pane in (work, full, dead)]
    assert before[0].title == "my title"
    assert before[1].alt_screen
    kill_service(phux)
    assert [picture(pane) for pane in (work, full, dead)] == before
    assert work.paste("x") == len("\033[200~x\033[201~")
    full.send_keys(":q!", "Enter")
    full.wait(exit=True, timeout_s=10)


def test_an_escape_sequence_cut_by_a_service_death_is_completed_by_the_next_service(phux):
    script = r"printf 'a\033[3'; read go; printf '1mb\342'; read go; printf '\202\254'; exec cat"
    pane = phux.new_session("cut", command=["sh", "-c", "stty -echo; " + script]).pane
    pane.wait(until="a", timeout_s=10)
    kill_service(phux)
    pane.send_keys("Enter")
    pane.wait(until="ab", timeout_s=10)
    kill_service(phux)
    pane.send_keys("Enter")
    screen = pane.wait(until="ab€", timeout_s=10)
    assert screen.lines[0] == "ab€"
    cells = pane.snapshot(cells=True).cells
    assert [(cell.col, cell.style.fg.index) for cell in cells] == [(1, 1), (2, 1)]


def test_output_beyond_the_journal_is_in_the_checkpoint(phux):
    lines = journal.SIZE // 100 + 20_000
    pane = phux.new_session(
        "flood", command=["sh", "-c", f"yes {'x' * 90} | head -n {lines} | cat -n; echo end; exec cat"]
    ).pane
    pane.wait(until="end", timeout_s=60)
    pane.wait(state="awaiting_input", timeout_s=10)
    before = picture(pane)
    assert before.seq > journal.SIZE
    assert len(before.scrollback) == 10_000
    kill_service(phux)
    assert picture(pane) == before


def test_no_output_is_lost_while_the_service_is_killed_repeatedly(phux):

    script = "i=0; while [ $i -lt 4000 ]; do echo line-$i-; i=$((i+1)); done; echo all''-written; exec cat"
    pane = phux.new_session("lines", command=["sh", "-c", script]).pane
    for _ in range(3):
        kill_service(phux)
        time.sleep(0.05)
    screen = pane.wait(until="all-written", timeout_s=60)
    rows = [*pane.snapshot(scrollback=0).scrollback, *screen.lines]
    assert [row for row in rows if row.startswith("line-")] == [f"line-{number}-" for number in range(4000)]

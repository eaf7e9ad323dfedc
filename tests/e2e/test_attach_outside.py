"""tmux and another phux show the same screen around `phux attach` as the panes inside."""

from __future__ import annotations

import os
import shutil
import signal

import pytest

from outers import PHUX, PhuxTerminal, TmuxTerminal, agree, environment, patient
from phux_client.blocking import Phux
from servers import embedded_server, eventually, process_gone

OUTERS = [
    pytest.param(TmuxTerminal, id="tmux", marks=pytest.mark.skipif(shutil.which("tmux") is None, reason="no tmux")),
    pytest.param(PhuxTerminal, id="phux"),
]
WIDE = "語" * 30


@pytest.fixture
def phux():
    with embedded_server("ghostty") as server, Phux(server.socket) as client:
        client.new_session("work", command=["sh"], env={"LANG": "C.UTF-8"}, size=(80, 23))
        yield client


def outer_of(kind, phux, home, size=(80, 24), words="attach work"):
    return kind(home, f"{PHUX} {words}; echo left=$?; exec cat", environment(phux.socket), size)


def shown(outer, text):
    eventually(lambda: any(text in line for line in outer.screen()))


@pytest.mark.parametrize("kind", OUTERS)
def test_the_outer_terminal_shows_splits_sizes_and_wide_glyphs_unchanged(kind, phux, tmp_path):
    size = (80, 24)
    with outer_of(kind, phux, tmp_path, size) as outer:
        shown(outer, "[work]")
        outer.keys("echo hello", "Enter")
        agree(outer, phux, "work", size)
        outer.keys("C-a", "%")
        eventually(lambda: len(phux.tree().sessions[0].windows[0].panes) == 2)
        outer.keys(f"echo {WIDE}{WIDE}", "Enter")
        agree(outer, phux, "work", size)
        outer.keys("C-a", '"')
        eventually(lambda: len(phux.tree().sessions[0].windows[0].panes) == 3)
        outer.keys(f"echo x{WIDE}", "Enter")
        agree(outer, phux, "work", size)
        for size in ((200, 50), (20, 10), (61, 21)):
            outer.resize(*size)
            eventually(lambda size=size: phux.tree().sessions[0].windows[0].cols == size[0])
            agree(outer, phux, "work", size)
        outer.keys("C-a", "z")
        shown(outer, "*Z")
        agree(outer, phux, "work", size)


@pytest.mark.parametrize("kind", OUTERS)
def test_grapheme_clusters_do_not_shift_other_columns(kind, phux, tmp_path):
    size = (80, 24)
    text = tmp_path / "text"
    text.write_text("A 👩\u200d👩\u200d👧 B end\nA ❤\ufe0f B\nA👍\u200dB\nA 1\ufe0f\u20e3 B e\u0301 語 C\n")
    with outer_of(kind, phux, tmp_path, size) as outer:
        shown(outer, "[work]")
        outer.keys("C-a", "%")
        eventually(lambda: len(phux.tree().sessions[0].windows[0].panes) == 2)
        outer.keys(f"yes xxxxxxxxxxxxxxxx | head -40; clear; cat {text}", "Enter")
        shown(outer, "B end")
        agree(outer, phux, "work", size)


@pytest.mark.parametrize("kind", OUTERS)
@pytest.mark.skipif(shutil.which("vim") is None or shutil.which("htop") is None, reason="no vim or htop")
def test_the_outer_terminal_shows_vim_and_htop_unchanged(kind, phux, tmp_path):
    size = (100, 30)
    (tmp_path / "text").write_text("\n".join(f"line {number} 語 é" for number in range(100)) + "\n")
    with outer_of(kind, phux, tmp_path, size) as outer:
        shown(outer, "[work]")
        # A long name would fill vim's last line, and vim would ask for Enter.
        outer.keys(f"cd {tmp_path}; clear; vim -u NONE text", "Enter")
        shown(outer, "line 3 語 é")
        outer.keys("C-a", "%")
        eventually(lambda: len(phux.tree().sessions[0].windows[0].panes) == 2)
        outer.keys("htop -d 100", "Enter")
        shown(outer, "F1Help")
        agree(outer, phux, "work", size)
        outer.keys("C-a", "h")
        outer.keys("G")
        shown(outer, "line 99 語 é")
        agree(outer, phux, "work", size)
        outer.resize(70, 20)
        eventually(lambda: phux.tree().sessions[0].windows[0].cols == 70)
        agree(outer, phux, "work", (70, 20))
        outer.keys(":q!", "Enter", "C-a", "l", "q")


@pytest.mark.parametrize("kind", OUTERS)
def test_detaching_and_attaching_again_shows_the_same_screen(kind, phux, tmp_path):
    size = (80, 24)
    back = tmp_path / "back"
    script = f"{PHUX} attach work; until [ -e {back} ]; do sleep 0.05; done; {PHUX} attach work; echo left=$?; exec cat"
    with kind(tmp_path, script, environment(phux.socket), size) as outer:
        shown(outer, "[work]")
        outer.keys("echo kept", "Enter", "C-a", "%")
        eventually(lambda: len(phux.tree().sessions[0].windows[0].panes) == 2)
        agree(outer, phux, "work", size)
        before = outer.screen()[:-1]
        outer.keys("C-a", "d")
        shown(outer, "detached")
        back.touch()
        shown(outer, "[work]")
        agree(outer, phux, "work", size)
        assert outer.screen()[:-1] == before
        outer.keys("C-a", "d")
        shown(outer, "left=0")
        assert not any("kept" in line for line in outer.screen())  # attach has left the alternate screen


@pytest.mark.parametrize("kind", OUTERS)
def test_attach_recovers_from_a_service_death(kind, phux, tmp_path):
    size = (80, 24)
    script = f"PYTHONPATH={patient(tmp_path)['PYTHONPATH']} {PHUX} attach work"
    with kind(tmp_path, script, environment(phux.socket), size) as outer:
        shown(outer, "[work]")
        outer.keys("C-a", "%")
        outer.keys("echo before", "Enter")
        shown(outer, "before")
        service = phux.status().service_pid
        os.kill(service, signal.SIGKILL)
        eventually(lambda: process_gone(service))
        outer.keys("echo after", "Enter")
        eventually(lambda: sum("after" in line for line in outer.screen()) == 2, within_s=15)
        agree(outer, phux, "work", size)
        assert outer.cursor()[1] == phux.pane("work").snapshot().cursor.y

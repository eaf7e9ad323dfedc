"""A new service answers before it has rebuilt every screen, and yet every read is exact."""

from __future__ import annotations

import threading

import pytest

from faults import faulty_server
from phux_client import blocking
from servers import eventually, kill_service

# Rebuilding a pane that shows SLOW takes a while, and is counted.
SLOW = """
import time
from phux_core.engine.NAME import engine as module
def slow(feed):
    def fed(self, data):
        if b"SLOW" in data and is_on():
            with open(COUNT, "a") as file:
                file.write("x")
            time.sleep(0.3)
        return feed(self, data)
    return fed
for kind in vars(module).values():
    if isinstance(kind, type) and kind.__module__ == module.__name__ and hasattr(kind, "feed"):
        kind.feed = slow(kind.feed)
"""
PANES = 6


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
def test_the_first_reply_comes_before_all_screens_are_rebuilt_and_every_read_is_exact(tmp_path, engine):
    count = tmp_path / "count"
    count.touch()
    code = SLOW.replace("NAME", engine).replace("COUNT", repr(str(count)))
    with faulty_server(tmp_path, code, engine) as server, blocking.connect(server.socket) as phux:
        script = r"printf '\033]2;title %s\007SLOW\033[1;31mred\033[m\n' $0; seq 1 100; exec cat"
        panes = [phux.new_session(command=["sh", "-c", script, str(n)]).pane for n in range(PANES)]
        full = phux.new_session(command=["sh", "-c", r"printf '\033[?1049h\033[?2004hSLOW'; exec cat"]).pane
        for pane in (*panes, full):
            pane.wait(state="awaiting_input" if pane in panes else "fullscreen", timeout_s=20)
            pane.wait(idle_ms=100, timeout_s=20)
        tree = phux.tree()
        before = [pane.snapshot(scrollback=0, cells=True) for pane in (*panes, full)]
        server.on()
        kill_service(phux)
        assert phux.tree() == tree
        assert len(count.read_text()) <= 2, "the tree needs no screen"
        assert full.snapshot(scrollback=0, cells=True) == before[-1]
        assert len(count.read_text()) < PANES
        assert full.paste("x") == len("\033[200~x\033[201~")
        assert [pane.snapshot(scrollback=0, cells=True) for pane in reversed(panes)] == before[-2::-1]
        # A terminal that is written to continues where it was, also if nobody has read it before.
        kill_service(phux)
        for pane in panes:
            pane.send_keys("m", "Enter")
        for pane, old in zip(panes, before, strict=False):
            screen = eventually(lambda pane=pane: (now := pane.snapshot(scrollback=0)).text.count("m") == 2 and now)
            assert screen.title == old.title
            whole = [row.rstrip() for row in (*old.scrollback, *old.lines) if row]
            assert [row for row in (*screen.scrollback, *screen.lines) if row] == [*whole, "m", "m"]
        eventually(lambda: len(count.read_text()) >= 2 * PANES)


def test_waits_and_runs_continue_in_panes_that_are_not_rebuilt_yet(tmp_path):
    (tmp_path / "count").touch()
    code = SLOW.replace("NAME", "pyte").replace("COUNT", repr(str(tmp_path / "count")))
    with faulty_server(tmp_path, code) as server, blocking.connect(server.socket) as phux:
        panes = [phux.new_session(command=["bash", "--norc"]).pane for _ in range(3)]
        for pane in panes:
            pane.run("echo SL''OW", timeout_s=20)
        with blocking.connect(server.socket) as other:
            results = []
            run = threading.Thread(
                target=lambda: results.append(other.pane(panes[-1].id).run(f"cat {tmp_path}/go", timeout_s=60))
            )
            waited = threading.Thread(
                target=lambda: results.append(phux.pane(panes[1].id).wait(until="the text", timeout_s=60))
            )
            eventually(lambda: phux.pane(panes[-1].id).info().state == "prompt")
            (tmp_path / "go").write_text("done\n")
            server.on()
            waited.start()
            run.start()
            with blocking.connect(server.socket) as third:
                kill_service(third)
                third.pane(panes[1].id).send_keys("echo the' 'text", "Enter")
            run.join(60)
            waited.join(60)
        kinds = {type(result).__name__: result for result in results}
        assert kinds["RunResult"].output == "done"
        assert "the text" in kinds["Waited"].text

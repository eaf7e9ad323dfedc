"""The live view with slow browsers and many panes: frames are bounded, and hidden tiles cost nothing."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from phux_client.web.tiles import TILE_S
from servers import embedded_server, eventually
from web_pages import web_server

# Much more output than frames, without keeping the machine busy.
FLOOD = """
import itertools, time
for number in itertools.count():
    print(number, flush=True)
    time.sleep(0.002)
"""


@pytest.fixture(scope="module")
def web(server):
    with web_server(server.socket) as web:
        yield web


@pytest.fixture
def floods(phux):
    sessions = [phux.new_session(command=[sys.executable, "-c", FLOOD]) for _ in range(5)]
    for session in sessions:
        session.pane.wait(until="100", timeout_s=20)
    yield [session.pane for session in sessions]
    for session in sessions:
        session.kill()


def numbers(frame):
    last = frame["cursor"][1]  # this row may have a part of a number
    texts = ("".join("".join(run[2]) for run in runs) for y, runs in frame["rows"] if y < last)
    return [int(text) for text in texts if text.strip().isdecimal()]


def test_a_browser_that_draws_nothing_gets_one_frame_of_each_pane(web, floods):
    shown = [pane.id for pane in floods]
    with web.live() as live:
        live.send(show=shown)
        live.until(lambda: set(live.frames) == set(shown))
        live.quiet()
        assert {pane: len(frames) for pane, frames in live.frames.items()} == dict.fromkeys(shown, 1)
        slow = shown[0]
        before = max(numbers(live.frames[slow][0]))
        live.send(drawn=[slow])
        live.until(lambda: len(live.frames[slow]) == 2)
        # The next frame has the newest screen, and nothing of what was written in between.
        assert min(numbers(live.frames[slow][1])) > before
        assert len(live.frames[slow][1]["rows"]) <= 24


def test_frames_of_a_tile_are_paced(web, floods):
    pane = floods[0].id
    with web.live() as live:
        live.send(show=[pane])
        began = time.monotonic()
        while time.monotonic() < began + 2 or len(live.frames[pane]) < 2:
            if "frame" in live.receive():
                live.send(drawn=[pane])
        assert len(live.frames[pane]) <= 1 + (time.monotonic() - began) / TILE_S


def test_the_open_pane_is_shown_faster_than_tiles_and_other_panes_are_not_sent(web, floods):
    tile, opened = floods[0].id, floods[1].id
    with web.live() as live:
        live.send(show=[tile], open=opened)
        until = time.monotonic() + 2
        while time.monotonic() < until:
            message = live.receive()
            if "frame" in message:
                live.send(drawn=[message["frame"]])
        assert set(live.frames) == {tile, opened}
        assert len(live.frames[opened]) > 2 * len(live.frames[tile])


def test_panes_that_are_not_shown_cost_nothing(web, floods):
    with web.live() as live:
        live.send(show=[floods[0].id])
        live.until(lambda: live.frames)
        live.send(show=[])
        live.quiet()
        live.frames.clear()
        live.quiet()
        assert not live.frames
        spent = cpu_s(web.pid)
        live.quiet(1.5)
        assert cpu_s(web.pid) - spent < 0.5


def cpu_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def memory_kib(pid):
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def test_a_browser_that_does_not_read_uses_bounded_memory_and_delays_no_other(web, phux, floods):
    source = phux.new_session(command=["sh", "-c", "seq 1 200000; cat"]).pane
    source.wait(until="199999", timeout_s=60)
    before = memory_kib(web.pid)
    with web.live() as slow, web.live() as quick:
        slow.until(lambda: slow.server == "up")
        quick.until(lambda: quick.server == "up")
        assert "ok" in slow.ask("freeze", pane=source.id)
        slow.socket.socket.setblocking(False)
        for number in range(1000, 3000):
            try:
                slow.send(ask=number, do="rows", first=0, count=1000)
            except (BlockingIOError, OSError):
                break
        began = time.monotonic()
        for _ in range(20):
            assert "ok" in quick.ask("commands", pane=source.id)
        assert time.monotonic() - began < 10
        assert memory_kib(web.pid) - before < 200 * 1024
        slow.socket.socket.close()


def test_several_hundred_panes_are_listed_and_only_shown_ones_are_sent():
    with embedded_server() as server, web_server(server.socket) as web:
        from phux_client import blocking

        with blocking.Phux(server.socket) as phux:
            session = phux.new_session("many", command=["cat"])
            for _ in range(299):
                session.new_window(command=["cat"])
            with web.live() as live:
                live.until(lambda: len(live.panes) == 300)
                assert len(live.order) == 300
                shown = live.order[:12]
                live.send(show=shown)
                live.until(lambda: set(live.frames) == set(shown))
                live.send(drawn=shown)
                live.quiet()
                assert set(live.frames) == set(shown)
                # A new pane is a small message, and not the whole list.
                made = session.new_window(command=["cat"])
                while len((message := live.receive()).get("order", ())) < 301:
                    pass
                assert len(message["panes"]) < 30, made
            eventually(lambda: memory_kib(web.pid) < 300 * 1024)

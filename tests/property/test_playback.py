"""A screen that is rebuilt from a log and its timeline equals the screen that was shown at that moment."""

from __future__ import annotations

import asyncio
import itertools
import shutil
import time
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pane_output import write_journal

from phux_client.replay.film import frames_of
from phux_core import engine as engines
from phux_core.keeper import journal as journals
from phux_core.keeper.journal import Journal
from phux_core.logs import film
from phux_core.logs.places import LogId
from phux_core.logs.playback import Playback
from phux_core.logs.stored import Stored
from phux_core.logs.timeline import Timeline
from phux_core.logs.writing import LogWriter
from phux_core.server.history import pane_timeline
from phux_core.server.history.pane_log import PaneLog

LOG = LogId("20260101T000000Z-1-abcd", 3)
every_engine = pytest.mark.parametrize("name", engines.ENGINES)
EXAMPLES = settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
_PIECES = st.sampled_from(
    [
        b"text\r\n",
        b"a line that is long enough to be wrapped in each of the sizes of this test, which are narrow\r\n",
        "日本語 e\u0301 👩\u200d👩\u200d👧".encode(),
        b"\x1b[31;1mred\x1b[0m \x1b[4:3;58:5:9mcurly\x1b[m\r\n",
        b"\x1b[?1049h\x1b[2J\x1b[3;4Hfull",
        b"\x1b[?1049l",
        b"\x1b[2;4r\x1b[4;1H\n\n\x1b[r",
        b"\x1b]2;title\x07",
        b"\x1b]7748;cafe;1;A",  # a mark that the next piece may end
        b";more\x07",
        b"\x1b[",
        b"12;3H*",
        b"\xe6\x97",
        b"\x1bc",
        b"".join(b"row %d\r\n" % number for number in range(40)),
    ]
)
_STEPS = st.lists(
    st.one_of(
        _PIECES,
        st.tuples(st.integers(1, 40), st.integers(1, 12)),  # a new size
        st.just("checkpoint"),
        st.just("restart"),
    ),
    min_size=1,
    max_size=25,
)


class Loop:
    """An event loop whose threads have finished when they are started."""

    def run_in_executor(self, _executor, function):
        function()

    def call_soon_threadsafe(self, function, *args):
        function(*args)


class Recorder:
    """A pane without a program: feeds an engine, and records what a pane records."""

    def __init__(self, root, name):
        self.root = root
        self.journal = Journal(journals.create())
        self.engine = engines.create(name, 30, 6, history=100)
        self.open_log()
        self.shown = {}
        self.remember()

    def open_log(self):
        self.log = PaneLog(self.root, LOG, LogWriter(self.root, LOG), self.journal, {"cols": 30, "rows": 6}, "cafe")
        engine = self.engine
        self.log.timeline.terminal(engine.position, engine.name, engine.cols, engine.rows, 100)

    def remember(self):
        self.shown[self.engine.position] = screen_of(self.engine)

    def step(self, step):
        timeline, place = self.log.timeline, self.engine.position
        if isinstance(step, bytes):
            timeline.read(place)
            write_journal(self.journal, step)
            self.log.append(place, step)
            self.engine.feed(step)
        elif step == "checkpoint":
            if not self.engine.tap.is_inside_mark:
                terminal = SimpleNamespace(engine=self.engine, parsing_s=1.0)
                timeline.keep_screen(self.engine.checkpoint(), terminal, self.log.first)
        elif step == "restart":
            self.log.close()
            self.open_log()
        else:
            self.engine.resize(*step)
            self.log.resized(*step)
            timeline.happened("resized", place, {"cols": step[0], "rows": step[1]})
        self.remember()

    def close(self):
        self.log.close()
        self.journal.close()
        self.engine.close()


def screen_of(engine):
    spans = engine.spans(-engine.history_rows, engine.history_rows + engine.rows)
    return engine.cols, engine.rows, spans, engine.cursor(), engine.title, engine.modes()


@pytest.fixture(autouse=True)
def _loop(monkeypatch):
    monkeypatch.setattr(asyncio, "get_running_loop", Loop)


def plain(row):
    """Return the glyphs and the styles of a row that are drawn, without trailing blanks."""
    cells = [(glyph, style) for glyph, style in row]
    while cells and cells[-1] == (" ", ""):
        cells.pop()
    return cells


def rows_of(engine):
    """Return the rows of the screen of an engine, converted as a film converts them."""
    page = film.Page(0.0)
    page.add(engine, 0.0)
    (frame,) = frames_of({"start": 0.0, "data": page.dump()})
    return list(map(plain, frame.rows)), frame.cursor


@every_engine
@EXAMPLES
@given(steps=_STEPS)
def test_a_film_shows_the_screens_that_were_shown(name, steps, tmp_path, monkeypatch):
    seconds = itertools.count(1_000_000)
    monkeypatch.setattr(pane_timeline, "time", SimpleNamespace(time=lambda: next(seconds), monotonic=time.monotonic))
    monkeypatch.setattr(film, "_MOST_FRAMES", 3)
    root = str(tmp_path / "logs")
    shutil.rmtree(root, ignore_errors=True)
    recorder = Recorder(root, name)
    shown = {0: rows_of(recorder.engine)}
    for step in steps:
        recorder.step(step)
        shown[recorder.engine.position] = rows_of(recorder.engine)
    recorder.close()
    frames = {}
    with Stored.open(root, LOG) as stored:
        timeline = Timeline(stored.directory)
        playback = Playback(stored, timeline, [(0, 30, 6)])
        following = (0, timeline.first.at)
        while following is not None:
            page = film.film_page(playback, timeline, following, (stored.end, 1e9))
            for frame in frames_of(page):
                frames[frame.seq] = list(map(plain, frame.rows)), frame.cursor
            following = page["next"]
        playback.close()
    for seq, screen in shown.items():
        assert frames[max(place for place in frames if place <= seq)] == screen, seq


@every_engine
@EXAMPLES
@given(steps=_STEPS, data=st.data())
def test_a_rebuilt_screen_equals_the_one_that_was_shown(name, steps, data, tmp_path):
    root = str(tmp_path / "logs")
    shutil.rmtree(root, ignore_errors=True)
    recorder = Recorder(root, name)
    for step in steps:
        recorder.step(step)
    recorder.close()
    with Stored.open(root, LOG) as stored:
        playback = Playback(stored, Timeline(stored.directory), [(0, 30, 6)])
        for seq in data.draw(st.permutations(list(recorder.shown))):
            assert screen_of(playback.seek(seq)) == recorder.shown[seq], seq
        playback.close()

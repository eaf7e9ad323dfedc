"""Recordings of real programs: both engines show the same screen as tmux for the same bytes at the same size.

The screens are compared at the end of each recording (made by tests/support/record.py) and at many positions before,
because a program that has exited often leaves an empty screen. A program in a tmux pane writes the bytes and requests a
status report after each piece; tmux replies when it has parsed the piece.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import record

from phux_core import engine as engines

FOLDER = Path(__file__).parent / "recordings"
NAMES = sorted(path.stem for path in FOLDER.glob("*.raw"))
PIECES = 24

# Writes the recording up to each requested position, and acknowledges when the terminal has parsed it. Discards replies.
FEEDER = r"""
import os, socket, sys, tty
tty.setraw(0)
data = open(sys.argv[1], "rb").read()
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[2])
at = 0
while order := link.recv(8):
    end = int.from_bytes(order, "big")
    piece = memoryview(data[at:end] + b"\x1b[5n")
    while piece:
        piece = piece[os.write(1, piece):]
    at = end
    answer = b""
    while not answer.endswith(b"\x1b[0n"):
        answer += os.read(0, 1000)
    link.send(b"!")
"""


def recording(name):
    about = json.loads((FOLDER / f"{name}.json").read_text())
    return (FOLDER / f"{name}.raw").read_bytes(), about["cols"], about["rows"]


def comparison_points(data):
    """Return the positions to compare at: after each of ``PIECES`` equal parts, before leaving the alternate screen, and the end.

    Each position is between two sequences.
    """
    # An ESC that starts a sequence cancels an unfinished one, so the position before that ESC is between sequences.
    wanted = [len(data) * part // PIECES for part in range(1, PIECES)]
    begin = re.compile(rb"\x1b[^\\]")
    found = {match.start() for at in wanted if (match := begin.search(data, at))}
    return sorted(found | {match.start() for match in re.finditer(rb"\x1b\[\?1049l", data)} | {len(data)})


def _drawn(rows, cols):
    """Draw the output of capture-pane: text, SGR (which carries over to the next row), and line drawing in G1."""
    # One extra column prevents wrapping.
    canvas = engines.create("pyte", cols + 1, len(rows))
    canvas.feed(b"\x1b)0" + b"".join(b"\x1b[%d;1H" % y + row.encode() for y, row in enumerate(rows, 1)))
    return canvas


def _glyphs(engine):
    """Return every glyph and its style by position, without blanks, because tmux does not print all styled ones."""
    return {
        (span.row, span.col + at * span.width): (glyph, span.style)
        for span in engine.spans(0, engine.rows)
        for at, glyph in enumerate(span.text)
        if glyph != " "
    }


class Tmux:
    """A tmux server with one pane that shows a recording piece by piece."""

    def __init__(self, folder, name, cols, rows):
        self._socket = folder / "tmux.sock"
        config = folder / "tmux.conf"
        config.write_text("set -g status off\n")
        feeder = folder / "feeder.py"
        feeder.write_text(FEEDER)
        listener = socket.socket(socket.AF_UNIX)
        try:
            listener.bind(str(folder / "orders"))
            listener.listen()
            listener.settimeout(20)
            command = [sys.executable, str(feeder), str(FOLDER / f"{name}.raw"), str(folder / "orders")]
            self._run("-u", "-f", str(config), "new-session", "-d", "-x", str(cols), "-y", str(rows), *command)
            self._link, _ = listener.accept()
        finally:
            listener.close()
        self._link.settimeout(20)
        assert self._run("display-message", "-p", "#{pane_width}x#{pane_height}").strip() == f"{cols}x{rows}"
        self._cols, self._rows = cols, rows

    def _run(self, *words):
        finished = subprocess.run(["tmux", "-S", self._socket, *words], capture_output=True, timeout=20, check=True)
        return finished.stdout.decode()

    def show(self, end):
        """Write the recording to the pane up to ``end``; return a terminal with the screen of tmux, and its cursor."""
        self._link.sendall(end.to_bytes(8, "big"))
        assert self._link.recv(1) == b"!"
        rows = self._run("capture-pane", "-p", "-e", "-N").split("\n")[: self._rows]
        x, y = map(int, self._run("display-message", "-p", "#{cursor_x} #{cursor_y}").split())
        # While a wrap is pending, tmux reports the cursor after the last column.
        return _drawn(rows, self._cols), (min(x, self._cols - 1), y)

    def close(self):
        self._link.close()
        subprocess.run(["tmux", "-S", self._socket, "kill-server"], capture_output=True, timeout=20)


@pytest.fixture
def tmux(tmp_path):
    """Return a function that starts tmux servers, which are stopped after the test."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    made = []

    def make(*words):
        made.append(Tmux(tmp_path, *words))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def pair():
    """Return a function that creates a terminal of each engine, closed after the test."""
    pytest.importorskip("pyghostty")
    made = []

    def make(cols, rows):
        made.extend(engines.create(name, cols, rows) for name in engines.ENGINES)
        return made

    yield make
    for each in made:
        each.close()


@pytest.mark.parametrize("name", NAMES)
def test_both_engines_show_the_same_screen_as_tmux(name, tmux, pair):
    data, cols, rows = recording(name)
    reference = tmux(name, cols, rows)
    terminals = pair(cols, rows)
    for begin, end in pairwise([0, *comparison_points(data)]):
        shown, cursor = reference.show(end)
        for engine in terminals:
            engine.feed(data[begin:end])
            where = f"{engine.name} after {end} of {len(data)} bytes"
            assert engine.lines(0, rows).text == shown.lines(0, rows).text, where
            assert _glyphs(engine) == _glyphs(shown), where
            assert engine.cursor()[:2] == cursor, where


@pytest.mark.parametrize("name", NAMES)
def test_the_engines_agree_on_styles_modes_titles_and_replies(name, pair):
    data, cols, rows = recording(name)
    theirs, ours = pair(cols, rows)
    for begin, end in pairwise([0, *comparison_points(data)]):
        effects = [engine.feed(data[begin:end]) for engine in (theirs, ours)]
        where = f"after {end} of {len(data)} bytes"
        assert ours.spans(0, rows) == theirs.spans(0, rows), where
        assert ours.modes() == theirs.modes(), where
        assert ours.cursor() == theirs.cursor(), where
        assert ours.title == theirs.title, where
        assert effects[1] == effects[0], where


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_contains_no_host_user_path_or_date(name):
    data, _cols, _rows = recording(name)
    assert record.traces(data) == []
    assert b"\x1b[5n" not in data  # the comparison uses this request to detect that tmux has parsed a piece

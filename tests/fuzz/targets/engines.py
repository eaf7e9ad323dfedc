"""Output and resizes in both engines: the cursor stays in the grid, and a checkpoint restores the same screen.

``CSI 8 ; rows ; cols t`` in an input also resizes the engine, as the person's terminal could at that moment.
"""

from __future__ import annotations

import contextlib
import functools
import re
from pathlib import Path

from mutation import join, mutate
from phux_core import engine as engines

_RECORDINGS = Path(__file__).parents[2] / "contract" / "recordings"
_RESIZE = re.compile(rb"\x1b\[8;(\d{1,3});(\d{1,3})t")
_TOKENS = [
    b"\x1b[",
    b"\x1b]",
    b"\x1bP",
    b"\x1b_",
    b"\x1b\\",
    b"\x07",
    b"\x18",
    b";",
    b":",
    b"?",
    b">",
    b"\r\n",
    b"\t",
    b"\b",
]
_TOKENS += [
    b"\x1b[?1049h",
    b"\x1b[?1049l",
    b"\x1b[?7l",
    b"\x1b[?6h",
    b"\x1b[?69h\x1b[2;5s",
    b"\x1b[4h",
    b"\x1b[2;3r",
    b"\x1bc",
]
_TOKENS += [b"\x1b[38;5;9m", b"\x1b[4:3m", b"\x1b[999b", b"\x1b[22J", b"\x1b7", b"\x1b8", b"\x1b(0", b"\x0e", b"\x1b#8"]
_TOKENS += [
    b"\x1b]133;A\x07",
    b"\x1b]7748;x\x1b\\",
    b"\x1b]7;file:///tmp\x07",
    b"\x1b]0;title\x07",
    b"\x1b[6n",
    b"\x1b[c",
]
_TOKENS += [
    b"\x1b[8;3;9t",
    b"\x1b[8;1;1t",
    b"\x1b[8;9;2t",
    b"\x1b[8;5;40t",
    b"\x1b[?2048h",
    b"\x1b[>31u",
    b"\x9b",
    b"\xc2\x9b",
]
_TOKENS += [text.encode() for text in ("日本", "e\u0301", "\u0301", "👩\u200d👧", "❤\ufe0f", "abc", "word " * 9, "🇩🇪")]
_TOKENS += [b"\x1b[%d%c" % (number, final) for number in (0, 1, 3, 99) for final in b"@ABCDEFGHIJKLMPSTXZadef`g"]


@functools.cache
def _recordings():
    return [path.read_bytes() for path in sorted(_RECORDINGS.glob("*.raw"))]


def make(chance):
    if chance.random() < 0.5:
        return join(chance, _TOKENS, 40)
    recording = chance.choice(_recordings())
    start = chance.randrange(len(recording))
    return mutate(chance, recording[start : start + chance.choice((100, 400, 2000))], _TOKENS)


def state_of(engine):
    """Return everything visible of an engine."""
    first, count = -engine.history_rows, engine.history_rows + engine.rows
    rows = engine.lines(first, count), engine.spans(first, count)
    return *rows, engine.cursor(), engine.modes(), engine.title, engine.cwd, engine.position, engine.cols, engine.rows


def check_grid(engine):
    """Fail if the cursor is outside the grid, or rows are missing."""
    cursor = engine.cursor()
    assert 0 <= cursor.x < engine.cols
    assert 0 <= cursor.y < engine.rows
    count = engine.history_rows + engine.rows
    lines = engine.lines(-engine.history_rows, count)
    assert len(lines.text) == len(lines.wrapped) == count
    assert all(-engine.history_rows <= span.row < engine.rows for span in engine.changed().get(0, []))


def _feed(engine, data):
    place = 0
    for resize in _RESIZE.finditer(data):
        engine.feed(data[place : resize.end()])
        place = resize.end()
        rows, cols = (min(max(int(number), 1), 100) for number in resize.groups())
        engine.resize(cols, rows)
        assert (engine.cols, engine.rows) == (cols, rows)
    engine.feed(data[place:])


@contextlib.contextmanager
def checker():
    def check(data):
        for name in engines.ENGINES:
            engine = engines.create(name, 12, 5, history=20)
            _feed(engine, data)
            check_grid(engine)
            assert engine.position == len(data)
            assert engine.history_rows <= 20
            other = engines.restore(engine.checkpoint())
            assert state_of(other) == state_of(engine)
            for each in (engine, other):
                each.feed(b"x\x1b\\\r\n\x1b[1mok")
                each.resize(9, 4)
                check_grid(each)
            # libghostty's snapshots lack some wrap flags and margins that matter only later (docs/reliability.md).
            assert name == "ghostty" or state_of(other) == state_of(engine)
            engine.close()
            other.close()

    yield check

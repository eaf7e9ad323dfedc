"""A terminal that rests between any two bytes is the same as one that never does."""

from __future__ import annotations

import pytest

from phux_core.engine.resting import RestingEngine
from phux_core.keys import parse_key

STREAM = (
    b"\x1b]2;a title\x07\x1b]7;file://host/tmp\x07\x1b[31mred \xe6\x97\xa5\xe6\x9c\xac\x1b[0m\r\n"
    b"\x1b[?2004h\x1b[?1h\x1b7second line that is longer than the terminal is wide\x1b8\x1b[2;3r\x1b[4h!"
    b"\x1b[5 q\x1b[?1049h\x1b[2;2Hfull\x1b[?1000h\x1b[?1006h\x1b[?1049l\x1b[r\x1b[4l\n\n\n\n\nend"
)


def facts(engine):
    rows = engine.history_rows
    return (
        engine.cols,
        engine.rows,
        engine.position,
        engine.title,
        engine.cwd,
        engine.alt_screen,
        engine.lines(-rows, rows + engine.rows),
        engine.spans(-rows, rows + engine.rows),
        engine.cursor(),
        engine.modes(),
        engine.encode_key(parse_key("Up")),
        engine.encode_paste("two words"),
    )


def test_a_terminal_that_rests_before_each_byte_is_the_same(engine):
    plain, resting = engine(20, 4), RestingEngine(engine(20, 4))
    for byte in STREAM:
        resting.rest(1_000_000)
        assert resting.at_rest
        assert resting.feed(bytes([byte])) == plain.feed(bytes([byte]))
    assert facts(resting) == facts(plain)
    resting.close()


def test_what_is_asked_of_every_pane_does_not_wake_it(engine):
    resting = RestingEngine(engine(20, 4))
    resting.feed(b"\x1b]2;a title\x07\x1b]7;file://host/tmp\x07text\n\n\n\n\n")
    before = resting.checkpoint()
    resting.rest(1_000_000)
    seen = resting.cols, resting.rows, resting.title, resting.cwd, resting.alt_screen, resting.history_rows
    assert seen == (20, 4, "a title", "/tmp", False, 2)
    assert resting.checkpoint() == before
    assert resting.at_rest
    resting.close()


def test_reading_wakes_it_and_says_so(engine):
    woken = []
    resting = RestingEngine(engine(20, 4), lambda: woken.append(True))
    resting.feed(b"text")
    resting.rest(1_000_000)
    assert not woken
    assert resting.lines(0, 1).text == ["text"]
    assert woken == [True]
    assert not resting.at_rest
    resting.close()


def test_one_that_is_large_when_written_down_stays_awake(engine):
    resting = RestingEngine(engine(20, 4))
    resting.feed(b"text\r\n" * 200)
    resting.rest(64)
    assert not resting.at_rest
    resting.close()


def test_a_closed_one_neither_rests_nor_wakes(engine):
    resting = RestingEngine(engine(20, 4))
    resting.rest(1_000_000)
    resting.close()
    resting.rest(1_000_000)
    with pytest.raises(ValueError, match="closed"):
        resting.feed(b"text")

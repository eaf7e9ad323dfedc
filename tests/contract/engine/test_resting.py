"""A terminal that rests between any two bytes behaves like one that never rests."""

from __future__ import annotations

import pytest

from phux_core.engine.resting import RestingEngine
from phux_core.keys import parse_key

from .conftest import Term

STREAM = (
    b"\x1b]2;a title\x07\x1b]7;file://host/tmp\x07\x1b[31mred \xe6\x97\xa5\xe6\x9c\xac\x1b[0m\r\n"
    b"\x1b[?2004h\x1b[?1h\x1b7second line that is longer than the terminal is wide\x1b8\x1b[2;3r\x1b[4h!"
    b"\x1b[5 q\x1b[?1049h\x1b[2;2Hfull\x1b[?1000h\x1b[?1006h\x1b[?1049l\x1b[r\x1b[4l\n\n\n\n\nend"
)


def observable_state(engine):
    return Term(engine).state(), engine.alt_screen, engine.encode_key(parse_key("Up"))


def no_successor(error, _position):
    raise error


def make_resting(engine, on_wake=lambda: None, make_successor=no_successor):
    return RestingEngine(engine(20, 4), on_wake, make_successor)


def test_resting_before_each_byte_does_not_change_effects_or_state(engine):
    plain, resting = engine(20, 4), make_resting(engine)
    for byte in STREAM:
        resting.rest(1_000_000)
        assert resting.at_rest
        assert resting.feed(bytes([byte])) == plain.feed(bytes([byte]))
    assert observable_state(resting) == observable_state(plain)
    resting.close()


def test_size_title_cwd_and_checkpoint_are_readable_at_rest(engine):
    resting = make_resting(engine)
    resting.feed(b"\x1b]2;a title\x07\x1b]7;file://host/tmp\x07text\n\n\n\n\n")
    before = resting.checkpoint()
    resting.rest(1_000_000)
    seen = resting.cols, resting.rows, resting.title, resting.cwd, resting.alt_screen, resting.history_rows
    assert seen == (20, 4, "a title", "/tmp", False, 2)
    assert resting.checkpoint() == before
    assert resting.at_rest
    resting.close()


def test_reading_lines_wakes_the_engine_and_calls_on_wake(engine):
    woken = []
    resting = make_resting(engine, lambda: woken.append(True))
    resting.feed(b"text")
    resting.rest(1_000_000)
    assert not woken
    assert resting.lines(0, 1).text == ["text"]
    assert woken == [True]
    assert not resting.at_rest
    resting.close()


def test_an_engine_whose_checkpoint_exceeds_the_limit_stays_awake(engine):
    resting = make_resting(engine)
    resting.feed(b"text\r\n" * 200)
    resting.rest(64)
    assert not resting.at_rest
    resting.close()


def test_feeding_a_closed_engine_raises_even_if_it_was_at_rest(engine):
    resting = make_resting(engine)
    resting.rest(1_000_000)
    resting.close()
    resting.rest(1_000_000)
    with pytest.raises(ValueError, match="closed"):
        resting.feed(b"text")


class Faulty:
    """Replace one method of an engine with one that always raises."""

    def __init__(self, engine, name):
        self.engine = engine
        self.method = getattr(engine, name)
        setattr(engine, name, self)

    def __call__(self, *args):
        raise RuntimeError("a fault of the engine")


@pytest.mark.parametrize("at", [0, 5, 19])
def test_an_engine_that_raises_in_feed_is_replaced_and_marks_are_still_reported(engine, at):
    """The successor starts with a blank screen at the current position in the stream."""
    errors = []
    first = engine(20, 4)

    def successor(error, position):
        errors.append(str(error))
        return engine(20, 4, position=position)

    resting = RestingEngine(first, lambda: None, successor)
    resting.feed(b"before")
    Faulty(first, "feed")
    data = b"x" * at + b"\x1b]7748;cafe;B\x07" + b"yz"
    effects = resting.feed(data)
    assert [(effect.data, effect.start) for effect in effects] == [(b"cafe;B", 6 + at)]
    assert errors == ["a fault of the engine"]
    assert resting.position == 6 + len(data)
    assert not any(resting.lines(0, 4).text)
    resting.feed(b"after")
    assert resting.lines(0, 1).text == ["after"]
    resting.close()


def test_an_engine_that_raises_in_resize_is_replaced(engine):
    first = engine(20, 4)
    resting = RestingEngine(first, lambda: None, lambda _error, position: engine(20, 4, position=position))
    resting.feed(b"before")
    Faulty(first, "resize")
    resting.resize(30, 5)
    assert (resting.cols, resting.rows, resting.position) == (30, 5, 6)
    resting.close()


def test_an_invalid_size_raises_value_error_and_keeps_the_screen(engine):
    resting = make_resting(engine)
    resting.feed(b"before")
    with pytest.raises(ValueError):
        resting.resize(0, 5)
    assert resting.lines(0, 1).text == ["before"]
    resting.close()


def test_an_engine_whose_checkpoint_cannot_be_restored_is_replaced(engine, monkeypatch):
    resting = make_resting(engine, make_successor=lambda _error, position: engine(20, 4, position=position))
    resting.feed(b"before")
    resting.rest(1_000_000)

    def refuse(_checkpoint):
        raise ValueError("a damaged checkpoint")

    monkeypatch.setattr("phux_core.engine.resting.restore", refuse)
    assert not any(resting.lines(0, 4).text)
    assert resting.position == 6
    resting.close()


@pytest.mark.parametrize(
    ("name", "args"), [("lines", (0, 4)), ("spans", (0, 4)), ("changed", ()), ("cursor", ()), ("modes", ())]
)
def test_an_engine_that_raises_when_read_is_replaced(engine, name, args):
    first = engine(20, 4)
    resting = RestingEngine(first, lambda: None, lambda _error, position: engine(20, 4, position=position))
    resting.feed(b"before")
    Faulty(first, name)
    blank = engine(20, 4)
    assert getattr(resting, name)(*args) == getattr(blank, name)(*args)
    assert resting.position == 6
    resting.close()

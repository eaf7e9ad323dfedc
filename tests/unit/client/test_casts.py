"""Casts: their lines in both versions, and the same screen when they are played on an engine."""

import itertools
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phux_client.casts import Cast
from phux_client.excerpt import steps_between
from phux_client.export.cast import to_cast
from phux_client.export.material import Material
from phux_client.moments import Place
from phux_client.pictures.grid import PLAIN
from phux_core import engine as engines
from phux_core.engine.tap import Tap

START = 1_750_000_000.0


def events(lines):
    return [json.loads(line) for line in "".join(lines).splitlines()]


@pytest.mark.parametrize("version", [2, 3])
def test_a_cast_has_a_header_and_events_with_times(version):
    cast = Cast(version, START + 0.5)
    header, *found = events(
        [
            cast.header(80, 24, START + 10),
            cast.output(START + 1, b"one"),
            cast.marker(START + 2, "make"),
            cast.output(START + 2, "zwei ü".encode()),
            cast.resized(START + 2.5, 100, 30),
            cast.typed(START + 4, "q"),
            cast.exited(START + 4.25, 3),
        ]
    )
    kinds = [(kind, text) for _time, kind, text in found]
    wanted = [("o", "one"), ("m", "make"), ("o", "zwei ü"), ("r", "100x30"), ("i", "q"), ("x", "3")]
    if version == 2:
        assert header == {"version": 2, "width": 80, "height": 24, "timestamp": 1750000000, "duration": 9.5}
        assert [time for time, _kind, _text in found] == [0.5, 1.5, 1.5, 2, 3.5]
        assert kinds == wanted[:-1]
    else:
        assert header == {"version": 3, "term": {"cols": 80, "rows": 24}, "timestamp": 1750000000}
        assert [time for time, _kind, _text in found] == [0.5, 1, 0, 0.5, 1.5, 0.25]
        assert kinds == wanted


def test_intervals_of_version_3_add_up_without_rounding_errors():
    cast = Cast(3, START)
    found = events(cast.output(START + number * 0.01, b"x") for number in range(1, 1001))
    assert round(sum(time for time, _kind, _text in found), 6) == 10


def test_times_never_decrease():
    cast = Cast(2, START)
    assert [time for time, *_ in events([cast.output(START + 2, b"a"), cast.output(START + 1, b"b")])] == [2, 2]


def test_characters_are_not_split_and_invalid_bytes_are_replaced():
    cast = Cast(2, START)
    lines = [cast.output(START, data) for data in (b"a\xe6\x97", b"\xa5", b"\xff\xc3", b"(")]
    assert [text for _time, _kind, text in events(lines)] == ["a", "日", "\ufffd", "\ufffd("]


def test_no_line_has_surrogates_or_control_characters():
    cast = Cast(2, START)
    line = cast.marker(START, "\udcff\x9b31m\u2028\x1b") + cast.output(START, b"\xc2\x9b\x1b[m\n")
    assert line.count("\n") == 2
    assert re.fullmatch(r"[\x20-\x7e\n]*", line)
    assert events([line]) == [[0, "m", "?\x9b31m\u2028\x1b"], [0, "o", "\x9b\x1b[m\n"]]


SECRETS = (
    b"a\x1b]7748;n0nce;1;C;cmd\x07b\x1b]52;c;c2VjcmV0\x1b\\c\x1b]133;A\x07d\x1b]5522;x\x1b[me\x1b]7748;n0nce;2;P\x18f"
)


@given(st.lists(st.integers(0, len(SECRETS)), max_size=8))
def test_marks_and_clipboard_sequences_are_removed_wherever_output_is_split(cuts):
    places = sorted({0, *cuts, len(SECRETS)})
    cast = Cast(2, START)
    lines = [cast.output(START, SECRETS[low:high]) for low, high in itertools.pairwise(places)]
    text = "".join(text for _time, _kind, text in events(lines))
    assert text.replace("\x1b\\", "") == "abc\x1b]133;A\x07d\x1b[me\x1b\x18f"


PIECES = st.sampled_from(
    [
        b"\x1b",
        b"]",
        b"7748;",
        b"52;",
        b"8;",
        b"0;",
        b"\x07",
        b"\\",
        b"\x18",
        b"x",
        b"[31m",
        "日".encode(),
        b"\xff",
        b"\n",
    ]
)


@given(st.lists(PIECES, max_size=40), st.lists(st.integers(0, 60), max_size=5))
@settings(max_examples=300)
def test_the_same_sequences_are_removed_as_for_engines(pieces, cuts):
    data = b"".join(pieces).replace(b"8;", b"9;").replace(b"5522", b"55")
    data += b"\x18"  # ends what is unfinished
    wanted, _effects = Tap().scan(data)
    cast, places = Cast(2, START), sorted({0, *(cut for cut in cuts if cut < len(data)), len(data)})
    lines = [cast.output(START, data[low:high]) for low, high in itertools.pairwise(places)]
    assert "".join(text for _time, _kind, text in events(lines)) == wanted.decode("utf-8", "replace")


def test_an_endless_sequence_is_dropped_within_bounded_memory():
    cast = Cast(2, START)
    assert not any(cast.output(START, b"\x1b]52;c;" + b"x" * 50_000 if not n else b"x" * 50_000) for n in range(20))
    assert len(cast._filter._held) < 200_000
    assert json.loads(cast.output(START, b"\x07end"))[2] == "\x1b\\end"


# Parts of recordings


FILM = [
    (START + after, seq, kind, fields)
    for after, seq, kind, fields in (
        (1, 0, "output", {}),
        (1, 4, "command_started", {"command": "make", "command_id": "1.1"}),
        (5, 10, "typed", {"text": "y"}),
        (6, 10, "output", {}),
        (7, 15, "resized", {"cols": 30, "rows": 6}),
        (8, 20, "output", {}),
        (9, 30, "command_finished", {"exit_code": 0, "command_id": "1.1"}),
    )
]


def steps(first, last):
    found = steps_between(FILM, Place(first[0], START + first[1]), Place(last[0], START + last[1]))
    return [
        (step.at - START, (step.fields["start"], step.fields["end"]) if step.kind == "output" else step.kind)
        for step in found
    ]


def test_the_steps_of_a_whole_recording_are_in_order_and_output_is_split_at_them():
    assert steps((0, 0), (30, 100)) == [
        (1, (0, 4)),
        (1, "command_started"),
        (1, (4, 10)),
        (5, "typed"),
        (6, (10, 15)),
        (7, "resized"),
        (6, (15, 20)),
        (8, (20, 30)),
        (9, "command_finished"),
    ]


def test_a_part_has_only_its_own_steps_and_bytes():
    assert steps((12, 6), (25, 8)) == [(6, (12, 15)), (7, "resized"), (6, (15, 20)), (8, (20, 25))]
    assert steps((10, 5.5), (20, 7.5)) == [(6, (10, 15)), (7, "resized"), (6, (15, 20))]
    assert steps((10, 2), (10, 4)) == []


# Playing


def play(lines, engine="ghostty"):
    header, *rest = events(lines)
    cols, rows = (header["width"], header["height"]) if header["version"] == 2 else header["term"].values()
    screen = engines.create(engine, cols, rows)
    for _time, kind, text in rest:
        if kind == "o":
            screen.feed(text.encode())
        elif kind == "r":
            screen.resize(*map(int, text.split("x")))
    return screen


def shown(screen):
    return screen.cols, screen.spans(0, screen.rows), screen.cursor(), screen.alt_screen


SEQUENCES = [b"\x1b[31m", b"\x1b[m", b"\x1b[4:3m", b"\x1b[2;3H", b"\x1b[J", b"\x1b[?1049h", b"\x1b[?1049l"]
TEXTS = [b"text ", b"\r\n", b"\t", "日本 ü".encode(), b"\xff", b"longer text that wraps around "]
OUTPUT = st.sampled_from([*SEQUENCES, *TEXTS, b"\x1b]7748;n;1;A\x07", b"\x1b]0;title\x1b\\"])
ACTIONS = st.lists(st.one_of(OUTPUT, st.tuples(st.integers(2, 40), st.integers(2, 10)), st.integers(1, 3)), max_size=30)


@given(ACTIONS, st.sampled_from([2, 3]), st.sampled_from(["ghostty", "pyte"]))
@settings(max_examples=150, deadline=None)
def test_a_cast_played_on_an_engine_gives_the_screen_of_the_log(actions, version, engine):
    log, entries, live = b"", [(0, 0, "output", {})], engines.create(engine, 20, 5)
    for after, action in enumerate(actions):
        if isinstance(action, tuple):
            entries.append((after, len(log), "resized", dict(zip(("cols", "rows"), action, strict=True))))
            live.resize(*action)
        elif isinstance(action, int):  # a piece of output ends in the middle of a character or sequence
            entries.append((after, max(0, len(log) - 1), "output", {})) if len(log) > entries[-1][1] else None
        else:
            log += action
            live.feed(action)
    entries = [(START + after, *rest) for after, *rest in entries]
    material = Material({}, Place(0, START), Place(len(log), START + 100), entries)
    material.screen = {"cols": 20, "rows": 5}
    material.output.add(0, log)
    lines = [to_cast(material, version)]
    played = play(lines, engine)
    assert shown(played) == shown(live)
    played.close()
    live.close()


def test_a_cast_that_starts_in_the_middle_begins_with_the_screen():
    document = {
        "cols": 6,
        "rows": 4,
        "lines": ["日本 x", "", "full!!", "end"],
        "scrollback": [],
        "cells": [{"row": 0, "col": 5, "style": PLAIN | {"bold": True, "fg": {"kind": "palette", "index": 1}}}],
        "cursor": {"x": 5, "y": 2, "visible": False},
        "cursor_shape": "bar",
        "alt_screen": True,
    }
    cast = Cast(3, START)
    screen = play([cast.header(6, 4, START), cast.screen(document)])
    assert screen.lines(0, 4).text == document["lines"]
    assert [(span.col, span.style.bold, span.style.fg) for span in screen.spans(0, 1) if span.style.bold] == [
        (5, True, 1)
    ]
    cursor = screen.cursor()
    assert (cursor.x, cursor.y, cursor.visible, cursor.shape) == (5, 2, False, "bar")
    assert screen.alt_screen
    screen.feed(b"\x1b[?1049l")
    assert screen.lines(0, 4).text == [""] * 4
    screen.close()

"""The frames of a film from several pages: the screens of the engine, with shared rows."""

from bisect import bisect_right

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phux_client.export import film as films
from phux_client.export.film import Film, frame_ms
from phux_client.export.text import row_text
from phux_core import engine as engines
from phux_core.errors import LimitError
from phux_core.logs.film import Page

START = 1_750_000_000.0
OUTPUT = st.sampled_from(
    [
        b"text ",
        b"\r\n",
        b"\x1b[1;31mred\x1b[m ",
        "日本 ü".encode(),
        b"\x1b[2;3H",
        b"\x1b[J",
        b"\x1b[?1049h",
        b"\x1b[?1049l",
        b"\x1b[?25l",
        b"\x1b[?25h",
        b"a longer line that wraps around ",
    ]
)
ACTIONS = st.lists(
    st.one_of(OUTPUT, st.tuples(st.integers(2, 40), st.integers(2, 10)), st.sampled_from(["frame", "page"])),
    max_size=60,
)


def screens(film):
    shown = []
    for ms, seq, cursor, changes, size in film.frames:
        shown = [0] * size[1] if size else shown
        for first, *numbers in changes:
            shown[first : first + len(numbers)] = numbers
        yield ms, seq, cursor[:3], [row_text(film.rows[number]) for number in shown]


@given(ACTIONS, st.sampled_from(["ghostty", "pyte"]))
@settings(max_examples=150, deadline=None)
def test_frames_of_all_pages_show_what_the_engine_showed(actions, name):
    engine, film, page, wanted = engines.create(name, 20, 5), Film(START), Page(START), []

    def show(at):
        page.add(engine, at)
        wanted.append((round((at - START) * 1000), *_shown(engine)))

    show(START)
    for number, action in enumerate(actions, 1):
        if isinstance(action, bytes):
            engine.feed(action)
        elif isinstance(action, tuple):
            engine.resize(*action)
        else:
            show(START + number)
            if action == "page":
                film.add({"start": page._start, "data": page.dump()})
                page = Page(START + number)
                page.add(engine, START + number)
    show(START + 100)
    film.add({"start": page._start, "data": page.dump()})
    found = list(screens(film))
    times = [ms for ms, *_ in found]
    assert times == sorted(times)
    for ms, *screen in wanted:
        assert found[bisect_right(times, ms) - 1][2:] == tuple(screen)
    assert len({str(row) for row in film.rows}) == len(film.rows)
    engine.close()


def _shown(engine):
    lines = engine.lines(0, engine.rows).text
    return (list(engine.cursor()[:3]), [line.rstrip() for line in lines])


def test_a_film_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(films, "_MOST_CHARACTERS", 1000)
    engine, page = engines.create("pyte", 80, 24), Page(START)
    engine.feed(b"".join(b"%d %s\r\n" % (number, b"x" * 60) for number in range(24)))
    page.add(engine, START)
    with pytest.raises(LimitError, match="too large"):
        Film(START).add({"start": START, "data": page.dump()})


@given(st.lists(st.floats(0, 100_000), max_size=2000).map(sorted))
def test_there_are_never_too_many_frames(times):
    most = 100
    films.MOST_FRAMES, before = most, films.MOST_FRAMES
    try:
        shortest_ms = frame_ms(START + after for after in times)
    finally:
        films.MOST_FRAMES = before
    count, shown_at = 0, 0.0
    for after in times:
        if START + after - shown_at >= shortest_ms / 1000:
            count, shown_at = count + 1, START + after
    assert count <= most
    assert shortest_ms >= 33

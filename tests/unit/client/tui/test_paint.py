"""The painter makes a terminal show the canvas with few bytes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phux_client.tui.canvas import BLANK, Canvas, cells_of, fit, overlay, row_of
from phux_client.tui.paint import Painter
from phux_core import engine as engines
from phux_core.server.screen.attach_frames import read_rows

COLS, ROWS = 12, 6


def shown(engine):
    """Return the screen of an engine as rows of cells."""
    return [row_of(runs, engine.cols) for runs in read_rows(engine, 0, engine.rows)]


def text_of(canvas):
    return [[glyph for glyph, _style in row] for row in canvas.rows]


glyphs = st.sampled_from(["a", "b", " ", " ", " ", "é", "語", "─", "e\u0301"])
FAMILY, HEART, KEYCAP = "👩\u200d👩\u200d👧", "❤\ufe0f", "1\ufe0f\u20e3"
clusters = st.sampled_from(["a", "b", " ", "語", "e\u0301", FAMILY, "👧", HEART, KEYCAP, "🇩🇪", "👍🏽", "\ue0b0"])
styles = st.sampled_from(
    [
        "",
        "",
        "1",
        "31",
        "1;31",
        "44",
        "38;5;120",
        "38;2;1;2;3;47",
        "7",
        "4:3;31",
        "1;4;58:5:9",
        " http://x/1",
        "31 http://x/2",
    ]
)


@st.composite
def rows(draw, cols=COLS):
    row = []
    while len(row) < cols:
        row += cells_of(draw(glyphs), draw(styles))
    return fit(row, cols)


@st.composite
def canvases(draw):
    cursor = draw(st.none() | st.tuples(st.integers(0, COLS - 1), st.integers(0, ROWS - 1), st.integers(0, 6)))
    return Canvas(COLS, [draw(rows()) for _ in range(ROWS)], cursor)


@st.composite
def canvas_sequences(draw):
    """Draw a sequence of canvases in which each differs from the one before in cells, rows, all or nothing."""
    sequence = [draw(canvases())]
    for _ in range(draw(st.integers(1, 5))):
        before = sequence[-1]
        changed = [list(row) for row in before.rows]
        match draw(st.sampled_from(["cells", "rows", "scroll", "all", "nothing"])):
            case "cells":
                y = draw(st.integers(0, ROWS - 1))
                changed[y] = overlay(changed[y], cells_of(draw(glyphs), draw(styles)), draw(st.integers(0, COLS - 1)))
            case "rows":
                changed[draw(st.integers(0, ROWS - 1))] = draw(rows())
            case "scroll":
                top, by = draw(st.integers(0, 2)), draw(st.integers(1, 3))
                changed = changed[:top] + changed[top + by :] + [draw(rows()) for _ in range(by)]
            case "all":
                changed = draw(canvases()).rows
        sequence.append(
            Canvas(
                COLS,
                changed,
                draw(
                    st.none()
                    | st.just(before.cursor)
                    | st.tuples(st.integers(0, COLS - 1), st.integers(0, ROWS - 1), st.just(0))
                ),
            )
        )
    return sequence


@pytest.mark.parametrize("name", ["ghostty", "pyte"])
@pytest.mark.parametrize("synchronized", [False, True])
@settings(max_examples=50, deadline=None)
@given(sequence=canvas_sequences())
def test_painted_bytes_make_a_terminal_show_the_canvas(name, synchronized, sequence):
    engine = engines.create(name, COLS, ROWS)
    painter = Painter(synchronized=synchronized)
    for canvas in sequence:
        engine.feed(painter.paint(canvas))
        assert shown(engine) == canvas.rows
        cursor = engine.cursor()
        assert cursor.visible == (canvas.cursor is not None)
        if canvas.cursor is not None:
            assert (cursor.x, cursor.y) == canvas.cursor[:2]
    engine.close()


def row_in_grid(text):
    """Return the cells of a line in a pane, in which each code point has its own columns."""
    engine = engines.create("ghostty", COLS, 1)
    engine.feed(text.encode())
    (row,) = shown(engine)
    engine.close()
    return row


@pytest.mark.parametrize("joins", [False, True])
@settings(max_examples=200, deadline=None)
@given(texts=st.lists(st.lists(clusters, max_size=COLS).map("".join), min_size=1, max_size=4))
def test_cells_stay_in_their_columns_when_a_terminal_measures_clusters_differently(joins, texts):
    engine = engines.create("ghostty", COLS, 2)
    painter = Painter()
    below = fit(cells_of("below"), COLS)
    if joins:
        engine.feed(b"\x1b[?2027h")  # with grapheme clusters, an emoji or a ZWJ sequence takes two columns
    for text in texts:
        row = row_in_grid(text)
        engine.feed(painter.paint(Canvas(COLS, [row, below], (0, 1, 0))))
        seen, beneath = shown(engine)
        assert beneath == below, "the upper row was wrapped"
        if not joins:
            drawn = [(glyph.rstrip("\u200d"), style) for glyph, style in row]
            assert seen[:-1] == drawn[:-1]
            assert seen[-1][0] == drawn[-1][0].replace("\ufe0f", "")
        for x, cell in enumerate(row):
            if cell[0] in {"a", "b", "語"}:
                assert seen[x] == cell
    engine.close()


def test_glyphs_of_a_zwj_sequence_are_drawn_in_their_own_columns():
    engine = engines.create("ghostty", COLS, 1)
    engine.feed(b"\x1b[?2027h")
    painter = Painter()
    for row in (row_in_grid("x" * COLS), row_in_grid(f"A{FAMILY}B")):
        engine.feed(painter.paint(Canvas(COLS, [row])))
    assert engine.lines(0, 1).text == ["A👩👩👧B"]
    engine.close()


def test_cells_after_a_spacing_mark_are_drawn_in_their_columns_by_a_terminal_that_gives_it_no_width():
    row = row_in_grid("\u0937\u093fB")
    painted = Painter().paint(Canvas(COLS, [row]))
    marked = painted.index("\u093f".encode())
    assert painted.index(b"B") < marked or painted[marked + 3 :].startswith(b"\x1b[1;3HB")


def test_no_old_cells_remain_next_to_a_cluster_that_a_terminal_joins():
    engine = engines.create("ghostty", COLS, 1)
    engine.feed(b"\x1b[?2027h")
    painter = Painter()
    for row in (row_in_grid("x" * COLS), row_in_grid("A👍🏽B")):
        engine.feed(painter.paint(Canvas(COLS, [row])))
    assert engine.lines(0, 1).text == ["A👍🏽  B"]
    # When a part of a joined cluster changes, the whole cluster is drawn again.
    engine.feed(painter.paint(Canvas(COLS, [row_in_grid("Axy🏽B")])))
    assert engine.lines(0, 1).text == ["Axy🏽B"]
    engine.close()


def test_a_letter_typed_at_the_cursor_is_painted_with_one_byte():
    painter = Painter(synchronized=True)
    before = Canvas(80, [fit(cells_of("$ ls"), 80), fit([], 80)], (4, 0, 0))
    painter.paint(before)
    after = Canvas(80, [fit(cells_of("$ lsx"), 80), before.rows[1]], (5, 0, 0))
    assert painter.paint(after) == b"x"


def test_an_unchanged_canvas_is_painted_without_any_bytes():
    painter = Painter()
    canvas = Canvas(10, [fit(cells_of("abc"), 10)], (1, 0, 0))
    painter.paint(canvas)
    assert painter.paint(Canvas(10, [list(canvas.rows[0])], (1, 0, 0))) == b""


def test_a_scroll_by_one_line_is_painted_with_few_bytes_besides_the_new_line():
    painter = Painter()
    lines = [fit(cells_of(f"line number {n}"), 80) for n in range(40)]
    painter.paint(Canvas(80, lines[:24], (0, 23, 0)))
    assert len(painter.paint(Canvas(80, lines[1:25], (0, 23, 0)))) < 40


def test_blanks_at_the_end_of_a_row_are_erased_instead_of_overwritten():
    painter = Painter()
    painter.paint(Canvas(80, [fit(cells_of("x" * 80), 80)]))
    assert painter.paint(Canvas(80, [fit(cells_of("x"), 80)])) == b"\x1b[1;2H\x1b[K"


def test_forget_causes_a_full_repaint():
    painter = Painter()
    canvas = Canvas(10, [fit(cells_of("abc"), 10)])
    first = painter.paint(canvas)
    painter.forget()
    assert b"abc" in painter.paint(canvas)
    assert b"abc" in first


def test_a_wide_glyph_cut_in_half_becomes_a_blank():
    row = cells_of("a語b")
    assert fit(row, 2) == [("a", ""), (" ", "")]
    assert fit(row, 2, 2) == [(" ", ""), ("b", "")]
    assert fit(row, 6) == [*row, BLANK, BLANK]


def test_control_characters_in_text_are_replaced():
    assert cells_of("a\x1b[2J\n\x9b\u202e\u2028", "1") == cells_of("a?[2J????", "1")
    assert cells_of("\u0301x") == [("x", "")]


def test_control_characters_in_rows_from_the_server_are_replaced():
    row = row_of([[0, 1, "a\x1b", ""], [2, 1, ["\x9b", "é\x07\u202e"], ""], [4, 2, "\x00", ""]], 6)
    assert [glyph for glyph, _style in row] == ["a", "?", "?", "é", "?", ""]


def test_private_use_characters_are_kept():
    assert cells_of("\ue0b0") == [("\ue0b0", "")]


def test_rows_from_the_server_are_converted_to_cells():
    row = row_of([[1, 1, "ab", "1"], [4, 2, "語", ""], [7, 1, ["e\u0301", "x"], "31"]], 10)
    assert row == [
        BLANK,
        ("a", "1"),
        ("b", "1"),
        BLANK,
        ("語", ""),
        ("", ""),
        BLANK,
        ("e\u0301", "31"),
        ("x", "31"),
        BLANK,
    ]

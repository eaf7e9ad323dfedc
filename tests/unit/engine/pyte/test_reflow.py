import pytest

from phux_core.engine import create


def resized(data, *sizes, start=(10, 4)):
    engine = create("pyte", *start)
    engine.feed(data.encode())
    for size in sizes:
        engine.resize(*size)
    return engine


def shown(engine):
    history = engine.history_rows
    text, wrapped = engine.lines(-history, history + engine.rows)
    while len(text) > history + 1 and not text[-1]:
        text.pop()
    return [line + "+" * flag for line, flag in zip(text, wrapped, strict=False)]


def test_a_wrapped_line_is_reflowed_to_the_new_width():
    engine = resized("abcdefghijklmno", (5, 4))
    assert shown(engine) == ["abcde+", "fghij+", "klmno+"]
    engine.resize(20, 4)
    assert shown(engine) == ["abcdefghijklmno"]


def test_wide_glyphs_are_never_cut():
    assert shown(resized("日本語日", (5, 4))) == ["日本+", "語日"]
    assert shown(resized("日本語日", (5, 4), (10, 4))) == ["日本語日"]


def test_a_wide_glyph_becomes_an_empty_row_in_a_terminal_with_one_column():
    assert shown(resized("a日b", (1, 9)))[:3] == ["a+", "+", "b+"]


def test_styles_and_combining_marks_move_with_their_cells():
    engine = resized("abc\x1b[1mde\u0301f\x1b[0mgh", (4, 4))
    assert [(span.row, span.col, span.text, span.style.bold) for span in engine.spans(0, 2)] == [
        (0, 0, "abc", False),
        (0, 3, "d", True),
        (1, 0, "e\u0301f", True),
        (1, 2, "gh", False),
    ]


def test_the_cursor_stays_on_its_character():
    engine = resized("abcdefghijklmno\x1b[1;7H", (5, 4))
    assert (engine.cursor().x, engine.cursor().y) == (1, 1)


def test_rows_that_do_not_fit_move_to_the_scrollback_and_back():
    engine = resized("1\r\n2\r\n3\r\n4", (10, 2))
    assert engine.history_rows == 2
    assert engine.lines(0, 2).text == ["3", "4"]
    engine.resize(10, 4)
    assert engine.lines(0, 4).text == ["1", "2", "3", "4"]


def test_new_rows_stay_empty_when_the_cursor_is_not_on_the_last_row():
    engine = resized("1\r\n2\r\n3\r\n4\r\n5\x1b[1;1H", (10, 6))
    assert engine.history_rows == 1
    assert engine.lines(0, 6).text == ["2", "3", "4", "5", "", ""]


def test_the_alternate_screen_is_cut_and_the_primary_screen_is_reflowed():
    engine = resized("abcdefghijklmno\x1b[?1049h\x1b[Habcdefghij\r\nx", (5, 4))
    assert engine.lines(0, 2).text == ["abcde", "x"]
    engine.feed(b"\x1b[?1049l")
    assert engine.lines(0, 3).text == ["abcde", "fghij", "klmno"]


def test_new_columns_get_tab_stops_and_existing_tab_stops_stay():
    engine = resized("\x1b[3g\x1b[4G\x1bH\r", (20, 4))
    engine.feed(b"\ta\tb")
    assert engine.lines(0, 1).text == ["   a            b"]


@pytest.mark.parametrize("size", [(0, 1), (1, 0), (1001, 1), (1, 1001), (-1, 5)])
def test_sizes_outside_1_to_1000_are_refused(size):
    engine = create("pyte", 10, 4)
    with pytest.raises(ValueError, match="must be 1 to 1000"):
        engine.resize(*size)
    assert (engine.cols, engine.rows) == (10, 4)

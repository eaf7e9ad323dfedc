import pytest

from phux_core.engine.pyte import rows
from phux_core.engine.pyte.rows import DEFAULT, MAX_MARKS, Row
from phux_core.engine.pyte.widths import WIDE

RED = "\x01"
BLUE = "\x02"


def row(text, styles="", marks=None):
    return Row(text.replace("_", WIDE), styles, marks)


def test_writing_behind_the_end_fills_the_gap_with_blanks():
    line = row("ab")
    rows.put(line, 4, "cd", RED, DEFAULT)
    assert line.text == "ab  cd"
    assert line.styles == DEFAULT * 4 + RED * 2


def test_writing_over_text_keeps_what_is_on_either_side():
    line = row("abcdef", RED * 6)
    rows.put(line, 2, "XY", BLUE, DEFAULT)
    assert line.text == "abXYef"
    assert line.styles == RED * 2 + BLUE * 2 + RED * 2


def test_plain_text_needs_no_styles():
    line = row("")
    rows.put(line, 0, "abc", DEFAULT, DEFAULT)
    assert line.styles == ""


@pytest.mark.parametrize(("column", "expected"), [(0, "x b"), (1, " xb"), (2, "日_x")])
def test_half_a_wide_glyph_becomes_a_blank(column, expected):
    line = row("日_b")
    rows.put(line, column, "x", DEFAULT, DEFAULT)
    assert line.text == expected.replace("_", WIDE)


def test_the_blank_left_of_half_a_glyph_takes_the_background_it_is_given():
    line = row("日_", RED * 2)
    rows.put(line, 1, "x", RED, BLUE)
    assert line.styles == BLUE + RED


def test_erasing_to_the_end_makes_the_row_shorter():
    line = row("abcdef", RED * 6)
    rows.erase(line, 2, 10, DEFAULT)
    assert (line.text, line.styles) == ("ab", RED * 2)


def test_erasing_in_a_colour_makes_cells_of_that_colour():
    line = row("ab")
    rows.erase(line, 1, 4, BLUE)
    assert (line.text, line.styles) == ("a   ", DEFAULT + BLUE * 3)


def test_erasing_the_middle_keeps_both_ends():
    line = row("abcdef", RED * 6)
    rows.erase(line, 2, 4, DEFAULT)
    assert (line.text, line.styles) == ("ab  ef", RED * 2 + DEFAULT * 2 + RED * 2)


def test_inserting_pushes_text_off_the_grid():
    line = row("abcdef")
    rows.insert(line, 1, 2, DEFAULT, 6)
    assert line.text == "a  bcd"


def test_a_wide_glyph_half_pushed_off_the_grid_is_a_blank():
    line = row("abc日_")
    rows.insert(line, 0, 1, DEFAULT, 5)
    assert line.text == " abc "


def test_deleting_pulls_text_and_styles_to_the_left():
    line = row("abcdef", RED * 3 + BLUE * 3)
    rows.delete(line, 1, 2, DEFAULT, 6)
    assert (line.text, line.styles) == ("adef", RED + BLUE * 3)


def test_marks_move_with_their_cells_and_go_with_them():
    line = row("abcd", "", {1: "\u0301", 3: "\u0302"})
    rows.insert(line, 0, 1, DEFAULT, 5)
    assert line.marks == {2: "\u0301", 4: "\u0302"}
    rows.delete(line, 0, 1, DEFAULT, 5)
    assert line.marks == {1: "\u0301", 3: "\u0302"}
    rows.put(line, 1, "x", DEFAULT, DEFAULT)
    assert line.marks == {3: "\u0302"}
    rows.erase(line, 2, 4, DEFAULT)
    assert line.marks is None


def test_a_cell_takes_no_more_marks_than_it_can_hold():
    line = row("a")
    for _ in range(MAX_MARKS + 5):
        rows.add_mark(line, 0, "\u0301")
    assert line.shown() == "a" + "\u0301" * MAX_MARKS


def test_a_mark_on_the_right_half_belongs_to_the_glyph():
    line = row("日_x")
    rows.add_mark(line, 1, "\u0301")
    assert line.shown() == "日\u0301x"


def test_what_is_shown_ends_with_the_last_glyph():
    assert row("日_ b  ").shown() == "日 b"


def test_runs_of_equal_styles():
    assert rows.runs("aab\n\n") == [(0, 2, "a"), (2, 3, "b"), (3, 5, "\n")]

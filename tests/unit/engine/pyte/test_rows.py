import pytest

from phux_core.engine.pyte import rows
from phux_core.engine.pyte.rows import DEFAULT, MAX_MARKS, Row
from phux_core.engine.pyte.widths import WIDE

RED = "\x01"
BLUE = "\x02"


def row(text, styles="", marks=None):
    return Row(text.replace("_", WIDE), styles, marks)


def test_writing_after_the_end_fills_the_gap_with_blanks():
    line = row("ab")
    rows.put(line, 4, "cd", RED, DEFAULT)
    assert line.text == "ab  cd"
    assert line.styles == DEFAULT * 4 + RED * 2


def test_overwriting_keeps_the_text_on_both_sides():
    line = row("abcdef", RED * 6)
    rows.put(line, 2, "XY", BLUE, DEFAULT)
    assert line.text == "abXYef"
    assert line.styles == RED * 2 + BLUE * 2 + RED * 2


def test_text_in_the_default_style_stores_no_styles():
    line = row("")
    rows.put(line, 0, "abc", DEFAULT, DEFAULT)
    assert line.styles == ""


@pytest.mark.parametrize(("column", "expected"), [(0, "x b"), (1, " xb"), (2, "日_x")])
def test_overwriting_half_of_a_wide_glyph_blanks_the_other_half(column, expected):
    line = row("日_b")
    rows.put(line, column, "x", DEFAULT, DEFAULT)
    assert line.text == expected.replace("_", WIDE)


def test_the_blank_of_an_overwritten_wide_glyph_has_the_given_style():
    line = row("日_", RED * 2)
    rows.put(line, 1, "x", RED, BLUE)
    assert line.styles == BLUE + RED


def test_erasing_to_the_end_shortens_the_row():
    line = row("abcdef", RED * 6)
    rows.erase(line, 2, 10, DEFAULT)
    assert (line.text, line.styles) == ("ab", RED * 2)


def test_erasing_with_a_background_creates_cells_of_that_background():
    line = row("ab")
    rows.erase(line, 1, 4, BLUE)
    assert (line.text, line.styles) == ("a   ", DEFAULT + BLUE * 3)


def test_erasing_the_middle_of_a_row_keeps_both_ends():
    line = row("abcdef", RED * 6)
    rows.erase(line, 2, 4, DEFAULT)
    assert (line.text, line.styles) == ("ab  ef", RED * 2 + DEFAULT * 2 + RED * 2)


def test_inserting_pushes_text_off_the_grid():
    line = row("abcdef")
    rows.insert(line, 1, 2, DEFAULT, 6)
    assert line.text == "a  bcd"


def test_a_wide_glyph_pushed_halfway_off_the_grid_becomes_a_blank():
    line = row("abc日_")
    rows.insert(line, 0, 1, DEFAULT, 5)
    assert line.text == " abc "


def test_deleting_moves_text_and_styles_to_the_left():
    line = row("abcdef", RED * 3 + BLUE * 3)
    rows.delete(line, 1, 2, DEFAULT, 6)
    assert (line.text, line.styles) == ("adef", RED + BLUE * 3)


def test_combining_marks_move_with_their_cells_and_are_removed_with_them():
    line = row("abcd", "", {1: "\u0301", 3: "\u0302"})
    rows.insert(line, 0, 1, DEFAULT, 5)
    assert line.marks == {2: "\u0301", 4: "\u0302"}
    rows.delete(line, 0, 1, DEFAULT, 5)
    assert line.marks == {1: "\u0301", 3: "\u0302"}
    rows.put(line, 1, "x", DEFAULT, DEFAULT)
    assert line.marks == {3: "\u0302"}
    rows.erase(line, 2, 4, DEFAULT)
    assert line.marks is None


def test_the_number_of_combining_marks_in_a_cell_is_limited():
    line = row("a")
    for _ in range(MAX_MARKS + 5):
        rows.add_mark(line, 0, "\u0301")
    assert line.shown() == "a" + "\u0301" * MAX_MARKS


def test_a_combining_mark_on_the_right_half_is_added_to_the_wide_glyph():
    line = row("日_x")
    rows.add_mark(line, 1, "\u0301")
    assert line.shown() == "日\u0301x"


def test_shown_text_omits_trailing_blanks():
    assert row("日_ b  ").shown() == "日 b"


def test_runs_groups_consecutive_equal_styles():
    assert rows.runs("aab\n\n") == [(0, 2, "a"), (2, 3, "b"), (3, 5, "\n")]

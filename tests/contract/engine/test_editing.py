"""Erasing, inserting, deleting and scrolling, inside and outside the margins."""

from itertools import product

import pytest

FULL = "aaaaa\r\nbbbbb\r\nccccc\r\nddddd"


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        ("\x1b[J", ["aaaaa", "bb"]),
        ("\x1b[0J", ["aaaaa", "bb"]),
        ("\x1b[1J", ["", "   bb", "ccccc", "ddddd"]),
        ("\x1b[2J", []),
        ("\x1b[K", ["aaaaa", "bb", "ccccc", "ddddd"]),
        ("\x1b[1K", ["aaaaa", "   bb", "ccccc", "ddddd"]),
        ("\x1b[2K", ["aaaaa", "", "ccccc", "ddddd"]),
        ("\x1b[X", ["aaaaa", "bb bb", "ccccc", "ddddd"]),
        ("\x1b[2X", ["aaaaa", "bb  b", "ccccc", "ddddd"]),
        ("\x1b[99X", ["aaaaa", "bb", "ccccc", "ddddd"]),
        ("\x1b[@", ["aaaaa", "bb bb", "ccccc", "ddddd"]),
        ("\x1b[2@", ["aaaaa", "bb  b", "ccccc", "ddddd"]),
        ("\x1b[99@", ["aaaaa", "bb", "ccccc", "ddddd"]),
        ("\x1b[P", ["aaaaa", "bbbb", "ccccc", "ddddd"]),
        ("\x1b[99P", ["aaaaa", "bb", "ccccc", "ddddd"]),
        ("\x1b[L", ["aaaaa", "", "bbbbb", "ccccc"]),
        ("\x1b[2L", ["aaaaa", "", "", "bbbbb"]),
        ("\x1b[99L", ["aaaaa"]),
        ("\x1b[M", ["aaaaa", "ccccc", "ddddd"]),
        ("\x1b[2M", ["aaaaa", "ddddd"]),
        ("\x1b[99M", ["aaaaa"]),
        ("\x1b[S", ["bbbbb", "ccccc", "ddddd"]),
        ("\x1b[2S", ["ccccc", "ddddd"]),
        ("\x1b[T", ["", "aaaaa", "bbbbb", "ccccc"]),
        ("\x1b[2T", ["", "", "aaaaa", "bbbbb"]),
        ("\x1b[99T", []),
        ("\x1b[9J", ["aaaaa", "bbbbb", "ccccc", "ddddd"]),
        ("\x1b[9K", ["aaaaa", "bbbbb", "ccccc", "ddddd"]),
    ],
    ids=lambda value: repr(value)[3:-1] if isinstance(value, str) else None,
)
def test_an_editing_sequence_changes_the_screen(term, sequence, expected):
    assert term(5, 4, FULL, "\x1b[2;3H", sequence).screen == expected


@pytest.mark.parametrize(
    "sequence", ["\x1b[J", "\x1b[1J", "\x1b[2J", "\x1b[K", "\x1b[2K", "\x1b[X", "\x1b[@", "\x1b[P"]
)
def test_erasing_and_shifting_do_not_move_the_cursor(term, sequence):
    assert term(5, 4, FULL, "\x1b[2;3H", sequence).at == (2, 1)


def test_inserting_and_deleting_lines_do_not_change_rows_below_the_bottom_margin(term):
    t = term(5, 4, FULL, "\x1b[1;3r\x1b[2;1H\x1b[L")
    assert t.screen == ["aaaaa", "", "bbbbb", "ddddd"]
    t = term(5, 4, FULL, "\x1b[1;3r\x1b[2;1H\x1b[M")
    assert t.screen == ["aaaaa", "ccccc", "", "ddddd"]


def test_inserting_and_deleting_lines_outside_the_margins_has_no_effect(term):
    assert term(5, 4, FULL, "\x1b[1;2r\x1b[4;1H\x1b[L\x1b[M").screen == FULL.split("\r\n")


def test_scrolling_up_in_a_region_moves_only_the_region(term):
    assert term(5, 4, FULL, "\x1b[2;3r\x1b[S").screen == ["aaaaa", "ccccc", "", "ddddd"]


def test_scrolling_down_in_a_region_moves_only_the_region(term):
    assert term(5, 4, FULL, "\x1b[2;3r\x1b[T").screen == ["aaaaa", "", "bbbbb", "ddddd"]


def test_a_line_feed_at_the_bottom_margin_scrolls_the_region(term):
    t = term(5, 4, FULL, "\x1b[2;3r\x1b[3;1H\nx")
    assert t.screen == ["aaaaa", "ccccc", "x", "ddddd"]
    assert t.history == []


def test_a_line_feed_below_the_bottom_margin_does_not_scroll(term):
    t = term(5, 4, FULL, "\x1b[1;2r\x1b[4;1H\n\nx")
    assert t.screen == ["aaaaa", "bbbbb", "ccccc", "xdddd"]


def test_reverse_index_at_the_top_margin_scrolls_the_region_down(term):
    assert term(5, 4, FULL, "\x1b[2;3r\x1b[2;1H\x1bM").screen == ["aaaaa", "", "bbbbb", "ddddd"]


def test_wrapping_at_the_bottom_margin_scrolls_the_region(term):
    assert term(3, 4, "a\r\nb\r\nc\r\nd\x1b[2;3r\x1b[3;1Hxyzw").screen == ["a", "xyz", "w", "d"]


@pytest.mark.parametrize(
    ("sequence", "columns"),
    [
        ("\x1b[K", range(2, 5)),
        ("\x1b[1K", range(3)),
        ("\x1b[2K", range(5)),
        ("\x1b[2X", range(2, 4)),
        ("\x1b[J", range(2, 5)),
    ],
    ids=["EL 0", "EL 1", "EL 2", "ECH", "ED 0"],
)
def test_erased_cells_have_the_current_background_color_and_no_other_style(term, sequence, columns):
    t = term(5, 2, "abcde\x1b[1;3H\x1b[1;4;7;31;44m", sequence)
    for column in columns:
        style = t.style(column)
        assert style.bg == 4
        assert style.fg is None
        assert (style.bold, style.underline, style.inverse) == (False, None, False)


def test_cells_that_scroll_in_have_the_current_background_color(term):
    t = term(5, 2, "ab\x1b[44m\x1b[S")
    assert t.style(0, 1).bg == 4


def test_cells_freed_by_deleting_characters_have_the_current_background_color(term):
    t = term(5, 1, "abcde\x1b[1;1H\x1b[42m\x1b[2P")
    assert t.screen == ["cde"]
    assert [t.style(column).bg for column in range(5)] == [None, None, None, 2, 2]


def test_inserting_and_deleting_leave_no_half_of_a_wide_character(term):
    assert term(6, 1, "漢字語\x1b[1;1H\x1b[@").screen == [" 漢字"]
    assert term(6, 1, "漢字語\x1b[1;2H\x1b[P").screen[0].strip() == "字語"


@pytest.mark.parametrize("sequence", ["\x1b[ @", "\x1b[2 A", "\x1b[2'}", "\x1b['~"], ids=["SL", "SR", "DECIC", "DECDC"])
def test_sequences_that_shift_columns_are_ignored(term, sequence):
    t = term(6, 3, "abc\r\ndef\x1b[2;2H", sequence)
    assert t.screen == ["abc", "def"]
    assert t.at == (1, 1)


AFTER_ERASE = ["", "\r", "\r\n", "\x1b[4;1H", "\x1b[D", "X", "\x1b[31mX", "\x1b[m\x1b[K\r\n", "\x1b[K\x1b[H"]


@pytest.mark.parametrize("erase", ["\x1b[K", "\x1b[0K", "\x1b[?K", "\x1b[m\x1b[K", "\x1b[J", "\x1b[0J", "\x1b[?J"])
def test_an_erase_to_the_right_with_a_wrap_pending_keeps_the_last_glyph(term, erase):
    for before, after in product(["", "\x1b[44m", "\x1b[2;1H", "\x1b[1;3H日本\x1b[1;1H"], AFTER_ERASE):
        whole, cut = term(6, 4, before, f"abcd日{erase}{after}"), term(6, 4, *f"{before}abcd日{erase}{after}")
        row = 1 if before == "\x1b[2;1H" else 0
        assert whole.screen == cut.screen, (before, after)
        assert whole.screen[row] == "abcd日", (before, after)
        assert whole.screen[row + 1 :] == (["X"] if "X" in after else []), (before, after)
        if not after:
            assert whole.at == (5, row), before


def test_colored_grep_matches_at_the_right_margin_are_not_erased(term):
    match = "\x1b[01;31m\x1b[Kj\x1b[m\x1b[K"
    assert term(5, 4, f"abcd{match}\r\nend").screen == ["abcdj", "end"]
    assert term(5, 4, f"abcd{match}{match}{match}ef\r\nend").screen == ["abcdj", "jjef", "end"]
    assert term(5, 4, f"abc{match}{match}\r\nend").screen == ["abcjj", "end"]


def test_an_erase_below_with_a_wrap_pending_erases_only_the_rows_below(term):
    t = term(4, 4, "1111\r\n2222\r\n3333\r\n4444\x1b[2;1Habcd\x1b[J")
    assert t.screen == ["1111", "abcd"]
    assert t.at == (3, 1)
    t.feed("\r\nX")
    assert t.screen == ["1111", "abcd", "X"]


@pytest.mark.parametrize(
    ("erase", "left"), [("\x1b[1K", "2222"), ("\x1b[2K", "2222"), ("\x1b[1J", "2222"), ("\x1b[2J", "")]
)
def test_an_erase_to_the_left_with_a_wrap_pending_erases_the_whole_row(term, erase, left):
    t = term(4, 2, "\x1b[2;1H2222\x1b[1;1Habcd", erase)
    assert t.screen == (["", left] if left else [])


def test_an_erase_of_an_unknown_kind_keeps_a_pending_wrap(term):
    assert term(3, 2, "abc\x1b[7Kd").screen == ["abc", "d"]


def test_a_clipped_wide_glyph_has_the_same_effect_when_fed_character_by_character(term):
    stream = "\x1b[?7labc漢\u0301"
    whole, cut = term(3, 1, stream), term(3, 1, *stream)
    assert whole.at == cut.at == (2, 0)
    assert whole.spans == cut.spans


def test_erasing_the_scrollback_keeps_the_screen(term):
    t = term(5, 2, "a\r\nb\r\nc\r\nd")
    assert t.history == ["a", "b"]
    t.feed("\x1b[3J")
    assert t.history == []
    assert t.screen == ["c", "d"]


def test_the_screen_alignment_pattern_fills_the_screen_and_moves_the_cursor_home(term):
    t = term(3, 2, "\x1b[2;2H\x1b#8")
    assert t.screen == ["EEE", "EEE"]
    assert t.at == (0, 0)

"""Printing: graphic, wide and combining characters, the right margin, tabs and the simple controls."""

import pytest


def test_text_is_printed_at_the_cursor(term):
    t = term(10, 3, "ab\r\ncd")
    assert t.screen == ["ab", "cd"]
    assert t.at == (2, 1)


def test_line_feed_keeps_the_column_and_carriage_return_the_row(term):
    t = term(10, 4, "ab\ncd\re")
    assert t.screen == ["ab", "e cd"]
    assert t.at == (1, 1)


@pytest.mark.parametrize("control", ["\n", "\v", "\f", "\x1bD"], ids=["LF", "VT", "FF", "IND"])
def test_each_kind_of_line_feed_moves_down(term, control):
    t = term(10, 3, "ab", control, "c")
    assert t.screen == ["ab", "  c"]


def test_next_line_returns_the_carriage_and_feeds_a_line(term):
    t = term(10, 3, "ab\x1bEc")
    assert t.screen == ["ab", "c"]


def test_reverse_index_moves_up_and_scrolls_down_at_the_top(term):
    t = term(10, 3, "a\r\nb\x1bMx\x1bM\x1b[1Gnew")
    assert t.screen == ["new", "ax", "b"]


def test_a_line_feed_returns_the_carriage_in_newline_mode(term):
    t = term(10, 3, "\x1b[20hab\ncd\x1b[20l\nx")
    assert t.screen == ["ab", "cd", "  x"]


def test_backspace_moves_left_and_stops_at_the_first_column(term):
    t = term(10, 2, "abc\b\bX\b\b\b\b\bY")
    assert t.screen == ["YXc"]


def test_a_full_row_leaves_the_cursor_in_the_last_column_with_a_wrap_pending(term):
    t = term(5, 3, "abcde")
    assert t.at == (4, 0)
    assert t.screen == ["abcde"]
    assert t.wrapped == [False, False, False]


def test_a_character_after_a_full_row_wraps_and_flags_the_row_as_soft_wrapped(term):
    t = term(5, 3, "abcdef")
    assert t.screen == ["abcde", "f"]
    assert t.at == (1, 1)
    assert t.wrapped == [True, False, False]


@pytest.mark.parametrize(
    ("control", "expected"),
    [
        ("\r", ["Xbcde"]),
        ("\b", ["abcXe"]),
        ("\x1b[C", ["abcdX"]),
        ("\x1b[D", ["abcXe"]),
        ("\x1b[1K", ["    X"]),
        ("\n", ["abcde", "    X"]),
        ("\x1b[1;2H", ["aXcde"]),
    ],
    ids=["CR", "BS", "CUF", "CUB", "EL 1", "LF", "CUP"],
)
def test_moving_the_cursor_cancels_a_pending_wrap(term, control, expected):
    assert term(5, 3, "abcde", control, "X").screen == expected


def test_changing_colors_does_not_cancel_a_pending_wrap(term):
    assert term(5, 3, "abcde\x1b[31mX").screen == ["abcde", "X"]


def test_without_autowrap_the_last_column_is_overwritten(term):
    t = term(5, 3, "\x1b[?7labcdefgh")
    assert t.screen == ["abcdh"]
    assert t.at == (4, 0)
    t.feed("\r\x1b[?7hABCDEF")
    assert t.screen == ["ABCDE", "F"]


def test_wrapping_on_the_last_row_scrolls(term):
    t = term(3, 2, "abcdefg")
    assert t.screen == ["def", "g"]
    assert t.history == ["abc"]


def test_overwriting_the_start_of_a_wrapped_line_keeps_the_rest(term):
    t = term(4, 3, "abcdef\x1b[1;1Hxy")
    assert t.screen == ["xycd", "ef"]


def test_wide_characters_take_two_columns(term):
    t = term(6, 2, "漢字x")
    assert t.screen == ["漢字x"]
    assert t.at == (5, 0)


def test_a_wide_character_that_does_not_fit_wraps_to_the_next_row(term):
    t = term(5, 3, "abcd漢")
    assert t.screen == ["abcd", "漢"]
    assert t.wrapped[0] is True
    assert t.at == (2, 1)


def test_a_wide_character_may_end_in_the_last_column(term):
    t = term(4, 2, "ab漢")
    assert t.screen == ["ab漢"]
    assert t.at == (3, 0)
    t.feed("x")
    assert t.screen == ["ab漢", "x"]


@pytest.mark.parametrize(("column", "expected"), [(1, "X 字"), (2, " X字"), (3, "漢X"), (4, "漢 X")])
def test_overwriting_half_of_a_wide_character_blanks_the_other_half(term, column, expected):
    assert term(6, 1, "漢字", f"\x1b[1;{column}HX").screen == [expected]


def test_a_wide_character_that_overwrites_two_halves_blanks_the_other_halves(term):
    assert term(8, 1, "漢字", "\x1b[1;2H", "語").screen == [" 語"]


def test_erasing_half_of_a_wide_character_blanks_both_halves(term):
    assert term(8, 1, "a漢b\x1b[1;3H\x1b[X").screen == ["a  b"]


def test_a_terminal_of_one_column_accepts_wide_characters(term):
    t = term(1, 3, "漢a字b")
    assert t.at[0] == 0
    assert "".join(t.history + t.screen).replace(" ", "").strip("漢字") in {"ab", "b", "a漢b", "a字b"}


def test_combining_marks_join_the_character_before_them(term):
    t = term(10, 1, "e\u0301x")
    assert t.screen == ["e\u0301x"]
    assert t.at == (2, 0)


def test_a_combining_mark_with_a_wrap_pending_joins_the_last_column(term):
    t = term(3, 2, "abe\u0301")
    assert t.screen == ["abe\u0301"]
    assert t.at == (2, 0)
    t.feed("x")
    assert t.screen == ["abe\u0301", "x"]


def test_a_combining_mark_joins_a_wide_character(term):
    t = term(10, 1, "漢\u0301x")
    assert t.screen == ["漢\u0301x"]
    assert t.at == (3, 0)


def test_characters_after_a_joiner_or_a_variation_selector_are_kept(term):
    t = term(20, 1, "a\u200db \u2602\ufe0f. 👨\u200d👩\u200d👧!")
    text = t.screen[0]
    for part in ("a", "b", "\u2602", ".", "👨", "👩", "👧", "!"):
        assert part in text
    assert text.endswith("!")


def test_a_zero_width_space_uses_no_column(term):
    t = term(10, 1, "a\u200bb")
    assert t.at == (2, 0)
    assert t.screen[0].replace("\u200b", "") == "ab"


def test_emoji_are_wide(term):
    t = term(10, 1, "🚀x")
    assert t.at == (3, 0)


def test_tabs_move_to_every_eighth_column(term):
    t = term(30, 1, "a\tb\tc")
    assert t.screen == ["a       b       c"]


def test_a_tab_stops_in_the_last_column_and_does_not_wrap(term):
    t = term(10, 2, "a\t\t\tx")
    assert t.screen == ["a        x"]
    assert t.at == (9, 0)


def test_tab_stops_can_be_set_and_cleared(term):
    t = term(30, 2, "\x1b[3g\x1b[5G\x1bH\x1b[12G\x1bH\r\tx\ty\tz")
    assert t.screen[0].index("x") == 4
    assert t.screen[0].index("y") == 11
    assert t.screen[0].index("z") == 29
    t.feed("\r\n\x1b[5G\x1b[0g\r\tw")
    assert t.screen[1].index("w") == 11


def test_tabs_can_move_forward_and_backward_by_count(term):
    t = term(40, 1, "\x1b[2Ia\x1b[2Ib")
    assert t.screen[0].index("a") == 16
    assert t.screen[0].index("b") == 32
    t.feed("\x1b[2Zc")
    assert t.screen[0].index("c") == 24
    t.feed("\x1b[99Zd")
    assert t.screen[0].index("d") == 0


def test_a_full_reset_restores_the_tab_stops(term):
    assert term(20, 1, "\x1b[3g\x1bc\tx").screen == ["        x"]


def test_repeat_prints_the_last_character_again(term):
    assert term(10, 2, "ab\x1b[3b").screen == ["abbbb"]


def test_repeat_wraps_like_printing(term):
    assert term(4, 3, "ab\x1b[5b").screen == ["abbb", "bbb"]


def test_repeat_works_for_wide_characters(term):
    assert term(10, 1, "漢\x1b[2b").screen == ["漢漢漢"]


def test_insert_mode_shifts_text_to_the_right(term):
    t = term(6, 1, "abcdef\x1b[1;3H\x1b[4hXY")
    assert t.screen == ["abXYcd"]
    t.feed("\x1b[4lZ")
    assert t.screen == ["abXYZd"]


def test_insert_mode_shifts_text_by_two_columns_for_a_wide_character(term):
    assert term(6, 1, "abcd\x1b[1;2H\x1b[4h漢").screen == ["a漢bcd"]


def test_utf8_fed_byte_by_byte_is_decoded(term):
    t = term(10, 1)
    for byte in "é漢🚀".encode():
        t.feed(bytes([byte]))
    assert t.screen == ["é漢🚀"]


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (b"\xff", 1),
        (b"\x80\x80", 2),
        (b"\xc3", 1),
        (b"\xe2\x82", 1),
        (b"\xf0\x9f\x98", 1),
        (b"\xc0\xaf", 2),
        (b"\xe0\x80\xaf", 3),
        (b"\xed\xa0\x80", 3),
        (b"\xf4\x90\x80\x80", 4),
        (b"\xf8\x88\x80\x80\x80", 5),
        (b"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf", 4),
        (b"\x9b", 1),
    ],
    ids=repr,
)
def test_each_maximal_part_of_invalid_utf8_becomes_one_replacement_character(term, data, count):
    """Unicode recommends one replacement for each maximal valid prefix of a character, however the stream is split."""
    expected = ["a" + "\ufffd" * count + "b"]
    assert term(20, 1, b"a" + data + b"b").screen == expected
    assert term(20, 1, b"a", *(data[at : at + 1] for at in range(len(data))), b"b").screen == expected


@pytest.mark.parametrize("control", [b"\xc2\x9b31m", b"\xc2\x84", b"\xc2\x85", b"\xc2\x9d0;t\x07"], ids=repr)
def test_c1_controls_encoded_in_utf8_have_no_effect(term, control):
    t = term(20, 2, b"a" + control + b"b")
    assert t.screen == ["a" + control[2:].decode().replace("\x07", "") + "b"]
    assert t.style(0) == t.style(5)
    assert t.engine.title is None


@pytest.mark.parametrize("blank", ["\xa0", "\u2003", "\u3000"])
def test_only_plain_spaces_are_removed_at_the_end_of_a_row(term, blank):
    """Some prompts end in other blanks, and tmux shows them."""
    assert term(20, 2, f"$ x{blank}{blank}  ").screen == [f"$ x{blank}{blank}"]


def test_an_escape_sequence_inside_a_utf8_character_is_executed(term):
    t = term(20, 1, b"a\xe2\x82\x1b[5Gb")
    assert t.screen[0].replace("\ufffd", " ") == "a   b"


@pytest.mark.parametrize("data", [b"a\0b", b"\0\0ab", b"a\x7fb", b"a\x16b", b"a\x11\x13b"])
def test_nul_delete_and_unused_controls_print_nothing(term, data):
    assert term(10, 1, data).screen == ["ab"]


def test_controls_inside_a_sequence_are_executed(term):
    t = term(10, 3, "abc\x1b[\n2Dx")
    assert t.screen == ["abc", " x"]


@pytest.mark.parametrize("control", ["\x18", "\x1a"], ids=["CAN", "SUB"])
def test_cancel_ends_a_sequence_without_executing_it(term, control):
    t = term(10, 3, "abc\x1b[2", control, "Dx")
    assert [text.replace("\ufffd", "") for text in t.screen] == ["abcDx"]


def test_escape_inside_a_sequence_starts_a_new_sequence(term):
    assert term(10, 3, "abc\x1b[2\x1b[1;1HX").screen == ["Xbc"]


@pytest.mark.parametrize("name", ["B", "1", "2"])
def test_a_charset_without_line_drawing_prints_letters(term, name):
    assert term(10, 1, "\x1b(", name, "qx").screen == ["qx"]


def test_a_long_repeat_scrolls_like_printing(term):
    t = term(10, 3, "a\x1b[202bX")
    assert t.screen == ["aaaaaaaaaa", "aaaaaaaaaa", "aaaX"]
    assert t.at == (4, 2)

"""Cursor motions, their defaults and limits; margins and origin mode; saving and restoring the cursor."""

import pytest


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        ("\x1b[A", (4, 2)),
        ("\x1b[0A", (4, 2)),
        ("\x1b[2A", (4, 1)),
        ("\x1b[99A", (4, 0)),
        ("\x1b[B", (4, 4)),
        ("\x1b[2B", (4, 5)),
        ("\x1b[99B", (4, 5)),
        ("\x1b[C", (5, 3)),
        ("\x1b[3C", (7, 3)),
        ("\x1b[99C", (9, 3)),
        ("\x1b[D", (3, 3)),
        ("\x1b[2D", (2, 3)),
        ("\x1b[99D", (0, 3)),
        ("\x1b[E", (0, 4)),
        ("\x1b[2E", (0, 5)),
        ("\x1b[F", (0, 2)),
        ("\x1b[99F", (0, 0)),
        ("\x1b[G", (0, 3)),
        ("\x1b[7G", (6, 3)),
        ("\x1b[99G", (9, 3)),
        ("\x1b[7`", (6, 3)),
        ("\x1b[2a", (6, 3)),
        ("\x1b[d", (4, 0)),
        ("\x1b[2d", (4, 1)),
        ("\x1b[99d", (4, 5)),
        ("\x1b[2e", (4, 5)),
        ("\x1b[H", (0, 0)),
        ("\x1b[2;3H", (2, 1)),
        ("\x1b[;3H", (2, 0)),
        ("\x1b[3H", (0, 2)),
        ("\x1b[0;0H", (0, 0)),
        ("\x1b[99;99H", (9, 5)),
        ("\x1b[2;3f", (2, 1)),
        ("\x1b[999999999C", (9, 3)),
        ("\x1b[999999999B", (4, 5)),
        ("\x1b[999999999;999999999H", (9, 5)),
        ("\x1b[99999999999999999999D", (0, 3)),
        ("\x1b[00000000002;0000000003H", (2, 1)),
        ("\x1b[2j", (2, 3)),
        ("\x1b[2k", (4, 1)),
    ],
    ids=lambda value: repr(value)[3:-1] if isinstance(value, str) else None,
)
def test_a_motion_moves_the_cursor_and_stops_at_the_edges(term, sequence, expected):
    t = term(10, 6, "\x1b[4;5H", sequence)
    assert t.at == expected


def test_motions_do_not_scroll(term):
    t = term(10, 3, "a\r\nb\r\nc\x1b[9B\x1b[9A")
    assert t.screen == ["a", "b", "c"]
    assert t.history == []


def test_motions_inside_the_margins_stop_at_the_margins(term):
    t = term(10, 6, "\x1b[2;4r\x1b[3;1H\x1b[9A")
    assert t.at == (0, 1)
    t.feed("\x1b[9B")
    assert t.at == (0, 3)


def test_motions_outside_the_margins_stop_at_the_edges_of_the_screen(term):
    t = term(10, 6, "\x1b[2;4r\x1b[6;1H\x1b[2A")
    assert t.at == (0, 3)
    t.feed("\x1b[1;1H\x1b[9A")
    assert t.at == (0, 0)
    t.feed("\x1b[6;1H\x1b[9B")
    assert t.at == (0, 5)


def test_setting_margins_moves_the_cursor_home(term):
    assert term(10, 6, "\x1b[4;4H\x1b[2;5r").at == (0, 0)


@pytest.mark.parametrize("margins", ["\x1b[4;2r", "\x1b[3;3r", "\x1b[9;12r"])
def test_invalid_margins_are_ignored(term, margins):
    t = term(10, 4, "\x1b[3;3H", margins)
    assert t.at == (2, 2)


def test_origin_mode_counts_from_the_top_margin_and_keeps_the_cursor_inside(term):
    t = term(10, 6, "\x1b[2;4r\x1b[?6h")
    assert t.at == (0, 1)
    t.feed("\x1b[2;3H")
    assert t.at == (2, 2)
    t.feed("\x1b[99;1H")
    assert t.at == (0, 3)
    t.feed("\x1b[1d")
    assert t.at == (0, 1)
    t.feed("\x1b[?6l")
    assert t.at == (0, 0)


@pytest.mark.parametrize("before", [b"\xe9", b"\x1b]2;t", b"\x1bPx", b"\x1b[3"])
@pytest.mark.parametrize("sequence", [b"\x1b[!p", b"\x1b[22;0t", b"\x1b[K", b"\x1b[3C"])
def test_a_sequence_that_interrupts_another_has_the_same_effect_when_fed_byte_by_byte(term, before, sequence):
    stream = b"ab" + before + sequence + b"x"
    whole, pieces = term(20, 2, stream), term(20, 2, *(stream[at : at + 1] for at in range(len(stream))))
    assert pieces.state() == whole.state()
    assert sorted(map(repr, pieces.effects)) == sorted(map(repr, whole.effects))


def test_reverse_wrap_moves_back_only_over_soft_wraps(term):
    t = term(4, 3, "ab\r\ncdefgh\x1b[?45h\b\b\b\b")
    assert t.at == (2, 1)
    t.feed("\x1b[9D")
    assert t.at == (0, 1)


def test_backspace_without_reverse_wrap_stops_at_the_first_column(term):
    assert term(4, 3, "abcdef\b\b\b").at == (0, 1)


def test_the_cursor_report_counts_from_the_top_margin_in_origin_mode(term):
    t = term(10, 6, "\x1b[2;4r\x1b[?6h\x1b[2;3H")
    assert t.ask("\x1b[6n") == b"\x1b[2;3R"


@pytest.mark.parametrize(("save", "restore"), [("\x1b7", "\x1b8"), ("\x1b[s", "\x1b[u")], ids=["DECSC", "SCOSC"])
def test_restoring_the_cursor_moves_it_to_the_saved_position_each_time(term, save, restore):
    t = term(10, 4, "\x1b[2;3H", save, "\x1b[4;7Hx", restore)
    assert t.at == (2, 1)
    t.feed("\x1b[1;1H", restore)
    assert t.at == (2, 1)


def test_saving_the_cursor_saves_its_style_and_charset(term):
    t = term(20, 2, "\x1b[1;31m\x1b(0\x1b7\x1b[m\x1b(Ba\x1b8q")
    assert t.screen == ["─"]
    assert t.style().bold
    assert t.style().fg == 1


def test_saving_the_cursor_saves_origin_mode_and_the_pending_wrap(term):
    t = term(5, 4, "\x1b[2;3r\x1b[?6h\x1b7\x1b[?6l\x1b8\x1b[1;1H")
    assert t.at == (0, 1)
    t = term(3, 3, "abc\x1b7\x1b[3;1H\x1b8d")
    assert t.screen == ["abc", "d"]


def test_restoring_a_cursor_that_was_never_saved_moves_it_home_with_default_style(term):
    t = term(10, 4, "\x1b[3;3H\x1b[31m\x1b8x")
    assert t.screen == ["x"]
    assert t.style().fg is None


@pytest.mark.parametrize(
    ("number", "shape", "blinking"),
    [
        (1, "block", True),
        (2, "block", False),
        (3, "underline", True),
        (4, "underline", False),
        (5, "bar", True),
        (6, "bar", False),
    ],
)
def test_decscusr_sets_the_shape_and_blinking_of_the_cursor(term, number, shape, blinking):
    cursor = term(10, 2, f"\x1b[{number} q").engine.cursor()
    assert (cursor.shape, cursor.blinking) == (shape, blinking)


def test_the_cursor_can_be_read_inside_an_unfinished_sequence(term):
    assert term(10, 2, "\x1b[5 qab\x1b[3").engine.cursor() == (2, 0, True, "bar", True)


def test_mode_25_shows_and_hides_the_cursor(term):
    t = term(10, 2, "\x1b[?25l")
    assert not t.engine.cursor().visible
    t.feed("\x1b[?25h")
    assert t.engine.cursor().visible

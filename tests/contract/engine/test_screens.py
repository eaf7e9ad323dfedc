"""The alternate screen, resets and character sets."""

import pytest

ALTERNATES = ("47", "1047", "1049")


@pytest.mark.parametrize("mode", ALTERNATES)
def test_leaving_the_alternate_screen_restores_the_primary_screen(term, mode):
    t = term(10, 3, "primary", f"\x1b[?{mode}h\x1b[H\x1b[2Jalt")
    assert t.screen == ["alt"]
    assert t.engine.modes().alt_screen
    t.feed(f"\x1b[?{mode}l")
    assert t.screen == ["primary"]
    assert not t.engine.modes().alt_screen


def test_mode_1049_saves_the_cursor_and_clears_the_alternate_screen(term):
    t = term(10, 4, "ab\r\ncd\x1b[?1049h")
    assert t.screen == []
    t.feed("\x1b[4;9Hx\x1b[?1049l")
    assert t.at == (2, 1)
    t.feed("\x1b[?1049h")
    assert t.screen == []


def test_mode_47_does_not_clear_the_alternate_screen(term):
    t = term(10, 3, "\x1b[?47h\x1b[Hkept\x1b[?47l\x1b[?47h")
    assert t.screen == ["kept"]


def test_rows_that_scroll_off_the_alternate_screen_do_not_become_history(term):
    t = term(10, 2, "1\r\n2\r\n3", "\x1b[?1049ha\r\nb\r\nc\r\nd\x1b[?1049l")
    assert t.history == ["1"]
    assert t.screen == ["2", "3"]


def test_history_can_be_read_while_the_alternate_screen_is_shown(term):
    t = term(10, 2, "1\r\n2\r\n\x1b[31m3\r\n4\x1b[?1049h\x1b[Halt")
    assert t.engine.history_rows == 2
    assert t.engine.lines(-2, 3).text == ["1", "2", "alt"]
    assert [(span.row, span.text) for span in t.engine.spans(-2, 3)] == [(-2, "1"), (-1, "2"), (0, "alt")]


def test_the_history_size_is_current_while_the_alternate_screen_is_shown(term):
    t = term(10, 2, "1\r\n2\r\n3\x1b[?1049h")
    assert t.engine.history_rows == 1
    t.feed("\x1b[?1049l\r\n4\r\n5\x1b[?1049h")
    assert t.engine.history_rows == 3
    for byte in b"\x1b[?1049l\r\n6\x1b[?1049h":
        t.feed(bytes([byte]))
        assert t.engine.history_rows >= 3
    assert t.engine.history_rows == 4
    t.feed("\x1bc")
    assert t.engine.history_rows == 0


def test_leaving_the_alternate_screen_once_suffices_after_entering_it_twice(term):
    t = term(10, 2, "a\x1b[?1049h\x1b[?1049h\x1b[?1049l")
    assert t.screen == ["a"]
    t.feed("\x1b[?1049l")
    assert t.screen == ["a"]


def test_a_full_reset_clears_text_history_style_and_modes(term):
    t = term(
        10, 3, "a\r\nb\r\nc\r\nd\x1b[1;31m\x1b[2;3r\x1b[?6h\x1b[?7l\x1b[?25l\x1b[?1h\x1b[?2004h\x1b[4h\x1b(0\x1bcq"
    )
    assert t.screen == ["q"]
    assert t.history == []
    assert t.style().fg is None
    modes = t.engine.modes()
    assert (modes.application_cursor, modes.bracketed_paste, modes.alt_screen) == (False, False, False)
    assert t.engine.cursor().visible


def test_a_full_reset_leaves_the_alternate_screen(term):
    t = term(10, 2, "a\x1b[?1049hb\x1bc")
    assert not t.engine.modes().alt_screen
    assert t.screen == []


def test_a_soft_reset_resets_modes_and_keeps_the_text(term):
    t = term(10, 4, "text\x1b[31m\x1b[2;3r\x1b[?6h\x1b[4h\x1b[?25l\x1b[?1h\x1b[!p")
    assert t.screen == ["text"]
    assert t.engine.cursor().visible
    assert not t.engine.modes().application_cursor
    t.feed("\x1b[4;1Hx")
    assert t.at == (1, 3)
    assert t.style(0, 3).fg is None


LINE_DRAWING = {
    "`": "◆",
    "a": "▒",
    "f": "°",
    "g": "±",
    "h": "␤",
    "i": "␋",
    "j": "┘",
    "k": "┐",
    "l": "┌",
    "m": "└",
    "n": "┼",
    "q": "─",
    "t": "├",
    "u": "┤",
    "v": "┴",
    "w": "┬",
    "x": "│",
    "y": "≤",
    "z": "≥",
    "{": "π",
    "|": "≠",
    "}": "£",
    "~": "·",
}


def test_the_line_drawing_set_maps_letters_to_lines(term):
    t = term(40, 1, "\x1b(0", "".join(LINE_DRAWING), "\x1b(Bq")
    assert t.screen == ["".join(LINE_DRAWING.values()) + "q"]


def test_shift_in_and_shift_out_select_the_character_set(term):
    assert term(20, 1, "\x1b)0a\x0eq\x0fq\x0ex\x0f").screen == ["a─q│"]


def test_the_line_drawing_set_keeps_capitals_and_digits(term):
    assert term(20, 1, "\x1b(0ABC123").screen == ["ABC123"]


def test_the_british_set_has_a_pound_sign(term):
    assert term(20, 1, "\x1b(A#\x1b(B#").screen == ["£#"]


@pytest.mark.parametrize(
    "sequence", ["\x1b*B", "\x1b+B", "\x1b-A", "\x1b.A", "\x1b%G", "\x1b%@", "\x1b F", "\x1b(%5", "\x1b#3"]
)
def test_other_charset_designations_print_nothing(term, sequence):
    assert term(20, 1, "a", sequence, "\x1b%Gb").screen == ["ab"]


def test_leaving_the_alternate_screen_with_mode_1047_cancels_a_pending_wrap(term):
    assert term(5, 2, "abcde\x1b[?1047h\x1b[?1047lX").screen == ["abcdX"]
    assert term(5, 2, "abcde\x1b[?47h\x1b[?47lX").screen == ["abcde", "X"]

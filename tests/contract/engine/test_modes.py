"""Modes that can be read from the engine, and replies to queries."""

import re

import pytest

from phux_core.engine.protocol import Reply
from phux_core.version import __version__


@pytest.mark.parametrize(
    ("number", "field", "value"),
    [
        (1, "application_cursor", True),
        (2004, "bracketed_paste", True),
        (1004, "focus_events", True),
        (2026, "synchronized_output", True),
        (9, "mouse", "x10"),
        (1000, "mouse", "normal"),
        (1002, "mouse", "button"),
        (1003, "mouse", "any"),
        (1005, "mouse_format", "utf8"),
        (1006, "mouse_format", "sgr"),
        (1015, "mouse_format", "urxvt"),
        (1016, "mouse_format", "sgr_pixels"),
        (66, "application_keypad", True),
        (1049, "alt_screen", True),
    ],
)
def test_a_mode_can_be_set_and_reset(term, number, field, value):
    t = term()
    before = getattr(t.engine.modes(), field)
    assert before != value
    t.feed(f"\x1b[?{number}h")
    assert getattr(t.engine.modes(), field) == value
    t.feed(f"\x1b[?{number}l")
    assert getattr(t.engine.modes(), field) == before


def test_one_sequence_can_set_several_modes(term):
    modes = term(10, 2, "\x1b[?1;1002;1006;2004h").engine.modes()
    assert modes.application_cursor
    assert modes.bracketed_paste
    assert (modes.mouse, modes.mouse_format) == ("button", "sgr")


def test_decpam_and_decpnm_set_and_reset_the_keypad_mode(term):
    t = term(10, 2, "\x1b=")
    assert t.engine.modes().application_keypad
    t.feed("\x1b>")
    assert not t.engine.modes().application_keypad


def test_ansi_modes_are_not_private_modes(term):
    assert not term(10, 2, "\x1b[1h\x1b[2004h").engine.modes().application_cursor


def test_kitty_keyboard_flags_are_pushed_and_popped(term):
    t = term(10, 2, "\x1b[>1u")
    assert t.engine.modes().kitty_flags == 1
    t.feed("\x1b[>5u")
    assert t.engine.modes().kitty_flags == 5
    assert t.ask("\x1b[?u") == b"\x1b[?5u"
    t.feed("\x1b[<u")
    assert t.engine.modes().kitty_flags == 1
    t.feed("\x1b[=2;2u")
    assert t.engine.modes().kitty_flags == 3
    t.feed("\x1b[=1;3u")
    assert t.engine.modes().kitty_flags == 2
    t.feed("\x1b[<9u")
    assert t.engine.modes().kitty_flags == 0


@pytest.mark.parametrize(
    ("query", "reply"),
    [
        ("\x1b[c", rb"\x1b\[\?6[0-9][0-9;]*c"),
        ("\x1b[0c", rb"\x1b\[\?6[0-9][0-9;]*c"),
        ("\x1b[>c", rb"\x1b\[>[0-9]+;[0-9]+;[0-9]+c"),
        ("\x1b[5n", rb"\x1b\[0n"),
        ("\x1b[6n", rb"\x1b\[2;3R"),
        ("\x1b[>q", rb"\x1bP>\|phux " + re.escape(__version__.encode()) + rb"\x1b\\"),
        ("\x1b[>0q", rb"\x1bP>\|phux " + re.escape(__version__.encode()) + rb"\x1b\\"),
        ("\x1b[18t", rb"\x1b\[8;4;10t"),
        ("\x1b[14t", rb"\x1b\[4;64;80t"),
        ("\x1b[16t", rb"\x1b\[6;16;8t"),
        ("\x1b]10;?\x07", rb"\x1b\]10;rgb:[0-9a-f]{4}/[0-9a-f]{4}/[0-9a-f]{4}\x07"),
        ("\x1b]11;?\x1b\\", rb"\x1b\]11;rgb:[0-9a-f]{4}/[0-9a-f]{4}/[0-9a-f]{4}\x1b\\"),
        ("\x1b]4;1;?\x07", rb"\x1b\]4;1;rgb:[0-9a-f]{4}/[0-9a-f]{4}/[0-9a-f]{4}\x07"),
        ("\x1b[?1$p", rb"\x1b\[\?1;2\$y"),
        ("\x1b[?7$p", rb"\x1b\[\?7;1\$y"),
        ("\x1b[?2004$p", rb"\x1b\[\?2004;2\$y"),
        ("\x1b[?2026$p", rb"\x1b\[\?2026;2\$y"),
        ("\x1b[?31999$p", rb"\x1b\[\?31999;0\$y"),
        ("\x1b[4$p", rb"\x1b\[4;2\$y"),
        ("\x1b[?u", rb"\x1b\[\?0u"),
        ("\x1bP$qm\x1b\\", rb"\x1bP1\$r0?m\x1b\\"),
        ("\x1b[1;31;107m\x1bP$qm\x1b\\", rb"\x1bP1\$r0;1;31;107m\x1b\\"),
        ("\x1b[38;5;12;48;5;200m\x1bP$qm\x1b\\", rb"\x1bP1\$r0;94;48:5:200m\x1b\\"),
        ("\x1b[38;2;1;2;3m\x1bP$qm\x1b\\", rb"\x1bP1\$r0;38:2::1:2:3m\x1b\\"),
        ("\x1bP+q524742\x1b\\", rb"\x1bP1\+r524742=38\x1b\\"),
    ],
    ids=lambda value: repr(value)[1:-1] if isinstance(value, str) else "",
)
def test_the_terminal_replies_to_a_query_and_prints_nothing(term, query, reply):
    t = term(10, 4, "\x1b[2;3H")
    assert re.fullmatch(reply, t.ask(query))
    assert t.screen == []


def test_a_mode_report_has_the_current_state(term):
    t = term(10, 4, "\x1b[?2004h\x1b[4h")
    assert t.ask("\x1b[?2004$p") == b"\x1b[?2004;1$y"
    assert t.ask("\x1b[4$p") == b"\x1b[4;1$y"


def test_the_title_is_not_reported(term):
    # Otherwise a program could make the terminal type a command into the shell.
    assert b"evil" not in term(10, 2, "\x1b]2;evil\x07").ask("\x1b[21t")


@pytest.mark.parametrize("query", ["\x1b[?15n", "\x1b[?996n", "\x05", "\x1bP+q524742\x1b\\", "\x1b[=c"])
def test_other_queries_are_never_printed(term, query):
    t = term(20, 2, query, "x")
    assert t.screen == ["x"]


def test_a_size_report_has_the_current_size(term):
    t = term(10, 4)
    t.engine.resize(30, 7)
    assert t.ask("\x1b[18t") == b"\x1b[8;7;30t"


def test_mode_2048_reports_the_size_at_once_and_after_each_resize(term):
    t = term(10, 4)
    assert t.engine.resize(11, 4) == []
    assert t.ask("\x1b[?2048h\x1b[?2048$p") == b"\x1b[48;4;11;64;88t\x1b[?2048;1$y"
    assert t.engine.resize(100, 30) == [Reply(b"\x1b[48;30;100;480;800t")]
    t.feed("\x1b[?2048l")
    assert t.engine.resize(10, 4) == []
    assert t.feed("") == []


def test_replies_have_the_order_of_the_queries(term):
    assert term(10, 4).ask("\x1b[5n\x1b[6n\x1b[5n") == b"\x1b[0n\x1b[1;1R\x1b[0n"


def test_deccolm_clears_the_screen_but_keeps_the_width(term):
    t = term(10, 3, "abc\x1b[?3h")
    assert t.screen == ["abc"]  # ignored unless mode 40 is set
    t.feed("\x1b[?40h\x1b[2;3r\x1b[2;2H\x1b[?3h")
    assert (t.engine.cols, t.screen, t.at) == (10, [], (0, 0))
    t.feed("\x1b[1;99Hx\x1b[?3l", "y" * 11)
    assert t.screen == ["yyyyyyyyyy", "y"]


def test_a_soft_reset_turns_autowrap_on(term):
    assert term(3, 2, "\x1b[?7l\x1b[!pabcd").screen == ["abc", "d"]

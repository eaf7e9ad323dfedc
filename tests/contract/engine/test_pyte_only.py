"""Sequences that only the pyte engine executes: libghostty ignores them or reads them differently (docs/engines.md)."""

import pytest


@pytest.fixture
def engine_name():
    """Run the tests of this module with the pyte engine only."""
    return "pyte"


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        ("\x1b[0P", ["a", "ce", "f"]),
        ("\x1b[0@", ["a", "c de", "f"]),
        ("\x1b[0X", ["a", "c e", "f"]),
        ("\x1b[0L", ["a", "", "cde", "f"]),
        ("\x1b[0M", ["a", "f"]),
        ("\x1b[0S", ["cde", "f"]),
        ("\x1b[0T", ["", "a", "cde", "f"]),
        ("\x1b[2;7P", ["a", "c", "f"]),
        ("\x1b[1;7T", ["", "a", "cde", "f"]),
        ("\x1b[1;2;3;4;5T", ["a", "cde", "f"]),  # xterm's highlight tracking
        ("\x1b[1;1J", ["", "  e", "f"]),
    ],
    ids=lambda value: repr(value)[3:-1] if isinstance(value, str) else None,
)
def test_an_edit_treats_a_count_of_zero_as_one_and_ignores_extra_parameters(term, sequence, expected):
    assert term(5, 5, "a\r\ncde\r\nf\x1b[2;2H", sequence).screen == expected


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        ("\x1b[3;9D", (1, 3)),
        ("\x1b[2;9A", (4, 1)),
        ("\x1b[2;3;4H", (2, 1)),
        ("\x1b[2;3;4;5f", (2, 1)),
        ("\x1b[0a", (5, 3)),
        ("\x1b[0e", (4, 4)),
    ],
    ids=lambda value: repr(value)[3:-1] if isinstance(value, str) else None,
)
def test_a_motion_treats_a_count_of_zero_as_one_and_ignores_extra_parameters(term, sequence, expected):
    assert term(10, 6, "\x1b[4;5H", sequence).at == expected


@pytest.mark.parametrize("final", ["G", "`"])
def test_moving_to_a_column_keeps_the_row_in_origin_mode(term, final):
    t = term(10, 6, "\x1b[3;5r\x1b[?6h\x1b[2;1H")
    t.feed(f"\x1b[7{final}")
    assert t.at == (6, 3)
    t.feed("\x1b[?6l\x1b[r\x1b[2;2H", f"\x1b[4{final}")
    assert t.at == (3, 1)


def test_relative_motions_start_at_the_cursor_in_origin_mode(term):
    t = term(10, 6, "\x1b[3;5r\x1b[?6h\x1b[2a")
    assert t.at == (2, 2)
    t.feed("\x1b[e")
    assert t.at == (2, 3)


def test_tbc_without_a_parameter_clears_the_tab_stop_at_the_cursor(term):
    assert term(20, 1, "\x1b[9G\x1b[g\x1b[G\tx").at == (17, 0)


def test_the_extended_cursor_position_is_reported(term):
    assert term(10, 4, "\x1b[2;3H").ask("\x1b[?6n") == b"\x1b[?2;3R"

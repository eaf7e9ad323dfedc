"""``as_written`` returns the plain text that a terminal would show for an output."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phux_core.engine.plain import as_written


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"one\r\ntwo\r\n", "one\ntwo"),
        (b"one\ntwo", "one\ntwo"),
        (b"a\tb  \r\n\r\nc\r\n\r\n", "a\tb  \n\nc"),
        (b"\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mrgb\x1b[m\x1b[4:3mcurly\x1b[24m\r\n", "red rgbcurly"),
        (b"\x1b]0;title\x07text\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\r\n", "textlink"),
        (b"\x1bP1$r0m\x1b\\x\x1b_apc\x1b\\y\r\n", "xy"),
        (b"bell\x07 nul\x00\r\n", "bell nul"),
        (b" 10%\r 50%\r100%\r\ndone\r\n", "100%\ndone"),
        (b"long progress\rshort\x1b[K\r\n", "short"),
        (b"abc\b\bX\r\n", "aXc"),
        (b"one\r\ntwo\r\nthree\r\n\x1b[2A\x1b[2KTWO\r\n\r\n", "one\nTWO\nthree"),
        ("漢字 ünïcödé 🎉\r\n".encode(), "漢字 ünïcödé 🎉"),
        (b"bad \xff utf-8\r\n", "bad � utf-8"),
        (b"x\r\r\ny\r\n", "x\ny"),
        (b"\x1b[?1049h\x1b[Hfull screen\x1b[?1049lafter\r\n", "after"),
        (b"\x1b[?2004h$ \x1b[01;31mab\x1b[m\x1b[K\r\n\x1b[?2004l\rout\r", "$ ab\nout"),
        (b"one\r\x1b[m\x1b[K\r\ntwo\r\x1b[K", ""),
        (b"\x1b(0q\x1b(B\r\n", "─"),
        (b"x" * 250 + b"\x1b[K\r\nend", "x" * 250 + "\nend"),
    ],
)
def test_control_sequences_are_applied_and_only_text_remains(data, text):
    assert as_written(data, cols=80, rows=24) == text


def test_soft_wrapped_rows_are_joined_without_changing_blanks_or_wide_glyphs():
    assert as_written(b"\x1b[1Gaaaa bbbb\r\n", cols=5, rows=3) == "aaaa bbbb"
    assert as_written("\x1b[1G漢漢漢漢\r\n".encode(), cols=5, rows=3) == "漢漢漢漢"


def test_output_longer_than_the_screen_and_history_is_returned_completely():
    lines = [f"line {number}" for number in range(30_000)]
    assert as_written("\r\n".join(lines).encode(), cols=80, rows=24) == "\n".join(lines)
    moved = "\r\n".join(f"{line}\x1b[K" for line in lines).encode()
    assert as_written(moved, cols=80, rows=24) == "\n".join(lines)


@given(st.lists(st.text(st.characters(codec="ascii", categories=["L", "N", "P", "Zs"]), max_size=200), max_size=20))
def test_the_text_is_the_same_with_and_without_an_engine(lines):
    plain = "\r\n".join(lines)
    trimmed = "\n".join(line.rstrip() for line in lines).rstrip("\n")
    with_terminal = as_written(("\x1b[1G" + plain).encode(), cols=40, rows=10)
    assert "\n".join(line.rstrip() for line in with_terminal.split("\n")) == trimmed
    without = as_written(plain.encode(), cols=40, rows=10)
    assert "\n".join(line.rstrip() for line in without.split("\n")).rstrip("\n") == trimmed


@given(st.binary(max_size=300), st.integers(1, 200), st.integers(1, 60))
def test_any_bytes_are_converted_without_an_error(data, cols, rows):
    assert isinstance(as_written(data, cols=cols, rows=rows), str)

"""Hostile input: memory and time stay bounded, and the following text is shown correctly."""

import gc
import random
import time

import pytest

from .conftest import resident_bytes

MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def frozen_heap():
    """Exclude all existing objects from garbage collection, because scanning them on each collection is slow."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def bounded(frozen_heap):
    """Check that a test uses less than 100 MiB of memory and 30 seconds."""
    gc.collect()
    memory, start = resident_bytes(), time.monotonic()
    yield
    assert time.monotonic() - start < 30
    assert resident_bytes() - memory < 100 * MEGABYTE


@pytest.mark.parametrize(
    "opening",
    [
        "\x1b]0;",
        "\x1b]",
        "\x1b]8;;",
        "\x1b]7748;",
        "\x1b]133;A;",
        "\x1b]7;file://",
        "\x1b]52;c;",
        "\x1b]99999999;",
        "\x1bP",
        "\x1bPq",
        "\x1bP$q",
        "\x1bP+q",
        "\x1b_",
        "\x1b_G",
        "\x1b^",
        "\x1bX",
    ],
    ids=repr,
)
def test_text_after_a_very_long_control_string_is_shown(term, bounded, opening):
    for filler in (b"x", b"1", b";"):
        t = term(20, 3, "before ", opening)
        for _ in range(8):
            t.feed(filler * (MEGABYTE // 4))
        t.feed("\x1b\\", "after")
        assert t.screen == ["before after"], filler


def test_a_title_of_a_megabyte_leaves_the_terminal_usable(term, bounded):
    t = term(20, 3, b"\x1b]2;" + b"t" * MEGABYTE + b"\x07", "after")
    assert t.screen == ["after"]
    assert len(t.engine.title or "") <= MEGABYTE


@pytest.mark.parametrize("final", "ABCDEFGHIJKLMPSTXZ@`abdefghlmnrtu")
def test_huge_parameters_leave_the_terminal_usable(term, bounded, final):
    for number in ("999999999", "65536", "4294967297", "99999999999999999999999999"):
        t = term(20, 5, f"a\x1b[{number}{final}\x1b[{number};{number}{final}", "\x1b[?25h\x1bc", "after")
        assert t.screen == ["after"], number


def test_huge_repeat_counts_leave_the_terminal_usable(term, bounded):
    t = term(20, 3, "x\x1b[999999999b" * 3, "\x1b[2J\x1b[H", "after")
    assert t.screen == ["after"]


def test_a_million_parameters_leave_the_terminal_usable(term, bounded):
    t = term(20, 3, "a\x1b[", "1;" * MEGABYTE, "m", "\x1b[m\rafter")
    assert t.screen == ["after"]


def test_a_parameter_of_a_million_digits_leaves_the_terminal_usable(term, bounded):
    t = term(20, 3, "a\x1b[", "1" * MEGABYTE, "C", "\rafter")
    assert t.screen[0].startswith("after")


def test_a_million_intermediate_bytes_leave_the_terminal_usable(term, bounded):
    t = term(20, 3, "a\x1b[", " " * MEGABYTE, "q\x1b", "(" * 1000, "B", "\r\x1b[Kafter")
    assert t.screen == ["after"]


def test_many_combining_marks_on_one_character_leave_the_terminal_usable(term, bounded):
    t = term(20, 3, "e" + "\u0301" * 200_000, "x\r\nafter")
    assert t.screen[1] == "after"
    assert t.at == (5, 1)


def test_a_megabyte_of_nuls_prints_nothing(term, bounded):
    assert term(20, 3, b"\0" * MEGABYTE, "after").screen == ["after"]


def test_a_megabyte_of_newlines_fills_the_history_up_to_its_limit(term, bounded):
    t = term(200, 50, b"\n" * MEGABYTE, "\rafter")
    assert t.engine.history_rows == 10_000
    assert t.screen[-1] == "after"


def test_a_megabyte_of_invalid_utf8_leaves_the_terminal_usable(term, bounded):
    t = term(20, 3, b"\xff" * MEGABYTE, b"\xe2\x82", "\r\n\x1b[Kafter")
    assert t.screen[-1] == "after"


def test_thousands_of_bells_in_one_feed_are_reported_once(term, bounded):
    assert len(term().feed(b"\x07" * 50_000)) == 1


def test_huge_scroll_counts_leave_the_terminal_usable(term, bounded):
    t = term(20, 3, "\x1b[999999999S\x1b[999999999T\x1b[999999999L\x1b[999999999M" * 100, "\x1b[Hafter")
    assert t.screen == ["after"]


@pytest.mark.parametrize("seed", range(8))
def test_the_cursor_and_spans_stay_on_the_screen_after_random_bytes(term, bounded, seed):
    rng = random.Random(seed)
    pieces = [
        b"\x1b[",
        b"\x1b]",
        b"\x1bP",
        b"\x1b",
        b"\x9b",
        b"?",
        b";",
        b"\r\n",
        "漢é👨\u200d".encode(),
        b"\x07",
        b"\x1b\\",
        b"\x18",
        b"m",
        b"H",
        b"J",
        b"1049h",
        b"7748;",
        b"133;D;1",
    ]
    cols, rows = 20, 5
    t = term(cols, rows)
    for _ in range(60):
        data = b"".join(
            rng.choice(pieces) if rng.random() < 0.6 else rng.randbytes(rng.randrange(1, 6)) for _ in range(100)
        )
        t.feed(data)
        if rng.random() < 0.3:
            cols, rows = rng.randrange(1, 60), rng.randrange(1, 20)
            t.engine.resize(cols, rows)
        x, y = t.at
        assert 0 <= x < cols
        assert 0 <= y < rows
        lines = t.engine.lines(-3, rows + 3)
        assert len(lines.text) == len(lines.wrapped)
        for span in t.engine.spans(-3, rows + 3):
            assert span.col >= 0
            assert span.col + span.count * span.width <= cols
        t.engine.modes()
    t.feed("\x18\x1bc\x1b[2Jafter")
    assert t.screen == ["after"]


@pytest.mark.parametrize("final", [" @", "'}", "G", "P", "H", "t", "n", "p", "g"])
def test_misplaced_private_markers_in_a_sequence_do_not_raise(term, final):
    for body in ("!", "?", "!2", "2?", "?!;1", ";!", "3;?"):
        t = term(10, 4, "\x1b[?6h", f"\x1b[{body}{final}", "\x1bc", "ok")
        assert t.screen == ["ok"], body

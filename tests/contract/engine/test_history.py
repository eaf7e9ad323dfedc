"""Scrollback, soft wraps and resizing."""

import random

import pytest

from phux_core.engine.protocol import MAX_SIZE


def test_rows_that_scroll_off_become_history(term):
    t = term(10, 2, "1\r\n2\r\n3\r\n4")
    assert t.history == ["1", "2"]
    assert t.engine.lines(-1, 2).text == ["2", "3"]


def test_rows_that_do_not_exist_are_omitted(term):
    t = term(10, 2, "1\r\n2\r\n3")
    assert t.engine.lines(-5, 100).text == ["1", "2", "3"]
    assert t.engine.lines(2, 5).text == []
    assert t.engine.lines(-9, 2).text == []
    assert t.engine.lines(0, 0).text == []
    assert t.engine.spans(5, 5) == []


@pytest.mark.parametrize("cols", [20, 80, 500])
@pytest.mark.parametrize("kind", ["plain", "styled", "wide"])
def test_the_default_limit_keeps_ten_thousand_rows_of_any_width_and_content(term, cols, kind):
    t = term(cols, 24)
    filler = {
        "plain": "x" * (cols - 8),
        "styled": "\x1b[1;31mab\x1b[44mcd\x1b[m" * ((cols - 8) // 4),
        "wide": "漢" * ((cols - 8) // 2),
    }[kind]
    total = 11_000
    for start in range(0, total, 500):
        t.feed("".join(f"{number} {filler}\r\n" for number in range(start, start + 500)))
    assert t.engine.history_rows == 10_000
    oldest = total - 23 - 10_000
    assert t.engine.lines(-10_000, 1).text[0].split()[0] == str(oldest)
    assert len(t.engine.lines(-10_000, 10_000).text) == 10_000
    assert t.engine.lines(-10_001, 1).text == []


def test_the_limit_holds_for_any_mixture_of_small_and_large_rows(term):
    rng = random.Random(1)
    limit, rows, total = 1500, 10, 0
    t = term(40, rows, history=limit)
    for _ in range(60):
        kind, count = rng.choice(["plain", "short", "styled", "wide"]), rng.choice([5, 100, 900])
        if kind == "styled":
            count = min(count, 200)
        lines = []
        for _ in range(count):
            color = f"{total % 256};{total // 256 % 256}"
            filler = {
                "plain": "x" * 30,
                "short": "",
                "styled": "".join(f"\x1b[38;2;{color};{column}mx" for column in range(30)) + "\x1b[m",
                "wide": "漢e\u0301" * 9,
            }[kind]
            lines.append(f"{total} {filler}\r\n")
            total += 1
        t.feed("".join(lines))
        expected = min(limit, max(0, total - rows + 1))
        assert t.engine.history_rows == expected
        if expected:
            assert t.engine.lines(-expected, 1).text[0].split()[0] == str(total - rows + 1 - expected)


@pytest.mark.parametrize("limit", [0, 1, 5, 100, 3000])
def test_the_limit_is_exact(term, limit):
    t = term(20, 4, history=limit)
    t.feed("".join(f"{number}\r\n" for number in range(5000)))
    assert t.engine.history_rows == limit
    assert t.history == [str(number) for number in range(5000 - 3 - limit, 5000 - 3)]


def test_the_limit_can_be_changed(term):
    t = term(20, 4, history=10)
    t.feed("".join(f"{number}\r\n" for number in range(100)))
    assert t.engine.history_rows == 10
    t.engine.set_history_limit(4)
    assert t.history == ["93", "94", "95", "96"]
    t.engine.set_history_limit(0)
    assert t.history == []
    t.feed("".join(f"{number}\r\n" for number in range(100, 200)))
    assert t.history == []
    t.engine.set_history_limit(3)
    t.feed("".join(f"{number}\r\n" for number in range(200, 300)))
    assert t.history == ["294", "295", "296"]


def test_erasing_the_screen_keeps_history(term):
    t = term(10, 2, "1\r\n2\r\n3\x1b[2J")
    assert t.history[:1] == ["1"]


def test_the_soft_wrap_flag_is_kept_in_history(term):
    t = term(4, 2, "abcdefghij\r\nx\r\ny")
    assert t.engine.lines(-3, 3) == (["abcd", "efgh", "ij"], [True, True, False])


def test_a_line_feed_sets_no_soft_wrap_flag(term):
    assert term(4, 3, "abcd\r\nefgh").wrapped == [False, False, False]


def test_narrowing_reflows_a_long_line(term):
    t = term(10, 4, "abcdefghij\r\nxy")
    t.engine.resize(5, 4)
    assert t.screen == ["abcde", "fghij", "xy"]
    assert t.wrapped[:2] == [True, False]
    assert t.at == (2, 2)


def test_widening_joins_wrapped_rows(term):
    t = term(5, 4, "abcdefghij\r\nxy")
    t.engine.resize(10, 4)
    assert t.screen == ["abcdefghij", "xy"]
    assert t.at == (2, 1)


def test_resizing_back_to_the_first_width_restores_the_text(term):
    text = "the quick brown fox jumps over the lazy dog\r\nand\r\n漢字漢字漢字漢字漢字\r\nend"
    t = term(60, 10, text)
    before = t.screen
    for cols in (7, 33, 5, 60):
        t.engine.resize(cols, 10)
    joined = t.engine.lines(-t.engine.history_rows, t.engine.history_rows + 10).text
    while joined and not joined[-1]:
        joined.pop()
    assert [line for line in joined if line] == before


def test_reflow_keeps_styles(term):
    t = term(10, 4, "abcd\x1b[31mefgh\x1b[mij")
    t.engine.resize(5, 4)
    assert [(span.row, span.col, span.text, span.style.fg) for span in t.spans] == [
        (0, 0, "abcd", None),
        (0, 4, "e", 1),
        (1, 0, "fgh", 1),
        (1, 3, "ij", None),
    ]


def test_reflow_includes_history(term):
    t = term(10, 2, "0123456789\r\na\r\nb\r\nc")
    t.engine.resize(5, 2)
    everything = t.engine.lines(-t.engine.history_rows, t.engine.history_rows + 2)
    assert everything.text == ["01234", "56789", "a", "b", "c"]
    assert everything.wrapped[0] is True


def test_the_cursor_moves_with_its_text_on_reflow(term):
    t = term(10, 4, "abcdefgh\x1b[1;7H")
    t.engine.resize(4, 4)
    assert t.at == (2, 1)
    t.feed("X")
    assert t.screen == ["abcd", "efXh"]


def test_reducing_rows_moves_the_top_rows_into_history(term):
    t = term(10, 4, "1\r\n2\r\n3\r\n4")
    t.engine.resize(10, 2)
    assert t.history + t.screen == ["1", "2", "3", "4"]
    assert t.at[1] == 1


def test_the_alternate_screen_does_not_reflow(term):
    t = term(10, 3, "\x1b[?1049h\x1b[Habcdefgh")
    t.engine.resize(4, 3)
    assert t.screen[0] == "abcd"
    assert t.engine.cols == 4


def test_the_primary_screen_reflows_while_the_alternate_screen_is_shown(term):
    t = term(10, 4, "abcdefgh\x1b[?1049hx")
    t.engine.resize(4, 4)
    t.feed("\x1b[?1049l")
    assert t.screen == ["abcd", "efgh"]


def test_resizing_resets_the_margins(term):
    t = term(10, 6, "\x1b[2;3r")
    t.engine.resize(10, 5)
    t.feed("\x1b[5;1Hx\n")
    assert "x" in t.screen[3]


@pytest.mark.parametrize("size", [(0, 5), (5, 0), (-1, 5), (MAX_SIZE + 1, 5), (5, MAX_SIZE + 1)])
def test_a_size_out_of_range_raises_and_changes_nothing(term, size):
    t = term(10, 4, "abc")
    with pytest.raises(ValueError):
        t.engine.resize(*size)
    assert (t.engine.cols, t.engine.rows) == (10, 4)
    assert t.screen == ["abc"]


@pytest.mark.parametrize("size", [(1, 1), (MAX_SIZE, 1), (1, MAX_SIZE), (MAX_SIZE, MAX_SIZE)])
def test_the_smallest_and_largest_sizes_work(term, size):
    t = term(*size)
    t.feed("abc\r\n\x1b[31m漢字\x1b[m\r\n\x1b[999;999Hx\x1b[2Jy")
    x, y = t.at
    assert 0 <= x < size[0]
    assert 0 <= y < size[1]
    assert len(t.engine.lines(0, size[1]).text) == size[1]

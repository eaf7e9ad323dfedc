"""Reading, truncating, stripping and searching a log, without a server."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phux_core.errors import BadRequestError, NoSuchTargetError
from phux_core.logs import sizes, text
from phux_core.logs.cutting import cut
from phux_core.logs.places import LogId
from phux_core.logs.reading import Query, read, read_log
from phux_core.logs.searching import _in_raw_bytes, _matches, required_text, search
from phux_core.logs.stored import Held
from phux_core.logs.writing import LogWriter

LOG = LogId("20260101T000000Z-1-abcd", 3)


def held(data, offset=0):
    return Held(offset, data)


def read_data(data, offset=0, **query):
    return read(held(data, offset), Query(**query))


MODES = ["rendered", "stripped", "raw"]
NUMBERS = b"".join(b"%d\r\n" % number for number in range(1, 1001))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("count", [1, 2, 200, 999, 1000, 5000])
def test_the_option_lines_selects_exactly_the_last_n_lines(mode, count):
    result = read_data(NUMBERS, lines=count, mode=mode)
    lines = result["content"].replace("\r", "").split("\n")
    assert lines == [str(number) for number in range(max(1, 1001 - count), 1001)]
    assert result["returned_lines"] == min(count, 1000)
    assert result["total_lines"] == 1000
    assert result["truncated"] is (count < 1000)
    assert result["omitted"] == max(0, 1000 - count)
    assert result["eof"]


def test_the_last_500_lines_are_returned_by_default():
    result = read_data(NUMBERS)
    assert result["returned_lines"] == 500
    assert result["content"].startswith("501\n")


def test_cursor_motion_does_not_reduce_the_number_of_lines():
    bars = b"".join(b"step %d\r\n\x1b[1A\x1b[2K" % number for number in range(50)) + b"done\r\n"
    result = read_data(b"".join(b"line %d\r\n" % number for number in range(100)) + bars, lines=10)
    assert result["content"].split("\n") == [*(f"line {number}" for number in range(91, 100)), "done"]


def test_each_part_of_a_log_is_rendered_at_its_size():
    data = b"a long line that wraps\x1b[Gx\r\n"
    narrow, wide = "a long line that wraxs", "x long line that wraps"
    sizes = [(0, 20, 24), (len(data), 80, 24), (2 * len(data), 20, 24)]
    assert read_data(data * 3, sizes=sizes)["content"].split("\n") == [narrow, wide, narrow]
    assert read_data(data * 2, len(data), sizes=sizes)["content"].split("\n") == [wide, narrow]


def test_damaged_and_old_sizes_of_a_log_are_replaced():
    assert sizes.load({"sizes": [[5, 100, 30], "x", [1, 2], [0, 80, 0], [0, 90, 30]]}) == [(0, 90, 30), (5, 100, 30)]
    assert sizes.load({"sizes": "x", "cols": 90, "rows": 30}) == [(0, 90, 30)]
    assert sizes.load({"cols": None}) == [sizes.DEFAULT]


def test_the_number_of_stored_sizes_is_bounded():
    kept = []
    for offset in range(2 * sizes.MOST):
        kept = sizes.with_size(kept, offset, 80 + offset % 2, 24)
    assert len(kept) == sizes.MOST
    assert kept[-1] == (2 * sizes.MOST - 1, 81, 24)


def test_output_before_since_is_omitted():
    place = NUMBERS.index(b"990\r")
    result = read_data(NUMBERS, since=place)
    assert result["content"].split("\n") == [str(number) for number in range(990, 1001)]
    assert result["first_byte"] == place
    assert result["dropped"] == 0
    assert read_data(NUMBERS, since=0)["returned_lines"] == 1000
    assert read_data(NUMBERS, since=0, tail=3)["content"] == "998\n999\n1000"


def test_requested_bytes_that_were_deleted_are_counted_as_dropped():
    result = read_data(b"kept\r\n", offset=1000, since=400)
    assert result["dropped"] == 600
    result = read_data(b"kept\r\n", offset=1000, from_byte=400)
    assert (result["dropped"], result["first_byte"], result["content"]) == (600, 1000, "kept\n")


def test_grep_searches_all_stored_output_and_head_and_tail_limit_the_matches():
    assert read_data(NUMBERS, grep="^1..$", tail=2)["content"] == "198\n199"
    assert read_data(NUMBERS, grep="^1..$", head=2)["content"] == "100\n101"
    result = read_data(NUMBERS, grep="^1..$", head=1, tail=1)
    assert result["content"] == "100\n[phux: 98 lines left out]\n199"
    assert (result["returned_lines"], result["omitted"], result["truncated"]) == (2, 98, True)
    assert read_data(NUMBERS, grep="^500$", context=1)["content"] == "499\n500\n501"
    assert read_data(NUMBERS, grep="^1$|^3$", context=1)["content"] == "1\n2\n3\n4"
    assert read_data(NUMBERS, lines=5, grep="7")["content"] == "997"
    assert read_data(NUMBERS, grep="nothing")["content"] == ""


def test_max_bytes_keeps_whole_lines_from_both_ends():
    result = read_data(NUMBERS, lines=1000, max_bytes=40)
    assert len(result["content"].encode()) < 40 + len("[phux: 1000 lines left out]\n")
    lines = result["content"].split("\n")
    assert lines[0] == "1"
    assert lines[-1] == "1000"
    assert result["truncated"]
    assert result["omitted"] == 1000 - result["returned_lines"]


def test_a_line_of_ten_megabytes_is_truncated_and_marked():
    data = b"before\r\n" + b"x" * 10_000_000
    result = read_data(data, lines=1, max_bytes=1000)
    assert len(result["content"]) < 1100
    assert re.search(r"\[phux: 99990\d\d bytes left out\]", result["content"])
    assert result["truncated"]
    both = read_data(data, lines=2)
    assert re.fullmatch(r"before\nx+\[phux: 89514\d\d bytes left out\]x+", both["content"])
    assert (both["returned_lines"], both["omitted"], both["truncated"]) == (2, 0, True)
    assert read_data(data, head=1)["content"] == "before"
    assert len(read_data(data[8:], head=1)["content"]) < 1_100_000
    assert read_data(data + b"\r\nafter\r\n", lines=1)["content"] == "after"


def test_binary_output_is_returned_as_text_and_raw_mode_preserves_every_byte():
    data = random.Random(1).randbytes(100_000)
    result = read_data(data, lines=10**9)
    assert isinstance(result["content"], str)
    parts, place = [], 0
    while place < len(data):
        result = read_data(data, from_byte=place, max_bytes=777, mode="raw")
        parts.append(result["content"].encode("utf-8", "surrogateescape"))
        place = result["next_byte"]
        assert result["eof"] is (place == len(data))
    assert b"".join(parts) == data


@given(st.binary(max_size=300), st.integers(1, 50))
@settings(max_examples=200, deadline=None)
def test_reading_by_bytes_ends_and_returns_all_output(data, size):
    for mode in MODES:
        place = 0
        raw = b""
        for _ in range(len(data) + 1):
            result = read_data(data, from_byte=place, max_bytes=size, mode=mode)
            assert result["first_byte"] == place
            raw += result["content"].encode("utf-8", "surrogateescape") if mode == "raw" else b""
            place = result["next_byte"]
            if result["eof"]:
                break
        assert place == len(data)
        assert mode != "raw" or raw == data


def test_reading_text_by_bytes_splits_neither_lines_nor_characters():
    data = "日本語\r\nécole\r\n🚀 go\r\n".encode() * 50
    place, lines = 0, []
    while place < len(data):
        result = read_data(data, from_byte=place, max_bytes=40)
        assert "\ufffd" not in result["content"]
        lines += result["content"].split("\n")[:-1]
        place = result["next_byte"]
    assert lines == ["日本語", "école", "🚀 go"] * 50


def test_an_incomplete_last_line_is_omitted_with_whole_lines():
    result = read_data(b"one\r\ntwo\r\nthr", lines=5, whole_lines=True)
    assert (result["content"], result["next_byte"]) == ("one\ntwo", 10)
    assert read_data(b"one\r\ntwo\r\n", lines=5, whole_lines=True)["next_byte"] == 10
    assert read_data(b"on", lines=5, whole_lines=True)["next_byte"] == 0
    assert read_data(b"", lines=0, whole_lines=True)["next_byte"] == 0


def test_reading_with_whole_lines_does_not_advance_past_an_incomplete_line():
    assert read_data(b"one\r\ntw", from_byte=0, whole_lines=True)["next_byte"] == 5
    assert read_data(b"one\r\ntw", from_byte=5, whole_lines=True)["next_byte"] == 5
    assert read_data(b"one\r\ntw", from_byte=0)["next_byte"] == 7


def test_reading_with_max_bytes_of_zero_does_not_advance(tmp_path):
    root = str(tmp_path / "logs")
    writer = LogWriter(root, LOG)
    for number in range(3):
        writer.write(10 * number, b"123456789\n")
        writer.close()
    assert read_data(NUMBERS, from_byte=7, max_bytes=0)["next_byte"] == 7
    assert read_log(root, LOG, Query(from_byte=7, max_bytes=0))["next_byte"] == 7


def test_only_the_ends_of_long_output_are_rendered_but_all_lines_are_counted(monkeypatch):
    rendered = []
    render = text.render
    monkeypatch.setattr(text, "render", lambda data, sizes: rendered.append(len(data)) or render(data, sizes))
    line = b"y" * 98
    data = (line + b"\r\n") * 100_000 + b"the end\r\n"
    result = read_data(data, since=0, until=len(data))
    assert result["content"].endswith("y\nthe end")
    assert result["returned_lines"] + result["omitted"] == result["total_lines"] == 100_001
    assert 1_048_000 < len(result["content"]) < 1_048_700
    assert f"\n[phux: {result['omitted']} lines left out]\n" in result["content"]
    assert sum(rendered) < len(data) / 2
    both = read_data(data, head=1, tail=1)
    assert both["content"] == f"{line.decode()}\n[phux: 99999 lines left out]\nthe end"
    assert read_data(data, since=0, until=len(data), head=1)["omitted"] == 100_000
    assert read_data(data, lines=100_000)["content"].endswith("the end")


@given(
    st.lists(st.text("ab\xe9", max_size=12), max_size=40),
    st.none() | st.integers(0, 30),
    st.none() | st.integers(0, 30),
    st.integers(0, 200),
    st.integers(0, 40),
)
@settings(max_examples=200, deadline=None)
def test_cut_keeps_both_ends_within_the_budget_and_counts_omitted_lines(lines, head, tail, max_bytes, gap):
    given_bytes = len("\n".join(lines).encode())
    kept = cut(lines, head=head, tail=tail, max_bytes=max_bytes)
    assert kept.returned + kept.omitted == len(lines)
    assert len(kept.content.encode()) <= max_bytes + len("\n[phux: 99 lines left out]\n[phux: 9999 bytes left out]")
    if given_bytes < max_bytes and head is tail is None:
        assert kept == ("\n".join(lines), len(lines), 0, False)
    shown = kept.content.split("\n") if kept.returned else []
    if kept.omitted and not kept.cut:
        (place,) = [n for n, line in enumerate(shown) if line.startswith("[phux")] or [None]
        first, last = (shown, shown) if place is None else (shown[:place], shown[place + 1 :])
        assert lines[: len(first)] == first or (place is None and lines[len(lines) - len(last) :] == last)
        assert place is None or lines[len(lines) - len(last) :] == last
    # Lines that were skipped between two parts count as omitted.
    lower, upper = sorted((min(gap, len(lines)), len(lines) // 2))
    if upper > lower:
        holed = cut(
            lines[:lower], head=head, tail=tail, max_bytes=max_bytes, skipped=upper - lower, after=lines[upper:]
        )
        assert holed.returned + holed.omitted == len(lines)
        assert holed.omitted >= upper - lower


@pytest.mark.parametrize("query", [{"from_byte": 10_000}, {"since": 2**52}, {"from_byte": 2**53 - 1}])
def test_an_offset_after_the_end_is_refused(query):
    with pytest.raises(BadRequestError, match="ends at 4893"):
        read_data(NUMBERS, **query)


@pytest.mark.parametrize("pattern", ["(", "[", "*", "(?P<", "a{99999999999999}", "\\", "x" * 10_001])
def test_an_invalid_pattern_is_refused(pattern):
    with pytest.raises(BadRequestError, match="pattern"):
        read_data(NUMBERS, grep=pattern)


def test_a_hole_is_reported_in_the_content_and_in_holes(tmp_path):
    root = str(tmp_path / "logs")
    writer = LogWriter(root, LOG)
    writer.write(0, b"before\r\n")
    writer.write(108, b"after\r\n")
    result = read_log(root, LOG, Query())
    assert result["content"] == "before\n[phux: bytes 8 to 108 were not logged]\nafter"
    assert result["holes"] == [{"start": 8, "end": 108}]
    raw = read_log(root, LOG, Query(from_byte=0, mode="raw"))
    assert (raw["content"], raw["next_byte"]) == ("before\r\n", 8)
    raw = read_log(root, LOG, Query(from_byte=8, mode="raw"))
    assert (raw["content"], raw["first_byte"], raw["holes"]) == ("after\r\n", 108, [{"start": 8, "end": 108}])


def test_reading_a_missing_log_raises(tmp_path):
    with pytest.raises(NoSuchTargetError, match="cannot read the log"):
        read_log(str(tmp_path), LOG, Query())


# Output of a compiler, a test runner and a package manager

CARGO = (
    b"\x1b[0m\x1b[0m\x1b[1m\x1b[32m   Compiling\x1b[0m serde v1.0.1\r\n"
    b"\x1b[K\x1b[0m\x1b[1m\x1b[36m    Building\x1b[0m [==>      ] 1/3: serde\r"
    b"\x1b[K\x1b[0m\x1b[1m\x1b[33mwarning\x1b[0m\x1b[1m: unused variable: `x`\x1b[0m\r\n"
    b" \x1b[0m\x1b[1m\x1b[38;5;12m--> \x1b[0msrc/main.rs:2:9\r\n"
    b"\x1b[K\x1b[0m\x1b[1m\x1b[32m    Finished\x1b[0m dev in 0.5s\r\n"
)
PYTEST = (
    b"\x1b[1m===== test session starts =====\x1b[0m\r\ncollected 2 items\r\n\r\n"
    b"test_a.py \x1b[32m.\x1b[0m\x1b[31mF\x1b[0m\x1b[31m    [100%]\x1b[0m\r\n\r\n"
    b"\x1b[1m\x1b[31mE   assert 1 == 2\x1b[0m\r\n\x1b[31m===== 1 failed, 1 passed =====\x1b[0m\r\n"
)
NPM = (
    b"\x1b[?25l\x1b[1G\x1b[0K\xe2\xa0\x8b\x1b[1G\x1b[0K\xe2\xa0\x99\x1b[1G\x1b[0K\r\n"
    b"added 3 packages in 1s\r\n\x1b]8;;https://example.com\x1b\\fund\x1b]8;;\x1b\\\r\n\x1b[?25h"
)


@pytest.mark.parametrize(
    ("data", "rendered", "stripped"),
    [
        (
            CARGO,
            "   Compiling serde v1.0.1\nwarning: unused variable: `x`\n --> src/main.rs:2:9\n    Finished dev in 0.5s",
            (
                "   Compiling serde v1.0.1\n    Building [==>      ] 1/3: serde\rwarning: unused variable: `x`\n"
                " --> src/main.rs:2:9\n    Finished dev in 0.5s"
            ),
        ),
        (
            PYTEST,
            (
                "===== test session starts =====\ncollected 2 items\n\ntest_a.py .F    [100%]\n\n"
                "E   assert 1 == 2\n===== 1 failed, 1 passed ====="
            ),
            None,
        ),
        (NPM, "\nadded 3 packages in 1s\nfund", "⠋⠙\nadded 3 packages in 1s\nfund"),
    ],
    ids=["cargo", "pytest", "npm"],
)
def test_the_output_of_tools_is_rendered_stripped_or_kept_raw(data, rendered, stripped):
    assert read_data(data, lines=100)["content"] == rendered
    assert read_data(data, lines=100, mode="stripped")["content"] == (rendered if stripped is None else stripped)
    raw = read_data(data, from_byte=0, mode="raw")["content"]
    assert raw.encode() == data


@pytest.mark.parametrize(
    ("data", "plain"),
    [
        (b"\x1b[31mred\x1b[0m", "red"),
        (b"\x1b[38;2;1;2;3mrgb\x1b[38:2::1:2:3mcolon", "rgbcolon"),
        (b"\x1b]0;a title\x07text", "text"),
        (b"\x1b]2;st\x1b\\text", "text"),
        (b"\x1bPq#0;2;0\x1b\\sixel", "sixel"),
        (b"\x1b(B\x1b)0\x1b=\x1b>\x1b7\x1b8\x1bM\x1bcend", "end"),
        (b"\x1b[?1049h\x1b[?25lscreen\x1b[?1049l", "screen"),
        (b"\x1b[1;1H\x1b[2Jclear\x1b[10;5f", "clear"),
        (b"a\x1b[6nb\x1b[>cc", "abc"),
        (b"\x1b]1337;never ended\nnext", "\nnext"),
        (b"bell\x07 nul\x00 del\x7f", "bell nul del"),
        (b"\x1b", ""),
        (b"a\r\nb\rc\n", "a\nb\rc\n"),
        ("\x9b31mé\x9b0m".encode(), "é"),
    ],
)
def test_stripping_removes_only_escape_sequences_and_controls(data, plain):
    assert text.strip(data) == plain


@given(st.binary(max_size=200))
def test_stripping_keeps_newlines(data):
    assert text.strip(data).count("\n") == data.count(b"\n")


def test_grep_renders_only_around_possible_matches(monkeypatch):
    rendered = []
    render = text.render
    monkeypatch.setattr(text, "render", lambda data, sizes: rendered.append(data) or render(data, sizes))
    bars = b"".join(b"\x1b[Kstep %d\rdone  %d\r\n" % (number, number) for number in range(40_000))
    data = bars + b"an err\bror\r\n" + bars
    result = read_data(data, grep="^an error$", context=1)
    assert result["content"] == "done  39999\nan error\ndone  0"
    assert result["omitted"] == 0
    assert 0 < sum(map(len, rendered)) < len(data) / 2
    garbage = random.Random(5).randbytes(1_000_000)
    assert read_data(garbage + b"\r\nneedle here\r\n", grep="^needle here$")["content"] == "needle here"


def test_text_on_the_alternate_screen_is_omitted_from_rendered_output():
    data = b"$ vim\r\n\x1b[?1049h\x1b[H\x1b[2J~\r\n~ text of a file\x1b[?1049l$ \r\n"
    assert read_data(data, lines=10)["content"] == "$ vim\n$"
    assert "text of a file" in read_data(data, lines=10, mode="stripped")["content"]


# Search


@pytest.fixture
def root(tmp_path):
    place = str(tmp_path / "logs")
    writer = LogWriter(place, LOG, 64 * 1024)
    data = b"".join(b"\x1b[32mline\x1b[0m %d\r\n" % number for number in range(2000)) + b"no newline"
    while data:
        data = data[writer.write(writer.end, data) :]
    return place


@pytest.mark.parametrize("pattern", [r"^line 19.7$", r"\Aline 19.7\Z", r"(?i)LINE 19.7$", r"^line\s19[^x]7$"])
def test_search_finds_the_same_lines_for_equivalent_patterns(root, pattern):
    found = search(root, [LOG], pattern)
    assert [match["text"] for match in found["matches"]] == [f"line 19{digit}7" for digit in range(10)]
    assert [match["line"] for match in found["matches"]] == [1908 + 10 * digit for digit in range(10)]
    for match in found["matches"]:
        where = Query(from_byte=match["offset"], max_bytes=20, mode="stripped")
        assert read_log(root, LOG, where)["content"].startswith(match["text"])


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        ("needle", "needle"),
        (r"^error: \d+ in module_[a-z]+$", " in module_"),
        ("needles?", "needle"),
        ("x*needle", "needle"),
        ("ab+cde", "cde"),
        (r"a\.b\.c", "a.b.c"),
        ("[abc]def", "def"),
        ("[]]def", "def"),
        (r"[\]]def", "def"),
        ("ab{0}cd", "cd"),
        ("^x{100}", None),
        ("ab{1000}cd", "cd"),
        ("a{10,2000}bc", "bc"),
        ("this|that", None),
        ("(needle)?", None),
        ("(?i)needle", None),
        ("a.b.c", None),
        (r"\w+", None),
        ("", None),
    ],
)
def test_required_text_returns_a_literal_that_every_match_contains(pattern, literal):
    assert required_text(pattern) == literal


@given(
    st.lists(
        st.sampled_from(
            ["a", "b", "ab", "\x1b[31m", "\x1b[0m", "\x1b[K", "\n", "\r\n", "\r", "b\b", "ab\b\b", " ", "\x07", "é"]
        ),
        max_size=30,
    ),
    st.sampled_from(["ab", "aab", "a b", "abé", "ab$", "^ab", "a+b", "b b?a", r"ab\w", "a{1}b", "b{0,1}ab"]),
)
@settings(max_examples=300, deadline=None)
def test_search_finds_the_same_matches_as_a_search_of_each_line(parts, pattern):
    data = "".join(parts).encode()
    plain = re.sub(r"\r+\n", "\n", text.strip(data).replace("ab\b\b", "").replace("b\b", "")).rstrip("\r")
    expected = [
        (number, [part for part in line.split("\r") if re.search(pattern, part)][-1])
        for number, line in enumerate(plain.split("\n"), start=1)
        if any(re.search(pattern, part) for part in line.split("\r"))
    ]
    hint = required_text(pattern)
    for way in {None, None if hint is None else _in_raw_bytes(hint)}:
        found = list(_matches(held(data), re.compile(pattern), way))
        assert [(number, line) for number, _offset, _after, line in found] == expected
        lines = data.split(b"\n")
        assert [offset for _number, offset, _after, _line in found] == [
            len(b"\n".join([*lines[: number - 1], b""])) for number, _line in expected
        ]


def test_a_pattern_that_is_not_utf8_matches_nothing(root):
    assert search(root, [LOG], "line\udce9 x") == {"matches": [], "truncated": False}


def test_search_applies_backspaces_and_carriage_returns():
    data = b"$ \x1b[7mecho hi\x1b[27m" + b"\b" * 7 + b"echo hi\r\n\x1b[?2004l\rhi\r\n 10%\r 100%\r\n"

    def find(pattern):
        return [(number, line) for number, _offset, _after, line in _matches(held(data), re.compile(pattern), None)]

    assert find("^hi$") == [(2, "hi")]
    assert find("echo") == [(1, "$ echo hi")]
    assert find("%") == [(3, " 100%")]
    assert find("10%") == [(3, " 10%")]


def test_search_returns_context_and_reports_truncation(root):
    found = search(root, [LOG], "line 100$", context=1)
    assert found["matches"][0]["before"] == ["line 99"]
    assert found["matches"][0]["after"] == ["line 101"]
    everything = search(root, [LOG], "line 19", context=2)["matches"]  # the matches are in several segments
    for match in everything:
        number = int(match["text"].removeprefix("line "))
        around = [*match["before"], match["text"], *match["after"]]
        expected = [f"line {n}" for n in range(max(0, number - 2), number + 3)]
        assert around == [line if line != "line 2000" else "no newline" for line in expected if line != "line 2001"]
    assert search(root, [LOG], "line", most=3)["truncated"]
    assert len(search(root, [LOG], "line", most=3)["matches"]) == 3
    assert search(root, [LOG], "newline$")["matches"][0]["line"] == 2001
    assert search(root, [LogId(LOG.server, 99)], "line") == {"matches": [], "truncated": False}

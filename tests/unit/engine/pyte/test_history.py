from functools import partial

import pytest

from phux_core.engine.pyte import bulk
from phux_core.engine.pyte.history import Deferred, History
from phux_core.engine.pyte.rows import DEFAULT, Row
from phux_core.engine.pyte.styles import StyleTable


def history(limit=100, columns=10):
    return History(limit, columns, partial(bulk.expand, StyleTable()))


def lines(*texts):
    return Deferred("".join(f"{text}\r\n" for text in texts), len(texts), DEFAULT)


def texts(kept, count=10_000):
    return [row.text for row in kept.newest(count)]


def test_newest_returns_the_newest_rows_in_order():
    kept = history()
    kept.push(Row("a"))
    kept.extend([Row("b"), Row("c")])
    assert texts(kept) == ["a", "b", "c"]
    assert texts(kept, 2) == ["b", "c"]
    assert texts(kept, 0) == []


@pytest.mark.parametrize("limit", [0, 1, 5, 3000])
def test_the_history_keeps_the_newest_rows_up_to_its_limit(limit):
    kept = history(limit)
    for number in range(7000):
        kept.push(Row(str(number)))
    assert len(kept) == limit
    assert texts(kept) == [str(number) for number in range(7000 - limit, 7000)]


def test_a_deferred_line_that_wraps_becomes_several_rows():
    kept = history(columns=4)
    kept.push(Row("old"))
    kept.defer(lines("abcdefghij", "", "xy"))
    kept.push(Row("new"))
    assert len(kept) == 7
    assert texts(kept) == ["old", "abcd", "efgh", "ij", "", "xy", "new"]
    assert [row.wrapped for row in kept.newest(7)] == [False, True, True, False, False, False, False]


def test_reading_the_newest_rows_leaves_older_text_deferred():
    kept = history()
    kept.defer(lines("a", "b"))
    kept.defer(lines("c", "d"))
    assert texts(kept, 1) == ["d"]
    assert isinstance(kept.items()[0], Deferred)
    assert texts(kept) == ["a", "b", "c", "d"]


def test_deferred_text_counts_toward_the_limit():
    kept = history(limit=3)
    kept.defer(lines(*map(str, range(2000))))
    kept.defer(lines("x", "y"))
    assert len(kept) == 3
    assert texts(kept) == ["1999", "x", "y"]


def test_the_size_of_deferred_text_with_long_lines_is_bounded():
    kept = history(limit=10, columns=10)
    for _ in range(100):
        kept.defer(lines("x" * 5000))
    held = sum(len(item.text) for item in kept.items())
    assert held < 20_000
    assert texts(kept) == ["x" * 10] * 10


def test_lowering_the_limit_drops_the_oldest_rows_at_once():
    kept = history(limit=10)
    kept.extend([Row(str(number)) for number in range(10)])
    kept.set_limit(2)
    assert texts(kept) == ["8", "9"]
    kept.set_limit(10)
    assert texts(kept) == ["8", "9"]


def test_take_returns_all_rows_and_empties_the_history():
    kept = history()
    kept.defer(lines("a", "b"))
    assert [row.text for row in kept.take()] == ["a", "b"]
    assert len(kept) == 0

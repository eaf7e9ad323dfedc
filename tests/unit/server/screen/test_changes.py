"""The rows that changed since an earlier read of the screen, and the lines that appeared on an alternate screen."""

from __future__ import annotations

import types

from hypothesis import given
from hypothesis import strategies as st

from phux_core.engine.protocol import Lines
from phux_core.server.screen.changes import Change, ScreenReads, difference


def add(reads, seq, rows, styles=None, *, cols=80, alt_screen=False):
    engine = types.SimpleNamespace(cols=cols, rows=len(rows), alt_screen=alt_screen)
    reads.add(engine, seq, Lines(rows, [False] * len(rows)), styles)


def read(*screens):
    made = ScreenReads()
    for seq, rows in screens:
        add(made, seq, rows)
    return made


def test_only_rows_with_different_text_are_changes():
    made = read((10, ["a", "b", "c", ""]), (20, ["a", "B", "c", ""]))
    assert made.since(10) == Change(full=False, scrolled=0, rows=[1])
    assert made.since(20) == Change(full=False, scrolled=0, rows=[])


def test_reads_in_between_do_not_hide_a_change():
    made = read((1, ["a", "", "", ""]), (2, ["b", "", "", ""]), (3, ["b", "c", "", ""]), (4, ["b", "c", "", ""]))
    assert made.since(1).rows == [0, 1]
    assert made.since(2).rows == [1]
    assert made.since(3).rows == []


def test_rows_that_only_scrolled_are_not_changes():
    made = read((1, ["$ make", "one", "two", "three"]), (2, ["two", "three", "four", "five"]))
    assert made.since(1) == Change(full=False, scrolled=2, rows=[2, 3])


def test_a_row_that_changed_before_it_scrolled_is_a_change():
    made = read((1, ["a", "b", "c", "$ "]), (2, ["b", "c", "$ ls", "file"]))
    assert made.since(1) == Change(full=False, scrolled=1, rows=[2, 3])


def test_the_scrolled_rows_of_several_reads_are_added_up():
    rows = [str(number) for number in range(10)]
    made = read((1, rows[:4]), (2, rows[1:5]), (3, rows[3:7]))
    assert made.since(1) == Change(full=False, scrolled=3, rows=[1, 2, 3])
    assert made.since(2) == Change(full=False, scrolled=2, rows=[2, 3])


def test_all_rows_are_changes_since_a_position_before_the_first_read():
    assert read((10, ["a", "b", "c", "d"])).since(9) == Change(full=True, scrolled=0, rows=[0, 1, 2, 3])


def test_all_rows_are_changes_since_a_future_position():
    assert read((10, ["a", "b", "c", "d"])).since(11) == Change(full=True, scrolled=0, rows=[0, 1, 2, 3])


def test_all_rows_are_changes_after_a_resize():
    made = read((10, ["a", "b", "c", "d"]))
    add(made, 10, ["a", "b", "c", "d"], cols=40)
    assert made.since(10).full
    add(made, 11, ["a", "b", "c", "e"], cols=40)
    assert made.since(10).full
    assert made.since(11) == Change(full=False, scrolled=0, rows=[])


def test_styles_are_compared_if_they_were_read():
    made = ScreenReads()
    add(made, 1, ["x", "y", "", ""], [["bold"], [], [], []])
    add(made, 2, ["x", "y", "", ""], [[], ["bold"], [], []])
    assert made.since(1).rows == [0, 1]
    add(made, 3, ["x", "y", "", ""])  # styles were not read, so no change is known
    assert made.since(2).rows == []


ROWS = st.lists(st.sampled_from(["", "a", "b", "c"]), min_size=4, max_size=4)


@given(st.lists(ROWS, min_size=2, max_size=8))
def test_applying_the_changes_to_an_earlier_screen_yields_the_latest_screen(screens):
    made = ScreenReads()
    for seq, rows in enumerate(screens):
        add(made, seq, rows)
    for seq, seen in enumerate(screens):
        change = made.since(seq)
        mine = seen[change.scrolled :] + [None] * change.scrolled
        for row in change.rows:
            mine[row] = screens[-1][row]
        # A row that scrolled into view and is not among the changes is None here.
        assert mine == screens[-1]


def read_alt_screen(*screens):
    made = ScreenReads()
    for seq, line in screens:
        add(made, seq, [line], alt_screen=True)
    return made


def test_alt_lines_at_returns_the_lines_of_the_first_read_at_or_after_a_position():
    made = read_alt_screen((10, "a"), (20, "b"), (30, "c"))
    assert [made.alt_lines_at(seq) for seq in (5, 10, 11, 20, 30)] == [["a"], ["a"], ["b"], ["b"], ["c"]]
    assert made.alt_lines == ["c"]


def test_reads_of_an_unchanged_screen_are_stored_once():
    made = read_alt_screen((10, "a"), *((seq, "b") for seq in range(11, 1000)))
    assert (made.alt_lines_at(10), made.alt_lines_at(11), made.alt_lines_at(999)) == (["a"], ["b"], ["b"])


def test_alt_lines_at_returns_the_oldest_stored_read_if_earlier_ones_were_dropped():
    made = read_alt_screen(*((seq, str(seq)) for seq in range(1000)))
    assert int(made.alt_lines_at(3)[0]) > 3


def test_the_difference_contains_new_lines_and_the_lines_they_replace():
    assert difference(["a", "b 1", "c"], ["b 2", "a", "c", "c"]) == {"lines": ["b 2", "c"], "instead_of": ["b 1"]}
    assert difference(["a", "b"], ["b", "a"]) == {"lines": [], "instead_of": []}

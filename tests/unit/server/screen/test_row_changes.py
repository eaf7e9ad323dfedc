"""The rows that changed since an earlier read of the screen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from phux_core.server.screen.row_changes import Change, RowClock

SHAPE = (80, 4, False)


def clock(*looks):
    made = RowClock()
    for seq, rows in looks:
        made.look(seq, SHAPE, rows)
    return made


def test_only_rows_with_different_text_are_changes():
    made = clock((10, ["a", "b", "c", ""]), (20, ["a", "B", "c", ""]))
    assert made.since(10) == Change(full=False, scrolled=0, rows=[1])
    assert made.since(20) == Change(full=False, scrolled=0, rows=[])


def test_reads_in_between_do_not_hide_a_change():
    made = clock((1, ["a", "", "", ""]), (2, ["b", "", "", ""]), (3, ["b", "c", "", ""]), (4, ["b", "c", "", ""]))
    assert made.since(1).rows == [0, 1]
    assert made.since(2).rows == [1]
    assert made.since(3).rows == []


def test_rows_that_only_scrolled_are_not_changes():
    made = clock((1, ["$ make", "one", "two", "three"]), (2, ["two", "three", "four", "five"]))
    assert made.since(1) == Change(full=False, scrolled=2, rows=[2, 3])


def test_a_row_that_changed_before_it_scrolled_is_a_change():
    made = clock((1, ["a", "b", "c", "$ "]), (2, ["b", "c", "$ ls", "file"]))
    assert made.since(1) == Change(full=False, scrolled=1, rows=[2, 3])


def test_scrolling_adds_up_over_reads():
    rows = [str(number) for number in range(10)]
    made = clock((1, rows[:4]), (2, rows[1:5]), (3, rows[3:7]))
    assert made.since(1) == Change(full=False, scrolled=3, rows=[1, 2, 3])
    assert made.since(2) == Change(full=False, scrolled=2, rows=[2, 3])


def test_all_rows_are_changes_since_before_the_first_read():
    assert clock((10, ["a", "b", "c", "d"])).since(9) == Change(full=True, scrolled=0, rows=[0, 1, 2, 3])


def test_all_rows_are_changes_since_a_future_position():
    assert clock((10, ["a", "b", "c", "d"])).since(11) == Change(full=True, scrolled=0, rows=[0, 1, 2, 3])


def test_all_rows_are_changes_after_a_resize():
    made = clock((10, ["a", "b", "c", "d"]))
    made.look(10, (40, 4, False), ["a", "b", "c", "d"])
    assert made.since(10).full
    made.look(11, (40, 4, False), ["a", "b", "c", "e"])
    assert made.since(10).full
    assert made.since(11) == Change(full=False, scrolled=0, rows=[])


def test_styles_are_compared_if_they_were_read():
    made = RowClock()
    made.look(1, SHAPE, ["x", "y", "", ""], [["bold"], [], [], []])
    made.look(2, SHAPE, ["x", "y", "", ""], [[], ["bold"], [], []])
    assert made.since(1).rows == [0, 1]
    made.look(3, SHAPE, ["x", "y", "", ""])  # styles were not read, so no change is known
    assert made.since(2).rows == []


ROWS = st.lists(st.sampled_from(["", "a", "b", "c"]), min_size=4, max_size=4)


@given(st.lists(ROWS, min_size=2, max_size=8))
def test_applying_the_changes_to_an_earlier_screen_yields_the_latest_screen(screens):
    made = RowClock()
    for seq, rows in enumerate(screens):
        made.look(seq, SHAPE, rows)
    for seq, seen in enumerate(screens):
        change = made.since(seq)
        mine = seen[change.scrolled :] + [None] * change.scrolled
        for row in change.rows:
            mine[row] = screens[-1][row]
        # Rows that scrolled into view must be among the changes, and all other rows must be unchanged.
        assert mine == screens[-1]

"""The lines of an alternate screen at each read, and the differences between reads."""

from __future__ import annotations

from phux_core.server.screen.alt_screen_changes import Looks, difference


def looks(*given):
    made = Looks()
    for seq, *lines in given:
        made.add(seq, lines)
    return made


def test_first_since_returns_the_lines_of_the_next_read():
    made = looks((10, "a"), (20, "b"), (30, "c"))
    assert [made.first_since(seq) for seq in (5, 10, 11, 20, 30)] == [["a"], ["a"], ["b"], ["b"], ["c"]]
    assert made.latest == ["c"]


def test_reads_of_an_unchanged_screen_are_stored_once():
    made = looks((10, "a"), *((seq, "b") for seq in range(11, 1000)))
    assert (made.first_since(10), made.first_since(11), made.first_since(999)) == (["a"], ["b"], ["b"])


def test_first_since_returns_the_oldest_stored_read_if_earlier_ones_were_dropped():
    made = looks(*((seq, str(seq)) for seq in range(1000)))
    assert int(made.first_since(3)[0]) > 3


def test_the_difference_contains_new_lines_and_the_lines_they_replace():
    assert difference(["a", "b 1", "c"], ["b 2", "a", "c", "c"]) == {"lines": ["b 2", "c"], "instead_of": ["b 1"]}
    assert difference(["a", "b"], ["b", "a"]) == {"lines": [], "instead_of": []}

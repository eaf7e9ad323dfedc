"""What came onto an alternate screen, and what stood there at which look."""

from __future__ import annotations

from phux_core.server.screen.alt_screen_changes import Looks, difference


def looks(*given):
    made = Looks()
    for seq, *lines in given:
        made.add(seq, lines)
    return made


def test_the_lines_at_a_moment_are_those_of_the_next_read():
    made = looks((10, "a"), (20, "b"), (30, "c"))
    assert [made.first_since(seq) for seq in (5, 10, 11, 20, 30)] == [["a"], ["a"], ["b"], ["b"], ["c"]]
    assert made.latest == ["c"]


def test_reads_of_an_unchanged_screen_are_stored_once():
    made = looks((10, "a"), *((seq, "b") for seq in range(11, 1000)))
    assert (made.first_since(10), made.first_since(11), made.first_since(999)) == (["a"], ["b"], ["b"])


def test_lines_older_than_the_stored_reads_are_not_new():
    made = looks(*((seq, str(seq)) for seq in range(1000)))
    assert int(made.first_since(3)[0]) > 3


def test_the_difference_has_new_lines_and_those_they_replace():
    assert difference(["a", "b 1", "c"], ["b 2", "a", "c", "c"]) == {"lines": ["b 2", "c"], "instead_of": ["b 1"]}
    assert difference(["a", "b"], ["b", "a"]) == {"lines": [], "instead_of": []}

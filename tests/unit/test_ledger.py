"""The ledger: entries, bounds, and what is read back of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from phux_core.logs import ledger
from phux_core.logs.ledger import Ledger

TYPED = {"place": 5, "command": "make", "cwd": "/", "by": "typed", "client": None, "started_at": 1.0}


def test_numbers_count_up_and_are_never_used_again():
    one = Ledger(3)
    for _ in range(ledger.MOST_ENTRIES + 5):
        entry = one.add(**TYPED)
    assert entry.id == f"3.{ledger.MOST_ENTRIES + 5}"
    assert len(one.entries) == ledger.MOST_ENTRIES
    assert min(one.entries) == 6
    assert Ledger.of(3, one.dump()).add(**TYPED).number == ledger.MOST_ENTRIES + 6


def test_states_follow_what_is_known():
    one = Ledger(1)
    entry = one.add(**TYPED)
    assert entry.state == "typed"
    assert one.change(1, start=7).state == "running"
    assert one.change(1, end=9, ended_at=2.0, exit_code=0).state == "finished"
    assert one.change(1, lost=True).state == "lost"
    assert one.change(99, lost=True) is None


def test_the_last_line_of_a_number_counts_and_a_cut_line_does_not():
    one = Ledger(1)
    first = ledger.line(one.add(**TYPED))
    second = ledger.line(one.change(1, start=7))
    third = ledger.line(one.add(**TYPED))
    read = list(ledger.load(first + second + third[:-5]))
    assert [(entry.number, entry.start) for entry in read] == [(1, 7)]


def test_what_has_ended_does_not_begin_anew_by_a_line_that_comes_again():
    one = Ledger(1)
    typed = ledger.line(one.add(**TYPED))
    ended = ledger.line(one.change(1, start=7, end=9, ended_at=2.0, exit_code=0))
    (entry,) = ledger.load(typed + ended + typed)
    assert entry.state == "finished"


def test_a_line_of_other_values_is_left_out():
    one = Ledger(1)
    good = ledger.line(one.add(**TYPED))
    assert len(list(ledger.load(b"[" + b",".join([b"[]"] * 13) + b"]\n" + good))) == 1


@given(st.binary(max_size=400))
def test_garbage_is_read_as_nothing_and_never_fails(data):
    assert isinstance(list(ledger.load(data)), list)


@given(st.lists(st.tuples(st.text(max_size=20), st.integers(0, 2**53)), max_size=30))
def test_a_ledger_survives_being_written_down(commands):
    one = Ledger(7)
    for command, place in commands:
        one.add(**{**TYPED, "command": command, "place": place})
    assert Ledger.of(7, one.dump()) == one

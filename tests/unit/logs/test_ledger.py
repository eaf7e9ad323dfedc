"""The command ledger: entries, limits, and loading from its file."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from phux_core.logs import ledger
from phux_core.logs.ledger import Ledger

TYPED = {"place": 5, "command": "make", "cwd": "/", "by": "typed", "client": None, "started_at": 1.0}


def test_numbers_increase_and_are_never_reused():
    commands = Ledger(3)
    for _ in range(ledger.MOST_ENTRIES + 5):
        entry = commands.add(**TYPED)
    assert entry.id == f"3.{ledger.MOST_ENTRIES + 5}"
    assert len(commands.entries) == ledger.MOST_ENTRIES
    assert min(commands.entries) == 6
    assert Ledger.of(3, commands.dump()).add(**TYPED).number == ledger.MOST_ENTRIES + 6


def test_the_state_of_an_entry_depends_on_its_fields():
    commands = Ledger(1)
    entry = commands.add(**TYPED)
    assert entry.state == "typed"
    assert commands.change(1, start=7).state == "running"
    assert commands.change(1, end=9, ended_at=2.0, exit_code=0).state == "finished"
    assert commands.change(1, lost=True).state == "lost"
    assert commands.change(99, lost=True) is None


def test_the_last_complete_line_of_each_entry_is_loaded():
    commands = Ledger(1)
    first = ledger.line(commands.add(**TYPED))
    second = ledger.line(commands.change(1, start=7))
    third = ledger.line(commands.add(**TYPED))
    read = list(ledger.load(first + second + third[:-5]))
    assert [(entry.number, entry.start) for entry in read] == [(1, 7)]


def test_an_earlier_line_that_is_repeated_does_not_reopen_a_finished_entry():
    commands = Ledger(1)
    typed = ledger.line(commands.add(**TYPED))
    ended = ledger.line(commands.change(1, start=7, end=9, ended_at=2.0, exit_code=0))
    (entry,) = ledger.load(typed + ended + typed)
    assert entry.state == "finished"


def test_a_line_with_values_of_wrong_types_is_skipped():
    commands = Ledger(1)
    good = ledger.line(commands.add(**TYPED))
    assert len(list(ledger.load(b"[" + b",".join([b"[]"] * 13) + b"]\n" + good))) == 1


@given(st.binary(max_size=400))
def test_loading_arbitrary_bytes_never_raises(data):
    assert isinstance(list(ledger.load(data)), list)


@given(st.lists(st.tuples(st.text(max_size=20), st.integers(0, 2**53 - 1)), max_size=30))
def test_a_ledger_is_unchanged_after_dump_and_load(added):
    commands = Ledger(7)
    for command, place in added:
        commands.add(**{**TYPED, "command": command, "place": place})
    assert Ledger.of(7, commands.dump()) == commands

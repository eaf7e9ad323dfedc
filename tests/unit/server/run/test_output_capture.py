"""What a command wrote: kept beyond the journal, cut from both ends, and always accounted for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phux_core.keeper import journal as journals
from phux_core.server.run import output_capture as capture
from phux_core.server.run.output_capture import Capture, Stretch, render


@pytest.fixture
def journal():
    journal = journals.Journal(journals.create())
    yield journal
    journal.close()


def write(journal, data):
    for index in range(0, len(data), journals.MAX_READ):
        piece = data[index : index + journals.MAX_READ]

        def copy(room, piece=piece):
            room[: len(piece)] = piece
            return len(piece)

        journal.take(copy, len(piece))


def test_what_the_journal_has_needs_no_keeping(journal):
    write(journal, b"before|output|after")
    stretch = Capture(7).finish(journal, 13)
    assert stretch == Stretch(b"output", 0, b"")


def test_it_outlives_the_journals_restarts(journal):
    kept = Capture(0)
    for piece in (b"one ", b"two ", b"three "):
        write(journal, piece)
        kept.absorb(journal)
        journal.restart()
    write(journal, b"four")
    assert kept.finish(journal, journal.position) == Stretch(b"one two three four", 0, b"")


def test_the_middle_goes_and_is_counted(journal, monkeypatch):
    monkeypatch.setattr(capture, "_KEPT", 1000)
    kept = Capture(0)
    data = bytes(range(256)) * 20
    for index in range(0, len(data), 700):
        write(journal, data[index : index + 700])
        kept.absorb(journal)
        journal.restart()
    assert kept.finish(journal, journal.position) == Stretch(data[:1000], len(data) - 2000, data[-1000:])


def test_what_is_left_out_is_counted_as_text(journal, monkeypatch):
    monkeypatch.setattr(capture, "_KEPT", 1000)
    kept = Capture(0)
    for _ in range(40):
        write(journal, b"abc\r\n" * 100)
        kept.absorb(journal)
        journal.restart()
    told = render(kept.finish(journal, journal.position), cols=80, rows=24, raw=True, most=400)
    head, _, tail = told.text.partition(f"[phux: {told.omitted} bytes left out]\n")
    assert len(head) + told.omitted + len(tail) == len("abc\n") * 4000


def test_what_died_with_a_service_is_counted(journal):
    write(journal, b"lost")
    journal.restart()
    write(journal, b"kept")
    assert Capture(0).finish(journal, journal.position) == Stretch(b"", 4, b"kept")


@given(lines=st.lists(st.text("abcé日 ", max_size=30), min_size=1, max_size=60), most=st.integers(0, 400))
def test_head_tail_and_what_was_left_out_are_the_whole(lines, most):
    whole = "\n".join(lines).rstrip("\n")
    told = render(Stretch("\r\n".join(lines).encode(), 0, b""), cols=1000, rows=24, raw=False, most=most)
    if len(whole.encode()) <= most:
        assert told == (whole, 0)
        return
    note = f"[phux: {told.omitted} bytes left out]"
    assert note in told.text
    head, _, tail = told.text.partition(note)
    head, tail = head.removesuffix("\n"), tail.removeprefix("\n")
    assert whole.startswith(head)
    assert whole.endswith(tail)
    assert len(head.encode()) + len(tail.encode()) <= most
    # A newline that stood at the cut may be counted on either side of it.
    left = len(whole.encode()) - len(head.encode()) - len(tail.encode())
    assert told.omitted <= left <= told.omitted + 1


def test_raw_keeps_escapes_and_makes_plain_line_ends():
    told = render(Stretch(b"\x1b[31mred\x1b[0m\r\n", 0, b""), cols=80, rows=24, raw=True, most=100)
    assert told == ("\x1b[31mred\x1b[0m\n", 0)

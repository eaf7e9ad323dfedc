"""Captured output of a command survives journal restarts, and omitted bytes are counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pane_output import write_journal

from phux_core.server.run import output_capture
from phux_core.server.run.output_capture import Capture, Stretch, render


def test_output_is_read_from_the_journal(journal):
    write_journal(journal, b"before|output|after")
    stretch = Capture(7).finish(journal, 13)
    assert stretch == Stretch(b"output", 0, b"")


def test_captured_output_survives_journal_restarts(journal):
    captured = Capture(0)
    for piece in (b"one ", b"two ", b"three "):
        write_journal(journal, piece)
        captured.absorb(journal)
        journal.restart()
    write_journal(journal, b"four")
    assert captured.finish(journal, journal.position) == Stretch(b"one two three four", 0, b"")


def test_the_middle_of_large_output_is_omitted_and_counted(journal, monkeypatch):
    monkeypatch.setattr(output_capture, "_KEPT", 1000)
    captured = Capture(0)
    data = bytes(range(256)) * 20
    for index in range(0, len(data), 700):
        write_journal(journal, data[index : index + 700])
        captured.absorb(journal)
        journal.restart()
    assert captured.finish(journal, journal.position) == Stretch(data[:1000], len(data) - 2000, data[-1000:])


def test_omitted_bytes_are_counted_with_plain_line_ends(journal, monkeypatch):
    monkeypatch.setattr(output_capture, "_KEPT", 1000)
    captured = Capture(0)
    for _ in range(40):
        write_journal(journal, b"abc\r\n" * 100)
        captured.absorb(journal)
        journal.restart()
    rendered = render(captured.finish(journal, journal.position), cols=80, rows=24, raw=True, most=400)
    head, _, tail = rendered.text.partition(f"[phux: {rendered.omitted} bytes left out]\n")
    assert len(head) + rendered.omitted + len(tail) == len("abc\n") * 4000


def test_output_lost_in_a_journal_restart_is_counted(journal):
    write_journal(journal, b"lost")
    journal.restart()
    write_journal(journal, b"kept")
    assert Capture(0).finish(journal, journal.position) == Stretch(b"", 4, b"kept")


@given(lines=st.lists(st.text("abcé日 ", max_size=30), min_size=1, max_size=60), most=st.integers(0, 400))
def test_head_tail_and_omitted_bytes_add_up_to_the_whole_output(lines, most):
    whole = "\n".join(lines).rstrip("\n")
    rendered = render(Stretch("\r\n".join(lines).encode(), 0, b""), cols=1000, rows=24, raw=False, most=most)
    if len(whole.encode()) <= most:
        assert rendered == (whole, 0)
        return
    note = f"[phux: {rendered.omitted} bytes left out]"
    assert note in rendered.text
    head, _, tail = rendered.text.partition(note)
    head, tail = head.removesuffix("\n"), tail.removeprefix("\n")
    assert whole.startswith(head)
    assert whole.endswith(tail)
    assert len(head.encode()) + len(tail.encode()) <= most
    # A newline at the cut may be counted as omitted or not.
    left = len(whole.encode()) - len(head.encode()) - len(tail.encode())
    assert rendered.omitted <= left <= rendered.omitted + 1


def test_raw_output_keeps_escape_sequences_and_has_plain_line_ends():
    rendered = render(Stretch(b"\x1b[31mred\x1b[0m\r\n", 0, b""), cols=80, rows=24, raw=True, most=100)
    assert rendered == ("\x1b[31mred\x1b[0m\n", 0)

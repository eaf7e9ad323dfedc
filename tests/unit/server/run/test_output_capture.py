"""The output of a command comes from the journal and the log, and omitted bytes are counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pane_output import write_journal

from phux_core.server.run import output_capture
from phux_core.server.run.output_capture import Stretch, read_output, render


def read(journal, start, end, log=b""):
    return read_output(journal, lambda first, last: log[first:last] if last <= len(log) else b"", start, end)


def test_output_is_read_from_the_journal(journal):
    write_journal(journal, b"before|output|after")
    assert read(journal, 7, 13) == Stretch(b"output", 0, b"")


def test_output_that_the_journal_no_longer_has_is_read_from_the_log(journal):
    log = bytes(range(256)) * 3000
    write_journal(journal, log[:200_000])
    journal.restart()
    write_journal(journal, log[200_000:400_000])
    journal.restart()
    write_journal(journal, log[400_000:500_000])
    for start, end in ((0, 500_000), (10, 450_000), (100, 200), (390_000, 410_000)):
        stretch = read(journal, start, end, log)
        assert (stretch.head + stretch.tail, stretch.omitted) == (log[start:end], 0)


def test_the_middle_of_large_output_is_omitted_and_counted(journal, monkeypatch):
    monkeypatch.setattr(output_capture, "_KEPT", 1000)
    data = bytes(range(256)) * 2000
    write_journal(journal, data)
    journal.restart()
    stretch = read(journal, 0, len(data), data)
    assert stretch.tail == data[-1000:]
    assert len(stretch.head) + stretch.omitted == len(data) - 1000


def test_output_that_is_in_no_log_is_counted(journal):
    write_journal(journal, b"lost" * 100_000)
    journal.restart()
    write_journal(journal, b"kept")
    stretch = read(journal, 0, 400_004)
    assert stretch.omitted > 0
    assert stretch.omitted + len(stretch.tail) == 400_004
    assert stretch.tail.endswith(b"lostkept")


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

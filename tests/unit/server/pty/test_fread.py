"""Draining a PTY in large reads: all output in order, with distinct results for no output, end of file and errors."""

from __future__ import annotations

import mmap
import os
import threading

import pytest
from pane_output import write_all, write_journal

from phux_core.keeper import journal as journals
from phux_core.server.pty.fread import Drain


@pytest.fixture
def drain(terminal):
    drain = Drain(terminal[0])
    yield drain
    drain.close()


def test_one_call_reads_all_available_output(terminal, drain, journal):
    _master, slave = terminal
    os.set_blocking(slave, False)
    data = bytes(range(256)) * 1024
    written = os.write(slave, data)
    assert written > 8192, "the test needs more output than the kernel returns from one read"
    # The kernel delivers written bytes to the reader with a delay.
    taken = 0
    while taken < written:
        try:
            taken += journal.take(drain.read_into, journals.MAX_READ)
        except BlockingIOError:
            os.sched_yield()
    assert journal.since(journal.base) == data[:written]


def test_all_output_is_read_in_order_at_any_buffer_size(terminal, drain, journal):
    _master, slave = terminal
    data = os.urandom(3_000_001)
    writer = threading.Thread(target=write_all, args=(slave, data))
    writer.start()
    most = 1
    try:
        while journal.position < len(data):
            try:
                assert journal.take(drain.read_into, most) <= most
            except BlockingIOError:
                os.sched_yield()
            most = most * 7 % journals.MAX_READ + 1
    finally:
        writer.join()
    assert journal.since(journal.base) == data


def test_reading_without_available_output_raises_blocking_io_error(terminal, drain):
    buffer = memoryview(bytearray(100))
    for _ in range(2):
        with pytest.raises(BlockingIOError):
            drain.read_into(buffer)
    os.write(terminal[1], b"later")
    while True:
        try:
            count = drain.read_into(buffer)
            break
        except BlockingIOError:
            os.sched_yield()
    assert bytes(buffer[:count]) == b"later"


def test_end_of_file_returns_zero_and_a_hangup_raises():
    reader, writer = os.pipe()
    os.write(writer, b"last")
    os.close(writer)
    os.set_blocking(reader, False)
    drain = Drain(reader)
    buffer = memoryview(bytearray(100))
    assert drain.read_into(buffer) == 4
    assert drain.read_into(buffer) == 0
    drain.close()
    os.close(reader)

    master, slave = os.openpty()
    os.set_blocking(master, False)
    drain = Drain(master)
    os.close(slave)
    with pytest.raises(OSError, match="Input/output") as raised:
        drain.read_into(buffer)
    assert not isinstance(raised.value, BlockingIOError)
    drain.close()
    os.fstat(master)  # the caller's descriptor stays open
    os.close(master)


def journal_after_a_death(before, uncounted):
    """Return the output found after a service died during a read, which has removed bytes from the kernel."""
    descriptor = journals.create()
    first = journals.Journal(os.dup(descriptor))
    write_journal(first, b"x" * 200 + b"covered by a checkpoint")
    first.restart()
    write_journal(first, before)

    class DiesError(Exception):
        pass

    def read_and_die(room):
        room[: len(uncounted)] = uncounted
        raise DiesError

    with pytest.raises(DiesError):
        first.take(read_and_die, 100)
    first.close()
    second = journals.Journal(descriptor)
    output = second.since(second.base)
    second.close()
    return output


@pytest.mark.parametrize("uncounted", [b"", b"text", b"\0", b"text\0\0\0", bytes(100), "é".encode(), b"\xff" * 9])
@pytest.mark.parametrize("before", [b"counted", b"an even number of bytes."])
def test_output_that_a_dying_service_read_and_did_not_count_is_recovered(before, uncounted):
    assert journal_after_a_death(before, uncounted) == before + uncounted


@pytest.mark.parametrize("fill", [b"\xc1", b"\xf9"])
def test_output_that_looks_like_the_fill_of_the_journal_loses_at_most_its_last_byte(fill):
    assert journal_after_a_death(b"", fill * 9) in (fill * 8, fill * 9)
    assert journal_after_a_death(b"x", fill * 9) in (b"x" + fill * 8, b"x" + fill * 9)


def test_the_outbox_is_kept_across_services_and_journal_restarts():
    descriptor = journals.create()
    first = journals.Journal(os.dup(descriptor))
    assert first.outbox == b""
    assert first.add_to_outbox(b"one ")
    assert first.add_to_outbox(b"two")
    assert not first.add_to_outbox(bytes(journals.OUTBOX_SIZE))
    write_journal(first, b"x" * journals.SIZE)
    assert first.room == 0
    first.restart()
    second = journals.Journal(os.dup(descriptor))
    assert second.outbox == b"one two"
    assert second.since(second.base) == b""
    write_journal(second, b"more")
    second.clear_outbox()
    third = journals.Journal(descriptor)
    assert third.outbox == b""
    assert third.since(third.base) == b"more"
    for journal in (first, second, third):
        journal.close()


def test_the_outbox_after_a_full_journal_is_not_read_as_output():
    descriptor = journals.create()
    first = journals.Journal(os.dup(descriptor))
    write_journal(first, b"x" * journals.SIZE)
    first.add_to_outbox(b"not output")
    second = journals.Journal(descriptor)
    assert second.position == journals.SIZE
    first.close()
    second.close()


@pytest.mark.skipif(not hasattr(mmap, "MADV_REMOVE"), reason="only Linux can free a part of a file in memory")
def test_the_space_filled_for_a_read_is_freed_and_the_output_is_kept():
    nothing, write_end = os.pipe()
    os.set_blocking(nothing, False)
    memory = journals.create()
    journal = journals.Journal(os.dup(memory))
    before = os.fstat(memory).st_blocks

    def read_into(space):
        space[:6] = b"output"
        return 6

    journal.take(read_into, journals.MAX_READ)
    assert os.fstat(memory).st_blocks * 512 > journals.MAX_READ
    journal.free_rest()
    assert (os.fstat(memory).st_blocks - before) * 512 == mmap.PAGESIZE
    journal.take(read_into, 100)
    with pytest.raises(BlockingIOError):
        journal.take(lambda _space: os.readv(nothing, [bytearray(1)]), journals.MAX_READ)
    journal.free_rest()
    assert journal.since(0) == b"outputoutput"
    journal.close()
    again = journals.Journal(memory)
    assert (again.position, again.since(0)) == (12, b"outputoutput")
    again.close()
    os.close(nothing)
    os.close(write_end)


def test_a_note_and_a_summary_share_their_space(journal):
    journal.note, journal.summary = b"note", b"summary"
    assert (journal.note, journal.summary) == (b"note", b"summary")
    journal.note = bytes(journals.NOTE_SIZE - 7)
    assert journal.summary == b"summary"
    journal.note = bytes(journals.NOTE_SIZE - 6)
    assert (len(journal.note), journal.summary) == (journals.NOTE_SIZE - 6, b"")
    journal.summary = b"summary"
    assert (len(journal.note), journal.summary) == (journals.NOTE_SIZE - 6, b"")

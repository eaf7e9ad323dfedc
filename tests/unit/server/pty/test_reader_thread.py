"""The reader thread for floods reads all output in order, pauses, ends by itself and can be stopped."""

from __future__ import annotations

import os
import threading
import time

import pytest
from pane_output import write_all

from phux_core.server.pty.reader_thread import AHEAD, CHUNK, ReadAhead


def collect(ahead, journal, woken, size):
    """Consume and acknowledge output as the event loop does, until ``size`` bytes were read; return all bytes."""
    taken = b""
    while len(taken) < size:
        data = journal.since(len(taken))
        if data:
            taken += data
            ahead.parsed(len(taken))
        elif ahead.wait():
            assert woken.wait(10)
            woken.clear()
    return taken


def wait_for_end(ahead, woken):
    while not ahead.done:
        if ahead.wait():
            assert woken.wait(10)


@pytest.fixture
def endless(monkeypatch):
    """Let the thread wait for output: on a busy machine, the writer may not run for a while."""
    monkeypatch.setattr("phux_core.server.pty.reader_thread._WINDOW_S", 60.0)


@pytest.mark.usefixtures("endless")
def test_all_output_is_read_in_order_although_the_thread_must_pause(terminal, journal):
    master, slave = terminal
    data = bytes(range(256)) * (3 * AHEAD // 256)
    woken = threading.Event()
    ahead = ReadAhead(master, journal, woken.set)
    writer = threading.Thread(target=write_all, args=(slave, data), daemon=True)
    writer.start()
    try:
        assert collect(ahead, journal, woken, len(data)) == data
    finally:
        ahead.stop()
    writer.join(10)


@pytest.mark.usefixtures("endless")
def test_the_thread_does_not_read_further_ahead_than_the_limit(terminal, journal):
    master, slave = terminal
    woken = threading.Event()
    ahead = ReadAhead(master, journal, woken.set)
    writer = threading.Thread(target=write_all, args=(slave, b"x" * (2 * AHEAD)))
    writer.start()
    try:
        while journal.position <= AHEAD:
            ahead.parsed(0)
            assert not ahead.done
            time.sleep(0.0001)
        assert journal.position <= AHEAD + CHUNK
        collect(ahead, journal, woken, 2 * AHEAD)
    finally:
        writer.join()
        ahead.stop()


def test_the_thread_ends_when_there_is_no_output(terminal, journal):
    woken = threading.Event()
    ahead = ReadAhead(terminal[0], journal, woken.set)
    wait_for_end(ahead, woken)
    assert ahead.done
    assert not ahead.ended
    ahead.stop()


def test_the_thread_ends_when_there_is_little_output(terminal, journal):
    master, slave = terminal
    ahead = ReadAhead(master, journal, lambda: None)
    written = 0
    while not ahead.done:
        written += os.write(slave, b"x" * 10)
        while journal.position < written and not ahead.done:
            ahead.parsed(journal.position)
    ahead.stop()
    assert not ahead.ended


def test_the_thread_reports_the_end_of_the_output(journal):
    master, slave = os.openpty()
    os.set_blocking(master, False)
    woken = threading.Event()
    ahead = ReadAhead(master, journal, woken.set)
    os.close(slave)
    wait_for_end(ahead, woken)
    assert ahead.done
    assert ahead.ended
    ahead.stop()
    os.close(master)


def test_the_thread_has_ended_when_stop_returns(terminal, journal):
    before = threading.active_count()
    ahead = ReadAhead(terminal[0], journal, lambda: None)
    ahead.stop()
    assert threading.active_count() == before


@pytest.mark.usefixtures("endless")
def test_the_loop_may_sleep_right_after_output_only_on_a_single_core(terminal, journal, monkeypatch):
    monkeypatch.setattr("phux_core.server.pty.reader_thread._CORES", 2)
    monkeypatch.setattr("phux_core.server.pty.reader_thread._SPIN_S", 60.0)
    ahead = ReadAhead(terminal[0], journal, lambda: None)
    try:
        assert not ahead.wait()
        monkeypatch.setattr("phux_core.server.pty.reader_thread._CORES", 1)
        assert ahead.wait()
    finally:
        ahead.stop()

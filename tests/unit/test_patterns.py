"""A pattern whose matching takes too long is stopped, in any thread and without side effects on the program."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from phux_core.errors import LimitError
from phux_core.patterns import LIMIT_S, Searcher
from servers import eventually, process_gone

ENDLESS = [
    ("(a+)+$", "a" * 60 + "!"),
    ("(a|a)" * 40 + "b", "a" * 60),
    (r"\d+x", "1" * 300_000),
]


@pytest.fixture(params=["main thread", "another thread"])
def call(request):
    """Return a function that calls another function in the main thread or in a second thread."""
    if request.param == "main thread":
        yield lambda function, *args: function(*args)
    else:
        with ThreadPoolExecutor(1) as pool:
            yield lambda function, *args: pool.submit(function, *args).result()


def first(pattern, lines):
    return Searcher(pattern).first(lines)


@pytest.mark.parametrize(("pattern", "line"), ENDLESS, ids=[pattern[:12] for pattern, _line in ENDLESS])
def test_a_pattern_whose_matching_takes_too_long_raises_a_limit_error(call, pattern, line):
    def timed():
        used = time.thread_time()
        with pytest.raises(LimitError, match="matching the pattern took"):
            first(pattern, ["before", line, "after"])
        return time.thread_time() - used

    assert call(timed) < 2 * LIMIT_S


def test_first_returns_the_first_matching_line(call):
    assert call(first, "b+", ["a", "abbb", "b"]) == (1, "bbb")
    assert call(first, "bb", ["a", "abbb", "b"]) == (1, "bb")
    assert call(first, "x*y", ["a", "b"]) is None
    assert call(first, "b*", []) is None


@pytest.mark.parametrize("line", ["\udcff\ud800", "\0\n\r", "ü" * 10_000, "👩‍👩‍👧"])
def test_lines_with_unusual_characters_are_matched_unchanged(call, line):
    assert call(first, "(?s).*", [line]) == (0, line)
    assert call(first, f"^{line[0]}+", [line])[0] == 0


def test_many_lines_that_are_matched_quickly_do_not_reach_the_limit(call):
    lines = ["a line of output that does not match"] * 200_000
    assert call(first, "no(t)+hing", lines) is None


def test_a_searcher_can_be_used_again_after_it_was_stopped(call):
    searcher = Searcher("(a+)+$")
    with pytest.raises(LimitError):
        call(searcher.first, ["a" * 60 + "!"])
    assert call(searcher.first, ["aaa"]) == (0, "aaa")


def test_the_signal_handler_and_timer_of_the_program_are_preserved():
    signals = []
    handler = signal.signal(signal.SIGVTALRM, lambda *_: signals.append(1))
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 1000)
        mine = signal.getsignal(signal.SIGVTALRM)
        assert first("a+", ["a"]) == (0, "a")
        with pytest.raises(LimitError):
            first("(a+)+$", ["a" * 60 + "!"])
        assert signal.getsignal(signal.SIGVTALRM) is mine
        assert signal.getitimer(signal.ITIMER_VIRTUAL)[0] == pytest.approx(1000, abs=10)
        assert not signals
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, handler)


def test_cpu_time_of_other_threads_does_not_count():
    busy = threading.Event()
    idle = threading.Event()

    def compute():
        busy.set()
        while not idle.is_set():
            sum(range(1000))

    threads = [threading.Thread(target=compute) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        busy.wait()
        # This loop ends after the process has used more CPU time than the limit, mostly in the other threads.
        lines = ["a line of output that does not match"] * 100_000
        deadline = time.process_time() + 2 * LIMIT_S
        while time.process_time() < deadline:
            assert first("no(t)+hing", lines) is None
    finally:
        idle.set()
        for thread in threads:
            thread.join()


def test_the_helper_process_of_a_second_thread_ends_with_its_searcher():
    def use():
        searcher = Searcher("a+")
        assert searcher.first(["a"]) == (0, "a")
        return searcher._helper._process.pid

    with ThreadPoolExecutor(1) as pool:
        pid = pool.submit(use).result()
    eventually(lambda: process_gone(pid))
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)  # the process is not even a zombie

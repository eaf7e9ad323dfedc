"""What the keeper sees for a service that may not: the call that a process waits in."""

from __future__ import annotations

import os
import select
import subprocess
import threading

import pytest

from phux_core.keeper import witness
from phux_core.server.kernel import syscall as waiting_call
from phux_core.server.kernel.syscall import Questions, ask_where_refused, read_call
from servers import eventually


@pytest.fixture
def ends():
    ours, theirs = witness.make_pair()
    with ours, theirs:
        yield ours, theirs


@pytest.fixture
def cat():
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
        eventually(lambda: len(witness.read_call(process.pid, process.pid).split()) == 9)
        yield process.pid


@pytest.fixture
def asked(ends):
    """A witness that answers, and an asker."""
    ours, theirs = ends
    over = threading.Event()

    def answer():
        while not over.is_set():
            if select.select([ours], [], [], 0.05)[0]:
                witness.answer(ours)

    thread = threading.Thread(target=answer)
    thread.start()
    yield Questions(theirs)
    over.set()
    thread.join(10)


def test_an_answer_is_what_the_kernel_says(asked, cat):
    assert asked.ask(cat, cat) == witness.read_call(cat, cat)
    assert asked.ask(cat, cat)


def test_what_is_gone_has_no_answer_and_the_next_one_has(asked, cat):
    assert asked.ask(2**30, 2**30) == b""
    assert asked.ask(cat, cat)


def test_who_may_not_know_asks(asked, cat, monkeypatch):
    expected = read_call(cat, cat)
    read = witness.read_call
    here = threading.get_ident()

    def refused(pid, tid):
        if threading.get_ident() == here:
            raise PermissionError
        return read(pid, tid)

    monkeypatch.setattr(witness, "read_call", refused)
    assert read_call(cat, cat) == []
    ask_where_refused(asked)
    try:
        assert read_call(cat, cat) == expected
        assert read_call(2**30, 2**30) == []
    finally:
        ask_where_refused(None)


def test_one_that_does_not_answer_is_not_asked_again_for_a_while(ends, monkeypatch):
    ours, theirs = ends
    clock = [100.0]
    monkeypatch.setattr(waiting_call.time, "monotonic", lambda: clock[0])
    questions = Questions(theirs)
    assert questions.ask(1, 1) == b""
    assert questions.ask(1, 1) == b""
    ours.recv(64)
    with pytest.raises(BlockingIOError):
        ours.recv(64)
    clock[0] += 10
    assert questions.ask(1, 1) == b""
    assert ours.recv(64)


def test_a_late_answer_is_not_taken_for_that_of_the_next_question(ends, monkeypatch):
    ours, theirs = ends
    clock = [100.0]
    monkeypatch.setattr(waiting_call.time, "monotonic", lambda: clock[0])
    questions = Questions(theirs)
    assert questions.ask(os.getpid(), os.getpid()) == b""
    witness.answer(ours)
    clock[0] += 10
    assert questions.ask(2**30, 2**30) == b""
    question = witness.QUESTION.unpack(ours.recv(64))
    assert question == (2, 2**30, 2**30)


@pytest.mark.parametrize("question", [b"", b"x", b"x" * 12, b"x" * 13, b"x" * 4096])
def test_nonsense_does_not_hurt_the_keeper(ends, question, cat):
    ours, theirs = ends
    theirs.send(question)
    theirs.send(witness.QUESTION.pack(7, cat, cat))
    witness.answer(ours)
    theirs.settimeout(1)
    answers = [theirs.recv(4096) for _ in range(1 + (len(question) == witness.QUESTION.size))]
    assert answers[-1] == witness.NUMBER.pack(7) + witness.read_call(cat, cat)


def test_an_asker_who_is_gone_does_not_hurt_the_keeper(ends, cat):
    ours, theirs = ends
    theirs.send(witness.QUESTION.pack(7, cat, cat))
    theirs.close()
    witness.answer(ours)

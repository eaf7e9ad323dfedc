"""The keeper reads the system call of a process for a service that lacks the permission."""

from __future__ import annotations

import os
import select
import subprocess
import threading

import pytest

from phux_core.keeper import witness
from phux_core.server.kernel import syscall
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
def questions(ends):
    """Return the asking end of a witness that answers in a thread."""
    ours, theirs = ends
    stopped = threading.Event()

    def answer():
        while not stopped.is_set():
            if select.select([ours], [], [], 0.05)[0]:
                witness.answer(ours)

    thread = threading.Thread(target=answer)
    thread.start()
    yield Questions(theirs)
    stopped.set()
    thread.join(10)


def test_the_answer_is_the_call_that_the_kernel_reports(questions, cat):
    assert questions.ask(cat, cat) == witness.read_call(cat, cat)
    assert questions.ask(cat, cat)


def test_a_question_about_a_missing_process_gets_an_empty_answer_and_the_next_question_works(questions, cat):
    assert questions.ask(2**30, 2**30) == b""
    assert questions.ask(cat, cat)


def test_read_call_asks_the_witness_if_permission_is_denied(questions, cat, monkeypatch):
    expected = read_call(cat, cat)
    read = witness.read_call
    here = threading.get_ident()

    def refused(pid, tid):
        if threading.get_ident() == here:
            raise PermissionError
        return read(pid, tid)

    monkeypatch.setattr(witness, "read_call", refused)
    assert read_call(cat, cat) == []
    ask_where_refused(questions)
    try:
        assert read_call(cat, cat) == expected
        assert read_call(2**30, 2**30) == []
    finally:
        ask_where_refused(None)


def test_no_question_is_sent_for_a_while_after_an_unanswered_one(ends, monkeypatch):
    ours, theirs = ends
    clock = [100.0]
    monkeypatch.setattr(syscall.time, "monotonic", lambda: clock[0])
    questions = Questions(theirs)
    assert questions.ask(1, 1) == b""
    assert questions.ask(1, 1) == b""
    ours.recv(64)
    with pytest.raises(BlockingIOError):
        ours.recv(64)
    clock[0] += 10
    assert questions.ask(1, 1) == b""
    assert ours.recv(64)


def test_a_late_answer_is_not_taken_for_the_answer_to_the_next_question(ends, monkeypatch):
    ours, theirs = ends
    clock = [100.0]
    monkeypatch.setattr(syscall.time, "monotonic", lambda: clock[0])
    questions = Questions(theirs)
    assert questions.ask(os.getpid(), os.getpid()) == b""
    witness.answer(ours)
    clock[0] += 10
    assert questions.ask(2**30, 2**30) == b""
    question = witness.QUESTION.unpack(ours.recv(64))
    assert question == (2, 2**30, 2**30)


@pytest.mark.parametrize("question", [b"", b"x", b"x" * 12, b"x" * 13, b"x" * 4096])
def test_malformed_questions_do_not_stop_the_witness(ends, question, cat):
    ours, theirs = ends
    theirs.send(question)
    theirs.send(witness.QUESTION.pack(7, cat, cat))
    witness.answer(ours)
    theirs.settimeout(1)
    answers = [theirs.recv(4096) for _ in range(1 + (len(question) == witness.QUESTION.size))]
    assert answers[-1] == witness.NUMBER.pack(7) + witness.read_call(cat, cat)


def test_the_witness_does_not_raise_if_the_asking_end_is_closed(ends, cat):
    ours, theirs = ends
    theirs.send(witness.QUESTION.pack(7, cat, cat))
    theirs.close()
    witness.answer(ours)

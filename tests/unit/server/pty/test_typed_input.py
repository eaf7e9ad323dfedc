"""The progress of typed input, in memory that survives the service."""

from __future__ import annotations

from phux_core.keeper.journal import TYPED_SIZE
from phux_core.server.pty.typed_input import Progress, TypedInput


def test_the_next_service_finds_how_much_was_typed():
    memory = memoryview(bytearray(TYPED_SIZE))
    typed = TypedInput(memory)
    typed.record("k", 0, 10, is_writing=True)
    typed.record("k", 4, 10, is_writing=False)
    assert TypedInput(memory).find("k") == Progress(4, 10, is_writing=False)
    assert TypedInput(memory).find("other") is None


def test_the_next_service_knows_that_its_predecessor_died_during_a_write():
    memory = memoryview(bytearray(TYPED_SIZE))
    TypedInput(memory).record("k", 0, 2**20, is_writing=True)
    assert TypedInput(memory).find("k") == Progress(0, 2**20, is_writing=True)


def test_input_of_which_nothing_was_typed_is_not_found():
    typed = TypedInput(memoryview(bytearray(TYPED_SIZE)))
    typed.record("k", 0, 10, is_writing=True)
    typed.record("k", 0, 10, is_writing=False)
    assert typed.find("k") is None


def test_the_latest_inputs_are_found():
    typed = TypedInput(memoryview(bytearray(TYPED_SIZE)))
    for number in range(100):
        typed.record(str(number), 1, 1, is_writing=False)
    found = [number for number in range(100) if typed.find(str(number)) is not None]
    assert found == list(range(68, 100))

"""Where a shell that marks nothing has its prompt, learnt only where it can be nowhere else."""

from __future__ import annotations

import pytest

from phux_core.server.kernel.foreground import Foreground
from phux_core.server.shell import prompt_place
from phux_core.server.shell.prompt_place import PromptPlaces

PROMPT, READ, OTHER = 500, 800, 900


class Shells:
    """Shells whose depth the kernel tells as it is set here, and a clock that goes as it is told."""

    def __init__(self, monkeypatch):
        self.places = PromptPlaces()
        self.now = 100.0
        self.depth = PROMPT
        monkeypatch.setattr(prompt_place, "depth_of_wait", lambda _pid: self.depth)
        monkeypatch.setattr(prompt_place.time, "monotonic", lambda: self.now)

    def is_left(self, depth, *, pid=100, canonical=True, waiting=True, kind="posix"):
        self.depth = depth
        return self.places.is_left(Foreground(pid, pid, "dash", "/", kind, True, canonical, True, waiting))

    def type(self, data, *, after_s=1.0):
        self.now += after_s
        self.places.typed(data)


@pytest.fixture
def shells(monkeypatch):
    return Shells(monkeypatch)


def test_the_first_wait_is_at_the_prompt_and_another_is_not(shells):
    assert not shells.is_left(PROMPT)
    shells.type(b"read x\r")
    assert shells.is_left(READ)
    assert not shells.is_left(READ, waiting=False)
    shells.type(b"answer\r")
    assert not shells.is_left(PROMPT)


def test_a_line_that_was_typed_ahead_may_be_what_the_first_wait_is_for(shells):
    shells.type(b"read x\r")
    assert not shells.is_left(READ)
    assert not shells.is_left(PROMPT)
    shells.type(b"read x\r")
    assert not shells.is_left(READ), "the prompt was never learnt"


def test_a_line_of_ours_that_was_taken_tells_where_the_prompt_is(shells):
    shells.type(b"read x\r")
    shells.places.run_began((100, "dash"), PROMPT, canonical=True)
    assert shells.is_left(READ)


def test_the_wait_after_a_run_is_at_the_prompt_wherever_that_is(shells):
    assert not shells.is_left(PROMPT)
    shells.type(b"true\r")
    shells.now += 1.0
    shells.places.run_began((100, "dash"), PROMPT, canonical=True)  # set -o vi
    assert not shells.is_left(OTHER)
    shells.type(b"read x\r")
    assert shells.is_left(READ)
    shells.type(b"\r")
    assert not shells.is_left(OTHER)


def test_what_is_typed_during_a_run_may_be_what_the_next_wait_is_for(shells):
    assert not shells.is_left(PROMPT)
    shells.places.run_began((100, "dash"), PROMPT, canonical=True)
    shells.type(b"read x\r")
    shells.now += 1.0
    assert shells.is_left(READ)
    assert not shells.is_left(PROMPT)


def test_an_interrupted_shell_is_at_its_prompt_when_it_has_heard_of_it(shells):
    assert not shells.is_left(PROMPT)
    shells.type(b"set -o vi\r")
    assert shells.is_left(OTHER)
    shells.type(b"\x03")
    assert shells.is_left(OTHER), "it may not have heard of it yet"
    shells.now += 0.3
    assert not shells.is_left(OTHER)
    assert not shells.is_left(PROMPT)
    shells.type(b"read x\r")
    assert shells.is_left(READ)


def test_an_interrupt_that_a_line_follows_tells_nothing(shells):
    assert not shells.is_left(PROMPT)
    shells.type(b"\x03read x\r")
    shells.now += 1.0
    assert shells.is_left(READ)


def test_a_read_that_outlives_an_interrupt_costs_no_prompt(shells):
    """As with `trap '' INT`."""
    assert not shells.is_left(PROMPT)
    shells.type(b"read x\r")
    assert shells.is_left(READ)
    shells.type(b"\x03")
    shells.now += 1.0
    assert not shells.is_left(READ)
    shells.type(b"answer\r")
    assert not shells.is_left(PROMPT)


def test_a_place_that_a_line_leads_back_to_is_a_prompt(shells):
    assert not shells.is_left(READ), "a file of the user's asks something"
    shells.type(b"answer\r")
    shells.now += 1.0
    assert shells.is_left(PROMPT), "it may be a command's"
    shells.type(b"\r")
    assert shells.is_left(PROMPT), "it may not have taken the line yet"
    shells.now += 0.3
    assert not shells.is_left(PROMPT)
    shells.type(b"read x\r")
    assert shells.is_left(OTHER)


def test_a_key_starts_no_command(shells):
    """A search in the history, or what oh-my-zsh asks before the first prompt."""
    assert not shells.is_left(READ, canonical=False)
    shells.type(b"y")
    assert shells.is_left(PROMPT, canonical=False), "for a moment"
    shells.now += 0.3
    assert not shells.is_left(PROMPT, canonical=False)
    shells.type(b"read x\r")
    assert shells.is_left(OTHER, canonical=True)


def test_a_shell_inside_has_a_prompt_of_its_own(shells):
    assert not shells.is_left(PROMPT)
    shells.type(b"ksh\r")
    assert not shells.is_left(OTHER, pid=101)
    shells.type(b"read x\r")
    assert shells.is_left(READ, pid=101)
    shells.type(b"\r")
    shells.type(b"exit\r")
    assert not shells.is_left(PROMPT)
    shells.type(b"read x\r")
    assert shells.is_left(READ)


def test_a_shell_inside_that_has_lines_to_read_already_may_wait_for_anything(shells):
    assert not shells.is_left(PROMPT)
    shells.type(b"ksh\rread x\r")
    assert not shells.is_left(READ, pid=101)
    assert not shells.is_left(OTHER, pid=101)
    shells.type(b"\r", after_s=0.1)
    assert not shells.is_left(READ, pid=101)


def test_a_shell_that_marks_its_commands_takes_lines_too(shells):
    shells.type(b"dash\r")
    shells.places.line_taken()
    assert not shells.is_left(PROMPT)
    shells.type(b"read x\r")
    assert shells.is_left(READ)
    shells.type(b"\r")
    assert not shells.is_left(PROMPT)
    shells.type(b"exit\r")
    shells.places.line_taken()
    shells.type(b"dash\rread x\r")
    shells.places.line_taken()
    assert not shells.is_left(READ, pid=101), "the line was there before it"
    assert not shells.is_left(PROMPT, pid=101)


def test_nothing_is_learnt_of_what_an_earlier_service_has_seen(shells):
    shells.places.forget()
    assert not shells.is_left(READ)
    assert not shells.is_left(PROMPT)
    shells.places.run_began((100, "dash"), PROMPT, canonical=True)
    shells.type(b"read x\r")
    assert shells.is_left(READ)


@pytest.mark.parametrize("depths", [(None, None), (PROMPT, None), (None, READ)])
def test_where_the_kernel_tells_no_depth_the_terminal_tells_who_edits(shells, depths):
    prompt, read = depths
    assert not shells.is_left(prompt, canonical=False)
    shells.type(b"read x\r")
    assert shells.is_left(read, canonical=True)
    assert not shells.is_left(prompt, canonical=False)


def test_a_shell_that_begins_to_edit_its_lines_is_at_its_prompt(shells):
    """By `set -o emacs` in ksh."""
    assert not shells.is_left(PROMPT)
    shells.type(b"set -o emacs\r")
    assert not shells.is_left(OTHER, canonical=False)
    shells.type(b"read x\r")
    assert shells.is_left(READ, canonical=True)
    shells.type(b"set +o emacs\r")
    assert not shells.is_left(PROMPT, canonical=True)


def test_a_wait_that_was_over_before_its_depth_was_read_hides_nothing(shells):
    assert not shells.is_left(None)
    shells.places.run_began((100, "dash"), PROMPT, canonical=True)
    shells.type(b"read x\r")
    assert shells.is_left(READ)


def test_it_remembers_no_more_than_a_few(shells):
    for pid in range(100):
        shells.places.run_began((pid, "dash"), PROMPT, canonical=True)
    shells.type(b"read x\r")
    assert shells.is_left(READ, pid=99)
    assert not shells.is_left(READ, pid=0)
    for depth in range(1000):
        shells.places.run_began((99, "dash"), depth, canonical=True)
    shells.type(b"read x\r")
    assert shells.is_left(5, pid=99)

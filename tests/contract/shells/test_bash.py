"""The numbers and exit statuses in bash marks, which distinguish a redrawn prompt from a finished command."""

from __future__ import annotations

import itertools

import pytest


def numbers(terminal, kind):
    """Return the numbers in the marks of one kind."""
    return [number for name, _, number in terminal.numbered if name == kind]


def test_the_number_grows_by_one_for_each_executed_command(bash):
    terminal = bash.start()
    (first,) = numbers(terminal, "B")
    for command in ("true", "false", "sh -c 'exit 3'", "true; false", "cd /"):
        terminal.line(command)
    assert numbers(terminal, "D") == [first + count for count in range(1, 6)]
    assert numbers(terminal, "B") == [first + count for count in range(6)]


def test_the_number_stays_the_same_after_lines_that_execute_nothing(bash):
    terminal = bash.start()
    terminal.line("sh -c 'exit 3'")
    last = terminal.numbered[-1]
    for line in ("", "   ", "# a comment"):
        terminal.line(line)
    assert set(numbers(terminal, "D")) == {last[2]}
    assert terminal.numbered[-1] == last
    terminal.typed("half a line")
    bash.interrupt(terminal)
    assert terminal.numbered[-1] == ("B", 130, last[2])
    terminal.line("true")
    assert terminal.numbered[-1] == ("B", 0, last[2] + 1)


def test_both_marks_of_a_prompt_have_the_same_number_and_status(bash):
    terminal = bash.start("PROMPT_COMMAND='true'\n")
    for code in (3, 0, 4):
        terminal.line(f"sh -c 'exit {code}'")
        (_, *ended), (_, *drawn) = terminal.numbered[-2:]
        assert ended == drawn
        assert ended[0] == code


def test_a_redrawn_prompt_has_the_same_number(bash):
    terminal = bash.start()
    terminal.line("sh -c 'exit 3'")
    last = terminal.numbered[-1]
    terminal.typed("echo a")
    drawn = len(terminal.numbered)
    terminal.type("\x0c")
    terminal.wait(lambda: len(terminal.numbered) > drawn, "the redrawn prompt")
    assert set(terminal.numbered[drawn:]) == {last}


@pytest.mark.parametrize("change", ["PROMPT_COMMAND=(: :)", "unset PROMPT_COMMAND"])
def test_the_prompt_has_the_exit_status_after_prompt_command_was_replaced(bash, change):
    terminal = bash.start()
    before = terminal.numbered[-1][2]
    known = len(terminal.numbered)
    terminal.type(f"{change}; (exit 7)\r")
    terminal.wait(lambda: terminal.numbered[known:], "a prompt")
    assert terminal.numbered[known:] == [("B", 7, before + 1)]


@pytest.mark.parametrize("change", ["PROMPT_COMMAND=(: :)", "unset PROMPT_COMMAND"])
def test_the_numbers_continue_after_prompt_command_was_replaced(bash, change):
    terminal = bash.start()
    for _ in range(2):
        known = len(terminal.numbered)
        terminal.type(change + "\r")
        terminal.wait(lambda known=known: terminal.numbered[known:], "a prompt")
        terminal.line("sh -c 'exit 3'")
    drawn = numbers(terminal, "B")
    assert {second - first for first, second in itertools.pairwise(drawn)} <= {0, 1}
    assert drawn[-1] - drawn[0] == 4
    assert terminal.numbered[-1][1] == 3


@pytest.mark.parametrize("name", ["PROMPT_COMMAND", "PS1", "PS0"])
def test_a_shell_with_a_readonly_prompt_variable_reports_that_it_sends_no_marks(bash, name):
    terminal = bash.start(f"PS1='$ '; readonly {name}\n", wait=False)
    terminal.wait(lambda: terminal.marks, "a mark")
    terminal.type("echo do''ne\r")
    terminal.wait(lambda: "done" in terminal.screen(), "the output")
    terminal.shows("$")
    assert terminal.marks == ["X"]

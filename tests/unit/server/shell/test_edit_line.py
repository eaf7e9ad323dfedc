"""``EditLine``: whether the prompt may have text on its line after input, events and output."""

from __future__ import annotations

import pytest

from phux_core.server.shell.edit_line import EditLine, leaves_line, problem_in_answer
from phux_core.server.shell.events import CommandFinished, CommandStarted, LineLength

STARTED = CommandStarted("ls", 30, 10, 20)
INTERRUPTED = CommandFinished(130, None, 40)
SYNTAX_ERROR = CommandFinished(127, None, 40)
NOW = 100.0


def after(*typed, shell="bash", early=False, event=None):
    """Return a line after typed input, followed by an event if one is given."""
    line = EditLine()
    for data in typed:
        line.typed(data, NOW, early=early, shell=shell)
    if event is not None:
        line.taken(event, shell)
    return line


def test_a_new_line_is_empty():
    assert not EditLine().may_hold_text(b"")


@pytest.mark.parametrize("data", [b"ls -l\r", b"\x1b[200~ls -l\x1b[201~\r", b"\r", b"ls\n", "écho ü\r".encode()])
def test_the_prompt_is_empty_after_a_single_line_was_executed(data):
    assert after(data).may_hold_text(b"")
    assert not after(data, event=STARTED).may_hold_text(b"")


@pytest.mark.parametrize(
    "data",
    [b"ls", b"l\x7fs\r", b"ls\rls", b"ls\rls\r", b"\t", b"\x1b[A", b"\x15", b"\x1b[200~a\rb\x1b[201~\r", b"\x1b\r"],
)
def test_the_prompt_may_have_text_after_any_other_input(data):
    line = after(data, event=STARTED)
    assert line.may_hold_text(b"")
    line.typed(b"ls\r", NOW, early=False, shell="bash")
    line.taken(STARTED, "bash")
    assert line.may_hold_text(b""), "the last input may have been appended to other text"
    line.found_empty(b"")
    assert not line.may_hold_text(b"")


def test_the_prompt_may_have_text_after_a_line_typed_ahead():
    assert after(b"ls\r", early=True, event=STARTED).may_hold_text(b"")


def test_redrawing_the_screen_does_not_change_the_line():
    assert not after(b"\x0c").may_hold_text(b"")
    assert after(b"x", b"\x0c\x0c").may_hold_text(b"")


def test_the_prompt_is_empty_after_an_interrupt():
    line = after(b"half a line", b"\x03")
    assert (line.is_interrupt, line.entered_at) == (True, NOW)
    line.taken(INTERRUPTED, "bash")
    assert line.entered_at == 0
    assert not line.may_hold_text(b"")


def test_the_prompt_of_fish_may_have_text_after_an_interrupt():
    assert after(b"\x03", shell="fish", event=INTERRUPTED).may_hold_text(b"")


def test_the_prompt_may_have_text_after_an_interrupt_while_a_command_runs():
    assert after(b"half a line\x03", early=True, event=INTERRUPTED).may_hold_text(b"")


@pytest.mark.parametrize(("shell", "left"), [("bash", False), ("zsh", False), ("fish", True), (None, False)])
def test_only_fish_keeps_a_line_with_a_syntax_error_at_the_prompt(shell, left):
    assert leaves_line(SYNTAX_ERROR, shell) == left
    assert not leaves_line(INTERRUPTED, shell)
    assert not leaves_line(STARTED, shell)
    assert not leaves_line(CommandFinished(127, 30, 40), shell), (
        "127 after a start means that the command was not found"
    )
    assert after(b"echo )\r", shell=shell, event=SYNTAX_ERROR).may_hold_text(b"") == left


@pytest.mark.parametrize(
    ("tail", "doubt"),
    [
        (b"", False),
        (b"\x1b[K\x1b[?1h\x1b=\x1b[?2004h", False),
        (b"\x1b[K\r\x1b[C\x1b[C\x1b(B\x1b]0;title\x07", False),
        (b"echo", True),
        (b"\x1b[70Cright\x1b[75D", True),
        (b"x" * 5000, True),
    ],
)
def test_text_after_the_prompt_may_be_a_line_unless_the_line_was_found_empty(tail, doubt):
    line = EditLine()
    assert line.may_hold_text(tail) == doubt
    line.found_empty(tail)
    assert not line.may_hold_text(tail), "the text is a right prompt"
    assert line.may_hold_text(b"other text")


@pytest.mark.parametrize(
    ("typed", "unfinished"),
    [
        ([b"ls"], True),
        ([b"ls\r"], False),
        ([b"ls", b"\x03"], False),
        ([b"ls", b"\x15"], False),
        ([b"ls\rl"], True),
        ([b"\x0c"], False),
    ],
)
def test_text_after_the_last_enter_is_an_unfinished_line(typed, unfinished):
    assert after(*typed).is_unfinished == unfinished


def test_the_prompt_is_empty_after_a_line_that_phux_entered():
    line = EditLine()
    line.entered(NOW)
    assert (line.entered_at, line.is_interrupt, line.is_unfinished) == (NOW, False, False)
    line.taken(STARTED, "bash")
    assert not line.may_hold_text(b"")


@pytest.mark.parametrize(
    ("answer", "continued", "message"),
    [
        (LineLength(0, "", 10), False, None),
        (LineLength(0, "restored", 10), False, None),
        (LineLength(3, "", 10), False, "Enter was not pressed"),
        (LineLength(3, "command", 10), False, "Enter was not pressed"),
        (LineLength(0, "command", 10), False, "vi command mode"),
        (LineLength(0, "more", 10), True, "waits for the rest"),
    ],
)
def test_a_reply_that_shows_a_problem_is_reported_with_a_remedy(answer, continued, message):
    problem = problem_in_answer(answer, "@3", continued=continued)
    if message is None:
        assert problem is None
    else:
        assert message in problem.message
        assert "@3" in problem.message
        assert problem.remedy

"""When it is in doubt what stands at a prompt, and when it is not."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from phux_core.server.shell import edit_line as prompt_line
from phux_core.server.shell.edit_line import PromptLine
from phux_core.server.shell.marks import CommandFinished, CommandStarted

STARTED = CommandStarted("ls", 30, 10, 20)
INTERRUPTED = CommandFinished(130, None, 40)
NOT_UNDERSTOOD = CommandFinished(127, None, 40)


class Line:
    """A line in a pane whose shell and stream are as they are set here, and a clock that goes as it is told."""

    def __init__(self, monkeypatch):
        self.now = 100.0
        self.tail = b""
        journal = SimpleNamespace(oldest=0, since=lambda _place, _most: self.tail)
        foreground = SimpleNamespace(shell="bash")
        self.pane = SimpleNamespace(
            commands=SimpleNamespace(drawn=0), journal=journal, watch=SimpleNamespace(foreground=foreground)
        )
        self.line = PromptLine(self.pane, None)
        monkeypatch.setattr(prompt_line.time, "monotonic", lambda: self.now)

    def type(self, data, *, early=False):
        self.line.typed(data, early=early)

    def is_in(self, shell):
        self.pane.watch.foreground.shell = shell

    @property
    def doubt(self):
        return self.line.is_in_doubt


@pytest.fixture
def line(monkeypatch):
    return Line(monkeypatch)


@pytest.mark.parametrize("data", [b"ls -l\r", b"\x1b[200~ls -l\x1b[201~\r", b"\r", b"ls\n", "écho ü\r".encode()])
def test_one_line_at_an_empty_prompt_leaves_no_doubt_once_it_is_taken(line, data):
    line.type(data)
    assert line.doubt
    line.line.taken(STARTED)
    assert not line.doubt


@pytest.mark.parametrize(
    "data",
    [b"ls", b"l\x7fs\r", b"ls\rls", b"ls\rls\r", b"\t", b"\x1b[A", b"\x15", b"\x1b[200~a\rb\x1b[201~\r", b"\x1b\r"],
)
def test_everything_else_does(line, data):
    line.type(data)
    line.line.taken(STARTED)
    assert line.doubt
    line.type(b"ls\r")
    line.line.taken(STARTED)
    assert line.doubt


def test_so_does_a_line_that_was_typed_before_its_prompt(line):
    line.type(b"ls\r", early=True)
    line.line.taken(STARTED)
    assert line.doubt


def test_a_screen_that_is_drawn_anew_does_not(line):
    line.type(b"\x0c")
    assert not line.doubt
    line.type(b"x")
    line.type(b"\x0c\x0c")
    assert line.doubt


def test_an_interrupt_that_was_heard_leaves_none(line):
    line.type(b"half a line")
    line.type(b"\x03")
    assert line.line.is_interrupt_unheard
    line.line.taken(INTERRUPTED)
    assert not line.line.is_interrupt_unheard
    assert not line.doubt


def test_an_interrupt_in_fish_may_be_heard_late(line):
    line.is_in("fish")
    line.type(b"\x03")
    line.line.taken(INTERRUPTED)
    assert line.doubt


def test_an_interrupt_while_a_command_runs_may_not_have_been_one(line):
    line.type(b"half a line\x03", early=True)
    line.line.taken(INTERRUPTED)
    assert line.doubt


@pytest.mark.parametrize(("shell", "answers"), [("bash", True), ("zsh", True), ("fish", False)])
def test_fish_says_nothing_of_an_interrupt_at_an_empty_prompt(line, shell, answers):
    line.is_in(shell)
    line.type(b"\x03")
    assert line.line.is_interrupt_unheard == answers
    assert line.line.may_lose_a_character == (shell == "bash")
    assert line.line.problem("@1") is not None
    line.now += 1
    assert line.line.problem("@1") is None


@pytest.mark.parametrize(("shell", "left"), [("bash", False), ("zsh", False), ("fish", True)])
def test_fish_leaves_a_line_that_it_does_not_understand(line, shell, left):
    line.is_in(shell)
    line.type(b"echo )\r")
    line.line.taken(NOT_UNDERSTOOD)
    assert line.doubt == left


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
def test_what_the_shell_writes_behind_its_prompt_may_be_a_line(line, tail, doubt):
    line.tail = tail
    assert line.doubt == doubt


def test_a_line_that_was_entered_is_the_newest_for_a_while_only(line):
    line.type(b"ls\r")
    assert line.line.entered_at == 100.0
    line.now += 10
    assert line.line.entered_at == 0


def test_nobody_knows_what_an_earlier_service_typed(line):
    line.line.forget()
    assert line.doubt

"""What marks tell of a shell's commands, and what they do not."""

from __future__ import annotations

import json

import pytest

from phux_core.engine.protocol import PrivateOsc
from phux_core.server.commands import CommandFinished, Commands, CommandStarted, LineTold, PromptReady

NONCE = "cafe"


def mark(text, start=0):
    return PrivateOsc(text.encode(), start, start + 10)


def feed(commands, *texts):
    return [commands.take(mark(text, 100 * (index + 1))) for index, text in enumerate(texts)]


def test_a_command_from_prompt_to_prompt():
    commands = Commands(NONCE)
    assert commands.at_prompt is None
    news = feed(commands, "cafe;A", "cafe;B", "cafe;C;make test", "cafe;D;3", "cafe;A", "cafe;B")
    assert news == [
        None,
        PromptReady(),
        CommandStarted("make test", 310, 110, 200),
        CommandFinished(3, 310, 400),
        None,
        PromptReady(),
    ]
    assert commands.at_prompt is True
    assert list(commands.outputs) == [(310, 400)]


def test_marks_of_others_mean_nothing():
    commands = Commands(NONCE)
    assert feed(commands, "beef;B", ";B", "B", "cafe", "", "cafe;Z") == [None] * 6
    assert commands.at_prompt is None
    assert feed(Commands(""), ";B", "B") == [None, None], "a pane without a nonce has no marks"


def test_a_line_that_executed_nothing_ends_without_having_begun():
    commands = Commands(NONCE)
    assert feed(commands, "cafe;B", "cafe;D;2")[1] == CommandFinished(2, None, 200)
    assert commands.at_prompt is False, "the prompt is not drawn yet"


def test_a_redrawn_prompt_is_no_news():
    assert feed(Commands(NONCE), "cafe;B", "cafe;B", "cafe;A", "cafe;B") == [PromptReady(), None, None, None]


def test_a_prompt_tells_that_a_command_has_ended_also_when_the_shell_could_not():
    commands = Commands(NONCE)
    feed(commands, "cafe;B", "cafe;C;unset PROMPT_COMMAND")
    assert commands.take(mark("cafe;B", 700)) == CommandFinished(None, 210, 700)
    assert commands.at_prompt is True


def test_escapes_in_the_command_line():
    (started,) = feed(Commands(NONCE), r"cafe;C;a\nb\tc\\d;e")
    assert started.command == "a\nb\tc\\d;e"
    (unknown,) = feed(Commands(NONCE), "cafe;C;")
    assert unknown.command is None


def test_where_output_stands():
    commands = Commands(NONCE)
    assert list(commands.output_between(5, 50)) == [(5, 50)], "without marks everything may be output"
    feed(commands, "cafe;B", "cafe;C;one", "cafe;D;0", "cafe;B", "cafe;C;two")
    assert list(commands.output_between(0, 1000)) == [(210, 300), (510, 1000)]
    assert list(commands.output_between(250, 1000)) == [(250, 300), (510, 1000)]
    assert list(commands.output_between(300, 510)) == []


def test_it_can_be_written_down():
    commands = Commands(NONCE)
    feed(commands, "cafe;B", "cafe;C;one", "cafe;D;0", "cafe;B", "cafe;C;two")
    again = Commands.load(json.loads(json.dumps(commands.dump())))
    assert again == commands
    assert again.take(mark("cafe;D;1", 900)) == CommandFinished(1, 510, 900)


def test_output_ends_where_the_shell_says_and_not_where_its_hooks_have_written():
    commands = Commands(NONCE)
    assert feed(commands, "cafe;C;", "cafe;E", "cafe;D;3")[1:] == [None, CommandFinished(3, 110, 200)]
    assert list(commands.outputs) == [(110, 200)]
    # With no command before it, it means nothing.
    assert feed(commands, "cafe;E", "cafe;C;", "cafe;D;0")[2] == CommandFinished(0, 210, 300)


def test_a_shell_that_was_replaced_marks_nothing_any_more():
    commands = Commands(NONCE)
    feed(commands, "cafe;C;exec zsh")
    assert commands.shell_replaced(140) == CommandFinished(0, 110, 140)
    assert (commands.at_prompt, commands.start) == (None, None)
    assert feed(commands, "cafe;D;1", "cafe;B") == [None, None]


def test_a_prompt_that_had_no_room_is_one_all_the_same():
    commands = Commands(NONCE)
    feed(commands, "cafe;C;", "cafe;D;0", "cafe;A")
    assert commands.drawing
    commands.drawn_unseen(on_alt_screen=True)
    assert (commands.at_prompt, commands.drawing, commands.on_alt_screen) == (True, False, True)
    assert feed(commands, "cafe;C;next") == [CommandStarted("next", 110, 310, 310)]
    assert not commands.drawing


def test_whether_the_line_that_a_command_reads_is_shown():
    commands = Commands(NONCE)
    feed(commands, "cafe;C;")
    assert commands.reads is None
    feed(commands, "cafe;R;hidden")
    assert commands.reads == "hidden"
    feed(commands, "cafe;R;shown")
    assert commands.reads == "shown"
    feed(commands, "cafe;R;hidden", "cafe;D;0", "cafe;B", "cafe;C;next")
    assert commands.reads is None


def test_a_shell_that_was_asked_says_what_stands_on_its_line():
    commands = Commands(NONCE)
    told = feed(commands, "cafe;L;3;", "cafe;L;0;command", "cafe;L;;", "cafe;L;-1;", "beef;L;3;")
    assert told == [LineTold(3, "", 110), LineTold(0, "command", 210), None, None, None]


@pytest.mark.parametrize("digits", ["9" * 11, "9" * 4300, "9" * 4301, "9" * 60_000, "٣", "1_0", "+1", " 1"])
@pytest.mark.parametrize("kind", ["L", "D", "C", "R", "E", "A", "B"])
def test_no_number_that_a_shell_does_not_send_is_read_or_raises(kind, digits):
    commands = Commands(NONCE)
    feed(commands, "cafe;A", "cafe;B", "cafe;C;make", f"cafe;{kind};{digits}", f"cafe;{kind};{digits};{digits}")
    told = feed(commands, f"cafe;L;{digits};", f"cafe;D;{digits}")
    assert told[0] is None
    assert told[1].exit_code is None
    json.dumps(commands.dump())

"""What marks tell of a shell's commands, and what they do not."""

from __future__ import annotations

import json

import pytest

from phux_core.engine.protocol import PrivateOsc
from phux_core.server.shell.marks import CommandFinished, Commands, CommandStarted, LineTold, PromptReady

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


# POSIX shells, which mark no begin of a command


class Stream:
    """A journal, and the commands of a shell whose prompts carry marks."""

    base = oldest = 0

    def __init__(self, editor="none"):
        self.data = b""
        self.commands = Commands(NONCE)
        self.prompts = 0
        self.editor = editor
        self.prompt(0)

    def since(self, start, length):
        return self.data[start : start + length]

    def write(self, data):
        self.data += data
        self.commands.scan(self, len(self.data))

    def mark(self, text):
        start = len(self.data)
        self.data += b"\x1b]7748;" + f"{NONCE};{text}".encode() + b"\a"
        self.commands.scan(self, start)
        return self.commands.take(PrivateOsc(f"{NONCE};{text}".encode(), start, len(self.data)))

    def prompt(self, code):
        self.prompts += 1
        ended = self.mark(f"D;{code};{self.prompts}")
        self.mark("A")
        self.write(b"$ ")
        self.mark(f"B;{self.editor}")
        return ended

    def type(self, data, column=2, *, echo=True):
        self.commands.typed(data, len(self.data), column, 80, echo=echo)

    def output(self, ended):
        return self.data[ended.start : ended.end]


@pytest.mark.parametrize("editor", ["none", "edits", "wraps"])
def test_a_command_begins_after_the_line_that_was_entered(editor):
    stream = Stream(editor)
    assert stream.commands.at_prompt
    stream.type(b"echo hi\r")
    stream.write(b"echo hi")
    assert stream.commands.at_prompt
    stream.write(b"\r\nhi\r\n")
    assert not stream.commands.at_prompt
    assert stream.commands.unreported() is not None
    ended = stream.prompt(3)
    assert (ended.exit_code, stream.output(ended)) == (3, b"hi\r\n")
    assert stream.commands.at_prompt


def test_a_prompt_that_is_drawn_again_ends_nothing():
    stream = Stream("edits")
    stream.prompts -= 1
    assert stream.prompt(0) is None
    assert stream.commands.at_prompt


def test_a_newline_without_enter_begins_nothing():
    stream = Stream("edits")
    stream.type(b"ec\t")
    stream.write(b"ec\r\necho  echoes\r\n$ ec")
    assert stream.commands.at_prompt
    assert stream.commands.start is None


def test_a_line_that_goes_on_begins_nothing():
    stream = Stream()
    stream.type(b"echo 'a\r")
    stream.write(b"echo 'a\r\n> ")
    stream.mark("P")
    assert stream.commands.start is None
    assert not stream.commands.at_prompt
    stream.type(b"b'\r")
    stream.write(b"b'\r\na\r\nb\r\n")
    assert stream.output(stream.prompt(0)) == b"a\r\nb\r\n"


@pytest.mark.parametrize("editor", ["none", "edits"])
def test_lines_of_one_command_that_are_typed_at_once(editor):
    stream = Stream(editor)
    stream.type(b"{ echo a\recho b\r}\r")
    if editor == "none":
        stream.write(b"{ echo a\r\necho b\r\n}\r\n> ")
        stream.mark("P")
        stream.write(b"> ")
        stream.mark("P")
    else:
        stream.write(b"{ echo a\r\n> ")
        stream.mark("P")
        stream.write(b"echo b\r\n> ")
        stream.mark("P")
        stream.write(b"}\r\n")
    stream.write(b"a\r\nb\r\n")
    assert stream.output(stream.prompt(0)) == b"a\r\nb\r\n"


def test_busybox_wraps_a_long_line_by_newlines():
    for length, shown in ((100, b"x" * 78 + b"\r\r\n" + b"x" * 22 + b"\r\n"), (78, b"x" * 78 + b"\r\r\n")):
        stream = Stream("wraps")
        stream.type(b"x" * length + b"\r")
        stream.write(shown + b"out\r\n")
        assert stream.output(stream.prompt(0)) == b"out\r\n"


def test_a_line_that_the_terminal_does_not_show():
    stream = Stream()
    stream.type(b"echo hi\r", echo=False)
    stream.write(b"hi\r\n")
    assert stream.output(stream.prompt(0)) == b"hi\r\n"


def test_an_interrupted_line_ends_without_having_begun():
    stream = Stream("edits")
    stream.type(b"half\x03")
    stream.write(b"half^C\r\n")
    ended = stream.prompt(130)
    assert (ended.exit_code, ended.start) == (130, None)


def test_a_line_that_was_typed_ahead():
    stream = Stream()
    stream.commands.ahead = True
    stream.write(b"out\r\n")
    assert stream.output(stream.prompt(0)).endswith(b"out\r\n")


def test_ksh_reports_signals_as_the_others_do():
    stream = Stream("edits")
    stream.type(b"sleep 9\r")
    stream.write(b"sleep 9\r\n^C")
    assert stream.prompt(258).exit_code == 130


def test_a_service_that_starts_anew_knows_where_a_command_began():
    stream = Stream()
    stream.write(b"sleep 1\r\n")
    start = len(stream.data)
    stream.commands.resume([3, start], len(stream.data))
    assert stream.commands.start == start
    stream.write(b"out\r\n")
    assert stream.output(stream.prompt(0)) == b"out\r\n"

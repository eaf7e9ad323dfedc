"""Shell marks: the events they report and the spans of output they delimit."""

from __future__ import annotations

import itertools
import json

import pytest

from phux_core.engine.protocol import PrivateOsc
from phux_core.server.shell.events import CommandFinished, CommandStarted, LineLength, PromptReady
from phux_core.server.shell.marks import ShellMarks

NONCE = "cafe"
NUMBERS = itertools.count(100)


def mark(text, start=0):
    return PrivateOsc(text.encode(), start, start + 10)


def take(marks, each):
    """Feed one mark, and return its events."""
    new = marks.parse(each)
    return [] if new is None else marks.take(new)


def feed(marks, *texts):
    """Feed marks of 10 bytes that start at 100, 200 and so on, with new numbers; return the events of each mark."""
    return [take(marks, mark(f"cafe;{next(NUMBERS)};{text}", 100 * (index + 1))) for index, text in enumerate(texts)]


def test_marks_report_prompts_and_the_start_and_end_of_a_command():
    marks = ShellMarks(NONCE)
    assert marks.at_prompt is None
    assert feed(marks, "A", "B", "C;make test", "D;3", "A", "B") == [
        [],
        [PromptReady()],
        [CommandStarted("make test", 310, 110, 200)],
        [CommandFinished(3, 310, 400)],
        [],
        [PromptReady()],
    ]
    assert marks.at_prompt is True
    assert marks.outputs == [(310, 400)]


@pytest.mark.parametrize(
    "data",
    ["beef;B", ";B", "B", "cafe", "", "cafe;Z", "cafe;B", "cafe;1;Z", "cafe;;B", "cafe;x;B", "cafe;", "\udcff;B"],
)
def test_marks_with_a_wrong_nonce_or_an_unknown_kind_are_ignored(data):
    for marks in (ShellMarks(NONCE), ShellMarks("")):
        assert take(marks, PrivateOsc(data.encode("utf-8", "surrogateescape"), 0, 10)) == []
        assert marks.at_prompt is None


def test_a_line_that_executes_nothing_is_reported_as_finished_without_a_start():
    marks = ShellMarks(NONCE)
    assert feed(marks, "B", "D;2")[1] == [CommandFinished(2, None, 200)]
    assert marks.at_prompt is False, "the next prompt is not drawn yet"


def test_a_redrawn_prompt_is_not_reported():
    assert feed(ShellMarks(NONCE), "B", "B", "A", "B") == [[PromptReady()], [], [], []]


def test_several_commands_on_one_line_are_reported_as_one():
    assert feed(ShellMarks(NONCE), "B", "C;", "C;", "D;4")[2:] == [[], [CommandFinished(4, 210, 400)]]


def test_escapes_in_the_command_line_are_decoded():
    assert feed(ShellMarks(NONCE), r"C;a\nb\tc\\d;e")[0][0].command == "a\nb\tc\\d;e"
    assert feed(ShellMarks(NONCE), "C;")[0][0].command is None


def test_output_between_returns_the_spans_of_command_output():
    marks = ShellMarks(NONCE)
    assert list(marks.output_between(5, 50)) == [(5, 50)], "without marks, all text is output"
    feed(marks, "B", "C;one", "D;0", "B", "C;two")
    assert list(marks.output_between(0, 1000)) == [(210, 300), (510, 1000)]
    assert list(marks.output_between(250, 1000)) == [(250, 300), (510, 1000)]
    assert list(marks.output_between(300, 510)) == []


def test_a_loaded_state_continues_where_it_was_dumped():
    marks = ShellMarks(NONCE)
    feed(marks, "B", "C;one", "D;0", "B", "C;two")
    state = json.loads(json.dumps(marks.dump()))
    again = ShellMarks.load({**state, "of_another_release": 1})
    assert again == marks
    assert take(again, mark(f"cafe;{next(NUMBERS)};D;1", 900)) == [CommandFinished(1, 510, 900)]


def test_the_output_of_hooks_after_the_end_mark_of_zsh_is_not_command_output():
    marks = ShellMarks(NONCE)
    assert feed(marks, "C;", "E", "D;3")[1:] == [[], [CommandFinished(3, 110, 200)]]
    assert marks.outputs == [(110, 200)]
    # An end mark without a running command is ignored.
    assert feed(marks, "E", "C;", "D;0")[2] == [CommandFinished(0, 210, 300)]


def test_read_marks_of_fish_apply_until_the_command_ends():
    marks = ShellMarks(NONCE)
    feed(marks, "C;")
    assert marks.reads is None
    for reads in ("hidden", "shown"):
        feed(marks, f"R;{reads}")
        assert marks.reads == reads
    feed(marks, "D;0", "B", "C;next")
    assert marks.reads is None


def test_valid_line_length_marks_are_parsed_and_malformed_ones_are_ignored():
    answers = feed(ShellMarks(NONCE), "L;3;", "L;0;command", "L;;", "L;-1;")
    assert answers == [[LineLength(3, "", 110)], [LineLength(0, "command", 210)], [], []]


@pytest.mark.parametrize("digits", ["9" * 11, "9" * 4300, "9" * 4301, "9" * 60_000, "٣", "1_0", "+1", " 1"])
@pytest.mark.parametrize("kind", ["L", "D", "C", "R", "E", "A", "B", "P", "X"])
def test_malformed_numbers_in_marks_are_ignored(kind, digits):
    marks = ShellMarks(NONCE)
    feed(marks, "A", "B", "C;make", f"{kind};{digits}", f"{kind};{digits};{digits}")
    assert feed(marks, f"L;{digits};") == [[]]
    assert all(event.exit_code is None for event in feed(marks, f"D;{digits}")[0])
    json.dumps(marks.dump())


# Numbered prompts of bash


def test_numbered_prompts_report_the_same_events():
    assert feed(ShellMarks(NONCE), "A", "B;;0;1", "C;", "D;3;2", "A", "B;;3;2") == [
        [],
        [PromptReady()],
        [CommandStarted(None, 310, 110, 200)],
        [CommandFinished(3, 310, 400)],
        [],
        [PromptReady()],
    ]


def test_an_empty_line_in_bash_is_reported_as_finished_although_the_prompt_number_is_unchanged():
    marks = ShellMarks(NONCE)
    assert feed(marks, "B;;0;1", "D;0;1", "A", "B;;0;1") == [
        [PromptReady()],
        [CommandFinished(0, None, 200)],
        [],
        [PromptReady()],
    ]


def test_redrawing_the_prompt_before_a_command_does_not_end_the_command():
    marks = ShellMarks(NONCE)
    feed(marks, "B;;0;4", "C;")
    assert feed(marks, "D;0;4", "A", "B;;0;4") == [[], [], []]
    assert (marks.at_prompt, marks.start) == (False, 210)
    assert take(marks, mark(f"cafe;{next(NUMBERS)};D;7;5", 900)) == [CommandFinished(7, 210, 900)]


@pytest.mark.parametrize(("argument", "code"), [(";7;5", 7), (";;5", None), ("", None)])
def test_the_next_prompt_ends_a_command_that_replaced_the_hooks(argument, code):
    marks = ShellMarks(NONCE)
    feed(marks, "B;;0;4", "C;unset PROMPT_COMMAND")
    assert take(marks, mark(f"cafe;{next(NUMBERS)};B;{argument}", 700)) == [
        CommandFinished(code, 210, 700, is_marked=False),
        PromptReady(),
    ]
    assert marks.at_prompt is True


def test_a_shell_that_restored_its_hooks_reports_the_exit_code_with_the_line_length():
    marks = ShellMarks(NONCE)
    feed(marks, "B;;0;4", "C;")
    assert take(marks, mark(f"cafe;{next(NUMBERS)};L;0;restored;7", 700)) == [
        LineLength(0, "restored", 710),
        CommandFinished(7, 210, 700, is_marked=False),
        PromptReady(),
    ]
    assert marks.at_prompt is True
    assert take(marks, mark(f"cafe;{next(NUMBERS)};L;0;restored;7", 800)) == [LineLength(0, "restored", 810)]


# Shells that stop sending marks


def test_marks_are_ignored_after_the_shell_was_replaced():
    marks = ShellMarks(NONCE)
    feed(marks, "C;exec zsh")
    assert marks.shell_replaced(140) == [CommandFinished(0, 110, 140)]
    assert (marks.is_active, marks.start) == (False, None)
    assert feed(marks, "D;1", "B") == [[], []]
    assert list(marks.output_between(0, 1000)) == [(110, 140), (140, 1000)]


def test_marks_are_ignored_after_the_shell_reports_that_it_cannot_send_them():
    marks = ShellMarks(NONCE)
    assert feed(marks, "X", "A", "B", "C;x") == [[]] * 4
    assert not marks.is_active
    assert list(marks.output_between(0, 1000)) == [(110, 1000)]


def test_a_prompt_without_an_end_mark_can_become_ready():
    marks = ShellMarks(NONCE)
    feed(marks, "C;", "D;0", "A")
    assert marks.drawing
    assert marks.prompt_drawn() == [PromptReady()]
    assert (marks.at_prompt, marks.drawing) == (True, False)
    assert feed(marks, "C;next") == [[CommandStarted("next", 110, 310, 310)]]


# POSIX shells, which do not mark the start of a command


class Stream:
    """The stream and the marks of a shell that marks only its prompts."""

    def __init__(self, editor="none"):
        self.data = b""
        self.marks = ShellMarks(NONCE)
        self.prompts = 0
        self.editor = editor
        self.prompt(0)

    def write(self, data):
        self.marks.written(data, len(self.data))
        self.data += data

    def mark(self, text, number=None):
        start = len(self.data)
        data = f"{NONCE};{self.prompts if number is None else number};{text}".encode()
        self.data += b"\x1b]7748;" + data + b"\a"
        return take(self.marks, PrivateOsc(data, start, len(self.data)))

    def prompt(self, code):
        self.prompts += 1
        events = self.mark(f"D;{code};{self.prompts}")
        self.mark("A")
        self.write(b"$ ")
        self.mark(f"B;{self.editor}")
        return events

    def type(self, data, *, echo=True):
        self.marks.typed(data, len(self.data), echo=echo)

    def run(self, data, shown):
        self.type(data)
        self.write(shown)

    def finished(self, code):
        """Draw the next prompt, and return the exit code and output of the command that ended."""
        *_, event = self.prompt(code)
        return event.exit_code, None if event.start is None else self.data[event.start : event.end]


EDITORS = pytest.mark.parametrize("editor", ["none", "edits", "wraps", "breaks"])


@EDITORS
def test_the_first_prompt_ends_no_command(editor):
    stream = Stream(editor)
    assert (stream.marks.at_prompt, stream.marks.outputs) == (True, [])


@EDITORS
def test_a_command_starts_after_the_entered_line(editor):
    stream = Stream(editor)
    stream.run(b"echo hi\r", b"echo hi")
    assert stream.marks.at_prompt
    stream.write(b"\r\nhi\r\n")
    assert not stream.marks.at_prompt
    assert stream.marks.pending is not None
    assert stream.finished(3) == (3, b"hi\r\n")
    assert stream.marks.at_prompt


@EDITORS
def test_a_redrawn_numbered_prompt_ends_no_command(editor):
    stream = Stream(editor)
    stream.prompts -= 1
    assert stream.prompt(0) == []
    assert stream.marks.at_prompt


def test_a_newline_without_enter_starts_no_command():
    stream = Stream("edits")
    stream.run(b"ec\t", b"ec\r\necho  echoes\r\n$ ec")
    assert stream.marks.at_prompt
    assert stream.marks.start is None


@EDITORS
def test_a_continued_line_starts_no_command_until_it_is_complete(editor):
    stream = Stream(editor)
    stream.run(b"echo 'a\r", b"echo 'a\r\n> ")
    stream.mark("P", number="")
    assert stream.marks.start is None
    assert stream.marks.continued
    assert not stream.marks.at_prompt
    stream.run(b"b'\r", b"b'\r\na\r\nb\r\n")
    assert stream.finished(0) == (0, b"a\r\nb\r\n")
    assert not stream.marks.continued


@pytest.mark.parametrize("editor", ["none", "edits"])
def test_the_lines_of_a_command_may_be_typed_at_once(editor):
    stream = Stream(editor)
    stream.type(b"{ echo a\recho b\r}\r")
    if editor == "none":
        stream.write(b"{ echo a\r\necho b\r\n}\r\n> ")
        stream.mark("P", number="")
        stream.write(b"> ")
        stream.mark("P", number="")
    else:
        stream.write(b"{ echo a\r\n> ")
        stream.mark("P", number="")
        stream.write(b"echo b\r\n> ")
        stream.mark("P", number="")
        stream.write(b"}\r\n")
    stream.write(b"a\r\nb\r\n")
    assert stream.finished(0) == (0, b"a\r\nb\r\n")


def test_output_starts_immediately_after_a_line_without_echo():
    stream = Stream()
    stream.type(b"echo hi\r", echo=False)
    stream.write(b"hi\r\n")
    assert stream.finished(0) == (0, b"hi\r\n")


@EDITORS
def test_an_interrupted_line_is_reported_as_finished_without_a_start(editor):
    stream = Stream(editor)
    stream.run(b"half\x03", b"half^C\r\n")
    assert stream.finished(130) == (130, None)


@pytest.mark.parametrize("output", [b"out\r\n", b""])
def test_a_line_typed_ahead_starts_at_the_prompt_of_a_shell_without_an_editor(output):
    stream = Stream()
    stream.marks.has_typed_ahead = True
    stream.prompt(0)
    place = len(stream.data)
    stream.write(output)
    assert (stream.marks.pending is not None) == bool(output)
    *started, finished = stream.prompt(3)
    assert [event.start for event in started] == ([] if output else [place]), (
        "the tracker reports the start of a command with output"
    )
    assert (finished.start, finished.end, finished.exit_code) == (place, place + len(output), 3)


def test_a_line_typed_ahead_starts_after_its_echo_in_a_shell_with_an_editor():
    stream = Stream("edits")
    stream.marks.has_typed_ahead = True
    stream.prompt(0)
    stream.write(b"echo a\r\na\r\n")
    assert stream.finished(0) == (0, b"a\r\n")


def test_typed_ahead_input_that_was_already_read_starts_no_command():
    stream = Stream("edits")
    stream.marks.has_typed_ahead = True
    stream.prompt(0)
    stream.marks.typed_ahead_is_read()
    stream.run(b"half\x03", b"half^C\r\n")
    assert stream.finished(130) == (130, None)


def test_the_exit_code_of_ksh_for_a_signal_is_converted_to_128_plus_the_signal():
    stream = Stream("breaks")
    stream.run(b"sleep 9\r", b"sleep 9\r\n^C")
    assert stream.finished(258) == (130, b"^C")


def test_a_withdrawn_line_is_reported_as_finished_without_a_start():
    stream = Stream()
    stream.run(b"# nothing\r", b"# nothing\r\n")
    stream.marks.withdraw()
    assert stream.marks.pending is None
    assert stream.finished(0) == (0, None)


def test_resume_restores_the_start_of_a_command():
    stream = Stream()
    stream.write(b"sleep 1\r\n")
    start = len(stream.data)
    stream.marks.resume([3, start], len(stream.data))
    assert stream.marks.start == start
    stream.write(b"out\r\n")
    assert stream.finished(0) == (0, b"out\r\n")


def test_resume_ignores_a_command_from_before_the_prompt():
    stream = Stream()
    stream.marks.resume([3], len(stream.data))
    assert stream.marks.start is None

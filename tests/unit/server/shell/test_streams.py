"""The tracker with streams of real shells, recorded by tests/support/record_shells.py."""

from __future__ import annotations

import copy

import pytest
from record_shells import ARGV
from shell_replay import Replay, load, state_of

from phux_core.engine.plain import as_written
from phux_core.engine.protocol import PrivateOsc
from phux_core.server.shell.events import CommandFinished, CommandStarted, PromptReady

REPORT_THEIR_LINE = {"zsh", "fish"}
EXPECTED = [
    ("echo hi", 0, "hi"),
    ("sh -c 'exit 7'", 7, ""),
    ("echo 'a\n> b'", 0, "a\nb"),
    ("printf 'no newline'", 0, "no newline"),
    ("sleep 1.2", 0, ""),
    ("cat", 0, "line"),
    ("sleep 0.3", 0, ""),
    ("echo ahead", 0, "ahead"),
    ("true", 0, ""),
]
every_shell = pytest.mark.parametrize("name", ARGV)


def replay_of(name, kind=Replay):
    return kind(name if name in {"bash", "zsh", "fish"} else "posix")


@pytest.fixture(params=ARGV)
def played(request):
    replay = replay_of(request.param)
    replay.name = request.param
    for step in load(request.param):
        replay.play(step)
    return replay


def commands(replay):
    """Return the line, exit code and output of each command."""
    found = []
    for event in replay.events:
        if isinstance(event, CommandStarted):
            found.append([event.command or replay.read_line(event), None, None])
        elif isinstance(event, CommandFinished) and event.start is not None:
            found[-1][1:] = event.exit_code, as_written(replay.output(event), cols=80, rows=24)
    return [tuple(command) for command in found]


def test_each_command_is_reported_with_its_line_exit_code_and_output(played):
    expected = list(EXPECTED)
    if played.name in REPORT_THEIR_LINE:  # the lines read from other shells include the continuation prompt
        expected[2] = ("echo 'a\nb'", *expected[2][1:])
    if played.name == "dash":  # the second line is echoed while the first command runs
        expected[6:8] = [("sleep 0.3", 0, "echo ahead"), (None, 0, "ahead")]
    assert commands(played) == expected


def test_the_end_of_each_command_is_followed_by_a_prompt(played):
    started = None
    for event, after in zip(played.events, [*played.events[1:], None], strict=True):
        match event:
            case CommandStarted(start=start):
                assert started is None
                started = start
            case CommandFinished(start=start):
                assert start == started
                assert after == PromptReady()
                started = None
    assert started is None


def test_the_state_is_correct_before_each_typed_input(played):
    typed = {step[1]: state for step, state in zip(_typed_steps(load(played.name)), _last_states(played), strict=True)}
    expected = dict.fromkeys(["echo 'a\r", "cat\r", "line\r"], "awaiting_input")  # the first is a continuation prompt
    if played.name == "fish":  # fish has no continuation prompt
        del expected["echo 'a\r"]
    assert {text: state for text, state in typed.items() if state != "prompt"} == expected
    assert played.states.count("running") == 1, "the state is running only while sleep runs"


def _typed_steps(steps):
    """Return the steps that type, after an empty one for the start."""
    return [["typed", ""], *(step for step in steps if step[0] == "typed")]


def _last_states(replay):
    """Return the last state before each step that types, and the last state of all."""
    states, last, seen = [], None, iter(replay.states)
    for step in load(replay.name):
        if step[0] == "look":
            last = next(seen)
        elif step[0] == "typed":
            states.append(last)
    return [*states, last]


@every_shell
def test_events_and_state_do_not_depend_on_how_reads_split_the_stream(name):
    replay = replay_of(name)
    for step in load(name):
        before = copy.deepcopy(replay)
        replay.play(step)
        if step[0] != "output":
            continue
        after, size = state_of(replay.tracker), len(step[1])
        for cuts in (*([place] for place in range(1, size)), range(1, size)):
            cut = copy.deepcopy(before)
            cut.play(step, cuts)
            assert cut.events == replay.events, cuts
            assert state_of(cut.tracker) == after, cuts


class Repeating(Replay):
    """A replay that prints every earlier mark again, after each mark and each piece of text."""

    def __init__(self, shell):
        super().__init__(shell)
        self.seen = []
        self.changed = []

    def feed_mark(self, mark):
        super().feed_mark(mark)
        self.seen.append(mark.data)
        self.repeat_all(mark.end)

    def _write_text(self, data, base, start, end):
        super()._write_text(data, base, start, end)
        self.repeat_all(end)

    def repeat_all(self, place):
        marks = self.tracker.marks
        latest_b = next((data for data in reversed(self.seen) if b";B" in data), None)
        for data in self.seen:
            if data.endswith(b";;P"):
                continue  # ksh and mksh cannot number it
            if data == latest_b and marks.drawing and data.count(b";") > 4:
                continue  # bash may draw an old prompt, so it is accepted where a prompt is due
            before = marks.dump()
            new = marks.parse(PrivateOsc(data, place, place))
            events = [] if new is None else marks.take(new)
            after = marks.dump()
            if data == latest_b and marks.at_prompt:  # the current prompt is drawn again
                before["drawn"] = before["input_start"] = after["drawn"] = after["input_start"] = 0
            if events or before != after:
                self.changed.append((data, events))


@every_shell
def test_marks_that_are_printed_again_at_any_time_change_nothing(name):
    replay = replay_of(name, Repeating)
    for step in load(name):
        replay.play(step)
    assert len(replay.seen) > 30
    assert replay.changed == []

"""Recorded streams of real shells through the tracker, without a PTY (tests/support/record_shells.py makes them)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from phux_core.engine.protocol import PrivateOsc
from phux_core.engine.tap import Tap
from phux_core.server.kernel.foreground import Foreground
from phux_core.server.shell.events import CommandFinished, CommandStarted, PromptReady
from phux_core.server.shell.marks import ShellMarks
from phux_core.server.shell.tracker import Look, ShellTracker
from phux_core.server.shell.typed_line import typed_line

STREAMS = Path(__file__).parent / "streams"
NAMES = sorted(path.stem for path in STREAMS.glob("*.json"))
POSIX = {"busybox", "dash", "ksh", "mksh"}
PID, OTHER = 100, 200


def load(name):
    return json.loads((STREAMS / f"{name}.json").read_text())


class Replay:
    """A tracker that is fed as a pane feeds it, and everything it reports."""

    oldest = 0

    def __init__(self, name):
        self.data = b""
        self.tap = Tap()
        shell = "posix" if name in POSIX else name
        self.tracker = ShellTracker("@1", PID, shell, ShellMarks("5ecret"), lambda news: typed_line(news, self, 80, 24))
        self.now = 1000.0
        self.events = []
        self.states = []

    def since(self, start, length):
        return self.data[start : start + length]

    def play(self, step, cuts=()):
        self.now += 1
        match step:
            case ["typed", text, echo]:
                self.tracker.typed(text.encode(), len(self.data), self.now, echo=echo)
            case ["output", text]:
                places = [0, *cuts, len(text)]
                for start, end in zip(places, places[1:], strict=False):
                    self.write(text[start:end].encode("latin-1"))
            case ["look", own, shell, canonical, echo, waiting]:
                pid = PID if own else OTHER
                foreground = Foreground(pid, pid, "program", "/", shell, True, canonical, echo, waiting)
                self.events += self.tracker.look(Look(self.now, foreground))
                self.states.append(self.tracker.state)

    def write(self, data):
        base = place = len(self.data)
        self.data += data
        self.tracker.last_output = self.now
        for effect in self.tap.scan(data)[1]:
            if isinstance(effect, PrivateOsc):
                self.write_text(data, base, place, effect.start)
                self.events += self.tracker.mark(effect, alt_screen=False)
                place = max(place, effect.end)
        self.write_text(data, base, place, len(self.data))

    def write_text(self, data, base, start, end):
        if end > start and self.tracker.wants_output:
            self.events += self.tracker.written(data[start - base : end - base], start)

    def output(self, finished):
        spans = self.tracker.output_between(finished.start, finished.end)
        return b"".join(self.data[start:end] for start, end in spans)


def replay(name, cut=None):
    """Replay a stream; ``cut`` returns the cuts of one output, by its number and length."""
    run, outputs = Replay(name), 0
    for step in load(name):
        cuts = ()
        if step[0] == "output":
            cuts = () if cut is None else cut(outputs, len(step[1]))
            outputs += 1
        run.play(step, cuts)
    return run


def commands(run):
    """The line, exit code and output of each command."""
    found = []
    for event in run.events:
        if isinstance(event, CommandStarted):
            found.append([event.command or typed_line(event, run, 80, 24), None, None])
        elif isinstance(event, CommandFinished) and event.start is not None:
            found[-1][1:] = event.exit_code, run.output(event).decode()
    return [tuple(command) for command in found]


EXPECTED = [
    ("echo hi", 0, "hi\r\n"),
    ("sh -c 'exit 7'", 7, ""),
    ("echo 'a\nb'", 0, "a\r\nb\r\n"),
    ("printf 'no newline'", 0, "no newline"),
    ("sleep 1.2", 0, ""),
    ("cat", 0, "line\r\n"),
    ("sleep 0.3", 0, ""),
    ("echo ahead", 0, "ahead\r\n"),
    ("true", 0, ""),
]


@pytest.mark.parametrize("name", NAMES)
def test_every_command_is_reported_with_its_line_exit_code_and_output(name):
    assert commands(replay(name)) == EXPECTED


@pytest.mark.parametrize("name", NAMES)
def test_events_and_outputs_do_not_depend_on_where_reads_cut_the_stream(name):
    whole = replay(name)
    lengths = [len(step[1]) for step in load(name) if step[0] == "output"]
    for number, length in enumerate(lengths):
        for place in range(1, length):
            cut = replay(name, lambda output, _length, at=(number, place): [at[1]] if output == at[0] else [])
            assert (cut.events, cut.states) == (whole.events, whole.states), (number, place)
    single = replay(name, lambda _output, length: range(1, length))
    assert (single.events, single.states) == (whole.events, whole.states)
    assert commands(single) == commands(whole)

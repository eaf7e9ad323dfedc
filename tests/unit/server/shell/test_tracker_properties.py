"""Properties of the shell tracker: any sequence of steps leaves it consistent and raises nothing."""

from __future__ import annotations

import itertools
import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shell_replay import OTHER, PID, Replay, state_of

from phux_core.server.kernel.foreground import Foreground
from phux_core.server.shell.edit_line import Problem, Ready
from phux_core.server.shell.events import STATES, CommandFinished, CommandStarted, Look
from phux_core.server.shell.marks import ShellMarks

NUMBERS = st.sampled_from(["0", "1", "2", "3", "130", "258", "", "-1", "x", "9" * 5000])
MARKS = st.one_of(
    st.builds("D;{}".format, NUMBERS),
    st.builds("D;{};{}".format, NUMBERS, NUMBERS),
    st.builds("B;{};{}".format, NUMBERS, NUMBERS),
    st.builds("L;{};{}".format, NUMBERS, st.sampled_from(["", "command", "more", "restored", "restored;7"])),
    st.sampled_from(
        ["A", "B", "B;none", "B;edits", "B;breaks", "B;wraps", "C;", "C;make\\nall", "E", "P", "R;shown", "R;hidden"]
    ),
    st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), max_size=4),
)
TYPED = st.sampled_from([b"ls\r", b"\r", b"a", b"a\rb\r", b"a\rb", b"# c\r", b"\x03", b"\x15", b"\x0c", b"\x1b[A", b""])
TEXT = st.sampled_from([b"$ ", b"ls\r\n", b"\r\n", b"text", b"\x1b[K", b"\x1b]77", b"\a", b"\n" * 3, b"\xff", b"> "])
FOREGROUNDS = st.none() | st.builds(
    Foreground,
    pgid=st.sampled_from([PID, OTHER]),
    pid=st.sampled_from([PID, OTHER]),
    name=st.sampled_from(["bash", "ssh", "vim"]),
    cwd=st.just("/"),
    shell=st.sampled_from(["bash", "zsh", "fish", "posix", None]),
    same_root=st.just(True),
    canonical=st.booleans(),
    echo=st.booleans(),
    waiting=st.sampled_from([True, False, None]),
)
FLAGS = st.tuples(*[st.booleans()] * 4)
STEPS = st.one_of(
    st.tuples(st.just("mark"), MARKS),
    st.tuples(st.just("end marks"), st.none()),
    st.tuples(st.just("type"), st.tuples(TYPED, st.booleans(), st.booleans())),
    st.tuples(st.just("write"), TEXT),
    st.tuples(st.just("look"), st.tuples(FOREGROUNDS, FLAGS)),
    st.tuples(st.just("replace"), FOREGROUNDS),
    st.tuples(st.just("wait"), st.sampled_from([0.001, 0.02, 0.1, 0.3, 1.0, 20.0])),
)
SEQUENCES = st.lists(STEPS.filter(lambda step: step[0] not in {"end marks", "replace"}) | STEPS, max_size=40)
# These tests are slow while others run in parallel.
without_deadline = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
SHELLS = st.sampled_from(["bash", "zsh", "fish", "posix", None])


def take(replay, step):
    match step:
        case "mark", text:
            replay.mark(text)
        case "end marks", _:
            replay.mark("X")
        case "type", (data, echo, ours):
            replay.type(data, echo=echo, ours=ours)
        case "write", data:
            replay.write(data)
        case "look", (foreground, (unread, alt_screen, has_output, in_editor)):
            replay.take_look(Look(replay.now, foreground, unread, alt_screen, has_output, in_editor))
        case "replace", foreground:
            replay.take_look(Look(replay.now, foreground, replaced_at=len(replay.data)))
        case "wait", seconds:
            replay.now += seconds


def query_everything(replay):
    """Call every query of the tracker, and return the spans of output."""
    tracker, end = replay.tracker, len(replay.data)
    for tail in (b"", b"text"):
        assert isinstance(tracker.may_type(replay.now, tail), Ready | Problem)
    assert tracker.state in STATES
    assert 0 <= tracker.output_start(end) <= end
    for known in (tracker.is_marked, tracker.knows_foreground, tracker.marks.reports_line):
        assert isinstance(known, bool)
    tracker.may_be_replaced(tracker.foreground)
    assert tracker.marks.pending is None or tracker.marks.pending.start <= end
    list(tracker.output_between(end // 3, end // 2))
    return list(tracker.output_between(0, end))


@without_deadline
@given(SHELLS, SEQUENCES)
def test_queries_change_nothing_and_output_spans_are_ordered_and_disjoint(shell, steps):
    replay = Replay(shell)
    for step in steps:
        take(replay, step)
        before = state_of(replay.tracker)
        spans = query_everything(replay)
        assert state_of(replay.tracker) == before
        places = [place for span in spans for place in span]
        assert places == sorted(places)
        assert all(start < end for start, end in spans)
        assert all(0 <= place <= len(replay.data) for place in places)


@without_deadline
@given(SHELLS, SEQUENCES)
def test_every_command_that_finished_was_started(shell, steps):
    replay = Replay(shell)
    for step in steps:
        take(replay, step)
    started = None
    for event in replay.events:
        if isinstance(event, CommandStarted):
            assert 0 <= event.prompt_start <= event.input_start <= event.start
            started = event.start
        elif isinstance(event, CommandFinished) and event.start is not None:
            assert event.start == started
            assert event.start <= event.end
            started = None
    finished = [(event.start, event.end) for event in replay.events if isinstance(event, CommandFinished)]
    ends = [end for _start, end in finished]
    assert ends == sorted(ends)
    outputs = replay.tracker.marks.outputs
    assert outputs == [(start, end) for start, end in finished if start is not None]
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(outputs))


@without_deadline
@given(SHELLS, SEQUENCES, SEQUENCES)
def test_restored_marks_report_the_same_events_as_the_original(shell, steps, more):
    replay = Replay(shell)
    for step in steps:
        take(replay, step)
    marks = replay.tracker.marks
    restored = ShellMarks.load(json.loads(json.dumps(marks.dump())))
    assert restored == marks
    events = []
    for each in (marks, restored):
        replay.tracker.marks = each
        events.append([replay.mark(text) for kind, text in more if kind == "mark"])
    kinds = [[[type(event) for event in of_one] for of_one in of_all] for of_all in events]
    assert kinds[0] == kinds[1]


@without_deadline
@given(SEQUENCES)
def test_without_a_nonce_no_events_are_reported(steps):
    replay = Replay("bash", nonce="")
    for step in steps:
        take(replay, step)
    assert replay.events == []

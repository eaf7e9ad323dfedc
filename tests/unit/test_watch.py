"""``watch``, driven by hand."""

from __future__ import annotations

import contextlib
import io
import types

import pytest

from phux_cli.verbs import watch as verb
from phux_client import flows
from phux_core import documents, errors

CALLER = flows.Caller("/", {}, "/run/phux.sock")
BELL = {"event": "bell", "terminal": "@3", "seq": 1}
CLOSED = {"event": "pane_closed", "terminal": "@3", "exit_status": 0, "seq": 1}


def watched(*answers, target=None, **options):
    """Drive a watch to its end; returns what it told, how it ended and what it asked."""
    told, asked = [], []
    flow = flows.watch(CALLER, target, told.append, **options)
    script = list(answers)
    try:
        step = next(flow)
        while True:
            asked.append(step.call if isinstance(step, flows.Request) else step.timeout_s)
            answer = script.pop(0)
            step = flow.throw(answer) if isinstance(answer, Exception) else flow.send(answer)
    except StopIteration as stop:
        assert not script
        return told, stop.value, asked


def test_events_are_told_until_one_that_was_asked_for():
    dirty, idle = ({"event": name, "terminal": "@3", "seq": 1} for name in ("dirty", "idle"))
    assert watched({"subscription": 5}, dirty, idle, until=["bell", "idle"])[:2] == ([dirty, idle], "met")


def test_the_whole_server_is_watched_beyond_the_end_of_a_pane():
    told, end, _ = watched({"subscription": 5}, CLOSED, BELL, until=["bell"])
    assert (told, end) == ([CLOSED, BELL], "met")


def test_one_pane_is_watched_until_it_closes():
    told, end, _ = watched({"subscription": 5}, BELL, CLOSED, target=3)
    assert (told, end) == ([BELL, CLOSED], "ended")


def test_the_time_is_over():
    told, end, asked = watched({"subscription": 5}, None, timeout_s=2)
    assert (told, end) == ([], "timed_out")
    assert asked[1] == pytest.approx(2, abs=0.5)


def test_a_service_that_died_is_told_and_the_watch_goes_on():
    died = errors.DisconnectedError("the service died")
    told, end, _ = watched({"subscription": 5}, died, {"subscription": 6}, BELL, until=["bell"])
    assert (told, end) == ([{"event": "dropped", "count": 0}, BELL], "met")


def test_a_server_that_ended_is_the_end_and_no_event():
    died = errors.DisconnectedError("gone")
    told, end, _ = watched({"subscription": 5}, BELL, died, errors.NoServerError("nobody listens"))
    assert (told, end) == ([BELL], "ended")


def test_without_a_server_there_is_nothing_to_watch():
    with pytest.raises(errors.NoServerError):
        watched(errors.NoServerError("nobody listens"))


def test_an_event_that_is_none_asks_nothing():
    with pytest.raises(errors.BadRequestError, match="no event 'bells'"):
        watched(until=["bells"])


def test_what_can_be_watched_for_is_every_event_but_text():
    assert set(flows.EVENTS) == set(documents.EVENTS) - {"output"}


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (BELL, "@3\tbell"),
        (CLOSED, "@3\tpane_closed exit=0"),
        (CLOSED | {"exit_status": None, "signal": "SIGKILL"}, '@3\tpane_closed signal="SIGKILL"'),
        ({"event": "dropped", "count": 2}, "server\tdropped count=2"),
        ({"event": "title_changed", "terminal": "@3", "title": "日本 x", "seq": 1}, '@3\ttitle_changed title="日本 x"'),
        (
            {"event": "title_changed", "terminal": "@3", "title": "\x1b[2J\x9b\n", "seq": 1},
            '@3\ttitle_changed title="\\u001b[2J\\u009b\\n"',
        ),
        ({"event": "renamed", "what": "session", "id": 3, "name": "w"}, 'server\trenamed what="session" id=3 name="w"'),
    ],
)
def test_people_get_one_line_an_event_that_cannot_hurt_their_terminal(event, line):
    out = io.BytesIO()
    stream = types.SimpleNamespace(buffer=out, flush=lambda: None)
    with contextlib.redirect_stdout(stream):
        verb._print_line(event)
    assert out.getvalue().decode() == line + "\n"

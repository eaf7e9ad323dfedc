"""The ``watch`` flow with scripted replies, and the lines that ``phux watch`` prints."""

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


def tree(*panes):
    return {"sessions": [{"windows": [{"panes": list(panes)}]}]}


def run_watch(*replies, target=None, panes=(), **options):
    """Run a watch with scripted replies, and return its events, its end, and its requests and timeouts.

    ``panes`` are the panes in the tree, which is not part of the script.
    """
    events, requests = [], []
    flow = flows.watch(CALLER, target, events.append, **options)
    script = list(replies)
    try:
        step = next(flow)
        while True:
            if isinstance(step, flows.Deadline):
                step = flow.send(None)
                continue
            if isinstance(step, flows.Request) and step.call == "tree":
                step = flow.send(tree(*panes))
                continue
            requests.append(step.call if isinstance(step, flows.Request) else step.timeout_s)
            reply = script.pop(0)
            step = flow.throw(reply) if isinstance(reply, Exception) else flow.send(reply)
    except StopIteration as stop:
        assert not script
        return events, stop.value, requests


def test_a_watch_reports_events_up_to_one_that_is_named_in_until():
    dirty, idle = ({"event": name, "terminal": "@3", "seq": 1} for name in ("dirty", "idle"))
    assert run_watch({"subscription": 5}, dirty, idle, until=["bell", "idle"])[:2] == ([dirty, idle], "met")


def test_a_watch_of_the_whole_server_continues_after_a_pane_closes():
    events, end, _ = run_watch({"subscription": 5}, CLOSED, BELL, until=["bell"])
    assert (events, end) == ([CLOSED, BELL], "met")


def test_a_watch_of_one_pane_ends_when_the_pane_closes():
    events, end, _ = run_watch({"subscription": 5}, BELL, CLOSED, target=3)
    assert (events, end) == ([BELL, CLOSED], "ended")


def test_a_watch_ends_when_its_timeout_expires():
    events, end, requests = run_watch({"subscription": 5}, None, timeout_s=2)
    assert (events, end) == ([], "timed_out")
    assert requests[1] == pytest.approx(2, abs=0.5)


def test_a_watch_reports_a_crash_of_the_service_as_dropped_and_resumes():
    died = errors.DisconnectedError("the service died")
    events, end, _ = run_watch({"subscription": 5}, died, {"subscription": 6}, BELL, until=["bell"])
    assert (events, end) == ([{"event": "dropped", "count": 0}, BELL], "met")


def test_a_watch_ends_without_an_event_when_the_server_has_ended():
    died = errors.DisconnectedError("gone")
    events, end, _ = run_watch({"subscription": 5}, BELL, died, errors.NoServerError("nobody listens"))
    assert (events, end) == ([BELL], "ended")


SPAWNED = {"event": "pane_spawned", "terminal": "@4", "seq": 0}


@pytest.mark.parametrize(
    ("target", "panes", "events", "named"),
    [
        (3, [], [BELL], "@3"),
        (None, [{"id": 3, "state": "running"}, {"id": 5, "state": "dead"}], [], "@3"),
        (None, [{"id": 3, "state": "running"}], [CLOSED, SPAWNED], "@4"),
    ],
)
def test_a_watch_fails_if_the_server_ended_without_the_end_of_each_pane(target, panes, events, named):
    gone = errors.DisconnectedError("gone"), errors.NoServerError("nobody listens")
    with pytest.raises(errors.NoServerError, match=f"killed while {named} ran"):
        run_watch({"subscription": 5}, *events, *gone, target=target, panes=panes)


def test_a_watch_ends_if_the_server_ended_after_the_end_of_each_pane():
    gone = errors.DisconnectedError("gone"), errors.NoServerError("nobody listens")
    panes = [{"id": 3, "state": "running"}]
    assert run_watch({"subscription": 5}, CLOSED, *gone, panes=panes)[1] == "ended"


def test_a_watch_without_a_server_raises():
    with pytest.raises(errors.NoServerError):
        run_watch(errors.NoServerError("nobody listens"))


def test_an_unknown_event_name_is_refused_before_any_request():
    with pytest.raises(errors.BadRequestError, match="no event 'bells'"):
        run_watch(until=["bells"])


def test_every_event_except_output_can_be_named_in_until():
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
def test_an_event_is_printed_as_one_line_without_control_characters(event, line):
    out = io.BytesIO()
    stream = types.SimpleNamespace(buffer=out, flush=lambda: None)
    with contextlib.redirect_stdout(stream):
        verb._print_line(event)
    assert out.getvalue().decode() == line + "\n"

"""Every flow driven by hand with canned replies: no socket, no loop, no server."""

from __future__ import annotations

import importlib
import inspect

import pytest

import phux_client.aio
import phux_client.blocking
from phux_client import flows
from phux_client.flows.send_keys import to_items
from phux_core import calls, errors
from validation import validate

# The package exports the function under the module's name.
wait_module = importlib.import_module("phux_client.flows.wait")

SOCKET = "/run/phux.sock"
CALLER = flows.Caller("/home/me", {"HOME": "/home/me"}, SOCKET)
PANE = {"id": 3, "index": 0, "active": True, "cols": 80, "rows": 24, "title": None, "command": "sh", "cwd": "/"}
PANE |= {"pid": 7, "state": "running", "exit_status": None}
OTHER = PANE | {"id": 4, "index": 1, "active": False}
TREE = {
    "schema_version": 1,
    "focused_session": "work",
    "focused_pane": 3,
    "sessions": [
        {
            "id": 8,
            "name": "work",
            "created_at": "2026-01-01T00:00:00Z",
            "attached_clients": 0,
            "windows": [{"id": 9, "index": 0, "name": "sh", "active": True, "panes": [PANE, OTHER]}],
        },
        {
            "id": 10,
            "name": "home",
            "created_at": "2026-01-01T00:00:00Z",
            "attached_clients": 2,
            "windows": [],
        },
    ],
}
SCREEN = {
    "pane": 3,
    "cols": 10,
    "rows": 3,
    "cursor": {"x": 0, "y": 0, "visible": True},
    "lines": ["$ make", "ok", ""],
    "scrollback": [],
    "soft_wrap": {"lines": [], "scrollback": []},
    "title": None,
    "seq": 10,
    "alt_screen": False,
    "state": "running",
}


def begin(flow):
    """Start a flow, and go on to its first step that asks for something."""
    return after_deadline(flow, next(flow))


def after_deadline(flow, step):
    return flow.send(None) if isinstance(step, flows.Deadline) else step


class Conversation:
    """Drives a flow, noting what it asks; answers are taken from a script, errors in it are thrown."""

    def __init__(self, flow, *script):
        self.asked = []
        self.result = None
        self._flow = flow
        answers = list(script)
        try:
            step = begin(flow)
            while True:
                self.asked.append(self._note(step))
                assert answers, f"the flow asks for more than the script has: {self.asked}"
                answer = answers.pop(0)
                step = flow.throw(answer) if isinstance(answer, Exception) else flow.send(answer)
                step = after_deadline(flow, step)
        except StopIteration as stop:
            self.result = stop.value
            assert not answers, "the flow ended before the script did"

    def _note(self, step):
        if isinstance(step, flows.NextEvent):
            return ("next_event", step.subscription)
        # Whatever a flow asks, the server's own check lets through.
        calls.check(step.call, step.params)
        return (step.call, step.params)


def play(flow, *script):
    return Conversation(flow, *script)


def fails(flow, *script):
    """Drive a flow that is to fail; returns the error."""
    with pytest.raises(errors.PhuxError) as caught:
        play(flow, *script)
    return caught.value


@pytest.fixture
def clock(monkeypatch):
    """The time that ``wait`` sees, moved by hand."""

    class Clock:
        now = 100.0

        def monotonic(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(wait_module, "time", clock)
    return clock


# The caller


@pytest.mark.parametrize(
    ("env", "pane"),
    [
        ({"PHUX_SOCKET": SOCKET, "PHUX_PANE": "@7"}, 7),
        ({"PHUX_SOCKET": SOCKET, "PHUX_PANE": "@0"}, 0),
        ({"PHUX_SOCKET": "/other.sock", "PHUX_PANE": "@7"}, None),
        ({"PHUX_PANE": "@7"}, None),
        ({"PHUX_SOCKET": SOCKET}, None),
        ({"PHUX_SOCKET": SOCKET, "PHUX_PANE": ""}, None),
        ({"PHUX_SOCKET": SOCKET, "PHUX_PANE": "7"}, None),
        ({"PHUX_SOCKET": SOCKET, "PHUX_PANE": "@"}, None),
        ({"PHUX_SOCKET": SOCKET, "PHUX_PANE": "@x"}, None),
        ({"PHUX_SOCKET": SOCKET, "PHUX_PANE": "@-1"}, None),
        ({"PHUX_SOCKET": SOCKET, "PHUX_PANE": "@²"}, None),
        ({}, None),
    ],
)
def test_the_callers_pane_counts_only_on_the_server_that_gave_it(env, pane):
    assert flows.Caller("/", env, SOCKET).pane == pane


def test_a_request_leaves_out_what_was_not_given():
    request = flows.Request("snapshot", pane=0, scrollback=None, cells=False)
    assert request.params == {"pane": 0, "cells": False}
    assert "snapshot" in repr(request)


# Flows that read


@pytest.mark.parametrize("name", [name for name in flows.__all__ if name[0].islower()])
def test_every_flow_is_a_generator_and_no_coroutine(name):
    # `new`, `run` and `start` check at once and then give their generators; all else is one.
    assert name in {"new", "run", "start"} or inspect.isgeneratorfunction(getattr(flows, name))
    assert inspect.isgenerator(flows.new(CALLER))
    assert inspect.isgenerator(flows.run(CALLER, 1, "true"))


def test_ls_tells_the_sessions_in_short_and_by_name():
    talk = play(flows.ls(), TREE)
    assert talk.asked == [("tree", {})]
    validate("session-list", talk.result)
    assert talk.result["sessions"] == [
        {"name": "home", "windows": 0, "attached": True},
        {"name": "work", "windows": 1, "attached": False},
    ]


def test_status_and_tree_pass_on_what_the_server_says():
    assert play(flows.tree(), TREE).result is TREE
    document = {"panes": 1}
    talk = play(flows.status(), document)
    assert talk.asked == [("status", {})]
    assert talk.result is document


def test_find_pane_looks_the_selector_up_in_one_tree():
    talk = play(flows.find_pane("work:0.1", CALLER), TREE)
    assert talk.asked == [("tree", {})]
    assert talk.result["id"] == 4


def test_find_pane_knows_the_callers_own_pane():
    inside = flows.Caller("/", {"PHUX_SOCKET": SOCKET, "PHUX_PANE": "@4"}, SOCKET)
    assert play(flows.find_pane(".", inside), TREE).result["id"] == 4
    assert play(flows.find_pane(".", CALLER), TREE).result["id"] == 3


def test_a_malformed_selector_asks_nothing():
    for flow in (
        flows.find_pane("work:", CALLER),
        flows.snapshot(CALLER, "@x"),
        flows.send_keys(CALLER, ":0", ["a"]),
        flows.paste(CALLER, "", "a"),
        flows.kill(CALLER, "=x"),
        flows.wait(CALLER, "-t"),
    ):
        assert isinstance(fails(flow), errors.BadSelectorError)


@pytest.mark.parametrize(
    ("target", "asked"), [(3, []), ("@3", []), ("work", ["tree"]), (None, ["tree"]), (".", ["tree"])]
)
def test_snapshot_asks_for_the_tree_only_when_it_must(target, asked):
    talk = play(flows.snapshot(CALLER, target), *[TREE for _ in asked], SCREEN)
    assert [call for call, _params in talk.asked] == [*asked, "snapshot"]
    assert talk.asked[-1][1]["pane"] == 3
    validate("screen-state", talk.result)


def test_snapshot_passes_its_options_on():
    talk = play(flows.snapshot(CALLER, 3, scrollback=0, cells=True), SCREEN)
    assert talk.asked == [("snapshot", {"pane": 3, "scrollback": 0, "cells": True})]


def test_snapshot_says_nothing_of_what_there_is_not():
    document = play(flows.snapshot(CALLER, 3), SCREEN).result
    assert {"title", "cells", "exit_status"}.isdisjoint(document)
    dead = play(flows.snapshot(CALLER, 3), SCREEN | {"state": "dead", "exit_status": 0, "title": ""}).result
    assert (dead["exit_status"], dead["title"]) == (0, "")
    signalled = play(flows.snapshot(CALLER, 3), SCREEN | {"state": "dead", "exit_status": None}).result
    assert "exit_status" not in signalled


def test_snapshot_spreads_runs_into_cells():
    default = {"kind": "default"}
    flags = ("bold", "faint", "italic", "underline", "blink", "inverse", "invisible", "strikethrough", "overline")
    styles = [dict.fromkeys(flags, False) | {"fg": default, "bg": default} for _ in range(2)]
    cells = {"styles": styles, "runs": [[0, 2, 3, 1, 1, None], [1, 0, 2, 2, 0, "prompt"]]}
    document = play(flows.snapshot(CALLER, 3, cells=True), SCREEN | {"cells": cells}).result
    validate("screen-state", document)
    assert [(cell["row"], cell["col"], cell.get("semantic")) for cell in document["cells"]] == [
        (0, 2, None),
        (0, 3, None),
        (0, 4, None),
        (1, 0, "prompt"),
        (1, 2, "prompt"),
    ]
    assert document["cells"][0]["style"] is styles[1]
    assert document["cells"][3]["style"] is styles[0]


def test_an_error_of_the_server_comes_out_of_the_flow():
    error = errors.NoSuchTargetError("gone")
    assert fails(flows.snapshot(CALLER, 3), error) is error
    assert fails(flows.ls(), errors.DisconnectedError("gone")).code == "disconnected"


def test_a_target_that_is_not_there_fails_after_the_tree_alone():
    assert isinstance(fails(flows.snapshot(CALLER, "nope"), TREE), errors.NoSuchTargetError)


# Flows that change something


def test_new_sends_the_callers_place_and_leaves_the_rest_to_the_server():
    reply = {"session": "0", "session_id": 1, "window_id": 1, "pane_id": 1}
    talk = play(flows.new(CALLER), reply)
    assert talk.asked == [("new_session", {"cwd": "/home/me", "env": {"HOME": "/home/me"}})]
    assert talk.result == reply


def test_new_sends_all_that_was_asked_for():
    talk = play(
        flows.new(CALLER, "work", cwd="src", command=("sh", "-c", "x"), env={"A": "b"}, size=(120, 40)), {"pane_id": 1}
    )
    assert talk.asked[0][1] == {
        "name": "work",
        "cwd": "/home/me/src",
        "command": ["sh", "-c", "x"],
        "env": {"HOME": "/home/me"},
        "extra_env": {"A": "b"},
        "cols": 120,
        "rows": 40,
    }


def test_new_takes_an_absolute_directory_as_it_is():
    assert play(flows.new(CALLER, cwd="/src"), {}).asked[0][1]["cwd"] == "/src"


def test_new_sends_a_size_of_zero_for_the_server_to_refuse():
    assert play(flows.new(CALLER, size=(0, 0)), {}).asked[0][1]["cols"] == 0


@pytest.mark.parametrize("name", ["", "a:b", "@1", "x" * 65])
def test_new_refuses_a_bad_name_before_it_asks(name):
    with pytest.raises(errors.BadNameError):
        flows.new(CALLER, name)


def test_new_refuses_a_command_that_is_one_string():
    with pytest.raises(errors.BadRequestError) as caught:
        flows.new(CALLER, command="make test")
    assert "sh" in caught.value.remedy


PLACE = {"session": "work", "session_id": 8, "window_id": 9, "pane_id": 4, "window": 0, "window_name": "sh", "pane": 1}
PLACE |= {"cols": 40, "rows": 24, "zoomed": False}


def test_a_split_asks_for_the_pane_that_the_target_means_and_tells_its_place():
    talk = play(flows.split(CALLER, "work:0.1", "down", size="30%", command=["top"], env={"A": "b"}), TREE, PLACE)
    assert talk.asked[1] == (
        "split",
        {
            "pane": 4,
            "direction": "down",
            "percent": 30,
            "command": ["top"],
            "env": {"HOME": "/home/me"},
            "extra_env": {"A": "b"},
        },
    )
    validate("place", talk.result)
    assert talk.result["terminal_id"] == 4


def test_what_is_exact_needs_no_tree():
    assert play(flows.split(CALLER, 4, size=5), PLACE).asked[0][1]["cells"] == 5
    assert play(flows.select(CALLER, ("window", 9)), PLACE).asked == [("select", {"scope": "window", "id": 9})]
    assert play(flows.zoom(CALLER, "@4", on=True), PLACE).asked == [("zoom", {"pane": 4, "on": True})]
    assert play(flows.resize(CALLER, 4, 10), PLACE).asked == [("resize", {"pane": 4, "cols": 10})]
    assert play(flows.rename(CALLER, ("session", 8), "x"), PLACE).asked[0][0] == "rename"
    assert play(flows.layout(CALLER, ("window", 9), "tiled"), PLACE).asked == [
        ("layout", {"window": 9, "name": "tiled"})
    ]


@pytest.mark.parametrize("size", ["", "x", "%", "1.5", "٣", "-1", "5%%", 1.5, True, "9" * 20])
def test_a_size_that_is_none_is_refused_before_anything_is_asked(size):
    with pytest.raises(errors.BadSizeError):
        next(flows.split(CALLER, "work", size=size))


def test_a_new_window_goes_into_the_session_of_what_was_named():
    for target, index in {"work": None, "work:0": None, "@4": None, "work:5": 5}.items():
        asked = play(flows.new_window(CALLER, target, name="logs"), TREE, PLACE).asked[1]
        assert asked[0] == "new_window"
        assert (asked[1]["session"], asked[1].get("index"), asked[1]["name"]) == (8, index, "logs")
    assert play(flows.new_window(CALLER, 8, select=True), PLACE).asked[0][1]["select"] is True


@pytest.mark.parametrize(
    ("target", "dest", "call", "params"),
    [
        ("work:0", "work:5", "move_window", {"window": 9, "session": 8, "index": 5}),
        ("work:sh", "work", "move_window", {"window": 9, "session": 8}),
        ("work:0", "work:0", "move_window", {"window": 9, "session": 8, "index": 0}),
        ("@4", "work", "move_pane", {"pane": 4, "session": 8}),
        ("@4", "work:5", "move_pane", {"pane": 4, "session": 8, "index": 5}),
        ("@4", "work:0", "move_pane", {"pane": 4, "target": 3, "direction": "right"}),
        ("@4", "@3", "move_pane", {"pane": 4, "target": 3, "direction": "right"}),
        (4, 3, "move_pane", {"pane": 4, "target": 3, "direction": "right"}),
    ],
)
def test_a_move_asks_for_what_target_and_dest_mean(target, dest, call, params):
    assert play(flows.move(CALLER, target, dest), TREE, PLACE).asked[1] == (call, params)


@pytest.mark.parametrize(("target", "dest"), [("work", "work:5"), ("work:0", "@3"), ("home", "work")])
def test_a_move_that_makes_no_sense_is_refused(target, dest):
    assert isinstance(fails(flows.move(CALLER, target, dest), TREE), errors.BadRequestError)


def test_the_size_of_a_session_is_that_of_its_current_window():
    for target in ("work", "work:0"):
        talk = play(flows.resize(CALLER, target, 100, 30), TREE, *([TREE] if target == "work" else []), PLACE)
        assert talk.asked[-1] == ("resize_window", {"window": 9, "cols": 100, "rows": 30})
    talk = play(flows.resize(CALLER, "work:0.1", side="left", by=3), TREE, PLACE)
    assert talk.asked[-1] == ("push_divider", {"pane": 4, "side": "left", "by": 3})
    talk = play(flows.resize(CALLER, "@4", policy="manual"), TREE, PLACE)
    assert talk.asked[-1] == ("resize_window", {"window": 9, "policy": "manual"})


@pytest.mark.parametrize("wrong", [{}, {"side": "left"}, {"by": 3}, {"cols": 3, "side": "left", "by": 3}])
def test_a_resize_that_is_not_clear_is_refused(wrong):
    with pytest.raises(errors.BadRequestError):
        next(flows.resize(CALLER, "@3", **wrong))


def test_a_part_of_the_tree_keeps_what_it_is_in():
    document = play(flows.tree(CALLER, "@4"), TREE).result
    (session,) = document["sessions"]
    assert (session["id"], session["windows"][0]["id"], session["windows"][0]["panes"]) == (8, 9, [OTHER])
    assert play(flows.tree(), TREE).result is TREE
    assert len(TREE["sessions"][0]["windows"][0]["panes"]) == 2


def test_send_keys_tells_which_pane_got_how_much():
    talk = play(flows.send_keys(CALLER, "work:0.1", ["make", "Enter"]), TREE, {"bytes": 5})
    assert talk.asked[1] == ("input", {"pane": 4, "items": [{"line": "make"}, {"key": "Enter"}]})
    validate("sent", talk.result)
    assert talk.result == {"schema_version": 1, "sent": True, "pane": "@4", "bytes": 5}


@pytest.mark.parametrize("words", [[], (), "Enter", ""])
def test_send_keys_without_a_list_of_words_asks_nothing(words):
    assert isinstance(fails(flows.send_keys(CALLER, 3, words)), errors.BadRequestError)


def test_paste_sends_the_text_as_one_piece():
    talk = play(flows.paste(CALLER, 3, "a\nb"), {"bytes": 3})
    assert talk.asked == [("input", {"pane": 3, "items": [{"paste": "a\nb"}]})]
    validate("sent", talk.result)


@pytest.mark.parametrize(
    ("words", "items"),
    [
        (["Enter"], [{"key": "Enter"}]),
        (["ls"], [{"text": "ls"}]),
        (["ls", "Enter"], [{"line": "ls"}, {"key": "Enter"}]),
        (["ls", "return"], [{"line": "ls"}, {"key": "Enter"}]),
        (["a", "b", "c", "Enter"], [{"line": "abc"}, {"key": "Enter"}]),
        (["a", "C-Enter"], [{"text": "a"}, {"key": "C-Enter"}]),
        (["a", "Tab", "Enter"], [{"text": "a"}, {"key": "Tab"}, {"key": "Enter"}]),
        (["Enter", "Enter"], [{"key": "Enter"}, {"key": "Enter"}]),
        (["a", "Enter", "b"], [{"line": "a"}, {"key": "Enter"}, {"text": "b"}]),
        (["a", "Enter", "b", "Enter"], [{"line": "a"}, {"key": "Enter"}, {"line": "b"}, {"key": "Enter"}]),
        (["c-m-pgup"], [{"key": "C-M-PageUp"}]),
        (["a b", " ", "c"], [{"text": "a b c"}]),
        ([""], [{"text": ""}]),
        (["C-c", "ls"], [{"key": "C-c"}, {"text": "ls"}]),
    ],
)
def test_words_are_keys_and_runs_of_text_and_a_run_before_enter_is_a_line(words, items):
    assert to_items(words, literal=False) == items


def test_literal_words_are_all_text():
    assert to_items(["a", "Enter", "C-c"], literal=True) == [{"text": "aEnterC-c"}]


@pytest.mark.parametrize(
    ("target", "scope", "id_"),
    [("work", "session", 8), ("work:0", "window", 9), ("work:0.1", "pane", 4), ("=", "session", 8)],
)
def test_kill_ends_what_the_selector_names_as_a_whole(target, scope, id_):
    talk = play(flows.kill(CALLER, target), TREE, {"killed": 2})
    assert talk.asked[-1] == ("kill", {"scope": scope, "id": id_})
    validate("killed", talk.result)
    assert talk.result["killed"] == 2


@pytest.mark.parametrize("target", [3, "@3", ("pane", 3)])
def test_kill_by_id_needs_no_tree(target):
    assert play(flows.kill(CALLER, target), {"killed": 1}).asked == [("kill", {"scope": "pane", "id": 3})]


def test_kill_server_just_says_so():
    talk = play(flows.kill_server(), {})
    assert talk.asked == [("kill_server", {})]
    assert talk.result is None


class FakePhux:
    """Answers from a tree in which another session has taken the name."""

    caller = CALLER

    def __init__(self):
        self.killed = []

    def drive(self, flow):
        def answer(step):
            if step.call == "tree":
                return TREE
            self.killed.append((step.params["scope"], step.params["id"]))
            if step.params["id"] != 8:
                raise errors.NoSuchTargetError("gone")
            return {"killed": 1}

        reply = None
        try:
            while True:
                reply = answer(flow.send(reply))
        except StopIteration as stop:
            return stop.value

    def kill(self, target):
        return phux_client.blocking.Phux.kill(self, target)

    _caller = CALLER


def test_a_session_handle_never_ends_another_session_that_took_its_name():
    phux = FakePhux()
    handle = phux_client.blocking.Session(phux, 2, "work", 1)  # it was number 2; "work" is number 8 now
    with pytest.raises(errors.NoSuchTargetError):
        handle.kill()
    assert ("session", 8) not in phux.killed


# Waiting


SUBSCRIBED = {"subscription": 5, "seq": 10, "since": 10, "marks": False, "command_end": None}


def wait(target=3, *, timeout_s=None, **conditions):
    return flows.wait(CALLER, target, flows.Conditions(**conditions), timeout_s=timeout_s)


def waiting(*steps, **options):
    """Drive a wait that subscribes first."""
    return play(wait(**options), SUBSCRIBED, *steps)


FOLLOW = ("subscribe", {"pane": 3, "output": True, "screen": True})
LOOK = ("snapshot", {"pane": 3})


def test_wait_subscribes_before_it_looks(clock):
    talk = waiting(SCREEN, until="ok")
    assert talk.asked == [FOLLOW, LOOK]
    assert (talk.result.met, talk.result.looks) == ("until", 1)
    validate("screen-state", talk.result.screen)


def test_wait_looks_again_at_every_event(clock):
    dead = SCREEN | {"state": "dead"}
    talk = waiting(SCREEN, {"event": "dirty"}, SCREEN, {"event": "idle"}, dead, exit=True)
    assert talk.asked == [("subscribe", {"pane": 3}), LOOK, ("next_event", 5), LOOK, ("next_event", 5), LOOK]
    assert (talk.result.met, talk.result.looks) == ("exit", 3)


def test_wait_for_the_end_of_the_program(clock):
    dead = SCREEN | {"state": "dead", "exit_status": 3}
    talk = waiting(SCREEN, {"event": "pane_closed"}, dead, exit=True)
    assert talk.result.met == "exit"
    assert talk.result.screen["exit_status"] == 3


def test_the_text_wins_over_the_end(clock):
    assert waiting(SCREEN | {"state": "dead"}, until="ok", exit=True).result.met == "until"


def test_idle_counts_from_the_last_change(clock):
    flow = wait(idle_ms=250)
    next(flow)
    flow.send(SUBSCRIBED)
    step = flow.send(SCREEN)
    assert step.timeout_s == pytest.approx(0.25)
    clock.now += 0.1875
    flow.send({"event": "dirty"})
    step = flow.send(SCREEN | {"seq": 11})
    assert step.timeout_s == pytest.approx(0.25)
    clock.now += 0.125
    flow.send({"event": "bell"})
    step = flow.send(SCREEN | {"seq": 11})
    assert step.timeout_s == pytest.approx(0.125)
    clock.now += 0.125
    flow.send(None)
    with pytest.raises(StopIteration) as stop:
        flow.send(SCREEN | {"seq": 11})
    assert stop.value.value.met == "idle"


def test_without_a_condition_it_is_idle_for_half_a_second(clock):
    flow = wait()
    next(flow)
    flow.send(SUBSCRIBED)
    assert flow.send(SCREEN).timeout_s == pytest.approx(0.5)


def test_another_condition_takes_the_place_of_idle(clock):
    flow = wait(until="never")
    next(flow)
    flow.send(SUBSCRIBED)
    flow.send(SCREEN)
    clock.now += 10
    assert isinstance(flow.send(None), flows.Request)
    assert isinstance(flow.send(SCREEN), flows.NextEvent)


def test_the_deadline_ends_it_with_the_last_screen(clock):
    flow = wait(until="never", timeout_s=2)
    begin(flow)
    flow.send(SUBSCRIBED)
    assert flow.send(SCREEN).timeout_s == pytest.approx(2)
    clock.now += 2
    flow.send(None)
    with pytest.raises(StopIteration) as stop:
        flow.send(SCREEN | {"lines": ["late"]})
    assert stop.value.value.met is None
    assert stop.value.value.screen["lines"] == ["late"]


def test_a_timeout_of_zero_looks_once(clock):
    assert waiting(SCREEN, until="never", timeout_s=0).result.met is None
    assert waiting(SCREEN, until="ok", timeout_s=0).result.met == "until"


def test_a_condition_that_holds_at_the_deadline_has_held(clock):
    flow = wait(until="done", timeout_s=1)
    begin(flow)
    flow.send(SUBSCRIBED)
    flow.send(SCREEN)
    clock.now += 5
    flow.send(None)
    with pytest.raises(StopIteration) as stop:
        flow.send(SCREEN | {"lines": ["done"]})
    assert stop.value.value.met == "until"


def test_it_never_waits_long_without_looking(clock):
    flow = wait(until="never")
    next(flow)
    flow.send(SUBSCRIBED)
    assert 0 < flow.send(SCREEN).timeout_s <= 5


def test_any_other_error_while_waiting_comes_out(clock):
    with pytest.raises(errors.ProtocolError):
        waiting(SCREEN, errors.ProtocolError("nonsense"), until="never")
    with pytest.raises(errors.NoSuchTargetError):
        waiting(errors.NoSuchTargetError("killed"), until="never")


def test_a_wait_on_a_name_finds_the_pane_once(clock):
    talk = play(wait("work", until="ok"), TREE, SUBSCRIBED, SCREEN)
    assert [call for call, _rest in talk.asked] == ["tree", "subscribe", "snapshot"]


def test_text_is_found_across_the_edge_of_the_screen(clock):
    screen = SCREEN | {"lines": ["0123456789", "abc", ""], "soft_wrap": {"lines": [0], "scrollback": []}}
    assert waiting(screen, until="89abc").result.met == "until"
    unwrapped = screen | {"soft_wrap": {"lines": [], "scrollback": []}}
    assert waiting(unwrapped, until="89abc", timeout_s=0).result.met is None


def test_a_blank_at_the_edge_of_the_screen_is_part_of_the_line(clock):
    # Rows come without their trailing blanks, also one that goes on in the next.
    screen = SCREEN | {"lines": ["make all", "tests ok", ""], "cols": 9, "soft_wrap": {"lines": [0], "scrollback": []}}
    assert waiting(screen, until="all tests", timeout_s=0).result.met == "until"


def test_text_is_not_found_across_lines(clock):
    assert waiting(SCREEN, until="makeok", timeout_s=0).result.met is None
    assert waiting(SCREEN, until="make\nok", timeout_s=0).result.met is None


# Events


def test_the_next_event_is_passed_on_as_it_is():
    event = {"event": "bell", "terminal": "@3", "seq": 1}
    talk = play(flows.next_event(5, 2.5), event)
    assert talk.asked == [("next_event", 5)]
    assert talk.result is event


def test_no_event_in_time_is_an_error_and_so_is_a_lost_connection():
    assert isinstance(fails(flows.next_event(5, 2.5), None), errors.TimedOutError)
    assert isinstance(fails(flows.next_event(5, None), errors.DisconnectedError("gone")), errors.DisconnectedError)

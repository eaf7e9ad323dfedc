"""Flows with scripted replies, without a socket, an event loop or a server."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import pytest
from styles import PLAIN_STYLE

import phux_client.aio
import phux_client.blocking
from phux_client import flows
from phux_client.flows.sending import to_items
from phux_core import calls, errors
from validation import validate

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


class Played(NamedTuple):
    steps: list
    result: Any


def play(flow, *script):
    """Drive a flow with scripted replies, and return its steps and result; raise scripted exceptions in the flow."""
    steps, replies = [], list(script)
    try:
        step = next(flow)
        while True:
            steps.append(recorded(step))
            assert replies, f"the flow has more steps than the script has replies: {steps}"
            reply = replies.pop(0)
            step = flow.throw(reply) if isinstance(reply, Exception) else flow.send(reply)
    except StopIteration as stop:
        assert not replies, "the flow ended before all replies were used"
        return Played(steps, stop.value)


def recorded(step):
    if isinstance(step, flows.NextEvent):
        return ("next_event", step.subscription)
    calls.check(step.call, step.params)  # as the server does
    return (step.call, step.params)


def raised_by(flow, *script):
    """Drive a flow that raises a PhuxError, and return the error."""
    with pytest.raises(errors.PhuxError) as caught:
        play(flow, *script)
    return caught.value


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
def test_the_callers_pane_is_used_only_with_the_server_that_has_the_pane(env, pane):
    assert flows.Caller("/", env, SOCKET).pane == pane


def test_a_request_omits_parameters_that_are_none():
    request = flows.Request("snapshot", pane=0, scrollback=None, cells=False)
    assert request.params == {"pane": 0, "cells": False}
    assert "snapshot" in repr(request)


# Flows that read


@pytest.mark.parametrize("name", [name for name in flows.__all__ if name[0].islower()])
def test_every_flow_is_a_generator(name):
    # `new`, `run` and `start` check their arguments when called and return a generator.
    assert name in {"new", "run", "start"} or inspect.isgeneratorfunction(getattr(flows, name))
    assert inspect.isgenerator(flows.new(CALLER))
    assert inspect.isgenerator(flows.run(CALLER, 1, "true"))


def test_ls_summarizes_sessions_sorted_by_name():
    driven = play(flows.ls(), TREE)
    assert driven.steps == [("tree", {})]
    validate("session-list", driven.result)
    assert driven.result["sessions"] == [
        {"name": "home", "windows": 0, "attached": True},
        {"name": "work", "windows": 1, "attached": False},
    ]


def test_status_and_tree_return_the_reply_of_the_server():
    assert play(flows.tree(), TREE).result is TREE
    document = {"panes": 1}
    driven = play(flows.status(), document)
    assert driven.steps == [("status", {})]
    assert driven.result is document


def test_find_pane_resolves_a_selector_with_one_tree_request():
    driven = play(flows.find_pane("work:0.1", CALLER), TREE)
    assert driven.steps == [("tree", {})]
    assert driven.result["id"] == 4


def test_wait_on_a_name_requests_the_tree_once():
    subscribed = {"subscription": 5, "seq": 10, "since": 10, "marks": False, "command_end": None}
    driven = play(flows.wait(CALLER, "work", flows.Conditions(until="ok")), TREE, subscribed, SCREEN)
    assert [call for call, _params in driven.steps] == ["tree", "subscribe", "snapshot"]


def test_find_pane_resolves_a_dot_to_the_callers_pane_or_the_focused_pane():
    inside = flows.Caller("/", {"PHUX_SOCKET": SOCKET, "PHUX_PANE": "@4"}, SOCKET)
    assert play(flows.find_pane(".", inside), TREE).result["id"] == 4
    assert play(flows.find_pane(".", CALLER), TREE).result["id"] == 3


def test_a_malformed_selector_is_refused_without_a_request():
    for flow in (
        flows.find_pane("work:", CALLER),
        flows.snapshot(CALLER, "@x"),
        flows.send_keys(CALLER, ":0", ["a"]),
        flows.paste(CALLER, "", "a"),
        flows.kill(CALLER, "=x"),
        flows.wait(CALLER, "-t"),
    ):
        assert isinstance(raised_by(flow), errors.BadSelectorError)


@pytest.mark.parametrize(
    ("target", "earlier_calls"), [(3, []), ("@3", []), ("work", ["tree"]), (None, ["tree"]), (".", ["tree"])]
)
def test_snapshot_requests_the_tree_only_for_selectors_that_are_not_ids(target, earlier_calls):
    driven = play(flows.snapshot(CALLER, target), *[TREE for _ in earlier_calls], SCREEN)
    assert [call for call, _params in driven.steps] == [*earlier_calls, "snapshot"]
    assert driven.steps[-1][1]["pane"] == 3
    validate("screen-state", driven.result)


def test_snapshot_sends_its_options():
    driven = play(flows.snapshot(CALLER, 3, scrollback=0, cells=True), SCREEN)
    assert driven.steps == [("snapshot", {"pane": 3, "scrollback": 0, "cells": True})]


def test_snapshot_omits_absent_fields():
    document = play(flows.snapshot(CALLER, 3), SCREEN).result
    assert {"title", "cells", "exit_status"}.isdisjoint(document)
    dead = play(flows.snapshot(CALLER, 3), SCREEN | {"state": "dead", "exit_status": 0, "title": ""}).result
    assert (dead["exit_status"], dead["title"]) == (0, "")
    signalled = play(flows.snapshot(CALLER, 3), SCREEN | {"state": "dead", "exit_status": None}).result
    assert "exit_status" not in signalled


def test_snapshot_expands_runs_into_cells():
    styles = [dict(PLAIN_STYLE) for _ in range(2)]
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


def test_a_flow_raises_the_error_of_the_server():
    error = errors.NoSuchTargetError("gone")
    assert raised_by(flows.snapshot(CALLER, 3), error) is error
    assert raised_by(flows.ls(), errors.DisconnectedError("gone")).code == "disconnected"


def test_an_unknown_target_is_refused_after_the_tree_request():
    assert isinstance(raised_by(flows.snapshot(CALLER, "nope"), TREE), errors.NoSuchTargetError)


# Flows that change something


def test_new_sends_only_directory_and_environment_by_default():
    reply = {"session": "0", "session_id": 1, "window_id": 1, "pane_id": 1}
    driven = play(flows.new(CALLER), reply)
    assert driven.steps == [("new_session", {"cwd": "/home/me", "env": {"HOME": "/home/me"}})]
    assert driven.result == reply


def test_new_sends_all_its_options():
    driven = play(
        flows.new(CALLER, "work", cwd="src", command=("sh", "-c", "x"), env={"A": "b"}, size=(120, 40)), {"pane_id": 1}
    )
    assert driven.steps[0][1] == {
        "name": "work",
        "cwd": "/home/me/src",
        "command": ["sh", "-c", "x"],
        "env": {"HOME": "/home/me"},
        "extra_env": {"A": "b"},
        "cols": 120,
        "rows": 40,
    }


def test_new_sends_an_absolute_directory_unchanged():
    assert play(flows.new(CALLER, cwd="/src"), {}).steps[0][1]["cwd"] == "/src"


def test_new_sends_a_size_of_zero_which_the_server_refuses():
    assert play(flows.new(CALLER, size=(0, 0)), {}).steps[0][1]["cols"] == 0


@pytest.mark.parametrize("name", ["", "a:b", "@1", "x" * 65])
def test_new_refuses_a_bad_name_without_a_request(name):
    with pytest.raises(errors.BadNameError):
        flows.new(CALLER, name)


def test_new_refuses_a_command_given_as_one_string():
    with pytest.raises(errors.BadRequestError) as caught:
        flows.new(CALLER, command="make test")
    assert "sh" in caught.value.remedy


PLACE = {"session": "work", "session_id": 8, "window_id": 9, "pane_id": 4, "window": 0, "window_name": "sh", "pane": 1}
PLACE |= {"cols": 40, "rows": 24, "zoomed": False}


def test_split_splits_the_target_pane_and_returns_the_place_of_the_new_pane():
    driven = play(flows.split(CALLER, "work:0.1", "down", size="30%", command=["top"], env={"A": "b"}), TREE, PLACE)
    assert driven.steps[1] == (
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
    validate("place", driven.result)
    assert driven.result["terminal_id"] == 4


def test_targets_given_by_id_need_no_tree_request():
    assert play(flows.split(CALLER, 4, size=5), PLACE).steps[0][1]["cells"] == 5
    assert play(flows.select(CALLER, ("window", 9)), PLACE).steps == [("select", {"scope": "window", "id": 9})]
    assert play(flows.zoom(CALLER, "@4", on=True), PLACE).steps == [("zoom", {"pane": 4, "on": True})]
    assert play(flows.resize(CALLER, 4, 10), PLACE).steps == [("resize", {"pane": 4, "cols": 10})]
    assert play(flows.rename(CALLER, ("session", 8), "x"), PLACE).steps[0][0] == "rename"
    assert play(flows.layout(CALLER, ("window", 9), "tiled"), PLACE).steps == [
        ("layout", {"window": 9, "name": "tiled"})
    ]


@pytest.mark.parametrize("size", ["", "x", "%", "1.5", "٣", "-1", "5%%", 1.5, True, "9" * 20])
def test_split_refuses_a_malformed_size_without_a_request(size):
    with pytest.raises(errors.BadSizeError):
        next(flows.split(CALLER, "work", size=size))


def test_a_new_window_is_added_to_the_session_of_the_target():
    for target, index in {"work": None, "work:0": None, "@4": None, "work:5": 5}.items():
        step = play(flows.new_window(CALLER, target, name="logs"), TREE, PLACE).steps[1]
        assert step[0] == "new_window"
        assert (step[1]["session"], step[1].get("index"), step[1]["name"]) == (8, index, "logs")
    assert play(flows.new_window(CALLER, 8, select=True), PLACE).steps[0][1]["select"] is True


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
def test_move_resolves_target_and_destination(target, dest, call, params):
    assert play(flows.move(CALLER, target, dest), TREE, PLACE).steps[1] == (call, params)


@pytest.mark.parametrize(("target", "dest"), [("work", "work:5"), ("work:0", "@3"), ("home", "work")])
def test_move_refuses_incompatible_targets_and_destinations(target, dest):
    assert isinstance(raised_by(flows.move(CALLER, target, dest), TREE), errors.BadRequestError)


def test_resize_sends_the_request_that_fits_the_target_and_the_arguments():
    for target in ("work", "work:0"):
        driven = play(flows.resize(CALLER, target, 100, 30), TREE, *([TREE] if target == "work" else []), PLACE)
        assert driven.steps[-1] == ("resize_window", {"window": 9, "cols": 100, "rows": 30})
    driven = play(flows.resize(CALLER, "work:0.1", side="left", by=3), TREE, PLACE)
    assert driven.steps[-1] == ("push_divider", {"pane": 4, "side": "left", "by": 3})
    driven = play(flows.resize(CALLER, "@4", policy="manual"), TREE, PLACE)
    assert driven.steps[-1] == ("resize_window", {"window": 9, "policy": "manual"})


@pytest.mark.parametrize("wrong", [{}, {"side": "left"}, {"by": 3}, {"cols": 3, "side": "left", "by": 3}])
def test_resize_refuses_missing_or_conflicting_arguments(wrong):
    with pytest.raises(errors.BadRequestError):
        next(flows.resize(CALLER, "@3", **wrong))


def test_tree_of_a_pane_includes_its_window_and_session():
    document = play(flows.tree(CALLER, "@4"), TREE).result
    (session,) = document["sessions"]
    assert (session["id"], session["windows"][0]["id"], session["windows"][0]["panes"]) == (8, 9, [OTHER])
    assert play(flows.tree(), TREE).result is TREE
    assert len(TREE["sessions"][0]["windows"][0]["panes"]) == 2


def test_send_keys_returns_the_pane_and_the_number_of_bytes():
    driven = play(flows.send_keys(CALLER, "work:0.1", ["make", "Enter"]), TREE, {"bytes": 5})
    assert driven.steps[1] == ("input", {"pane": 4, "items": [{"line": "make"}, {"key": "Enter"}]})
    validate("sent", driven.result)
    assert driven.result == {"schema_version": 1, "sent": True, "pane": "@4", "bytes": 5}


@pytest.mark.parametrize("words", [[], (), "Enter", ""])
def test_send_keys_refuses_an_empty_list_or_a_string_without_a_request(words):
    assert isinstance(raised_by(flows.send_keys(CALLER, 3, words)), errors.BadRequestError)


def test_paste_sends_the_text_as_one_item():
    driven = play(flows.paste(CALLER, 3, "a\nb"), {"bytes": 3})
    assert driven.steps == [("input", {"pane": 3, "items": [{"paste": "a\nb"}]})]
    validate("sent", driven.result)


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
def test_words_are_converted_to_keys_joined_text_and_lines(words, items):
    assert to_items(words, literal=False) == items


def test_literal_words_become_text():
    assert to_items(["a", "Enter", "C-c"], literal=True) == [{"text": "aEnterC-c"}]


@pytest.mark.parametrize(
    ("target", "scope", "id_"),
    [("work", "session", 8), ("work:0", "window", 9), ("work:0.1", "pane", 4), ("=", "session", 8)],
)
def test_kill_ends_the_session_window_or_pane_of_the_selector(target, scope, id_):
    driven = play(flows.kill(CALLER, target), TREE, {"killed": 2})
    assert driven.steps[-1] == ("kill", {"scope": scope, "id": id_})
    validate("killed", driven.result)
    assert driven.result["killed"] == 2


@pytest.mark.parametrize("target", [3, "@3", ("pane", 3)])
def test_kill_by_id_needs_no_tree_request(target):
    assert play(flows.kill(CALLER, target), {"killed": 1}).steps == [("kill", {"scope": "pane", "id": 3})]


def test_kill_server_sends_one_request_and_returns_none():
    driven = play(flows.kill_server(), {})
    assert driven.steps == [("kill_server", {})]
    assert driven.result is None


class FakePhux:
    """A client of a server on which another session has the name of the handle's session."""

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


def test_a_session_handle_never_kills_another_session_with_the_same_name():
    phux = FakePhux()
    handle = phux_client.blocking.Session(phux, 2, "work", 1)  # the session that is now called "work" has the id 8
    with pytest.raises(errors.NoSuchTargetError):
        handle.kill()
    assert ("session", 8) not in phux.killed


# Events


def test_next_event_returns_the_event_unchanged():
    event = {"event": "bell", "terminal": "@3", "seq": 1}
    driven = play(flows.next_event(5, 2.5), event)
    assert driven.steps == [("next_event", 5)]
    assert driven.result is event


def test_next_event_raises_on_timeout_and_on_disconnection():
    assert isinstance(raised_by(flows.next_event(5, 2.5), None), errors.TimedOutError)
    assert isinstance(raised_by(flows.next_event(5, None), errors.DisconnectedError("gone")), errors.DisconnectedError)

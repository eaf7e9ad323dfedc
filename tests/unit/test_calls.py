"""The registry of calls: the server checks requests against it, and errors explain the problem."""

from __future__ import annotations

import pytest

from phux_core import calls, kinds
from phux_core.errors import BadRequestError

RUN_ID = calls.CALLS["run"].params["id"].kind
DIGEST = calls.CALLS["file_commit"].params["sha256"].kind
GOOD = {
    kinds.ID: [0, 1, 2**32 - 1],
    kinds.INTEGER: [-1, 0, 2**70],
    kinds.COUNT: [0, 2**53 - 1],
    RUN_ID: ["", "a", "x" * 64],
    DIGEST: ["0123456789abcdef" * 4],
    kinds.STRING: ["", "a", "ü", "a\nb", "\udcff"],
    kinds.BOOLEAN: [True, False],
    kinds.COMMAND: [["sh"], ["sh", ""], ["sh", "-c", "a b"]],
    kinds.ENVIRONMENT: [{}, {"A": ""}, {"A": "b=c", "ü": "x"}],
    kinds.SCOPE: ["session", "window", "pane"],
    kinds.MODE: ["rendered", "stripped", "raw"],
    kinds.SIGNAL: ["INT", "TERM", "HUP", "KILL", "QUIT", "TSTP", "CONT", "USR1", "USR2"],
    kinds.DIRECTION: ["right", "down"],
    kinds.SIDE: ["left", "right", "up", "down"],
    kinds.PATH: [[], ["first", "second", "second"]],
    kinds.POLICY: ["smallest", "largest", "latest", "manual"],
    kinds.MOMENT: [0, 1.5, 2**53 - 1],
    kinds.INPUT: [
        [{"key": "Enter"}],
        [{"text": ""}, {"line": "a"}, {"paste": "b\0"}],
    ],
}
BAD = {
    kinds.ID: [-1, 2**32, True, 1.0, "1", [], {}, [1]],
    kinds.INTEGER: [True, 1.0, 1.5, "1", [], {}],
    kinds.COUNT: [-1, 2**53, False, 0.0, "0", [], {}],
    RUN_ID: ["x" * 65, "ü", "a\0b", 1, []],
    DIGEST: ["", "a" * 63, "A" * 64, "../" + "a" * 61, 1, []],
    kinds.STRING: ["a\0b", 1, True, [], {}, ["a"], 1.5],
    kinds.BOOLEAN: [0, 1, "true", "", [], {}, 1.0],
    kinds.COMMAND: [[], [""], [1], ["sh", None], ["sh", "a\0"], ["\0"], "sh", {"sh": 1}, True, 1, [["sh"]]],
    kinds.ENVIRONMENT: [
        {"": "x"},
        {"A=B": "x"},
        {"A": 1},
        {"A": None},
        {"A\0": "x"},
        {"A": "\0"},
        [],
        ["A=b"],
        "A=b",
        1,
    ],
    kinds.SCOPE: ["", "Session", "server", 1, True, [], {}, ["pane"], 1.5],
    kinds.MODE: ["", "Raw", "ansi", 1, True, [], {}, ["raw"]],
    kinds.SIGNAL: ["", "SIGINT", "int", "STOP", "ALRM", 2, True, [], {}, ["INT"]],
    kinds.DIRECTION: ["", "left", "Right", 1, True, [], {}, ["right"]],
    kinds.SIDE: ["", "top", "Left", 0, False, [], {}, ["left"]],
    kinds.PATH: ["first", ["third"], [1], [None], [["first"]], {}, {"first": 1}, 1, True],
    kinds.POLICY: ["", "small", 1, True, [], {}, ["manual"]],
    kinds.MOMENT: [-1, -0.5, 2**53, float("inf"), float("nan"), True, "0", [], {}],
    kinds.INPUT: [
        *([], {}, "Enter", [1], ["Enter"], [{}], [{"key": 1}], [{"keys": "a"}], [{"key": "a", "text": "b"}]),
        *([{"key": "a"}, {"text": None}], [None], [{"text": ["a"]}], 5, True),
    ],
}


def good(kind):
    return GOOD[kind] if kind in GOOD else [kind.schema["minimum"], kind.schema["maximum"]]


def bad(kind):
    return BAD[kind] if kind in BAD else [*BAD[kinds.INTEGER], kind.schema["minimum"] - 1, kind.schema["maximum"] + 1]


EVERY_PARAM = [(call, param) for call in calls.CALLS.values() for param in call.params.values()]
every_call = pytest.mark.parametrize("call", calls.CALLS.values(), ids=calls.CALLS)


def good_params(call):
    return {param.name: good(param.kind)[0] for param in call.params.values() if param.required}


def test_the_tables_of_examples_cover_every_kind():
    assert set(GOOD) == set(BAD)
    unknown = {param.kind for _call, param in EVERY_PARAM} - set(GOOD)
    assert all(kind.schema["type"] == "integer" for kind in unknown)
    assert all(good(kind) for kind in unknown)


@every_call
def test_a_valid_parameter_is_returned_unchanged(call):
    for param in call.params.values():
        for value in good(param.kind):
            found, checked = calls.check(call.name, good_params(call) | {param.name: value})
            assert found is call
            assert checked[param.name] == value


@every_call
def test_an_invalid_parameter_is_refused_with_a_description_of_valid_values(call):
    for param in call.params.values():
        for value in bad(param.kind):
            with pytest.raises(BadRequestError) as caught:
                calls.check(call.name, good_params(call) | {param.name: value})
            assert f"`{param.name}`" in caught.value.message
            assert param.kind.words in caught.value.remedy
            assert param.doc in caught.value.remedy


@every_call
def test_a_missing_or_null_parameter_is_refused_only_if_it_is_required(call):
    for param in call.params.values():
        for params in ({}, {param.name: None}):
            given = {name: value for name, value in good_params(call).items() if name != param.name} | params
            if param.required:
                with pytest.raises(BadRequestError, match=f"`{param.name}`"):
                    calls.check(call.name, given)
            else:
                assert calls.check(call.name, given)[1][param.name] is None


@pytest.mark.parametrize("name", calls.CALLS)
def test_every_call_and_parameter_is_documented(name):
    call = calls.CALLS[name]
    assert call.name == name
    assert call.doc.endswith(".")
    assert call.result
    assert all(param.doc and param.name == name for name, param in call.params.items())


@pytest.mark.parametrize("name", calls.CALLS)
def test_checked_parameters_are_in_order_and_include_omitted_ones(name):
    call = calls.CALLS[name]
    checked = calls.check(name, good_params(call))[1]
    assert list(checked) == [param.name for param in call.params.values()]


@pytest.mark.parametrize("name", calls.CALLS)
def test_an_unknown_parameter_is_refused_by_name(name):
    with pytest.raises(BadRequestError, match="'colour'") as caught:
        calls.check(name, good_params(calls.CALLS[name]) | {"colour": 1})
    assert all(param in caught.value.remedy for param in calls.CALLS[name].params)


@pytest.mark.parametrize("name", ["", "Tree", "nope", "_pane", "handle", None, 1, True, [], {}, ["tree"], "x" * 9999])
def test_an_unknown_call_is_refused_with_the_list_of_calls(name):
    with pytest.raises(BadRequestError) as caught:
        calls.check(name, {})
    assert "new_session" in caught.value.remedy
    assert len(caught.value.message) < 200


@pytest.mark.parametrize("params", [[], "", 0, 1, True, "x", [1]])
def test_params_that_are_not_an_object_are_refused(params):
    with pytest.raises(BadRequestError, match="not an object"):
        calls.check("tree", params)


def test_params_may_be_omitted():
    assert calls.check("tree", None) == (calls.CALLS["tree"], {})


def test_the_error_message_for_a_huge_value_is_short():
    with pytest.raises(BadRequestError) as caught:
        calls.check("new_session", {"cwd": "\0" * 1_000_000})
    assert len(caught.value.message) < 300


def test_every_call_that_changes_something_can_be_repeated():
    keyed = {name for name, call in calls.CALLS.items() if call.keyed}
    assert keyed == {
        "file_commit",
        *("new_session", "new_window", "split", "input", "signal", "stop", "push_divider", "move_divider", "zoom"),
        *("move_pane", "move_window", "swap", "rename", "kill", "detach"),
    }
    # An attachment ends with its connection, and a server that has ended cannot be asked again.
    assert {name for name, call in calls.CALLS.items() if not (call.keyed or call.repeatable)} == {
        "attach",
        "kill_server",
    }


def test_only_idempotent_calls_are_repeatable():
    repeatable = {name for name, call in calls.CALLS.items() if call.repeatable}
    reading = {"status", "tree", "snapshot", "subscribe", "unsubscribe"}
    reading |= {"logs", "log_list", "output", "search", "commands", "past_screen", "timeline", "film"}
    reading |= {"file_info", "file_read"}
    watching = {"resize_attachment", "freeze", "frozen_rows", "thaw", "frame"}
    # The server recognizes a repeated run or start by its id; repeating the others has no further effect.
    assert repeatable == reading | watching | {
        "run",
        "start",
        "resize",
        "resize_window",
        "select",
        "layout",
        "history_limit",
        "cancel",
        "upgrade",
        "file_write",
    }

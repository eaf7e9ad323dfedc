"""Bad frames affect only their sender, which gets an error or is disconnected; the server serves all other clients."""

from __future__ import annotations

import itertools
import json
import os
import random
import signal
import socket as plain_socket
from pathlib import Path

import pytest

from faults import service_pids
from phux_core.calls import CALLS
from rawwire import HELLO, RawClient, frame
from servers import embedded_server, eventually
from validation import validate

ECHO = ["sh", "-c", 'stty -echo; echo ready; while read -r line; do echo "<$line>"; done']
STATUS = {"id": 1, "call": "status", "params": {}}


class GoodClient:
    """A well-behaved client on the same server, with a session."""

    def __init__(self, path):
        self.path = path
        self.client = RawClient(path)
        self.pane = self.client.get("new_session", name="good", cwd="/", command=ECHO)["pane_id"]
        self.client.see(self.pane, "ready")
        self.status = self.client.get("status")
        self.pid = self._pid()
        self._words = itertools.count()

    def _pid(self):
        (session,) = [one for one in self.client.get("tree")["sessions"] if one["name"] == "good"]
        return session["windows"][0]["panes"][0]["pid"]

    def assert_unharmed(self):
        word = f"word-{next(self._words)}"
        self.client.get("input", pane=self.pane, items=[{"text": f"{word}\n"}])
        self.client.see(self.pane, f"<{word}>")
        assert self._pid() == self.pid
        status = self.client.get("status")
        for name in ("keeper_pid", "service_pid", "service_restarts"):
            assert status[name] == self.status[name]
        with RawClient(self.path) as another:
            assert another.get("status")["service_restarts"] == 0


@pytest.fixture(scope="module")
def good():
    with embedded_server() as server:
        good = GoodClient(server.socket)
        with good.client:
            yield good


@pytest.fixture(autouse=True)
def other_clients_are_unharmed(good):
    yield
    good.assert_unharmed()


def error_before_close(client, code="protocol"):
    """Return the message of the error that the server sent before it closed the connection."""
    *before, last = client.everything()
    assert all("hello" in header for header in before), before
    assert set(last) == {"error"}
    assert last["error"]["code"] == code
    assert last["error"]["message"]
    assert last["error"]["remedy"]
    return last["error"]["message"]


# Bytes that are not the protocol


@pytest.mark.parametrize("seed", range(8))
def test_random_bytes_end_the_connection(good, seed):
    with RawClient(good.path, greet=False) as client:
        client.send_bytes(b"\xff" + random.Random(seed).randbytes(4096))
        error_before_close(client)


@pytest.mark.parametrize(
    "request_text",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b'{"jsonrpc": "2.0", "id": 1, "method": "initialize"}\n',
        b"SSH-2.0-OpenSSH_9.6\r\n",
    ],
)
def test_clients_of_other_protocols_get_an_error(good, request_text):
    with RawClient(good.path, greet=False) as client:
        client.send_bytes(request_text)
        assert "exceeds the limits" in error_before_close(client)


@pytest.mark.parametrize("sizes", [(2**32 - 1, 0), (0, 2**32 - 1), (4 * 2**20 + 1, 0), (2, 4 * 2**20 + 1)])
@pytest.mark.parametrize("greet", [True, False])
def test_lengths_beyond_the_bound_are_refused_before_anything_is_read(good, sizes, greet):
    with RawClient(good.path, greet=greet) as client:
        client.send_bytes(sizes[0].to_bytes(4, "big") + sizes[1].to_bytes(4, "big"))
        message = error_before_close(client)
        assert str(max(sizes)) in message
        assert str(4 * 2**20) in message


def test_the_largest_frame_is_accepted(good):
    with RawClient(good.path) as client:
        body = json.dumps(STATUS).encode()
        client.send_bytes(frame(body + b" " * (4 * 2**20 - len(body)), bytes(4 * 2**20)))
        assert "ok" in client.receive()


@pytest.mark.parametrize("kept", [1, 4, 7, 8, 9, 20])
@pytest.mark.parametrize("greet", [True, False])
def test_an_incomplete_frame_is_dropped_when_the_client_disconnects(good, kept, greet):
    clients = good.client.get("status")["clients"]
    with RawClient(good.path, greet=greet) as client:
        client.send_bytes(frame(STATUS if greet else HELLO)[:kept])
    eventually(lambda: good.client.get("status")["clients"] <= clients)


def test_an_incomplete_frame_before_a_half_close_ends_the_connection_silently(good):
    with RawClient(good.path) as client:
        client.send_bytes(frame(STATUS)[:-1])
        client.sock.shutdown(plain_socket.SHUT_WR)
        assert client.everything() == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"{'id': 1}",
        b'{"id": 1}{"id": 2}',
        b"null",
        b"[]",
        b'"status"',
        b"7",
        b"\xff\xfe{}",
        b'{"id": 1, "call": "\xc3\x28"}',
        json.dumps(STATUS).encode("utf-16"),
        b'{"id":1,"call":"status","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b"[" * 1_000_000,
        b'{"id": NaN, "call": "status"}',
        b'{"id": Infinity, "call": "status"}',
        b'{"id": 1e400, "call": "status"}',
        b'{"id": ' + b"9" * 5000 + b', "call": "status"}',
    ],
    ids=lambda body: repr(body[:24]),
)
@pytest.mark.parametrize("greet", [True, False])
def test_a_header_that_is_not_a_json_object_ends_the_connection(good, body, greet):
    with RawClient(good.path, greet=greet) as client:
        client.send_bytes(frame(body))
        error_before_close(client)


@pytest.mark.parametrize("word", [b"NaN", b"Infinity", b"-Infinity"])
def test_nan_and_infinity_are_not_json(good, word):
    with RawClient(good.path) as client:
        client.send_bytes(frame(b'{"id": 1, "call": "status", "note": ' + word + b"}"))
        received = client.receive()
        assert "error" in received, received
        assert "JSON" in received["error"]["message"]


@pytest.mark.parametrize("depth", [100, 400, 900, 990])
def test_a_deeply_nested_parameter_is_rejected(good, depth):
    with RawClient(good.path) as client:
        nested = b"[" * depth + b"]" * depth
        client.send_bytes(frame(b'{"id": 5, "call": "snapshot", "params": {"pane": ' + nested + b"}}"))
        received = client.receive()
        assert received["error"]["code"] in {"bad_request", "protocol"}, received


# The handshake


def test_no_call_is_executed_before_the_handshake(good):
    for call in CALLS:
        with RawClient(good.path, greet=False) as client:
            client.send({"id": 1, "call": call, "params": GOOD_PARAMS.get(call, {})})
            assert "hello" in error_before_close(client)


def test_a_request_sent_with_a_rejected_hello_is_not_executed(good):
    with RawClient(good.path, greet=False) as client:
        kill = {"id": 1, "call": "kill", "params": {"scope": "pane", "id": good.pane}}
        client.send_bytes(frame({"hello": {"protocol": [2, 0]}}) + frame(kill))
        error_before_close(client, "version")


@pytest.mark.parametrize("version", [[0, 9], [2, 0], [-1, 0], [10**30, 0]])
def test_a_version_mismatch_reports_both_versions(good, version):
    with RawClient(good.path, greet=False) as client:
        client.send({"hello": {"protocol": version}})
        message = error_before_close(client, "version")
        assert f"{version[0]}.{version[1]}" in message
        assert "1.0" in message


@pytest.mark.parametrize(
    "hello",
    [
        None,
        True,
        "hi",
        [],
        {},
        {"protocol": None},
        {"protocol": 1},
        {"protocol": "1.0"},
        {"protocol": []},
        {"protocol": [1]},
        {"protocol": [1, 0, 0]},
        {"protocol": [True, False]},
        {"protocol": [1.0, 0]},
        {"protocol": ["1", "0"]},
        {"protocol": {"major": 1, "minor": 0}},
    ],
)
def test_a_hello_of_the_wrong_form_ends_the_connection(good, hello):
    with RawClient(good.path, greet=False) as client:
        client.send({"hello": hello})
        error_before_close(client)


def test_a_second_hello_ends_the_connection(good):
    with RawClient(good.path) as client:
        client.send(HELLO)
        error_before_close(client)


def test_requests_after_a_broken_frame_are_not_executed(good):
    with RawClient(good.path) as client:
        kill = {"id": 1, "call": "kill", "params": {"scope": "pane", "id": good.pane}}
        client.send_bytes(frame(b"nonsense") + frame(kill))
        error_before_close(client)


# Requests


@pytest.mark.parametrize("number", [None, -1, 2**53, 2**64, 10**300, True, False, "1", 1.0, 1.5, [1], {"id": 1}])
def test_an_id_that_is_not_a_number_within_bounds_ends_the_connection(good, number):
    with RawClient(good.path) as client:
        client.send({"id": number, "call": "status", "params": {}})
        assert "id" in error_before_close(client)


def test_a_request_without_an_id_ends_the_connection(good):
    with RawClient(good.path) as client:
        client.send({"call": "status"})
        error_before_close(client)


def refused(client, call, params, codes=frozenset({"bad_request"})):
    """Return the error of a request, and check that the connection continues."""
    client.send({"id": 77, "call": call, "params": params})
    reply = client.receive()
    assert reply is not None, "the connection was closed"
    assert reply.get("id") == 77, reply
    assert "error" in reply, reply
    error = reply["error"]
    validate(
        "error",
        {
            "schema_version": 1,
            "error": {k: error[k] for k in ("code", "message")},
            "remedy": error["remedy"],
            "exit_code": 1,
        },
    )
    assert error["code"] in codes, error
    assert error["message"]
    client.send(STATUS)
    assert "ok" in client.receive()
    return error


@pytest.mark.parametrize(
    "call",
    [None, "", "Status", "status ", "__init__", "_status", "handle", "kill_server()", 1, True, [], {}, "x" * 10**6],
)
def test_an_unknown_call_is_rejected_with_a_list_of_calls(good, call):
    with RawClient(good.path) as client:
        error = refused(client, call, {})
        assert "snapshot" in error["remedy"]
        assert len(error["message"]) < 1000


GOOD_PARAMS = {
    "new_session": {"cwd": "/", "command": ["sleep", "1000"]},
    "snapshot": {"pane": 1},
    "input": {"pane": 1, "items": [{"text": ""}]},
    "run": {"pane": 1, "id": "x", "command": "true", "timeout_ms": 0},
    "start": {"pane": 1, "id": "x", "command": "true"},
    "signal": {"pane": 4_000_000_000},
    "stop": {"pane": 4_000_000_000},
    "history_limit": {"pane": 1, "rows": 10_000},
    "logs": {"pane": 1},
    "film": {"pane": 1, "seq": 0, "at": 0, "to_seq": 0, "to_at": 0},
    "output": {"pane": 1},
    "search": {"pattern": "x"},
    "file_info": {"path": "/none"},
    "file_read": {"path": "/none", "offset": 0, "version": "0"},
    "file_write": {"path": "/none", "sha256": "0" * 64, "offset": 0, "data": ""},
    "file_commit": {"path": "/none", "sha256": "0" * 64, "mode": 0o600},
    "upgrade": {"python": "/none", "version": "0", "service_pid": 1},
    "resize": {"pane": 1, "cols": 80, "rows": 24},
    "new_window": {"session": 4_000_000_000, "command": ["sleep", "1000"]},
    "split": {"pane": 4_000_000_000, "direction": "right", "command": ["sleep", "1000"]},
    "select": {"scope": "pane", "id": 4_000_000_000},
    "push_divider": {"pane": 4_000_000_000, "side": "left", "by": 1},
    "resize_window": {"window": 4_000_000_000},
    "move_divider": {"window": 4_000_000_000, "path": [], "by": 1},
    "zoom": {"pane": 4_000_000_000},
    "layout": {"window": 4_000_000_000, "name": "tiled"},
    "move_pane": {"pane": 4_000_000_000, "session": 1},
    "move_window": {"window": 4_000_000_000, "session": 1},
    "swap": {"scope": "pane", "id": 4_000_000_000, "other": 1},
    "rename": {"scope": "session", "id": 4_000_000_000, "name": "x"},
    "kill": {"scope": "pane", "id": 4_000_000_000},
    "unsubscribe": {"subscription": 4_000_000_000},
    "attach": {"session": 4_000_000_000, "cols": 80, "rows": 24},
    "resize_attachment": {"attachment": 4_000_000_000, "cols": 80, "rows": 24},
    "detach": {"attachment": 4_000_000_000},
    "freeze": {"attachment": 4_000_000_000, "pane": 1},
    "frozen_rows": {"attachment": 4_000_000_000, "first": 0, "count": 1},
    "thaw": {"attachment": 4_000_000_000},
    "cancel": {"request": 4_000_000_000},
}


# tests/unit/test_calls.py tests every kind of parameter with every value that the kind refuses.
@pytest.mark.parametrize("call", sorted(set(CALLS) - {"kill_server"}))
def test_wrong_parameters_are_refused_by_name_and_the_connection_continues(good, call):
    complete = GOOD_PARAMS.get(call, {})
    with RawClient(good.path) as client:
        for params in ([], "pane", 7, True, [["pane", 1]]):
            refused(client, call, params)
        assert "color" in refused(client, call, {**complete, "color": "red"})["message"]
        for param in CALLS[call].params.values():
            values = [value for value in (1.5, {"": 2**80}, ["\0"]) if not param.kind.fits(value)]
            wrong = [{**complete, param.name: value} for value in values]
            if param.required:
                wrong.append({name: value for name, value in complete.items() if name != param.name})
                wrong.append({**complete, param.name: None})
            for params in wrong:
                error = refused(client, call, params)
                assert f"`{param.name}`" in error["message"]
                assert error["remedy"]
                assert len(error["message"]) < 1000


def test_kill_server_with_a_wrong_parameter_kills_nothing(good):
    with RawClient(good.path) as client:
        refused(client, "kill_server", {"force": True})
        refused(client, "kill_server", [])


@pytest.mark.parametrize(
    ("call", "params", "code"),
    [
        ("new_session", {"cwd": "/", "cols": 0}, "bad_size"),
        ("new_session", {"cwd": "/", "rows": -1}, "bad_size"),
        ("new_session", {"cwd": "/", "cols": 100_000}, "bad_size"),
        ("new_session", {"cwd": "/", "rows": 1001}, "bad_size"),
        ("new_session", {"cwd": "/", "cols": 10**300}, "bad_size"),
        ("new_session", {"cwd": ""}, "bad_cwd"),
        ("new_session", {"cwd": "tmp"}, "bad_cwd"),
        ("new_session", {"cwd": "/no/such/place"}, "bad_cwd"),
        ("new_session", {"cwd": "/etc/passwd"}, "bad_cwd"),
        ("new_session", {"cwd": "/" + "x/" * 3000}, "bad_cwd"),
        ("new_session", {"cwd": "/\ud800"}, "bad_request"),
        ("new_session", {"cwd": "/", "name": ""}, "bad_name"),
        ("new_session", {"cwd": "/", "name": "a:b"}, "bad_name"),
        ("new_session", {"cwd": "/", "name": "x" * 65}, "bad_name"),
        ("new_session", {"cwd": "/", "name": "\ud800"}, "bad_request"),
        ("new_session", {"cwd": "/", "name": "\u202e"}, "bad_name"),
        ("new_session", {"cwd": "/", "name": "good"}, "name_in_use"),
        ("new_session", {"cwd": "/", "command": ["no-such-program"]}, "cannot_execute"),
        ("new_session", {"cwd": "/", "command": ["/etc/passwd"]}, "cannot_execute"),
        ("new_session", {"cwd": "/", "command": ["/"]}, "cannot_execute"),
        ("new_session", {"cwd": "/", "command": ["x" * 10_000]}, "cannot_execute"),
        ("new_session", {"cwd": "/", "command": ["true", "x" * 3_000_000]}, "cannot_execute"),
        ("new_session", {"cwd": "/", "command": ["true"], "env": {"A": "x" * 3_000_000}}, "cannot_execute"),
        ("new_session", {"cwd": "/", "env": {"SHELL": "/no/such/shell"}}, "cannot_execute"),
        ("new_session", {"cwd": "/", "window_name": "a:b"}, "bad_name"),
        ("new_window", {"session": 0}, "no_such_target"),
        ("new_window", {"session": 1, "index": 0}, "refused"),
        ("new_window", {"session": 1, "name": "\u202e"}, "bad_name"),
        ("new_window", {"session": 1, "cwd": "tmp"}, "bad_cwd"),
        ("new_window", {"session": 1, "command": ["no-such-program"]}, "cannot_execute"),
        ("split", {"pane": 0, "direction": "down"}, "no_such_target"),
        ("split", {"pane": 1, "direction": "down", "cells": 10**300}, "bad_size"),
        ("split", {"pane": 1, "direction": "down", "cells": -(10**300)}, "bad_size"),
        ("split", {"pane": 1, "direction": "right", "percent": 10**300}, "bad_size"),
        ("split", {"pane": 1, "direction": "right", "command": ["no-such-program"]}, "cannot_execute"),
        ("select", {"scope": "session", "id": 0}, "no_such_target"),
        ("select", {"scope": "window", "id": 0}, "no_such_target"),
        ("select", {"scope": "pane", "id": 0}, "no_such_target"),
        ("resize", {"pane": 1, "cols": 10**300}, "bad_size"),
        ("push_divider", {"pane": 1, "side": "up", "by": 2**53 - 1}, "bad_size"),
        ("resize_window", {"window": 1, "rows": -1}, "bad_size"),
        ("move_divider", {"window": 1, "path": [], "by": 10**300}, "no_such_target"),
        ("move_divider", {"window": 1, "path": ["first"] * 100_000, "by": 1}, "no_such_target"),
        ("zoom", {"pane": 0}, "no_such_target"),
        ("layout", {"window": 1, "name": "spiral"}, "bad_request"),
        ("move_pane", {"pane": 1}, "bad_request"),
        ("move_pane", {"pane": 1, "target": 1}, "bad_request"),
        ("move_pane", {"pane": 1, "target": 1, "direction": "right"}, "refused"),
        ("move_pane", {"pane": 1, "session": 1, "target": 1, "direction": "right"}, "bad_request"),
        ("move_pane", {"pane": 1, "session": 1}, "refused"),
        ("move_window", {"window": 1, "session": 1, "index": 0}, "refused"),
        ("swap", {"scope": "session", "id": 1, "other": 1}, "bad_request"),
        ("swap", {"scope": "window", "id": 1, "other": 1}, "bad_request"),
        ("swap", {"scope": "pane", "id": 1, "other": 0}, "no_such_target"),
        ("snapshot", {"pane": 0}, "no_such_target"),
        ("snapshot", {"pane": 2**32 - 1}, "no_such_target"),
        ("input", {"pane": 2**32 - 1, "items": [{"text": "x"}]}, "no_such_target"),
        ("input", {"pane": 1, "items": [{"text": "x" * 5000}]}, "input_too_long"),
        ("input", {"pane": 1, "items": [{"text": "line\n" * 300_000}]}, "input_too_long"),
        ("kill", {"scope": "pane", "id": 2**32 - 1}, "no_such_target"),
        ("kill", {"scope": "window", "id": 0}, "no_such_target"),
        ("kill", {"scope": "session", "id": 2**32 - 1}, "no_such_target"),
        ("subscribe", {"pane": 2**32 - 1}, "no_such_target"),
        ("new_session", {"cwd": "/", "command": ["true"], "login": True}, "bad_request"),
        ("new_session", {"cwd": "/", "shell": "/no/such/shell"}, "cannot_execute"),
        ("start", {"pane": 2**32 - 1, "id": "x", "command": "true"}, "no_such_target"),
        ("start", {"pane": 1, "id": "x" * 65, "command": "true"}, "bad_request"),
        ("start", {"pane": 1, "id": "x", "command": "  "}, "bad_request"),
        ("signal", {"pane": 2**32 - 1}, "no_such_target"),
        ("stop", {"pane": 1, "grace_ms": 60_001}, "bad_request"),
        ("history_limit", {"pane": 1, "rows": 1_000_001}, "bad_request"),
        ("logs", {}, "bad_request"),
        ("logs", {"pane": 1, "log": "x/1"}, "bad_request"),
        ("logs", {"pane": 1, "from_byte": 2**53 - 1}, "bad_request"),
        ("logs", {"pane": 1, "from_byte": 0, "lines": 1}, "bad_request"),
        ("logs", {"pane": 1, "max_bytes": 2**40}, "bad_request"),
        ("logs", {"pane": 1, "grep": "("}, "bad_request"),
        ("logs", {"pane": 2**32 - 1}, "no_such_target"),
        ("logs", {"log": "../../../etc/passwd"}, "no_such_target"),
        ("logs", {"log": "20200101T000000Z-1-abcd/1"}, "no_such_target"),
        ("output", {}, "bad_request"),
        ("output", {"id": "one"}, "bad_request"),
        ("output", {"id": "1.999999"}, "no_such_target"),
        ("output", {"pane": 2**32 - 1}, "no_such_target"),
        ("commands", {"id": "999999999.1"}, "no_such_target"),
        ("commands", {"pane": 1, "id": "1.1"}, "bad_request"),
        ("search", {"pattern": "["}, "bad_request"),
        ("search", {"pattern": "x", "session": 2**32 - 1}, "no_such_target"),
        ("search", {"pattern": "x", "context": 1001}, "bad_request"),
        ("search", {"pattern": "x", "max_matches": 100_001}, "bad_request"),
    ],
    ids=lambda value: f"{value!r:.60}" if isinstance(value, dict) else value,
)
def test_values_out_of_range_are_rejected_and_create_nothing(good, call, params, code):
    assert good.pane == 1
    before = [session["name"] for session in good.client.get("tree")["sessions"]]
    with RawClient(good.path) as client:
        refused(client, call, params, {code})
    assert [session["name"] for session in good.client.get("tree")["sessions"]] == before


@pytest.mark.parametrize("rows", [2**53 - 1, 10_001, 1])
def test_any_count_of_history_rows_is_accepted(good, rows):
    with RawClient(good.path) as client:
        assert client.get("snapshot", pane=good.pane, scrollback=rows)["pane"] == good.pane


@pytest.mark.parametrize("kind", ["text", "key", "line", "paste"])
def test_text_that_cannot_be_typed_is_rejected(good, kind):
    # Half of a surrogate pair: JSON can represent it, UTF-8 cannot.
    with RawClient(good.path) as client:
        client.send({"id": 1, "call": "input", "params": {"pane": good.pane, "items": [{kind: "\ud800"}]}})
        reply = client.receive()
        if kind in {"line", "paste"} and "ok" in reply:  # a paste may replace characters that cannot be encoded
            client.send({"id": 2, "call": "input", "params": {"pane": good.pane, "items": [{"text": "\n"}]}})
            client.receive()
        else:
            assert reply["error"]["code"] == "bad_request", reply


@pytest.mark.parametrize(
    "params",
    [
        {"env": {"A": "\ud800"}},
        {"env": {"\ud800": "1"}},
        {"extra_env": {"A": "\ud800"}},
        {"command": ["true", "\ud800"]},
    ],
    ids=repr,
)
def test_arguments_that_cannot_be_encoded_are_rejected_and_leave_no_second_keeper(params):
    # With fork, only the child process would notice that execve refuses these arguments.
    with embedded_server() as server, RawClient(server.socket) as client:
        client.get("new_session", name="stays", cwd="/", command=["sleep", "1000"])
        status = client.get("status")
        keeper, service = status["keeper_pid"], status["service_pid"]
        try:
            client.send({"id": 9, "call": "new_session", "params": {"cwd": "/", **params}})
            reply = client.receive()
            assert "error" in reply, reply
            assert reply["error"]["code"] in {"bad_request", "cannot_execute"}
            assert service_pids(keeper) == [service]
            assert os.path.exists(server.socket)
            assert [session["name"] for session in client.get("tree")["sessions"]] == ["stays"]
        finally:
            for pid in service_pids(keeper):
                if pid != service:
                    os.kill(pid, signal.SIGKILL)
            eventually(lambda: service_pids(keeper) == [service])


# Random frames


BASE = [
    HELLO,
    {"id": 1, "call": "status", "params": {}},
    {"id": 2, "call": "tree"},
    {"id": 3, "call": "snapshot", "params": {"pane": 1, "scrollback": 10, "cells": True}},
    {"id": 4, "call": "input", "params": {"pane": 999_999_999, "items": [{"text": "x"}, {"key": "Enter"}]}},
    {"id": 5, "call": "kill", "params": {"scope": "session", "id": 999_999_999}},
    {"id": 6, "call": "subscribe", "params": {"pane": 1}},
    {"id": 7, "call": "unsubscribe", "params": {"subscription": 999_999_999}},
    {"id": 8, "call": "new_session", "params": {"cwd": "/no-such-directory-at-all", "env": {"A": "1"}, "cols": 90}},
]
TOKENS = [
    b"null",
    b"true",
    b"-1",
    b"1e99",
    b"[]",
    b"{}",
    b'""',
    b'"\\ud800"',
    b"[[[[",
    b"\0",
    b"\xff",
    b'"',
    b",",
    b"NaN",
    b"99999999999999999999",
]


def mutate(chance):
    """Return mutated frames; most keep a valid handshake, so that the code after it is reached."""
    stream = b""
    for number, header in enumerate([BASE[0], *chance.sample(BASE[1:], 4)]):
        body = bytearray(json.dumps(header).encode())
        declared = len(body)
        if number or chance.random() < 0.2:
            for _ in range(chance.randrange(4)):
                at = chance.randrange(len(body))
                kind = chance.randrange(4)
                if kind == 0:
                    body[at] ^= 1 << chance.randrange(8)
                elif kind == 1:
                    body[at : at + chance.randrange(1, 4)] = b""
                elif kind == 2:
                    body[at:at] = chance.choice(TOKENS)
                else:
                    body[at : at + 1] = chance.choice(TOKENS)
            if chance.random() < 0.9:
                declared = len(body)
        payload = chance.randbytes(chance.choice([0, 0, 0, 5]))
        stream += declared.to_bytes(4, "big") + len(payload).to_bytes(4, "big") + body + payload
    if chance.random() < 0.2:
        stream = stream[: chance.randrange(len(stream))]
    return stream


def test_four_hundred_mutated_streams_affect_no_other_client(good):
    log = Path(f"{good.path}.log")
    already = len(log.read_text())
    outcomes = {"answered": 0, "refused": 0, "cut off": 0}
    for seed in range(400):
        with RawClient(good.path, greet=False) as client:
            client.send_bytes(mutate(random.Random(seed)))
            client.sock.shutdown(plain_socket.SHUT_WR)
            for received in client.everything():
                error = received.get("error", {})
                assert error.get("code") != "internal", f"seed {seed}: {received}"
                if "id" in received:
                    outcomes["refused" if error else "answered"] += 1
                elif error:
                    outcomes["cut off"] += 1
        if seed % 50 == 0:
            good.assert_unharmed()
    assert all(count > 20 for count in outcomes.values()), outcomes
    assert "Traceback" not in log.read_text()[already:]

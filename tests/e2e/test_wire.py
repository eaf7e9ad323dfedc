"""The wire protocol as in docs/wire.md, with only ``socket``, integers and ``json``."""

from __future__ import annotations

import json
import os
import socket as plain_socket
import sys

import pytest

from servers import embedded_server, eventually, process_gone
from validation import validate

ECHO = ["sh", "-c", 'stty -echo; echo ready; while read -r line; do echo "<$line>"; done']


class Speaker:
    """A minimal client, written from docs/wire.md alone."""

    def __init__(self, path, protocol=(1, 0)):
        self.sock = plain_socket.socket(plain_socket.AF_UNIX, plain_socket.SOCK_STREAM)
        self.sock.settimeout(10)
        self.sock.connect(path)
        self.events = []
        self.last_id = 0
        self.send({"hello": {"protocol": list(protocol), "client": "speaker"}})
        self.hello = self.receive()["hello"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def send(self, header, payload=b""):
        body = json.dumps(header).encode()
        self.sock.sendall(len(body).to_bytes(4, "big") + len(payload).to_bytes(4, "big") + body + payload)

    def take(self, size):
        data = b""
        while len(data) < size:
            piece = self.sock.recv(size - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def receive(self):
        header_size = int.from_bytes(self.take(4), "big")
        payload_size = int.from_bytes(self.take(4), "big")
        header = json.loads(self.take(header_size))
        self.take(payload_size)
        return header

    def ask(self, call, **params):
        self.last_id += 1
        self.send({"id": self.last_id, "call": call, "params": params})
        while True:
            frame = self.receive()
            if "event" in frame:
                self.events.append(frame)
            else:
                assert frame["id"] == self.last_id
                return frame

    def get(self, call, **params):
        frame = self.ask(call, **params)
        assert "ok" in frame, frame
        return frame["ok"]

    def next_event(self, name):
        while True:
            frame = self.events.pop(0) if self.events else self.receive()
            validate("event", frame["event"])
            if frame["event"]["event"] == name:
                return frame

    def see(self, pane, text):
        subscription = self.get("subscribe", pane=pane)["subscription"]
        while True:
            screen = self.get("snapshot", pane=pane)
            if text in screen["lines"]:
                self.get("unsubscribe", subscription=subscription)
                return screen
            if not self.events:
                self.events.append(self.receive())
            self.events.clear()

    def new(self, command, **params):
        made = self.get("new_session", cwd="/", command=command, **params)
        assert set(made) >= {"session", "session_id", "window_id", "pane_id", "window", "pane", "cols", "rows"}
        return made


@pytest.fixture(scope="module")
def path():
    with embedded_server() as server:
        with Speaker(server.socket) as first:
            first.new(["sleep", "1000"], name="stays")  # the server ends with its last session
        yield server.socket


@pytest.fixture
def speaker(path):
    with Speaker(path) as speaker:
        yield speaker


@pytest.fixture
def echo(speaker):
    pane = speaker.new(ECHO)["pane_id"]
    speaker.see(pane, "ready")
    yield pane
    speaker.ask("kill", scope="pane", id=pane)


def test_a_hello_is_answered_with_protocol_name_and_capabilities(speaker):
    assert speaker.hello["protocol"] == [1, 0]
    assert speaker.hello["server"].startswith("phux/")
    assert "events" in speaker.hello["capabilities"]


def test_another_minor_version_is_served(path):
    with Speaker(path, protocol=(1, 7)) as speaker:
        assert speaker.get("status")["protocol"] == "1.0"


def test_status_and_tree_are_the_documents_of_their_schemas(speaker):
    status = speaker.get("status")
    validate("status", status)
    assert status["keeper_pid"] != status["service_pid"]
    tree = speaker.get("tree")
    validate("tree", tree)
    assert "stays" in [session["name"] for session in tree["sessions"]]


def test_a_new_session_is_in_the_tree_with_the_ids_of_the_reply(speaker):
    made = speaker.new(["sleep", "1000"], name="made", cols=100, rows=30)
    session = next(session for session in speaker.get("tree")["sessions"] if session["name"] == "made")
    (window,) = session["windows"]
    (pane,) = window["panes"]
    assert (session["id"], window["id"], pane["id"]) == (made["session_id"], made["window_id"], made["pane_id"])
    assert (pane["cols"], pane["rows"], pane["state"], pane["command"]) == (100, 30, "running", "sleep")
    assert os.readlink(f"/proc/{pane['pid']}/cwd") == "/"
    assert speaker.get("kill", scope="session", id=made["session_id"]) == {"killed": 1}


def test_names_may_be_sent_as_utf8_or_as_escapes(speaker):
    body = '{"id": 90, "call": "new_session", "params": {"name": "бюро", "cwd": "/", "command": ["sleep", "9"]}}'
    for spelled in (body.encode(), json.dumps(json.loads(body) | {"id": 91}).encode()):
        speaker.sock.sendall(len(spelled).to_bytes(4, "big") + bytes(4) + spelled)
    first, second = speaker.receive(), speaker.receive()
    replies = {first["id"]: first, second["id"]: second}
    assert replies[90]["ok"]["session"] == "бюро"
    assert replies[91]["error"]["code"] == "name_in_use"
    speaker.get("kill", scope="session", id=replies[90]["ok"]["session_id"])


def test_a_snapshot_contains_rows_cursor_and_sequence_number(speaker):
    command = ["sh", "-c", "seq 1 40; printf '\\033[1;31mred\\033[0m'; sleep 1000"]
    pane = speaker.new(command, cols=40, rows=10)["pane_id"]
    speaker.see(pane, "red")
    screen = speaker.get("snapshot", pane=pane, scrollback=5, cells=True)
    assert screen["lines"] == [*map(str, range(32, 41)), "red"]
    assert screen["scrollback"] == [str(number) for number in range(27, 32)]
    assert screen["cursor"] == {"x": 3, "y": 9, "visible": True}
    assert screen["soft_wrap"] == {"lines": [], "scrollback": []}
    ((row, col, count, width, style, semantic),) = screen["cells"]["runs"]
    assert (row, col, count, width, semantic) == (9, 0, 3, 1, None)
    assert screen["cells"]["styles"][style]["bold"] is True
    assert screen["seq"] == len("".join(f"{number}\r\n" for number in range(1, 41))) + len("\033[1;31mred\033[0m")
    assert len(speaker.get("snapshot", pane=pane, scrollback=0)["scrollback"]) == 31
    assert "cells" not in speaker.get("snapshot", pane=pane)
    speaker.get("kill", scope="pane", id=pane)


def test_input_accepts_keys_text_lines_and_pastes_in_order(speaker, echo):
    items = [{"text": "a"}, {"key": "Space"}, {"paste": "b"}, {"line": " c"}, {"key": "Enter"}]
    assert speaker.get("input", pane=echo, items=items) == {"bytes": 6}
    assert "<a b c>" in speaker.see(echo, "<a b c>")["lines"]


def test_events_are_pushed_with_subscription_pane_and_sequence_number(speaker):
    script = (
        "import sys, time\n"
        "sys.stdin.readline()\n"
        "print('\\033]2;a title\\007\\007', flush=True)\n"
        "sys.stdin.readline()\n"
        "sys.exit(3)"
    )
    pane = speaker.new([sys.executable, "-c", script])["pane_id"]
    subscription = speaker.get("subscribe", pane=pane)["subscription"]
    speaker.get("input", pane=pane, items=[{"key": "Enter"}])
    title = speaker.next_event("title_changed")
    assert title["subscription"] == subscription
    assert title["event"]["terminal"] == f"@{pane}"
    assert title["event"]["title"] == "a title"
    assert title["event"]["seq"] > 0
    speaker.get("input", pane=pane, items=[{"key": "Enter"}])
    closed = speaker.next_event("pane_closed")
    assert closed["event"]["exit_status"] == 3
    assert closed["event"]["seq"] >= title["event"]["seq"]
    screen = speaker.get("snapshot", pane=pane)
    assert (screen["state"], screen["exit_status"]) == ("dead", 3)


def test_bells_output_and_idleness_are_events(speaker, echo):
    speaker.get("subscribe", pane=echo)
    speaker.get("input", pane=echo, items=[{"text": "x\n"}])
    rest = speaker.next_event("idle")["event"]
    # The pane is idle, so that the next output is the first of a burst.
    speaker.get("input", pane=echo, items=[{"text": "y\n"}])
    dirty = speaker.next_event("dirty")["event"]
    assert dirty["terminal"] == f"@{echo}"
    assert dirty["seq"] > rest["seq"]
    assert speaker.next_event("idle")["event"]["seq"] >= dirty["seq"]
    bell = speaker.new(["sh", "-c", "read x; printf '\\a'; sleep 1000"])["pane_id"]
    speaker.get("subscribe", pane=bell)
    speaker.get("input", pane=bell, items=[{"key": "Enter"}])
    assert speaker.next_event("bell")["event"]["terminal"] == f"@{bell}"


def test_a_subscription_to_everything_reports_new_and_closed_panes(speaker):
    everything = speaker.get("subscribe")["subscription"]
    pane = speaker.new(["sleep", "1000"])["pane_id"]
    spawned = speaker.next_event("pane_spawned")
    assert spawned["subscription"] == everything
    assert spawned["event"]["terminal"] == f"@{pane}"
    speaker.get("kill", scope="pane", id=pane)
    closed = speaker.next_event("pane_closed")
    assert closed["event"]["terminal"] == f"@{pane}"
    assert closed["event"]["exit_status"] is None
    assert closed["event"]["signal"] == "SIGHUP"


def test_no_event_arrives_after_unsubscribing(speaker, echo):
    subscription = speaker.get("subscribe", pane=echo)["subscription"]
    speaker.get("unsubscribe", subscription=subscription)
    speaker.events.clear()
    speaker.get("input", pane=echo, items=[{"text": "quiet\n"}])
    eventually(lambda: "<quiet>" in speaker.get("snapshot", pane=echo)["lines"])
    assert speaker.events == []


def test_one_client_cannot_end_the_subscription_of_another(path, speaker, echo):
    subscription = speaker.get("subscribe", pane=echo)["subscription"]
    with Speaker(path) as other:
        other.ask("unsubscribe", subscription=subscription)
    speaker.get("input", pane=echo, items=[{"text": "still\n"}])
    assert speaker.next_event("idle")["subscription"] == subscription


def test_all_kinds_of_requests_run_concurrently_and_replies_have_their_ids(speaker, echo):
    wanted = {}
    for number in range(1000, 1300):
        call, params = [
            ("status", {}),
            ("tree", {}),
            ("snapshot", {"pane": echo}),
            ("snapshot", {"pane": 4_000_000_000}),
            ("input", {"pane": echo, "items": [{"text": "."}]}),
            ("no_such_call", {}),
        ][number % 6]
        wanted[number] = call, params
    wanted[1300] = "new_session", {"name": "in between", "cwd": "/", "command": ["sleep", "1000"]}
    for number in [1300, *range(1299, 999, -1)]:
        call, params = wanted[number]
        speaker.send({"id": number, "call": call, "params": params})
    replies = {}
    while len(replies) < len(wanted):
        frame = speaker.receive()
        assert frame["id"] not in replies
        replies[frame["id"]] = frame
    keys = {"status": "service_pid", "tree": "sessions", "snapshot": "lines", "input": "bytes"}
    for number, (call, params) in wanted.items():
        reply = replies[number]
        if call == "no_such_call":
            assert reply["error"]["code"] == "bad_request"
        elif params.get("pane") == 4_000_000_000:
            assert reply["error"]["code"] == "no_such_target"
        elif call != "new_session":
            assert keys[call] in reply["ok"]
    speaker.get("kill", scope="session", id=replies[1300]["ok"]["session_id"])


def test_a_slow_request_does_not_delay_the_next(speaker):
    pane = speaker.new(["sh", "-c", "trap '' HUP; echo deaf; while :; do sleep 1; done"])["pane_id"]
    speaker.see(pane, "deaf")
    speaker.send({"id": 501, "call": "kill", "params": {"scope": "pane", "id": pane}})  # takes half a second
    speaker.send({"id": 502, "call": "status", "params": {}})
    assert speaker.receive()["id"] == 502
    killed = speaker.receive()
    assert (killed["id"], killed["ok"]) == (501, {"killed": 1})


@pytest.mark.parametrize("number", [0, 2**53 - 1])
def test_clients_choose_and_reuse_request_ids(speaker, number):
    for _ in range(2):
        speaker.send({"id": number, "call": "status"})
        assert speaker.receive()["id"] == number


def test_frames_may_arrive_byte_by_byte(speaker):
    body = b'{"id":7,"call":"status","params":null}'
    for byte in len(body).to_bytes(4, "big") + bytes(4) + body:
        speaker.sock.sendall(bytes((byte,)))
    assert speaker.receive()["id"] == 7


def test_an_unused_payload_is_ignored(speaker):
    speaker.send({"id": 8, "call": "status"}, payload=bytes(range(256)) * 100)
    assert speaker.receive()["id"] == 8
    assert "ok" in speaker.ask("status")


def test_an_error_has_a_remedy_and_the_connection_continues(speaker):
    error = speaker.ask("new_session", cwd="/no/such/place")["error"]
    assert set(error) == {"code", "message", "remedy"}
    assert error["code"] == "bad_cwd"
    assert "/no/such/place" in error["message"]
    assert error["remedy"]
    assert "ok" in speaker.ask("status")


def test_kill_ends_the_program_and_removes_its_pane(speaker):
    made = speaker.new(["sleep", "1000"])
    pane = next(
        pane
        for session in speaker.get("tree")["sessions"]
        for window in session["windows"]
        for pane in window["panes"]
        if pane["id"] == made["pane_id"]
    )
    assert speaker.get("kill", scope="window", id=made["window_id"]) == {"killed": 1}
    assert process_gone(pane["pid"])
    assert speaker.ask("snapshot", pane=made["pane_id"])["error"]["code"] == "no_such_target"
    assert speaker.ask("kill", scope="pane", id=made["pane_id"])["error"]["code"] == "no_such_target"


def test_kill_server_replies_before_the_server_ends():
    with embedded_server() as server, Speaker(server.socket) as speaker:
        speaker.new(["sleep", "1000"])
        status = speaker.get("status")
        pid = speaker.get("tree")["sessions"][0]["windows"][0]["panes"][0]["pid"]
        assert speaker.get("kill_server") == {}
        with pytest.raises(EOFError):
            speaker.receive()
        eventually(lambda: all(process_gone(one) for one in (pid, status["service_pid"], status["keeper_pid"])))
        assert not os.path.exists(server.socket)

"""The service dies at the worst moment, and a caller learns the fate of its request: it was executed exactly once."""

from __future__ import annotations

import contextlib

import pytest

import phux_client
from faults import faulty_server
from phux_client import blocking
from phux_client.flows import Request
from rawwire import RawClient
from servers import eventually, kill_service

DEATHS = """
from phux_core.server import connection, keeper_link
from phux_core.server.api import process_calls
from phux_core.server.pty import typed_input

def before(part, name, place):
    original = getattr(part, name)
    def replaced(*words, **more):
        die_at(place(*words, **more))
        return original(*words, **more)
    setattr(part, name, replaced)

before(connection.Connection, "_on_frame", lambda _self, header: f"{header.get('call')} received")
before(connection.Connection, "_reply", lambda _self, _id, call, _result: f"{call} executed")
before(keeper_link.KeeperLink, "put", lambda _self, key, *_words, **_more: f"{key} changed")
before(keeper_link.KeeperLink, "take", lambda _self, message: f"program {message.header['op']}")
before(typed_input.TypedInput, "record", lambda _self, *_words, is_writing: f"writing {is_writing}")
send_signal = process_calls.send_signal
def sending(*words, **more):
    sent = send_signal(*words, **more)
    die_at("signal sent")
    return sent
process_calls.send_signal = sending
"""
ECHO = ["sh", "-c", 'stty -echo; echo ready; while read -r line; do echo "<$line>"; done']


class Deadly:
    """A server whose service dies at a place.

    Attributes:
        phux: A client.
    """

    def __init__(self, server, phux):
        self._server, self.phux = server, phux

    @contextlib.contextmanager
    def dying(self, place):
        """Let the service die once inside the block, at a place."""
        before = self.phux.status().service_restarts
        self._server.on(place)
        yield
        assert self.phux.status().service_restarts == before + 1, f"the service did not die at {place!r}"

    def windows(self):
        """Return the windows of the first session."""
        return self.phux.tree().sessions[0].windows

    def request(self, place, call, **params):
        """Make a call during which the service dies."""
        with self.dying(place):
            return self.phux.request(Request(call, **params))

    def through_deaths(self, call, **params):
        """Make a call three times: the service dies before it, when it has changed the tree, and before the reply."""
        return [
            self.request(place, call, **params) for place in (f"{call} received", "tree changed", f"{call} executed")
        ]


@pytest.fixture
def deadly(tmp_path):
    with faulty_server(tmp_path, DEATHS) as server, blocking.connect(server.socket) as phux:
        yield Deadly(server, phux)


@pytest.fixture
def panes(deadly):
    """Return two panes of one window, and the id of a second window."""
    session = deadly.phux.new_session("w", command=["cat"], size=(81, 24))
    left = session.pane
    right = left.split(command=["cat"])
    return left.id, right.id, session.new_window(command=["cat"]).id


# Layout


def test_a_zoom_is_toggled_exactly_once(deadly, panes):
    assert [place["zoomed"] for place in deadly.through_deaths("zoom", pane=panes[0])] == [True, False, True]
    assert deadly.phux.window("w:0").info().zoomed == panes[0]


def test_panes_are_swapped_exactly_once(deadly, panes):
    swapped = deadly.through_deaths("swap", scope="pane", id=panes[0], other=panes[1])
    assert [reply["places"][0]["pane"] for reply in swapped] == [1, 0, 1]
    assert [pane.id for pane in deadly.phux.window("w:0").info().panes] == [panes[1], panes[0]]


def test_a_divider_is_moved_exactly_once(deadly, panes):
    pushed = deadly.through_deaths("push_divider", pane=panes[0], side="right", by=3)
    assert [place["cols"] for place in pushed] == [43, 46, 49]
    assert deadly.phux.pane(f"@{panes[0]}").info().cols == 49


def test_a_divider_is_dragged_exactly_once(deadly, panes):
    window = deadly.phux.window("w:0").info().id
    deadly.through_deaths("move_divider", window=window, path=[], by=-2)
    assert deadly.phux.pane(f"@{panes[0]}").info().cols == 34


def test_a_session_is_renamed_exactly_once(deadly, panes):
    for name, place in (("one", "rename received"), ("two", "tree changed"), ("three", "rename executed")):
        assert deadly.request(place, "rename", scope="session", id=1, name=name)["session"] == name
        assert [session.name for session in deadly.phux.sessions()] == [name]


def test_a_window_is_moved_exactly_once(deadly, panes):
    for index, place in ((5, "move_window received"), (6, "tree changed"), (7, "move_window executed")):
        moved = deadly.request(place, "move_window", window=panes[2], session=1, index=index)
        assert moved["window"] == index
        assert [window.index for window in deadly.windows()] == [0, index]


def test_a_pane_is_moved_exactly_once(deadly, panes):
    for direction, place in (("down", "move_pane received"), ("right", "tree changed"), ("down", "move_pane executed")):
        deadly.request(place, "move_pane", pane=panes[1], target=panes[0], direction=direction)
    assert [pane.id for pane in deadly.phux.window("w:0").info().panes] == [panes[0], panes[1]]
    deadly.request("move_pane executed", "move_pane", pane=panes[1], session=1)
    assert [len(window.panes) for window in deadly.windows()] == [1, 1, 1]


# Programs


@pytest.mark.parametrize("place", ["new_session received", "program spawned", "tree changed", "new_session executed"])
def test_a_new_session_runs_its_program_exactly_once(deadly, tmp_path, place):
    ran = tmp_path / "ran"
    with deadly.dying(place):
        made = deadly.phux.new_session("w", command=["sh", "-c", f"echo ran >> {ran}; echo done; exec cat"])
    made.pane.wait(until="done", timeout_s=20)
    assert ran.read_text() == "ran\n"
    assert deadly.phux.status().panes == 1


def test_a_new_pane_runs_its_program_exactly_once(deadly, tmp_path):
    first = deadly.phux.new_session("w", command=["cat"])
    ran = tmp_path / "ran"
    command = ["sh", "-c", f"echo ran >> {ran}; echo done; exec cat"]
    with deadly.dying("program spawned"):
        one = first.pane.split(command=command)
    with deadly.dying("program spawned"):
        other = first.new_window(command=command).pane
    for pane in (one, other):
        pane.wait(until="done", timeout_s=20)
    assert ran.read_text() == "ran\nran\n"
    assert deadly.phux.status().panes == 3


def test_a_program_that_ends_before_its_request_is_repeated_is_reported(deadly):
    with deadly.dying("program spawned"):
        pane = deadly.phux.new_session("w", command=["sh", "-c", "echo bye; exit 3"]).pane
    assert pane.wait(exit=True, timeout_s=20).exit_status == 3
    assert "bye" in pane.snapshot().text


def test_a_repeated_creation_returns_a_pane_that_was_killed_meanwhile(deadly):
    deadly.phux.new_session("stays", command=["cat"])
    with RawClient(deadly.phux.socket) as client:
        made = client.get("new_session", cwd="/", command=["cat"], key="k")
        client.get("kill", scope="pane", id=made["pane_id"])
        assert client.get("new_session", cwd="/", command=["cat"], key="k") == made
        assert client.get("status")["panes"] == 1


def test_a_kill_is_reported_although_the_panes_are_gone(deadly):
    for name in ("stays", "one", "two", "three"):
        deadly.phux.new_session(name, command=["cat"])
    for name, place in (("one", "kill received"), ("two", "tree changed"), ("three", "kill executed")):
        with deadly.dying(place):
            assert deadly.phux.kill(name) == 1
    assert [session.name for session in deadly.phux.sessions()] == ["stays"]


COUNT = ["sh", "-c", "trap 'echo got' USR1; echo ready; while :; do sleep 0.02; done"]


def test_a_signal_is_sent_exactly_once(deadly):
    pane = deadly.phux.new_session("w", command=COUNT).pane
    pane.wait(until="ready", timeout_s=20)
    for number, place in enumerate(("signal received", "signal executed"), 1):
        assert deadly.request(place, "signal", pane=pane.id, signal="USR1", shell=True)["signal"] == "USR1"
        eventually(lambda: pane.snapshot().lines.count("got") == number)  # noqa: B023
    with deadly.dying("signal sent"), pytest.raises(phux_client.DisconnectedError, match="may have been sent"):
        pane.signal("USR1", shell=True)
    eventually(lambda: pane.snapshot().lines.count("got") == 3)


@pytest.mark.parametrize("place", ["stop received", "signal sent", "stop executed"])
def test_a_stop_reports_what_it_stopped(deadly, place):
    pane = deadly.phux.new_session("w", command=["sleep", "1000"]).pane
    with deadly.dying(place):
        stopped = pane.stop()
    assert (stopped.stopped, stopped.signals, stopped.command) == (True, ["INT"], "sleep")
    assert pane.snapshot().state == "dead"


# Input


def test_input_is_typed_exactly_once(deadly):
    pane = deadly.phux.new_session("w", command=ECHO).pane
    pane.wait(until="ready", timeout_s=20)
    for text, place in (("one", "input received"), ("two", "input executed"), ("three", "writing True")):
        with deadly.dying(place):
            assert pane.send_keys(text, "Enter") == len(text) + 1
    pane.wait(until="<three>", timeout_s=20)
    assert pane.snapshot().lines[:4] == ["ready", "<one>", "<two>", "<three>"]


def test_input_is_not_typed_again_if_the_service_died_while_it_wrote(deadly):
    pane = deadly.phux.new_session("w", command=ECHO).pane
    pane.wait(until="ready", timeout_s=20)
    with (
        deadly.dying("writing False"),
        pytest.raises(phux_client.DisconnectedError, match="how much was typed is unknown") as caught,
    ):
        pane.send_keys("one", "Enter")
    assert caught.value.executed is None
    pane.send_keys("two", "Enter")
    pane.wait(until="<two>", timeout_s=20)
    assert pane.snapshot().lines[:3] == ["ready", "<one>", "<two>"]


def test_interrupted_input_reports_how_much_was_typed(deadly, tmp_path):
    go, out = tmp_path / "go", tmp_path / "out"
    script = f"stty raw -echo; echo ready; until test -e {go}; do sleep 0.01; done; exec cat > {out}"
    pane = deadly.phux.new_session("w", command=["sh", "-c", script]).pane
    pane.wait(until="ready", timeout_s=20)
    request = {"id": 7, "call": "input", "key": "k", "params": {"pane": pane.id, "items": [{"text": "x" * 100_000}]}}
    with RawClient(deadly.phux.socket) as client:
        client.send(request)
        client.get("status")  # the terminal has taken as much as it holds
        kill_service(deadly.phux)
    with RawClient(deadly.phux.socket) as client:
        client.send(request)
        error = client.reply(7)["error"]
    assert (error["code"], error["executed"]) == ("input_blocked", True)
    typed = int(error["message"].rpartition("; ")[2].split()[0])
    assert 0 < typed < 100_000
    go.touch()
    eventually(lambda: out.exists() and out.stat().st_size == typed)


# Commands


@pytest.mark.parametrize("last", [3, 200_000])
def test_a_run_that_was_typed_before_another_one_returns_its_result(deadly, last):
    pane = deadly.phux.new_session("w", command=["sh"]).pane
    pane.wait(state="prompt", timeout_s=30)
    commands = [("a", f"seq {last}"), ("b", "seq 2")]

    def run(client, id_, command):
        reply = client.get("run", pane=pane.id, id=id_, command=command, queue=True)
        return reply["exit_code"], reply["output"].splitlines()[-1], reply["command_id"]

    with RawClient(deadly.phux.socket, timeout_s=30) as client:
        before = [run(client, *command) for command in commands]
    kill_service(deadly.phux)
    with RawClient(deadly.phux.socket, timeout_s=30) as client:
        assert [run(client, *command) for command in commands] == before
    assert len(pane.commands()) == 2

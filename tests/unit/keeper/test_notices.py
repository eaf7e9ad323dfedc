"""The keeper replies to connections with an error while no service is ready."""

from __future__ import annotations

import contextlib
import errno
import selectors
import socket
import time

import pytest

from phux_core import wire
from phux_core.keeper.notices import CALL_S, MOST_WAITING, Notices
from phux_core.keeper.ready import call_ready

HELLO = wire.encode({"hello": {"protocol": [1, 0]}})


class Keeper:
    """The part of the keeper's event loop that notices use."""

    def __init__(self, path):
        self.path = str(path)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(128)
        self.listener.setblocking(False)
        self.selector = selectors.DefaultSelector()
        self.is_ready = False
        self.notice_at = 0.0
        self.passed_on = []
        self.notices = Notices(
            self.selector,
            self.listener,
            lambda: {"code": "service_restarting"},
            lambda: self.notice_at,
            lambda: self.is_ready,
            {"status": {"panes": 1}}.get,
            self.passed_on.append,
        )

    def turn(self, now=None):
        """Run callbacks until none is ready or the service is ready, and then close expired connections."""
        while self.selector.select(0.05):
            call_ready(self.selector, 0)
            if self.is_ready:
                break
        self.notices.expire(time.monotonic() if now is None else now)

    def connect(self, data=HELLO):
        """Connect a client that sends some data."""
        client = socket.socket(socket.AF_UNIX)
        client.connect(self.path)
        client.sendall(data)
        client.settimeout(5)
        return client

    def close(self):
        self.notices.close()
        self.selector.close()
        self.listener.close()


@pytest.fixture
def keeper(tmp_path):
    made = Keeper(tmp_path / "s")
    yield made
    made.close()


def held(keeper):
    return len(keeper.selector.get_map()) - 1


def read_frames(client):
    data = b""
    while piece := client.recv(4096):
        data += piece
    return [header for header, _payload in wire.Decoder(max_header=4096, max_payload=0).feed(data)]


def read_frame(client):
    (frame,) = read_frames(client)
    return frame


def test_a_client_receives_one_error_frame_and_then_end_of_file(keeper):
    keeper.notices.turn_on()
    with keeper.connect() as client:
        keeper.turn()
        assert held(keeper) == 0
        with contextlib.suppress(BrokenPipeError):
            client.sendall(b"a late hello")
        assert read_frame(client) == {"error": {"code": "service_restarting"}}


def test_no_client_receives_a_reply_while_notices_are_off(keeper):
    with keeper.connect() as client:
        keeper.turn()
        keeper.notices.turn_on()
        keeper.notices.turn_off()
        keeper.turn()
        client.setblocking(False)
        with pytest.raises(BlockingIOError):
            client.recv(1)


def test_the_keeper_answers_a_call_sent_with_the_hello_and_ends_the_connection(keeper):
    keeper.notice_at = None
    keeper.notices.turn_on()
    with keeper.connect(HELLO + wire.encode({"id": 7, "call": "status", "params": {}})) as client:
        keeper.turn()
        hello, reply, error = read_frames(client)
    assert "hello" in hello
    assert reply == {"id": 7, "ok": {"panes": 1}}
    assert error == {"error": {"code": "service_restarting"}}


@pytest.mark.parametrize(
    "data", [HELLO, HELLO + wire.encode({"id": 1, "call": "tree", "params": {}}), HELLO[:9], b"x" * 99]
)
def test_other_connections_wait_and_are_passed_to_the_service_unread(keeper, data):
    keeper.notice_at = None
    keeper.notices.turn_on()
    with keeper.connect(data):
        keeper.turn()
        keeper.turn(time.monotonic() + CALL_S)
        keeper.notices.turn_off()
    (passed,) = keeper.passed_on
    assert passed.recv(4096) == data
    passed.close()


def test_a_waiting_client_gets_the_error_when_it_has_waited_long_enough(keeper):
    keeper.notice_at = None
    keeper.notices.turn_on()
    with keeper.connect() as client:
        keeper.turn()
        keeper.notice_at = 0.0
        keeper.turn()
        assert read_frame(client) == {"error": {"code": "service_restarting"}}


def test_a_connection_is_not_accepted_once_the_service_is_ready(keeper):
    keeper.notices.turn_on()
    with keeper.connect():
        keeper.is_ready = True
        keeper.turn()
        accepted, _address = keeper.listener.accept()  # the connection is still in the accept queue
        accepted.close()


def test_a_client_that_sends_nothing_gets_the_error_after_a_while(keeper):
    keeper.notices.turn_on()
    with keeper.connect(b"") as client:
        keeper.turn()
        assert keeper.notices.next_deadline is not None
        keeper.turn(time.monotonic() + CALL_S)
        assert read_frame(client) == {"error": {"code": "service_restarting"}}
        assert held(keeper) == 0
        assert keeper.notices.next_deadline is None


def test_the_number_of_waiting_connections_is_limited(keeper):
    keeper.notice_at = None
    keeper.notices.turn_on()
    clients = [keeper.connect(b"") for _ in range(MOST_WAITING + 20)]
    keeper.turn()
    assert len(keeper.notices._waiting) == MOST_WAITING
    keeper.notice_at = 0.0
    keeper.turn(time.monotonic() + 2 * CALL_S)
    keeper.notices.turn_on()
    keeper.turn(time.monotonic() + 2 * CALL_S)
    for client in clients:
        assert read_frame(client) == {"error": {"code": "service_restarting"}}
        client.close()


def test_a_new_connection_takes_the_place_of_the_oldest_once_the_error_is_due(keeper):
    keeper.notices.turn_on()
    clients = [keeper.connect(b"") for _ in range(MOST_WAITING + 20)]
    keeper.turn()
    assert len(keeper.notices._waiting) == MOST_WAITING
    for client in clients[:20]:
        assert read_frame(client) == {"error": {"code": "service_restarting"}}
    for client in clients:
        client.close()


def test_connections_that_clients_closed_before_the_reply_are_not_held(keeper):
    keeper.notices.turn_on()
    for _ in range(10):
        keeper.connect().close()
    keeper.turn()
    keeper.turn()
    assert held(keeper) == 0


def test_accepting_is_retried_later_when_descriptors_run_out(keeper, monkeypatch):
    class NoFiles:
        def accept(self):
            raise OSError(errno.EMFILE, "too many open files")

        def fileno(self):
            return keeper.listener.fileno()

    keeper.notices._listener = NoFiles()
    keeper.notices.turn_on()
    with keeper.connect() as client:
        keeper.turn()
        assert not keeper.selector.get_map()
        deadline = keeper.notices.next_deadline
        assert deadline is not None
        keeper.notices._listener = keeper.listener
        keeper.turn(deadline)
        keeper.notices.turn_on()
        keeper.turn()
        assert read_frame(client) == {"error": {"code": "service_restarting"}}

"""The keeper replies to connections with an error while no service is ready."""

from __future__ import annotations

import errno
import json
import selectors
import socket
import time

import pytest

from phux_core.keeper.notices import HOLD_S, MOST_HELD, Notices


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
        self.notices = Notices(
            self.selector, self.listener, lambda: {"code": "service_restarting"}, lambda: self.is_ready
        )

    def turn(self, now=None):
        """Run callbacks until none is ready or the service is ready, and then close expired connections."""
        while ready := self.selector.select(0.05):
            for key, _events in ready:
                key.data()
            if self.is_ready:
                break
        self.notices.close_expired(time.monotonic() if now is None else now)

    def connect(self):
        client = socket.socket(socket.AF_UNIX)
        client.connect(self.path)
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


def read_frame(client):
    data = b""
    while piece := client.recv(4096):
        data += piece
    size = int.from_bytes(data[:4], "big")
    assert len(data) == 8 + size
    return json.loads(data[8:])


def test_a_client_receives_one_error_frame_and_then_end_of_file(keeper):
    keeper.notices.turn_on()
    with keeper.connect() as client:
        keeper.turn()
        client.sendall(b"a late hello")  # must not raise BrokenPipeError
        assert read_frame(client) == {"error": {"code": "service_restarting"}}
        assert held(keeper) == 1
    keeper.turn()
    assert held(keeper) == 0


def test_no_client_receives_a_reply_while_notices_are_off(keeper):
    with keeper.connect() as client:
        keeper.turn()
        keeper.notices.turn_on()
        keeper.notices.turn_off()
        keeper.turn()
        client.setblocking(False)
        with pytest.raises(BlockingIOError):
            client.recv(1)


def test_a_connection_is_not_accepted_once_the_service_is_ready(keeper):
    keeper.notices.turn_on()
    with keeper.connect():
        keeper.is_ready = True
        keeper.turn()
        accepted, _address = keeper.listener.accept()  # the connection is still in the accept queue
        accepted.close()


def test_a_client_that_does_not_close_is_disconnected_after_the_hold_time(keeper):
    keeper.notices.turn_on()
    with keeper.connect():
        keeper.turn()
        assert keeper.notices.next_deadline is not None
        keeper.turn(time.monotonic() + HOLD_S)
        assert held(keeper) == 0
        assert keeper.notices.next_deadline is None


def test_the_number_of_held_connections_is_limited(keeper):
    keeper.notices.turn_on()
    clients = [keeper.connect() for _ in range(MOST_HELD + 20)]
    keeper.turn()
    assert held(keeper) == MOST_HELD
    for client in clients:
        assert read_frame(client) == {"error": {"code": "service_restarting"}}
        client.close()


def test_connections_that_clients_closed_before_the_reply_are_not_held(keeper):
    keeper.notices.turn_on()
    for _ in range(10):
        keeper.connect().close()
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

"""One turn of the keeper's event loop."""

from __future__ import annotations

import selectors
import socket

from phux_core.keeper.ready import call_ready


def test_a_file_that_an_earlier_callback_closed_is_not_called():
    with selectors.DefaultSelector() as selector:
        pairs = [socket.socketpair() for _ in range(3)]
        called = []

        def callback(index):
            called.append(index)
            for other, (_near, far) in enumerate(pairs):
                if other != index and far.fileno() >= 0:
                    selector.unregister(far)
                    far.close()

        for index, (near, far) in enumerate(pairs):
            near.send(b"x")
            selector.register(far, selectors.EVENT_READ, lambda index=index: callback(index))
        call_ready(selector, 5)
        assert len(called) == 1
        for near, far in pairs:
            near.close()
            far.close()


def test_a_new_file_with_the_same_descriptor_is_not_called():
    with selectors.DefaultSelector() as selector:
        ready = [socket.socketpair() for _ in range(2)]
        fresh = []

        def replace(index):
            _near, far = ready[1 - index]
            descriptor = far.fileno()
            selector.unregister(far)
            far.close()
            fresh.extend(socket.socketpair())
            assert fresh[0].fileno() == descriptor  # the lowest that is free
            selector.register(fresh[0], selectors.EVENT_READ, unexpected)

        def unexpected():
            raise AssertionError

        for index, (near, far) in enumerate(ready):
            near.send(b"x")
            selector.register(far, selectors.EVENT_READ, lambda index=index: replace(index))
        call_ready(selector, 5)
        for sock in [*fresh, *(sock for pair in ready for sock in pair)]:
            sock.close()

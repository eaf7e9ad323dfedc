"""The channel between keeper and service: messages with file descriptors."""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import select
import socket

import pytest

from phux_core import wire
from phux_core.keeper.channel import Channel, ChannelClosedError, Message


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    channels = Channel(ours), Channel(theirs)
    yield channels
    for channel in channels:
        channel.close()


@pytest.fixture
def raw():
    """Return a channel and the plain socket at its other end."""
    ours, theirs = socket.socketpair()
    channel = Channel(ours)
    yield channel, theirs
    channel.close()
    theirs.close()


def open_descriptors():
    return len(os.listdir("/dev/fd"))


def make_pipe(text):
    """Return the read end of a pipe that contains the text."""
    reader, writer = os.pipe()
    os.write(writer, text)
    os.close(writer)
    return reader


@contextlib.contextmanager
def few_descriptors(count):
    """Leave this process ``count`` free descriptors."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = [os.open(os.devnull, os.O_RDONLY) for _ in range(count + 1)]
    for fd in free:
        os.close(fd)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free[count], limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def receive_all(sender, receiver, count):
    """Flush and receive until ``count`` messages have arrived."""
    messages = []
    while len(messages) < count:
        writable = [sender] if sender.wants_write else []
        readable, writable, _ = select.select([receiver], writable, [], 5)
        assert readable or writable, "neither side became ready in 5 s"
        if writable:
            sender.flush()
        if readable:
            messages += receiver.receive()
    return messages


def test_a_message_arrives_with_its_bytes(pair):
    left, right = pair
    left.send({"op": "put", "key": "tree"}, b"\0\xff")
    (message,) = right.receive()
    assert message == ({"op": "put", "key": "tree"}, b"\0\xff", [])


def test_messages_can_be_sent_in_both_directions_at_once(pair):
    left, right = pair
    left.send({"op": "a"})
    right.send({"op": "b"})
    assert [message.header for message in left.receive()] == [{"op": "b"}]
    assert [message.header for message in right.receive()] == [{"op": "a"}]


def test_many_messages_with_descriptors_need_few_descriptors_at_a_time(pair):
    left, right = pair
    reader = make_pipe(b"")
    before, most = open_descriptors(), 0

    def messages():
        nonlocal most
        for number in range(5000):
            most = max(most, open_descriptors())
            yield Message({"op": "child", "number": number}, b"", [reader])

    left.send_all(messages())
    left.send({"op": "exit"})
    assert left.wants_write
    received = []
    while len(received) < 5001:
        left.flush()
        for message in right.receive():
            received.append(message.header)
            for fd in message.fds:
                os.close(fd)
    assert received == [*({"op": "child", "number": number} for number in range(5000)), {"op": "exit"}]
    assert most == before
    assert not left.wants_write
    os.close(reader)


def test_descriptors_can_be_sent_when_none_is_free(raw):
    channel, peer = raw
    reader = make_pipe(b"through")
    with few_descriptors(0):
        channel.send({"op": "child"}, fds=[reader])
        channel.send_all([Message({"op": "child"}, b"", [reader])])
    for _ in range(2):
        _data, (fd,), _flags, _address = socket.recv_fds(peer, 4096, 1)
        os.close(fd)
    os.close(reader)


def test_a_receiver_without_free_descriptors_raises_channel_closed_and_leaves_none_open(pair):
    left, right = pair
    reader = make_pipe(b"")
    before = open_descriptors()
    left.send({"op": "spawned"}, fds=[reader, reader])
    with few_descriptors(1), pytest.raises(ChannelClosedError, match="too many open files"):
        right.receive()
    right.close()
    assert open_descriptors() == before - 1
    os.close(reader)


@pytest.mark.parametrize("number", [errno.ENOBUFS, errno.ENOMEM, errno.ETOOMANYREFS])
def test_a_message_is_sent_later_if_the_kernel_has_no_memory_for_it(pair, monkeypatch, number):
    left, right = pair

    def fail(*_args):
        raise OSError(number, "no memory")

    with monkeypatch.context() as patch:
        patch.setattr(socket, "send_fds", fail)
        left.send({"op": "a"}, fds=[0])
    assert left.wants_write
    left.flush()
    (message,) = right.receive()
    os.close(message.fds[0])


def test_receive_returns_nothing_when_nothing_was_sent(pair):
    assert pair[0].receive() == []


def test_a_descriptor_arrives_as_a_copy_that_is_not_inheritable(pair):
    left, right = pair
    reader = make_pipe(b"through")
    left.send({"op": "spawned"}, fds=[reader])
    os.close(reader)  # the sender may close its descriptor immediately
    (message,) = right.receive()
    (fd,) = message.fds
    assert os.read(fd, 100) == b"through"
    assert not os.get_inheritable(fd)
    os.close(fd)


def test_each_message_gets_its_own_descriptors_in_order(pair):
    left, right = pair
    count = 200
    sent = []
    for number in range(count):
        fds = [make_pipe(b"%d.%d" % (number, part)) for part in range(number % 3)]
        left.send({"op": "child", "number": number}, b"x" * (number * 37 % 5000), fds)
        sent += fds
    for number, message in enumerate(receive_all(left, right, count)):
        assert message.header == {"op": "child", "number": number}
        assert len(message.payload) == number * 37 % 5000
        assert [os.read(fd, 100) for fd in message.fds] == [b"%d.%d" % (number, part) for part in range(number % 3)]
        for fd in message.fds:
            os.close(fd)
    for fd in sent:
        os.close(fd)


def test_a_message_larger_than_the_socket_buffer_is_queued_and_arrives_complete(pair):
    left, right = pair
    blob = os.urandom(4 * 1024 * 1024)
    reader = make_pipe(b"behind")
    left.send({"op": "blob"}, blob, [reader])
    os.close(reader)
    assert left.wants_write
    left.send({"op": "begin"})
    first, second = receive_all(left, right, 2)
    assert first.payload == blob
    assert os.read(first.fds[0], 100) == b"behind"
    assert second.header == {"op": "begin"}
    assert not left.wants_write
    os.close(first.fds[0])


@pytest.mark.parametrize("size", [1, 2, 7, 13])
def test_messages_that_arrive_in_pieces_are_reassembled(raw, size):
    channel, peer = raw
    data = wire.encode({"op": "a", "fds": 1}, b"payload") + wire.encode({"op": "b", "fds": 0})
    reader = make_pipe(b"x")
    socket.send_fds(peer, [data[:size]], [reader])
    os.close(reader)
    messages = channel.receive()
    for start in range(size, len(data), size):
        peer.sendall(data[start : start + size])
        messages += channel.receive()
    assert [(message.header, message.payload, len(message.fds)) for message in messages] == [
        ({"op": "a"}, b"payload", 1),
        ({"op": "b"}, b"", 0),
    ]
    os.close(messages[0].fds[0])


def test_a_closed_peer_is_reported_after_its_last_message(pair):
    left, right = pair
    left.send({"op": "last"})
    left.close()
    assert [message.header for message in right.receive()] == [{"op": "last"}]
    with pytest.raises(ChannelClosedError):
        right.receive()
    with pytest.raises(ChannelClosedError):
        right.send({"op": "x"})


def test_the_last_message_of_a_peer_that_closed_with_unread_data_is_received(pair):
    # With unread data, the kernel closes the connection with a reset instead of an end of file.
    left, right = pair
    left.send({"op": "unread"})
    right.send({"op": "put", "key": "tree"}, b"the last word")
    right.close()
    assert [message.payload for message in left.receive()] == [b"the last word"]
    with pytest.raises(ChannelClosedError):
        left.receive()


@pytest.mark.parametrize(
    "data",
    [
        b"\xff" * 64,
        b"\0\0\0\x02\0\0\0\0[]",
        b"\0\0\0\x03\0\0\0\0abc",
        wire.encode({"op": "a", "fds": 1}),  # the announced descriptor is missing
        wire.encode({"op": "a", "fds": "many"}),
        wire.encode({"op": "a", "fds": -1, "x": 0}) + b"\xff" * 8,
    ],
)
def test_an_invalid_message_raises_channel_closed(raw, data):
    channel, peer = raw
    peer.sendall(data)
    with pytest.raises(ChannelClosedError):
        channel.receive()


def test_a_closed_channel_leaves_no_descriptor_open(pair):
    before = open_descriptors()
    left, right = pair
    reader = make_pipe(b"")
    for _ in range(20):
        left.send({"op": "blob"}, b"x" * 200_000, [reader, reader])
    assert left.wants_write
    right.receive()  # nothing closes the descriptors of these messages
    os.close(reader)
    messages = right.receive()
    left.close()
    for message in messages:
        for fd in message.fds:
            os.close(fd)
    right.close()
    assert open_descriptors() <= before


def test_descriptors_of_an_incomplete_message_are_closed_with_the_channel(raw):
    channel, peer = raw
    before = open_descriptors()
    reader = make_pipe(b"")
    socket.send_fds(peer, [wire.encode({"op": "a", "fds": 1})[:5]], [reader])
    os.close(reader)
    assert channel.receive() == []
    assert open_descriptors() == before + 1
    channel.close()
    assert open_descriptors() == before - 1


def test_a_channel_can_be_passed_to_select(pair):
    left, right = pair
    assert select.select([right], [], [], 0)[0] == []
    left.send({"op": "a"})
    assert select.select([right], [], [], 1)[0] == [right]

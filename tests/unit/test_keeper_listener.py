"""The listening socket: one server a path, and only our own socket is ever unlinked."""

from __future__ import annotations

import fcntl
import os
import socket
import stat

import pytest

from phux_core import paths
from phux_core.errors import RefusedError, UnsafePathError
from phux_core.keeper.listener import Listener, take_lock


@pytest.fixture
def path(tmp_path):
    (tmp_path / "d").mkdir(mode=0o700)
    return str(tmp_path / "d" / "phux.sock")


@pytest.fixture
def listen():
    """Makes listeners, and closes them."""
    made = []

    def make(path):
        made.append(Listener(path))
        return made[-1]

    yield make
    for listener in made:
        listener.close()


class SameInode:
    """What lstat tells, but that every file has the same number."""

    st_ino = 7

    def __init__(self, found):
        self.st_dev, self.st_mode, self.st_uid = found.st_dev, found.st_mode, found.st_uid


def connect(path):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)


def leave_stale(path):
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(path)
        gone.listen()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
def test_the_socket_is_ours_alone_whatever_the_umask(path, listen, umask):
    old = os.umask(umask)
    try:
        listen(path)
        assert os.umask(umask) == umask
    finally:
        os.umask(old)
    found = os.lstat(path)
    assert stat.S_ISSOCK(found.st_mode)
    assert stat.S_IMODE(found.st_mode) == 0o600


def test_it_accepts_without_blocking(path, listen):
    listener = listen(path)
    with pytest.raises(BlockingIOError):
        listener.sock.accept()
    connect(path)
    listener.sock.accept()[0].close()


def test_a_live_server_is_not_replaced(path, listen):
    first = listen(path)
    with pytest.raises(RefusedError) as caught:
        listen(path)
    assert path in caught.value.message
    assert "kill --server" in caught.value.remedy
    connect(path)
    first.sock.accept()[0].close()


def test_a_server_that_is_too_busy_to_accept_is_not_replaced(path, listen):
    with socket.socket(socket.AF_UNIX) as busy:
        busy.bind(path)
        busy.listen(0)
        clients = []
        try:
            while True:
                clients.append(socket.socket(socket.AF_UNIX))
                clients[-1].setblocking(False)
                clients[-1].connect(path)
        except BlockingIOError:
            pass
        before = os.lstat(path).st_ino
        with pytest.raises(UnsafePathError, match="cannot tell whether a server is listening"):
            listen(path)
        assert os.lstat(path).st_ino == before
        for client in clients:
            client.close()


def test_a_stale_socket_makes_place(path, listen):
    leave_stale(path)
    listen(path)
    connect(path)


def test_a_file_that_is_no_socket_is_left_alone(path, listen):
    with open(path, "w") as file:
        file.write("mine")
    with pytest.raises(UnsafePathError, match="not a socket"):
        listen(path)
    with open(path) as file:
        assert file.read() == "mine"


def test_a_directory_is_left_alone(path, listen):
    os.mkdir(path)
    with pytest.raises(UnsafePathError):
        listen(path)
    assert os.path.isdir(path)


def test_a_fifo_is_left_alone(path, listen):
    os.mkfifo(path)
    with pytest.raises(UnsafePathError):
        listen(path)
    assert stat.S_ISFIFO(os.lstat(path).st_mode)


@pytest.mark.parametrize("stale", [True, False], ids=["to a stale socket", "to nothing"])
def test_a_link_is_left_alone(path, listen, stale):
    if stale:
        leave_stale(path + ".target")
    os.symlink(path + ".target", path)
    with pytest.raises(UnsafePathError):
        listen(path)
    assert os.path.islink(path)
    assert os.path.lexists(path + ".target") == stale


def test_closing_unlinks_what_we_bound(path, listen):
    listener = listen(path)
    listener.close()
    assert not os.path.lexists(path)
    with pytest.raises(FileNotFoundError):
        connect(path)


def test_closing_leaves_a_successors_socket_alone(path, listen):
    first = listen(path)
    os.rename(path, path + ".old")  # keeps the inode in use
    listen(path)
    first.close()
    connect(path)


def test_closing_twice_leaves_a_successors_socket_alone(path, listen, monkeypatch):
    # File systems give the number of a deleted inode to the next file; say that this one always does.
    look = os.lstat
    monkeypatch.setattr(os, "lstat", lambda *args, **more: SameInode(look(*args, **more)))
    first = listen(path)
    first.close()
    listen(path)
    first.close()
    connect(path)


def test_closing_copes_with_a_socket_that_is_gone(path, listen):
    listener = listen(path)
    os.unlink(path)
    listener.close()


def test_a_directory_that_is_not_there_is_a_clear_error(tmp_path, listen):
    with pytest.raises(UnsafePathError, match="cannot bind the socket"):
        listen(str(tmp_path / "missing" / "phux.sock"))


def test_a_failed_attempt_leaves_no_descriptor_open(path, listen):
    os.mkdir(path)
    before = len(os.listdir("/dev/fd"))
    for _ in range(3):
        with pytest.raises(UnsafePathError):
            listen(path)
    assert len(os.listdir("/dev/fd")) == before


def test_the_lock_is_a_private_file_that_is_held_until_closed(path):
    fd = take_lock(path)
    lock = paths.lock_path(path)
    assert stat.S_IMODE(os.stat(lock).st_mode) == 0o600
    assert not os.get_inheritable(fd)
    other = os.open(lock, os.O_RDWR)
    with pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(fd)
    fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(other)


def test_the_lock_does_not_follow_a_link(path, tmp_path):
    os.symlink(tmp_path / "victim", paths.lock_path(path))
    with pytest.raises(OSError, match="symbolic links"):
        take_lock(path)
    assert not (tmp_path / "victim").exists()

"""The listening socket: each path has one server, and a listener unlinks only its own socket."""

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
    """Yield a function that creates listeners; close the listeners after the test."""
    made = []

    def make(path):
        made.append(Listener(path))
        return made[-1]

    yield make
    for listener in made:
        listener.close()


class SameInode:
    """The result of ``lstat`` on a file system where all files have the same inode number."""

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
def test_the_socket_has_mode_0600_with_any_umask(path, listen, umask):
    old = os.umask(umask)
    try:
        listen(path)
        assert os.umask(umask) == umask
    finally:
        os.umask(old)
    found = os.lstat(path)
    assert stat.S_ISSOCK(found.st_mode)
    assert stat.S_IMODE(found.st_mode) == 0o600


def test_the_listening_socket_is_non_blocking(path, listen):
    listener = listen(path)
    with pytest.raises(BlockingIOError):
        listener.sock.accept()
    connect(path)
    listener.sock.accept()[0].close()


def test_the_socket_of_a_live_server_is_not_replaced(path, listen):
    first = listen(path)
    with pytest.raises(RefusedError) as caught:
        listen(path)
    assert path in caught.value.message
    assert "kill --server" in caught.value.remedy
    connect(path)
    first.sock.accept()[0].close()


def test_the_socket_of_a_server_that_is_too_busy_to_accept_is_not_replaced(path, listen):
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


def test_a_stale_socket_is_replaced(path, listen):
    leave_stale(path)
    listen(path)
    connect(path)


def test_a_regular_file_is_refused_and_not_changed(path, listen):
    with open(path, "w") as file:
        file.write("mine")
    with pytest.raises(UnsafePathError, match="not a socket"):
        listen(path)
    with open(path) as file:
        assert file.read() == "mine"


def test_a_directory_is_refused_and_not_removed(path, listen):
    os.mkdir(path)
    with pytest.raises(UnsafePathError):
        listen(path)
    assert os.path.isdir(path)


def test_a_fifo_is_refused_and_not_removed(path, listen):
    os.mkfifo(path)
    with pytest.raises(UnsafePathError):
        listen(path)
    assert stat.S_ISFIFO(os.lstat(path).st_mode)


@pytest.mark.parametrize("stale", [True, False], ids=["to a stale socket", "to nothing"])
def test_a_symbolic_link_is_refused_and_not_removed(path, listen, stale):
    if stale:
        leave_stale(path + ".target")
    os.symlink(path + ".target", path)
    with pytest.raises(UnsafePathError):
        listen(path)
    assert os.path.islink(path)
    assert os.path.lexists(path + ".target") == stale


def test_closing_unlinks_the_bound_socket(path, listen):
    listener = listen(path)
    listener.close()
    assert not os.path.lexists(path)
    with pytest.raises(FileNotFoundError):
        connect(path)


def test_closing_does_not_unlink_the_socket_of_a_successor(path, listen):
    first = listen(path)
    os.rename(path, path + ".old")  # so that the new socket cannot have the same inode
    listen(path)
    first.close()
    connect(path)


def test_closing_twice_does_not_unlink_the_socket_of_a_successor(path, listen, monkeypatch):
    # A file system may reuse the number of a deleted inode.
    lstat = os.lstat
    monkeypatch.setattr(os, "lstat", lambda *args, **more: SameInode(lstat(*args, **more)))
    first = listen(path)
    first.close()
    listen(path)
    first.close()
    connect(path)


def test_closing_does_not_raise_when_the_socket_was_deleted(path, listen):
    listener = listen(path)
    os.unlink(path)
    listener.close()


def test_a_missing_directory_raises_an_unsafe_path_error(tmp_path, listen):
    with pytest.raises(UnsafePathError, match="cannot bind the socket"):
        listen(str(tmp_path / "missing" / "phux.sock"))


def test_a_failed_bind_leaks_no_descriptor(path, listen):
    os.mkdir(path)
    before = len(os.listdir("/dev/fd"))
    for _ in range(3):
        with pytest.raises(UnsafePathError):
            listen(path)
    assert len(os.listdir("/dev/fd")) == before


def test_the_lock_file_is_private_and_locked_until_its_descriptor_is_closed(path):
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


def test_a_symbolic_link_in_place_of_the_lock_file_is_not_followed(path, tmp_path):
    os.symlink(tmp_path / "victim", paths.lock_path(path))
    with pytest.raises(OSError, match="not a regular file"):
        take_lock(path)
    assert not (tmp_path / "victim").exists()

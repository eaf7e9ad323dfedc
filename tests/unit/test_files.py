"""Files that are opened only if they are regular, and directories that other users cannot replace."""

from __future__ import annotations

import os
import socket

import pytest

from phux_core import files


@pytest.fixture
def directory(tmp_path):
    """A directory that only this user can write to."""
    os.chmod(tmp_path, 0o700)
    return tmp_path


@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_APPEND])
def test_a_regular_file_is_opened(directory, flags):
    path = directory / "file"
    path.write_text("content")
    os.close(files.open_regular(str(path), flags))


def test_a_new_file_is_private(directory):
    old = os.umask(0)
    try:
        os.close(files.open_regular(str(directory / "new"), os.O_WRONLY | os.O_CREAT))
    finally:
        os.umask(old)
    assert (directory / "new").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_CREAT | os.O_APPEND])
@pytest.mark.parametrize("kind", ["FIFO", "link", "dangling link", "directory", "socket", "device"])
def test_anything_else_is_refused_without_blocking(directory, kind, flags):
    path = directory / "file"
    if kind == "FIFO":
        os.mkfifo(path)
    elif kind == "link":
        (directory / "target").write_text("content")
        path.symlink_to("target")
    elif kind == "dangling link":
        path.symlink_to("target")
    elif kind == "directory":
        path.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as sock:
            sock.bind(str(path))
    else:
        path = "/dev/null"
    with pytest.raises(OSError, match=r".") as raised:
        files.open_regular(str(path), flags)
    assert raised.value.strerror
    assert kind != "dangling link" or not (directory / "target").exists()


def test_a_directory_below_tmp_is_safe(directory):
    assert files.unsafe_ancestor(str(directory / "below")) is None
    assert files.unsafe_ancestor("/") is None


@pytest.mark.parametrize("mode", [0o777, 0o707, 0o775, 0o770])
def test_a_directory_below_one_that_others_can_write_to_is_unsafe(directory, mode, monkeypatch):
    monkeypatch.setattr(files, "_is_our_own_group", lambda gid: False)
    above = directory / "above"
    (above / "private").mkdir(parents=True, mode=0o700)
    above.chmod(mode)
    explanation = files.unsafe_ancestor(str(above / "private" / "below"))
    assert explanation == f"{above} is writable by others (mode {mode:04o})"
    above.chmod(mode | 0o1000)
    assert files.unsafe_ancestor(str(above / "private" / "below")) is None


def test_a_directory_below_one_that_only_the_users_own_group_can_write_to_is_safe(directory, monkeypatch):
    import grp
    import pwd

    os.chmod(directory, 0o770)
    group = grp.getgrgid(directory.stat().st_gid)
    me = pwd.getpwuid(os.getuid())
    for name, members, is_safe in (
        (me.pw_name, [], True),
        (me.pw_name, [me.pw_name], True),
        (me.pw_name, [me.pw_name, "other"], False),
        ("staff", [], False),
    ):
        found = grp.struct_group((name, "x", group.gr_gid, members))
        monkeypatch.setattr(grp, "getgrgid", lambda gid, found=found: found)
        assert (files.unsafe_ancestor(str(directory / "below")) is None) is is_safe


@pytest.mark.skipif(os.getuid() != 0, reason="only root can change the owner of a directory")
def test_a_directory_below_one_of_another_user_is_unsafe(directory):
    above = directory / "above"
    (above / "private").mkdir(parents=True)
    os.chown(above, 12345, 12345)
    assert files.unsafe_ancestor(str(above / "private")) == f"{above} belongs to uid 12345"


def test_a_link_to_an_unsafe_place_is_unsafe(directory):
    (directory / "open" / "private").mkdir(parents=True)
    (directory / "open").chmod(0o777)
    (directory / "link").symlink_to("open/private")
    assert "open is writable by others" in files.unsafe_ancestor(str(directory / "link" / "below"))

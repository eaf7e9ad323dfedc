"""Files are copied to and from the machine of a server: whole or not at all."""

from __future__ import annotations

import hashlib
import os

import anyio
import pytest

import phux_client
from outers import PHUX, OwnTerminal
from phux_client import blocking
from phux_client.blocking import files
from phux_client.flows import Request
from phux_core import errors
from phux_core.file_calls import FILE_CHUNK
from servers import Cli


@pytest.fixture
def pane(phux, tmp_path):
    (tmp_path / "there").mkdir()
    session = phux.new_session(cwd=str(tmp_path / "there"), command=["cat"])
    yield session.pane
    session.kill()


@pytest.fixture
def large(tmp_path):
    """A file of several chunks."""
    path = tmp_path / "large"
    path.write_bytes(os.urandom(1000) * 3500)
    assert path.stat().st_size > 3 * FILE_CHUNK
    return path


def parts(directory):
    return [path for path in directory.iterdir() if path.name.startswith(".phux-part-")]


@pytest.mark.parametrize("mode", [0o600, 0o755, 0o444])
def test_content_and_mode_are_kept_in_both_directions(pane, tmp_path, large, mode):
    large.chmod(mode)
    seen = []
    assert pane.put(large, "copy", on_progress=lambda *now: seen.append(now)) == f"{tmp_path}/there/copy"
    there = tmp_path / "there" / "copy"
    assert there.read_bytes() == large.read_bytes()
    assert there.stat().st_mode & 0o7777 == mode
    size = large.stat().st_size
    assert seen == [(min(count * FILE_CHUNK, size), size) for count in range(1, 5)]
    (tmp_path / "back").write_text("older")
    assert pane.get("copy", tmp_path / "back") == f"{tmp_path}/back"
    assert (tmp_path / "back").read_bytes() == large.read_bytes()
    assert (tmp_path / "back").stat().st_mode & 0o7777 == mode
    assert parts(tmp_path) == parts(tmp_path / "there") == []


def test_a_directory_gets_a_file_of_the_same_name_and_empty_files_are_copied(pane, tmp_path):
    (tmp_path / "empty").touch()
    assert pane.put(tmp_path / "empty", tmp_path / "there") == f"{tmp_path}/there/empty"
    assert pane.put(tmp_path / "empty", "./.") == f"{tmp_path}/there/empty"
    (tmp_path / "here").mkdir()
    assert pane.get("empty", tmp_path / "here") == f"{tmp_path}/here/empty"
    assert (tmp_path / "here" / "empty").read_bytes() == b""


def test_links_and_other_files_are_neither_followed_nor_replaced(pane, tmp_path):
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "there" / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "here-link").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "there" / "fifo")
    (tmp_path / "new").write_text("new")
    for name in ("link", "fifo"):
        with pytest.raises(errors.RefusedError):
            pane.put(tmp_path / "new", name)
        with pytest.raises(errors.RefusedError):
            pane.get(name, tmp_path / "got")
    with pytest.raises(errors.RefusedError):
        pane.put(tmp_path / "here-link", "x")
    (tmp_path / "there" / "plain").write_text("plain")
    with pytest.raises(errors.RefusedError):
        pane.get("plain", tmp_path / "here-link")
    with pytest.raises(errors.RefusedError, match="does not exist"):
        pane.get("nothing", tmp_path / "got")
    with pytest.raises(errors.RefusedError, match="No such file or directory"):
        pane.put(tmp_path / "new", "no/such/directory/x")
    assert (tmp_path / "secret").read_text() == "secret"
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["fifo", "link", "plain"]


def test_an_interrupted_copy_changes_nothing_and_continues_where_it_stopped(pane, tmp_path, large):
    (tmp_path / "there" / "copy").write_text("older")
    (tmp_path / "back").write_text("older")

    class InterruptedCopyError(Exception):
        pass

    def interrupt(done, _size):
        if done == 2 * FILE_CHUNK:
            raise InterruptedCopyError

    seen = []
    for copy, target in (
        (lambda on_progress: pane.put(large, "copy", on_progress=on_progress), tmp_path / "there" / "copy"),
        (lambda on_progress: pane.get(large, tmp_path / "back", on_progress=on_progress), tmp_path / "back"),
    ):
        with pytest.raises(InterruptedCopyError):
            copy(interrupt)
        assert target.read_text() == "older"
        (part,) = parts(target.parent)
        assert part.stat().st_mode & 0o777 == 0o600
        copy(lambda *now: seen.append(now[0]))
        assert target.read_bytes() == large.read_bytes()
        assert parts(target.parent) == []
    assert seen == [3 * FILE_CHUNK, large.stat().st_size] * 2


def test_damaged_and_changed_content_is_refused(pane, phux, tmp_path, large):
    digest = hashlib.sha256(b"right").hexdigest()
    target = f"{tmp_path}/there/damaged"
    phux.request(Request("file_write", path=target, sha256=digest, offset=0, data="d3Jvbmc="))
    with pytest.raises(errors.RefusedError, match="damaged"):
        phux.request(Request("file_commit", path=target, sha256=digest, mode=0o600))
    for wrong in ({"offset": 9, "data": ""}, {"offset": 0, "data": "%"}, {"offset": 0, "data": "AA" * FILE_CHUNK}):
        with pytest.raises(errors.BadRequestError):
            phux.request(Request("file_write", path=target, sha256=digest, **wrong))
    assert parts(tmp_path / "there") in ([], parts(tmp_path / "there")[:1])
    with pytest.raises(errors.RefusedError, match="changed while it was copied"):
        pane.get(large, tmp_path / "got", on_progress=lambda *_now: large.write_bytes(b"other"))
    assert not (tmp_path / "got").exists()


def test_a_copy_survives_the_death_of_the_service(server, pane, phux, tmp_path, large):
    def kill(done, _size):
        if done == 2 * FILE_CHUNK:
            os.kill(phux.status().service_pid, 9)

    pane.put(large, "copy", on_progress=kill)
    assert (tmp_path / "there" / "copy").read_bytes() == large.read_bytes()

    async def main():
        async with phux_client.connect(server.socket) as other:
            await (await other.pane(pane.id)).get("copy", tmp_path / "async")

    anyio.run(main, backend="trio")
    assert (tmp_path / "async").read_bytes() == large.read_bytes()


def test_cp_copies_and_draws_a_bar_on_terminals(server, phux, tmp_path, large):
    cli = Cli(server.socket, tmp_path)
    assert cli("cp", str(large), f":{tmp_path}/copied").out == f"{tmp_path}/copied\n"
    assert (tmp_path / "copied").read_bytes() == large.read_bytes()
    assert cli("cp", ":nothing", ".", "--json").error["error"]["code"] == "refused"
    assert cli("cp", "a", "b").code == 2
    assert cli("cp", ":a", "box:b").code == 2
    assert cli("cp", "box:a", "b", "--host", "other").code == 2
    with OwnTerminal([PHUX, "cp", f":{large}", str(tmp_path / "got")], cli.env | {"TERM": "xterm"}) as terminal:
        terminal.until(lambda: terminal.ended or terminal.pump(0.1) is None)
        assert b"% of 3.3 MiB" in terminal.raw
    assert (tmp_path / "got").read_bytes() == large.read_bytes()
    with blocking.Phux(server.socket) as driver:
        assert files.put(driver, str(large), str(tmp_path / "again")) == f"{tmp_path}/again"

"""A connection to another machine that is cut at any moment is made again, and nothing is done twice."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from phux_client import blocking
from phux_core import errors
from servers import BIN

CUTTER = Path(__file__).parents[1] / "support" / "cutting_ssh.py"


@pytest.fixture
def cut(tmp_path, monkeypatch):
    """Return a function that lets the connection be cut at a frame, and returns whether the last cut has happened."""
    (tmp_path / "bin").mkdir()
    ssh = tmp_path / "bin" / "ssh"
    ssh.write_text(f'#!/bin/sh\nexec {sys.executable} {CUTTER} "$@"\n')
    ssh.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("PHUX_TEST_CUT", str(tmp_path / "cut"))
    (tmp_path / "config.toml").write_text(f'[hosts.box]\nphux = "{BIN}/phux"\nkeep = 0\n')
    monkeypatch.setenv("PHUX_CONFIG", str(tmp_path / "config.toml"))

    def cut(at, when):
        done = (tmp_path / "cut").exists() and (tmp_path / "cut").read_text() == "done"
        (tmp_path / "cut").write_text(f"{at} {when}")
        return done

    cut(10**9, "after")
    return cut


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_run_is_typed_once_wherever_the_connection_is_cut(open_shell, server, cut, tmp_path, when):
    here = open_shell("bash")
    here.wait(state="prompt", timeout_s=10)
    count = tmp_path / "count"
    at = 0
    while True:
        cut(at, when)
        with blocking.connect(server.socket, host="box") as phux:
            result = phux.pane(here.id).run(f"echo {at} >> {count}; echo done {at}", timeout_s=60)
        assert (result.exit_code, result.output) == (0, f"done {at}")
        if not cut(10**9, when):  # the conversation has fewer frames
            break
        at += 1
    assert at >= 8
    assert count.read_text().split() == [str(number) for number in range(at + 1)]


def test_typed_keys_and_waits_survive_a_cut(open_shell, server, cut):
    here = open_shell("bash")
    here.wait(state="prompt", timeout_s=10)
    for at in range(2, 12, 3):
        cut(at, "after")
        with blocking.connect(server.socket, host="box") as phux:
            pane = phux.pane(here.id)
            pane.send_keys(f"echo typed-{at}-", "Enter")
            assert pane.wait(until=f"typed-{at}-", since=0, timeout_s=30).met == "until"
        assert cut(10**9, "after")
    lines = "\n".join(here.snapshot(scrollback=100).lines)
    for at in range(2, 12, 3):
        assert lines.count(f"\ntyped-{at}-") == 1


def test_a_watch_continues_where_the_connection_was_cut(open_shell, server, cut):
    here = open_shell("bash")
    here.wait(state="prompt", timeout_s=10)
    for at in (8, 10, 13):
        cut(at, "before")
        seen = []
        with blocking.connect(server.socket, host="box") as phux, phux.watch(here.id, output=True) as events:
            here.send_keys(f"for i in 1 2 3 4 5 6; do echo line-{at}-$i-; sleep 0.05; done", "Enter")
            while f"line-{at}-6-" not in seen:
                event = events.next(timeout_s=30)
                if event.event == "output":
                    seen += event.text
        assert cut(10**9, "before")
        wanted = [f"line-{at}-{number}-" for number in range(1, 7)]
        assert [line for line in dict.fromkeys(seen) if line in wanted] == wanted


def test_a_host_that_is_gone_is_tried_again_until_the_timeout(open_shell, server, cut, tmp_path):
    here = open_shell("bash")
    here.wait(state="prompt", timeout_s=10)
    ssh = tmp_path / "bin" / "ssh"
    works = ssh.read_text()
    # The second and the third connection fail.
    ssh.write_text(
        f"#!/bin/sh\nn=$(($(cat {tmp_path}/tries 2>/dev/null) + 1)); echo $n > {tmp_path}/tries\n"
        'case $n in 2|3) echo "ssh: connect to host box port 22: Connection refused" >&2; exit 255;; esac\n'
        + works.partition("\n")[2]
    )
    with blocking.connect(server.socket, host="box", timeout_s=20) as phux:
        cut(0, "before")
        assert phux.pane(here.id).run("echo back").output == "back"
        assert (tmp_path / "tries").read_text().strip() == "4"
    ssh.write_text("#!/bin/sh\necho 'ssh: connect to host box port 22: Connection refused' >&2; exit 255\n")
    with pytest.raises(errors.HostError, match="Connection refused") as caught:
        blocking.connect(server.socket, host="box", timeout_s=20)  # was never reached: no second attempt
    assert caught.value.executed is False

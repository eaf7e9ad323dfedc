"""Input is typed after earlier output was processed: replies to queries precede it, and modes apply."""

from __future__ import annotations

import os
import signal
import sys

from rawwire import RawClient
from servers import eventually
from shell_panes import wait_for_program

ASKS = """
import os, pathlib, sys, time, tty
tty.setraw(0)
pathlib.Path("ready").touch()
while not os.path.exists("go"):
    time.sleep(0.001)
os.write(1, b"\\x1b[?1h\\x1b[6n")
pathlib.Path("asked").touch()
got = b""
while b"A" not in got:
    got += os.read(0, 100)
pathlib.Path("got").write_bytes(got)
pathlib.Path("done").touch()
"""


def test_replies_to_queries_precede_keys_if_the_service_reads_late(phux, tmp_path):
    session = phux.new_session(None, command=[sys.executable, "-c", ASKS], cwd=str(tmp_path))
    eventually((tmp_path / "ready").exists)
    service = phux.status().service_pid
    with RawClient(phux.socket) as client:
        os.kill(service, signal.SIGSTOP)
        try:  # the request arrives before the program's output
            client.send({"id": 1, "call": "input", "params": {"pane": session.pane.id, "items": [{"key": "Up"}]}})
            (tmp_path / "go").touch()
            eventually((tmp_path / "asked").exists)
        finally:
            os.kill(service, signal.SIGCONT)
        assert client.reply(1)["ok"] is not None
    eventually((tmp_path / "done").exists)
    assert (tmp_path / "got").read_bytes() == b"\x1b[1;1R\x1bOA"
    session.kill()


def test_the_reply_to_a_busybox_query_is_not_read_by_the_started_program(open_shell):
    pane = open_shell("busybox")
    pane.wait(state="prompt", timeout_s=10)
    for number in range(5):
        pane.send_keys("Enter")
        pane.send_keys("head -n 1", "Enter")
        wait_for_program(pane, "head")
        pane.send_keys(f"word {number}", "Enter")
        pane.wait(state="prompt", timeout_s=10)
        assert pane.snapshot().text.count(f"word {number}\n") == 2  # the echo, and the output of head

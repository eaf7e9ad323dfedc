"""The date jumps ahead by a year while a server runs."""

from __future__ import annotations

import os
import signal

from faults import faulty_server
from phux_client import blocking
from servers import eventually

JUMPING = """
import time
from phux_core.server.history import server_logs
real = time.time
time.time = lambda: real() + (365 * 86400 if is_on() else 0)
server_logs._FIRST_CLEAN_S = server_logs._CLEAN_S = 0.05
clean = server_logs.cleaning.clean
def counting(*args, **kwargs):
    total = clean(*args, **kwargs)
    with open({counted!r}, "a") as file:
        file.write("x")
    return total
server_logs.cleaning.clean = counting
"""


def test_nothing_expires_when_the_date_jumps_ahead(tmp_path):
    counted = tmp_path / "counted"
    counted.touch()
    with (
        faulty_server(tmp_path, JUMPING.format(counted=str(counted))) as server,
        blocking.connect(server.socket) as phux,
    ):
        phux.new_session("other", command=["cat"])
        pane = phux.new_session("work", command=["/bin/sh", "-c", "echo kept"]).pane
        assert pane.wait(exit=True).met == "exit"
        server.on()
        cleaned = counted.stat().st_size
        eventually(lambda: counted.stat().st_size >= cleaned + 2)
        assert phux.status().uptime_s < 1000
        os.kill(phux.status().service_pid, signal.SIGKILL)
        assert pane.snapshot().lines[0] == "kept"
        assert phux.logs(pane.id).content == "kept"
        assert phux.status().uptime_s < 1000

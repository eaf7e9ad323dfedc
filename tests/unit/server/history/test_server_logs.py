"""The logs of one server: removing old ones."""

from __future__ import annotations

import asyncio
import errno
import os
import time
from types import SimpleNamespace

from phux_core.logs import cleaning
from phux_core.server.history import server_logs


def test_removing_old_logs_continues_after_an_error(tmp_path, monkeypatch):
    attempts = []

    def clean(*_args, **_limits):
        attempts.append(1)
        if len(attempts) <= 2:
            raise OSError((errno.EMFILE, errno.EAGAIN)[len(attempts) - 1], os.strerror(errno.EMFILE))
        return cleaning.Kept(7, 1)

    monkeypatch.setattr(cleaning, "clean", clean)
    monkeypatch.setattr(server_logs, "_FIRST_CLEAN_S", 0)
    monkeypatch.setattr(server_logs, "_CLEAN_S", 0)
    monkeypatch.setattr(server_logs, "_PAUSE", 0)  # otherwise, the pauses get longer on a busy machine
    settings = SimpleNamespace(log_root=str(tmp_path), log_total_bytes=1, log_keep_days=1.0, socket="")

    async def serve():
        logs = server_logs.Logs(asyncio.get_running_loop(), settings, "server", list, time.time)
        async with asyncio.timeout(10):
            while logs.kept is None:
                await asyncio.sleep(0)
        logs.close()
        assert logs.kept == (7, 1)

    asyncio.run(serve())

"""Worker processes that read logs; kept for a while after use, and killed if they take too long.

A worker handles one request at a time. It ends itself if a pattern takes too long to match (``phux_core.patterns``),
and is killed if it does not reply in time or its request is cancelled. Only the caller gets an error.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import sys
from typing import TYPE_CHECKING, Any

from phux_core import errors
from phux_core.patterns import too_slow, was_too_slow

if TYPE_CHECKING:
    from asyncio.subprocess import Process

MOST_WORKERS = 8
MOST_WAITING = 64
"""The most requests that may be waiting or running."""
_IDLE_S = 30.0
_LONGEST_REPLY = 1 << 30


class LogWorkers:
    """The workers of one service."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._workers: set[Process] = set()
        self._free: dict[Process, asyncio.TimerHandle] = {}
        self._slots = asyncio.Semaphore(MOST_WORKERS)
        self._waiting = 0

    async def ask(self, request: dict[str, Any], *, deadline_s: float) -> dict[str, Any]:
        """Send a request to a worker, and return its reply, or raise the error in it.

        Raises:
            LimitError: Too many requests are waiting, or this one took too long.
        """
        if self._waiting >= MOST_WAITING:
            raise errors.LimitError(
                f"the log cannot be read: {MOST_WAITING} requests to read logs are already waiting",
                remedy="try again in a moment",
            )
        self._waiting += 1
        try:
            async with self._slots:
                reply = await self._ask(request, deadline_s)
        finally:
            self._waiting -= 1
        if "error" in reply:
            raise errors.from_wire(reply["error"])
        answer: dict[str, Any] = reply["ok"]
        return answer

    async def _ask(self, request: dict[str, Any], deadline_s: float) -> dict[str, Any]:
        worker = await self._take()
        reply: dict[str, Any] | None = None
        try:
            async with asyncio.timeout(deadline_s):
                reply = await _exchange(worker, request)
        except TimeoutError:
            raise errors.LimitError(
                f"the log could not be read within {deadline_s:g} s",
                remedy="use --stripped, or ask for less with --lines, --since or --session",
            ) from None
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            if was_too_slow(await worker.wait()):
                raise too_slow() from None
            raise errors.InternalError("the process that reads logs has ended") from error
        finally:
            if reply is None:
                self._end(worker)
        self._free[worker] = self._loop.call_later(_IDLE_S, self._end, worker)
        return reply

    async def _take(self) -> Process:
        while self._free:
            worker, timer = self._free.popitem()
            timer.cancel()
            if worker.returncode is None:
                return worker
            self._workers.discard(worker)
        # -P keeps the working directory out of sys.path, as it does for the service.
        try:
            worker = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "phux_core.logs.worker"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LONGEST_REPLY,
            )
        except RuntimeError as error:  # asyncio cannot start the thread that waits for the process
            raise OSError(errno.EAGAIN, str(error)) from error
        self._workers.add(worker)
        return worker

    def _end(self, worker: Process) -> None:
        self._workers.discard(worker)
        timer = self._free.pop(worker, None)
        if timer is not None:
            timer.cancel()
        with contextlib.suppress(ProcessLookupError):
            worker.kill()

    def close(self) -> None:
        for worker in [*self._workers]:
            self._end(worker)


async def _exchange(worker: Process, request: dict[str, Any]) -> dict[str, Any]:
    assert worker.stdin is not None
    assert worker.stdout is not None
    # As bytes after the line: JSON of a whole journal would delay other clients.
    data: bytes = request.pop("data", b"")
    worker.stdin.write(json.dumps(request | {"data_size": len(data)}).encode() + b"\n")
    worker.stdin.write(data)
    await worker.stdin.drain()
    reply: dict[str, Any] = json.loads(await worker.stdout.readuntil())
    return reply

"""``python -P -m phux_core.server.template FD``: fork private servers without repeating imports.

A server's imports take a tenth of a second, a fork a few milliseconds. A client starts one template for all of its
embedded servers. The template ends when its client ends, or when it was idle for a while.

A keeper and its service are forked in advance, and wait for their orders (``Spare``).

Orders arrive on the socket FD, one at a time: a frame (docs/wire.md) with ``options`` for the keeper, ``env`` and
``cwd``, and three descriptors: the one on which the keeper reports that it is ready, the pipe whose closing ends it,
and its log. The reply is a frame with the keeper's ``pid``.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import math
import os
import select
import signal
import socket
import sys
import time
from typing import TYPE_CHECKING, Any, NoReturn

from phux_core import wire
from phux_core.engine import choose, create
from phux_core.keeper import __main__ as keeper
from phux_core.keeper.channel import ChannelClosedError
from phux_core.keeper.children import close_inherited
from phux_core.logs.places import server_name
from phux_core.server import __main__ as service

if TYPE_CHECKING:
    from collections.abc import Callable

IDLE_S = 5.0
"""How long a template without running servers waits for work."""
_SPARE_AFTER_S = 0.03  # by then the last server has started, and does not compete with the next
_DEFAULTS = vars(keeper.parser().parse_args([]))
_MAX_ORDER = 16 * 1024 * 1024
_END_POLL_S = 0.01


class ForkedService:
    """A forked service, with the part of ``subprocess.Popen`` that the keeper needs."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None  # set by the keeper

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the service to end, or raise TimeoutError."""
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        while time.monotonic() < deadline:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            time.sleep(_END_POLL_S)
        raise TimeoutError


class Spare:
    """A process that is forked in advance, and runs a program that gets its order from a socket."""

    def __init__(self, program: Callable[[socket.socket], int]) -> None:
        self._sock, theirs = socket.socketpair()
        with theirs:
            self.pid = os.fork()
            if not self.pid:
                _run(lambda: program(theirs), keep=theirs.fileno())

    def order(self, order: dict[str, Any], fds: list[int]) -> None:
        """Send the process its order; raise OSError if it is gone."""
        data = wire.encode(order)
        with self._sock:
            rest = data[socket.send_fds(self._sock, [data], fds) :]
            if rest:  # else it may have ended already
                self._sock.sendall(rest)


def main() -> int:
    """Fork keepers until the client is gone or the template was idle too long."""
    if os.fork():
        return 0  # no process has to wait for the template
    client = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers must leave no zombies
    _warm_up()
    gc.freeze()  # garbage collection would copy memory shared by the forks
    keepers: list[int] = []
    spare: Spare | None = None
    while True:
        if not select.select([client], [], [], _SPARE_AFTER_S if spare is None else IDLE_S)[0]:
            if spare is None:
                spare = Spare(_be_keeper)
                continue
            keepers = [pid for pid in keepers if _is_alive(pid)]
            if keepers:
                continue
            return 0
        order, fds = _receive(client)
        if order is None:
            return 0
        spare = spare or Spare(_be_keeper)
        spare.order(order, fds)
        for fd in fds:
            os.close(fd)
        keepers.append(spare.pid)
        client.sendall(wire.encode({"pid": spare.pid}))
        spare = None


def _warm_up() -> None:
    """Do the work common to all servers once, before forking."""
    create(choose(None), 80, 24).close()
    server_name("", 0.0, 0)
    service.log_to_stderr()
    asyncio.new_event_loop().close()


def _receive(client: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    decoder = wire.Decoder(max_header=_MAX_ORDER, max_payload=0)
    fds: list[int] = []
    while True:
        data, received, _flags, _address = socket.recv_fds(client, wire.RECEIVE_SIZE, 3)
        for fd in received:
            os.set_inheritable(fd, False)
        fds += received
        if not data:
            return None, fds
        for header, _payload in decoder.feed(data):
            return header, fds


def _be_keeper(orders: socket.socket) -> int:
    spares = [Spare(_be_service)]
    order, fds = _receive(orders)
    if order is None:
        return 0  # no longer needed
    ready, life, log = fds
    _enter(order, log)

    def start_service(settings: str, channel_fd: int, _python: str) -> ForkedService:
        spare = spares.pop() if spares else Spare(_be_service)
        spare.order({**order, "settings": settings}, [channel_fd, 2])
        return ForkedService(spare.pid)

    options = {**_DEFAULTS, **order["options"], "ready_fd": ready, "life_fd": life}
    return keeper.run(argparse.Namespace(**options), start_service)


def _be_service(orders: socket.socket) -> int:
    def receive_order() -> tuple[str, int]:
        order, fds = _receive(orders)
        if order is None:
            raise ChannelClosedError("the service is not needed")
        channel_fd, log = fds
        _enter(order, log)
        return order["settings"], channel_fd

    return service.main(receive_order)


def _enter(order: dict[str, Any], log: int) -> None:
    """Switch to the environment, the directory and the log of an order."""
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    for name in [*os.environ]:
        del os.environ[name]
    os.environ.update(order["env"])
    with contextlib.suppress(OSError):
        os.chdir(order["cwd"])


def _run(program: Callable[[], int], keep: int) -> NoReturn:
    """Run a program in a forked process, without the template's signal handlers and descriptors, and exit."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        close_inherited([keep])
        status = program()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:  # noqa: BLE001  the process ends here
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(OSError):
            sys.stderr.flush()
        os._exit(status)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())

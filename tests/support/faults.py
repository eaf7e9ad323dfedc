"""Servers with faults in their service that a test can switch on and off."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from servers import embedded_server, eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_client.embedding import EmbeddedServer

_SITE = """
import os, sys
if any(word.startswith("phux_core.server") for word in sys.orig_argv):  # including the template process
    def is_on():
        return os.path.exists({switch!r})
    def die_at(place):
        if is_on() and open({switch!r}).read() == place:
            os.unlink({switch!r})
            os.kill(os.getpid(), 9)
{code}
"""


# Aborts the service when the ghostty engine gets a certain text, as a panic of libghostty does.
PANIC = """
from phux_core.engine.ghostty import engine as ghostty
feed = ghostty.GhosttyEngine.feed
def panicking(self, data):
    if b"CRASH-NOW" in data:
        os.abort()
    return feed(self, data)
ghostty.GhosttyEngine.feed = panicking
"""


class FaultyServer:
    """A server with a fault that can be switched on and off.

    Args:
        server: The server.
        switch: The fault is on while this file exists.
    """

    def __init__(self, server: EmbeddedServer, switch: Path) -> None:
        self.socket = server.socket
        self.log = Path(f"{server.socket}.log")
        self._switch = switch

    def on(self, place: str = "") -> None:
        """Switch the fault on; ``place`` is where a service that calls ``die_at`` dies, once."""
        self._switch.write_text(place)

    def off(self) -> None:
        """Switch the fault off."""
        self._switch.unlink()


@contextlib.contextmanager
def faulty_server(directory: Path, code: str, engine: str = "pyte") -> Iterator[FaultyServer]:
    """Start a server with a service that executes code at startup.

    Args:
        directory: The directory for the code and the switch.
        code: The code. It can call ``is_on()``, which returns True while the fault is switched on, and
            ``die_at(place)``.
        engine: The server's engine.
    """
    switch = directory / "fault"
    site = directory / "site"
    site.mkdir()
    indented = "".join(f"    {line}\n" for line in code.strip("\n").split("\n"))
    (site / "sitecustomize.py").write_text(_SITE.format(switch=str(switch), code=indented))
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(site)
    try:
        server = embedded_server(engine)
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
    with server:
        yield FaultyServer(server, switch)


def service_pids(keeper: int) -> list[int]:
    """Return the process ids of the services of a keeper, including unresponsive ones."""
    found = []
    for pid in Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split():
        with contextlib.suppress(OSError):
            if b"phux_core.server" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(int(pid))
    return found


def kill_any_service(keeper: int, number: int = signal.SIGKILL) -> int:
    """Send a signal to the service of a keeper as soon as it is running.

    Returns:
        The process id of the service.
    """
    pid: int = eventually(lambda: service_pids(keeper))[0]
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
    return pid

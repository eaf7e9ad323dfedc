"""Servers whose service fails in a chosen way while a test wants it to."""

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
if any(word.startswith("phux_core.server") for word in sys.orig_argv):  # including the template of services
    def is_on():
        return os.path.exists({switch!r})
{code}
"""


class FaultyServer:
    """A server with a fault that can be switched on and off.

    Args:
        server: The server.
        switch: A file; the fault happens while it exists.
    """

    def __init__(self, server: EmbeddedServer, switch: Path) -> None:
        self.socket = server.socket
        self.log = Path(f"{server.socket}.log")
        self._switch = switch

    def on(self) -> None:
        """Switch the fault on."""
        self._switch.touch()

    def off(self) -> None:
        """Switch the fault off."""
        self._switch.unlink()


@contextlib.contextmanager
def faulty_server(directory: Path, code: str, engine: str = "pyte") -> Iterator[FaultyServer]:
    """Start a server whose service executes code before anything else.

    Args:
        directory: The directory for the code and the switch.
        code: The code. There, ``is_on()`` returns whether the fault is switched on.
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
    """Return the service processes of a keeper, including one that does not answer."""
    found = []
    for pid in Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split():
        with contextlib.suppress(OSError):
            if b"phux_core.server" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(int(pid))
    return found


def kill_any_service(keeper: int, number: int = signal.SIGKILL) -> int:
    """Signal the service of a keeper as soon as there is one.

    Returns:
        Its process id.
    """
    pid: int = eventually(lambda: service_pids(keeper))[0]
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
    return pid

"""Run a session while the Nth system call of a kind fails once, and check that nothing is lost.

``scenario`` starts a private server, runs commands, splits, kills the service, and reads the log. A step that fails
must give a clear error, and must succeed when it is repeated.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fault_hooks import sitecustomize as hooks

from phux_client import blocking
from phux_core.errors import PhuxError
from servers import embedded_server, kill_service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from phux_client.blocking import Pane, Phux, Session

ROLES = ("keeper", "service")
KINDS = hooks.KINDS
_LONGEST_STEP_S = 15.0
_LINES = 20_000
_UNCLEAR = {"internal", "cannot_execute"}


class Point(NamedTuple):
    """The Nth call of a kind in the keeper or the service."""

    role: str
    kind: str
    nth: int

    def __str__(self) -> str:
        return f"{self.role} {self.kind} {self.nth}"


class FaultPoints:
    """The file that tells the servers which call to fail."""

    def __init__(self, file: Path) -> None:
        file.write_bytes(bytes(32))
        with file.open("r+b") as opened:
            self._cells = memoryview(mmap.mmap(opened.fileno(), 32)).cast("Q")

    def arm(self, point: Point) -> None:
        """Make a call fail, counted from now."""
        self._cells[2] = 0
        self._cells[0], self._cells[1] = ROLES.index(point.role), KINDS.index(point.kind)
        self._cells[3] = 0
        self._cells[2] = point.nth

    def disarm(self) -> bool:
        """Let no call fail any more; return whether one did."""
        fired = 0 < self._cells[2] <= self._cells[3]
        self._cells[2] = 0
        return fired


@contextlib.contextmanager
def fault_points(directory: Path) -> Iterator[FaultPoints]:
    """Load the hooks into the private servers that this process starts inside the block."""
    points = FaultPoints(directory / "faults")
    before = {name: os.environ.get(name) for name in ("PYTHONPATH", "PHUX_FAULTS")}
    os.environ["PYTHONPATH"] = str(Path(hooks.__file__).parent)
    os.environ["PHUX_FAULTS"] = str(directory / "faults")
    try:
        yield points
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


class Scenario:
    """One run of the scenario; ``errors`` lists the errors that clients got."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def step(self, action: Callable[[], object]) -> object:
        """Do something, and again if it fails."""
        began = time.monotonic()
        try:
            return action()
        except PhuxError as error:
            self.errors.append(f"{error.code}: {error.message}")
            if error.code in _UNCLEAR:
                raise
            return action()
        finally:
            took_s = time.monotonic() - began
            assert took_s < _LONGEST_STEP_S, f"a step took {took_s:.1f} s"

    def run(self) -> None:
        """Use a server from its start to its end."""
        server = self.step(embedded_server)
        with server, blocking.connect(server.socket, timeout_s=_LONGEST_STEP_S) as phux:
            try:
                self._use(phux)
            except BaseException:
                with contextlib.suppress(OSError):
                    print(Path(f"{server.socket}.log").read_text())
                raise

    def _use(self, phux: Phux) -> None:
        def new() -> Session:
            with contextlib.suppress(PhuxError):  # an attempt whose reply was lost
                phux.kill("work")
            return phux.new_session("work", command=["/bin/sh"], size=(80, 24))

        session: Session = self.step(new)
        first = session.pane
        self._check_run(first, "echo one", "one")
        second: Pane = self.step(lambda: first.split(command=["/bin/sh"]))
        self._check_run(second, "echo two", "two")
        lines = "\n".join(map(str, range(1, _LINES + 1)))
        self._check_run(first, f"seq {_LINES}", lines)
        self._check_log(phux, first)
        kill_service(phux)
        self._check_run(first, "echo three", "three")
        self._check_run(second, "echo four", "four")
        self._check_log(phux, first)
        self.step(lambda: phux.kill("work") if phux.sessions() else None)

    def _check_run(self, pane: Pane, command: str, output: str) -> None:
        result = self.step(lambda: pane.run(command, timeout_s=_LONGEST_STEP_S))
        assert result.output == output, f"{command}: {result.output[:100]!r}"
        assert result.exit_code == 0

    def _check_log(self, phux: Phux, pane: Pane) -> None:
        """Check that the log has all lines of ``seq``, or names a hole."""
        read = self.step(lambda: pane.logs(mode="raw", from_byte=0, max_bytes=1 << 20))
        numbers = [int(line) for line in re.findall(r"^(\d+)\r$", read.content, re.MULTILINE)]
        if not read.holes:
            assert numbers[:_LINES] == list(range(1, _LINES + 1)), f"the log has {len(numbers)} lines"

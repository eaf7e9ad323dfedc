"""The service's process, as the keeper sees it."""

from __future__ import annotations

import os
import signal
from typing import Any, Protocol

from phux_core.keeper.restarts import EXCEPTION_STATUS
from phux_core.keeper.signals import signal_name

FAULTS = {signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV, signal.SIGTRAP, signal.SIGSYS}
"""Signals that a fault of the process itself causes."""


class ServiceProcess(Protocol):
    """A service process, with the interface of ``subprocess.Popen``."""

    pid: int
    returncode: int | Any | None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the process to exit."""

    def kill(self) -> None:
        """Kill the process."""


def how_it_ended(status: int) -> str:
    """Describe a wait status, such as "was killed by SIGSEGV"."""
    if os.WIFSIGNALED(status):
        return f"was killed by {signal_name(os.WTERMSIG(status))}"
    code = os.waitstatus_to_exitcode(status)
    return f"exited with status {code}" + (" after an exception" if code == EXCEPTION_STATUS else "")

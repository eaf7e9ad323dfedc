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


class Interpreters:
    """The Python interpreter that starts the services: another one after an upgrade in place.

    If the first service of the other one dies before it is ready, the previous interpreter is used again.
    """

    def __init__(self, first: str) -> None:
        self._usable = [first]
        self._used = first

    def take(self) -> str:
        """Return the interpreter for the next service."""
        self._used = self._usable[-1]
        return self._used

    def replace(self, python: str) -> None:
        """Use another interpreter for later services; it may be the same, with another release."""
        if python != self._usable[-1]:
            self._usable.append(python)

    def ready(self) -> None:
        """Record that the latest service is ready."""
        if self._used == self._usable[-1]:
            del self._usable[:-1]

    def died(self) -> bool:
        """Record that the latest service died; return True if the previous interpreter is used again."""
        failed = len(self._usable) > 1 and self._used == self._usable[-1]
        if failed:
            self._usable.pop()
        return failed


def how_it_ended(status: int) -> str:
    """Describe a wait status, such as "was killed by SIGSEGV"."""
    if os.WIFSIGNALED(status):
        return f"was killed by {signal_name(os.WTERMSIG(status))}"
    code = os.waitstatus_to_exitcode(status)
    return f"exited with status {code}" + (" after an exception" if code == EXCEPTION_STATUS else "")

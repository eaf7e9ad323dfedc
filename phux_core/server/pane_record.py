"""The record of a pane: its state that must survive a restart of the service."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from attrs import define, fields

from phux_core.clock import boottime
from phux_core.keeper.signals import signal_name

if TYPE_CHECKING:
    from attrs import AttrsInstance


def known_fields(kind: type[AttrsInstance], stored: dict[str, Any]) -> dict[str, Any]:
    """Return the stored fields of a record that this release knows; a newer one may have stored others."""
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in stored.items() if name in names}


@define
class PaneRecord:
    """The record of a pane, in which one program runs or ran.

    ``engine`` is set if it must not use the server's default engine; ``engine_note`` explains it. ``nonce`` is
    contained in the marks of its shell; empty without shell integration. ``history_limit`` is set if it differs from
    the server's. ``shell`` is the kind of interactive shell that it was started with, if any. ``request`` is
    the key of the request that created it.
    """

    id: int
    cols: int
    rows: int
    command: str
    cwd: str
    pid: int
    started_at: float
    dead: bool = False
    exit_status: int | None = None
    exit_signal: int | None = None
    died_at: float | None = None
    dead_since: float | None = None  # on phux_core.clock
    engine: str | None = None
    engine_note: str | None = None
    nonce: str = ""
    history_limit: int | None = None
    shell: str | None = None
    request: str | None = None

    @property
    def exit_code(self) -> int | None:
        """The exit code of its program as a shell reports it: 128 plus the signal if it was killed."""
        return 128 + self.exit_signal if self.exit_signal else self.exit_status

    def end(self, wait_status: int) -> None:
        self.dead, self.died_at, self.dead_since = True, time.time(), boottime()
        if os.WIFSIGNALED(wait_status):
            self.exit_signal = os.WTERMSIG(wait_status)
        else:
            self.exit_status = os.waitstatus_to_exitcode(wait_status)

    def ending(self) -> dict[str, object]:
        """Return how its program ended, as fields of an event."""
        signal = {} if self.exit_signal is None else {"signal": signal_name(self.exit_signal)}
        return {"exit_status": self.exit_status, **signal}

"""A pane as a plain record: what must survive a restart of the service."""

from __future__ import annotations

import os
import time

from attrs import define

from phux_core.keeper.signals import signal_name


@define
class PaneRecord:
    """A pane: a place where one program runs or ran.

    ``engine`` is set when it must not have the server's usual engine, ``engine_note`` says why. ``nonce`` is what the
    marks of its shell carry; empty when it has none. ``history_limit`` is set when it keeps another history than usual.
    ``shell`` is the kind of interactive shell that was started, if it was one.
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
    engine: str | None = None
    engine_note: str | None = None
    nonce: str = ""
    history_limit: int | None = None
    shell: str | None = None

    @property
    def exit_code(self) -> int | None:
        """How its program ended, as a shell tells it."""
        return 128 + self.exit_signal if self.exit_signal else self.exit_status

    def end(self, wait_status: int) -> None:
        """Record that its program has ended, and how."""
        self.dead, self.died_at = True, time.time()
        if os.WIFSIGNALED(wait_status):
            self.exit_signal = os.WTERMSIG(wait_status)
        else:
            self.exit_status = os.waitstatus_to_exitcode(wait_status)

    def ending(self) -> dict[str, object]:
        """Say how its program ended, as the event does."""
        signal = {} if self.exit_signal is None else {"signal": signal_name(self.exit_signal)}
        return {"exit_status": self.exit_status, **signal}

"""The keeper's options, as passed to the service."""

from __future__ import annotations

import json

from attrs import define

from phux_core.engine.protocol import DEFAULT_HISTORY
from phux_core.logs.cleaning import DEFAULT_KEEP_DAYS, DEFAULT_TOTAL_BYTES
from phux_core.logs.writing import DEFAULT_PANE_BYTES


@define(frozen=True)
class Settings:
    """The server's options; docs/config.md describes those that are in the config file.

    Attributes:
        log: The log file of a detached server; None in the foreground.
        owned: Whether it ends with the program that owns it, regardless of sessions.
        exit_after_idle: Seconds without a client after which the server ends; None for never.
        keep_dead: Seconds for which a dead pane stays readable; None for the default.
        log_root: The directory of all panes' logs; empty to keep none.
        shell: The program of a new pane without a command; None for the caller's shell.
    """

    socket: str
    log: str | None = None
    owned: bool = False
    exit_after_idle: float | None = None
    keep_dead: float | None = None
    engine: str | None = None
    log_root: str = ""
    log_panes: bool = True
    log_pane_bytes: int = DEFAULT_PANE_BYTES
    log_total_bytes: int = DEFAULT_TOTAL_BYTES
    log_keep_days: float = DEFAULT_KEEP_DAYS
    history_limit: int = DEFAULT_HISTORY
    shell: str | None = None
    window_size: str = "smallest"

    @classmethod
    def parse(cls, text: str) -> Settings:
        return cls(**json.loads(text))

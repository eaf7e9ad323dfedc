"""What the keeper was told, as the service sees it."""

from __future__ import annotations

import json

from attrs import define

from phux_core.engine.protocol import DEFAULT_HISTORY


@define(frozen=True)
class Settings:
    """The server's options.

    Attributes:
        socket: The path of the socket.
        log: The log file of a detached server; None in the foreground.
        exit_after_idle: Seconds without a client after which the server ends; None for never.
        keep_dead: Seconds a dead pane stays readable; None for the default.
        engine: The engine that was asked for; None to choose.
        history_limit: How many rows of history a pane keeps.
        shell: What runs in a new pane without a command; None for the caller's own.
        window_size: Which of the attached clients decides a window's size.
    """

    socket: str
    log: str | None = None
    exit_after_idle: float | None = None
    keep_dead: float | None = None
    engine: str | None = None
    history_limit: int = DEFAULT_HISTORY
    shell: str | None = None
    window_size: str = "smallest"

    @classmethod
    def parse(cls, text: str) -> Settings:
        """Read the settings from the service's command line."""
        return cls(**json.loads(text))

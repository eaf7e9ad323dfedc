"""The calls of attached clients; a part of ``Dispatch``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_core import engine as engines
from phux_core.errors import NoSuchTargetError
from phux_core.server.screen.attach_frames import read_rows
from phux_core.server.tree import launch

if TYPE_CHECKING:
    from phux_core.engine import Engine
    from phux_core.server.api.connection import Connection, Result
    from phux_core.server.service import Service

MAX_ROWS_AT_ONCE = 1000


class AttachCalls:
    """One method a call, named like it.

    Args:
        service: What they are carried out on.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    def _attach(self, connection: Connection, session: int, cols: int, rows: int, read_only: bool | None) -> Result:
        size = launch.check_size(cols, rows)
        attachment = self._service.attachments.attach(connection, session, size=size, read_only=bool(read_only))
        return {"attachment": attachment.number}

    def _resize_attachment(self, connection: Connection, attachment: int, cols: int, rows: int) -> Result:
        self._service.attachments.resize(connection, attachment, launch.check_size(cols, rows))
        return {}

    def _detach(self, _connection: Connection, session: int | None, attachment: int | None, keep: int | None) -> Result:
        if session is not None and session not in self._service.tree.sessions:
            raise NoSuchTargetError(f"there is no session with the id {session}")
        attachments = self._service.attachments
        chosen = attachments.chosen(session, attachment, keep)
        return {"detached": attachments.detach(chosen, "detached", "detached by another client")}

    def _freeze(self, connection: Connection, attachment: int, pane: int) -> Result:
        live = self._service.panes.get(pane)
        if live is None:
            raise NoSuchTargetError(f"there is no pane @{pane}")
        shown = self._service.attachments.of(connection, attachment)
        shown.thaw()
        shown.frozen = copy = engines.restore(live.engine.checkpoint())
        cursor = copy.cursor()
        return {
            "cols": copy.cols,
            "rows": copy.rows,
            "total": _history(copy) + copy.rows,
            "cursor": [cursor.x, cursor.y],
            "seq": live.seq,
        }

    def _frozen_rows(self, connection: Connection, attachment: int, first: int, count: int) -> Result:
        copy = self._service.attachments.of(connection, attachment).frozen
        if copy is None:
            raise NoSuchTargetError("this attachment has no frozen pane", remedy="freeze one first")
        history = _history(copy)
        count = max(0, min(count, MAX_ROWS_AT_ONCE, history + copy.rows - first))
        lines = copy.lines(first - history, count)
        return {"rows": read_rows(copy, first - history, count), "wrapped": lines.wrapped}

    def _thaw(self, connection: Connection, attachment: int) -> Result:
        self._service.attachments.of(connection, attachment).thaw()
        return {}


def _history(copy: Engine) -> int:
    """Return how many rows of history a frozen copy shows."""
    return 0 if copy.alt_screen else copy.history_rows

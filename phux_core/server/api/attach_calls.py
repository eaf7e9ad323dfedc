"""Calls of attached clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_core import engine as engines
from phux_core.server.api.handlers import find_pane, handles
from phux_core.server.screen.attach_frames import read_rows
from phux_core.server.tree import launch

if TYPE_CHECKING:
    from phux_core.engine import Engine
    from phux_core.server.connection import Connection, Result
    from phux_core.server.service import Service

MAX_ROWS_AT_ONCE = 1000


@handles("attach")
def attach(service: Service, connection: Connection, session: int, cols: int, rows: int, read_only: bool) -> Result:
    size = launch.check_size(cols, rows)
    attachment = service.attachments.attach(connection, session, size=size, read_only=read_only)
    return {"attachment": attachment.number}


@handles("resize_attachment")
def resize_attachment(service: Service, connection: Connection, attachment: int, cols: int, rows: int) -> Result:
    service.attachments.resize(connection, attachment, launch.check_size(cols, rows))
    return {}


@handles("detach")
def detach(service: Service, session: int | None, attachment: int | None, keep: int | None) -> Result:
    if session is not None:
        service.tree.session(session)  # checks that it exists
    chosen = service.attachments.chosen(session, attachment, keep)
    return {"detached": service.attachments.detach(chosen, "detached", "detached by another client")}


@handles("freeze")
def freeze(service: Service, connection: Connection, attachment: int | None, pane: int) -> Result:
    live = find_pane(service, pane)
    owner = _owner(service, connection, attachment)
    copy = engines.restore(live.engine.checkpoint())
    service.attachments.copies.put(owner, copy)
    cursor = copy.cursor()
    return {
        "cols": copy.cols,
        "rows": copy.rows,
        "total": _history(copy) + copy.rows,
        "cursor": [cursor.x, cursor.y],
        "seq": live.seq,
    }


@handles("frozen_rows")
def frozen_rows(service: Service, connection: Connection, attachment: int | None, first: int, count: int) -> Result:
    copy = service.attachments.copies.get(_owner(service, connection, attachment))
    history = _history(copy)
    count = max(0, min(count, MAX_ROWS_AT_ONCE, history + copy.rows - first))
    lines = copy.lines(first - history, count)
    return {"rows": read_rows(copy, first - history, count), "wrapped": lines.wrapped}


@handles("thaw")
def thaw(service: Service, connection: Connection, attachment: int | None) -> Result:
    service.attachments.copies.drop(_owner(service, connection, attachment))
    return {}


def _owner(service: Service, connection: Connection, attachment: int | None) -> object:
    return connection if attachment is None else service.attachments.of(connection, attachment)


def _history(copy: Engine) -> int:
    """Return the number of history rows that a frozen copy shows."""
    return 0 if copy.alt_screen else copy.history_rows

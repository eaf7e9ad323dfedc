"""Execution of calls: checked against the registry, and passed to their handlers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_core import calls
from phux_core.server.api import attach_calls, event_calls, log_calls, new_calls, pane_calls, process_calls, tree_calls
from phux_core.server.api.handlers import HANDLERS

if TYPE_CHECKING:
    from phux_core.server.connection import Answer, Connection
    from phux_core.server.service import Service

TOPICS = (attach_calls, event_calls, log_calls, new_calls, pane_calls, process_calls, tree_calls)
"""The modules with handlers; importing them registers the handlers."""

if missing := calls.CALLS.keys() - HANDLERS.keys():
    raise TypeError(f"these calls have no handler: {', '.join(sorted(missing))}")


def dispatch(service: Service, connection: Connection, name: object, params: object) -> Answer:
    """Check a call against the registry, and execute it, immediately or asynchronously."""
    service.turns.note_activity()
    call, values = calls.check(name, params)
    service.attachments.check_allowed(connection, call.name)
    for param, default in call.defaults.items():
        if values[param] is None:
            values[param] = default
    return HANDLERS[call.name](service, connection, values)

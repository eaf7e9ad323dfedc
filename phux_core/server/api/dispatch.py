"""Execution of calls: checked against the registry, and passed to their handlers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from phux_core import calls
from phux_core.errors import BadRequestError
from phux_core.server.api import (
    attach_calls,
    event_calls,
    file_calls,
    log_calls,
    new_calls,
    pane_calls,
    process_calls,
    tree_calls,
    upgrade_calls,
)
from phux_core.server.api.handlers import HANDLERS
from phux_core.server.receipts import Receipt

if TYPE_CHECKING:
    from phux_core.server.connection import Answer, Connection
    from phux_core.server.service import Service

TOPICS = (
    attach_calls,
    event_calls,
    file_calls,
    log_calls,
    new_calls,
    pane_calls,
    process_calls,
    tree_calls,
    upgrade_calls,
)
"""The modules with handlers; importing them registers the handlers."""

# Typed input is recorded in the pane's memory, which takes less time.
_OWN_RECEIPTS = frozenset({"input"})

if missing := calls.CALLS.keys() - HANDLERS.keys():
    raise TypeError(f"these calls have no handler: {', '.join(sorted(missing))}")


def dispatch(service: Service, connection: Connection, name: object, params: object, key: object = None) -> Answer:
    """Check a call against the registry, and execute it, immediately or asynchronously; once for each key."""
    service.turns.note_activity()
    call, values = calls.check(name, params)
    if key is not None and not calls.is_chosen_id(key):
        raise BadRequestError("the request's key is not a string of up to 64 ASCII characters")
    service.attachments.check_allowed(connection, call.name)
    for param, default in call.defaults.items():
        if values[param] is None:
            values[param] = default
    handler = partial(HANDLERS[call.name], service, connection, values)
    if not isinstance(key, str) or call.name in _OWN_RECEIPTS or not call.keyed:
        return handler(Receipt(key if isinstance(key, str) else None))
    return service.receipts.execute(key, handler)

"""Calls about subscriptions to events, and the one that cancels another."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from phux_core.errors import BadRequestError, BusyError, DisconnectedError, LimitError
from phux_core.server.api.handlers import find_pane, handles

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from phux_core.server.connection import Connection, Result
    from phux_core.server.pane import Pane
    from phux_core.server.service import Service

MAX_SUBSCRIPTIONS = 1000


@handles("subscribe")
def subscribe(
    service: Service,
    connection: Connection,
    pane: int | None,
    output: bool,
    since: int | None,
    output_only: bool,
    screen: bool,
    hold_ms: int | None,
) -> Result | Awaitable[Result]:
    if output and pane is None:
        raise BadRequestError("the text of all panes cannot be pushed at once", remedy="send `pane` with `output`")
    if not output and (since is not None or output_only or screen):
        raise BadRequestError("`since`, `output_only` and `screen` come with text", remedy="send `output` too")
    live = None if pane is None else find_pane(service, pane)
    events = service.events
    if len(events.numbers_of(connection)) >= MAX_SUBSCRIPTIONS:
        raise LimitError(f"this connection has {MAX_SUBSCRIPTIONS} subscriptions", remedy="end some of them")
    if live is None:
        if hold_ms is not None:
            raise BadRequestError("only a pane can be held", remedy="send `pane` with `hold_ms`")
        return {"subscription": events.subscribe(connection, None)}
    if hold_ms is not None:
        return _hold(service, connection, live, hold_ms)
    if output:
        number, since = events.follow(connection, live, since=since, output_only=output_only, screen=screen)
    else:
        number, since = events.subscribe(connection, live.id), live.seq
    if live.record.dead:
        events.push_end(connection, number, live)
    return _subscribed(live, number, since)


async def _hold(service: Service, connection: Connection, pane: Pane, hold_ms: int) -> Result:
    """Subscribe to a pane, and hold its lock for the lifetime of the subscription."""
    lock = pane.runner.lock
    try:
        async with asyncio.timeout(hold_ms / 1000):
            await lock.acquire()
    except TimeoutError:
        raise BusyError(
            f"another client runs a command or acts in @{pane.id}", remedy="wait for it, or look at the screen"
        ) from None
    if not connection.is_open:
        lock.release()
        raise DisconnectedError("the client has disconnected")
    number = service.events.subscribe(connection, pane.id, at_end=lock.release)
    return _subscribed(pane, number, pane.seq)


def _subscribed(pane: Pane, number: int, since: int) -> Result:
    return {
        "subscription": number,
        "seq": pane.seq,
        "since": since,
        "marks": pane.tracker.marks.is_active,
        "command_end": pane.ledger.last_end,
    }


@handles("unsubscribe")
def unsubscribe(service: Service, connection: Connection, subscription: int) -> Result:
    service.events.unsubscribe(connection, subscription)
    return {}


@handles("cancel")
def cancel(_service: Service, connection: Connection, request: int) -> Result:
    connection.cancel(request)
    return {}

"""Calls that read a pane's screen and type into a pane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_core.server.api.handlers import find_pane, handles
from phux_core.server.documents.painting import is_painted, wait_until_painted
from phux_core.server.documents.screen import catch_up, read_screen

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable

    from phux_core.server.clients.connection import Connection, Result
    from phux_core.server.pane import Pane
    from phux_core.server.service import Service


@handles("snapshot")
def snapshot(
    service: Service, pane: int, scrollback: int | None, cells: bool, since: int | None, painted: bool
) -> Result | Awaitable[Result]:
    def read() -> Result:
        live = find_pane(service, pane)  # it may have been killed meanwhile
        catch_up(live)
        return read_screen(live, scrollback=scrollback, cells=cells, since=since)

    if painted and not is_painted(find_pane(service, pane)):
        return _when_painted(find_pane(service, pane), read)
    return read()


async def _when_painted(pane: Pane, read: Callable[[], Result]) -> Result:
    await wait_until_painted(pane)
    return read()


@handles("history_limit")
def history_limit(service: Service, pane: int, rows: int) -> Result:
    find_pane(service, pane).set_history_limit(rows)
    return {}


@handles("input")
def type_input(
    service: Service, connection: Connection, pane: int, items: list[dict[str, Any]]
) -> Result | Awaitable[Result]:
    if all("focus" in item for item in items):
        # An attached client reports its terminal's focus; the server knows which pane that means.
        if service.attachments.terminal_focused(connection, focused=items[-1]["focus"]):
            return {"bytes": 0}
    else:
        service.attachments.used(connection)
    size, written = find_pane(service, pane).type(items, client=connection.client)
    service.attachments.typed(connection, pane)
    # The kernel usually accepts it at once; then the reply need not wait for the event loop.
    if written.done() and written.exception() is None:
        return {"bytes": size}
    return _when_written(size, written)


async def _when_written(size: int, written: asyncio.Future[None]) -> Result:
    await written
    return {"bytes": size}

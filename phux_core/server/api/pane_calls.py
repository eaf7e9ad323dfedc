"""Calls that read a pane's screen and type into a pane."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from phux_core.server.api.handlers import find_pane, handles
from phux_core.server.documents import catch_up, read_screen
from phux_core.server.push.attachments import SYNC_S
from phux_core.server.screen.attach_frames import frame_since

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from phux_core.server.connection import Connection, Result
    from phux_core.server.pane import Pane
    from phux_core.server.receipts import Receipt
    from phux_core.server.service import Service

# A full-screen program has drawn its screen when it waits for input and has paused for this long: one of its threads
# may draw while another waits.
_PAUSE_S = 0.02
# Short, because a shell is at its prompt soon after its last output.
_POLL_S = 0.002
# Limits for a program that writes without a pause, and for a silent one that is busy: htop enters the alternate screen,
# measures for 80 ms, and then draws.
_LONGEST_OUTPUT_S = 0.1
_LONGEST_SILENCE_S = 0.25


@handles("snapshot")
def snapshot(
    service: Service, pane: int, scrollback: int | None, cells: bool, since: int | None, painted: bool
) -> Result | Awaitable[Result]:
    def read() -> Result:
        live = find_pane(service, pane)  # the pane may have been killed meanwhile
        catch_up(live)
        return read_screen(live, scrollback=scrollback, cells=cells, since=since)

    if painted and not _is_painted(find_pane(service, pane)):
        return _when_painted(find_pane(service, pane), read)
    return read()


async def _when_painted(pane: Pane, read: Callable[[], Result]) -> Result:
    """Read the screen when it is drawn; the wait is bounded, because some programs never pause."""
    loop = asyncio.get_running_loop()
    give_up_at = loop.time() + _LONGEST_SILENCE_S
    pauses_by = loop.time() + _LONGEST_OUTPUT_S
    while not _is_painted(pane) and loop.time() < pauses_by:
        if _quiet_s(pane) >= _PAUSE_S:
            pauses_by = give_up_at  # the program is busy
        await asyncio.sleep(_POLL_S)
    return read()


def _is_painted(pane: Pane) -> bool:
    """Read the output written so far, and return whether the program has drawn its screen.

    A program that waits for input has drawn everything; a busy one may not.
    """
    catch_up(pane)
    state = pane.watch.state
    if state == "dead":
        return True
    if state in {"running", "fullscreen"} and _quiet_s(pane) < _PAUSE_S:
        return False
    if state == "running":
        return True
    foreground = pane.shell.foreground()
    return foreground is not None and foreground.waiting is not False


def _quiet_s(pane: Pane) -> float:
    return asyncio.get_running_loop().time() - pane.tracker.last_output


@handles("frame")
def frame(service: Service, pane: int, version: int | None) -> Result | Awaitable[Result]:
    live = find_pane(service, pane)
    if live.engine.modes().synchronized_output:
        return _when_synchronized(live, version)
    return _frame(live, version)


async def _when_synchronized(pane: Pane, version: int | None) -> Result:
    loop = asyncio.get_running_loop()
    until = loop.time() + SYNC_S
    while True:
        if not pane.engine.modes().synchronized_output or loop.time() >= until:
            return _frame(pane, version)
        await asyncio.sleep(_POLL_S)


def _frame(pane: Pane, version: int | None) -> Result:
    return {"pane": pane.id, "seq": pane.seq, "writing": pane.intake.busy, **frame_since(pane.terminal, version)}


@handles("history_limit")
def history_limit(service: Service, pane: int, rows: int) -> Result:
    find_pane(service, pane).set_history_limit(rows)
    return {}


@handles("input")
def type_input(
    service: Service, connection: Connection, pane: int, items: list[dict[str, Any]], receipt: Receipt
) -> Result | Awaitable[Result]:
    if all("focus" in item for item in items):
        # An attached client reports its terminal's focus; the server knows which pane that means.
        if service.attachments.terminal_focused(connection, focused=items[-1]["focus"]):
            return {"bytes": 0}
    else:
        service.attachments.used(connection)
    size, written = find_pane(service, pane).type(items, client=connection.client, key=receipt.key)
    service.attachments.typed(connection, pane)
    # The kernel usually accepts it at once; then the reply need not wait for the event loop.
    if written.done() and written.exception() is None:
        return {"bytes": size}
    return _when_written(size, written)


async def _when_written(size: int, written: asyncio.Future[None]) -> Result:
    await written
    return {"bytes": size}

"""Calls that read logs, the command ledger and search results, with the help of worker processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_core.errors import BadRequestError, NoSuchTargetError
from phux_core.logs.ledger import CommandId, range_of
from phux_core.server.api.handlers import find_pane, handles
from phux_core.server.history.server_logs import SEARCH_S

if TYPE_CHECKING:
    from phux_core.server.connection import Connection, Result
    from phux_core.server.pane import Pane
    from phux_core.server.service import Service


@handles("logs")
async def logs(service: Service, connection: Connection, pane: int | None, log: str | None, **query: Any) -> Result:
    if (pane is None) == (log is None):
        raise BadRequestError("which log?", remedy="send either `pane` or `log`")
    if "from_byte" in query and not query.keys().isdisjoint({"lines", "since"}):
        raise BadRequestError("`from_byte` goes with neither `lines` nor `since`", remedy="send one of them")
    live = service.panes.get(pane) if pane is not None else None
    if live is None:
        return await service.logs.ask("read", connection, pane=pane, log=log, query=query)
    return await _read_live(service, connection, live, query)


@handles("log_list")
async def log_list(service: Service, connection: Connection) -> Result:
    live = [pane.id for pane in service.panes.values() if not pane.record.dead]
    return await service.logs.ask("list", connection, live=live)


@handles("output")
async def output(service: Service, connection: Connection, id_: str | None, pane: int | None, **query: Any) -> Result:
    if (pane is None) == (id_ is None):
        raise BadRequestError("which command?", remedy="send either `id` or `pane`")
    if pane is not None:
        live = find_pane(service, pane)
        document = _latest(live)
    else:
        which = CommandId.parse(str(id_))
        found = _live(service, which)
        if found is None:
            return await service.logs.ask("output", connection, id=id_, query=query)
        live, document = found, _entry(found, which)
    return await _read_live(service, connection, live, query | range_of(document)) | {"command": document}


@handles("commands")
async def commands(
    service: Service, connection: Connection, pane: int | None, id_: str | None, log: str | None
) -> Result:
    if sum(given is not None for given in (pane, id_, log)) > 1:
        raise BadRequestError("`pane`, `id` and `log` exclude each other", remedy="send one of them")
    if id_ is not None:
        which = CommandId.parse(id_)
        live = _live(service, which)
        if live is None:
            return await service.logs.ask("commands", connection, id=id_)
        return {"commands": [_entry(live, which)]}
    if log is not None:
        return await service.logs.ask("commands", connection, log=log)
    if pane is not None and pane not in service.panes:
        return await service.logs.ask("commands", connection, pane=pane)
    chosen = service.panes.values() if pane is None else [service.panes[pane]]
    found = [entry for live in chosen for entry in live.ledger.entries]
    found.sort(key=lambda entry: (entry.started_at, entry.number))
    return {"commands": [entry.to_document() for entry in found]}


@handles("search")
async def search(
    service: Service,
    connection: Connection,
    pattern: str,
    session: int | None,
    everywhere: bool,
    context: int,
    max_matches: int,
) -> Result:
    if session is not None and everywhere:
        raise BadRequestError("`session` and `everywhere` exclude each other", remedy="send one of them")
    chosen = service.tree.panes() if session is None else service.tree.session(session).panes()
    logs = None if everywhere else [f"{service.logs.server}/{record.id}" for record in chosen]
    return await service.logs.ask(
        "search",
        connection,
        deadline_s=SEARCH_S,
        logs=logs,
        pattern=pattern,
        context=context,
        most=max_matches,
    )


def _live(service: Service, which: CommandId) -> Pane | None:
    """Return the pane of a command, if it exists."""
    ours = which.log is None or which.log == f"{service.logs.server}/{which.pane}"
    return service.panes.get(which.pane) if ours else None


async def _read_live(service: Service, connection: Connection, pane: Pane, query: dict[str, Any]) -> Result:
    """Read the log of a live pane; output that is not in its files, from the journal."""
    asked = query | {"sizes": pane.log.sizes}
    log = f"{service.logs.server}/{pane.id}" if pane.log.is_on else None
    is_current = False
    with pane.faults.output:
        pane.log.check_files()
        is_current = pane.log.problem is None
    if log is not None and is_current:
        return await service.logs.ask("read", connection, log=log, query=asked)

    def in_memory() -> dict[str, Any]:
        if service.panes.get(pane.id) is not pane:
            raise NoSuchTargetError(f"@{pane.id} was killed, and this output was not in its log")
        offset, data = pane.log.unwritten
        return {"offset": offset, "data": data}

    return await service.logs.ask("read", connection, pane=pane.id, log=log, query=asked, large=in_memory)


def _entry(pane: Pane, which: CommandId) -> dict[str, Any]:
    entry = pane.ledger.get(which.number)
    if entry is None:
        raise NoSuchTargetError(f"there is no command {which}", remedy="`phux commands` lists them")
    return entry.to_document()


def _latest(pane: Pane) -> dict[str, Any]:
    begun = [entry for entry in pane.ledger.entries if entry.start is not None]
    if not begun:
        raise NoSuchTargetError(f"no command is known to have run in @{pane.id}", remedy="`phux logs` reads it all")
    return begun[-1].to_document()

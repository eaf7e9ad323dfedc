"""Calls that read logs, the command ledger and search results, with the help of worker processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_core.errors import BadRequestError, NoSuchTargetError
from phux_core.logs import places
from phux_core.logs.ledger import CommandId, range_of
from phux_core.server.api.handlers import find_pane, handles
from phux_core.server.history.server_logs import SEARCH_S

if TYPE_CHECKING:
    from phux_core.server.connection import Connection, Result
    from phux_core.server.pane import Pane
    from phux_core.server.service import Service


@handles("logs")
async def logs(service: Service, connection: Connection, pane: int | None, log: str | None, **query: Any) -> Result:
    if "from_byte" in query and not query.keys().isdisjoint({"lines", "since"}):
        raise BadRequestError("`from_byte` goes with neither `lines` nor `since`", remedy="send one of them")
    return await _read(service, connection, "read", pane, log, query)


@handles("past_screen")
async def past_screen(
    service: Service, connection: Connection, pane: int | None, log: str | None, **query: Any
) -> Result:
    if query.keys() >= {"seq", "moment"}:
        raise BadRequestError("`seq` and `moment` exclude each other", remedy="send one of them")
    return await _read(service, connection, "screen", pane, log, query)


@handles("film")
async def film(service: Service, connection: Connection, pane: int | None, log: str | None, **query: Any) -> Result:
    return await _read(service, connection, "film", pane, log, query)


@handles("timeline")
async def timeline(service: Service, connection: Connection, pane: int | None, log: str | None, **query: Any) -> Result:
    return await _read(service, connection, "timeline", pane, log, query)


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
    asked = query | range_of(document) | {"sizes": live.log.sizes}
    return await _read_live(service, connection, live, asked) | {"command": document}


@handles("commands")
async def commands(
    service: Service,
    connection: Connection,
    pane: int | None,
    id_: str | None,
    log: str | None,
    everywhere: bool,
    max_commands: int | None,
    **selection: Any,
) -> Result:
    if sum(given is not None for given in (pane, id_, log, everywhere or None)) > 1:
        raise BadRequestError("`pane`, `id`, `log` and `everywhere` exclude each other", remedy="send one of them")
    if id_ is not None:
        which = CommandId.parse(id_)
        live = _live(service, which)
        if live is None:
            return await service.logs.ask("commands", connection, id=id_)
        return {"commands": [_entry(live, which)]}
    pane = _named(service, pane, log)
    request: dict[str, Any] = {"selection": selection, "stored": everywhere, "most": max_commands}
    if (log is not None and pane is None) or (pane is not None and pane not in service.panes):
        return await service.logs.ask("select_commands", connection, pane=pane, log=log, **request)
    chosen = service.panes.values() if pane is None else [service.panes[pane]]
    entries = [entry for live in chosen for entry in live.ledger.entries]
    entries.sort(key=lambda entry: (entry.started_at, entry.number))
    found = [entry.to_document() for entry in entries]
    if (
        not everywhere
        and max_commands is None
        and not any(value is not None and value is not False for value in selection.values())
    ):
        return {"commands": found}
    live_logs = [f"{service.logs.server}/{pane}" for pane in service.panes]
    return await service.logs.ask("select_commands", connection, entries=found, skipped=live_logs, **request)


@handles("search")
async def search(
    service: Service,
    connection: Connection,
    pattern: str,
    session: int | None,
    everywhere: bool,
    context: int,
    max_matches: int,
    **selection: Any,
) -> Result:
    if session is not None and everywhere:
        raise BadRequestError("`session` and `everywhere` exclude each other", remedy="send one of them")
    chosen = service.tree.panes() if session is None else service.tree.session(session).panes()
    names = {f"{service.logs.server}/{record.id}": service.panes[record.id] for record in chosen}
    for live in names.values():
        live.ledger.flush()  # the worker reads the commands from the files
    # A log that lacks its end is searched alone, together with the output that waits in the pane's journal.
    waiting = {name: pane for name, pane in names.items() if pane.log.is_on and not _is_current(pane)}
    parts: list[tuple[list[str] | None, Pane | None]] = [([name], pane) for name, pane in waiting.items()]
    parts.append((None if everywhere else [name for name in names if name not in waiting], None))
    until = service.loop.time() + SEARCH_S
    matches: list[dict[str, Any]] = []
    for logs, pane in parts:
        found = await service.logs.ask(
            "search",
            connection,
            deadline_s=until - service.loop.time(),
            large=None if pane is None else pane.log.held,
            logs=logs,
            skipped=list(waiting) if logs is None else [],
            pattern=pattern,
            selection=selection,
            context=context,
            most=max_matches - len(matches),
        )
        matches += found["matches"]
        if found["truncated"]:
            return {"matches": matches, "truncated": True}
    return {"matches": matches, "truncated": False}


def _live(service: Service, which: CommandId) -> Pane | None:
    """Return the pane of a command, if it exists."""
    ours = which.log is None or which.log == f"{service.logs.server}/{which.pane}"
    return service.panes.get(which.pane) if ours else None


def _named(service: Service, pane: int | None, log: str | None) -> int | None:
    """Return the id of the pane that a request names, also by the id of the log of a current pane."""
    named = None if log is None else places.LogId.parse(log)
    is_ours = named is not None and named.server == service.logs.server and named.pane in service.panes
    return named.pane if named is not None and is_ours and service.panes[named.pane].log.is_on else pane


async def _read(
    service: Service, connection: Connection, do: str, pane: int | None, log: str | None, query: dict[str, Any]
) -> Result:
    """Read the log of a live pane, or a stored log."""
    if (pane is None) == (log is None):
        raise BadRequestError("which log?", remedy="send either `pane` or `log`")
    named = _named(service, pane, log)
    live = None if named is None else service.panes.get(named)
    if live is None:
        return await service.logs.ask(do, connection, pane=pane, log=log, query=query)
    if do == "read":
        query = query | {"sizes": live.log.sizes}
    elif not live.log.is_on:
        raise NoSuchTargetError(
            f"@{pane} is not logged, so its past is not known", remedy="`phux snapshot` shows it now"
        )
    return await _read_live(service, connection, live, query, do)


async def _read_live(
    service: Service, connection: Connection, pane: Pane, query: dict[str, Any], do: str = "read"
) -> Result:
    """Read the log of a live pane; output that is not in its files, from the journal."""
    log = f"{service.logs.server}/{pane.id}" if pane.log.is_on else None
    if _is_current(pane) and log is not None:
        return await service.logs.ask(do, connection, log=log, query=query)

    def in_memory() -> dict[str, Any]:
        if service.panes.get(pane.id) is not pane:
            raise NoSuchTargetError(f"@{pane.id} was killed, and this output was not in its log")
        return pane.log.held()

    return await service.logs.ask(do, connection, pane=pane.id, log=log, query=query, large=in_memory)


def _is_current(pane: Pane) -> bool:
    """Bring the files of a pane's log up to date, and return whether they have all of its output."""
    with pane.faults.output:
        pane.log.check_files()
        return pane.log.problem is None
    return False


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

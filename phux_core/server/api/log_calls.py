"""The calls that read what was written: logs, the ledger, search. Workers do the reading; this asks them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_core.errors import BadRequestError, NoSuchTargetError
from phux_core.logs.ledger import CommandId, range_of
from phux_core.logs.reading import MOST_BYTES
from phux_core.server.history.server_logs import SEARCH_S

if TYPE_CHECKING:
    from phux_core.logs.ledger import Entry
    from phux_core.server.api.connection import Connection, Result
    from phux_core.server.pane import Pane
    from phux_core.server.service import Service

MOST_CONTEXT = 1000
MOST_MATCHES = 100_000
_DEFAULT_MATCHES = 1000
# What is handed to a worker of a pane that has no log: more would keep the others waiting.
_MOST_FROM_MEMORY = 2 * 1024 * 1024


class LogCalls:
    """Those calls, carried out on one service."""

    _service: Service

    async def _logs(self, connection: Connection, pane: int | None, log: str | None, **query: Any) -> Result:
        if (pane is None) == (log is None):
            raise BadRequestError("which log?", remedy="send either `pane` or `log`")
        if query["from_byte"] is not None and (query["lines"] is not None or query["since"] is not None):
            raise BadRequestError("`from_byte` goes with neither `lines` nor `since`", remedy="send one of them")
        asked = check_budget(query)
        live = self._service.panes.get(pane) if pane is not None else None
        if live is None:
            return await self._service.logs.ask("read", connection, pane=pane, log=log, query=asked)
        return await self._read_live(connection, live, asked)

    async def _log_list(self, connection: Connection) -> Result:
        live = [pane.id for pane in self._service.panes.values() if not pane.record.dead]
        return await self._service.logs.ask("list", connection, live=live)

    async def _output(self, connection: Connection, id: str | None, pane: int | None, **query: Any) -> Result:  # noqa: A002
        if (pane is None) == (id is None):
            raise BadRequestError("which command?", remedy="send either `id` or `pane`")
        asked = check_budget(query)
        which = None if id is None else CommandId.parse(id)
        live = self._service.panes.get(pane or 0) if which is None else self._live(which)
        if which is not None and live is None:
            return await self._service.logs.ask("output", connection, id=id, query=asked)
        if live is None:
            raise NoSuchTargetError(f"there is no pane @{pane}")
        document = _latest(live) if which is None else _entry(live, which)
        return await self._read_live(connection, live, asked | range_of(document)) | {"command": document}

    async def _commands(self, connection: Connection, pane: int | None, id: str | None, log: str | None) -> Result:  # noqa: A002
        if sum(given is not None for given in (pane, id, log)) > 1:
            raise BadRequestError("`pane`, `id` and `log` exclude each other", remedy="send one of them")
        if id is not None:
            which = CommandId.parse(id)
            live = self._live(which)
            if live is None:
                return await self._service.logs.ask("commands", connection, id=id)
            return {"commands": [_entry(live, which)]}
        if log is not None:
            return await self._service.logs.ask("commands", connection, log=log)
        if pane is None:
            found = [entry for live in self._service.panes.values() for entry in live.ledger.entries]
            return {"commands": [entry.to_document() for entry in sorted(found, key=_by_time)]}
        live = self._service.panes.get(pane)
        if live is None:
            return await self._service.logs.ask("commands", connection, pane=pane)
        return {"commands": [entry.to_document() for entry in live.ledger.entries]}

    async def _search(
        self,
        connection: Connection,
        pattern: str,
        session: int | None,
        everywhere: bool | None,
        context: int | None,
        max_matches: int | None,
    ) -> Result:
        service = self._service
        if session is not None and everywhere:
            raise BadRequestError("`session` and `everywhere` exclude each other", remedy="send one of them")
        if (context or 0) > MOST_CONTEXT or (max_matches or 0) > MOST_MATCHES:
            raise BadRequestError(
                "that is too much of a context, or too many matches",
                remedy=f"send at most {MOST_CONTEXT} and {MOST_MATCHES}",
            )
        if session is not None and session not in service.tree.sessions:
            raise NoSuchTargetError(f"there is no session with the id {session}")
        chosen = service.tree.panes() if session is None else service.tree.sessions[session].panes()
        logs = None if everywhere else [f"{service.logs.server}/{record.id}" for record in chosen]
        return await service.logs.ask(
            "search",
            connection,
            deadline_s=SEARCH_S,
            logs=logs,
            pattern=pattern,
            context=context or 0,
            most=_DEFAULT_MATCHES if max_matches is None else max_matches,
        )

    def _live(self, which: CommandId) -> Pane | None:
        """Find the pane a command is of, if it is there."""
        ours = which.log is None or which.log == f"{self._service.logs.server}/{which.pane}"
        return self._service.panes.get(which.pane) if ours else None

    async def _read_live(self, connection: Connection, pane: Pane, query: dict[str, Any]) -> Result:
        """Read the log of a pane that is there; if it has none, what its journal still has."""
        asked = query | {"cols": pane.record.cols, "rows": pane.record.rows}
        if pane.log.is_on:
            pane.log.catch_up()
            log = f"{self._service.logs.server}/{pane.id}"
            return await self._service.logs.ask("read", connection, log=log, query=asked)

        def in_memory() -> dict[str, Any]:
            if self._service.panes.get(pane.id) is not pane:
                raise NoSuchTargetError(f"@{pane.id} was killed, and had no log")
            oldest = max(pane.journal.oldest, pane.journal.position - _MOST_FROM_MEMORY)
            return {"offset": oldest, "data": pane.journal.since(oldest).decode("utf-8", "surrogateescape")}

        return await self._service.logs.ask("read", connection, pane=pane.id, query=asked, large=in_memory)


def _entry(pane: Pane, which: CommandId) -> dict[str, Any]:
    """Find an entry of a live pane's ledger."""
    entry = pane.ledger.get(which.number)
    if entry is None:
        raise NoSuchTargetError(f"there is no command {which}", remedy="`phux commands` lists them")
    return entry.to_document()


def _latest(pane: Pane) -> dict[str, Any]:
    begun = [entry for entry in pane.ledger.entries if entry.start is not None]
    if not begun:
        raise NoSuchTargetError(f"no command is known to have run in @{pane.id}", remedy="`phux logs` reads it all")
    return begun[-1].to_document()


def check_budget(query: dict[str, Any]) -> dict[str, Any]:
    """Check what the registry cannot, and leave out what was not said.

    Raises:
        BadRequestError: Too much was asked for.
    """
    for name, most in (("max_bytes", MOST_BYTES), ("context", MOST_CONTEXT)):
        value = query.get(name)
        if value is not None and value > most:
            raise BadRequestError(f"{name} is {value}", remedy=f"send at most {most}")
    return {name: value for name, value in query.items() if value is not None}


def _by_time(entry: Entry) -> tuple[float, int]:
    return entry.started_at, entry.number

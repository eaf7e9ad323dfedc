"""The logs of one server: opening, reading and limiting them."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from phux_core.logs import cleaning, places, unclean, writing
from phux_core.server.history.log_workers import LogWorkers
from phux_core.server.history.pane_log import PaneLog

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from phux_core.keeper.journal import Journal
    from phux_core.server.connection import Connection
    from phux_core.server.pane_record import PaneRecord
    from phux_core.server.settings import Settings

READ_S = 10.0
"""How long a read may take."""
SEARCH_S = 60.0
# When old logs are removed: soon after the start, then every 10 s, or after 100 times as long as it takes.
_FIRST_CLEAN_S = 1.0
_CLEAN_S = 10.0
_PAUSE = 100
_log = logging.getLogger("phux.logs")


class LoggedPane(Protocol):
    """The parts of a pane that logs need."""

    record: PaneRecord
    log: PaneLog


class Logs:
    """The logs of one server.

    Attributes:
        server: The name of this server in the logs.
        unclean_end: What the previous server lost; None if that is nothing, or while ``examining`` is not done.
        kept: The logs that remained when old ones were last removed; None before.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        settings: Settings,
        server: str,
        panes: Callable[[], Collection[LoggedPane]],
        date: Callable[[], float],
    ) -> None:
        self.root = settings.log_root
        self.server = server
        self._settings = settings
        self._panes = panes
        self._date = date
        self._workers = LogWorkers(loop)
        self._loop = loop
        self._cleaning = loop.create_task(self._clean_regularly())
        self.unclean_end: dict[str, Any] | None = None
        self.examining = loop.create_task(self._examine())
        self.kept: cleaning.Kept | None = None

    def open(self, record: PaneRecord, journal: Journal, *, session: str, on: bool) -> PaneLog:
        """Start or continue a pane's log, which stores nothing unless ``on``."""
        log = places.LogId(self.server, record.id)
        meta = {
            "socket": self._settings.socket,
            "session": session,
            "command": record.command,
            "cwd": record.cwd,
            "pid": record.pid,
            "cols": record.cols,
            "rows": record.rows,
            "started_at": record.started_at,
        }
        writer = writing.LogWriter(self.root, log, self._settings.log_pane_bytes) if on and self.root else None
        return PaneLog(self.root, log, writer, journal, meta, record.nonce)

    async def ask(
        self,
        do: str,
        connection: Connection,
        *,
        deadline_s: float = READ_S,
        large: Callable[[], dict[str, Any]] | None = None,
        **request: Any,
    ) -> dict[str, Any]:
        """Read, list or search logs in a worker; ``do`` names the job.

        ``large`` returns the parts of the request that take much memory, when the client may get a large reply.
        """
        asked = {"do": do, "root": self.root, "server": self.server, **request}
        async with connection.large_reply():
            asked |= {} if large is None else large()
            return await self._workers.ask(asked, deadline_s=deadline_s)

    @property
    def problem(self) -> str | None:
        """Why panes are not logged, or not completely; None if there is no problem."""
        if not self.root:
            return "there is no home directory to keep logs in"
        return next((pane.log.problem for pane in self._panes() if pane.log.problem is not None), None)

    async def _examine(self) -> None:
        if not self.root:
            return
        report = partial(unclean.report_unclean_end, self.root, self.server, self._settings.socket)
        try:
            self.unclean_end = await self._loop.run_in_executor(None, report)
        except Exception as error:  # noqa: BLE001  the server works without it
            _log.warning("the logs of the previous server could not be examined: %s", error)

    def close(self) -> None:
        self._cleaning.cancel()
        self._workers.close()

    async def _clean_regularly(self) -> None:
        """Check the logs of live panes, and remove old logs in a thread."""
        await asyncio.sleep(_FIRST_CLEAN_S)
        while self.root:
            began = self._loop.time()
            try:
                for pane in self._panes():
                    pane.log.check_files()
                clean = partial(
                    cleaning.clean,
                    self.root,
                    most=self._settings.log_total_bytes,
                    keep_days=self._settings.log_keep_days,
                    server=self.server,
                    now=self._date(),
                    live=frozenset(pane.record.id for pane in self._panes() if not pane.record.dead),
                )
                self.kept = await self._loop.run_in_executor(None, clean)
            except Exception as error:  # noqa: BLE001  the next time may succeed
                _log.warning("old logs could not be removed: %s", error)
            await asyncio.sleep(max(_CLEAN_S, _PAUSE * (self._loop.time() - began)))

"""The service: one event loop with the panes, the clients and the link to the keeper."""

from __future__ import annotations

import json
import logging
import os
import socket
import time
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import asdict

from phux_core import procfs, wire
from phux_core.clock import boottime
from phux_core.keeper.journal import blob_key
from phux_core.logs.places import server_name
from phux_core.server.connection import Clients
from phux_core.server.ending import end_programs, record_end
from phux_core.server.history.pane_ledger import PaneLedger
from phux_core.server.history.server_logs import Logs
from phux_core.server.keeper_link import KeeperLink
from phux_core.server.kernel.syscall import ask_where_refused
from phux_core.server.pane import Pane, PaneContext, restore
from phux_core.server.pane_engines import PaneEngines
from phux_core.server.pane_faults import PaneFaults
from phux_core.server.pane_record import PaneRecord, known_fields
from phux_core.server.pty.read_order import ReadTurns
from phux_core.server.push.attachments import Attachments
from phux_core.server.push.hub import EventHub
from phux_core.server.receipts import Receipts
from phux_core.server.screen.rebuild import label
from phux_core.server.shell.events import STATES
from phux_core.server.tree.arranger import Arranger
from phux_core.server.tree.diff import changes, tree_state
from phux_core.server.tree.lifecycle import Lifecycle
from phux_core.server.tree.records import Tree
from phux_core.version import __version__

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from phux_core.keeper.channel import Channel
    from phux_core.keeper.journal import Journal
    from phux_core.server.connection import Answer, Connection
    from phux_core.server.keeper_link import Child, Inheritance
    from phux_core.server.settings import Settings

# How long a program waits for the repetition of the request for which an earlier service started it.
_CLAIM_S = 30.0
# Numbers of subscriptions are unique among this many restarts.
_RESTARTS, _SUBSCRIPTIONS = 2**12, 2**20
_log = logging.getLogger("phux.service")


def read_stored_tree(stored: bytes, save: Callable[[], None]) -> tuple[Tree, Receipts]:
    """Return the tree and the receipts that a service stored; ``save`` stores them again."""
    tree, _, receipts = stored.partition(b"\n")
    return Tree.load(tree) if tree else Tree(), Receipts(receipts, save)


class Service:
    """One instance of the service; ``dispatch`` executes a call of a client, given its name and its parameters.

    Attributes:
        receipts: The outcomes of requests that changed something.
        reserved_names: Names of sessions that are being created.
        starting: The number of programs that are being started.
    """

    def __init__(
        self,
        settings: Settings,
        channel: Channel,
        inheritance: Inheritance,
        loop: asyncio.AbstractEventLoop,
        dispatch: Callable[[Service, Connection, object, object, object], Answer],
    ) -> None:
        self.loop = loop
        self.tree, self.receipts = read_stored_tree(inheritance.blobs.get("tree", b""), self.write_tree)
        self._removed: list[int] = []
        self._orphans: dict[str, tuple[PaneRecord, Child]] = {}
        self.panes: dict[int, Pane] = {}
        first_number = 1 + (inheritance.hello["restarts"] % _RESTARTS) * _SUBSCRIPTIONS
        self.events = EventHub(first_number)
        self.attachments: Attachments = Attachments(self, first_number)
        self.events.observer = self.attachments
        self.finished: asyncio.Future[None] = loop.create_future()
        self.settings = settings
        self._hello = inheritance.hello
        self._feed_mark = inheritance.feed_mark.cell
        ask_where_refused(inheritance.questions)
        self.engines = PaneEngines(loop, settings, self._feed_mark, self.write_tree, self._keep_rebuilt)
        self.turns = ReadTurns(loop)
        self._context = PaneContext(
            loop,
            self.turns,
            self.events.emit,
            self.events.written,
            self._feed_mark,
            os.path.dirname(settings.socket),
            self._on_pane_dead,
            self._keep_checkpoint,
            self.attachments.requested,
        )
        name = server_name(settings.socket, self._hello["started_at"], self._hello["keeper_pid"])
        self.logs = Logs(loop, settings, name, self.panes.values, self._date)
        self.arranger = Arranger(
            self.tree, self.panes, settings.window_size, write_tree=self.write_tree, tree_changed=self.tree_changed
        )
        self.reserved_names: set[str] = set()
        self.starting = 0
        self._died: list[int] = []
        self._reported = tree_state(self.tree)
        self.clients = Clients(loop, partial(dispatch, self), self._on_leave, self._on_resume)
        self.stopping = False
        self.keeper = KeeperLink(
            loop,
            channel,
            on_exit=self._on_exit,
            on_listener=self._replace_listener,
            on_client=lambda fd: self.clients.admit(socket.socket(fileno=fd)),
            on_closed=self._on_keeper_gone,
        )
        self.engines.is_rebuilding = True
        self._adopt(inheritance)
        self.engines.is_rebuilding = False
        self._feed_mark[1] = 0
        self._lifecycle = Lifecycle(
            loop, self.tree, settings, self.clients.connections, remove_panes=self.remove_panes, shutdown=self.shutdown
        )
        self.clients.listen(inheritance.listener)
        self._lifecycle.tree_changed()
        for message in inheritance.messages:
            self.keeper.take(message)
        loop.call_soon(self.keeper.ready)  # from the loop, to report that it runs
        loop.call_soon(self._rebuild_next, list(self.panes))

    # Panes

    def add_pane(
        self,
        record: PaneRecord,
        master: int,
        journal: Journal,
        *,
        checkpoint: bytes | None = None,
        commands: bytes = b"",
        wait_status: int | None = None,
        aside: bool = False,
    ) -> Pane:
        """Add a new pane, or one of an earlier service.

        Args:
            master: Its pty master; negative if its program has ended and all output was read.
            checkpoint: The checkpoint of its terminal, at which the journal begins.
            commands: The ledger of its commands.
            wait_status: The program's wait status, if it has ended.
            aside: Whether to leave its terminal blank, because rebuilding it crashed earlier services.
        """
        self.engines.progress()
        self._feed_mark[0] = record.id  # so that the keeper knows the pane if restoring it crashes the service
        engine, stored = self.engines.restore(record, checkpoint, journal, aside=aside)
        found = self.tree.find_pane(record.id)
        session, is_on = (found[0].name, found[0].log) if found else ("", False)
        faults = PaneFaults(record, self.write_tree, partial(self.engines.make_successor, record))
        log = ledger = None
        with faults.output:
            log = self.logs.open(record, journal, session=session, on=is_on)
        log = log or self.logs.open(record, journal, session=session, on=False)
        with faults.output:
            log.catch_up()
        keep = partial(self._keep_command, record.id)
        with faults.restoring:
            ledger = PaneLedger(record, journal, log, commands, keep)
        if ledger is None:
            journal.clear_outbox()
            ledger = PaneLedger(record, journal, log, b"", keep)
        pane = Pane(
            record,
            master,
            engine,
            journal,
            self._context,
            faults,
            log,
            ledger,
        )
        with pane.faults.restoring:
            restore(pane, stored)
        self._feed_mark[0] = 0
        self.panes[record.id] = pane
        if wait_status is not None:
            pane.exited(wait_status)
        return pane

    def _keep_rebuilt(self, pane_id: int) -> None:
        """Store a terminal that was not rebuilt completely, so that the next service does not fail in the same way."""
        self.write_tree()
        if pane_id in self.panes:
            self.panes[pane_id].keep_checkpoint()

    def _rebuild_next(self, waiting: list[int]) -> None:
        """Rebuild one terminal, and the next one after a pause of the same length, in which clients are served."""
        began = self.loop.time()
        while waiting:
            pane = self.panes.get(waiting.pop(0))
            if pane is not None and pane.engine.at_rest:
                pane.engine.wake()
                self.loop.call_later(self.loop.time() - began, self._rebuild_next, waiting)
                return
        self.keeper.rebuilt()

    def remove_panes(self, pane_ids: list[int]) -> None:
        self.arranger.remove(pane_ids)
        for pane_id in pane_ids:
            pane = self.panes.pop(pane_id, None)
            if pane is not None:
                pane.close()
                self._removed.append(pane_id)
        self._save_tree()

    def tree_changed(self) -> None:
        """Save the tree, remove expired panes, and end the server if it is no longer needed."""
        self._save_tree()
        self._lifecycle.tree_changed()

    def discard(self, child: Child) -> None:
        """End a program that was started but belongs to no pane."""
        os.close(child.master)
        child.journal.close()
        self.keeper.discard(child.pane, child.status)

    def claim(self, key: str | None) -> tuple[PaneRecord, Child] | None:
        """Return the program that an earlier service started for a request, with the record of its pane."""
        return self._orphans.pop(key, None) if key is not None else None

    def _discard_orphan(self, key: str) -> None:
        orphan = self.claim(key)
        if orphan is not None:
            self.discard(orphan[1])

    def write_tree(self) -> None:
        """Store the tree and the receipts at the keeper for the next service; during a call, when it is done."""
        if self.receipts.is_executing:
            return
        self.keeper.put("tree", self.stored_tree())
        for pane_id in self._removed:  # not before: the tree must not name panes that cannot be restored
            self.keeper.release(pane_id)
        self._removed.clear()

    def stored_tree(self) -> bytes:
        """Return the tree and the receipts for the next service."""
        return self.tree.dump() + b"\n" + self.receipts.dump()

    def _save_tree(self) -> None:
        """Save the tree, and report its changes."""
        self.arranger.follow_views()
        self.write_tree()
        before, self._reported = self._reported, tree_state(self.tree)
        for name, payload in changes(before, self._reported):
            self.events.emit_to_all(name, payload)
        self.attachments.tree_changed()

    def _adopt(self, inheritance: Inheritance) -> None:
        """Take over the programs of an earlier service."""
        known = {record.id: record for record in self.tree.panes()}
        self.engines.replace_crashed(known.get(inheritance.hello["suspect"]))

        def kept(record: PaneRecord) -> dict[str, Any]:
            blobs = inheritance.blobs
            return {
                "checkpoint": blobs.get(blob_key("checkpoint", record.id)),
                "commands": blobs.get(blob_key("ledger", record.id), b""),
                "aside": record.id in inheritance.hello["set_aside"],
            }

        for child in inheritance.children:
            record = known.pop(child.pane, None)
            if record is None:
                self.tree.pane_id_was_taken(child.pane)
                self._adopt_orphan(child, inheritance.blobs.get(blob_key("record", child.pane)))
                continue
            self.add_pane(record, child.master, child.journal, **kept(record), wait_status=child.status)
        for record in known.values():  # no program: it had ended before, and its status is in the tree
            record.dead = True
            record.died_at = record.died_at or time.time()
            record.dead_since = record.dead_since or boottime()
            self.add_pane(record, -1, inheritance.take_journal(record.id), **kept(record))
        self.arranger.take_over()
        self._save_tree()  # engines may have changed

    def _adopt_orphan(self, child: Child, stored: bytes | None) -> None:
        """Keep a program that was started for a request that was lost with the old service, until it is repeated."""
        if stored is None:  # it cannot be repeated: it had no key
            self.discard(child)
            return
        record = PaneRecord(**known_fields(PaneRecord, json.loads(stored)))
        assert record.request is not None
        record.pid = child.pid
        self._orphans[record.request] = record, child
        self.loop.call_later(_CLAIM_S, self._discard_orphan, record.request)

    def _keep_checkpoint(self, pane: Pane, checkpoint: bytes) -> None:
        notes, tap = pane.tracker.marks.dump(), pane.engine.tap.dump()
        self.keeper.put(blob_key("checkpoint", pane.id), label(checkpoint, pane.seq, notes, tap))

    def _keep_command(self, pane_id: int, data: bytes, anew: bool) -> None:
        self.keeper.put(blob_key("ledger", pane_id), data, append=not anew)

    def _on_exit(self, pane_id: int, wait_status: int) -> None:
        pane = self.panes.get(pane_id)
        orphan = next((child for _record, child in self._orphans.values() if child.pane == pane_id), None)
        if pane is not None:
            pane.exited(wait_status)
        elif orphan is not None:
            orphan.status = wait_status
        else:
            self.keeper.discard(pane_id, wait_status)

    def _on_pane_dead(self, pane: Pane) -> None:
        self.arranger.retire(pane.id)
        if not self._died:
            self.loop.call_soon(self._save_deaths)
        self._died.append(pane.id)

    def _save_deaths(self) -> None:
        """Save the tree once for all panes that died together, because it has all panes."""
        died, self._died = self._died, []
        self._save_tree()  # before the keeper forgets the wait statuses, so that they are not lost if the service dies
        for pane_id in died:
            self.keeper.forget(pane_id)
        self._lifecycle.tree_changed()

    # Clients

    def _on_leave(self, connection: Connection) -> None:
        self._lifecycle.client_disconnected()
        self.events.drop_subscriber(connection)
        self.attachments.drop_client(connection)

    def _on_resume(self, connection: Connection) -> None:
        self.events.resumed(connection)
        self.attachments.resumed(connection)

    def _replace_listener(self, fd: int) -> None:
        """Accept clients on another socket, because the file of the old one was deleted."""
        if self.stopping:
            os.close(fd)
        else:
            self.clients.listen(fd)

    def _uptime_s(self) -> float:
        return boottime() - float(self._hello["started_on_clock"])

    def _date(self) -> float:
        """Return the date, or an earlier one if it jumped ahead since the server started."""
        return min(time.time(), float(self._hello["started_at"]) + self._uptime_s())

    def takeover_arguments(self) -> list[str]:
        """Return the arguments of ``phux_core.server.takeover``."""
        return [json.dumps(asdict(self.settings)), str(self._hello["format"])]

    # Documents

    def status_document(self) -> dict[str, Any]:
        panes = list(self.tree.panes())
        unknown, unlogged = procfs.missing(), self.logs.problem
        return {
            "schema_version": 1,
            "version": __version__,
            "protocol": f"{wire.PROTOCOL[0]}.{wire.PROTOCOL[1]}",
            "keeper_pid": self._hello["keeper_pid"],
            "keeper_version": self._hello["keeper_version"],
            "service_pid": os.getpid(),
            "service_restarts": self._hello["restarts"],
            "engine": self.engines.name,
            "engine_notes": [
                {"terminal": f"@{pane.id}", "engine": pane.engine or self.engines.name, "note": pane.engine_note}
                for pane in panes
                if pane.engine_note is not None
            ],
            "socket": self.settings.socket,
            "log": self.settings.log,
            "uptime_s": round(self._uptime_s(), 3),
            "sessions": len(self.tree.sessions),
            "windows": sum(len(session.windows) for session in self.tree.sessions.values()),
            "panes": len(panes),
            "dead_panes": sum(pane.dead for pane in panes),
            "states": dict.fromkeys(STATES, 0) | Counter(pane.watch.state for pane in self.panes.values()),
            "clients": len(self.clients.connections),
            "logs": {
                "directory": self.logs.root or None,
                "server": self.logs.server,
                "bytes": None if self.logs.kept is None else self.logs.kept.total_bytes,
                **({} if unlogged is None else {"problem": unlogged}),
            },
            "memory": self._memory_document(),
            **({} if unknown is None else {"system_notes": [unknown]}),
            **({} if self.logs.unclean_end is None else {"unclean_end": self.logs.unclean_end}),
        }

    def _memory_document(self) -> dict[str, int | None]:
        panes = self.panes.values()
        return {
            "keeper_bytes": procfs.resident_bytes(self._hello["keeper_pid"]),
            "service_bytes": procfs.resident_bytes(os.getpid()),
            "journal_bytes": sum(pane.journal.size for pane in panes),
            "checkpoint_bytes": sum(pane.engine.rest_size for pane in panes),
            "engines": sum(not pane.engine.at_rest for pane in panes),
            "log_directories": None if self.logs.kept is None else self.logs.kept.logs,
        }

    # Shutdown

    def shutdown(self, why: str) -> None:
        """Make the keeper end the server, unless it is ending already."""
        if not self.stopping:
            self.stopping = True
            self.clients.stop_listening()
            _log.info("ending: %s", why)
            self.attachments.ending(why)
            self.keeper.shutdown()

    def _on_keeper_gone(self) -> None:
        self.stopping = True
        self.clients.stop_listening()
        record_end(self.panes.values())
        for connection in list(self.clients.connections):
            connection.close()
        self.logs.close()
        self._ending = self.loop.create_task(end_programs(list(self.panes.values())))
        self._ending.add_done_callback(lambda _task: self.finished.set_result(None))

"""The command ledger of a live pane: updated by marks and runs, stored at the keeper and in the log.

After a restart, the marks in the journal are processed again. The ledger ignores those that it has recorded already:
commands start at increasing sequence numbers. Changes are stored at once in the outbox beside the journal, which
survives the service. The keeper and the log get all of them together, a moment later.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Protocol

from phux_core.logs import ledger
from phux_core.logs.ledger import Ledger
from phux_core.server.shell.events import CommandFinished, CommandStarted
from phux_core.server.shell.output_bounds import start_of_unmarked_prompt
from phux_core.server.shell.pane_shell import current_directory

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.keeper.journal import Journal
    from phux_core.logs.ledger import Entry
    from phux_core.server.history.pane_log import PaneLog
    from phux_core.server.pane_record import PaneRecord
    from phux_core.server.shell.events import ShellEvent

# Changes are stored together: a command often has three of them.
_WRITE_S = 0.25
# Lines that the keeper appends before it gets the whole ledger again.
_MOST_LINES = 3 * ledger.MOST_ENTRIES


class TypedRun(Protocol):
    """The fields of a run that the ledger records."""

    id: str
    number: int
    command: str
    by: str
    client: str | None
    typed_seq: int
    started_at: float


class PaneLedger:
    """The commands of one pane.

    Args:
        kept: The lines stored at the keeper.
        keep: Stores lines at the keeper: ``keep(data, anew)`` appends them, or replaces all if ``anew``.

    Attributes:
        typist: The client that pressed Enter last, if known.
        waits: Whether changes are stored only by ``commit``: until then, the marks in the journal repeat them.
    """

    def __init__(
        self,
        record: PaneRecord,
        journal: Journal,
        log: PaneLog,
        kept: bytes,
        keep: Callable[[bytes, bool], None],
    ) -> None:
        self.typist: str | None = None
        self.waits = False
        self._record, self._journal, self._log = record, journal, log
        self._ledger = Ledger.of(record.id, kept + journal.outbox)
        self._keep = keep
        self._lines = kept.count(b"\n")
        self._changed: dict[int, Entry] = {}
        self._timer: asyncio.TimerHandle | None = None
        for entry in self.entries[-1:]:  # the last service may not have written it to the log
            journal.add_to_outbox(ledger.line(entry))

    @property
    def entries(self) -> list[Entry]:
        """The commands, oldest first."""
        return list(self._ledger.entries.values())

    def get(self, number: int) -> Entry | None:
        return self._ledger.entries.get(number)

    def requested(self, id_: str) -> Entry | None:
        """Return the command of a ``run`` or ``start`` with an id."""
        return self._ledger.entries.get(self._ledger.requests.get(id_, 0))

    @property
    def last_end(self) -> int | None:
        """Where the output of the last finished command ended; None if no command has finished."""
        return next(
            (entry.end for entry in reversed(self._ledger.entries.values()) if entry.ended_at is not None), None
        )

    # Changes by runs

    @property
    def next_number(self) -> int:
        return self._ledger.next_number

    def typed(self, run: TypedRun) -> None:
        """Record a run that was just typed, under the next number."""
        if run.number != self.next_number:
            return  # recorded by an earlier service
        self._add(run.command or None, run.by, run.client, run.typed_seq, None, run.started_at, run.id)

    def began(self, number: int, start: int) -> None:
        self._change(number, start=start)

    def ended(self, number: int, start: int, end: int, exit_code: int | None) -> None:
        """Record that a command has ended, unless its end is recorded already."""
        entry = self.get(number)
        if entry is not None and entry.ended_at is not None:
            return
        self._change(number, start=start, end=end, exit_code=exit_code, ended_at=time.time())

    def lost(self, number: int) -> None:
        """Record that the end of a command will never be known."""
        entry = self.get(number)
        if entry is not None and entry.ended_at is None:
            self._change(number, lost=True)

    # Changes by marks

    def take(self, event: ShellEvent, command: str | None) -> None:
        """Record an event of the shell's marks."""
        latest = self._ledger.latest
        if isinstance(event, CommandStarted):
            if latest is not None and event.start <= (latest.place if latest.start is None else latest.start):
                if latest.command is None and latest.start == event.start:
                    self._change(latest.number, command=command)
                return  # recorded already
            self._add(command, "typed", self.typist, event.input_start, event.start, time.time())
            return
        if not isinstance(event, CommandFinished) or event.start is None:
            return
        entry = self._begun_at(event.start)
        if entry is not None and entry.ended_at is None:
            end = event.end
            if not event.is_marked:
                end = start_of_unmarked_prompt(self._journal, event.start, end)
            self.ended(entry.number, event.start, end, event.exit_code)

    def id_at(self, start: int) -> str | None:
        """Return the id of the command whose output begins at a place; None if there is none."""
        entry = self._begun_at(start)
        return None if entry is None else entry.id

    def line_at(self, start: int) -> str | None:
        """Return the line of the command whose output begins at a place, if it was recorded before."""
        entry = self._begun_at(start)
        return None if entry is None else entry.command

    def _begun_at(self, start: int) -> Entry | None:
        # Not always the latest: a run in a nested shell comes after the command that started that shell.
        return next((entry for entry in reversed(self._ledger.entries.values()) if entry.start == start), None)

    def pane_died(self, exit_code: int | None, place: int) -> None:
        """Record that the pane's program has ended, and with it all commands that were running."""
        for entry in self.entries:
            if entry.ended_at is None and not entry.lost:
                self.ended(entry.number, place if entry.start is None else entry.start, place, exit_code)
        self.flush()

    # Storing

    def _add(
        self,
        command: str | None,
        by: str,
        client: str | None,
        place: int,
        start: int | None,
        started_at: float,
        request: str | None = None,
    ) -> None:
        entry = self._ledger.add(
            place=place,
            command=None if command is None else command[: ledger.LONGEST_COMMAND],
            cwd=current_directory(self._record),
            by=by,
            client=client,
            started_at=started_at,
            start=start,
            request=request,
        )
        self._store(entry)

    def _change(self, number: int, **what: object) -> None:
        entry = self._ledger.change(number, **what)
        if entry is not None:
            self._store(entry)

    def _store(self, entry: Entry) -> None:
        self._changed[entry.number] = entry
        if not self.waits:
            self.commit()

    def commit(self) -> None:
        """Store all changes in the outbox."""
        self.waits = False
        changed, self._changed = self._changed, {}
        lines = b"".join(map(ledger.line, changed.values()))
        if not self._journal.add_to_outbox(lines):
            self.flush()
            self._write(lines)
        elif self._timer is None and lines:
            self._timer = asyncio.get_running_loop().call_later(_WRITE_S, self.flush)

    def flush(self) -> None:
        """Store changes at the keeper and in the log; call before the journal is restarted."""
        if self._changed:
            self.commit()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        lines = self._journal.outbox
        if lines:
            self._write(lines)
            self._journal.clear_outbox()

    def _write(self, lines: bytes) -> None:
        self._lines += lines.count(b"\n")
        if self._lines > _MOST_LINES:
            self._lines = len(self._ledger.entries)
            self._keep(self._ledger.dump(), True)
        else:
            self._keep(lines, False)
        self._log.note_commands(lines, self._ledger)

"""The ledger of a live pane: kept up to date by marks and runs, by the keeper for the next service, and in the log.

After a death the journal's marks are heard again. What the ledger knows already it does not take twice: commands begin
at places in the stream that only ever grow. So only that a run was typed must outlive us at once: its note tells that
until it is set down beside the journal. How it goes on stands in the journal. The keeper is told a moment later, of all
of it together.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Protocol

from phux_core.logs import ledger
from phux_core.logs.ledger import Ledger
from phux_core.server.shell.events import CommandFinished, CommandStarted
from phux_core.server.shell.output_bounds import end_of_own_output

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.keeper.journal import Journal
    from phux_core.logs.ledger import Entry
    from phux_core.server.history.pane_log import PaneLog
    from phux_core.server.pane_record import PaneRecord
    from phux_core.server.shell.events import ShellEvent

# Changes are written to the file together: it is for later, and a command is often three of them.
_WRITE_S = 0.25
_KEEP_S = 0.02
# Lines that the keeper appends before it is given the whole ledger anew.
_MOST_LINES = 3 * ledger.MOST_ENTRIES


class TypedRun(Protocol):
    """What the ledger records of a run."""

    number: int
    command: str
    by: str
    client: str | None
    typed_seq: int
    started_at: float


class PaneLedger:
    """The commands of one pane.

    Args:
        record: The pane's record.
        journal: The pane's stream.
        log: The pane's log.
        kept: What the keeper had of it.
        keep: Has a line kept, or all of them anew: ``keep(data, anew)``.
        cwd: Returns the working directory of the pane's first process.

    Attributes:
        typist: The client that pressed Enter last, if it is known.
    """

    def __init__(
        self,
        record: PaneRecord,
        journal: Journal,
        log: PaneLog,
        kept: bytes,
        keep: Callable[[bytes, bool], None],
        cwd: Callable[[], str],
    ) -> None:
        self.typist: str | None = None
        self._record, self._journal, self._log, self._cwd = record, journal, log, cwd
        kept += journal.outbox
        self._ledger = Ledger.of(record.id, kept)
        self._keep = keep
        self._lines = kept.count(b"\n")
        # What the last service did not come to write is written with the next change, or with the pane's end.
        self._unwritten = {entry.number: entry for entry in self.entries[-1:]}
        self._timer: asyncio.TimerHandle | None = None
        self._changed: dict[int, Entry] = {}
        self._keep_timer: asyncio.TimerHandle | None = None

    @property
    def entries(self) -> list[Entry]:
        """The commands, oldest first."""
        return list(self._ledger.entries.values())

    def get(self, number: int) -> Entry | None:
        """Find one."""
        return self._ledger.entries.get(number)

    @property
    def last_end(self) -> int | None:
        """Where the output of the command ended that ended last; None if none did."""
        return next(
            (entry.end for entry in reversed(self._ledger.entries.values()) if entry.ended_at is not None), None
        )

    # What runs tell

    @property
    def next_number(self) -> int:
        """The number of the next command."""
        return self._ledger.next_number

    def typed(self, run: TypedRun) -> None:
        """Take a run that was typed just now, under the next number; its note has told of it until here."""
        if run.number != self.next_number:
            return  # it was heard of before the last service died
        self._add(run.command or None, run.by, run.client, run.typed_seq, None, run.started_at)
        self._set_down()

    def began(self, number: int, start: int) -> None:
        """Take note that a command was begun."""
        self._change(number, start=start)

    def ended(self, number: int, start: int, end: int, exit_code: int | None) -> None:
        """Take note that a command has ended; one that has ended before did so then."""
        entry = self.get(number)
        if entry is not None and entry.ended_at is not None:
            return
        self._change(number, start=start, end=end, exit_code=exit_code, ended_at=time.time())

    def lost(self, number: int) -> None:
        """Take note that nobody will ever hear how a command ended."""
        entry = self.get(number)
        if entry is not None and entry.ended_at is None:
            self._change(number, lost=True)

    # What the shell tells

    def take(self, event: ShellEvent, command: str | None) -> None:
        """Take what the shell's marks say."""
        latest = self._ledger.latest
        if isinstance(event, CommandStarted):
            if latest is not None and event.start <= (latest.place if latest.start is None else latest.start):
                if latest.command is None and latest.start == event.start:
                    self._change(latest.number, command=command)
                return  # heard before
            self._add(command, "typed", self.typist, event.input_start, event.start, time.time())
            self._set_down()  # where there are no marks, nothing else would tell the next service
            return
        if not isinstance(event, CommandFinished) or event.start is None or latest is None:
            return
        if latest.start == event.start and latest.ended_at is None:
            end = end_of_own_output(self._journal, event.start, event.end, self._record.command, marked=event.is_marked)
            self.ended(latest.number, event.start, end, event.exit_code)

    def pane_died(self, exit_code: int | None, place: int) -> None:
        """Record that the program has ended, and its output at a place."""
        latest = self._ledger.latest
        if latest is not None and latest.ended_at is None and not latest.lost:
            start = place if latest.start is None else latest.start
            self.ended(latest.number, start, place, exit_code)
        self.flush()

    # Keeping

    def _add(
        self, command: str | None, by: str, client: str | None, place: int, start: int | None, started_at: float
    ) -> None:
        entry = self._ledger.add(
            place=place,
            command=None if command is None else command[: ledger.LONGEST_COMMAND],
            cwd=self._cwd(),
            by=by,
            client=client,
            started_at=started_at,
            start=start,
        )
        self._write(entry)

    def _change(self, number: int, **what: object) -> None:
        entry = self._ledger.change(number, **what)
        if entry is not None:
            self._write(entry)

    def _write(self, entry: Entry) -> None:
        self._changed[entry.number] = self._unwritten[entry.number] = entry
        loop = asyncio.get_running_loop()
        if self._keep_timer is None:
            self._keep_timer = loop.call_later(_KEEP_S, self.keep_now)
        if self._timer is None:
            self._timer = loop.call_later(_WRITE_S, self.flush)

    def keep_now(self) -> None:
        """Have the keeper keep what it does not have yet; before the journal forgets it."""
        if self._keep_timer is not None:
            self._keep_timer.cancel()
            self._keep_timer = None
        self._keep_lines(self._changed_lines())

    def _set_down(self) -> None:
        """See to it that what has changed is kept even if this service dies now."""
        lines = self._changed_lines()
        if not self._journal.add_to_outbox(lines):
            self._keep_lines(lines)

    def _changed_lines(self) -> bytes:
        lines = b"".join(map(ledger.line, self._changed.values()))
        self._changed.clear()
        return lines

    def _keep_lines(self, lines: bytes) -> None:
        """Have the keeper keep what was set down beside the journal, and more."""
        journal = self._journal
        lines = journal.outbox + lines
        self._lines += lines.count(b"\n")
        if self._lines > _MOST_LINES:
            self._lines = len(self._ledger.entries)
            self._keep(self._ledger.dump(), True)
        elif lines:
            self._keep(lines, False)
        journal.clear_outbox()

    def flush(self) -> None:
        """Have everything kept, and write to the log what the ledger's file does not have yet."""
        self.keep_now()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._unwritten:
            self._log.note_commands(b"".join(map(ledger.line, self._unwritten.values())), self._ledger)
            self._unwritten.clear()

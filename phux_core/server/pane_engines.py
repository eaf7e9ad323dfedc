"""The engines of all panes: created from what is stored, rebuilt when they are needed, and replaced when they fail."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from phux_core import engine as engines
from phux_core.engine.resting import Rest
from phux_core.server.screen.rebuild import SET_ASIDE, Stored, blank, read_stored, read_summary, rebuild

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, MutableSequence

    from phux_core.engine import Engine
    from phux_core.keeper.journal import Journal
    from phux_core.server.pane_record import PaneRecord
    from phux_core.server.settings import Settings

_STEPS = 2**32 - 1
_log = logging.getLogger("phux.service")


class PaneEngines:
    """Creates the engines of panes.

    Args:
        feed_mark: Tells the keeper which pane's engine is at work, and the progress of rebuilding.
        write_tree: Stores the records of panes.
        keep: Called with the id of a pane whose terminal was not rebuilt completely; stores that terminal.

    Attributes:
        name: The engine of panes that have none of their own.
        is_rebuilding: Whether a terminal is being rebuilt, so that ``progress`` reports it.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        settings: Settings,
        feed_mark: MutableSequence[int] | memoryview[int],
        write_tree: Callable[[], None],
        keep: Callable[[int], None],
    ) -> None:
        self.name = engines.choose(settings.engine)
        self.is_rebuilding = False
        self._loop, self._settings, self._feed_mark = loop, settings, feed_mark
        self._write_tree, self._keep = write_tree, keep

    def restore(
        self, record: PaneRecord, checkpoint: bytes | None, journal: Journal, *, aside: bool
    ) -> tuple[Engine | Rest, Stored]:
        """Return a pane's engine, which is rebuilt when it is needed, and the terminal that was stored.

        Args:
            checkpoint: The checkpoint of its terminal, at which the journal begins.
            aside: Whether to leave its terminal blank, because rebuilding it crashed earlier services.
        """
        if aside:
            stored = Stored(journal.position, journal.position, None, None, [], SET_ASIDE)
            engine: Engine | Rest = self._blank(record, journal.position)
        else:
            stored = read_stored(checkpoint, journal)
            name, cols, rows = self._terminal_of(record)
            known = {"name": name, "cols": cols, "rows": rows, "position": stored.end, **read_summary(journal)}
            engine = Rest(partial(self._rebuild, record, stored, journal), known, len(stored.checkpoint or b""))
        if stored.note is not None:
            _note(record, stored.note)
        return engine, stored

    def make_successor(self, record: PaneRecord, position: int) -> Engine:
        """Create a blank pyte engine for a pane whose engine failed."""
        record.engine = "pyte"
        self._write_tree()
        return self._blank(record, position)

    def replace_crashed(self, suspect: PaneRecord | None) -> None:
        """Switch the pane whose output crashed the last service to the other engine."""
        if suspect is not None and (suspect.engine or self.name) != "pyte":
            suspect.engine = "pyte"
            _note(suspect, f"the {self.name} engine crashed on its output")

    def progress(self) -> None:
        """Report progress in rebuilding panes to the keeper, so that it does not consider the service stuck."""
        if self.is_rebuilding:
            self._feed_mark[1] = self._feed_mark[1] % _STEPS + 1

    def _rebuild(self, record: PaneRecord, stored: Stored, journal: Journal) -> Engine:
        marked, self._feed_mark[0] = self._feed_mark[0], record.id
        was_rebuilding, self.is_rebuilding = self.is_rebuilding, True
        terminal, history = self._terminal_of(record), self._history_of(record)
        engine, note = rebuild(*terminal, stored, journal, history, self.progress)
        self.is_rebuilding, self._feed_mark[0] = was_rebuilding, marked
        if not was_rebuilding:
            self._feed_mark[1] = 0
        if note not in {None, stored.note}:
            _note(record, note)
            self._loop.call_soon(self._keep, record.id)
        return engine

    def _terminal_of(self, record: PaneRecord) -> tuple[str, int, int]:
        return record.engine or self.name, record.cols, record.rows

    def _history_of(self, record: PaneRecord) -> int:
        return self._settings.history_limit if record.history_limit is None else record.history_limit

    def _blank(self, record: PaneRecord, position: int) -> Engine:
        return blank(*self._terminal_of(record), position, self._history_of(record))


def _note(record: PaneRecord, note: str) -> None:
    record.engine_note = note
    _log.warning("@%d: %s", record.id, note)

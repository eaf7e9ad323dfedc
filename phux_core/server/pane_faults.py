"""Contain faults: an exception in one pane is logged once and reported in the status, and affects no other pane."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from phux_core.engine import Engine
    from phux_core.server.pane_record import PaneRecord

OUTPUT = "some of its output could not be processed; marks or events are missing"
RESTORING = "the state of its shell could not be restored after a restart of the service"
_ENGINE = "its terminal failed on its output and was cleared; the log is complete"
_log = logging.getLogger("phux.pane")


class PaneFaults:
    """The faults of one pane; ``make_engine`` creates a blank engine that starts at a position in its output.

    Attributes:
        engine_was_replaced: Whether the pane's engine was replaced, and the pane has not reacted yet.
    """

    def __init__(self, record: PaneRecord, save: Callable[[], None], make_engine: Callable[[int], Engine]) -> None:
        self.engine_was_replaced = False
        self._record, self._save, self._make_engine = record, save, make_engine
        self._reported: set[str] = set()

    @contextlib.contextmanager
    def contained(self, note: str = OUTPUT) -> Iterator[None]:
        """Catch an exception, and report it with a note."""
        try:
            yield
        except Exception as error:  # noqa: BLE001
            self._report(note, error)

    def replace_engine(self, error: Exception, position: int) -> Engine:
        """Create a blank engine to replace one that raised."""
        self._report(_ENGINE, error)
        self.engine_was_replaced = True
        return self._make_engine(position)

    def _report(self, note: str, error: Exception) -> None:
        if note not in self._reported:
            self._reported.add(note)
            _log.error("@%d: %s", self._record.id, note, exc_info=error)
            self._record.engine_note = note
            self._save()

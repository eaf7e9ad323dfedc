"""Contain faults: an exception in one pane is logged once and reported in the status, and affects no other pane."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from attrs import define

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from phux_core.engine import Engine
    from phux_core.server.pane_record import PaneRecord

_OUTPUT = "some of its output could not be processed; marks or events are missing"
_ENGINE = "its terminal failed on its output and was cleared; the log is complete"
_RESTORING = "the state of its shell could not be restored after a restart of the service"
_log = logging.getLogger("phux.pane")


@define
class Containment:
    """A context manager that catches the exceptions of one pane and stores a note in its record. It can be nested."""

    _record: PaneRecord
    _save: Callable[[], None]
    _note: str
    _reported: bool = False

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        if isinstance(error, Exception):
            self.report(error)
        return isinstance(error, Exception)

    def report(self, error: Exception) -> None:
        if not self._reported:
            self._reported = True
            _log.error("@%d: %s", self._record.id, self._note, exc_info=error)
            self._record.engine_note = self._note
            self._save()


class PaneFaults:
    """The faults of one pane; ``make_engine`` creates a blank engine that starts at a position in its output.

    Attributes:
        output: Catches exceptions while output is processed, except those of the engine.
        restoring: Catches exceptions while the state of an earlier service is restored.
        engine_was_replaced: Whether the pane's engine was replaced, and the pane has not reacted yet.
    """

    def __init__(self, record: PaneRecord, save: Callable[[], None], make_engine: Callable[[int], Engine]) -> None:
        self.output = Containment(record, save, _OUTPUT)
        self.restoring = Containment(record, save, _RESTORING)
        self.engine_was_replaced = False
        self._engine = Containment(record, save, _ENGINE)
        self._make_engine = make_engine

    def replace_engine(self, error: Exception, position: int) -> Engine:
        """Create a blank engine to replace one that raised."""
        self._engine.report(error)
        self.engine_was_replaced = True
        return self._make_engine(position)

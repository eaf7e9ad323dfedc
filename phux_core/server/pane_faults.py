"""Keep a fault in one pane from the service and the other panes: log it once, note it in the status, and go on."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from phux_core.engine import Engine
    from phux_core.server.pane_record import PaneRecord

_OUTPUT = "some of its output could not be followed; marks or events are missing"
_ENGINE = "its terminal failed on its output and was cleared; the log has it all"
_RESTORING = "the state of its shell could not be restored after a restart of the service"
_T = TypeVar("_T")
_log = logging.getLogger("phux.pane")


class Containment:
    """A context manager that lets no exception out, for one pane. It can be used again and again, and nested.

    Args:
        record: The pane's place in the tree, where the note goes.
        save: Has the tree kept, so that the note outlives the service.
        note: What to say in the status of an exception that is caught.

    Example:
        >>> from types import SimpleNamespace
        >>> pane = SimpleNamespace(id=3, engine_note=None)
        >>> logging.disable()
        >>> with Containment(pane, lambda: None, "one of its marks was ignored"):
        ...     int("x")
        >>> logging.disable(logging.NOTSET)
        >>> pane.engine_note
        'one of its marks was ignored'
    """

    def __init__(self, record: PaneRecord, save: Callable[[], None], note: str) -> None:
        self._record = record
        self._save = save
        self._note = note
        self._told = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self.caught(error)
        return True

    def call(self, function: Callable[[], _T], otherwise: _T) -> _T:
        """Call a function; return something else if it raises."""
        with self:
            return function()
        return otherwise

    def caught(self, error: Exception) -> None:
        """Log and note an exception, the first time."""
        if not self._told:
            self._told = True
            _log.error("@%d: %s", self._record.id, self._note, exc_info=error)
            self._record.engine_note = self._note
            self._save()


class PaneFaults:
    """The faults of one pane.

    Args:
        record: The pane's place in the tree.
        save: Has the tree kept.
        make_engine: Makes a blank terminal for it that starts at a place in its stream.

    Attributes:
        output: Contains what goes wrong with its output, but for its terminal.
        restoring: Contains what goes wrong when an earlier service's state is restored.
    """

    def __init__(self, record: PaneRecord, save: Callable[[], None], make_engine: Callable[[int], Engine]) -> None:
        self.output = Containment(record, save, _OUTPUT)
        self.restoring = Containment(record, save, _RESTORING)
        self._engine = Containment(record, save, _ENGINE)
        self._make_engine = make_engine
        self._replaced = False

    def replace_engine(self, error: Exception, position: int) -> Engine:
        """Make a blank terminal in place of one that raised."""
        self._engine.caught(error)
        self._replaced = True
        return self._make_engine(position)

    def engine_was_replaced(self) -> bool:
        """Tell whether the terminal was replaced since this was last asked."""
        replaced, self._replaced = self._replaced, False
        return replaced
